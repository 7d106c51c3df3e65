// Find nodes by number, column, value, prediction or rule, and unfold the way to them.
import { computed, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { count } from "../numbers";
import { Name, visible } from "../parts/Name";
import { select, tree } from "../state/store";
import { words } from "../words";
import { NodeName } from "./Card";
import { bring, itemOf, reveal } from "./camera";
import type { TreeModel } from "./model";
import { own } from "./scene";

const MOST = 40;
const wanted = signal("");
const active = signal(0);

/** A text per node, made once per tree: what a search looks through. */
const texts = computed<string[]>(() => {
  const model = tree.value;
  if (model === null) return [];
  const { edge, split } = model.columns;
  return edge.map((text, node) => {
    const own = model.isLeaf(node) ? model.label(node) : `${split[node]} ${model.splitText(node)}`;
    const from = node === 0 ? "" : model.column(model.parent[node]);
    return `${node} ${from} ${text} ${model.edgeText(node)} ${own}`.toLowerCase();
  });
});

const found = computed<number[]>(() => {
  const pieces = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (pieces.length === 0) return [];
  const exact = pieces.length === 1 && /^\d+$/.test(pieces[0]) ? Number(pieces[0]) : -1;
  const nodes: number[] = exact >= 0 && exact < texts.value.length ? [exact] : [];
  for (let node = 0; node < texts.value.length && nodes.length < MOST; node++) {
    if (node !== exact && pieces.every((piece) => texts.value[node].includes(piece))) {
      nodes.push(node);
    }
  }
  return nodes;
});

/** Select a node that may be folded away, and bring it into view. */
export function visit(model: TreeModel, node: number): void {
  const path = model.pathOf(node);
  reveal(path);
  own.focused.value = path;
  select(path);
  requestAnimationFrame(() => {
    const item = itemOf(path);
    if (item !== null) bring(item, true);
  });
}

export function focusFind(): void {
  document.querySelector<HTMLElement>(".find input")?.focus();
}

export function Find() {
  const input = useRef<HTMLInputElement>(null);
  const model = tree.value;
  if (model === null) return null;
  const nodes = found.value;
  const close = () => {
    wanted.value = "";
    input.current?.blur();
  };
  const go = (node: number | undefined) => {
    if (node !== undefined) visit(model, node);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Enter") go(nodes[active.value]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const way = event.key === "ArrowDown" ? 1 : -1;
      active.value = (active.value + way + nodes.length) % Math.max(1, nodes.length);
      event.preventDefault();
    }
  };
  const open = wanted.value.trim() !== "";
  return (
    <div class="find floating" role="search">
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="m10.5 10.5 3 3" />
      </svg>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded={open}
        aria-controls="found"
        aria-activedescendant={open && nodes.length > 0 ? `found-${active.value}` : undefined}
        aria-label={words.find}
        placeholder={words.find}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      {open && (
        <ul class="popup found" id="found" role="listbox" aria-label={words.find}>
          {nodes.map((node, i) => (
            <li
              key={node}
              id={`found-${i}`}
              role="option"
              aria-selected={i === active.value}
              class={`item ${i === active.value ? "on" : ""}`}
              onPointerDown={(event) => {
                event.preventDefault();
                go(node);
              }}
            >
              <em class="num">{node}</em>
              <span class="grow">
                <Name text={model.conditions(node).slice(-1)[0] ?? words.root} most={40} />
              </span>
              <span class="to-name">
                <NodeName model={model} node={node} most={22} />
              </span>
            </li>
          ))}
          {nodes.length === 0 && <li class="item">{words.nothingFound(visible(wanted.value))}</li>}
          {nodes.length === MOST && <li class="item note">{words.firstFound(count(MOST))}</li>}
        </ul>
      )}
    </div>
  );
}
