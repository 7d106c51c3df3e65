// The line of a card: two counts fit whenever that is possible, and nothing is dropped silently.
import { expect, test } from "vitest";
import { roomFor } from "../src/tree/countRoom";

test("small numbers have room beside the word", () => {
  const room = roomFor({ text: "14 rows", bare: "14", weights: [5, 9] });
  expect(room).toEqual({ word: true, most: 2, all: true });
});

test("two counts take the room of the word", () => {
  const room = roomFor({ text: "1,200 rows", bare: "1,200", weights: [812, 388] });
  expect(room).toEqual({ word: false, most: 2, all: true });
});

test("where only one count has room, not all are told", () => {
  const room = roomFor({ text: "32,561 rows", bare: "32,561", weights: [24720, 7841] });
  expect(room).toMatchObject({ most: 1, all: false });
});

test("of more classes the two largest are shown", () => {
  const room = roomFor({ text: "150 rows", bare: "150", weights: [50, 50, 50] });
  expect(room).toEqual({ word: true, most: 2, all: false });
});

test("classes without rows are none that are left out", () => {
  const room = roomFor({ text: "4 rows", bare: "4", weights: [0, 4, 0] });
  expect(room).toEqual({ word: true, most: 2, all: true });
});
