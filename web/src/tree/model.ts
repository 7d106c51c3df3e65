// A tree as the page uses it: the columns of the message, and ways between nodes and paths.
import type { TreeColumns } from "../../messages";
import { condition } from "../parts/condition";
import type { Path } from "../state/document";

export class TreeModel {
  readonly size: number;
  readonly depth: Int32Array;
  /** How many nodes are below a node. */
  readonly below: Int32Array;
  private readonly openNodes: Set<number>;

  constructor(readonly columns: TreeColumns) {
    const { parent, n_children, first_child } = columns;
    this.size = parent.length;
    this.depth = new Int32Array(this.size);
    this.below = new Int32Array(this.size);
    this.openNodes = new Set(columns.open);
    const order = this.inOrder(first_child, n_children);
    for (const node of order) if (node > 0) this.depth[node] = this.depth[parent[node]] + 1;
    for (let i = order.length - 1; i > 0; i--) {
      this.below[parent[order[i]]] += this.below[order[i]] + 1;
    }
  }

  isLeaf(node: number): boolean {
    return this.columns.n_children[node] === 0;
  }

  /** Whether the learner would split this leaf. */
  isOpen(node: number): boolean {
    return this.openNodes.has(node);
  }

  get open(): number[] {
    return this.columns.open;
  }

  children(node: number): number[] {
    const { first_child, n_children } = this.columns;
    return Array.from({ length: n_children[node] }, (_, i) => first_child[node] + i);
  }

  /** The numbers of the branches from the root to a node. */
  pathOf(node: number): Path {
    const { parent, first_child } = this.columns;
    const path: Path = [];
    for (let at = node; at > 0; at = parent[at]) path.push(at - first_child[parent[at]]);
    return path.reverse();
  }

  /** The node at a path, or -1 if the tree does not reach so far. */
  nodeAt(path: readonly number[]): number {
    const { first_child, n_children } = this.columns;
    let node = 0;
    for (const step of path) {
      if (step >= n_children[node]) return -1;
      node = first_child[node] + step;
    }
    return node;
  }

  /** The longest part of a path that exists. */
  nearest(path: readonly number[]): Path {
    let length = path.length;
    while (length > 0 && this.nodeAt(path.slice(0, length)) < 0) length -= 1;
    return path.slice(0, length);
  }

  /** From the root to the node, both included. */
  line(node: number): number[] {
    const line: number[] = [];
    for (let at = node; at >= 0; at = at === 0 ? -1 : this.columns.parent[at]) line.push(at);
    return line.reverse();
  }

  /** The conditions from the root to a node, with the columns that they are about. */
  conditions(node: number): string[] {
    const { parent, edge } = this.columns;
    return this.line(node)
      .slice(1)
      .map((at) => `${this.column(parent[at])} ${condition(edge[at])}`);
  }

  /** The split of an inner node as text. */
  splitText(node: number): string {
    return condition(this.columns.split[node], this.column(node));
  }

  edgeText(node: number): string {
    return condition(this.columns.edge[node]);
  }

  /** The column that an inner node splits on; empty for a leaf. */
  column(node: number): string {
    const { feature, features } = this.columns;
    return feature[node] < 0 ? "" : features[feature[node]];
  }

  label(node: number): string {
    const { label, classes } = this.columns;
    return label[node] < 0 ? "" : classes[label[node]];
  }

  private inOrder(first: number[], n: number[]): number[] {
    const order = this.size === 0 ? [] : [0];
    for (let i = 0; i < order.length; i++) {
      const node = order[i];
      for (let k = 0; k < n[node]; k++) order.push(first[node] + k);
    }
    return order;
  }
}
