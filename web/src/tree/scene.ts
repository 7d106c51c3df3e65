// The stage's part of the state: the layout, the view, and where the keyboard is.
import { computed, effect, signal } from "@preact/signals";
import { isWithin, type Path, pathKey } from "../state/document";
import {
  editable,
  falling,
  fold,
  folded,
  lit,
  next,
  presenting,
  selected,
  step,
  tree,
  treeDocument,
  unfolded,
  unfolding,
} from "../state/store";
import { clamped, fitted, LEAST_SCALE, type ViewBox } from "./cull";
import { type Item, type Laid, layout, openedNodes, openedToFit, without } from "./layout";
import { revealed } from "./stepper";

/** The view; `view.k` in percent is shown in the tools. */
export const view = signal<ViewBox>({ k: 1, dx: 0, dy: 0, width: 0, height: 0 });

/** The size of the stage in steps, so that dragging its edge does not fold node after node. */
const STEP = 160;
const room = computed(() => {
  const { width, height } = view.value;
  return `${Math.round(width / STEP)} ${Math.round(height / STEP)}`;
});

/** Splits that were chosen stay in sight, whatever their support. */
const chosenByHand = computed<ReadonlySet<string>>(() => {
  const paths = new Set<string>();
  for (const edit of treeDocument.value?.edits ?? []) {
    if (edit.edit !== "split") continue;
    for (let n = 0; n <= edit.at.length; n++) paths.add(pathKey(edit.at.slice(0, n)));
  }
  return paths;
});

/** Which inner nodes show their children. */
export const opened = computed<ReadonlySet<number>>(() => {
  const model = tree.value;
  if (model === null) return new Set();
  const unfoldedToo = new Set([...unfolded.value, ...chosenByHand.value]);
  const folds = { folded: folded.value, unfolded: unfoldedToo };
  if (unfolding.value.by !== "fit") {
    return openedNodes(model, { ...folds, unfolding: unfolding.value });
  }
  const [width, height] = room.value.split(" ").map((steps) => Number(steps) * STEP);
  // Before the stage has a size.
  if (width === 0) return openedNodes(model, { ...folds, unfolding: unfolding.value });
  const most = Math.max(1, width / ROOMY);
  const least = (width < NARROW ? 0.46 : READABLE) * most;
  return openedToFit(model, folds, (now) => fitted(now, width, height, most).k >= least);
});

/** The scale from which cards are read with ease; narrow stages have to do with less. */
const READABLE = 0.62;
const NARROW = 700;

const whole = computed<Laid | null>(() =>
  tree.value === null
    ? null
    : layout(tree.value, opened.value, editable.value && !presenting.value),
);

/** While stepping, nodes keep their place from the first step to the last. */
export const laid = computed<Laid | null>(() => {
  const [model, all] = [tree.value, whole.value];
  const steps = step.value === null ? null : revealed.value;
  if (model === null || all === null || steps === null) return all;
  return without(all, (node) => steps.has(pathKey(model.pathOf(node))));
});

/** Whether the tree is fitted to the stage after each change, until the reader moves it. */
export const follows = signal(true);
export const focused = signal<Path>([]);
/** Set by the keyboard, so that the card takes the focus once it is drawn. */
export const wantsFocus = signal(false);

/** Scales at which nothing can be read are not chosen without being asked for. */
const LEAST_READABLE = 0.42;

export function fitAll(whole = true): void {
  const now = laid.peek();
  const { width, height } = view.peek();
  if (now === null || width === 0) return;
  const all = fitted(now, width, height, Math.max(mostScale.peek(), width / ROOMY));
  follows.value = true;
  if (whole || all.k >= LEAST_READABLE) view.value = { ...view.peek(), ...all };
  else view.value = { ...view.peek(), k: 0.6, dx: width / 2, dy: 64 };
}

/** On wider stages, cards become larger when a small tree is fitted. */
const ROOMY = 1900;

/** Presenting enlarges the cards. */
export const mostScale = signal(1);

export const itemOf = (path: Path): Item | null => {
  const model = tree.peek();
  const node = model?.nodeAt(path) ?? -1;
  return laid.peek()?.byNode.get(node) ?? null;
};

/** The same view, moved so that some of the tree is in it. */
export function kept(box: ViewBox): ViewBox {
  const now = laid.peek();
  return now === null ? box : clamped(now, box);
}

