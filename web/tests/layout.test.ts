// Layout: no two cards overlap, folding by support, blocks of many branches.
import { expect, test } from "vitest";
import {
  CARD,
  type Item,
  LEVEL,
  layout,
  MOST_BRANCHES,
  openedNodes,
  openedToFit,
  without,
} from "../src/tree/layout";
import type { TreeModel } from "../src/tree/model";
import { chainOf, randomTree, treeOf } from "./trees";

const all = {
  unfolding: { by: "all" as const },
  folded: new Set<string>(),
  unfolded: new Set<string>(),
};
const everything = (model: TreeModel) => layout(model, openedNodes(model, all), false);

function overlaps(items: Item[]): [number, number][] {
  const found: [number, number][] = [];
  const byLeft = [...items].sort((a, b) => a.x - a.w / 2 - (b.x - b.w / 2));
  for (const [i, a] of byLeft.entries()) {
    for (let k = i + 1; k < byLeft.length; k++) {
      const b = byLeft[k];
      if (b.x - b.w / 2 >= a.x + a.w / 2) break;
      if (a.y < b.y + b.h && b.y < a.y + a.h) found.push([a.node, b.node]);
    }
  }
  return found;
}

test.each(Array.from({ length: 30 }, (_, seed) => seed))("tree %i has no overlaps", (seed) => {
  const laid = everything(randomTree(seed, 20 + seed * 8, 2 + (seed % 5)));
  expect(overlaps(laid.items)).toEqual([]);
});

test("every node has a card, and parents know their children", () => {
  const model = randomTree(5, 60, 4);
  const laid = everything(model);
  expect(laid.items.length).toBe(model.size);
  for (const item of laid.items) {
    expect(laid.byNode.get(item.node)).toBe(item);
    expect(item.children.map(({ node }) => node)).toEqual(model.children(item.node));
    for (const child of item.children) expect(child.parent).toBe(item);
  }
});

test("the extents of an item hold all below it", () => {
  for (const item of everything(randomTree(8, 90)).items) {
    for (const child of item.children) {
      expect(child.left).toBeGreaterThanOrEqual(item.left);
      expect(child.right).toBeLessThanOrEqual(item.right);
      expect(child.bottom).toBeLessThanOrEqual(item.bottom);
    }
    expect(item.left).toBeLessThanOrEqual(item.x - item.w / 2);
  }
});

test("the root stays where it is, whatever is unfolded", () => {
  const model = randomTree(3, 50);
  const one = layout(model, new Set(), false).root;
  const full = everything(model).root;
  expect([one.x, one.y]).toEqual([full.x, full.y]);
});

test("more than twelve branches are one block, ordered by rows", () => {
  const model = treeOf([MOST_BRANCHES + 3]);
  const laid = everything(model);
  expect(laid.items.map(({ kind }) => kind)).toEqual(["node", "block"]);
  const { members } = laid.items[1];
  expect(members).toHaveLength(MOST_BRANCHES + 3);
  const rows = members.map((node) => model.columns.n_rows[node]);
  expect(rows).toEqual([...rows].sort((a, b) => b - a));
  for (const node of members) expect(laid.byNode.get(node)).toBe(laid.items[1]);
});

test("twelve leaves are cards", () => {
  expect(everything(treeOf([MOST_BRANCHES])).items).toHaveLength(MOST_BRANCHES + 1);
});

test("folded nodes are in the block, unfolded ones are cards beside it", () => {
  const model = treeOf([MOST_BRANCHES + 4, 2, 2, 2]);
  const folded = layout(model, new Set([0]), false);
  expect(folded.items.map(({ kind }) => kind)).toEqual(["node", "block"]);
  const laid = layout(model, new Set([0, 2]), false);
  expect(laid.byNode.get(2)?.kind).toBe("node");
  expect(laid.byNode.get(1)?.members).toHaveLength(MOST_BRANCHES + 3);
});

test("inner nodes stand beside a block without overlaps", () => {
  const laid = everything(treeOf([MOST_BRANCHES + 4, 2, 0, 3]));
  expect(laid.items.filter(({ kind }) => kind === "block")).toHaveLength(1);
  expect(overlaps(laid.items)).toEqual([]);
});

test("nodes with more rows are unfolded first, up to a number of cards", () => {
  const model = randomTree(11, 400, 4);
  const opened = openedNodes(model, { ...all, unfolding: { by: "support", nodes: 60 } });
  const laid = layout(model, opened, false);
  expect(laid.items.length).toBeLessThanOrEqual(60);
  expect(laid.items.length).toBeGreaterThan(40);
  const folded = laid.items.filter(({ hidden }) => hidden > 0);
  const hidden = folded.reduce((sum, item) => sum + item.hidden, 0);
  expect(hidden + laid.items.length).toBe(model.size);
});

test("what fits is unfolded, larger nodes first", () => {
  const model = randomTree(11, 400, 4);
  const readable = ({ items }: { items: Item[] }) => items.length <= 30;
  const opened = openedToFit(model, all, readable);
  const laid = layout(model, opened, false);
  expect(laid.items.length).toBeLessThanOrEqual(30);
  expect(laid.items.length).toBeGreaterThan(24);
  expect(openedToFit(model, { ...all, unfolded: new Set(["0"]) }, () => false).has(0)).toBe(true);
});

test("small trees are not folded", () => {
  const model = treeOf([2, 2, 2]);
  expect([...openedToFit(model, all, () => false)]).toEqual([0, 1, 2]);
});

test("what the reader folds or unfolds comes first", () => {
  const model = treeOf([2, 2, 2]);
  const folded = openedNodes(model, { ...all, folded: new Set(["0"]) });
  expect([...folded]).toEqual([0, 2]);
  const few = { by: "support" as const, nodes: 3 };
  const unfolded = openedNodes(model, { ...all, unfolding: few, unfolded: new Set(["1"]) });
  expect([...unfolded]).toEqual([0, 2]);
});

test("levels and shares of the rows", () => {
  const model = chainOf(6);
  const levels = openedNodes(model, { ...all, unfolding: { by: "depth", depth: 3 } });
  expect(levels.size).toBe(3);
  const share = openedNodes(model, { ...all, unfolding: { by: "share", share: 1 } });
  expect([...share]).toEqual([0]);
});

test("an open leaf keeps room for two branches", () => {
  const open = treeOf([2], [1, 2]);
  const laid = layout(open, new Set([0]), true);
  const plain = layout(open, new Set([0]), false);
  expect(laid.items).toHaveLength(3);
  expect(laid.right - laid.left).toBeGreaterThan(plain.right - plain.left);
  expect(laid.bottom).toBe(2 * LEVEL + CARD.h);
});

test("a chain of 2,000 levels is laid out", () => {
  const laid = everything(chainOf(2_000));
  expect(laid.items).toHaveLength(4_001);
});

test("steps keep the places and hide what is not open yet", () => {
  const model = treeOf([2, 2, 2]);
  const full = everything(model);
  const first = without(full, (node) => node === 0);
  expect(first.items.map(({ node }) => node)).toEqual([0, 1, 2]);
  expect(first.items.map(({ x }) => x)).toEqual([0, 1, 2].map((node) => full.byNode.get(node)?.x));
  expect(first.right).toBe(full.right);
});
