// A node as a card: its split or prediction, its rows, its classes.
import { computed } from "@preact/signals";
import type { BranchFacts } from "../../messages";
import { count, percent, score, shortCount, shortWeight, value, weight } from "../numbers";
import { Bar, Counts, Strip } from "../parts/Bar";
import { condition } from "../parts/condition";
import { colourOf, Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { type Path, pathKey } from "../state/document";
import {
  differs,
  digits,
  editable,
  fold,
  light,
  nodeNumbers,
  pin,
  select,
  selected,
  shown,
  tree,
} from "../state/store";
import { words } from "../words";
import type { Item } from "./layout";
import type { TreeModel } from "./model";
import { dims, focused, selectedLine } from "./scene";
import { revealed } from "./stepper";

interface Properties {
  item: Item;
  model: TreeModel;
}

export function Card({ item, model }: Properties) {
  const { node, hidden } = item;
  const path = model.pathOf(node);
  const isLeaf = model.isLeaf(node);
  const waits = isWaiting(model, node, path);
  const key = pathKey(path);
  const classes = [
    "card",
    isLeaf && !waits ? "leaf" : "",
    waits ? "open" : "",
    hidden > 0 ? "folded" : "",
    key === pathKey(selected.value) ? "sel" : selectedLine.value.has(node) ? "onpath" : "",
    dims.value?.(node) ? "dim" : "",
    differs.value !== null && key === pathKey(differs.value) ? "differs" : "",
  ];
  return (
    <div
      class={classes.filter(Boolean).join(" ")}
      role="treeitem"
      aria-level={model.depth[node] + 1}
      aria-posinset={item.position}
      aria-setsize={item.siblings}
      aria-expanded={isLeaf ? undefined : hidden === 0}
      aria-selected={key === pathKey(selected.value)}
      tabIndex={key === pathKey(focused.value) ? 0 : -1}
      data-path={key}
      style={{
        left: `${item.x - item.w / 2}px`,
        top: `${item.y}px`,
        "--c": colourOf(model.columns.label[node] < 0 ? 0 : model.columns.label[node]),
      }}
      onClick={() => choose(path)}
      onDblClick={() => !isLeaf && fold(path, hidden === 0)}
      onFocus={() => {
        focused.value = path;
      }}
      onPointerEnter={() => light({ from: "stage", paths: [path] })}
      onPointerLeave={() => light(null)}
    >
      <Title model={model} node={node} waits={waits} />
      <Middle model={model} node={node} hidden={hidden} path={path} />
      <Weights model={model} node={node} />
      <span class="unseen">{alsoSpoken(model, node)}</span>
    </div>
  );
}

/** A leaf without a split that the learner would make, or a node whose step is still to come. */
function isWaiting(model: TreeModel, node: number, path: Path): boolean {
  if (model.isLeaf(node)) return editable.value && model.isOpen(node);
  return revealed.value !== null && !revealed.value.has(pathKey(path));
}

function choose(path: Path): void {
  focused.value = path;
  pin(null);
  select(path);
}

function Title({ model, node, waits }: { model: TreeModel; node: number; waits: boolean }) {
  return (
    <div class="top">
      {waits ? <b>{words.chooseSplit}</b> : <CardName model={model} node={node} />}
      <span class={nodeNumbers.value ? "num" : "unseen"}>
        <span class="unseen">{words.nodeWord} </span>
        {node}
      </span>
    </div>
  );
}

/** A long column is shortened before its threshold is. */
function CardName({ model, node }: { model: TreeModel; node: number }) {
  const [column, text] = [model.column(node), model.splitText(node)];
  if (column === "" || text === column || !text.startsWith(column)) {
    return (
      <b>
        <NodeName model={model} node={node} most={19} />
      </b>
    );
  }
  // The values of a group are on the edges below.
  if (text.slice(column.length).startsWith(" in ")) {
    return (
      <b title={visible(text)}>
        <bdi dir="auto">{middle(visible(column), 19)}</bdi>
      </b>
    );
  }
  return (
    <b class="parted" title={text.length > 19 ? visible(text) : undefined}>
      <bdi dir="auto" class="shrinks">
        {visible(column)}
      </bdi>
      <span>&nbsp;{middle(visible(text.slice(column.length).trim()), 12)}</span>
    </b>
  );
}

/** The split of an inner node, the prediction of a leaf. */
export function NodeName({
  model,
  node,
  most = 80,
}: {
  model: TreeModel;
  node: number;
  most?: number;
}) {
  if (!model.isLeaf(node)) return <Name text={model.splitText(node)} most={most} />;
  const label = model.columns.label[node];
  if (label < 0) return <>{value(model.columns.prediction[node], 5)}</>;
  return (
    <>
      <Marker of={label} class="big" />
      <Name text={model.label(node)} most={most - 2} />
    </>
  );
}

interface MiddleProperties extends Properties2 {
  hidden: number;
  path: Path;
}
interface Properties2 {
  model: TreeModel;
  node: number;
}

function Middle({ model, node, hidden, path }: MiddleProperties) {
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
            fold(path, false);
          }}
        >
          {foldedText(model, node, hidden)}
        </button>
      ) : (
        <Beside model={model} node={node} />
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
function hasRoom(model: TreeModel, node: number): boolean {
  const parts = (model.columns.class_weights[node] ?? []).filter((part) => part > 0);
  const largest = [...parts].sort((a, b) => b - a).slice(0, 2);
  const counts = largest.reduce((sum, part) => sum + SHAPE + DIGIT * shortWeight(part).length, 0);
  const rows = LETTER * rowsText(model, node).length;
  return rows + counts + BETWEEN * (largest.length - 1) + 5 <= INSIDE;
}

function Beside({ model, node }: Properties2) {
  const { columns } = model;
  switch (shown.value) {
    case "counts": {
      if (columns.label[node] < 0)
        return <span>{words.spread(value(columns.deviation[node], 3))}</span>;
      const weights = columns.class_weights[node];
      const most = hasRoom(model, node) ? 2 : 1;
      return <Counts weights={weights} classes={columns.classes} most={most} short />;
    }
    case "share":
      return <span>{percent(columns.n_rows[node], columns.n_rows[0])}</span>;
    case "impurity":
      return <span>{score(columns.impurity[node], digits.value)}</span>;
    case "score":
      return <span>{model.isLeaf(node) ? "" : score(columns.score[node], digits.value)}</span>;
    default:
      return null;
  }
}

/** The range of predictions with their spread, on which all strips are drawn. */
export const scale = computed(() => {
  const columns = tree.value?.columns;
  if (columns === undefined || columns.prediction.length === 0) return { from: 0, to: 1 };
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [i, mean] of columns.prediction.entries()) {
    from = Math.min(from, mean - columns.deviation[i]);
    to = Math.max(to, mean + columns.deviation[i]);
  }
  return { from, to };
});

