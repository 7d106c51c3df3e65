// The line of a card below its title: its rows, and beside them what the reader chose to see.
import type { TreeColumns } from "../../messages";
import { count, percent, score, shortCount, shortWeight, value } from "../numbers";
import { Counts } from "../parts/Bar";
import { Figure } from "../parts/Figure";
import type { Path } from "../state/document";
import { type Door, derivable, digits, type Shown, shown } from "../state/store";
import { words } from "../words";
import { type Counted, INSIDE, LETTER, roomFor } from "./countRoom";
import type { TreeModel } from "./model";
import type { Scene } from "./scene";

/** What the cards of a tree can show, with its names. */
export function showable(columns: TreeColumns): [Shown, string][] {
  const { classes, gain, impurity_name, score_name, gain_name } = columns;
  const ofClasses = classes.length > 0;
  return [
    ["counts", ofClasses ? words.shown.counts : words.shown.spread],
    ...(ofClasses ? [] : ([["mean", words.shown.mean]] as [Shown, string][])),
    ["share", words.shown.share],
    ["impurity", impurity_name],
    ["score", score_name],
    ...(gain.length > 0 ? ([["gain", gain_name]] as [Shown, string][]) : []),
    ["interval", ofClasses ? words.shown.interval : words.shown.range],
    ...(ofClasses ? ([["errors", words.shown.errors]] as [Shown, string][]) : []),
    ["none", words.shown.none],
  ];
}

/** What is shown, if the tree has it. */
export const shownOf = (columns: TreeColumns): Shown =>
  showable(columns).some(([key]) => key === shown.value) ? shown.value : "counts";

interface Properties {
  scene: Scene;
  model: TreeModel;
  node: number;
  hidden: number;
  path: Path;
}

export function CardLine({ scene, model, node, hidden, path }: Properties) {
  const counts = hidden === 0 && showsCounts(model, node);
  return (
    <div class="mid">
      {counts ? <Rows {...rowsOf(model, node)} /> : <span>{rowsOf(model, node).text}</span>}
      {hidden > 0 ? (
        <button
          type="button"
          class="chip"
          title={words.unfoldNodes(hidden)}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation();
            scene.fold(path, false);
          }}
        >
          {foldedText(model, node, hidden)}
        </button>
      ) : (
        <Beside scene={scene} model={model} node={node} path={path} />
      )}
    </div>
  );
}

/** Whether the line has the counts of classes. */
const showsCounts = ({ columns }: TreeModel, node: number) =>
  shownOf(columns) === "counts" && columns.label[node] >= 0;

/** Divided rows have a fraction, of which a card shows one digit. */
function rowsOf({ columns }: TreeModel, node: number): Counted {
  const whole = Number.isInteger(columns.weight[node]);
  return {
    text: whole
      ? words.rows(columns.n_rows[node])
      : words.rowsOf(shortWeight(columns.weight[node])),
    bare: whole ? count(columns.n_rows[node]) : shortWeight(columns.weight[node]),
    weights: columns.class_weights[node] ?? [],
  };
}

/** How many nodes are folded; the word is left out where it has no room. */
function foldedText(model: TreeModel, node: number, hidden: number): string {
  const text = words.folded(hidden);
  const letters = rowsOf(model, node).text.length + text.length;
  return LETTER * letters + CHIP <= INSIDE ? text : `+${shortCount(hidden)}`;
}

/** The padding of the chip and the space before it. */
const CHIP = 14;

/** Rows without the word where the counts need its room. */
function Rows(rows: Counted) {
  if (roomFor(rows).word) return <span>{rows.text}</span>;
  return (
    <span title={rows.text}>
      <span aria-hidden="true">{rows.bare}</span>
      <span class="unseen">{rows.text}</span>
    </span>
  );
}

/** Whether a card tells how many rows of each class there are. */
export const tellsAll = (model: TreeModel, node: number): boolean =>
  showsCounts(model, node) && roomFor(rowsOf(model, node)).all;

function Beside({ scene, model, node, path }: Omit<Properties, "hidden">) {
  const { columns } = model;
  const figure = (number: number | null | undefined, measure: Door["measure"], text?: string) => (
    // The formula is about the node that is selected with it.
    <span onClickCapture={() => scene.choose(path)}>
      <Figure
        value={number}
        text={text}
        door={derivable.value ? { at: path, measure } : null}
        tabIndex={-1}
      />
    </span>
  );
  const ofSplit = (number: number | null, measure: string) =>
    model.isLeaf(node) ? null : figure(number, measure, score(number, digits.value));
  switch (shownOf(columns)) {
    case "counts":
      return columns.label[node] < 0 ? (
        figure(
          columns.deviation[node],
          "deviation",
          words.spread(value(columns.deviation[node], 3)),
        )
      ) : (
        <Counts
          weights={columns.class_weights[node]}
          classes={columns.classes}
          most={roomFor(rowsOf(model, node)).most}
          short
        />
      );
    case "mean":
      return figure(columns.prediction[node], "centre", value(columns.prediction[node], 4));
    case "share":
      return <span>{percent(columns.n_rows[node], columns.n_rows[0])}</span>;
    case "impurity":
      return figure(
        columns.impurity[node],
        "impurity",
        score(columns.impurity[node], digits.value),
      );
    case "score":
      return ofSplit(columns.score[node], "score");
    case "gain":
      return ofSplit(columns.gain[node], "gain");
    case "interval":
      return <span>{intervalText(columns, node)}</span>;
    case "errors":
      return <span>{words.errors(shortWeight(columns.errors[node]))}</span>;
    default:
      return null;
  }
}

/** Proportions as percentages, numbers in their unit. */
function intervalText({ label, low, high }: TreeColumns, node: number): string {
  const write = (end: number) => (label[node] < 0 ? value(end, 3) : percent(end, 1));
  return words.fromTo(write(low[node]), write(high[node]));
}
