// Conditions with the signs of mathematics, whatever the names of columns hold.
import { expect, test } from "vitest";
import { lastOf, shownCondition } from "../../src/dock/conditions";

test("signs after the name of the column are exchanged, those in names and values stay", () => {
  const columns = ["a", "a <= b", "outlook"];
  expect(shownCondition("a <= 3", columns)).toBe("a ≤ 3");
  expect(shownCondition("a <= b <= 3", columns)).toBe("a <= b ≤ 3");
  expect(shownCondition("outlook = <= 3", columns)).toBe("outlook = <= 3");
  expect(shownCondition("outlook != sunny", columns)).toBe("outlook ≠ sunny");
});

test("of a long path the last conditions are shown", () => {
  expect(lastOf(["a > 1"])).toBe("a > 1");
  expect(lastOf(["a > 1", "b = x", "c ≤ 3"])).toBe("… b = x, c ≤ 3");
});