function Weights({ model, node }: Properties2) {
  const { columns } = model;
  if (columns.label[node] >= 0) return <Bar weights={columns.class_weights[node]} />;
  const mean = columns.prediction[node];
  return <Strip mean={mean} deviation={columns.deviation[node]} {...scale.value} />;
}

/** What the sighted see around the card: the condition above it, and the classes of its bar. */
function alsoSpoken(model: TreeModel, node: number): string {
  const { columns } = model;
  const edge = node === 0 ? [] : [visible(model.edgeText(node))];
  const weights = columns.class_weights[node] ?? [];
  const counted = shown.value === "counts" && weights.filter((part) => part > 0).length <= 2;
  if (counted && hasRoom(model, node)) return edge.join("");
  const parts = weights.flatMap((part, i) =>
    part > 0 ? [`${visible(columns.classes[i])} ${weight(part)}`] : [],
  );
  return [...edge, ...parts.slice(0, MOST_SPOKEN)].join(", ");
}

const MOST_SPOKEN = 12;

/** The condition on an edge. */
export function Pill({ item, model }: Properties) {
  if (item.parent === null) return null;
  const onPath = item.kind === "node" && selectedLine.value.has(item.node);
  const text =
    item.kind === "block" ? words.values(count(item.members.length)) : model.edgeText(item.node);
  const dim = dims.value?.(item.node) ? "dim" : "";
  return (
    <span
      class={`pill ${onPath ? "path" : ""} ${dim}`}
      style={{ left: `${item.x}px`, top: `${item.y - 31}px` }}
      aria-hidden="true"
      title={text.length > 22 ? visible(text) : undefined}
    >
      <bdi dir="auto">{middle(visible(text), 22)}</bdi>
    </span>
  );
}

interface GhostProperties {
  branch: BranchFacts;
  classes: readonly string[];
  x: number;
  y: number;
}

/** A branch of a split that is looked at, not taken. */
export function GhostCard({ branch, classes, x, y }: GhostProperties) {
  const numbers = branch.label < 0;
  return (
    <>
      <span class="pill ghost" style={{ left: `${x}px`, top: `${y - 31}px` }} aria-hidden="true">
        <bdi dir="auto">{middle(visible(condition(branch.text)), 22)}</bdi>
      </span>
      <div
        class="card leaf ghost"
        aria-hidden="true"
        style={{ left: `${x - 78}px`, top: `${y}px`, "--c": colourOf(numbers ? 0 : branch.label) }}
      >
        <div class="top">
          <b>
            {numbers ? (
              value(branch.prediction, 5)
            ) : (
              <>
                <Marker of={branch.label} class="big" />
                <Name text={classes[branch.label] ?? ""} most={17} />
              </>
            )}
          </b>
        </div>
        <div class="mid">
          <span>{words.rows(branch.n_rows)}</span>
          {!numbers && <Counts weights={branch.class_weights} classes={classes} most={2} />}
        </div>
        {numbers ? (
          <Strip mean={branch.prediction ?? 0} deviation={branch.deviation ?? 0} {...scale.value} />
        ) : (
          <Bar weights={branch.class_weights} />
        )}
      </div>
    </>
  );
}
