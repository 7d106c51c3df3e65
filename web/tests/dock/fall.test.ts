// Which nodes fall while a tree is pruned, and the edits of the slider.
import { describe, expect, test } from "vitest";
import type { Document, PruningCurve } from "../../messages";
import { beforePruning, fallen, pointFor, pruneEdit, unpruned } from "../../src/dock/fall";
import { treeOf } from "./trees";

const model = treeOf([[3, 2], 4, [1, [2, 2]]]);
const paths = (nodes: Iterable<number>, of = model) =>
  [...nodes].map((node) => of.pathOf(node).join("/")).sort();

describe("falling nodes", () => {
  // By node: root, 0, 1, 2, 0/0, 0/1, 2/0, 2/1, 2/1/0, 2/1/1.
  const byAlpha = {
    method: "cost_complexity",
    falls_at: [0.5, 0.1, 0.5, 0.3, 0.1, 0.1, 0.3, 0.2, 0.2, 0.2],
  };

  test("by alpha, what is below a node that has become a leaf", () => {
    expect(paths(fallen(model, model, byAlpha, 0.05))).toEqual([]);
    expect(paths(fallen(model, model, byAlpha, 0.1))).toEqual(["0/0", "0/1"]);
    expect(paths(fallen(model, model, byAlpha, 0.2))).toEqual(["0/0", "0/1", "2/1/0", "2/1/1"]);
    expect(fallen(model, model, byAlpha, 0.5).size).toBe(model.size - 1);
  });

  test("by depth, what is deeper", () => {
    const byDepth = { method: "depth", falls_at: Array.from(model.depth) };
    expect(paths(fallen(model, model, byDepth, 2))).toEqual(["2/1/0", "2/1/1"]);
    expect(fallen(model, model, byDepth, 0).size).toBe(model.size - 1);
    expect(fallen(model, model, byDepth, 3).size).toBe(0);
  });

  test("by rows, what has fewer", () => {
    const byRows = { method: "min_samples_split", falls_at: Array.from(model.depth, (d) => 9 - d) };
    expect(paths(fallen(model, model, byRows, 8))).toEqual(["2/1/0", "2/1/1"]);
    expect(fallen(model, model, byRows, 5).size).toBe(0);
  });

  test("by confidence none, since branches move up", () => {
    const byConfidence = { method: "confidence", falls_at: Array.from(model.depth, () => null) };
    expect(fallen(model, model, byConfidence, 0.1).size).toBe(0);
  });

  test("of a pruned tree, its own nodes by the values of the whole one", () => {
    const pruned = treeOf([5, 4, [1, 4]]);
    expect(paths(fallen(pruned, model, byAlpha, 0.2), pruned)).toEqual([]);
    expect(paths(fallen(pruned, model, byAlpha, 0.3), pruned)).toEqual(["2/0", "2/1"]);
  });
});

describe("edits", () => {
  const document: Document = {
    table: { key: "k", hash: "h", name: "golf", target: "play" },
    edits: [{ edit: "cut", at: [0] }],
  };
  const pruned = (method: string, value: number): Document => ({
    ...document,
    edits: [...(document.edits ?? []), pruneEdit(method, value)],
  });

  test("the slider stands where the last edit pruned to", () => {
    for (const method of ["cost_complexity", "depth", "min_samples_split", "confidence"]) {
      const { base, value } = beforePruning(pruned(method, 3), method);
      expect(base.edits).toEqual(document.edits);
      expect(value).toBe(3);
    }
  });

  test("an edit of another kind stays", () => {
    expect(beforePruning(document, "depth")).toEqual({ base: document, value: null });
    const other = pruned("cost_complexity", 0.1);
    expect(beforePruning(other, "depth").base).toBe(other);
    const withMore: Document = {
      ...document,
      edits: [{ edit: "prune", method: "limits", options: { max_depth: 2, min_samples_leaf: 5 } }],
    };
    expect(beforePruning(withMore, "depth").base).toBe(withMore);
  });
});

test("the point of a value, and of the whole tree", () => {
  const point = (value: number, n_leaves: number) => ({
    value,
    n_leaves,
    training: 0,
    validated: null,
    deviation: null,
  });
  const curve = { points: [point(0, 6), point(0.1, 4), point(0.4, 1)] } as PruningCurve;
  expect(unpruned(curve)).toBe(0);
  expect(pointFor(curve, null)).toBe(0);
  expect(pointFor(curve, 0.1)).toBe(1);
  expect(pointFor(curve, 0.39)).toBe(2);
});
