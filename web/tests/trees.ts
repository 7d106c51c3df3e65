// Trees for tests: random ones of any size, as the columns of the message.
import type { TreeColumns } from "../messages";
import { TreeModel } from "../src/tree/model";

/** A generator of the same numbers in each run. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Children per node, level by level; missing entries are leaves. */
export function treeOf(children: number[], open: number[] = []): TreeModel {
  const parent = [-1];
  const count: number[] = [];
  for (let node = 0; node < parent.length; node++) {
    count.push(children[node] ?? 0);
    for (let i = 0; i < count[node]; i++) parent.push(node);
  }
  const rows = rowsOf(parent, count);
  const columns = {
    n_children: count,
    feature: count.map((n) => (n > 0 ? 0 : -1)),
    features: ["x"],
    edge: parent.map((_, node) => (node === 0 ? "" : `= v${node}`)),
    split: count.map((n) => (n > 0 ? "x" : "")),
    open,
    missing: [],
    facts: { editable: true },
    n_rows: rows,
    weight: rows,
    label: parent.map((_, node) => node % 2),
    classes: ["no", "yes"],
    class_weights: rows.map((n, node) => (node % 2 === 0 ? [n, 0] : [0, n])),
  } as unknown as TreeColumns;
  return new TreeModel(columns);
}

/** Leaves have between 1 and 5 rows, other nodes the sum of their children. */
function rowsOf(parent: number[], count: number[]): number[] {
  const rows = parent.map((_, node) => (count[node] === 0 ? 1 + (node % 5) : 0));
  for (let node = parent.length - 1; node > 0; node--) rows[parent[node]] += rows[node];
  return rows;
}

export function randomTree(seed: number, inner: number, most = 5): TreeModel {
  const random = randomOf(seed);
  const children = Array.from({ length: inner }, () =>
    random() < 0.35 ? 0 : 1 + Math.floor(random() * most),
  );
  children[0] = 2 + Math.floor(random() * most);
  return treeOf(children);
}

/** A chain: each node has a leaf and the next node of the chain. */
export function chainOf(length: number): TreeModel {
  const children: number[] = [];
  for (let i = 0; i < length; i++) children.push(...(i === 0 ? [2] : [0, 2]));
  return treeOf(children);
}
