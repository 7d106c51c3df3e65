// A table before its tree: what to predict, the columns with their facts, warnings, the learner.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings, TableFacts } from "../../messages";
import { firstFor, isTextbook, learnersFor } from "../bar/learners";
import { count } from "../numbers";
import { Bar } from "../parts/Bar";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { editsOf } from "../state/document";
import { document as shown, table } from "../state/store";
import { words } from "../words";
import { Columns } from "./Columns";
import { begin, pending, prepared, reopen, show } from "./open";
import { Dates, Findings, Missing } from "./Reading";

export function Prepare({ facts }: { facts: TableFacts }) {
  const first = firstFor(facts);
  const now = openSettings(facts);
  const [picked, setPicked] = useState<string | null>(now?.learner ?? null);
  const short = picked ?? first.short;
  const learners = learnersFor(facts.task);
  const learner = learners.find((other) => other.short === short) ?? learners[0];
  const start = (how: How) => {
    const chosen = learner?.short ?? short;
    const parameters = chosen === now?.learner ? (now.parameters ?? {}) : {};
    begin(facts, { learner: chosen, parameters, start: how });
  };
  const wanted = pending.value;
  const single = learner?.single !== false;
  const byHand = single && isTextbook(facts);
  return (
    <div class="prepare">
      <button
        type="button"
        class="link"
        onClick={() => {
          prepared.value = null;
        }}
      >
        ‹ {words.back}
      </button>
      <h1>
        <Name text={facts.name} most={60} />{" "}
        <em>{words.tableSize(facts.n_rows, facts.columns.length)}</em>
      </h1>
      <div class="choices">
        <label class="field">
          <span>{words.targetTitle}</span>
          <select
            value={facts.target}
            onChange={(event) =>
              void reopen(facts, { target: event.currentTarget.value, task: null })
            }
          >
            {facts.columns.map(({ name }) => (
              <option key={name} value={name}>
                {middle(visible(name), 40)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{words.learnerTitle}</span>
          <select value={learner?.short} onChange={(event) => setPicked(event.currentTarget.value)}>
            {learners.map((other) => (
              <option key={other.short} value={other.short}>
                {other.title}
              </option>
            ))}
          </select>
        </label>
        <Task facts={facts} />
      </div>
      <p class="note">
        {learner?.summary} {learner?.short === first.short && first.why}
      </p>
      <Classes facts={facts} />
      <Findings facts={facts} />
      {wanted !== null && (
        <section class="other-table" aria-label={words.history}>
          <p>{words.notTheTable(visible(wanted.document.table.name))}</p>
          <button type="button" class="btn" onClick={() => show(facts, wanted)}>
            {words.replay(editsOf(wanted.document).length, visible(facts.name))}
          </button>
        </section>
      )}
      <div class="begin">
        {(byHand ? HAND_FIRST : GROWN_FIRST)
          .filter((how) => single || how === "grown")
          .map((how, i) => (
            <Begin key={how} how={how} first={i === 0} onClick={() => start(how)} />
          ))}
      </div>
      <div class="choices">
        <Missing facts={facts} />
        <Dates facts={facts} />
      </div>
      <Columns facts={facts} />
    </div>
  );
}

/** The settings of the document if it is about this table already. */
function openSettings(facts: TableFacts): Settings | null {
  return table.value?.key === facts.key ? (shown.value?.settings ?? null) : null;
}

type How = "open" | "grown";
const HAND_FIRST: How[] = ["open", "grown"];
const GROWN_FIRST: How[] = ["grown", "open"];
const NAMES = { open: words.startOpen, grown: words.startGrown };
const NOTES = { open: words.startOpenNote, grown: words.startGrownNote };

interface BeginProperties {
  how: How;
  /** Whether it is the usual way for this table. */
  first: boolean;
  onClick: () => void;
}

/** A way to begin, with what it means below. */
function Begin({ how, first, onClick }: BeginProperties) {
  const id = `begin-${how}`;
  const button = useRef<HTMLButtonElement>(null);
  // Enter goes on, unless the reader is at a field of this page.
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="way-in">
      <button
        type="button"
        class={`btn ${first ? "dark" : ""}`}
        aria-describedby={id}
        ref={first ? button : undefined}
        onClick={onClick}
      >
        {NAMES[how]}
      </button>
      <p class="note" id={id}>
        {NOTES[how]}
      </p>
    </div>
  );
}

/** A numeric target may be predicted as a number or, if it has few values, as a class. */
function Task({ facts }: { facts: TableFacts }) {
  const target = facts.columns.find(({ name }) => name === facts.target);
  if (target?.kind !== "number") return null;
  return (
    <span class="field" role="group">
      {(["regression", "classification"] as const).map((task) => (
        <label class="check" key={task}>
          <input
            type="radio"
            name="task"
            checked={facts.task === task}
            onChange={() => void reopen(facts, { task })}
          />
          {task === "regression" ? words.asNumbers : words.asClasses}
        </label>
      ))}
    </span>
  );
}

function Classes({ facts }: { facts: TableFacts }) {
  if (facts.classes.length === 0) return null;
  return (
    <div class="prepare-classes">
      <Bar weights={facts.class_counts} class="big" />
      <div class="cls">
        {facts.classes.slice(0, 12).map((name, i) => (
          <span key={i}>
            <Marker of={i} />
            <Name text={String(name)} most={24} />
            <b>{count(facts.class_counts[i])}</b>
          </span>
        ))}
        {facts.classes.length > 12 && <span>{words.more(facts.classes.length - 12)}</span>}
      </div>
    </div>
  );
}