/** The selected node if it is in view, otherwise the one nearest to the middle of the stage. */
function focusOf({ k, dx, dy, width, height }: ViewBox): [number, number] {
  const place = ({ x, y }: Item): [number, number] => [x * k + dx, y * k + dy];
  const item = itemOf(selected.peek());
  const [sx, sy] = item === null ? [-1, -1] : place(item);
  if (sx >= 0 && sx <= width && sy >= 0 && sy <= height) return [sx, sy];
  let [best, least]: [[number, number], number] = [[width / 2, height / 2], Infinity];
  for (const other of laid.peek()?.items ?? []) {
    const [x, y] = place(other);
    const distance = Math.hypot(x - width / 2, y - height / 2);
    if (distance < least) [best, least] = [[x, y], distance];
  }
  return best;
}

export function zoomBy(factor: number): void {
  const box = view.peek();
  const { k, dx, dy } = box;
  const next = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, k * factor));
  const [cx, cy] = focusOf(box);
  const [x, y] = [(cx - dx) / k, (cy - dy) / k];
  follows.value = false;
  view.value = kept({ ...box, k: next, dx: cx - x * next, dy: cy - y * next });
}

export const MOST_SCALE = 2.5;

export function zoomTo(k: number): void {
  zoomBy(k / view.peek().k);
}

/** Move the view as little as is needed to see an item. */
export function bring(item: Item, centre = false): void {
  const now = view.peek();
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
  if (inside) return;
  const [dx, dy] = [now.width / 2 - item.x * k, now.height * 0.4 - item.y * k];
  view.value = { ...now, k, dx, dy };
}

/** Bring a node into sight that another view selected: unfolded, and inside of the stage. */
export function show(path: Path): void {
  if (tree.peek() === null || tree.peek()?.nodeAt(path) === -1) return;
  if (itemOf(path) === null) reveal(path);
  const item = itemOf(path);
  const { k, dx, dy, width, height } = view.peek();
  if (item === null || width === 0) return;
  const [x, y] = [item.x * k + dx, item.y * k + dy];
  const half = (item.w * k) / 2;
  const seen = x + half > 0 && x - half < width && y + item.h * k > 0 && y < height;
  if (!seen) bring(item);
}

/** Unfold what is above a node, so that it has a card. */
export function reveal(path: Path): void {
  const model = tree.peek();
  if (model === null) return;
  for (let length = 0; length < path.length; length++) {
    const above = path.slice(0, length);
    if (!opened.peek().has(model.nodeAt(above))) fold(above, false);
  }
}

/** The nodes from the root to the selected one. */
export const selectedLine = computed<ReadonlySet<number>>(() => {
  const model = tree.value;
  const node = model?.nodeAt(selected.value) ?? -1;
  return new Set(model === null || node < 0 ? [] : model.line(node));
});

/** Whether a node is outside of what another view lights, or falls by pruning. */
export const dims = computed<((node: number) => boolean) | null>(() => {
  const now = lit.value;
  const model = tree.value;
  const gone = falling.value;
  if (gone !== null) return (node) => gone.has(node);
  if (now === null || model === null || now.from === "stage" || now.paths.length === 0) return null;
  return (node) => {
    const path = model.pathOf(node);
    return !now.paths.some((other) => isWithin(path, other) || isWithin(other, path));
  };
});

/** How much of a divided row comes to each node on its decision paths. */
export const shares = computed<ReadonlyMap<number, number> | null>(() => {
  const now = lit.value;
  const model = tree.value;
  if (model === null || now?.shares === undefined) return null;
  const found = new Map<number, number>();
  for (const [i, path] of now.paths.entries()) {
    const node = model.nodeAt(path);
    if (node < 0) continue;
    for (const above of model.line(node)) {
      found.set(above, (found.get(above) ?? 0) + (now.shares[i] ?? 0));
    }
  }
  return found;
});

// Keep the keyboard on a node that exists.
effect(() => {
  const model = tree.value;
  if (model !== null && model.nodeAt(focused.peek()) < 0)
    focused.value = model.nearest(focused.peek());
});

// The card of the next open node takes the focus, also from a button that is gone by then.
effect(() => {
  if (next.value === null) return;
  focused.value = next.value;
  wantsFocus.value = true;
});
