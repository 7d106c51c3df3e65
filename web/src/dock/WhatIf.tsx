// One row typed by hand: its path, its prediction, and the smallest change that changes it.
import { useEffect, useRef } from "preact/hooks";
import type { Explained, Probability } from "../../messages";
import { canAsk, useAsk } from "../link/transport";
import { percent, value } from "../numbers";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { canonical, type Path } from "../state/document";
import { document, live, member, numeric, pin, pinned, table, tree } from "../state/store";
import { show } from "../tree/camera";
import { words } from "../words";
import { shownCondition } from "./conditions";
import { useKept, useRested } from "./hooks";
import { inputColumns, inputs, locks, type, valueIn, wanted } from "./inputs";
import { ends } from "./linking";
import { registerDock } from "./registry";
import { Inputs } from "./WhatIfInputs";
import "./whatif.css";

function WhatIf() {
  if (document.value === null || tree.value === null) return null;
  return (
    <div class="whatif">
      <Outcome />
    </div>
  );
}

/** The prediction comes first, so that it is seen while the fields below it are filled in. */
function Outcome() {
  const rested = useRested(inputs.value, 150);
  const { used, others } = inputColumns.value;
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
  const shown = useRef(row);
  useEffect(() => {
    if (asked.state !== "value") return;
    const leaves = ends(asked.value.visits);
    pin({
      from: "whatif",
      paths: leaves.map(({ at }) => at as Path),
      shares: leaves.map(({ share }) => share),
      rows: { rows: [], weights: [] },
    });
    // The stage follows the row, not the tree, which is seen where it is changed.
    if (canonical(shown.current) !== canonical(row)) for (const { at } of leaves) show(at as Path);
    shown.current = row;
  }, [asked]);
  useEffect(
    () => () => {
      if (pinned.value?.from === "whatif") pin(null);
    },
    [],
  );
  return (
    <>
      <div class="whatif-out" aria-live="polite">
        {answer === null ? <Waiting asked={asked} /> : <Prediction answer={answer} />}
      </div>
      <Inputs />
      <div class="whatif-why">{answer !== null && <Why answer={answer} />}</div>
    </>
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

function Prediction({ answer }: { answer: Explained }) {
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
    </>
  );
}

function Why({ answer }: { answer: Explained }) {
  return (
    <>
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
                  <Name text={model.conditions(model.nodeAt(at)).join(", ")} most={72} />
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
