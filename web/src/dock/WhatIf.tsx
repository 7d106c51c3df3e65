// One row typed by hand: its path, its prediction, and the smallest change that changes it.
import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ColumnFacts, Explained, Probability } from "../../messages";
import { canAsk, useAsk } from "../link/transport";
import { count, percent, value } from "../numbers";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import type { Path } from "../state/document";
import { document, live, member, numeric, pin, pinned, table, tree } from "../state/store";
import type { TreeModel } from "../tree/model";
import { words } from "../words";
import { shownCondition } from "./conditions";
import { useKept, useRested } from "./hooks";
import { beginFrom, inputs, origin, type, valueIn } from "./inputs";
import { ends } from "./linking";
import { registerDock } from "./registry";
import "./whatif.css";

const locks = signal<ReadonlySet<string>>(new Set());
const wanted = signal("");

effect(() => {
  void table.value?.key;
  beginFrom(0);
  locks.value = new Set();
  wanted.value = "";
});

/** The columns of the tree, and the others that it could have used. */
const columns = computed<{ used: ColumnFacts[]; others: ColumnFacts[] }>(() => {
  const facts = table.value;
  const model = tree.value;
  if (facts === null || model === null) return { used: [], others: [] };
  const { feature, features } = model.columns;
  const inTree = new Set(feature.filter((f) => f >= 0).map((f) => features[f]));
  const known = facts.columns.filter(({ name }) => features.includes(name));
  return {
    used: known.filter(({ name }) => inTree.has(name)),
    others: known.filter(({ name }) => !inTree.has(name)),
  };
});

function WhatIf() {
  if (document.value === null || tree.value === null) return null;
  return (
    <div class="whatif">
      <Inputs />
      <Outcome />
    </div>
  );
}

// ---------------------------------------------------------------- inputs

function Inputs() {
  const { used, others } = columns.value;
  const text = words.dock.whatIf;
  return (
    <div class="whatif-in">
      <div class="whatif-row">
        {canAsk("cells") && <Origin />}
        <button type="button" class="link" onClick={() => beginFrom(null)}>
          {text.clear}
        </button>
      </div>
      <Inputted columns={used} />
      {others.length > 0 && (
        <details>
          <summary class="note">{text.others(count(others.length))}</summary>
          <Inputted columns={others.slice(0, 200)} />
        </details>
      )}
      <p class="note">{text.empty}</p>
    </div>
  );
}

/** The row whose values are taken; the one that is pinned is offered. */
function Origin() {
  const row = origin.value;
  const lit = pinned.value?.rows?.rows.length === 1 ? pinned.value.rows.rows[0] : null;
  const most = table.value?.n_rows ?? 1;
  return (
    <span class="whatif-origin">
      <label>
        {words.dock.whatIf.row}
        <input
          class="dock-field"
          type="number"
          min="1"
          max={most}
          value={row === null ? "" : row + 1}
          onInput={(event) => {
            const typedRow = event.currentTarget.valueAsNumber;
            if (typedRow >= 1 && typedRow <= most) beginFrom(Math.floor(typedRow) - 1);
          }}
        />
      </label>
      {lit !== null && lit !== row && (
        <button type="button" class="link" onClick={() => beginFrom(lit)}>
          {words.dock.whatIf.fromRow(count(lit + 1))}
        </button>
      )}
    </span>
  );
}

const Inputted = ({ columns: facts }: { columns: readonly ColumnFacts[] }) => (
  <div class="whatif-fields">
    {facts.map((column) => (
      <Input key={column.name} column={column} />
    ))}
  </div>
);

function Input({ column }: { column: ColumnFacts }) {
  const { name } = column;
  const id = `what-if-${name}`;
  return (
    <div class="whatif-field">
      <label for={id}>
        <Name text={name} most={24} />
      </label>
      <Control column={column} id={id} />
      {live.value && <Lock name={name} />}
    </div>
  );
}

function Control({ column, id }: { column: ColumnFacts; id: string }) {
  const { name, kind, values } = column;
  const now = valueIn(inputs.value, name) ?? "";
  const change = (event: { currentTarget: { value: string } }) =>
    type(name, event.currentTarget.value);
  const isCategory = kind === "category" || kind === "boolean" || kind === "ordered";
  if (isCategory && column.n_values <= values.length) {
    const all = now === "" || values.includes(now) ? values : [...values, now];
    return (
      <select id={id} class="dock-pick" value={now} onChange={change}>
        <option value="">{words.dock.missing}</option>
        {all.map((each) => (
          <option key={each} value={each}>
            {middle(visible(each), 32)}
          </option>
        ))}
      </select>
    );
  }
  const range =
    isCategory || values.length < 2
      ? ""
      : words.dock.whatIf.range(values[0], values[values.length - 1]);
  return (
    <>
      <input
        id={id}
        class="dock-field"
        type="text"
        inputMode={kind === "number" ? "decimal" : undefined}
        list={isCategory ? `${id}-values` : undefined}
        placeholder={words.dock.missing}
        title={range}
        value={now}
        onInput={change}
      />
      {isCategory ? (
        <datalist id={`${id}-values`}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      ) : (
        <em class="whatif-range">{range}</em>
      )}
    </>
  );
}

