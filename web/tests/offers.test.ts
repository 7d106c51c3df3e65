// Splits are chosen, previewed, and taken while those that are shown are those of the document.
import { beforeEach, expect, test } from "vitest";
import type { Candidates, Document } from "../messages";
import { chosenOffer, hovered, mark, showOffers, takeOffer, unmark } from "../src/inspect/offers";
import { editsOf, withNote } from "../src/state/document";
import { started } from "../src/state/history";
import { amend, document, history } from "../src/state/store";

const first: Document = { table: { key: "k", hash: "h", name: "golf", target: "play" } };
const offer = { split: { column: "outlook" } };
const found = { at: [], offers: [] } as unknown as Candidates;
const edits = () => editsOf(document.value as Document).length;

beforeEach(() => {
  history.value = started(first);
  showOffers(found, first);
});

test("a second key before the new tree is there takes nothing", () => {
  takeOffer(offer);
  takeOffer(offer);
  expect(edits()).toBe(1);
  showOffers(found, document.value);
  takeOffer(offer);
  expect(edits()).toBe(2);
});

test("the split of the tree is not taken again, which would cut what is below", () => {
  takeOffer({ ...offer, chosen: true });
  expect(edits()).toBe(0);
});

test("a note changes no tree, so its splits can still be taken", () => {
  takeOffer(offer);
  showOffers(found, document.value);
  amend(withNote(document.value as Document, 0, "why"));
  takeOffer(offer);
  expect(edits()).toBe(2);
});

test("the pointer chooses nothing: that is for a click or the keyboard", () => {
  const fit = { refused: "", tied: false, chosen: false };
  const all = { at: [], winner: 0, offers: [fit, fit] } as unknown as Candidates;
  showOffers(all, first);
  hovered.value = 1;
  expect(chosenOffer.value).toBe(0);
  mark(1);
  hovered.value = 0;
  expect(chosenOffer.value).toBe(1);
  unmark();
  expect([chosenOffer.value, hovered.value]).toEqual([0, null]);
});
