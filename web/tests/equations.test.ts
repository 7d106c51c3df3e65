// Where the lines of an equation may break.
import { expect, test } from "vitest";
import type { Part } from "../messages";
import { piecesOf, sidesOf } from "../src/inspect/Equation";

const part = (kind: Part["kind"], text = "", parts: Part[] = []): Part => ({
  kind,
  text,
  parts,
  address: null,
});
const sum = part("sum", "", [part("product", "a"), part("product", "b"), part("minus", "c")]);
const unit = part("unit", "bits");

test("a relation begins a side, and a unit stays with its number", () => {
  const equals = part("relation", "=");
  const call = part("call", "H(S)");
  expect(sidesOf([call, equals, sum, unit])).toEqual([[call], [equals, sum, unit]]);
});

test("a sum breaks between its terms, its unit stays with the last one", () => {
  const [a, b, c] = sum.parts;
  expect(piecesOf([sum, unit], () => false)).toEqual([[a], [b], [c, unit]]);
});

test("a sum that opens a formula of its own stays whole, as does a number", () => {
  expect(piecesOf([sum], () => true)).toEqual([[sum]]);
  const number = part("number", "0.8269");
  expect(piecesOf([number, unit], () => false)).toEqual([[number, unit]]);
});
