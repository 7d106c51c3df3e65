// Moves of the view: fit, zoom, bring a node into sight.
import { signal } from "@preact/signals";
import type { Path } from "../state/document";
import { fold, presenting } from "../state/store";
import { clamped, fitted, LEAST_SCALE, NAMED, type ViewBox } from "./cull";
import { CARD, type Item, type Laid, LEVEL } from "./layout";
import { other } from "./other";
import { ghostX, MOST_GHOSTS, TINY } from "./paint";
import { own, ROOMY, type Scene } from "./scene";
import { aim, follows, glide, put, view } from "./view";

export const MOST_SCALE = 2.5;

/** Presenting enlarges the cards. */
export const mostScale = signal(1);

type Extent = Pick<Laid, "left" | "right" | "bottom">;

/** What all stages together cover; their roots are at one place. */
export function extent(): Extent | null {
  const all = [own.laid.peek(), other.laid.peek(), ghostExtent()];
  const shown = all.filter((laid) => laid !== null);
  if (shown.length === 0) return null;
  return {
    left: Math.min(...shown.map(({ left }) => left)),
    right: Math.max(...shown.map(({ right }) => right)),
    bottom: Math.max(...shown.map(({ bottom }) => bottom)),
  };
}

/** A class is shown all branches of a split that is looked at; otherwise the tree stays in its place. */
function ghostExtent(): Extent | null {
  const looked = presenting.peek() ? own.ghost.peek() : null;
  const item = looked === null ? null : itemOf(looked.at);
  if (looked === null || item === null) return null;
  const n = looked.offer.branches.length;
  return {
    left: ghostX(item, 0, n) - CARD.w / 2,
    right: ghostX(item, Math.min(n, MOST_GHOSTS) - 1, n) + CARD.w / 2,
    bottom: item.y + LEVEL + CARD.h,
  };
}

interface Fit {
  /** Everything, even if it cannot be read then. */
  whole?: boolean;
  /** Without motion, such as while the stage is resized. */
  atOnce?: boolean;
}

export function fitAll({ whole = true, atOnce = false }: Fit = {}): void {
  const all = extent();
  const { width, height } = view.peek();
  if (all === null || width === 0) return;
  const fit = fitted(all, width, height, Math.max(mostScale.peek(), width / ROOMY));
  follows.value = true;
  // Scales at which nothing can be read are not chosen without being asked for; trees that are
  // compared may show no more than their shapes.
  const least = other.laid.peek() === null ? NAMED : TINY;
  (atOnce ? put : glide)(whole || fit.k >= least ? fit : { k: 0.6, dx: width / 2, dy: 64 });
}

export const itemOf = (path: Path, scene: Scene = own): Item | null => {
  const node = scene.tree.peek()?.nodeAt(path) ?? -1;
  return scene.laid.peek()?.byNode.get(node) ?? null;
};

/** The same view, moved so that some of the tree is in it. */
export function kept(box: ViewBox): ViewBox {
  const all = extent();
  return all === null ? box : clamped(all, box);
}

/** The selected node if it is in view, otherwise the one nearest to the middle of the stage. */
function focusOf({ k, dx, dy, width, height }: ViewBox): [number, number] {
  const place = ({ x, y }: Item): [number, number] => [x * k + dx, y * k + dy];
  const item = itemOf(own.selected.peek());
  const [sx, sy] = item === null ? [-1, -1] : place(item);
  if (sx >= 0 && sx <= width && sy >= 0 && sy <= height) return [sx, sy];
  let [best, least]: [[number, number], number] = [[width / 2, height / 2], Infinity];
  for (const item of own.laid.peek()?.items ?? []) {
    const [x, y] = place(item);
    const distance = Math.hypot(x - width / 2, y - height / 2);
    if (distance < least) [best, least] = [[x, y], distance];
  }
  return best;
}

export function zoomBy(factor: number): void {
  const box = aim();
  const { k, dx, dy } = box;
  const next = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, k * factor));
  const [cx, cy] = focusOf(box);
  const [x, y] = [(cx - dx) / k, (cy - dy) / k];
  follows.value = false;
  glide(kept({ ...box, k: next, dx: cx - x * next, dy: cy - y * next }));
}

export const zoomTo = (k: number): void => zoomBy(k / aim().k);

/** The reader moves the view: it goes along at once, and stays there. */
export function drag(place: Pick<ViewBox, "k" | "dx" | "dy">): void {
  follows.value = false;
  put(kept({ ...view.peek(), ...place }));
}

/** Move the view as little as is needed to see an item. */
export function bring(item: Item, centre = false): void {
  const now = aim();
  const k = centre ? Math.max(now.k, 0.7) : now.k;
  const edge = 24;
  const left = (item.x - item.w / 2) * k + now.dx;
  const top = item.y * k + now.dy;
  const inside =
    k === now.k &&
    left >= edge &&
    left + item.w * k <= now.width - edge &&
    top >= edge &&
    top + item.h * k <= now.height - edge;
  if (!inside) glide({ k, dx: now.width / 2 - item.x * k, dy: now.height * 0.4 - item.y * k });
}

/** Bring a node into sight that another view selected: unfolded, and inside of the stage. */
export function show(path: Path): void {
  const model = own.tree.peek();
  if (model === null || model.nodeAt(path) === -1) return;
  if (itemOf(path) === null) reveal(path);
  const item = itemOf(path);
  const { k, dx, dy, width, height } = aim();
  if (item === null || width === 0) return;
  const [x, y] = [item.x * k + dx, item.y * k + dy];
  const middle = y + (item.h * k) / 2;
  const seen = x > 0 && x < width && middle > 0 && middle < height;
  if (!seen) bring(item);
}

/** Unfold what is above a node, so that it has a card. */
export function reveal(path: Path): void {
  const model = own.tree.peek();
  if (model === null) return;
  for (let length = 0; length < path.length; length++) {
    const above = path.slice(0, length);
    if (!own.opened.peek().has(model.nodeAt(above))) fold(above, false);
  }
}