/** A locked column does not change in the smallest change. */
function Lock({ name }: { name: string }) {
  const locked = locks.value.has(name);
  const turn = () => {
    const next = new Set(locks.value);
    if (!next.delete(name)) next.add(name);
    locks.value = next;
  };
  return (
    <button
      type="button"
      class={`whatif-lock ${locked ? "on" : ""}`}
      aria-pressed={locked}
      aria-label={words.dock.whatIf.lock(visible(name))}
      title={words.dock.whatIf.lock(visible(name))}
      onClick={turn}
    >
      <svg viewBox="0 0 14 14" width="13" height="13" aria-hidden="true">
        <rect x="3" y="6.5" width="8" height="5.5" rx="1.2" />
        <path
          d={locked ? "M4.8 6.5V4.6a2.2 2.2 0 0 1 4.4 0v1.9" : "M4.8 6.5V4.2a2.2 2.2 0 0 1 4.2-.9"}
        />
      </svg>
    </button>
  );
}

// ---------------------------------------------------------------- the outcome

function Outcome() {
  const rested = useRested(inputs.value, 150);
  const { used, others } = columns.value;
  const known = [...used, ...others].map(({ name }) => name);
  const row = Object.fromEntries(known.map((name) => [name, valueIn(rested, name)]));
  const request = document.value && {
    document: document.value,
    member: member.value,
    row,
    immutable: [...locks.value].filter((name) => known.includes(name)).sort(),
    wanted: wantedLabel(),
  };
  const asked = useAsk("explain", request);
  const answer = useKept(asked);
  useEffect(() => {
    if (asked.state !== "value") return;
    const leaves = ends(asked.value.visits);
    pin({
      from: "whatif",
      paths: leaves.map(({ at }) => at as Path),
      shares: leaves.map(({ share }) => share),
      rows: { rows: [], weights: [] },
    });
  }, [asked]);
  useEffect(
    () => () => {
      if (pinned.value?.from === "whatif") pin(null);
    },
    [],
  );
  return (
    <div class="whatif-out" aria-live="polite">
      {answer === null ? <Waiting asked={asked} /> : <Answer answer={answer} />}
    </div>
  );
}

/** The wanted class as the table has it, or a wanted number. */
function wantedLabel(): string | number | boolean | null {
  if (wanted.value === "") return null;
  if (numeric.value) {
    const number = Number(wanted.value);
    return Number.isFinite(number) ? number : null;
  }
  return table.value?.classes.find((label) => String(label) === wanted.value) ?? null;
}

function Answer({ answer }: { answer: Explained }) {
  return (
    <>
      <div class="whatif-answer">
        {answer.label >= 0 && <Marker of={answer.label} />}
        <b>
          <Name text={answer.prediction} most={32} />
        </b>
        {answer.low !== null && answer.high !== null && (
          <em>{words.dock.whatIf.interval(value(answer.low, 4), value(answer.high, 4))}</em>
        )}
      </div>
      {answer.probabilities.length > 0 && <Probabilities all={answer.probabilities} />}
      <p class="note">{measuredOn(answer)}</p>
      <Way answer={answer} />
      {answer.votes.length > 0 && <AllVotes answer={answer} />}
      {live.value && single() && <SmallestChange answer={answer} />}
    </>
  );
}

/** Of an ensemble no smallest change is looked for. */
const single = () => (tree.value?.columns.facts.n_members ?? 1) <= 1;

function measuredOn(answer: Explained): string {
  const text = words.dock.whatIf;
  if (!single()) return text.ofForest;
  return answer.probabilities.length > 0 ? text.measured : text.ofNumbers;
}

function Probabilities({ all }: { all: readonly Probability[] }) {
  return (
    <div class="bars">
      {all.map(({ label, probability, low, high }, code) => (
        <div key={code} class="bars-row">
          <span>
            <Marker of={code} />
            <Name text={label} most={18} />
          </span>
          <Track share={probability} low={low} high={high} code={code} />
          <span class="bars-number">{percent(probability, 1)}</span>
          <em>
            {low === null || high === null
              ? ""
              : words.dock.whatIf.range(percent(low, 1), percent(high, 1))}
          </em>
        </div>
      ))}
    </div>
  );
}

