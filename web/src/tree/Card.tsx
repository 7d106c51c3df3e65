// A node as a card: its split or prediction, its rows, its classes.
import { computed } from "@preact/signals";
import { value, weight } from "../numbers";
import { Bar, Strip } from "../parts/Bar";
import { destination } from "../parts/condition";
import { colourOf, Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { pathKey } from "../state/document";
import { compared, nodeNumbers, tree } from "../state/store";
import { words } from "../words";
import { CardLine, tellsAll } from "./CardLine";
import type { Item } from "./layout";
import type { TreeModel } from "./model";
import type { Scene } from "./scene";

interface Properties {
  item: Item;
  scene: Scene;
  model: TreeModel;
}

export function Card({ item, scene, model }: Properties) {
  const { node, hidden } = item;
  const path = model.pathOf(node);
  const isLeaf = model.isLeaf(node);
  const waits = scene.waits(node, path);
  const key = pathKey(path);
  const chosen = key === pathKey(scene.selected.value);
  const at = compared.value?.at;
  const classes = [
    "card",
    isLeaf && !waits ? "leaf" : "",
    waits ? "open" : "",
    hidden > 0 ? "folded" : "",
    chosen ? "sel" : scene.line.value.has(node) ? "onpath" : "",
    scene.dims.value?.(node) ? "dim" : "",
    at !== null && at !== undefined && key === pathKey(at) ? "differs" : "",
  ];
  return (
    <div
      class={classes.filter(Boolean).join(" ")}
      role="treeitem"
      aria-level={model.depth[node] + 1}
      aria-posinset={item.position}
      aria-setsize={item.siblings}
      aria-expanded={isLeaf ? undefined : hidden === 0}
      aria-selected={chosen}
      tabIndex={key === pathKey(scene.focused.value) ? 0 : -1}
      data-path={key}
      style={{
        left: `${item.x - item.w / 2}px`,
        top: `${item.y}px`,
        "--c": colourOf(model.columns.label[node] < 0 ? 0 : model.columns.label[node]),
      }}
      onClick={() => scene.choose(path)}
      onDblClick={() => !isLeaf && scene.fold(path, hidden === 0)}
      onFocus={() => {
        scene.focused.value = path;
      }}
      onPointerEnter={() => scene.light(path)}
      onPointerLeave={() => scene.light(null)}
    >
      <Title model={model} node={node} waits={waits} folded={hidden > 0} />
      <CardLine scene={scene} model={model} node={node} hidden={hidden} path={path} />
      <Weights model={model} node={node} />
      <span class="unseen">{alsoSpoken(model, node)}</span>
    </div>
  );
}

interface Node {
  model: TreeModel;
  node: number;
}

function Title({ model, node, waits, folded }: Node & { waits: boolean; folded: boolean }) {
  return (
    <div class="top">
      {waits ? <b>{words.chooseSplit}</b> : <CardName model={model} node={node} folded={folded} />}
      <span class={nodeNumbers.value ? "num" : "unseen"}>
        <span class="unseen">{words.nodeWord} </span>
        {node}
      </span>
    </div>
  );
}

/** Widths in pixels of a letter of a name, of the line, and of the number of the node. */
const [LETTER, INSIDE, DIGITS] = [7.2, 134, 22];
const MOST_LETTERS = 19;

/** A long column is shortened before its threshold is. */
function CardName({ model, node, folded }: Node & { folded: boolean }) {
  const [column, text] = [model.column(node), model.splitText(node)];
  if (column === "" || text === column || !text.startsWith(column)) {
    return (
      <b>
        <NodeName model={model} node={node} most={MOST_LETTERS} />
      </b>
    );
  }
  // Groups of values, and thresholds that have no room, are on the edges below.
  const isGroup = text.slice(column.length).startsWith(" in ");
  if (isGroup || (!folded && LETTER * text.length > INSIDE - DIGITS)) {
    return (
      <b title={visible(text)}>
        <Name text={column} most={MOST_LETTERS} />
        <span class="unseen">{visible(text.slice(column.length))}</span>
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
export function NodeName({ model, node, most = 80 }: Node & { most?: number }) {
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

function Weights({ model, node }: Node) {
  const { columns } = model;
  const missing = model.missing(node);
  if (columns.label[node] >= 0) {
    const weights = missing?.known ?? columns.class_weights[node];
    return <Bar weights={weights} missing={missing?.weight} />;
  }
  const mean = columns.prediction[node];
  return <Strip mean={mean} deviation={columns.deviation[node]} {...scale.value} />;
}

/** What the sighted see around the card: the condition above it, and the classes of its bar. */
function alsoSpoken(model: TreeModel, node: number): string {
  const { columns } = model;
  const missing = model.missing(node);
  const edge = [
    ...(node === 0 ? [] : [visible(model.edgeText(node))]),
    ...(missing === undefined ? [] : [visible(destination(missing.text))]),
  ];
  const weights = columns.class_weights[node] ?? [];
  if (tellsAll(model, node)) return edge.join(", ");
  const parts = weights.flatMap((part, i) =>
    part > 0 ? [`${visible(columns.classes[i])} ${weight(part)}`] : [],
  );
  return [...edge, ...parts.slice(0, MOST_SPOKEN)].join(", ");
}

const MOST_SPOKEN = 12;
