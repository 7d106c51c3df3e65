// The list of edits, and where each of them stands in the history.
import { expect, test } from "vitest";
import type { Document } from "../../messages";
import { documentOf, longest, placeOf } from "../../src/dock/steps";
import { upTo, withNote } from "../../src/state/document";
import { pushed, started, undone, visited } from "../../src/state/history";

const table = { key: "k", hash: "h", name: "golf", target: "play" };
const cuts = (...branches: number[]): Document => ({
  table,
  edits: branches.map((branch) => ({ edit: "cut", at: [branch] })),
});
const three = [cuts(0), cuts(0, 1), cuts(0, 1, 2)].reduce(pushed, started(cuts()));

test("edits after the shown state stay in the list", () => {
  expect(longest(three)).toBe(three.now);
  expect(longest(undone(undone(three)))).toBe(three.now);
  expect(longest(visited(three, 0))).toBe(three.now);
});

test("another way from there starts another list", () => {
  const other = pushed(undone(undone(three)), cuts(0, 5));
  expect(longest(other)).toBe(other.now);
});

test("other settings start another list", () => {
  const settings = { ...cuts(), settings: { learner: "cart" } };
  expect(longest(pushed(three, settings))).toBe(settings);
});

test("a state is found in the history whatever its notes", () => {
  const noted = withNote(three.now, 0, "because");
  expect(placeOf(three, upTo(noted, 1))).toBe(1);
  expect(placeOf(three, cuts(7))).toBe(-1);
});

test("a visit moves what is shown and loses nothing", () => {
  const there = visited(three, 1);
  expect(there.now).toBe(three.past[1]);
  expect(visited(there, 3)).toEqual(three);
  expect(visited(three, 9)).toBe(three);
});

test("a file holds a document, with its view or without", () => {
  const document = cuts(0);
  expect(documentOf(JSON.stringify(document))).toEqual(document);
  expect(documentOf(JSON.stringify({ document, view: { selected: [] } }))).toEqual(document);
  for (const content of ["", "[]", "null", "{}", '{"table": {"hash": 3}}', "{"]) {
    expect(documentOf(content)).toBeNull();
  }
});
