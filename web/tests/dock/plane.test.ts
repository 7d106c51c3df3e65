// Positions on the plane of two columns.
import { expect, test } from "vitest";
import type { AxisFacts } from "../../messages";
import { around, linesOf, placed, pointAt, scaleOf, sparse, spread } from "../../src/dock/plane";

const numbers: AxisFacts = {
  column: "humidity",
  numeric: true,
  least: 60,
  most: 100,
  categories: [],
  ticks: [],
  tick_texts: [],
};
const categories: AxisFacts = {
  ...numbers,
  column: "outlook",
  numeric: false,
  least: -0.5,
  most: 2.5,
  categories: ["overcast", "rain", "sunny"],
};

test("rectangles fill the axes, the vertical one upwards", () => {
  const x = scaleOf(numbers, 50, 250);
  const y = scaleOf(categories, 200, 50);
  const region = { x0: 60, x1: 80, y0: -0.5, y1: 0.5, leaf: [], label: 0, prediction: null };
  expect(placed(region, x, y)).toEqual({ left: 50, top: 150, width: 100, height: 50 });
});

test("an axis of one value has it in the middle", () => {
  expect(scaleOf({ ...numbers, most: 60 }, 0, 100).at(60)).toBe(50);
});

test("rows of a category stay in its band", () => {
  const x = scaleOf(categories, 0, 300);
  const y = scaleOf(numbers, 100, 0);
  for (let row = 0; row < 500; row++) {
    expect(Math.abs(spread(row, 0))).toBeLessThanOrEqual(0.3);
    const at = pointAt(
      { row, x: 1, y: 70, label: 0, leaf: [] },
      { x: categories, y: numbers },
      x,
      y,
    );
    expect(at.x).toBeGreaterThan(100);
    expect(at.x).toBeLessThan(200);
    expect(at.y).toBe(75);
  }
});

test("a threshold is a line on its own axis only", () => {
  expect(linesOf({ column: "humidity", cut: 77.5 }, numbers)).toEqual([77.5]);
  expect(linesOf({ column: "humidity", cut: 77.5 }, categories)).toEqual([]);
});

test("categories are bounded on both sides, without lines between neighbours", () => {
  expect(linesOf({ column: "outlook", is: "rain" }, categories)).toEqual([0.5, 1.5]);
  expect(linesOf({ column: "outlook", is: "sunny" }, categories)).toEqual([1.5]);
  expect(linesOf({ column: "outlook", in: ["rain", "sunny"] }, categories)).toEqual([0.5]);
  expect(linesOf({ column: "outlook" }, categories)).toEqual([]);
});

test("ticks keep their distance", () => {
  const ticks = [0, 10, 20, 30, 40].map((at) => ({ at }));
  expect(sparse(ticks, 20).map(({ at }) => at)).toEqual([0, 20, 40]);
  expect(sparse(ticks, 5)).toHaveLength(5);
});

test("the box around rectangles", () => {
  expect(around([])).toBeNull();
  const boxes = [
    { left: 10, top: 5, width: 10, height: 10 },
    { left: 15, top: 0, width: 20, height: 8 },
  ];
  expect(around(boxes)).toEqual({ left: 10, top: 0, width: 25, height: 15 });
});
