// Rules filtered and sorted.
import { expect, test } from "vitest";
import type { RuleFacts } from "../../messages";
import { listedRules, NO_FILTER, predictionsOf } from "../../src/dock/ruleList";

const rule = (prediction: string, n_rows: number, confidence: number | null): RuleFacts => ({
  conditions: ["a = 1"],
  label: prediction === "no" ? 0 : 1,
  prediction,
  n_rows,
  support: n_rows / 10,
  confidence,
  low: null,
  high: null,
  leaf: [],
});
const rules = [rule("yes", 4, 0.5), rule("no", 1, 1), rule("yes", 4, 1), rule("no", 1, null)];
const order = (...given: Parameters<typeof listedRules>) =>
  listedRules(...given).map(({ position }) => position);

test("without a filter and an order all rules keep their places", () => {
  expect(order(rules, NO_FILTER, null)).toEqual([0, 1, 2, 3]);
});

test("prediction, support and confidence filter", () => {
  expect(order(rules, { ...NO_FILTER, prediction: "no" }, null)).toEqual([1, 3]);
  expect(order(rules, { ...NO_FILTER, minSupport: 0.4 }, null)).toEqual([0, 2]);
  expect(order(rules, { ...NO_FILTER, minConfidence: 0.9 }, null)).toEqual([1, 2]);
});

test("ties keep the order of the answer in both directions", () => {
  expect(order(rules, NO_FILTER, { by: "rows", descending: true })).toEqual([0, 2, 1, 3]);
  expect(order(rules, NO_FILTER, { by: "rows", descending: false })).toEqual([1, 3, 0, 2]);
});

test("a confidence that is not defined is the least", () => {
  expect(order(rules, NO_FILTER, { by: "confidence", descending: true })).toEqual([1, 2, 0, 3]);
});

test("numbers are sorted as numbers", () => {
  const numbers = [9, 10, -1].map((n) => ({ ...rule(String(n), 1, 1), label: -1 }));
  expect(order(numbers, NO_FILTER, { by: "prediction", descending: false })).toEqual([2, 0, 1]);
});

test("predictions are offered once, in the order of the classes", () => {
  expect(predictionsOf(rules)).toEqual(["no", "yes"]);
});
