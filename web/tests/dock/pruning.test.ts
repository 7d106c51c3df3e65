// Labels of curves that end close to each other.
import { expect, test } from "vitest";
import { apart } from "../../src/dock/apart";

test("labels keep their heights where there is room", () => {
  expect(apart([10, 60, 120], 14)).toEqual([10, 60, 120]);
  expect(apart([], 14)).toEqual([]);
});

test("labels that would overlap are moved apart, in their order", () => {
  expect(apart([50, 52], 14)).toEqual([44, 58]);
  const [first, second, third] = apart([50, 46, 48], 14);
  expect(third - second).toBeGreaterThan(13);
  expect(first - third).toBeGreaterThan(13);
});
