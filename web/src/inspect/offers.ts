// The splits of the selected node, the one that is marked, and what is previewed of it.
import { computed, effect, signal } from "@preact/signals";
import type { CandidateFacts, Candidates, Document, Split } from "../../messages";
import { known } from "../link/transport";
import { hashOf, type Path, pathKey } from "../state/document";
import {
  derivable,
  document,
  ghost,
  member,
  selected,
  step,
  takeSplit,
  tree,
  treeDocument,
} from "../state/store";
import { within } from "../tree/stepper";

/** What is asked about the selected node; null while there is nothing to ask. */
export const candidatesRequest = computed(() => {
  const [model, document, at] = [tree.value, treeDocument.value, selected.value];
  if (model === null || document === null || !derivable.value || model.nodeAt(at) < 0) return null;
  const request = { document, at, member: member.value, most: 200 };
  return known("candidates", request) ? request : null;
});

/** The answer for the selected node, once it is there. */
export const offers = signal<Candidates | null>(null);

/** The document that they are about. */
let offersOf: Document | null = null;

export function showOffers(found: Candidates | null, about: Document | null): void {
  offersOf = about;
  offers.value = found;
}

/** The position that a click or the keyboard chose. */
export const clicked = signal<number | null>(null);
/** The one that the pointer is on: it is previewed on the stage, and nothing else changes. */
export const hovered = signal<number | null>(null);
/** A threshold that the reader moved to, measured. */
export const moved = signal<{ at: Path; offer: CandidateFacts } | null>(null);

/** The offer that a step is about, -1 for a question; null if no step is about the splits. */
export function offerOfStep({ offers }: Candidates): number | null {
  const at = within.value;
  if (at === null || (at.last && at.split === null)) return null;
  return offers.findIndex(({ text }) => text === at.split);
}

/**
 * The clicked offer, otherwise that of the step, otherwise the node's own, otherwise the learner's
 * unless it is tied.
 */
export const chosenOffer = computed<number | null>(() => {
  const now = offers.value;
  if (now === null) return null;
  if (clicked.value !== null && clicked.value < now.offers.length) return clicked.value;
  const shown = offerOfStep(now);
  if (shown !== null) return shown < 0 ? null : shown;
  const own = now.offers.findIndex(({ chosen }) => chosen);
  if (own >= 0) return own;
  const best = now.winner ?? (now.offers[0]?.refused === "" ? 0 : null);
  return best === null || now.offers[best]?.tied ? null : best;
});

/** While stepping, the offers that were shown so far. */
export const shownOffers = computed<CandidateFacts[]>(() => {
  const all = offers.value?.offers ?? [];
  const at = within.value;
  return at === null || at.last ? all : all.slice(0, at.position);
});

export const chosen = computed<CandidateFacts | null>(() => {
  const now = offers.value;
  if (moved.value !== null && now !== null && pathKey(moved.value.at) === pathKey(now.at)) {
    return moved.value.offer;
  }
  return chosenOffer.value === null ? null : (now?.offers[chosenOffer.value] ?? null);
});

/**
 * Take a split, unless the tree has it, or a tree or its splits are on their way: then they are not
 * those shown.
 */
export function takeOffer(offer: { split: Split; chosen?: boolean }): void {
  const now = document.peek();
  if (offer.chosen) return;
  if (now === null || offersOf === null || hashOf(offersOf) !== hashOf(now)) return;
  unmark();
  takeSplit(selected.value, offer.split);
}

export function unmark(): void {
  hovered.value = null;
  mark(null);
}

export function mark(position: number | null): void {
  moved.value = null;
  clicked.value = position;
}

// The next step marks its own split.
effect(() => {
  if (step.value !== null) unmark();
});

// The children of the hovered or the chosen split are previewed; those of an inner node never.
effect(() => {
  const [now, model] = [offers.value, tree.value];
  const offer = now?.offers[hovered.value ?? -1] ?? chosen.value;
  const node = model?.nodeAt(selected.value) ?? -1;
  const steps = within.value;
  const asked =
    hovered.value !== null || clicked.value !== null || moved.value !== null || steps !== null;
  const waits =
    model !== null && node >= 0 && (model.isLeaf(node) || (steps !== null && !steps.last));
  const shows =
    now !== null &&
    offer !== null &&
    model !== null &&
    node >= 0 &&
    (!offer.chosen || steps !== null) &&
    pathKey(now.at) === pathKey(selected.value) &&
    waits &&
    (asked || model.isOpen(node));
  ghost.value = shows ? { at: selected.value, offer } : null;
});
