// Edges, far nodes and the mini-map on a canvas.

import type { BranchFacts } from "../../messages";
import { count } from "../numbers";
import { words } from "../words";
import { NAMED, NEAR, type Seen, type ViewBox } from "./cull";
import { CARD, type Item, type Laid, LEVEL } from "./layout";
import type { TreeModel } from "./model";

export interface Ink {
  edge: string;
  accent: string;
  panel: string;
  line: string;
  soft: string;
  rest: string;
  classes: string[];
  font: string;
}

/** The colours of the page, read again when the theme changes. */
export function inkOf(element: HTMLElement, nClasses: number): Ink {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    edge: value("--edge"),
    accent: value("--accent"),
    panel: value("--panel"),
    line: value("--line2"),
    soft: value("--soft"),
    rest: value("--rest"),
    classes: Array.from(
      { length: Math.max(1, nClasses) },
      (_, i) => value(`--c${i}`) || value("--rest"),
    ),
    font: style.fontFamily,
  };
}

export interface Painted {
  model: TreeModel;
  seen: Seen;
  view: ViewBox;
  ink: Ink;
  /** The nodes from the root to the selected one, and those that are lit elsewhere. */
  path: ReadonlySet<number>;
  /** Whether nodes that are not lit are pale. */
  dim: ((item: Item) => boolean) | null;
  /** How much of a divided row comes to a node; edges are drawn as wide. */
  shares: ReadonlyMap<number, number> | null;
  /** Nodes painted by the cards themselves. */
  asCards: ReadonlySet<Item>;
}

export function paint(context: CanvasRenderingContext2D, scene: Painted): void {
  const { seen, view } = scene;
  context.save();
  context.translate(view.dx, view.dy);
  context.scale(view.k, view.k);
  context.lineCap = "round";
  if (view.k < TINY && scene.dim === null) paintHairlines(context, scene);
  else for (const item of seen.items) if (item.parent !== null) paintEdge(context, scene, item);
  if (scene.shares !== null) for (const item of seen.items) paintShare(context, scene, item);
  for (const item of seen.items) if (onPath(scene, item)) paintPath(context, scene, item);
  for (const sliver of seen.slivers) paintSliver(context, scene, sliver);
  for (const item of seen.items) if (!scene.asCards.has(item)) paintNode(context, scene, item);
  context.restore();
}

/** Whether a node is on the path to the selected one, or a block holds one that is. */
const isMarked = ({ path }: Painted, { kind, node, members }: Item) =>
  kind === "node" ? path.has(node) : members.some((member) => path.has(member));

const onPath = (scene: Painted, item: Item) => item.parent !== null && isMarked(scene, item);

/** As wide as the share of the rows that take it. */
export function edgeWidth(model: TreeModel, item: Item): number {
  const { n_rows } = model.columns;
  const rows = item.kind === "block" ? item.members.reduce((n, m) => n + n_rows[m], 0) : 0;
  const share = (item.kind === "block" ? rows : n_rows[item.node]) / Math.max(1, n_rows[0]);
  return 1.5 + 10 * share;
}

/** Below this scale, curves and round corners cannot be told from straight ones. */
export const TINY = 0.12;

/** All edges as one path of straight lines: thousands are drawn in one stroke. */
function paintHairlines(context: CanvasRenderingContext2D, { seen, view, ink }: Painted): void {
  context.beginPath();
  for (const { parent, x, y } of [...seen.items, ...seen.slivers]) {
    if (parent === null) continue;
    context.moveTo(parent.x, parent.y + parent.h);
    context.lineTo(x, y);
  }
  context.strokeStyle = ink.edge;
  context.lineWidth = 0.75 / view.k;
  context.stroke();
}

function trace(context: CanvasRenderingContext2D, item: Item): void {
  const from = item.parent as Item;
  const middle = (from.y + from.h + item.y) / 2;
  context.beginPath();
  context.moveTo(from.x, from.y + from.h);
  context.bezierCurveTo(from.x, middle, item.x, middle, item.x, item.y);
}

