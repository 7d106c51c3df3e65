// How good the tree or its learner is, and on which rows that was measured.
import { effect, signal } from "@preact/signals";
import type { LeafQuality, Metric, Quality as QualityAnswer, QualityRequest } from "../../messages";
import { canAsk, known, stop, useAsk } from "../link/transport";
import { count, NOT_DEFINED, percent, value, weight } from "../numbers";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { Failed, Progress, Waiting } from "../parts/Working";
import type { Path } from "../state/document";
import { document, table, tree } from "../state/store";
import { words } from "../words";
import { Confusion, threshold } from "./Confusion";
import { CurvePlot } from "./CurvePlot";
import { lastOf } from "./conditions";
import { Drop } from "./Drop";
import { useKept } from "./hooks";
import { NodeRow } from "./NodeRow";
import { registerDock } from "./registry";
import { Segments } from "./Segments";
import { readTest, testKey, testTable } from "./testTable";
import "./quality.css";

type On = NonNullable<QualityRequest["rows"]>;

/** The rows that the reader chose; null takes those that are honest and cheap. */
const on = signal<On | null>(null);
const outOfBag = () => tree.value?.columns.facts.measure.startsWith("out-of-bag") ?? false;

const chosenCurve = signal(0);

effect(() => {
  void table.value?.key;
  on.value = null;
  threshold.value = null;
  chosenCurve.value = 0;
});

function Quality() {
  const all = choices();
  const usual = all.includes("oob") ? "oob" : all[0];
  const rows = on.value !== null && all.includes(on.value) ? on.value : usual;
  return (
    <div class="quality">
      <div class="caption">
        <Choices all={all} now={rows} />
        {rows === "training" && all[0] !== "training" && (
          <span class="quality-warning">
            {words.dock.quality.optimistic}{" "}
            <button
              type="button"
              class="link"
              onClick={() => {
                on.value = null;
              }}
            >
              {words.dock.quality.honest}
            </button>
          </span>
        )}
      </div>
      {rows === "test" && testKey() === null ? <TestFile /> : <Measured rows={rows} />}
    </div>
  );
}

/** The rows that a measure may be on: in a report those that it was measured on. */
function choices(): On[] {
  const all: On[] = [
    "cross_validation",
    "test",
    ...(outOfBag() ? (["oob"] as const) : []),
    "training",
  ];
  const now = document.value;
  return all.filter((rows) => now !== null && known("quality", { document: now, rows }));
}

function Choices({ all, now }: { all: On[]; now: On }) {
  return (
    <Segments
      label={words.dock.quality.rows}
      keys={all}
      names={words.dock.quality}
      now={now}
      onChoose={(key) => {
        on.value = key;
      }}
    />
  );
}

function TestFile() {
  const read = testTable.value;
  return (
    <div class="view">
      {read.state === "reading" && <Progress line={read.progress} />}
      {read.state === "failed" && <Failed failure={read.failure} />}
      {read.state !== "reading" && (
        <Drop
          text={words.dock.quality.drop}
          choose={words.dock.quality.choose}
          onFile={(file) => void readTest(file)}
        />
      )}
    </div>
  );
}

function Measured({ rows }: { rows: On }) {
  const request = document.value && {
    document: document.value,
    rows,
    threshold: threshold.value,
    ...(rows === "test" ? { test: testKey() } : {}),
  };
  const asked = useAsk("quality", request);
  const answer = useKept(asked);
  return (
    <div class="view">
      {asked.state !== "value" && (
        <Waiting asked={asked} onStop={() => request && stop("quality", request)} />
      )}
      {answer !== null && <Answer answer={answer} rows={rows} />}
    </div>
  );
}

function Answer({ answer, rows }: { answer: QualityAnswer; rows: On }) {
  const { classes, curves, by_class, weak_leaves } = answer;
  return (
    <>
      <h3 class="quality-head">
        {words.dock.quality.head(answer.of, answer.measured_on, words.rows(answer.n_rows))}
      </h3>
      {rows === "test" && <OtherTest />}
      <div class="quality-grid">
        <Metrics metrics={answer.metrics} />
        {classes.length > 0 && <Confusion answer={answer} />}
        {curves.length > 0 && <Curves answer={answer} />}
        {by_class.length > 0 && <ByClass answer={answer} />}
        {weak_leaves.length > 0 && <WeakLeaves leaves={weak_leaves} tested={rows === "test"} />}
      </div>
    </>
  );
}

