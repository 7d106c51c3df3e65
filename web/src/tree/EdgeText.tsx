// What stands between the cards: the condition on an edge, and where missing values go.
import { count } from "../numbers";
import { destination } from "../parts/condition";
import { middle, visible } from "../parts/Name";
import { words } from "../words";
import type { Item } from "./layout";
import type { TreeModel } from "./model";
import type { Scene } from "./scene";

interface Properties {
  item: Item;
  scene: Scene;
  model: TreeModel;
}

const MOST_LETTERS = 24;

/** The condition on an edge. */
export function Pill({ item, scene, model }: Properties) {
  if (item.parent === null) return null;
  const onPath = item.kind === "node" && scene.line.value.has(item.node);
  const text =
    item.kind === "block"
      ? words.values(count(item.members.length))
      : model.edgeText(item.node).replace(/^in (\d+ of \d+ values)$/, "$1");
  const dim = scene.dims.value?.(item.node) ? "dim" : "";
  return (
    <span
      class={`pill ${onPath ? "path" : ""} ${dim}`}
      style={{ left: `${item.x}px`, top: `${item.y - 31}px` }}
      aria-hidden="true"
      title={text.length > MOST_LETTERS ? visible(text) : undefined}
    >
      <bdi dir="auto">{middle(visible(text), MOST_LETTERS)}</bdi>
    </span>
  );
}

/** Rows without a value, below the node that splits on it. */
export function MissingNote({ item, scene, model }: Properties) {
  const missing = item.children.length > 0 ? model.missing(item.node) : undefined;
  if (item.kind === "block" || missing === undefined) return null;
  const text = visible(destination(missing.text));
  const end = text.indexOf(": ");
  const dim = scene.dims.value?.(item.node) ? "dim" : "";
  return (
    <p
      class={`missing-note ${dim}`}
      style={{ left: `${item.x}px`, top: `${item.y + item.h + 5}px` }}
      aria-hidden="true"
      title={text}
    >
      <span>{text.slice(0, end)}</span>
      <bdi dir="auto">{middle(text.slice(end + 2), 30)}</bdi>
    </p>
  );
}
