// Motion of 150 ms: the way of the nodes from one layout to the next, and of the view.
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { printing } from "../state/store";
import type { Item, Laid } from "./layout";

const LASTS = 150;
/** Larger pictures change at once: so many moving cards would cost frames. */
const MOST_MOVED = 200;

const still = (): boolean =>
  printing.peek() ||
  typeof matchMedia === "undefined" ||
  matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Call for each frame with the part of the way, at last with 1; gives a function that ends it. */
export function frames(step: (share: number) => void): () => void {
  if (still()) {
    step(1);
    return () => {};
  }
  const begin = performance.now();
  let frame = 0;
  const next = (now: number) => {
    const part = Math.min(1, Math.max(0, (now - begin) / LASTS));
    frame = requestAnimationFrame(next);
    if (part === 1) cancelAnimationFrame(frame);
    step(1 - (1 - part) ** 3);
  };
  frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
}

/** Where the nodes are drawn: in their places, or on the way from the former ones. */
export function inMotion(laid: ReadonlySignal<Laid | null>): ReadonlySignal<Laid | null> {
  const drawn = signal<Laid | null>(null);
  let halt = () => {};
  effect(() => {
    const [now, former] = [laid.value, drawn.peek()];
    halt();
    if (now === null || former === null || !canMove(former, now)) {
      drawn.value = now;
      return;
    }
    const from = startsOf(former, now);
    halt = frames((share) => {
      drawn.value = share === 1 ? now : between(from, now, share);
    });
  });
  return drawn;
}

const canMove = (former: Laid, now: Laid): boolean =>
  Math.max(former.items.length, now.items.length) <= MOST_MOVED;

/** Where each item comes from: its own former place, or that of the nearest node above it. */
export function startsOf(former: Laid, now: Laid): Map<Item, Item> {
  const starts = new Map<Item, Item>();
  for (const item of now.items) {
    const path = former.model.nearest(now.model.pathOf(item.members[0] ?? item.node));
    for (let length = path.length; length >= 0 && !starts.has(item); length--) {
      const start = former.byNode.get(former.model.nodeAt(path.slice(0, length)));
      if (start !== undefined) starts.set(item, start);
    }
  }
  return starts;
}

/** A layout on the way to another: the same items, each a part of the way from its start. */
export function between(from: ReadonlyMap<Item, Item>, now: Laid, share: number): Laid {
  const copies = new Map<Item, Item>();
  for (const item of now.items) {
    const start = from.get(item) ?? item;
    const x = start.x + (item.x - start.x) * share;
    const y = start.y + (item.y - start.y) * share;
    // What is on its way may be anywhere, so nothing is left out as if it was out of view.
    copies.set(item, { ...item, x, y, left: now.left, right: now.right, bottom: now.bottom });
  }
  const copyOf = (item: Item) => copies.get(item) as Item;
  for (const copy of copies.values()) {
    copy.children = copy.children.map(copyOf);
    if (copy.parent !== null) copy.parent = copyOf(copy.parent);
  }
  const byNode = new Map([...now.byNode].map(([node, item]) => [node, copyOf(item)]));
  return { ...now, root: copyOf(now.root), items: now.items.map(copyOf), byNode };
}
