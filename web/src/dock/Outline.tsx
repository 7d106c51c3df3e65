// The tree as a nested list, with the usual keys of an ARIA tree.
import { useMemo, useRef, useState } from "preact/hooks";
import { weight } from "../numbers";
import { condition } from "../parts/condition";
import { Marker } from "../parts/Marker";
import { middle, Name, visible } from "../parts/Name";
import { light, lit, pin, select, selectedNode, tree } from "../state/store";
import type { TreeModel } from "../tree/model";
import { words } from "../words";
import { isLitLeaf } from "./linking";
import { type Line, linesOf, moved, openAtFirst } from "./outlineRows";

const OPEN_AT_FIRST = 60;
/** Lines in the document; further nodes are closed until asked for. */
const MOST_LINES = 1000;

export function Outline() {
  return tree.value === null ? null : <Lines model={tree.value} />;
}

function Lines({ model }: { model: TreeModel }) {
  const atFirst = useMemo(() => openAtFirst(model, OPEN_AT_FIRST), [model]);
  const [turned, setTurned] = useState<ReadonlySet<number>>(new Set());
  const [focused, setFocused] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const lines = linesOf(model, (node) => atFirst.has(node) !== turned.has(node)).slice(
    0,
    MOST_LINES,
  );
  const at = Math.min(focused, lines.length - 1);
  const turn = (node: number) => {
    const next = new Set(turned);
    if (!next.delete(node)) next.add(node);
    setTurned(next);
  };
  const go = (to: number) => {
    setFocused(to);
    box.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[to]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines[at];
    if (event.key === "Enter" || event.key === " ") choose(model, line.node);
    else {
      const move = moved(event.key, at, lines, model.isLeaf(line.node));
      if (move === null) return;
      if ("to" in move) go(move.to);
      else turn("open" in move ? move.open : move.close);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="outline"
      role="tree"
      aria-label={words.dock.rules.tree}
      ref={box}
      onKeyDown={onKeyDown}
    >
      {lines.map((line, position) => (
        <OutlineLine
          key={line.node}
          model={model}
          line={line}
          focusable={position === at}
          onFocus={() => setFocused(position)}
          onTurn={() => turn(line.node)}
        />
      ))}
    </div>
  );
}

function choose(model: TreeModel, node: number): void {
  const path = model.pathOf(node);
  select(path);
  pin({ from: "rules", paths: [path] });
}

interface LineProperties {
  model: TreeModel;
  line: Line;
  focusable: boolean;
  onFocus: () => void;
  onTurn: () => void;
}

function OutlineLine({ model, line, focusable, onFocus, onTurn }: LineProperties) {
  const { node, level, place, siblings, open } = line;
  const { columns } = model;
  const path = model.pathOf(node);
  const leaf = model.isLeaf(node);
  const on = () => light({ from: "rules", paths: [path] });
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={leaf ? undefined : open}
      aria-selected={selectedNode.value === node}
      tabIndex={focusable ? 0 : -1}
      class={`line ${isLitLeaf(lit.value, path) ? "lit" : ""}`}
      style={{ paddingLeft: `${10 + (level - 1) * 18}px` }}
      onClick={() => choose(model, node)}
      onPointerEnter={on}
      onPointerLeave={() => light(null)}
      onFocus={() => {
        onFocus();
        on();
      }}
      onBlur={() => light(null)}
    >
      <span
        class={`twist ${leaf ? "" : open ? "open" : "closed"}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          if (!leaf) onTurn();
        }}
      />
      <span class="line-text">
        {node > 0 && <Condition model={model} node={node} />}
        {leaf ? <Prediction model={model} node={node} /> : node === 0 && words.dock.rules.root}
      </span>
      <em>{words.rows(columns.n_rows[node])}</em>
      {!leaf && !open && <em>{words.nodes(model.below[node])}</em>}
    </div>
  );
}

function Condition({ model, node }: { model: TreeModel; node: number }) {
  const { edge } = model.columns;
  return (
    <>
      <Name text={model.column(model.parent[node])} most={32} />{" "}
      <Name text={condition(edge[node])} most={48} />
    </>
  );
}

function Prediction({ model, node }: { model: TreeModel; node: number }) {
  const { label, prediction } = model.columns;
  if (model.isOpen(node)) return <b class="line-open">?</b>;
  return (
    <b class="line-leaf">
      {label[node] >= 0 && <Marker of={label[node]} />}
      {label[node] >= 0 ? middle(visible(model.label(node)), 32) : weight(prediction[node])}
    </b>
  );
}
