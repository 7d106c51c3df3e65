// A table before its tree: what to predict, the columns with their facts, warnings, the learner.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ColumnFacts, TableFacts } from "../../messages";
import { firstFor, isTextbook, learnersFor } from "../bar/learners";
import { count, value } from "../numbers";
import { Bar } from "../parts/Bar";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { editsOf } from "../state/document";
import { words } from "../words";
import { begin, pending, prepared, reopen, show } from "./open";

export function Prepare({ facts }: { facts: TableFacts }) {
  const first = firstFor(facts);
  const [picked, setPicked] = useState<string | null>(null);
  const short = picked ?? first.short;
  const learners = learnersFor(facts.task);
  const learner = learners.find((other) => other.short === short) ?? learners[0];
  const start = (how: How) =>
    begin(facts, { learner: learner?.short ?? short, parameters: {}, start: how });
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
      {facts.findings.map(({ text }, i) => (
        <p class="finding" key={i}>
          {text}
        </p>
      ))}
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
      <Columns facts={facts} />
    </div>
  );
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

const MOST_COLUMNS = 200;

function Columns({ facts }: { facts: TableFacts }) {
  const toggle = (column: ColumnFacts) => {
    const { name } = column;
    const drop = facts.drop.includes(name)
      ? facts.drop.filter((other) => other !== name)
      : [...facts.drop, name];
    void reopen(facts, { drop });
  };
  return (
    <div class="scroll-x">
      <table class="columns">
        <caption class="unseen">{words.columnsTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{words.use}</th>
            <th scope="col">{words.column}</th>
            <th scope="col">{words.kind}</th>
            <th scope="col" class="n">
              {words.missing}
            </th>
            <th scope="col">{words.content}</th>
          </tr>
        </thead>
        <tbody>
          {facts.columns.slice(0, MOST_COLUMNS).map((column) => (
            <tr key={column.name} class={facts.drop.includes(column.name) ? "dropped" : ""}>
              <td>
                {column.name === facts.target ? (
                  <em class="target-mark">{words.targetColumn}</em>
                ) : (
                  <input
                    type="checkbox"
                    aria-label={`${words.use} ${visible(column.name)}`}
                    checked={!facts.drop.includes(column.name)}
                    onChange={() => toggle(column)}
                  />
                )}
              </td>
              <th scope="row">
                <Name text={column.name} most={40} />
              </th>
              <td>{words.kinds[column.kind]}</td>
              <td class="n">{column.n_missing === 0 ? "" : count(column.n_missing)}</td>
              <td>{contentOf(column)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {facts.columns.length > MOST_COLUMNS && (
        <p class="note">{words.more(facts.columns.length - MOST_COLUMNS)}</p>
      )}
    </div>
  );
}

function contentOf({ kind, values, n_values, mean }: ColumnFacts): string {
  if ((kind === "number" || kind === "date") && values.length === 2) {
    const range = words.range(visible(values[0]), visible(values[1]));
    return mean === null ? range : `${range}, ${words.meanOf(value(mean, 4))}`;
  }
  const listed = values
    .slice(0, 6)
    .map((text) => middle(visible(text), 24))
    .join(", ");
  return n_values > 6 ? `${words.valuesShort(count(n_values))}: ${listed} …` : listed;
}
