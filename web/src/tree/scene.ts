// What a stage shows: a tree and its layout, what is marked in it, and where the keyboard is.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isWithin, type Path, pathKey } from "../state/document";
import {
  editable,
  falling,
  fold,
  folded,
  type Ghost,
  ghost,
  light,
  lit,
  next,
  pin,
  select,
  selected,
  step,
  tree,
  treeDocument,
  unfolded,
  unfolding,
} from "../state/store";
import { fitted, NARROW } from "./cull";
import { type Folds, type Laid, layout, openedNodes, openedToFit, without } from "./layout";
import type { TreeModel } from "./model";
import { inMotion } from "./motion";
import { revealed } from "./stepper";
import { view } from "./view";

export interface Scene {
  tree: ReadonlySignal<TreeModel | null>;
  /** Which inner nodes show their children. */
  opened: ReadonlySignal<ReadonlySet<number>>;
  /** Where the nodes belong. */
  laid: ReadonlySignal<Laid | null>;
  /** Where they are drawn, which is on the way there after a change. */
  drawn: ReadonlySignal<Laid | null>;
  selected: ReadonlySignal<Path>;
  /** The nodes from the root to the selected one. */
  line: ReadonlySignal<ReadonlySet<number>>;
  focused: Signal<Path>;
  /** Set by the keyboard, so that the card takes the focus once it is drawn. */
  wantsFocus: Signal<boolean>;
  /** Whether a node is outside of what another view lights, or falls by pruning. */
  dims: ReadonlySignal<((node: number) => boolean) | null>;
  /** How much of a divided row comes to each node on its decision paths. */
  shares: ReadonlySignal<ReadonlyMap<number, number> | null>;
  /** A split that is looked at but not taken. */
  ghost: ReadonlySignal<Ghost | null>;
  /** A leaf without a split that the learner would make, or a node whose step is still to come. */
  waits(node: number, path: Path): boolean;
  choose(path: Path): void;
  fold(path: Path, closed: boolean): void;
  light(path: Path | null): void;
}

// ---------------------------------------------------------------- layout

/** The size of the stage in steps, so that dragging its edge does not fold node after node. */
const STEP = 160;
const room = computed(() => {
  const { width, height } = view.value;
  return `${Math.round(width / STEP)} ${Math.round(height / STEP)}`;
});

/** The scale from which cards are read with ease; narrow stages have to do with less. */
const READABLE = 0.62;
/** On wider stages, cards become larger when a small tree is fitted. */
export const ROOMY = 1900;

/** The inner nodes to open: those asked for, or those that fit on the stage. */
export function openedOn(model: TreeModel, folds: Folds): ReadonlySet<number> {
  const [width, height] = room.value.split(" ").map((steps) => Number(steps) * STEP);
  // A stage has no size at first.
  if (folds.unfolding.by !== "fit" || width === 0) return openedNodes(model, folds);
  const most = Math.max(1, width / ROOMY);
  const least = (width < NARROW ? 0.46 : READABLE) * most;
  return openedToFit(model, folds, (now) => fitted(now, width, height, most).k >= least);
}

/** The keys of a path and of all nodes above it. */
export const keysTo = (path: Path): string[] =>
  Array.from({ length: path.length + 1 }, (_, n) => pathKey(path.slice(0, n)));

export const lineTo = (model: TreeModel | null, path: Path): ReadonlySet<number> => {
  const node = model?.nodeAt(path) ?? -1;
  return new Set(model === null || node < 0 ? [] : model.line(node));
};

// ---------------------------------------------------------------- the tree of the document

/** Splits that were chosen stay in sight, whatever their support. */
const chosenByHand = computed<ReadonlySet<string>>(() => {
  const edits = treeDocument.value?.edits ?? [];
  return new Set(edits.flatMap((edit) => (edit.edit === "split" ? keysTo(edit.at) : [])));
});

const opened = computed<ReadonlySet<number>>(() =>
  tree.value === null
    ? new Set()
    : openedOn(tree.value, {
        folded: folded.value,
        unfolded: new Set([...unfolded.value, ...chosenByHand.value]),
        unfolding: unfolding.value,
      }),
);

const whole = computed<Laid | null>(() =>
  tree.value === null ? null : layout(tree.value, opened.value, editable.value),
);

/** While stepping, nodes keep their place from the first step to the last. */
const laid = computed<Laid | null>(() => {
  const [model, all] = [tree.value, whole.value];
  const steps = step.value === null ? null : revealed.value;
  if (model === null || all === null || steps === null) return all;
  return without(all, (node) => steps.has(pathKey(model.pathOf(node))));
});

const dims = computed<((node: number) => boolean) | null>(() => {
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

const shares = computed<ReadonlyMap<number, number> | null>(() => {
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

const focused = signal<Path>([]);
const wantsFocus = signal(false);

export const own: Scene = {
  tree,
  opened,
  laid,
  drawn: inMotion(laid),
  selected,
  line: computed(() => lineTo(tree.value, selected.value)),
  focused,
  wantsFocus,
  dims,
  shares,
  ghost,
  waits(node, path) {
    const model = tree.value;
    if (model === null) return false;
    if (model.isLeaf(node)) return editable.value && model.isOpen(node);
    return revealed.value !== null && !revealed.value.has(pathKey(path));
  },
  choose(path) {
    focused.value = path;
    pin(null);
    select(path);
  },
  fold,
  light: (path) => light(path === null ? null : { from: "stage", paths: [path] }),
};

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
