// The way through formulas: each number that is opened, and back to the one before.
import { beforeEach, expect, test } from "vitest";
import { closeFormula, doors, openFormula, select } from "../src/state/store";

const entropy = { at: [], measure: "impurity" };
const gain = { at: [], measure: "score", split: { column: "temperature", cut: 84 } };
const remainder = { ...gain, measure: "remainder" };

beforeEach(() => select([]));

test("the way back leads over all numbers to the first one", () => {
  for (const door of [entropy, gain, remainder]) openFormula(door);
  closeFormula();
  expect(doors.value).toEqual([entropy, gain]);
  closeFormula();
  expect(doors.value).toEqual([entropy]);
});

test("a number that is open already is not opened again", () => {
  openFormula(gain);
  openFormula({ ...gain });
  expect(doors.value).toEqual([gain]);
});
