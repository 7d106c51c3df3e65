// The line of a card below its title: its rows, and beside them what the reader chose to see.
import type { TreeColumns } from "../../messages";
import { percent, score, shortCount, shortWeight, value } from "../numbers";
import { Counts } from "../parts/Bar";
import { Figure } from "../parts/Figure";
import type { Path } from "../state/document";
import { type Door, derivable, digits, type Shown, shown } from "../state/store";
import { words } from "../words";
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
  return (
    <div class="mid">
      <span>{rowsText(model, node)}</span>
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

/** Divided rows have a fraction, of which a card shows one digit. */
function rowsText({ columns }: TreeModel, node: number): string {
  const whole = Number.isInteger(columns.weight[node]);
  return whole ? words.rows(columns.n_rows[node]) : words.rowsOf(shortWeight(columns.weight[node]));
}

/** Widths in pixels of a letter, of a digit, of a marker with its gap, and between two counts. */
const [LETTER, DIGIT, SHAPE, BETWEEN, INSIDE] = [6.3, 7.2, 12, 9, 134];

/** How many nodes are folded; the word is left out where it has no room. */
function foldedText(model: TreeModel, node: number, hidden: number): string {
  const text = words.folded(hidden);
  const letters = rowsText(model, node).length + text.length;
  return LETTER * letters + CHIP <= INSIDE ? text : `+${shortCount(hidden)}`;
}

/** The padding of the chip and the space before it. */
const CHIP = 14;

/** Whether two counts fit beside the rows; otherwise one, and the bar has the others. */
export function hasRoom(model: TreeModel, node: number): boolean {
  const parts = (model.columns.class_weights[node] ?? []).filter((part) => part > 0);
  const largest = [...parts].sort((a, b) => b - a).slice(0, 2);
  const counts = largest.reduce((sum, part) => sum + SHAPE + DIGIT * shortWeight(part).length, 0);
  const rows = LETTER * rowsText(model, node).length;
  return rows + counts + BETWEEN * (largest.length - 1) + 5 <= INSIDE;
}

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
          most={hasRoom(model, node) ? 2 : 1}
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
