// Names from a table: their own direction, no control characters, the middle left out if long.

const MARKS = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f]/g;

/** Control characters as symbols, so that two different names look different. */
export function visible(text: string): string {
  if (text === "") return "␀";
  return text
    .replace(CONTROLS, (c) =>
      c === "\u007f" ? "␡" : String.fromCharCode(0x2400 + c.charCodeAt(0)),
    )
    .replace(MARKS, "�");
}

/** A text of at most so many characters, with an ellipsis in its middle. */
export function middle(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (most - 1 - head)).join("")}`;
}

interface Properties {
  text: string;
  /** How many characters there is room for. */
  most?: number;
  class?: string;
}

export function Name({ text, most = 80, class: extra }: Properties) {
  const shown = visible(text);
  const short = middle(shown, most);
  return (
    <bdi dir="auto" class={extra} title={short === shown ? undefined : shown}>
      {short}
    </bdi>
  );
}
