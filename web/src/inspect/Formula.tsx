// The formula behind a number: doors in doors, with digits, copying, and its rows.
import { useEffect, useRef } from "preact/hooks";
import type { Candidates, FormulaRequest, Part } from "../../messages";
import { sameLight } from "../dock/linking";
import { canAsk, known, useAsk } from "../link/transport";
import { copyText } from "../parts/clipboard";
import { Item, Menu } from "../parts/Menu";
import { Waiting } from "../parts/Working";
import { canonical, pathKey } from "../state/document";
import {
  addressOf,
  closeFormula,
  type Door,
  derivable,
  digits,
  dockShown,
  doors,
  exact,
  type Lit,
  live,
  member,
  openFormula,
  pin,
  pinned,
  tree,
  treeDocument,
} from "../state/store";
import { words } from "../words";
import { Equation } from "./Equation";
import { clicked, offerOfStep, offers } from "./offers";

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
  const own = now.offers.findIndex(({ chosen }) => chosen);
  return clicked.value ?? offerOfStep(now) ?? (own >= 0 ? own : (now.winner ?? -1));
}

function requestOf(door: Door | null): FormulaRequest | null {
  const document = treeDocument.value;
  if (door === null || document === null || !derivable.value) return null;
  const written = { digits: digits.value, exact: exact.value };
  const request = { document, member: member.value, ...addressOf(door), ...written };
  return known("formula", request) ? request : null;
}

export function FormulaCard() {
  const card = useRef<HTMLElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const depth = doors.value.length;
  useEffect(() => {
    // The number that was opened is gone with its formula, and the focus with it.
    if (window.document.activeElement === window.document.body) back.current?.focus();
  }, [depth]);
  const door = shownDoor();
  const request = requestOf(door);
  const asked = useAsk("formula", request);
  const formula = asked.state === "value" ? asked.value : null;
  useEffect(() => {
    // The number may stand far above its formula, or on the stage.
    if (depth > 0 && formula !== null) card.current?.scrollIntoView({ block: "nearest" });
  }, [depth, formula]);
  if (request === null || door === null || asked.state === "idle") return null;
  return (
    <section class="formula" ref={card}>
      <div class="title">
        {depth > 0 && (
          <button
            ref={back}
            type="button"
            class="link back"
            onClick={closeFormula}
            aria-label={words.backFormula}
          >
            ‹
          </button>
        )}
        <h3>{formula === null ? "" : words.howComputed(resultOf(formula.equations))}</h3>
        <span class="links">
          {canAsk("cells") && <Rows door={door} />}
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
      </div>
      <Waiting asked={asked} />
      {formula !== null && <p class="note definition">{formula.title}</p>}
      {formula?.equations.map((equation, i) => (
        <Equation key={i} parts={equation} opener={(part) => openerOf(part, door.at)} />
      ))}
      {formula !== null && formula.note !== "" && <p class="note">{formula.note}</p>}
    </section>
  );
}

/** Lights the rows behind a number, as long as its formula is shown for the same tree. */
function Rows({ door }: { door: Door }) {
  const pressed = sameLight(pinned.value, rowsBehind(door));
  useEffect(
    () => () => {
      if (pinned.peek()?.from === "formula") pin(null);
    },
    [canonical(door), tree.value],
  );
  return (
    <button
      type="button"
      class="link"
      aria-pressed={pressed}
      onClick={() => (pressed ? pin(null) : showRows(door))}
    >
      {words.rowsLink}
    </button>
  );
}

function showRows(door: Door): void {
  if (!dockShown.value.includes("table")) dockShown.value = ["table"];
  pin(rowsBehind(door));
}

/** The rows behind a number: those of its node, or of the branch if the tree has it. */
function rowsBehind({ at, split, branch }: Door): Lit {
  const now = offers.value;
  const own = now?.offers.find(({ chosen }) => chosen)?.split;
  const below =
    typeof branch === "number" &&
    own !== undefined &&
    pathKey(now?.at ?? []) === pathKey(at) &&
    canonical(own) === canonical(split);
  return { from: "formula", paths: [below ? [...at, branch] : at] };
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

/** The text of the last number, which is the result. */
function resultOf(equations: Part[][]): string {
  const last = equations[equations.length - 1] ?? [];
  return [...last].reverse().find(({ kind }) => kind === "number")?.text ?? "";
}

/** The address of a number as a formula has it. */
interface Address extends Partial<Omit<Door, "at" | "label">> {
  node?: number[];
  class?: Door["label"];
}

/** What opens the formula of a number; a report without it shows the rows of counts. */
function openerOf(part: Part, at: number[]): (() => void) | null {
  const address = part.address as Address | null;
  if (address === null || typeof address.measure !== "string") return null;
  const { measure, split = null, branch = null, class: label = null } = address;
  const door: Door = { at: address.node ?? at, measure, split, branch, label };
  if (requestOf(door) !== null) return () => openFormula(door);
  const counted = measure === "weight" || measure === "class_weight";
  return counted && canAsk("cells") ? () => showRows(door) : null;
}
