// Documents, history and addresses: pure functions.
import { expect, test } from "vitest";
import type { Document, TableFacts } from "../messages";
import {
  checkedPlace,
  decodePlace,
  encodePlace,
  fragmentParts,
  fromBase64Url,
  LONGEST,
  toBase64Url,
} from "../src/state/address";
import {
  canonical,
  editsOf,
  hashOf,
  isWithin,
  newDocument,
  pathKey,
  pathOf,
  splitEdit,
  upTo,
  withEdit,
  withNote,
  withoutEdit,
  withSettings,
} from "../src/state/document";
import { amended, pushed, redone, started, undone } from "../src/state/history";

const facts = {
  key: "k",
  hash: "h",
  name: "golf.csv",
  target: "play",
  task: "classification",
  drop: [],
} as unknown as TableFacts;

const open: Document = newDocument(facts, { learner: "id3", start: "open" });
const outlook = splitEdit([], { column: "outlook" });
const windy = splitEdit([1], { column: "windy" });

test("a new document is about its table and has no edits", () => {
  expect(open.table).toEqual({
    key: "k",
    hash: "h",
    name: "golf.csv",
    target: "play",
    drop: [],
    task: "classification",
  });
  expect(editsOf(open)).toEqual([]);
});

test("edits are added, taken out, and cut off without changing the document before", () => {
  const two = withEdit(withEdit(open, outlook), windy);
  expect(editsOf(two)).toEqual([outlook, windy]);
  expect(editsOf(withoutEdit(two, 0))).toEqual([windy]);
  expect(editsOf(upTo(two, 1))).toEqual([outlook]);
  expect(editsOf(open)).toEqual([]);
});

test("a note changes the edit and not the hash", () => {
  const one = withEdit(open, outlook);
  const noted = withNote(one, 0, "few rows");
  expect(editsOf(noted)[0].why).toBe("few rows");
  expect(hashOf(noted)).toBe(hashOf(one));
});

test("hashes follow settings and the order of edits", () => {
  const two = withEdit(withEdit(open, outlook), windy);
  const turned = withEdit(withEdit(open, windy), outlook);
  const other = withSettings(two, { learner: "c45", start: "open" });
  expect(new Set([open, two, turned, other].map(hashOf)).size).toBe(4);
  expect(hashOf({ ...two })).toBe(hashOf(two));
});

test("canonical JSON sorts keys and leaves out what is not set", () => {
  const value = { b: [1, { d: null, c: "x" }], a: undefined, e: 0, f: false };
  expect(canonical(value)).toBe('{"b":[1,{"c":"x"}],"e":0,"f":false}');
  expect(canonical(null)).toBe("null");
});

test("paths are text and back, and know what is within what", () => {
  expect([[], [2], [2, 0, 11]].map(pathKey)).toEqual(["", "2", "2/0/11"]);
  expect(["", "2", "2/0/11"].map(pathOf)).toEqual([[], [2], [2, 0, 11]]);
  expect(isWithin([2, 0], [2])).toBe(true);
  expect(isWithin([2, 0], [2, 0])).toBe(true);
  expect(isWithin([2], [2, 0])).toBe(false);
  expect(isWithin([1, 0], [2])).toBe(false);
});

test("undo and redo move along the history; an edit ends the future", () => {
  const three = pushed(pushed(started("a"), "b"), "c");
  const back = undone(three);
  expect(back.now).toBe("b");
  expect(redone(back)).toEqual(three);
  expect(pushed(back, "d")).toEqual({ past: ["a", "b"], now: "d", future: [] });
  expect(undone(started("a"))).toEqual(started("a"));
  expect(redone(three)).toBe(three);
  expect(amended(back, "B")).toEqual({ past: ["a"], now: "B", future: ["c"] });
});

test("a history shares its documents", () => {
  const first = withEdit(open, outlook);
  const all = undone(pushed(started(first), withEdit(first, windy)));
  expect(all.now).toBe(first);
});

const place = { document: withEdit(open, outlook), view: { selected: [1], digits: 3, step: 7 } };

test("a place survives the address", async () => {
  const encoded = await encodePlace(place);
  expect(encoded).toMatch(/^[\w-]+$/);
  expect(await decodePlace(encoded as string)).toEqual(place);
});

test("names of any letters survive the address", async () => {
  const table = { ...open.table, name: "ünï</script>\u202e 表.csv", target: "" };
  const strange = { document: { ...open, table }, view: { selected: [] } };
  expect(await decodePlace((await encodePlace(strange)) as string)).toEqual(strange);
});

test("a document that is too long has no address", async () => {
  const why = Array.from({ length: 9000 }, (_, i) => ((i * 7919) % 9973).toString(36)).join("");
  const long = { ...place, document: withNote(place.document, 0, why) };
  expect(why.length).toBeGreaterThan(LONGEST);
  expect(await encodePlace(long)).toBeNull();
});

test.each(["", "a", "%%%", "AAAA", toBase64Url(new TextEncoder().encode("{}"))])(
  "%j is no place",
  async (text) => {
    expect(await decodePlace(text)).toBeNull();
  },
);

test.each([
  null,
  1,
  {},
  { document: {} },
  { document: { table: { hash: "h", target: "t" }, edits: 1 } },
])("%j is not a sound place", (value) => {
  expect(checkedPlace(value)).toBeNull();
});

test("a place without a view shows the root", () => {
  expect(checkedPlace({ document: open })?.view.selected).toEqual([]);
});

test("the fragment has a token, a place, or both", () => {
  expect(fragmentParts("#t=abc")).toEqual({ token: "abc", place: undefined });
  expect(fragmentParts("#d=xyz&t=abc")).toEqual({ token: "abc", place: "xyz" });
  expect(fragmentParts("")).toEqual({ token: undefined, place: undefined });
});

test("base64url holds all bytes", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
});
