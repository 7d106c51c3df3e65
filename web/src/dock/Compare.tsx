// A second tree beside this one: other settings, or an earlier state.
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Choice, Comparison, Document, LearnerFacts } from "../../messages";
import { canAsk, stop, useAsk } from "../link/transport";
import { count, score } from "../numbers";
import { condition } from "../parts/condition";
import { Figure } from "../parts/Figure";
import { Name } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { editsOf, type Path, upTo } from "../state/document";
import {
  change,
  compared,
  digits,
  document,
  hello,
  light,
  lit,
  pin,
  pinned,
  table,
} from "../state/store";
import { TreeModel } from "../tree/model";
import { words } from "../words";
import "./compare.css";
import { useKept } from "./hooks";
import { listRows } from "./listed";
import { registerDock } from "./registry";

/** What this tree is compared with: "" nothing, "before" the state before the last edit, or a learner. */
const other = signal("");
const parameters = signal<Readonly<Record<string, unknown>>>({});

effect(() => {
  void table.value?.key;
  other.value = "";
  parameters.value = {};
});

function Compare() {
  const now = document.value;
  if (now === null) return null;
  const there = otherDocument(now);
  return (
    <div class="compare">
      <div class="caption">
        <Chooser now={now} />
      </div>
      <div class="view">
        <Parameters />
        {there === null ? (
          <p class="note">{words.dock.compare.choose}</p>
        ) : (
          <Compared here={now} there={there} />
        )}
      </div>
    </div>
  );
}

const learners = (now: Document): LearnerFacts[] =>
  (hello.value?.learners ?? []).filter(({ task }) => task === (now.table.task ?? "classification"));

const chosenLearner = (now: Document): LearnerFacts | undefined =>
  learners(now).find(({ short }) => short === other.value);

function otherDocument(now: Document): Document | null {
  const edits = editsOf(now);
  if (other.value === "before") return edits.length === 0 ? null : upTo(now, edits.length - 1);
  const learner = chosenLearner(now);
  if (learner === undefined) return null;
  const settings = {
    learner: learner.short,
    parameters: { ...parameters.value },
    start: "grown" as const,
  };
  return { ...now, settings, edits: [] };
}

