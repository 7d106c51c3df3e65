// The tree that the document's is compared with, as a second stage beside it.
import { computed, effect, signal } from "@preact/signals";
import { type Path, pathKey } from "../state/document";
import { compared, tree as ownTree, select, selected, unfolding } from "../state/store";
import { layout } from "./layout";
import { inMotion } from "./motion";
import { keysTo, lineTo, openedOn, type Scene } from "./scene";

const tree = computed(() => compared.value?.there ?? null);
/** The nodes that the reader folded or unfolded here. */
const byHand = signal<ReadonlyMap<string, boolean>>(new Map());
const focused = signal<Path>([]);

effect(() => {
  void tree.value;
  byHand.value = new Map();
  focused.value = [];
});

const withState = (closed: boolean): string[] =>
  [...byHand.value].flatMap(([key, state]) => (state === closed ? [key] : []));

/** The node of the first difference is unfolded in any case. */
const opened = computed<ReadonlySet<number>>(() => {
  const way = keysTo(compared.value?.at ?? []).slice(0, -1);
  const folds = {
    folded: new Set(withState(true)),
    unfolded: new Set([...withState(false), ...way]),
  };
  return tree.value === null
    ? new Set()
    : openedOn(tree.value, { ...folds, unfolding: unfolding.value });
});

const laid = computed(() => (tree.value === null ? null : layout(tree.value, opened.value, false)));

export const other: Scene = {
  tree,
  opened,
  laid,
  drawn: inMotion(laid),
  selected,
  line: computed(() => lineTo(tree.value, selected.value)),
  focused,
  wantsFocus: signal(false),
  dims: signal(null),
  shares: signal(null),
  ghost: signal(null),
  waits: () => false,
  /** The nodes of one path are selected in both trees. */
  choose(path) {
    focused.value = path;
    if (ownTree.value !== null) select(ownTree.value.nearest(path));
  },
  fold(path, closed) {
    byHand.value = new Map([...byHand.value, [pathKey(path), closed]]);
  },
  light: () => {},
};
