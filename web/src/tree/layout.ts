// Where the cards of a tree stand: a tidy layout over the nodes that are unfolded.
import { type HierarchyPointNode, hierarchy, tree as tidy } from "d3-hierarchy";
import { pathKey } from "../state/document";
import type { TreeModel } from "./model";

export const CARD = { w: 156, h: 68 };
export const BLOCK = { w: 244, h: 284 };
export const LEVEL = 148;
const GAP = 16;
const WIDER_GAP = 36;
/** More leaves or folded nodes below one node are drawn as one block. */
export const MOST_BRANCHES = 12;
/** So many open leaves keep room for the branches of a split that is looked at. */
const MOST_RESERVED = 8;

/** A card of one node, or a block of many branches of one parent. Positions are of its top centre. */
export interface Item {
  kind: "node" | "block";
  node: number;
  /** The leaves and folded nodes of a block. */
  members: number[];
  x: number;
  y: number;
  w: number;
  h: number;
  /** How many nodes are folded away below. */
  hidden: number;
  parent: Item | null;
  children: Item[];
  position: number;
  siblings: number;
  /** What the item and all below it cover. */
  left: number;
  right: number;
  bottom: number;
}

export interface Laid {
  model: TreeModel;
  root: Item;
  items: Item[];
  /** By node; the members of a block lead to the block. */
  byNode: Map<number, Item>;
  left: number;
  right: number;
  bottom: number;
}

/**
 * Which nodes are unfolded: the largest that can be read on the stage, a number of them, up to a
 * depth, from a share of the rows, or all.
 */
export type Unfolding =
  | { by: "fit" }
  | { by: "support"; nodes: number }
  | { by: "depth"; depth: number }
  | { by: "share"; share: number }
  | { by: "all" };

export interface Folds {
  unfolding: Unfolding;
  folded: ReadonlySet<string>;
  unfolded: ReadonlySet<string>;
}

/** The inner nodes whose children are shown. */
export function openedNodes(
  model: TreeModel,
  folds: Folds,
  fits?: (node: number, opened: ReadonlySet<number>) => boolean,
): Set<number> {
  const opened = new Set<number>();
  const byHand = hasHand(folds) ? folds : null;
  let shown = 1;
  const waiting = new Heap((node) => model.columns.n_rows[node]);
  if (model.size > 0 && !model.isLeaf(0)) waiting.push(0);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const hand = byHand === null ? null : handOf(model, node, byHand);
    if (hand === false) continue;
    if (hand !== true && !wanted(model, node, folds.unfolding, shown)) continue;
    if (hand !== true && fits !== undefined && !fits(node, opened)) continue;
    opened.add(node);
    shown += widthOf(model, node);
    for (const child of model.children(node)) if (!model.isLeaf(child)) waiting.push(child);
  }
  return opened;
}

const hasHand = ({ folded, unfolded }: Folds) => folded.size + unfolded.size > 0;

function handOf(model: TreeModel, node: number, { folded, unfolded }: Folds): boolean | null {
  const key = pathKey(model.pathOf(node));
  return folded.has(key) ? false : unfolded.has(key) ? true : null;
}

function wanted(model: TreeModel, node: number, unfolding: Unfolding, shown: number): boolean {
  switch (unfolding.by) {
    case "all":
      return true;
    case "depth":
      return model.depth[node] < unfolding.depth;
    case "share":
      return model.columns.n_rows[node] >= unfolding.share * model.columns.n_rows[0];
    default: {
      const most = unfolding.by === "support" ? unfolding.nodes : MOST_FITTED;
      return node === 0 || shown + widthOf(model, node) <= most;
    }
  }
}

/** How many cards the children of a node take while they are folded; many are one block. */
function widthOf(model: TreeModel, node: number): number {
  const n = model.columns.n_children[node];
  return n <= MOST_BRANCHES ? n : 1;
}

