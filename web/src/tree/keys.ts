// The keyboard: arrows move on the stage, single letters act on the selected node.
import { turn } from "../dock/Dock";
import { chosenOffer, offers, takeOffer } from "../inspect/offers";
import { type Path, pathKey } from "../state/document";
import {
  closeFormula,
  doors,
  editable,
  exporting,
  ghost,
  grow,
  keysShown,
  labelling,
  live,
  makeLeaf,
  nodeNumbers,
  pin,
  presenting,
  redo,
  selected,
  selectedNode,
  singleKeys,
  spoken,
  step,
  tree,
  undo,
} from "../state/store";
import { words } from "../words";
import { bring, fitAll, itemOf, mostScale, zoomBy, zoomTo } from "./camera";
import { focusFind } from "./Find";
import type { Item } from "./layout";
import { own, type Scene } from "./scene";
import { back, forward, goTo, steps } from "./stepper";

// ---------------------------------------------------------------- on the stage

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/** Arrows, Space and Enter, while a card has the focus. */
export function onStageKey(event: KeyboardEvent, scene: Scene): void {
  const model = scene.tree.peek();
  if (model === null || event.altKey || event.ctrlKey || event.metaKey) return;
  if ((event.target as Element).closest("input")) return;
  if (presenting.peek() && (event.key === "ArrowLeft" || event.key === "ArrowRight")) return;
  const path = scene.focused.peek();
  if (ARROWS.includes(event.key)) {
    const next = neighbour(scene, path, event.key);
    if (next !== null) moveTo(next, scene);
  } else if (event.key === " ") {
    const node = model.nodeAt(path);
    if (!model.isLeaf(node)) scene.fold(path, scene.opened.peek().has(node));
  } else if (event.key === "Enter") {
    if (scene === own && pathKey(path) === pathKey(selected.peek())) takeChosen();
    else scene.choose(path);
  } else if (event.key === "Home") moveTo([], scene);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The node that an arrow leads to: down to a child, up to the parent, beside on the same level. */
function neighbour(scene: Scene, path: Path, key: string): Path | null {
  const item = itemOf(path, scene);
  const model = scene.tree.peek();
  if (item === null || model === null) return null;
  const to = (next: Item | null | undefined) =>
    next === null || next === undefined ? null : model.pathOf(next.members[0] ?? next.node);
  if (key === "ArrowUp") return to(item.parent);
  if (key === "ArrowDown") return to(item.children[0]);
  const level = (scene.laid.peek()?.items ?? [])
    .filter(({ y }) => y === item.y)
    .sort((a, b) => a.x - b.x);
  return to(level[level.indexOf(item) + (key === "ArrowRight" ? 1 : -1)]);
}

export function moveTo(path: Path, scene: Scene = own): void {
  scene.focused.value = path;
  scene.wantsFocus.value = true;
  const item = itemOf(path, scene);
  if (item !== null) bring(item);
}

/**
 * Take the split that is marked in the inspector; ties are the reader's choice. The steps of a
 * split that the tree has already only show it.
 */
function takeChosen(): void {
  const offer = offers.peek()?.offers[chosenOffer.peek() ?? -1];
  const shownOnly = step.peek() !== null && !tree.peek()?.isOpen(selectedNode.peek());
  if (!editable.peek() || shownOnly) return;
  if (offer === undefined) spoken.value = words.chooseOne;
  else takeOffer(offer);
}

// ---------------------------------------------------------------- everywhere

export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === "Escape") goBack(event);
  if (event.key === "F6") nextRegion(event);
  const typing = (event.target as Element).closest("input, select, textarea, [role=slider]");
  if (typing || tree.peek() === null) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    (event.shiftKey ? redo : undo)();
    event.preventDefault();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (stepping(event) || !singleKeys.peek()) return;
  const action = LETTERS[event.key] ?? (isDigit(event.key) ? () => take(event.key) : undefined);
  if (action === undefined) return;
  action();
  event.preventDefault();
}

const isDigit = (key: string) => /^[1-9]$/.test(key);

const onLeaf = () => tree.peek()?.isLeaf(selectedNode.peek()) ?? false;

const LETTERS: Record<string, () => void> = {
  g: () => editable.peek() && grow(selected.peek()),
  G: () => editable.peek() && grow([]),
  Delete: () => editable.peek() && !onLeaf() && makeLeaf(selected.peek()),
  l: () => {
    labelling.value = editable.peek() && onLeaf() && !labelling.peek();
  },
  f: () => fitAll(),
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(1 / 1.25),
  "0": () => zoomTo(1),
  n: () => {
    nodeNumbers.value = !nodeNumbers.peek();
  },
  "/": focusFind,
  "[": () => turn(-1),
  "]": () => turn(1),
  p: () => present(!presenting.peek()),
  e: () => {
    exporting.value = live.peek();
  },
  "?": () => {
    keysShown.value = true;
  },
};

function take(key: string): void {
  const offer = offers.peek()?.offers[Number(key) - 1];
  if (offer !== undefined && editable.peek()) takeOffer(offer);
}

export function present(on: boolean): void {
  presenting.value = on;
  mostScale.value = on ? 1.6 : 1;
  if (!on) step.value = null;
  requestAnimationFrame(() => fitAll({ whole: false }));
}

const onControl = (event: KeyboardEvent) =>
  (event.target as Element).closest("button, a, summary") !== null;

function stepping(event: KeyboardEvent): boolean {
  if (!presenting.peek() || steps.peek().length === 0) return false;
  if (event.key === "ArrowRight" || event.key === "PageDown") forward();
  else if (event.key === "ArrowLeft" || event.key === "PageUp") back();
  else if (event.key === "End") goTo(steps.peek().length - 1);
  else if (event.key === "Enter" && step.peek() !== null && !onControl(event)) takeChosen();
  else return false;
  event.preventDefault();
  return true;
}

/** Esc goes back by one: a formula, a light, presenting. */
function goBack(event: KeyboardEvent): void {
  if (labelling.peek()) labelling.value = false;
  else if (doors.peek().length > 0) closeFormula();
  else if (presenting.peek()) present(false);
  else {
    pin(null);
    ghost.value = null;
  }
  event.preventDefault();
}

function nextRegion(event: KeyboardEvent): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter(
    (element) => element.offsetParent !== null,
  );
  const now = all.findIndex((element) => element.contains(document.activeElement));
  const next = event.shiftKey ? all.at(now < 0 ? -1 : now - 1) : all[(now + 1) % all.length];
  if (next?.dataset.region === "stage") moveTo(own.focused.peek());
  else next?.focus();
  event.preventDefault();
}
