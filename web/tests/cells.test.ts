import { describe, expect, it } from "vitest";
import { cellsOf } from "../src/report/cells";

const whole = {
  columns: ["age", "name", "y"],
  numeric: [true, false, false],
  rows: [0, 1, 2],
  cells: [
    ["10", "Ann", "a"],
    ["9", null, "b"],
    [null, "bob", "a"],
  ],
  classes: [0, 1, 0],
  n_found: 3,
  n_first: 0,
  divided: false,
  weights: [],
  visits: [
    [
      { at: [], share: 1 },
      { at: [0], share: 1 },
    ],
    [{ at: [], share: 1 }],
    [
      { at: [], share: 1 },
      { at: [0], share: 0.25 },
    ],
  ],
};

describe("rows in a report", () => {
  it("are sorted by number or text, missing values last", () => {
    expect(cellsOf(whole, { sort: "age" }).rows).toEqual([1, 0, 2]);
    expect(cellsOf(whole, { sort: "age", descending: true }).rows).toEqual([0, 1, 2]);
    expect(cellsOf(whole, { sort: "name" }).rows).toEqual([0, 2, 1]);
  });

  it("are searched in any column and case", () => {
    const found = cellsOf(whole, { search: "BO" });
    expect([found.rows, found.n_found]).toEqual([[2], 1]);
  });

  it("begin with those of a node, and say which part is there", () => {
    const found = cellsOf(whole, { at: [0] });
    expect(found.rows).toEqual([0, 2, 1]);
    expect([found.n_first, found.divided, found.weights]).toEqual([2, true, [1, 0.25, 0]]);
  });

  it("are given in pages, and by number", () => {
    expect(cellsOf(whole, { start: 1, stop: 2 }).rows).toEqual([1]);
    expect(cellsOf(whole, { rows: [2, 0] }).cells).toEqual([whole.cells[2], whole.cells[0]]);
  });
});
