// What of a tree is in view: subtrees outside are skipped, very narrow ones are one sliver.
import type { Item } from "./layout";

/** How the layout is shown: a point (x, y) of it is at (x * k + dx, y * k + dy) on the stage. */
export interface ViewBox {
  k: number;
  dx: number;
  dy: number;
  width: number;
  height: number;
}

export interface Seen {
  /** Cards, blocks, and the items whose edges are in view. */
  items: Item[];
  /** Subtrees that are narrower than three pixels. */
  slivers: Item[];
}

const SLIVER = 3;
/** Below this scale, cards are painted on the canvas. */
export const NEAR = 0.45;
/** From this scale on, they are painted with their names. */
export const NAMED = 0.26;
export const MOST_CARDS = 200;
const TILE = 256;
export const LEAST_SCALE = 0.001;

/** What is in view, with a margin around it in pixels of the stage. */
export function seen(root: Item, { k, dx, dy, width, height }: ViewBox, margin = 0): Seen {
  const left = (-margin - dx) / k;
  const right = (width + margin - dx) / k;
  const top = (-margin - dy) / k;
  const bottom = (height + margin - dy) / k;
  const found: Seen = { items: [], slivers: [] };
  const stack = [root];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (item.right < left || item.left > right || item.bottom < top) continue;
    // An edge comes from above, so a subtree below the view may still have one in it.
    if ((item.parent?.y ?? item.y) > bottom) continue;
    if (item.children.length > 0 && (item.right - item.left) * k < SLIVER) {
      found.slivers.push(item);
      continue;
    }
    found.items.push(item);
    for (let i = item.children.length - 1; i >= 0; i--) stack.push(item.children[i]);
  }
  return found;
}

/** The cards that become elements: those in view and around it, the nearest to the middle first. */
export function nearCards(root: Item, view: ViewBox): Item[] {
  if (view.k < NEAR) return [];
  const { k, dx, dy, width, height } = view;
  const inside = seen(root, view, TILE).items.filter(({ y, h }) => {
    const top = y * k + dy;
    return top < height + TILE && top + h * k > -TILE;
  });
  if (inside.length <= MOST_CARDS) return inside;
  const distance = (item: Item) =>
    Math.hypot(item.x * k + dx - width / 2, item.y * k + dy - height / 2);
  return [...inside].sort((a, b) => distance(a) - distance(b)).slice(0, MOST_CARDS);
}

/** Changes when the cards have to be chosen again: a tile was left, or the scale changed. */
export const tileOf = ({ k, dx, dy, width, height }: ViewBox): string =>
  [Math.round(k * 1000), Math.floor(dx / TILE), Math.floor(dy / TILE), width, height].join();

/** The item at a point of the stage, for clicks on painted nodes. */
export function itemAt(root: Item, view: ViewBox, px: number, py: number): Item | null {
  const x = (px - view.dx) / view.k;
  const y = (py - view.dy) / view.k;
  const stack = [root];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (x < item.left || x > item.right || y < item.y || y > item.bottom) continue;
    if (Math.abs(x - item.x) <= item.w / 2 && y <= item.y + item.h) return item;
    stack.push(...item.children);
  }
  return null;
}

/** A view that does not lose the tree: some of it stays on the stage. */
export function clamped(
  extent: { left: number; right: number; bottom: number },
  view: ViewBox,
): ViewBox {
  const edge = 80;
  const { k, width, height } = view;
  const between = (value: number, least: number, most: number) =>
    Math.min(Math.max(value, Math.min(least, most)), Math.max(least, most));
  const dx = between(view.dx, edge - extent.right * k, width - edge - extent.left * k);
  const dy = between(view.dy, edge - extent.bottom * k, height - edge);
  return { ...view, dx, dy };
}

/** Narrower stages belong to phones. */
export const NARROW = 700;
/** What is left free at the sides, above and below; tools for fingers are larger. */
const AROUND = [28, 54, 56];
export const BESIDE_TREE = AROUND[1] + AROUND[2];
const TOUCHED = [16, 64, 78];

/** The view that shows everything, but not larger than life. */
export function fitted(
  extent: { left: number; right: number; bottom: number },
  width: number,
  height: number,
  most = 1,
): { k: number; dx: number; dy: number } {
  const [side, above, below] = width < NARROW ? TOUCHED : AROUND;
  const w = extent.right - extent.left;
  const k = Math.min(most, (width - 2 * side) / w, (height - above - below) / extent.bottom);
  const scale = Math.max(k, LEAST_SCALE);
  const dx = width / 2 - ((extent.left + extent.right) / 2) * scale;
  const free = height - above - below - extent.bottom * scale;
  return { k: scale, dx, dy: above + Math.max(0, Math.min(free / 2, 24)) };
}