function Chooser({ now }: { now: Document }) {
  const chosen = chosenLearner(now);
  return (
    <>
      <label class="compare-with">
        {words.dock.compare.with}
        <select
          class="dock-pick"
          value={other.value}
          onChange={(event) => {
            other.value = event.currentTarget.value;
            parameters.value = {};
          }}
        >
          <option value="">{words.dock.compare.none}</option>
          {editsOf(now).length > 0 && <option value="before">{words.dock.compare.before}</option>}
          {learners(now).map(({ short, title }) => (
            <option key={short} value={short}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {chosen !== undefined && <em class="caption-text">{chosen.summary}</em>}
      {chosen !== undefined && (
        <button
          type="button"
          class="btn small"
          onClick={() => {
            const next = otherDocument(now);
            if (next !== null) change(next);
          }}
        >
          {words.dock.compare.use}
        </button>
      )}
    </>
  );
}

function Parameters() {
  const now = document.value;
  const learner = now === null ? undefined : chosenLearner(now);
  if (learner === undefined || learner.parameters.length === 0) return null;
  return (
    <details class="compare-parameters">
      <summary class="note">{words.dock.compare.parameters}</summary>
      <div class="compare-fields">
        {learner.parameters.map((choice) => (
          <Parameter key={choice.name} choice={choice} />
        ))}
      </div>
    </details>
  );
}

function Parameter({ choice }: { choice: Choice }) {
  const { name, type, choices, help } = choice;
  const now = parameters.value[name];
  const set = (text: string) => {
    const { [name]: _, ...others } = parameters.value;
    const read = readParameter(choice, text);
    parameters.value = read === undefined ? others : { ...others, [name]: read };
  };
  const usual = choice.default === null ? words.dock.compare.none : String(choice.default);
  const listedChoices = type === "boolean" ? ["true", "false"] : choices;
  return (
    <div class="compare-field" title={help}>
      <label for={`compare-${name}`}>{name}</label>
      {type === "choice" || type === "boolean" ? (
        <select
          id={`compare-${name}`}
          class="dock-pick"
          value={now === undefined ? "" : String(now)}
          onChange={(event) => set(event.currentTarget.value)}
        >
          <option value="">{usual}</option>
          {listedChoices.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={`compare-${name}`}
          class="dock-field"
          type="text"
          inputMode={type === "text" ? undefined : "decimal"}
          placeholder={usual}
          value={now === undefined ? "" : String(now)}
          onChange={(event) => set(event.currentTarget.value.trim())}
        />
      )}
    </div>
  );
}

/** A typed parameter; undefined leaves the default. */
export function readParameter({ type }: Pick<Choice, "type">, text: string): unknown {
  if (text === "") return undefined;
  if (type === "boolean") return text === "true";
  if (type === "integer" || type === "number") {
    const number = Number(text.replace(",", "."));
    return Number.isFinite(number) ? number : text;
  }
  return text;
}

// ---------------------------------------------------------------- the two trees

function Compared({ here, there }: { here: Document; there: Document }) {
  const request = { document: here, other: there };
  const asked = useAsk("compare", request);
  const answer = useKept(asked);
  useEffect(() => {
    if (asked.state !== "value") return;
    const { there, at } = asked.value;
    const title = chosenLearner(here)?.title ?? words.dock.compare.before;
    compared.value = { title, there: new TreeModel(there), at: at as Path | null };
  }, [asked]);
  useEffect(
    () => () => {
      compared.value = null;
    },
    [],
  );
  return (
    <>
      {asked.state !== "value" && <Waiting asked={asked} onStop={() => stop("compare", request)} />}
      {answer !== null && <Answer answer={answer} />}
    </>
  );
}

function Answer({ answer }: { answer: Comparison }) {
  return (
    <>
      <p class="compare-text">
        {answer.same ? words.dock.compare.same : <Name text={answer.text} most={240} />}
      </p>
      {answer.splits.length > 0 && <Splits answer={answer} />}
      <Rows answer={answer} />
    </>
  );
}

/** The splits at the first difference, with their scores by the conventions of both. */
function Splits({ answer }: { answer: Comparison }) {
  const { here, there, splits } = answer;
  const at = answer.at ?? [];
  const text = words.dock.compare;
  return (
    <table class="plain compare-splits">
      <thead>
        <tr>
          <th scope="col">{text.splitThere}</th>
          <th scope="col">{text.scoreOf(text.here, here.score_name)}</th>
          <th scope="col">{text.scoreOf(compared.value?.title ?? text.there, there.score_name)}</th>
        </tr>
      </thead>
      <tbody>
        {splits.map((split, i) => (
          <tr key={i}>
            <th scope="row">
              <Name text={condition(split.here.text, split.here.column)} most={40} />
            </th>
            <td>
              <Figure
                value={split.here.score}
                door={{ at, measure: "score", split: split.here.split }}
              />
            </td>
            <td>{score(split.there.score, digits.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Rows({ answer }: { answer: Comparison }) {
  const text = words.dock.compare;
  const { n_differ, rows, predicted_here, predicted_there } = answer;
  if (n_differ === 0) return <p class="note">{text.noneDiffer}</p>;
  const title = text.differ(count(n_differ));
  const whole = rows.length === n_differ;
  return (
    <section>
      <h3>
        {title}{" "}
        <button
          type="button"
          class="link"
          onClick={() =>
            listRows(
              "compare",
              whole ? title : `${title}, ${words.dock.first(count(rows.length))}`,
              rows,
            )
          }
        >
          {text.list}
        </button>
      </h3>
      {predicted_here.length > 0 && (
        <table class="plain compare-rows">
          <thead>
            <tr>
              <th scope="col">{text.row}</th>
              <th scope="col">{text.here}</th>
              <th scope="col">{text.there}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 100).map((row, i) => (
              <Row key={row} row={row} here={predicted_here[i]} there={predicted_there[i]} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ row, here, there }: { row: number; here: string; there: string }) {
  const own = { from: "compare", paths: [], rows: { rows: [row], weights: [1] } };
  const isLit = lit.value?.rows?.rows.includes(row) ?? false;
  const again = pinned.value?.from === "compare" && pinned.value.rows?.rows[0] === row;
  return (
    <tr
      class={`link-row ${isLit ? "lit" : ""}`}
      onPointerEnter={() => light(own)}
      onPointerLeave={() => light(null)}
      onClick={() => pin(again ? null : own)}
    >
      <td>{count(row + 1)}</td>
      <td>
        <Name text={here} most={32} />
      </td>
      <td>
        <Name text={there} most={32} />
      </td>
    </tr>
  );
}

registerDock({
  key: "compare",
  title: words.dock.compare.title,
  component: Compare,
  available: () => canAsk("compare"),
});
