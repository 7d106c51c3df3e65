// The state of the page as signals, and the actions that change it.
import { batch, computed, effect, signal } from "@preact/signals";
import type {
  CandidateFacts,
  Document,
  Hello,
  Settings,
  Split,
  TableFacts,
  TreeColumns,
} from "../../messages";
import { type Asked, ask, failureOf, known, stop } from "../link/transport";
import type { Unfolding } from "../tree/layout";
import { TreeModel } from "../tree/model";
import { words } from "../words";
import type { View } from "./address";
import {
  canonical,
  type Edit,
  editsOf,
  isWithin,
  newDocument,
  type Path,
  pathKey,
  splitEdit,
  withEdit,
  withSettings,
} from "./document";
import { amended, type History, pushed, redone, started, undone } from "./history";

// ---------------------------------------------------------------- what the server offers

export const hello = signal<Hello | null>(null);
/** The open table; null shows the start page. */
export const table = signal<TableFacts | null>(null);

// ---------------------------------------------------------------- document and tree

export const history = signal<History<Document> | null>(null);
export const document = computed<Document | null>(() => history.value?.now ?? null);
/** Which tree of an ensemble is shown. */
export const member = signal(0);

const idle: Asked<TreeColumns> = { state: "idle" };
export const treeRequest = computed(() =>
  document.value === null ? null : { document: document.value, member: member.value },
);
export const treeAsked = computed<Asked<TreeColumns>>(() =>
  treeRequest.value === null ? idle : ask("tree", treeRequest.value).value,
);
/** The tree of the document; while it is waited for, the former one. */
export const tree = signal<TreeModel | null>(null);
/** The document that `tree` belongs to. */
export const treeDocument = signal<Document | null>(null);

effect(() => {
  const asked = treeAsked.value;
  const about = document.peek();
  if (asked.state !== "value") return;
  batch(() => {
    treeDocument.value = about;
    if (tree.peek()?.columns !== asked.value) arrive(modelOf(asked.value));
  });
});

export const learner = computed(
  () =>
    hello.value?.learners.find(({ short }) => short === document.value?.settings?.learner) ?? null,
);
/** False in a report, where nothing is there to grow or to measure. */
export const live = signal(true);
/** How a reader of a report opens its model in the studio. */
export const openCommand = signal("");
/** Whether the shown tree is one whose splits and formulas are known: single, by its conventions. */
export const derivable = computed(() => tree.value?.columns.facts.editable ?? false);
export const editable = computed(() => live.value && derivable.value);
export const numeric = computed(() => document.value?.table.task === "regression");

// ---------------------------------------------------------------- the view, not part of undo

export const selected = signal<Path>([]);
export const selectedNode = computed(() => tree.value?.nodeAt(selected.value) ?? -1);
/** Nodes that the reader folded or unfolded; the others follow from their support. */
export const folded = signal<ReadonlySet<string>>(new Set());
export const unfolded = signal<ReadonlySet<string>>(new Set());
/** Which nodes are unfolded without being asked for. */
export const unfolding = signal<Unfolding>({ by: "fit" });
export const dockShown = signal<string[]>(["table", "regions"]);
export const digits = signal(4);
export const exact = signal(false);
export const nodeNumbers = signal(true);
/** What the cards show beside their rows. */
export type Shown =
  | "counts"
  | "mean"
  | "share"
  | "impurity"
  | "score"
  | "gain"
  | "interval"
  | "errors"
  | "none";
export const shown = signal<Shown>("counts");
/** The step of the stepper; null outside of it. */
export const step = signal<number | null>(null);
export const presenting = signal(false);
/** While the page is printed, it is light, and drawn at once. */
export const printing = signal(false);
export type Theme = "system" | "light" | "dark";
export const theme = signal<Theme>("system");
export const singleKeys = signal(true);
/** Sheets and small forms that keys open as well. */
export const exporting = signal(false);
export const keysShown = signal(false);
export const labelling = signal(false);

// ---------------------------------------------------------------- linked views

/** What is lit in all views. */
export interface Lit {
  /** The view that it comes from. */
  from: string;
  /** Nodes; their paths from the root are lit on the stage. */
  paths: Path[];
  /** How much of a divided row reaches each of the paths; edges are drawn as wide. */
  shares?: number[];
  /** Rows, and how much of each. */
  rows?: { rows: number[]; weights: number[] };
  /** Positions in the answers to `regions` and `rules`. */
  region?: number;
  rule?: number;
}

