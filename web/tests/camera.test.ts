// Fit: all of a tree as long as names can be painted, its top at a scale to read otherwise.
import { beforeEach, expect, test } from "vitest";
import { ghost, presenting, tree, unfolding } from "../src/state/store";
import { extent, fitAll } from "../src/tree/camera";
import { NAMED } from "../src/tree/cull";
import { CARD } from "../src/tree/layout";
import { put, view } from "../src/tree/view";
import { chainOf, treeOf } from "./trees";

beforeEach(() => {
  presenting.value = false;
  ghost.value = null;
  put({ k: 1, dx: 0, dy: 0, width: 1048, height: 552 });
});

test("a deep tree of few nodes is shown whole, in a size in which it has names", () => {
  tree.value = chainOf(8);
  fitAll({ whole: false });
  const { k, dy, height } = view.value;
  expect(k).toBeGreaterThanOrEqual(NAMED);
  expect((extent()?.bottom ?? 0) * k + dy).toBeLessThan(height);
});

test("of a tree without names at that size, the top is shown", () => {
  unfolding.value = { by: "all" };
  tree.value = chainOf(40);
  fitAll({ whole: false });
  expect(view.value.k).toBe(0.6);
  fitAll();
  expect(view.value.k).toBeLessThan(NAMED);
});

test("a class is shown all branches of a split that is looked at", () => {
  tree.value = treeOf([0]);
  const branches = Array.from({ length: 5 }, () => ({}));
  ghost.value = {
    at: [],
    offer: { split: {}, text: "", branches },
  } as unknown as typeof ghost.value;
  const alone = extent();
  presenting.value = true;
  const shown = extent();
  expect(alone?.right).toBe(CARD.w / 2);
  expect(shown?.right).toBeGreaterThan(2 * CARD.w);
  expect(shown?.left).toBe(-(shown?.right ?? 0));
});
