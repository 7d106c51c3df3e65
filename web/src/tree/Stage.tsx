// The stage: edges and far nodes on a canvas, near nodes as elements, and the tools around them.
import { untracked, useSignalEffect } from "@preact/signals";
import { select as d3select } from "d3-selection";
import { type ZoomTransform, zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Settings } from "../../messages";
import { Tour } from "../parts/Tour";
import { Waiting } from "../parts/Working";
import { pathKey } from "../state/document";
import {
  ghost,
  learner,
  light,
  pin,
  selected,
  selectNode,
  document as shownDocument,
  stopTree,
  theme,
  tree,
  treeAsked,
  treeDocument,
} from "../state/store";
import { words } from "../words";
import { Block } from "./Block";
import { Card, GhostCard, Pill } from "./Card";
import { itemAt, LEAST_SCALE, NEAR, nearCards, seen, tileOf } from "./cull";
import { Find } from "./Find";
import { onStageKey } from "./keys";
import { Legend } from "./Legend";
import { CARD, type Item, type Laid, LEVEL } from "./layout";
import { MiniMap } from "./MiniMap";
import type { TreeModel } from "./model";
import { type Ink, inkOf, paint } from "./paint";
import {
  bring,
  dims,
  fitAll,
  focused,
  follows,
  itemOf,
  kept,
  laid,
  MOST_SCALE,
  selectedLine,
  shares,
  show,
  view,
  wantsFocus,
} from "./scene";
import { Tools } from "./Tools";

const PITCH = CARD.w + 16;
const MOST_GHOSTS = 8;
const MAP_FROM = 60;

export function Stage() {
  const box = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [tile, setTile] = useState("");
  const model = tree.value;
  const now = laid.value;
  useZoom(box);
  useSize(box);
  usePaint(canvas, layer, setTile);
  useFollow();
  useShown();
  useFocus(layer, tile);
  const cards = useMemo(
    () => (now === null ? [] : withKept(now, nearCards(now.root, view.peek()))),
    [now, tile, focused.value],
  );
  return (
    <main class="stage" ref={box} aria-label={words.stage} data-region="stage" tabIndex={-1}>
      <canvas ref={canvas} aria-hidden="true" onClick={onCanvas} />
      {model !== null && (
        <div
          class={`cards ${view.peek().k < NEAR ? "far" : ""}`}
          role="tree"
          aria-orientation="horizontal"
          aria-label={words.treeFor(shownDocument.value?.table.target ?? "")}
          ref={layer}
          onKeyDown={onStageKey}
        >
          {cards.map((item) => (
            <Pill item={item} model={model} key={`p${idOf(item, model)}`} />
          ))}
          {cards.map((item) =>
            item.kind === "block" ? (
              <Block item={item} model={model} key={idOf(item, model)} />
            ) : (
              <Card item={item} model={model} key={idOf(item, model)} />
            ),
          )}
          <Ghosts model={model} />
        </div>
      )}
      {model !== null && (
        <>
          <Find />
          <Legend model={model} />
          <Tools />
          {(now?.items.length ?? 0) > MAP_FROM && <MiniMap />}
        </>
      )}
      <div class="stage-work">
        <Waiting asked={treeAsked.value} onStop={stopTree} />
        {model !== null && !model.columns.facts.editable && (
          <p class="note">{model.columns.facts.reason || learner.value?.summary}</p>
        )}
      </div>
      <Tour />
    </main>
  );
}

const idOf = (item: Item, model: TreeModel) => `${item.kind[0]}${pathKey(model.pathOf(item.node))}`;

/** The focused card stays in the document outside of the view, so the keyboard is not lost. */
function withKept(now: Laid, cards: Item[]): Item[] {
  const kept = itemOf(focused.peek());
  if (kept === null || cards.includes(kept) || !now.byNode.has(kept.node)) return cards;
  return [...cards, kept];
}

// ---------------------------------------------------------------- ghosts

function Ghosts({ model }: { model: TreeModel }) {
  const looked = ghost.value;
  const item = looked === null ? undefined : laid.value?.byNode.get(model.nodeAt(looked.at));
  if (looked === null || item === undefined || item.kind === "block") return null;
  return (
    <>
      {looked.offer.branches.slice(0, MOST_GHOSTS).map((branch, i) => (
        <GhostCard
          key={i}
          branch={branch}
          classes={model.columns.classes}
          x={ghostX(item, i, looked.offer.branches.length)}
          y={item.y + LEVEL}
        />
      ))}
    </>
  );
}

function ghostX(item: Item, position: number, n: number): number {
  const shown = Math.min(n, MOST_GHOSTS);
  return item.x + (position - (shown - 1) / 2) * PITCH;
}

// ---------------------------------------------------------------- zoom and size

function useZoom(box: { current: HTMLElement | null }) {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const behaviour = zoom<HTMLElement, unknown>()
      .scaleExtent([LEAST_SCALE, MOST_SCALE])
      .clickDistance(4)
      .filter((event: Event) => isForStage(event))
      .on("start", (event) => {
        if (event.sourceEvent?.type === "mousedown") element.classList.add("panning");
      })
      .on("end", () => element.classList.remove("panning"))
      .on(
        "zoom",
        ({ transform, sourceEvent }: { transform: ZoomTransform; sourceEvent: Event }) => {
          if (sourceEvent === null || sourceEvent === undefined) return;
          follows.value = false;
          view.value = kept({ ...view.peek(), k: transform.k, dx: transform.x, dy: transform.y });
        },
      );
    const selection = d3select(element).call(behaviour).on("dblclick.zoom", null);
    // What moved the view otherwise is where the next drag starts.
    const stop = view.subscribe(({ k, dx, dy }) => {
      const known = (element as unknown as { __zoom: ZoomTransform }).__zoom;
      if (known.k === k && known.x === dx && known.y === dy) return;
      selection.property("__zoom", zoomIdentity.translate(dx, dy).scale(k));
    });
    return () => {
      stop();
      selection.on(".zoom", null);
    };
  }, []);
}