const hovered = signal<Lit | null>(null);
/** What a click lit, until another click or Esc. */
export const pinned = signal<Lit | null>(null);
/** What the pointer is on, otherwise what was pinned by a click. */
export const lit = computed<Lit | null>(() => hovered.value ?? pinned.value);
let hoverTimer: ReturnType<typeof setTimeout> | undefined;

/** Light something after a short rest of the pointer; null takes the light away. */
export function light(what: Lit | null): void {
  clearTimeout(hoverTimer);
  hoverTimer = setTimeout(() => {
    hovered.value = what;
  }, 80);
}

export function pin(what: Lit | null): void {
  clearTimeout(hoverTimer);
  batch(() => {
    hovered.value = null;
    pinned.value = what;
  });
}

/** A split that is looked at but not taken: ghost children, a dashed threshold. */
export interface Ghost {
  at: Path;
  offer: Pick<CandidateFacts, "split" | "text" | "branches">;
}
export const ghost = signal<Ghost | null>(null);

/** Nodes that would fall while the pruning slider is dragged, by number; they fade. */
export const falling = signal<ReadonlySet<number> | null>(null);

/** The tree beside this one, and the node at which they differ first; it has a ring in both. */
export const compared = signal<{ title: string; there: TreeModel; at: Path | null } | null>(null);

// ---------------------------------------------------------------- formulas: doors in doors

/** The address of a number. */
export interface Door {
  at: Path;
  measure: string;
  split?: Split | null;
  branch?: number | null;
  /** The class of a class weight. */
  label?: string | number | boolean | null;
}
/** The open formulas; the last one is shown, Esc closes it. */
export const doors = signal<Door[]>([]);

/** Whether there is a formula behind a number; a report has those of its largest nodes. */
export function canOpen(door: Door): boolean {
  const now = treeDocument.value;
  if (now === null || live.value) return true;
  return known("formula", { document: now, member: member.value, ...addressOf(door) });
}

/** What a request about a formula says of it. */
export function addressOf({ at, measure, split = null, branch = null, label = null }: Door) {
  return { at, measure, split, branch, label };
}

/** Open the formula behind a number; the former one is where the way back leads. */
export function openFormula(door: Door): void {
  const open = doors.value;
  if (canonical(open[open.length - 1]) !== canonical(door)) doors.value = [...open, door];
}
export const closeFormula = (): void => {
  doors.value = doors.value.slice(0, -1);
};

// ---------------------------------------------------------------- messages to the reader

export interface Notice {
  text: string;
  kind: "done" | "error";
  undo?: boolean;
}
export const notice = signal<Notice | null>(null);
/** What a screen reader is told. */
export const spoken = signal("");

export function say(text: string, options: Partial<Notice> = {}): void {
  batch(() => {
    notice.value = { text, kind: "done", ...options };
    spoken.value = text;
  });
}

/** Say why something failed; an answer that did not arrive has no words of its own. */
export function sayFailure(error: unknown): void {
  const { what, hint, kind } = failureOf(error);
  if (kind !== "stopped") say(what === "" ? words.lost : `${what}. ${hint}`, { kind: "error" });
}

// ---------------------------------------------------------------- actions

export function openTable(facts: TableFacts, settings: Settings): void {
  openDocument(facts, newDocument(facts, settings));
}

export function openDocument(facts: TableFacts, opened: Document, view?: Partial<View>): void {
  batch(() => {
    table.value = facts;
    tree.value = null;
    history.value = started(opened);
    member.value = 0;
    pinned.value = null;
    ghost.value = null;
    doors.value = [];
    showView({ selected: [], ...view });
  });
}

/** Another target, other columns or another reading of the table, as a step that can be undone. */
export function changeTable(facts: TableFacts, next: Document): void {
  batch(() => {
    table.value = facts;
    member.value = 0;
    pinned.value = null;
    ghost.value = null;
    doors.value = [];
    showView({});
    change(next);
  });
}

export function showView(view: Partial<View>): void {
  selected.value = view.selected ?? [];
  folded.value = new Set(view.folded ?? []);
  unfolded.value = new Set(view.unfolded ?? []);
  if (view.dock !== undefined) dockShown.value = view.dock;
  if (view.digits !== undefined) digits.value = view.digits;
  if (view.exact !== undefined) exact.value = view.exact;
  if (view.shown !== undefined) shown.value = view.shown as Shown;
  step.value = view.step ?? null;
  // A link to a step is for a class.
  if (view.step !== undefined) presenting.value = true;
}

