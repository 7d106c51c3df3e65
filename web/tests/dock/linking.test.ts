// What the light of one view means in another.
import { expect, test } from "vitest";
import { ends, isLitLeaf, lightOfRow, litShare, sameLight } from "../../src/dock/linking";

const whole = [
  { at: [], share: 1 },
  { at: [1], share: 1 },
  { at: [1, 0], share: 1 },
];
const divided = [
  { at: [], share: 1 },
  { at: [1], share: 0.4 },
  { at: [0], share: 0.6 },
  { at: [0, 2], share: 0.6 },
];

test("a node lights the rows that reach it, each by its part", () => {
  const lit = { from: "stage", paths: [[1]] };
  expect(litShare(lit, 11, divided)).toBe(0.4);
  expect(litShare(lit, 3, whole)).toBe(1);
  expect(litShare({ from: "stage", paths: [[2]] }, 3, whole)).toBe(0);
  expect(litShare(null, 3, whole)).toBe(0);
});

test("rows that are lit by number do not ask for their paths", () => {
  const lit = { from: "quality", paths: [], rows: { rows: [4, 11], weights: [1, 0.5] } };
  expect(litShare(lit, 11, whole)).toBe(0.5);
  expect(litShare(lit, 5, whole)).toBe(0);
});

test("a row ends in its leaf, a divided one in several", () => {
  expect(ends(whole)).toEqual([{ at: [1, 0], share: 1 }]);
  expect(ends(divided)).toEqual([
    { at: [1], share: 0.4 },
    { at: [0, 2], share: 0.6 },
  ]);
  expect(ends([{ at: [], share: 1 }])).toEqual([{ at: [], share: 1 }]);
});

test("a row lights its leaves with their shares", () => {
  expect(lightOfRow("table", 11, divided)).toEqual({
    from: "table",
    paths: [[1], [0, 2]],
    shares: [0.4, 0.6],
    rows: { rows: [11], weights: [1] },
  });
});

test("an inner node lights the leaves below it, and no others", () => {
  const lit = { from: "stage", paths: [[1]] };
  expect(isLitLeaf(lit, [1, 0])).toBe(true);
  expect(isLitLeaf(lit, [0, 2])).toBe(false);
  expect(isLitLeaf(null, [1])).toBe(false);
});

test("a second click is recognised", () => {
  const first = lightOfRow("table", 3, whole);
  expect(sameLight(first, lightOfRow("table", 3, whole))).toBe(true);
  expect(sameLight(first, lightOfRow("table", 4, whole))).toBe(false);
  expect(sameLight(first, lightOfRow("regions", 3, whole))).toBe(false);
});