const OtherTest = () => (
  <button
    type="button"
    class="link"
    onClick={() => {
      testTable.value = { state: "none" };
    }}
  >
    {words.dock.quality.otherTest}
  </button>
);

function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  const based = metrics.some(({ baseline }) => baseline !== null);
  return (
    <section>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{words.dock.quality.metric}</th>
            <th scope="col">{words.dock.quality.value}</th>
            {based && (
              <th scope="col" class="n">
                {words.dock.quality.baseline}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric.key}>
              <td>{metric.title}</td>
              <td>
                <MetricText text={metric.text} />
              </td>
              {based && (
                <td class="n">
                  <em>{baselineOf(metric)}</em>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The value itself, and its interval or deviation in a quiet colour. */
function MetricText({ text }: { text: string }) {
  const at = text.indexOf(" (");
  if (at < 0) return <b>{text}</b>;
  return (
    <>
      <b>{text.slice(0, at)}</b> <em>{text.slice(at + 1)}</em>
    </>
  );
}

const baselineOf = ({ baseline, text }: Metric): string =>
  baseline === null ? "" : text.includes("%") ? `${value(baseline * 100, 3)}%` : value(baseline, 4);

function Curves({ answer }: { answer: QualityAnswer }) {
  const at = Math.min(chosenCurve.value, answer.curves.length - 1);
  return (
    <section>
      <select
        class="dock-pick bare"
        aria-label={words.dock.quality.curve}
        value={String(at)}
        onChange={(event) => {
          chosenCurve.value = Number(event.currentTarget.value);
        }}
      >
        {answer.curves.map((curve, i) => (
          <option key={i} value={String(i)}>
            {middle(visible(curve.title), 44)}
          </option>
        ))}
      </select>
      <CurvePlot curve={answer.curves[at]} />
    </section>
  );
}

function ByClass({ answer }: { answer: QualityAnswer }) {
  const shown = (part: number | null) => (part === null ? NOT_DEFINED : percent(part, 1));
  return (
    <section>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{words.dock.quality.class}</th>
            <th scope="col" class="n">
              {words.dock.quality.precision}
            </th>
            <th scope="col" class="n">
              {words.dock.quality.recall}
            </th>
            <th scope="col" class="n">
              {words.dock.quality.rowsOf}
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.by_class.map(({ label, precision, recall, n_rows }, code) => (
            <tr key={code}>
              <td>
                <Marker of={code} />
                <Name text={label} most={24} />
              </td>
              <td class="n">{shown(precision)}</td>
              <td class="n">{shown(recall)}</td>
              <td class="n">{weight(n_rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WeakLeaves({ leaves, tested }: { leaves: readonly LeafQuality[]; tested: boolean }) {
  const intervals = leaves.some(({ low }) => low !== null);
  return (
    <section class="weak">
      <h3>
        {words.dock.quality.weak}{" "}
        <em>{tested ? words.dock.quality.onTest : words.dock.quality.onTraining}</em>
      </h3>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{words.dock.quality.leaf}</th>
            <th scope="col" class="n">
              {words.dock.quality.rowsOf}
            </th>
            <th scope="col" class="n">
              {words.dock.quality.errors}
            </th>
            {intervals && (
              <th scope="col" class="n">
                {words.dock.quality.interval}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {leaves.map((leaf, i) => (
            <WeakLeaf key={i} leaf={leaf} intervals={intervals} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WeakLeaf({ leaf, intervals }: { leaf: LeafQuality; intervals: boolean }) {
  const path = leaf.at as Path;
  const conditions = tree.value?.conditions(tree.value.nodeAt(path)) ?? [];
  return (
    <NodeRow path={path} from="quality">
      <td class="weak-leaf" title={conditions.join(", ")}>
        <Name text={conditions.length > 0 ? lastOf(conditions) : words.allRows} most={56} />
      </td>
      <td class="n">{weight(leaf.n_rows)}</td>
      <td class="n">
        {Number.isInteger(leaf.errors) ? count(leaf.errors) : value(leaf.errors, 4)}
      </td>
      {intervals && (
        <td class="n">
          <em>
            {leaf.low === null || leaf.high === null
              ? NOT_DEFINED
              : words.dock.whatIf.range(percent(leaf.low, 1), percent(leaf.high, 1))}
          </em>
        </td>
      )}
    </NodeRow>
  );
}

registerDock({
  key: "quality",
  title: words.dock.quality.title,
  component: Quality,
  available: () => canAsk("quality"),
});
