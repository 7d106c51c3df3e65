// The layout of a small picture of a tree: its heaviest nodes, and the way to one of them.
import { hierarchy, tree as tidy } from "d3-hierarchy";
import type { TreeModel } from "../tree/model";
import { openAtFirst } from "./outlineRows";

export interface SmallNode {
  node: number;
  x: number;
  y: number;
  /** How many nodes are folded below it. */
  hidden: number;
}

export interface SmallEdge {
  node: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface SmallTree {
  nodes: SmallNode[];
  edges: SmallEdge[];
  left: number;
  width: number;
  height: number;
}

export const NODE = { width: 86, height: 24, gap: 10, level: 52 };

/** About `most` nodes, those with the most rows first; the way to `keep` is unfolded in any case. */
export function smallTree(model: TreeModel, most: number, keep: number): SmallTree {
  const open = openAtFirst(model, most);
  if (keep > 0) for (const node of model.line(keep).slice(0, -1)) open.add(node);
  const root = hierarchy(0, (node) => (open.has(node) ? model.children(node) : []));
  const placed = tidy<number>().nodeSize([NODE.width + NODE.gap, NODE.level])(root);
  const all = placed.descendants();
  const left = Math.min(...all.map(({ x }) => x)) - NODE.width / 2;
  const right = Math.max(...all.map(({ x }) => x)) + NODE.width / 2;
  return {
    nodes: all.map(({ data, x, y }) => ({
      node: data,
      x,
      y,
      hidden: open.has(data) ? 0 : model.below[data],
    })),
    edges: placed.links().map(({ source, target }) => ({
      node: target.data,
      x0: source.x,
      y0: source.y + NODE.height,
      x1: target.x,
      y1: target.y,
    })),
    left,
    width: right - left,
    height: Math.max(...all.map(({ y }) => y)) + NODE.height,
  };
}
