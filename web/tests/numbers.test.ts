// Given numbers and names as text.
import { expect, test } from "vitest";
import {
  count,
  finePercent,
  NOT_DEFINED,
  percent,
  score,
  shortCount,
  shortWeight,
  value,
  weight,
} from "../src/numbers";
import { slicesOf } from "../src/parts/Bar";
import { condition } from "../src/parts/condition";
import { middle, visible } from "../src/parts/Name";

test("counts and weights on cards are short", () => {
  expect(shortCount(32_561)).toBe("32,561");
  expect(shortCount(1_234_567)).toBe("1.23M");
  expect(shortWeight(787.9123)).toBe("787.9");
  expect(shortWeight(2503.65)).toBe("2,504");
  expect(shortWeight(5)).toBe("5");
});

test("importances have one decimal, and no sign of zero", () => {
  expect([0.0782, -0.0205, -0.0002].map(finePercent)).toEqual(["7.8%", "-2.1%", "0.0%"]);
});

test("scores keep their digits, and large ones need fewer", () => {
  expect(score(0.97095, 4)).toBe("0.9710");
  expect(score(0.42, 2)).toBe("0.42");
  expect(score(165232.9149, 4)).toBe("165,233");
  expect(score(12.34567, 4)).toBe("12.346");
  expect(score(-1e-12, 4)).toBe("0.0000");
  expect(score(-0.25, 2)).toBe("-0.25");
});

test.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY])("%s is not defined", (given) => {
  expect(score(given, 4)).toBe(NOT_DEFINED);
  expect(value(given)).toBe(NOT_DEFINED);
});

test("weights have decimals only where rows are divided", () => {
  expect([5, 0.4, 2.25, 1234].map(weight)).toEqual(["5", "0.4", "2.25", "1,234"]);
});

test("small percentages have a decimal, none of nothing is not defined", () => {
  expect([percent(5, 14), percent(1, 400), percent(0, 3)]).toEqual(["36%", "0.3%", "0%"]);
  expect(percent(0, 0)).toBe(NOT_DEFINED);
});

test("values and counts", () => {
  expect([value(77.5), value(1234567, 3), count(54269)]).toEqual(["77.5", "1,230,000", "54,269"]);
});

test("long names lose their middle, letter by letter", () => {
  expect(middle("abcdefghij", 7)).toBe("abc…hij");
  expect(middle("short", 7)).toBe("short");
  expect([...middle("😀".repeat(20), 9)]).toHaveLength(9);
});

test("control and direction characters become symbols", () => {
  expect(visible("a\u0000b\nc\u007f")).toBe("a␀b␊c␡");
  expect(visible("\u202eevil")).toBe("\ufffdevil");
  expect(visible("")).toBe("␀");
  expect(visible("<b>x</b>")).toBe("<b>x</b>");
});

test("the signs of conditions change, those of names do not", () => {
  expect(condition("<= 77.5")).toBe("≤ 77.5");
  expect(condition("humidity <= 77.5", "humidity")).toBe("humidity ≤ 77.5");
  expect(condition("a <= b <= 3", "a <= b")).toBe("a <= b ≤ 3");
  expect(condition("!= x")).toBe("≠ x");
  expect(condition("= <=50K")).toBe("= <=50K");
});

test("bars show eleven classes and the rest", () => {
  const many = Array.from({ length: 20 }, (_, i) => i + 1);
  const slices = slicesOf(many);
  expect(slices).toHaveLength(12);
  expect(slices[11]).toEqual({ of: -1, part: 45 });
  expect(slicesOf([3, 0, 2])).toEqual([
    { of: 0, part: 3 },
    { of: 2, part: 2 },
  ]);
});