export const currentView = computed<View>(() => ({
  selected: selected.value,
  folded: [...folded.value],
  unfolded: [...unfolded.value],
  dock: dockShown.value,
  digits: digits.value,
  exact: exact.value,
  shown: shown.value,
  ...(step.value === null ? {} : { step: step.value }),
}));

export function closeTable(): void {
  batch(() => {
    table.value = null;
    history.value = null;
    tree.value = null;
  });
}

/** Put a changed document in place of the current one, as a step that can be undone. */
export function change(next: Document): void {
  if (history.value !== null) history.value = pushed(history.value, next);
}

/** The same without a step: for notes, which change no tree. */
export function amend(next: Document): void {
  if (history.value !== null) history.value = amended(history.value, next);
}

let lastEdit: Edit | null = null;
/** The node at which work goes on after a split was taken; the keyboard follows. */
export const next = signal<Path | null>(null);

export function apply(edit: Edit): void {
  if (document.value === null || !live.value) return;
  lastEdit = edit;
  batch(() => {
    ghost.value = null;
    change(withEdit(document.value as Document, edit));
  });
}

export const takeSplit = (at: Path, split: Split): void => apply(splitEdit(at, split));
export const makeLeaf = (at: Path): void => apply({ edit: "cut", at });
export const relabel = (at: Path, label: string | number | boolean): void =>
  apply({ edit: "label", at, label });
export const grow = (at: Path, max_depth?: number): void =>
  apply(max_depth === undefined ? { edit: "grow", at } : { edit: "grow", at, max_depth });

export function changeSettings(settings: Settings): void {
  if (document.value === null) return;
  batch(() => {
    // Another tree: what was folded and selected in the former one says nothing about it.
    showView({});
    unfolding.value = { by: "fit" };
    pinned.value = null;
    change(withSettings(document.value as Document, settings));
  });
}

export const canUndo = computed(() => (history.value?.past.length ?? 0) > 0);
export const canRedo = computed(() => (history.value?.future.length ?? 0) > 0);

export function undo(): void {
  if (history.value === null) return;
  lastEdit = null;
  history.value = undone(history.value);
}

export function redo(): void {
  if (history.value === null) return;
  lastEdit = null;
  history.value = redone(history.value);
}

export function select(path: Path): void {
  batch(() => {
    selected.value = path;
    doors.value = [];
    ghost.value = null;
  });
}

export const selectNode = (node: number): void => {
  if (tree.value !== null) select(tree.value.pathOf(node));
};

/** Show another tree of an ensemble, from its root. */
export function pickMember(position: number): void {
  batch(() => {
    showView({});
    pinned.value = null;
    member.value = position;
  });
}

/** Fold or unfold a node. */
export function fold(path: Path, closed: boolean): void {
  const key = pathKey(path);
  const [into, from] = closed ? [folded, unfolded] : [unfolded, folded];
  batch(() => {
    into.value = new Set([...into.value, key]);
    from.value = new Set([...from.value].filter((other) => other !== key));
  });
}

/** Give up the work on the tree that is waited for, and go back to what was there before. */
export function stopTree(): void {
  if (treeRequest.value !== null) stop("tree", treeRequest.value);
  batch(() => {
    if (canUndo.value) undo();
    else closeTable();
    say(words.stopped);
  });
}

// ---------------------------------------------------------------- a new tree

const models = new WeakMap<TreeColumns, TreeModel>();

/** Undo comes back to a tree that was there before. */
function modelOf(columns: TreeColumns): TreeModel {
  const model = models.get(columns) ?? new TreeModel(columns);
  models.set(columns, model);
  return model;
}

function arrive(model: TreeModel): void {
  const before = tree.peek();
  const edit = lastEdit;
  lastEdit = null;
  tree.value = model;
  selected.value = model.nearest(selected.peek());
  if (edit !== null && before !== null) report(model, edit);
}

/** Say what an edit did, and go to where work goes on. */
function report(model: TreeModel, edit: Edit): void {
  const states = model.columns.edits;
  const state = states[states.length - 1];
  if (state === undefined || states.length !== editsOf(document.peek() as Document).length) return;
  if (state.refused !== "") {
    say(state.refused, { kind: "error", undo: true });
    return;
  }
  const gained = state.n_nodes_after - state.n_nodes_before;
  if (gained < 0) say(words.removed(-gained), { undo: true });
  else if (gained > 0) spoken.value = words.added(gained);
  if (edit.edit === "split") {
    const below = model.open.find((node) => isWithin(model.pathOf(node), edit.at));
    const open = below ?? model.open[0];
    selected.value = open === undefined ? edit.at : model.pathOf(open);
    doors.value = [];
    next.value = selected.value;
  }
}