function paintEdge(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  trace(context, item);
  context.globalAlpha = scene.dim?.(item) ? 0.35 : 1;
  context.strokeStyle = scene.ink.edge;
  context.lineWidth = Math.max(edgeWidth(scene.model, item), 0.75 / scene.view.k);
  context.stroke();
  context.globalAlpha = 1;
}

/** The part of a divided row that takes an edge. */
function paintShare(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  const share = scene.shares?.get(item.node);
  if (share === undefined || item.parent === null || item.kind === "block") return;
  trace(context, item);
  context.globalAlpha = 0.3;
  context.strokeStyle = scene.ink.accent;
  context.lineWidth = 1.5 + 10 * share;
  context.stroke();
  context.globalAlpha = 1;
}

function paintPath(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  trace(context, item);
  context.strokeStyle = scene.ink.accent;
  context.lineWidth = Math.max(2, 1.5 / scene.view.k);
  context.stroke();
}

/** The colour of the predicted class; numbers have one hue. */
function colourOf({ model, ink }: Painted, node: number): string {
  const label = model.columns.label[node];
  return label < 0 ? ink.classes[0] || ink.soft : (ink.classes[label] ?? ink.rest);
}

function paintSliver(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  const width = Math.max(item.right - item.left, 1 / scene.view.k);
  context.fillStyle = colourOf(scene, item.node);
  context.globalAlpha = 0.55;
  context.fillRect(item.left, item.y, width, item.bottom - item.y);
  context.globalAlpha = 1;
}

function paintNode(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  const { ink, view, model } = scene;
  const { x, y, w, h } = item;
  const colour = colourOf(scene, item.node);
  context.globalAlpha = scene.dim?.(item) ? 0.35 : 1;
  const marked = isMarked(scene, item);
  if (view.k < TINY && !marked) {
    context.globalAlpha *= item.children.length > 0 ? 0.35 : 0.75;
    context.fillStyle = colour;
    context.fillRect(x - w / 2, y, w, h);
    context.globalAlpha = 1;
    return;
  }
  context.beginPath();
  context.roundRect(x - w / 2, y, w, h, 10);
  context.fillStyle = ink.panel;
  context.fill();
  const leaf = item.kind === "node" && model.isLeaf(item.node);
  if (leaf) {
    context.fillStyle = colour;
    context.globalAlpha *= 0.2;
    context.fill();
    context.globalAlpha = scene.dim?.(item) ? 0.35 : 1;
  }
  context.strokeStyle = marked ? ink.accent : leaf ? colour : ink.line;
  context.lineWidth = (marked ? 2 : 1) / view.k;
  context.stroke();
  if (item.kind === "block") paintMembers(context, scene, item);
  else if (!leaf) {
    context.fillStyle = colour;
    context.fillRect(x - w / 2 + 8, y + h - 16, w - 16, 8);
  }
  if (view.k >= NAMED && view.k < NEAR) paintName(context, scene, item);
  context.globalAlpha = 1;
}

/** From one branch of a block to the next, and what is left for the name of the block. */
const [MEMBER, HEAD] = [26, 50];

/** The largest branches of a block as lines in the colours of what they predict. */
function paintMembers(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  const { n_rows } = scene.model.columns;
  const most = Math.floor((item.h - HEAD) / MEMBER);
  const filled = item.members.filter((member) => n_rows[member] > 0);
  for (const [i, member] of filled.slice(0, most).entries()) {
    const [left, top, width] = [item.x - item.w / 2 + 14, item.y + HEAD + i * MEMBER, item.w - 28];
    context.fillStyle = colourOf(scene, member);
    context.fillRect(left, top, width, 9);
    if (!scene.path.has(member)) continue;
    context.strokeStyle = scene.ink.accent;
    context.strokeRect(left - 6, top - 6, width + 12, 21);
  }
}

