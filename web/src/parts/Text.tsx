// A name or value of a table: inert text, whatever characters it has.

interface Properties {
  of: string;
  /** Longer texts lose their middle; the whole is in the title. */
  most?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const HIDDEN = /[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Control characters, and those that change the direction of text, as symbols. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\u27e8${code.toString(16).toUpperCase()}\u27e9`;
  });
}

export function shortened(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${letters.slice(0, head).join("")}\u2026${letters.slice(letters.length - tail).join("")}`;
}

export function Text({ of, most = 40 }: Properties) {
  const whole = of === "" ? "\u2423" : visible(of);
  const text = shortened(whole, most);
  return (
    <bdi dir="auto" title={text === whole ? undefined : whole}>
      {text}
    </bdi>
  );
}
