import { describe, expect, it } from "vitest";
import { type Item, layout } from "../src/tree/layout";
import type { TreeModel } from "../src/tree/model";
import { between, startsOf } from "../src/tree/motion";
import { randomTree, treeOf } from "./trees";

const whole = (model: TreeModel) =>
  layout(
    model,
    new Set([...Array(model.size).keys()].filter((node) => !model.isLeaf(node))),
    false,
  );

describe("a change of the layout", () => {
  const before = whole(treeOf([2, 0, 0]));
  const after = whole(treeOf([2, 0, 2]));

  it("moves nodes from where they were, and new ones from the node above them", () => {
    const starts = startsOf(before, after);
    const from = (node: number) => starts.get(after.byNode.get(node) as Item);
    for (const node of [0, 1, 2]) expect(from(node)).toBe(before.byNode.get(node));
    for (const added of [3, 4]) expect(from(added)).toBe(before.byNode.get(2));
  });

  it("begins with the former places and ends with the new ones", () => {
    const starts = startsOf(before, after);
    const first = between(starts, after, 0);
    for (const node of [0, 1, 2]) {
      expect(first.byNode.get(node)?.x).toBe(before.byNode.get(node)?.x);
    }
    const last = between(starts, after, 1);
    expect(last.items.map(({ x, y }) => [x, y])).toEqual(after.items.map(({ x, y }) => [x, y]));
  });

  it("keeps edges between the nodes on their way", () => {
    const model = randomTree(3, 40);
    const folded = layout(model, new Set([0]), false);
    const now = between(startsOf(folded, whole(model)), whole(model), 0.5);
    for (const item of now.items) {
      for (const child of item.children) expect(child.parent).toBe(item);
      expect(now.items).toContain(item.parent ?? now.root);
    }
  });
});
