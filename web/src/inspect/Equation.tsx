// An equation as MathML, and a button for each of its numbers that has a formula of its own.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Part } from "../../messages";
import { middle, visible } from "../parts/Name";
import { words } from "../words";

interface Properties {
  parts: Part[];
  /** What opens the formula behind a number; null if there is none. */
  opener: (part: Part) => (() => void) | null;
}

interface Door {
  part: Part;
  open: () => void;
}

/**
 * Screen readers read MathML as one picture, in which nothing can have the focus. So the numbers
 * take clicks only, and buttons out of sight behind the formula are for keys and screen readers;
 * the number whose button has the focus is outlined.
 */
export function Equation({ parts, opener }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<Part | null>(null);
  const doors = parts.flatMap((part) => doorsOf(part, opener));
  const doorAt = (part: Part) => doors.find((door) => door.part === part) ?? null;
  const sides = sidesOf(parts);
  const focus = (part: Part, position: number) => {
    setFocused(part);
    const numbers = box.current?.querySelectorAll(".door");
    numbers?.[position]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  return (
    <div
      class="f"
      role="group"
      aria-label={words.formula}
      tabIndex={doors.length > 0 ? undefined : 0}
      ref={box}
    >
      {sides.map((side, i) => (
        <Side key={i} {...{ side, doorAt, focused }} last={i === sides.length - 1} />
      ))}
      <span class="unseen">
        {doors.map(({ part, open }, i) => (
          <button
            type="button"
            key={i}
            onClick={open}
            onFocus={() => focus(part, i)}
            onBlur={() => setFocused(null)}
          >
            {words.openFormula(part.text)}
          </button>
        ))}
      </span>
    </div>
  );
}

/** The doors of a part and of the parts in it, in the order in which they are written. */
function doorsOf(part: Part, opener: Properties["opener"]): Door[] {
  const open = opener(part);
  const inner = part.parts.flatMap((each) => doorsOf(each, opener));
  return open === null ? inner : [{ part, open }, ...inner];
}

/** A relation and the side that follows it stay together; lines break between them. */
export function sidesOf(parts: Part[]): Part[][] {
  const sides: Part[][] = [];
  for (const part of parts) {
    const last = sides[sides.length - 1];
    const joins = last !== undefined && part.kind !== "relation";
    if (joins && (part.kind === "unit" || last[last.length - 1].kind === "relation"))
      last.push(part);
    else sides.push([part]);
  }
  return sides;
}

interface SideProperties {
  side: Part[];
  doorAt: (part: Part) => Door | null;
  focused: Part | null;
  last: boolean;
}

/** A side of an equation; where it is too long, its lines begin beside the relation. */
function Side({ side, doorAt, focused, last }: SideProperties) {
  const [relation, inside] = side[0].kind === "relation" ? [side[0], side.slice(1)] : [null, side];
  return (
    <span class="equation-side">
      {relation !== null && (
        <math display="inline">
          <mo>{relation.text}</mo>
        </math>
      )}
      <span class="pieces">
        {piecesOf(inside, (part) => doorAt(part) !== null).map((piece, i) => (
          <math key={i} display="inline">
            <mrow>
              {piece.map((part, k) => {
                const strong = last && part.kind === "number" && inside.includes(part);
                const shown = <Expression key={k} {...{ part, doorAt, focused, strong }} />;
                return signed(part, shown, i === 0 || k > 0);
              })}
            </mrow>
          </math>
        ))}
      </span>
    </span>
  );
}

/** The terms of a sum, between which lines may break; a unit stays with the last one. */
export function piecesOf(side: Part[], isDoor: (part: Part) => boolean): Part[][] {
  const [whole, ...units] = side;
  if (whole?.kind !== "sum" || isDoor(whole)) return [side];
  const last = whole.parts.length - 1;
  return whole.parts.map((term, i) => (i === last ? [term, ...units] : [term]));
}

// ---------------------------------------------------------------- MathML

interface ExpressionProperties {
  part: Part;
  doorAt: (part: Part) => Door | null;
  focused: Part | null;
  strong?: boolean;
}

function Expression({ part, doorAt, focused, strong = false }: ExpressionProperties) {
  const door = doorAt(part);
  const shown = <Plain {...{ part, doorAt, focused }} />;
  if (door === null) return strong ? <mrow class="strong">{shown}</mrow> : shown;
  const open = (event: Event) => {
    event.stopPropagation();
    door.open();
  };
  return (
    <mrow
      class={`door ${strong ? "strong" : ""} ${focused === part ? "focused" : ""}`}
      onClick={open}
    >
      {shown}
    </mrow>
  );
}

function Plain({ part, doorAt, focused }: ExpressionProperties) {
  const inside = part.parts.map((inner, i) => (
    <Expression key={i} part={inner} {...{ doorAt, focused }} />
  ));
  switch (part.kind) {
    case "number":
      return <mn>{part.text}</mn>;
    case "ratio":
    case "quotient":
      return (
        <mfrac>
          <mrow>{inside[0]}</mrow>
          <mrow>{inside[1]}</mrow>
        </mfrac>
      );
    case "log2":
      return (
        <mrow>
          <msub>
            <mi>log</mi>
            <mn>2</mn>
          </msub>
          {inside}
        </mrow>
      );
    case "ln":
      return (
        <mrow>
          <mi>ln</mi>
          {inside}
        </mrow>
      );
    case "square":
      return (
        <msup>
          <mrow>{fencedIfLong(part, inside)}</mrow>
          <mn>2</mn>
        </msup>
      );
    case "absolute":
      return <Fenced open="|" close="|" inside={inside} />;
    case "sum":
      return <mrow>{part.parts.map((term, i) => signed(term, inside[i], i === 0))}</mrow>;
    case "product":
      return (
        <mrow>{part.parts.map((factor, i) => factored(part.parts, factor, inside[i], i))}</mrow>
      );
    case "plus":
    case "minus":
      return <mrow>{inside}</mrow>;
    case "relation":
      return <mo>{part.text}</mo>;
    case "unit":
      return <mtext>{`\u00a0${part.text}`}</mtext>;
    case "call":
      return <Call text={part.text} />;
    case "blank":
      return <mspace width="3em" />;
    default:
      if (inside.length > 0) return <mrow>{inside}</mrow>;
      return <mtext>{visible(part.text)}</mtext>;
  }
}

const MINUS = "−";
/** A sign keeps its spaces where a line begins with it. */
const INFIX = { form: "infix" } as object;

function signed(term: Part, shown: ComponentChildren, first: boolean): ComponentChildren {
  if (first && term.kind !== "minus") return shown;
  const sign = term.kind === "minus" ? MINUS : "+";
  return (
    <>
      <mo {...(first ? {} : INFIX)}>{sign}</mo>
      {shown}
    </>
  );
}

/** A sum in a product stands in parentheses; a logarithm needs no sign before it. */
function factored(
  all: Part[],
  factor: Part,
  shown: ComponentChildren,
  position: number,
): ComponentChildren {
  const within = factor.kind === "sum" ? <Fenced open="(" close=")" inside={shown} /> : shown;
  if (position === 0) return within;
  const close = factor.kind === "log2" || factor.kind === "ln";
  const sign = close && all[position - 1].kind !== "number" ? null : <mo>·</mo>;
  return (
    <>
      {sign}
      {within}
    </>
  );
}

const fencedIfLong = (part: Part, inside: ComponentChildren) =>
  part.parts[0]?.kind === "number" ? inside : <Fenced open="(" close=")" inside={inside} />;

const LONGEST = 30;

/** A condition; of many values the first and the last are shown. */
function Given({ text }: { text: string }) {
  const short = middle(visible(text), LONGEST);
  const title = short === text ? {} : { title: text };
  return <mtext {...title}>{short}</mtext>;
}

/** H(S | outlook): the measure and the rows are letters, names are words. */
function Call({ text }: { text: string }) {
  const at = text.indexOf("(");
  if (at < 0 || !text.endsWith(")")) return <mtext>{visible(text)}</mtext>;
  const name = text.slice(0, at);
  const of = text.slice(at + 1, -1);
  const rows = of === "S" || of.startsWith("S | ");
  const given = rows ? of.slice(4) : of;
  return (
    <mrow>
      {name.length === 1 ? <mi>{name}</mi> : <mtext>{name}</mtext>}
      <Fenced
        open="("
        close=")"
        inside={
          <>
            {rows && <mi>S</mi>}
            {rows && given !== "" && <mo>|</mo>}
            {given !== "" && <Given text={given.replace(/ <= (?=\S+$)/, " ≤ ")} />}
          </>
        }
      />
    </mrow>
  );
}

interface FencedProperties {
  open: string;
  close: string;
  inside: ComponentChildren;
}

/** A string: as a boolean the attribute would be left out, and the parentheses would grow. */
const FLAT = { stretchy: "false" } as object;

const Fenced = ({ open, close, inside }: FencedProperties) => (
  <mrow>
    <mo {...FLAT}>{open}</mo>
    {inside}
    <mo {...FLAT}>{close}</mo>
  </mrow>
);