/** What a painted node is called: its column or class; a block has its number of values. */
function nameOf(model: TreeModel, { kind, node, members }: Item): string {
  if (kind === "block") return words.values(count(members.length));
  return model.isLeaf(node) ? model.label(node) : model.column(node);
}

/** The name in a size that can be read, shortened to the width of the card. */
function paintName(context: CanvasRenderingContext2D, scene: Painted, item: Item): void {
  const { model, ink, view } = scene;
  const text = nameOf(model, item);
  const size = 10.5 / view.k;
  context.font = `600 ${size}px ${ink.font}`;
  context.fillStyle = ink.soft;
  context.textAlign = "center";
  const room = item.w - 14;
  let short = text;
  while (short.length > 1 && context.measureText(short).width > room) short = short.slice(0, -1);
  const shown = short.length < text.length ? `${short.slice(0, -1)}…` : text;
  context.fillText(shown, item.x, item.y + size + 6);
}

/** So many branches of a split that is looked at are shown. */
export const MOST_GHOSTS = 8;

/** Where a branch of a split that is looked at stands below its node. */
export function ghostX(item: Item, position: number, n: number): number {
  const shown = Math.min(n, MOST_GHOSTS);
  return item.x + (position - (shown - 1) / 2) * (CARD.w + 16);
}

/** The edges to branches of a split that is looked at. */
export function paintGhosts(
  context: CanvasRenderingContext2D,
  { view, ink, model }: Painted,
  item: Item,
  branches: readonly BranchFacts[],
): void {
  context.save();
  context.translate(view.dx, view.dy);
  context.scale(view.k, view.k);
  context.strokeStyle = ink.edge;
  context.globalAlpha = 0.6;
  for (const [i, branch] of branches.slice(0, MOST_GHOSTS).entries()) {
    const x = ghostX(item, i, branches.length);
    const [from, to] = [item.y + item.h, item.y + LEVEL];
    context.lineWidth = 1.5 + (10 * branch.n_rows) / Math.max(1, model.columns.n_rows[0]);
    context.beginPath();
    context.moveTo(item.x, from);
    context.bezierCurveTo(item.x, (from + to) / 2, x, (from + to) / 2, x, to);
    context.stroke();
  }
  context.restore();
}

/** The whole tree in a small picture: painted once per layout. */
export function paintMap(
  context: CanvasRenderingContext2D,
  laid: Laid,
  ink: Ink,
  size: { width: number; height: number },
): MapScale {
  const { width, height } = size;
  const scale = mapScale(laid, width, height);
  context.clearRect(0, 0, width, height);
  for (const item of laid.items) {
    const label = laid.model.columns.label[item.node];
    context.fillStyle = ink.classes[Math.max(0, label)] ?? ink.rest;
    const w = Math.max(1, item.w * scale.k);
    const h = Math.max(1.5, item.h * scale.k);
    context.fillRect(item.x * scale.k + scale.dx - w / 2, item.y * scale.k + scale.dy, w, h);
  }
  return scale;
}

/** Where in the small picture the view is. */
export function frameOf(view: ViewBox, scale: MapScale) {
  return {
    x: (-view.dx / view.k) * scale.k + scale.dx,
    y: (-view.dy / view.k) * scale.k + scale.dy,
    width: (view.width / view.k) * scale.k,
    height: (view.height / view.k) * scale.k,
  };
}

export interface MapScale {
  k: number;
  dx: number;
  dy: number;
}

function mapScale({ left, right, bottom }: Laid, width: number, height: number): MapScale {
  const edge = 6;
  const kx = (width - 2 * edge) / (right - left);
  const k = Math.min(kx, (height - 2 * edge) / bottom);
  return { k, dx: width / 2 - ((left + right) / 2) * k, dy: (height - bottom * k) / 2 };
}