/** More nodes are not unfolded at once, however large the stage is. */
export const MOST_FITTED = 150;
/** Trees of this size are never folded. */
const NEVER_FOLDED = 25;
/** So many openings are tried, and so many in a row may fail. */
const MOST_TRIED = 160;
const MOST_FAILED = 24;

/**
 * The inner nodes to open, largest first, as long as a stage shows the tree readably. A node
 * whose children do not fit stays folded, and smaller ones are tried.
 */
export function openedToFit(
  model: TreeModel,
  folds: Omit<Folds, "unfolding">,
  readable: (laid: Laid) => boolean,
): Set<number> {
  const fitting: Folds = { ...folds, unfolding: { by: "fit" } };
  if (model.size <= NEVER_FOLDED) return openedNodes(model, fitting);
  let [tried, failed] = [0, 0];
  // What the reader folds or unfolds changes nothing elsewhere.
  const untouched: Folds = { ...fitting, folded: new Set(), unfolded: new Set() };
  const usual = openedNodes(model, untouched, (node, opened) => {
    if (node === 0) return true;
    if (tried >= MOST_TRIED || failed >= MOST_FAILED) return false;
    tried++;
    const fits = readable(layout(model, new Set([...opened, node]), false));
    failed = fits ? 0 : failed + 1;
    return fits;
  });
  return openedNodes(model, fitting, (node) => usual.has(node));
}

interface Draft {
  item: Item | null;
  w: number;
  children: Draft[];
}

export function layout(model: TreeModel, opened: ReadonlySet<number>, reserve: boolean): Laid {
  const room = reserve && model.open.length <= MOST_RESERVED;
  const drafts = hierarchy(draftOf(model, opened, room), ({ children }) => children);
  const placed = tidy<Draft>()
    .nodeSize([1, LEVEL])
    .separation((a, b) => (a.data.w + b.data.w) / 2 + (a.parent === b.parent ? GAP : WIDER_GAP))(
    drafts,
  );
  return finished(model, placed);
}

function draftOf(model: TreeModel, opened: ReadonlySet<number>, room: boolean): Draft {
  const nodeDraft = (node: number): Draft => {
    const draft = { item: itemOf(model, node, opened), w: CARD.w, children: [] as Draft[] };
    // Without a call for each level: a chain may be longer than the stack is deep.
    todo.push([node, draft]);
    return draft;
  };
  const todo: [number, Draft][] = [];
  const root = nodeDraft(0);
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [node, draft] = next;
    if (opened.has(node)) draft.children = childDrafts(model, node, opened, nodeDraft);
    else if (room && model.isOpen(node)) draft.children = reserved(node);
  }
  return root;
}

/** A root alone keeps room for a third branch, so that a narrow stage shows all of a split. */
const reserved = (node: number): Draft[] =>
  node === 0 ? [empty(), empty(), empty()] : [empty(), empty()];
const empty = (): Draft => ({ item: null, w: CARD.w, children: [] });

function childDrafts(
  model: TreeModel,
  node: number,
  opened: ReadonlySet<number>,
  nodeDraft: (node: number) => Draft,
): Draft[] {
  const children = model.children(node);
  const { n_rows } = model.columns;
  const members = children.filter((child) => !opened.has(child));
  if (members.length <= MOST_BRANCHES) return children.map(nodeDraft);
  members.sort((a, b) => n_rows[b] - n_rows[a]);
  const block: Draft = {
    item: { ...blank(node, "block"), members, w: BLOCK.w, h: BLOCK.h },
    w: BLOCK.w,
    // A block reaches down to the next level, where nothing else may stand.
    children: [{ item: null, w: BLOCK.w, children: [] }],
  };
  const others = children.filter((child) => opened.has(child)).map(nodeDraft);
  return [...others, block];
}

function itemOf(model: TreeModel, node: number, opened: ReadonlySet<number>): Item {
  const hidden = model.isLeaf(node) || opened.has(node) ? 0 : model.below[node];
  return { ...blank(node, "node"), hidden };
}

