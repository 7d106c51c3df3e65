// The lines of the outline, and its keys.
import { describe, expect, test } from "vitest";
import { linesOf, moved, openAtFirst } from "../../src/dock/outlineRows";
import { treeOf } from "./trees";

const model = treeOf([[3, 2], 4, [1, [2, 2]]]);
const all = () => true;

describe("lines", () => {
  test("all open: every node once, in the order of reading", () => {
    const lines = linesOf(model, all);
    expect(lines).toHaveLength(model.size);
    expect(lines.map(({ node }) => model.pathOf(node).join("/"))).toEqual([
      "",
      "0",
      "0/0",
      "0/1",
      "1",
      "2",
      "2/0",
      "2/1",
      "2/1/0",
      "2/1/1",
    ]);
    expect(lines[5]).toMatchObject({ level: 2, place: 3, siblings: 3, open: true });
  });

  test("closed nodes hide what is below them; a leaf is never open", () => {
    const lines = linesOf(model, (node) => node === 0);
    expect(lines.map(({ level }) => level)).toEqual([1, 2, 2, 2]);
    expect(lines[2].open).toBe(false);
  });

  test("the heaviest nodes are open at first", () => {
    const open = openAtFirst(model, 6);
    expect([...open].map((node) => model.pathOf(node).join("/"))).toEqual(["", "0"]);
    expect(openAtFirst(model, 1).has(0)).toBe(true);
  });
});

describe("keys", () => {
  const lines = linesOf(model, all);
  test.each([
    ["ArrowDown", 0, { to: 1 }],
    ["ArrowUp", 0, null],
    ["ArrowRight", 0, { to: 1 }],
    ["ArrowLeft", 1, { close: lines[1].node }],
    ["ArrowLeft", 3, { to: 1 }],
    ["Home", 5, { to: 0 }],
    ["End", 0, { to: lines.length - 1 }],
    ["x", 0, null],
  ])("%s at line %i", (key, at, move) => {
    expect(moved(key, at, lines, model.isLeaf(lines[at].node))).toEqual(move);
  });

  test("right opens a closed node, and does nothing at a leaf", () => {
    const closed = linesOf(model, (node) => node === 0);
    expect(moved("ArrowRight", 1, closed, false)).toEqual({ open: closed[1].node });
    expect(moved("ArrowRight", 2, closed, true)).toBeNull();
  });
});