/** Not from what floats above the stage, and only with the main button. */
function isForStage(event: Event): boolean {
  if (event instanceof MouseEvent && event.button !== 0) return false;
  return !(event.target as Element).closest(".floating, .block, input");
}

function useSize(box: { current: HTMLElement | null }) {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      view.value = { ...view.peek(), width, height };
      if (follows.peek()) fitAll(false);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** After a change of the tree: all in view, or the same node at the same place. */
function useFollow() {
  const before = useRef<Laid | null>(null);
  const settings = useRef<Settings | undefined>(undefined);
  useSignalEffect(() => {
    const now = laid.value;
    const former = before.current;
    before.current = now;
    if (now === null || now === former) return;
    // Other settings grow another tree, of which the former view may show nothing.
    const grown = treeDocument.peek()?.settings;
    const other = grown !== settings.current;
    settings.current = grown;
    if (former === null || other || follows.peek()) fitAll(false);
    // A tree that was just opened takes the keyboard.
    if (former === null && document.activeElement === document.body) wantsFocus.value = true;
    // An edit may go on at a node that is out of view.
    const item = itemOf(selected.peek());
    if (former !== null && item !== null) bring(item);
  });
}

/** A rule, a row or a tie leads to its node, even if that was folded away or out of view. */
function useShown() {
  useSignalEffect(() => {
    const path = selected.value;
    untracked(() => {
      show(path);
      // The keyboard goes along, such as to the next open node after a split was taken.
      if (pathKey(focused.value) === pathKey(path)) return;
      const active = document.activeElement;
      focused.value = path;
      if (active === document.body || active?.closest(".cards, .cand")) wantsFocus.value = true;
    });
  });
}

// ---------------------------------------------------------------- painting

function usePaint(
  canvas: { current: HTMLCanvasElement | null },
  layer: { current: HTMLDivElement | null },
  setTile: (tile: string) => void,
) {
  const ink = useRef<{ ink: Ink; of: string } | null>(null);
  const frame = useRef(0);
  useSignalEffect(() => {
    // What the picture depends on; it is painted once a frame.
    void [laid.value, dims.value, shares.value, selectedLine.value, ghost.value];
    const box = view.value;
    const look = `${theme.value} ${document.documentElement.dataset.theme} ${tree.value?.columns.classes.length}`;
    setTile(tileOf(box));
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = canvas.current;
      if (element === null) return;
      if (ink.current?.of !== look) {
        ink.current = { of: look, ink: inkOf(element, tree.peek()?.columns.classes.length ?? 0) };
      }
      draw(element, ink.current.ink);
      if (layer.current !== null) {
        layer.current.style.transform = `translate(${box.dx}px, ${box.dy}px) scale(${box.k})`;
      }
    });
  });
}

function draw(element: HTMLCanvasElement, ink: Ink): void {
  const box = view.peek();
  const ratio = window.devicePixelRatio || 1;
  if (element.width !== Math.round(box.width * ratio))
    element.width = Math.round(box.width * ratio);
  if (element.height !== Math.round(box.height * ratio)) {
    element.height = Math.round(box.height * ratio);
  }
  const context = element.getContext("2d");
  const [now, model] = [laid.peek(), tree.peek()];
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  if (now === null || model === null) return;
  const pale = dims.peek();
  paint(context, {
    model,
    seen: seen(now.root, box),
    view: box,
    ink,
    path: selectedLine.peek(),
    dim: pale === null ? null : (item) => pale(item.node),
    shares: shares.peek(),
    asCards: new Set(nearCards(now.root, box)),
  });
  paintGhosts(context, now, model, ink);
}

function paintGhosts(context: CanvasRenderingContext2D, now: Laid, model: TreeModel, ink: Ink) {
  const looked = ghost.peek();
  const item = looked === null ? undefined : now.byNode.get(model.nodeAt(looked.at));
  if (looked === null || item === undefined) return;
  const { k, dx, dy } = view.peek();
  context.save();
  context.translate(dx, dy);
  context.scale(k, k);
  context.strokeStyle = ink.edge;
  context.globalAlpha = 0.6;
  const { branches } = looked.offer;
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

/** A click on a painted node selects it, one beside all nodes takes the light away. */
function onCanvas(event: MouseEvent): void {
  const now = laid.peek();
  if (now === null) return;
  const item = itemAt(now.root, view.peek(), event.offsetX, event.offsetY);
  light(null);
  pin(null);
  if (item !== null) selectNode(item.node);
}

// ---------------------------------------------------------------- focus

function useFocus(layer: { current: HTMLDivElement | null }, tile: string) {
  useEffect(() => {
    if (!wantsFocus.peek()) return;
    const key = pathKey(focused.value);
    const card = layer.current?.querySelector<HTMLElement>(`[data-path="${key}"]`);
    if (card === null || card === undefined) return;
    wantsFocus.value = false;
    card.focus({ preventScroll: true });
  }, [focused.value, tile, laid.value, wantsFocus.value]);
}