const blank = (node: number, kind: Item["kind"]): Item => ({
  kind,
  node,
  members: [],
  x: 0,
  y: 0,
  w: CARD.w,
  h: CARD.h,
  hidden: 0,
  parent: null,
  children: [],
  position: 1,
  siblings: 1,
  left: 0,
  right: 0,
  bottom: 0,
});

function finished(model: TreeModel, placed: HierarchyPointNode<Draft>): Laid {
  const items: Item[] = [];
  const byNode = new Map<number, Item>();
  // Children before parents, so that the extents of a subtree are complete.
  placed.eachAfter((point) => {
    const { item, w } = point.data;
    if (item === null) return;
    item.x = point.x;
    item.y = point.y;
    const below = (point.children ?? []).map(({ data }) => data.item);
    item.children = below.filter((child) => child !== null);
    item.left = Math.min(point.x - w / 2, ...edgesOf(point, -1));
    item.right = Math.max(point.x + w / 2, ...edgesOf(point, 1));
    const deepest = below.map((child) => child?.bottom ?? point.y + LEVEL + CARD.h);
    item.bottom = Math.max(point.y + item.h, ...deepest);
    for (const [i, child] of item.children.entries()) {
      child.parent = item;
      child.position = i + 1;
      child.siblings = item.children.length;
    }
    items.push(item);
    for (const node of item.kind === "block" ? item.members : [item.node]) byNode.set(node, item);
  });
  const root = placed.data.item as Item;
  items.reverse();
  return { model, root, items, byNode, left: root.left, right: root.right, bottom: root.bottom };
}

/** The same places, without what is below nodes that are not open yet; the extents are of the rest. */
export function without(laid: Laid, isOpen: (node: number) => boolean): Laid {
  const items: Item[] = [];
  const byNode = new Map<number, Item>();
  const visit = (item: Item, parent: Item | null): Item => {
    const copy: Item = { ...item, parent, hidden: 0 };
    items.push(copy);
    for (const node of item.kind === "block" ? item.members : [item.node]) byNode.set(node, copy);
    const shown = item.kind === "node" && isOpen(item.node) ? item.children : [];
    copy.children = shown.map((child) => visit(child, copy));
    return copy;
  };
  const root = visit(laid.root, null);
  const sides = items.flatMap(({ x, w, kind }) => {
    // Room for two children of a split that is looked at.
    const half = kind === "block" ? w / 2 : CARD.w + GAP / 2;
    return [x - half, x + half];
  });
  return {
    model: laid.model,
    root,
    items,
    byNode,
    left: Math.min(...sides),
    right: Math.max(...sides),
    bottom: Math.max(...items.map(({ y, h, kind }) => y + h + (kind === "block" ? 0 : LEVEL))),
  };
}

function edgesOf(point: HierarchyPointNode<Draft>, side: 1 | -1): number[] {
  return (point.children ?? []).map(({ x, data }) => {
    if (data.item === null) return x + (side * data.w) / 2;
    return side < 0 ? data.item.left : data.item.right;
  });
}

/** The largest first. */
class Heap {
  private readonly items: number[] = [];
  constructor(private readonly weight: (item: number) => number) {}

  push(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!this.before(items[at], items[up])) break;
      [items[at], items[up]] = [items[up], items[at]];
      at = up;
    }
  }

  pop(): number | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) {
      items[0] = last;
      this.sink();
    }
    return top;
  }

  private sink(): void {
    const { items } = this;
    for (let at = 0; ; ) {
      let best = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && this.before(items[child], items[best])) best = child;
      }
      if (best === at) return;
      [items[at], items[best]] = [items[best], items[at]];
      at = best;
    }
  }

  /** Of equal weights the node with the smaller number, which is closer to the root. */
  private before(a: number, b: number): boolean {
    const difference = this.weight(a) - this.weight(b);
    return difference > 0 || (difference === 0 && a < b);
  }
}
