// Many branches of one node as a list: value, prediction, rows, bar; those without rows are one line.
import { useState } from "preact/hooks";
import { count, shortCount, value } from "../numbers";
import { Bar } from "../parts/Bar";
import { Marker } from "../parts/Marker";
import { Name } from "../parts/Name";
import { VirtualList } from "../parts/VirtualList";
import { pathKey } from "../state/document";
import { words } from "../words";
import type { Item } from "./layout";
import type { TreeModel } from "./model";
import type { Scene } from "./scene";

const ROW = 26;

interface Properties {
  item: Item;
  scene: Scene;
  model: TreeModel;
}

export function Block({ item, scene, model }: Properties) {
  const [wanted, setWanted] = useState("");
  const { n_rows, edge } = model.columns;
  const filled = item.members.filter((node) => n_rows[node] > 0);
  const empty = item.members.length - filled.length;
  const needle = wanted.toLowerCase();
  const found = filled.filter(
    (node) => needle === "" || `${edge[node]} ${model.label(node)}`.toLowerCase().includes(needle),
  );
  return (
    <div
      class="card block"
      role="treeitem"
      aria-level={model.depth[item.node] + 2}
      aria-label={words.blockSpoken(count(item.members.length))}
      tabIndex={-1}
      style={{ left: `${item.x - item.w / 2}px`, top: `${item.y}px` }}
      onWheel={(event) => event.stopPropagation()}
    >
      <div class="top">
        <b>{words.values(count(item.members.length))}</b>
        <input
          type="search"
          placeholder={words.search}
          aria-label={words.search}
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
          onPointerDown={(event) => event.stopPropagation()}
        />
      </div>
      <VirtualList
        n={found.length}
        height={ROW}
        label={words.values(count(found.length))}
        row={(i) => <Member scene={scene} model={model} node={found[i]} />}
      />
      {empty > 0 && <p class="note">{words.valuesWithoutRows(count(empty))}</p>}
    </div>
  );
}

function Member({ scene, model, node }: Omit<Properties, "item"> & { node: number }) {
  const { columns } = model;
  const path = model.pathOf(node);
  const label = columns.label[node];
  const chosen = pathKey(path) === pathKey(scene.selected.value);
  return (
    <button
      type="button"
      class={`member ${chosen ? "sel" : ""}`}
      tabIndex={-1}
      onClick={() => {
        // A folded node leaves the list and becomes a card, with its children below.
        if (!model.isLeaf(node)) scene.fold(path, false);
        scene.choose(path);
      }}
      title={model.isLeaf(node) ? undefined : words.unfoldNodes(model.below[node])}
      onPointerEnter={() => scene.light(path)}
      onPointerLeave={() => scene.light(null)}
    >
      {scene.waits(node, path) ? <span class="waits">?</span> : label >= 0 && <Marker of={label} />}
      <Name text={model.edgeText(node)} most={18} class="grow" />
      <span>{label < 0 ? value(columns.prediction[node], 4) : ""}</span>
      {!model.isLeaf(node) && <span class="chip">+{shortCount(model.below[node])}</span>}
      <em>{count(columns.n_rows[node])}</em>
      {label >= 0 && <Bar weights={columns.class_weights[node]} class="mini" />}
    </button>
  );
}
