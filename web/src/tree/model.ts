// A tree as the page uses it: the columns of the message, and ways between nodes and paths.
import type { MissingValues, TreeColumns } from "../../messages";
import { condition } from "../parts/condition";
import type { Path } from "../state/document";

export class TreeModel {
  readonly size: number;
  /** -1 for the root. */
  readonly parent: Int32Array;
  /** Where the children of a node begin. */
  readonly firstChild: Int32Array;
  readonly depth: Int32Array;
  /** How many nodes are below a node. */
  readonly below: Int32Array;
  private readonly openNodes: Set<number>;
  private readonly missingAt: ReadonlyMap<number, MissingValues>;

  constructor(readonly columns: TreeColumns) {
    const { n_children, open, missing } = columns;
    this.size = n_children.length;
    this.parent = new Int32Array(this.size).fill(-1);
    this.firstChild = new Int32Array(this.size);
    this.depth = new Int32Array(this.size);
    this.below = new Int32Array(this.size);
    this.openNodes = new Set(open);
    this.missingAt = new Map(missing.map((facts) => [facts.node, facts]));
    let next = 1;
    for (let node = 0; node < this.size; node++) {
      this.firstChild[node] = next;
      this.parent.fill(node, next, next + n_children[node]);
      next += n_children[node];
      if (node > 0) this.depth[node] = this.depth[this.parent[node]] + 1;
    }
    for (let node = this.size - 1; node > 0; node--) {
      this.below[this.parent[node]] += this.below[node] + 1;
    }
  }

  /** The rows without a value of the column that a node splits on. */
  missing(node: number): MissingValues | undefined {
    return this.missingAt.get(node);
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
    const first = this.firstChild[node];
    return Array.from({ length: this.columns.n_children[node] }, (_, i) => first + i);
  }

  /** The numbers of the branches from the root to a node. */
  pathOf(node: number): Path {
    const { parent, firstChild } = this;
    const path: Path = [];
    for (let at = node; at > 0; at = parent[at]) path.push(at - firstChild[parent[at]]);
    return path.reverse();
  }

  /** The node at a path, or -1 if the tree does not reach so far. */
  nodeAt(path: readonly number[]): number {
    const { n_children } = this.columns;
    let node = 0;
    for (const step of path) {
      if (step >= n_children[node]) return -1;
      node = this.firstChild[node] + step;
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
    for (let at = node; at >= 0; at = this.parent[at]) line.push(at);
    return line.reverse();
  }

  /** The conditions from the root to a node, with the columns that they are about. */
  conditions(node: number): string[] {
    const { edge } = this.columns;
    return this.line(node)
      .slice(1)
      .map((at) => `${this.column(this.parent[at])} ${condition(edge[at])}`);
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
}
