// The formula behind a number: doors in doors, as MathML, with digits, copying, and its rows.
import type { ComponentChildren } from "preact";
import type { Candidates, FormulaRequest, Part } from "../../messages";
import { canAsk, known, useAsk } from "../link/transport";
import { copyText } from "../parts/clipboard";
import { Item, Menu } from "../parts/Menu";
import { visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import {
  closeFormula,
  type Door,
  derivable,
  digits,
  dockShown,
  doors,
  exact,
  live,
  member,
  openInner,
  pin,
  selected,
  treeDocument,
} from "../state/store";
import { within } from "../tree/stepper";
import { words } from "../words";
import { clicked, offers } from "./offers";

/** The formula that was opened, otherwise that of the marked split, otherwise of the node. */
function shownDoor(): Door | null {
  const open = doors.value[doors.value.length - 1];
  if (open !== undefined) return open;
  const now = offers.value;
  if (now === null) return null;
  const offer = now.offers[usual(now)];
  if (offer === undefined) return { at: now.at, measure: "impurity" };
  return { at: now.at, measure: "score", split: offer.split };
}

/** What is clicked, what a step shows, what the tree or the learner chose. */
function usual(now: Candidates): number {
  const at = within.value;
  if (at !== null && !at.last) return at.position - 1;
  const own = now.offers.findIndex(({ chosen }) => chosen);
  return clicked.value ?? (own >= 0 ? own : (now.winner ?? -1));
}

function requestOf(door: Door | null): FormulaRequest | null {
  const document = treeDocument.value;
  if (door === null || document === null || !derivable.value) return null;
  const { at, measure, split = null, branch = null } = door;
  const written = { digits: digits.value, exact: exact.value };
  const request = { document, at, member: member.value, measure, split, branch, ...written };
  return known("formula", request) ? request : null;
}

export function FormulaCard() {
  const door = shownDoor();
  const request = requestOf(door);
  const asked = useAsk("formula", request);
  if (request === null || door === null || asked.state === "idle") return null;
  const formula = asked.state === "value" ? asked.value : null;
  return (
    <section class="formula">
      <h3 class="title">
        <span>
          {doors.value.length > 0 && (
            <button
              type="button"
              class="link back"
              onClick={closeFormula}
              aria-label={words.backFormula}
            >
              ‹
            </button>
          )}
          {formula === null ? "" : words.howComputed(resultOf(formula.equations))}
        </span>
        <span class="links">
          {canAsk("cells") && (
            <button type="button" class="link" onClick={() => showRows(door)}>
              {words.rowsLink}
            </button>
          )}
          {hasDigits(request) ? <Digits /> : <span>{words.digits(request.digits ?? 4)}</span>}
          {formula !== null && (
            <Menu label={words.copy} class="small" end>
              {(close) => (
                <>
                  <Item onSelect={() => void copyText(formula.latex).then(close)}>LaTeX</Item>
                  <Item onSelect={() => void copyText(formula.text).then(close)}>
                    {words.asText}
                  </Item>
                </>
              )}
            </Menu>
          )}
        </span>
      </h3>
      <Waiting asked={asked} />
      {formula !== null && <p class="note definition">{formula.title}</p>}
      {formula?.equations.map((equation, i) => (
        <Equation key={i} parts={equation} at={door.at} />
      ))}
      {formula !== null && formula.note !== "" && <p class="note">{formula.note}</p>}
    </section>
  );
}

function showRows(door: Door): void {
  if (!dockShown.value.includes("table")) dockShown.value = ["table"];
  pin({ from: "formula", paths: [door.at.length > 0 ? door.at : selected.value] });
}

/** A report of many formulas has them in one number of digits. */
const hasDigits = (request: FormulaRequest): boolean =>
  live.value || known("formula", { ...request, digits: 2, exact: false });

function Digits() {
  const label = exact.value ? words.exact : words.digits(digits.value);
  const choose = (n: number | null, close: () => void) => {
    exact.value = n === null;
    if (n !== null) digits.value = n;
    close();
  };
  return (
    <Menu label={label} name={words.digitsTitle} class="small" end>
      {(close) => (
        <>
          {[2, 3, 4, 5, 6].map((n) => (
            <Item
              key={n}
              checked={!exact.value && digits.value === n}
              onSelect={() => choose(n, close)}
            >
              <b>{words.digits(n)}</b>
            </Item>
          ))}
          <Item checked={exact.value} onSelect={() => choose(null, close)}>
            <b>{words.exact}</b>
          </Item>
        </>
      )}
    </Menu>
  );
}

// ---------------------------------------------------------------- MathML

/** The text of the last number, which is the result. */
function resultOf(equations: Part[][]): string {
  const last = equations[equations.length - 1] ?? [];
  return [...last].reverse().find(({ kind }) => kind === "number")?.text ?? "";
}

/** A relation and the side that follows it stay together; lines break between them. */
function sidesOf(parts: Part[]): Part[][] {
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

function Equation({ parts, at }: { parts: Part[]; at: number[] }) {
  const sides = sidesOf(parts);
  return (
    <div class="f" tabIndex={0} role="group" aria-label={words.formula}>
      {sides.map((side, i) => (
        <math key={i} display="inline">
          <mrow>
            {side.map((part, k) => (
              <Expression key={k} part={part} at={at} strong={isResult(part, i, sides)} />
            ))}
          </mrow>
        </math>
      ))}
    </div>
  );
}

const isResult = (part: Part, position: number, sides: Part[][]) =>
  position === sides.length - 1 && part.kind === "number";

interface ExpressionProperties {
  part: Part;
  at: number[];
  strong?: boolean;
}

function Expression({ part, at, strong = false }: ExpressionProperties) {
  const open = openerOf(part, at);
  const shown = <Plain part={part} at={at} />;
  if (open === null) return strong ? <mrow class="strong">{shown}</mrow> : shown;
  return (
    <mrow
      class={`door ${strong ? "strong" : ""}`}
      role="button"
      tabindex={0}
      aria-label={words.openFormula(part.text)}
      onClick={(event: Event) => {
        event.stopPropagation();
        open();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        open();
      }}
    >
      {shown}
    </mrow>
  );
}

interface Address extends Partial<Omit<Door, "at">> {
  node?: number[];
}

/** Counts open their rows, other numbers their formula. */
function openerOf(part: Part, at: number[]): (() => void) | null {
  const address = part.address as Address | null;
  if (address === null || typeof address.measure !== "string") return null;
  const { measure, split = null, branch = null } = address;
  const door: Door = { at: address.node ?? at, measure, split, branch };
  if (measure === "weight" || measure === "class_weight") {
    return canAsk("cells") ? () => showRows(door) : null;
  }
  return requestOf(door) === null ? null : () => openInner(door);
}

function Plain({ part, at }: ExpressionProperties) {
  const inside = part.parts.map((inner, i) => <Expression key={i} part={inner} at={at} />);
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

function signed(term: Part, shown: ComponentChildren, first: boolean): ComponentChildren {
  if (first && term.kind !== "minus") return shown;
  const sign = term.kind === "minus" ? MINUS : "+";
  return (
    <>
      <mo>{sign}</mo>
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
            {given !== "" && <mtext>{visible(given.replace(/ <= (?=\S+$)/, " ≤ "))}</mtext>}
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