interface TrackProperties {
  share: number;
  low: number | null;
  high: number | null;
  code: number;
}

function Track({ share, low, high, code }: TrackProperties) {
  return (
    <svg class="track" width="100%" height="10" aria-hidden="true">
      <rect class="track-back" x="0" y="3" width="100%" height="4" rx="2" />
      <rect
        x="0"
        y="3"
        width={`${100 * share}%`}
        height="4"
        rx="2"
        style={{ fill: `var(--c${code}, var(--rest))` }}
      />
      {low !== null && high !== null && (
        <line class="track-interval" x1={`${100 * low}%`} x2={`${100 * high}%`} y1="5" y2="5" />
      )}
    </svg>
  );
}

/** The conditions on the path; of a divided row the leaves with their shares. */
function Way({ answer }: { answer: Explained }) {
  const leaves = ends(answer.visits);
  const model = tree.value;
  if (leaves.length > 1 && model !== null) {
    return (
      <section>
        <h3>{words.dock.whatIf.path}</h3>
        <ul class="whatif-list">
          {leaves.map(({ at, share }) => (
            <li key={at.join("/")}>
              <span class="whatif-share" style={{ "--share": `${100 * share}%` }} />
              <span>
                {words.dock.whatIf.share(percent(share, 1))}{" "}
                <em>
                  <Name text={conditionsOf(model, at)} most={72} />
                </em>
              </span>
            </li>
          ))}
        </ul>
      </section>
    );
  }
  if (answer.conditions.length === 0) return null;
  return (
    <section>
      <h3>{words.dock.whatIf.path}</h3>
      <ol class="whatif-list">
        {answer.conditions.map((condition, i) => (
          <li key={i}>
            <Name text={shownCondition(condition, tree.value?.columns.features ?? [])} most={72} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const conditionsOf = (model: TreeModel, at: number[]): string =>
  model
    .conditions(model.nodeAt(at))
    .map((text) => shownCondition(text, model.columns.features))
    .join(", ");

function AllVotes({ answer }: { answer: Explained }) {
  const whole = answer.votes.reduce((sum, { votes }) => sum + votes, 0);
  return (
    <section>
      <h3>{words.dock.whatIf.votes}</h3>
      <div class="bars">
        {answer.votes.map(({ label, votes }, code) => (
          <div key={code} class="bars-row">
            <span>
              <Marker of={code} />
              <Name text={label} most={18} />
            </span>
            <Track share={whole > 0 ? votes / whole : 0} low={null} high={null} code={code} />
            <span class="bars-number">{value(votes, 5)}</span>
            <em />
          </div>
        ))}
      </div>
    </section>
  );
}

function SmallestChange({ answer }: { answer: Explained }) {
  const { changes, changed_to } = answer;
  return (
    <section>
      <div class="whatif-row">
        <h3>{words.dock.whatIf.change}</h3>
        <Wanted />
      </div>
      {changes.length === 0 ? (
        <p class="note">{words.dock.whatIf.noChange}</p>
      ) : (
        <ul class="whatif-list">
          {changes.map(({ column, before, after }) => (
            <li key={column}>
              <button
                type="button"
                class="link"
                title={words.dock.whatIf.try}
                onClick={() => type(column, after)}
              >
                <Name text={column} most={24} />
              </button>{" "}
              <em>{middle(visible(before), 24)} →</em> <b>{middle(visible(after), 24)}</b>
            </li>
          ))}
          <li>
            <em>{words.dock.whatIf.to}</em> <b>{middle(visible(changed_to), 32)}</b>
          </li>
        </ul>
      )}
    </section>
  );
}

function Wanted() {
  const classes = table.value?.classes ?? [];
  const change = (event: { currentTarget: { value: string } }) => {
    wanted.value = event.currentTarget.value;
  };
  const label = words.dock.whatIf.wanted;
  if (numeric.value) {
    return (
      <input
        class="dock-field whatif-wanted"
        type="text"
        inputMode="decimal"
        aria-label={label}
        placeholder={words.dock.whatIf.wantedNumber}
        value={wanted.value}
        onInput={change}
      />
    );
  }
  if (classes.length < 3) return null;
  return (
    <select class="dock-pick" aria-label={label} value={wanted.value} onChange={change}>
      <option value="">{words.dock.whatIf.any}</option>
      {classes.map((each) => (
        <option key={String(each)} value={String(each)}>
          {middle(visible(String(each)), 28)}
        </option>
      ))}
    </select>
  );
}

registerDock({
  key: "whatif",
  title: words.dock.whatIf.title,
  component: WhatIf,
  available: () => canAsk("explain"),
});
