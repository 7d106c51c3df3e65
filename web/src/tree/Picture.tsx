// A tree on a stage: edges and far nodes on a canvas, near nodes as elements above it.
import { effect } from "@preact/signals";
import { select as d3select } from "d3-selection";
import { type ZoomTransform, zoom, zoomIdentity } from "d3-zoom";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pathKey } from "../state/document";
import { light, pin, printing, theme } from "../state/store";
import { Block } from "./Block";
import { Card } from "./Card";
import { drag, MOST_SCALE } from "./camera";
import { itemAt, LEAST_SCALE, NEAR, nearCards, seen, tileOf } from "./cull";
import { MissingNote, Pill } from "./EdgeText";
import { GhostCard } from "./GhostCard";
import { onStageKey } from "./keys";
import { type Item, type Laid, LEVEL } from "./layout";
import type { TreeModel } from "./model";
import { ghostX, type Ink, inkOf, MOST_GHOSTS, paint, paintGhosts } from "./paint";
import type { Scene } from "./scene";
import { view } from "./view";

interface Properties {
  scene: Scene;
  /** What a screen reader is told of the tree. */
  label: string;
  /** Called with the box, which is as large as the stage. */
  onBox?: (box: HTMLElement) => () => void;
  children?: ComponentChildren;
}

export function Picture({ scene, label, onBox, children }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [tile, setTile] = useState("");
  const now = scene.drawn.value;
  useZoom(box);
  useEffect(() => (box.current === null ? undefined : onBox?.(box.current)), []);
  usePaint(scene, canvas, layer, setTile);
  useFocus(scene, layer, tile);
  const cards = useMemo(
    () => (now === null ? [] : withKept(scene, now, nearCards(now.root, view.peek()))),
    [now, tile, scene.focused.value],
  );
  return (
    <div class="picture" ref={box}>
      <canvas ref={canvas} aria-hidden="true" onClick={(event) => onCanvas(event, scene)} />
      {now !== null && (
        <div
          class={`cards ${view.peek().k < NEAR ? "far" : ""}`}
          role="tree"
          aria-orientation="horizontal"
          aria-label={label}
          ref={layer}
          onKeyDown={(event) => onStageKey(event, scene)}
        >
          {cards.map((item) => (
            <Pill item={item} scene={scene} model={now.model} key={`p${idOf(item, now.model)}`} />
          ))}
          {cards.map((item) => (
            <MissingNote
              item={item}
              scene={scene}
              model={now.model}
              key={`m${idOf(item, now.model)}`}
            />
          ))}
          {cards.map((item) =>
            item.kind === "block" ? (
              <Block item={item} scene={scene} model={now.model} key={idOf(item, now.model)} />
            ) : (
              <Card item={item} scene={scene} model={now.model} key={idOf(item, now.model)} />
            ),
          )}
          <Ghosts scene={scene} now={now} />
        </div>
      )}
      {children}
    </div>
  );
}

const idOf = (item: Item, model: TreeModel) => `${item.kind[0]}${pathKey(model.pathOf(item.node))}`;

/** The focused card stays in the document outside of the view, so the keyboard is not lost. */
function withKept(scene: Scene, now: Laid, cards: Item[]): Item[] {
  const kept = now.byNode.get(now.model.nodeAt(scene.focused.peek()));
  return kept === undefined || cards.includes(kept) ? cards : [...cards, kept];
}

function Ghosts({ scene, now }: { scene: Scene; now: Laid }) {
  const looked = scene.ghost.value;
  const item = looked === null ? undefined : now.byNode.get(now.model.nodeAt(looked.at));
  if (looked === null || item === undefined || item.kind === "block") return null;
  return (
    <>
      {looked.offer.branches.slice(0, MOST_GHOSTS).map((branch, i) => (
        <GhostCard
          key={i}
          branch={branch}
          classes={now.model.columns.classes}
          x={ghostX(item, i, looked.offer.branches.length)}
          y={item.y + LEVEL}
        />
      ))}
    </>
  );
}

// ---------------------------------------------------------------- zoom

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
          drag({ k: transform.k, dx: transform.x, dy: transform.y });
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

// ---------------------------------------------------------------- painting

function usePaint(
  scene: Scene,
  canvas: { current: HTMLCanvasElement | null },
  layer: { current: HTMLDivElement | null },
  setTile: (tile: string) => void,
) {
  useEffect(() => {
    let [look, ink, frame]: [string, Ink | null, number] = ["", null, 0];
    const show = () => {
      frame = 0;
      if (canvas.current === null) return;
      const classes = scene.drawn.peek()?.model.columns.classes.length ?? 0;
      const now = `${document.documentElement.dataset.theme} ${classes}`;
      if (ink === null || now !== look) [look, ink] = [now, inkOf(canvas.current, classes)];
      draw(scene, canvas.current, ink);
      const { k, dx, dy } = view.peek();
      if (layer.current !== null) {
        layer.current.style.transform = `translate(${dx}px, ${dy}px) scale(${k})`;
      }
    };
    const stop = effect(() => {
      // What the picture depends on; it is painted once a frame.
      const { drawn, dims, shares, line, ghost } = scene;
      void [drawn.value, dims.value, shares.value, line.value, ghost.value, theme.value];
      setTile(tileOf(view.value));
      if (printing.value) show();
      // What moves the view in each frame must not put the painting off.
      else if (frame === 0) frame = requestAnimationFrame(show);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [scene]);
}

/** Pixels of the canvas for each of the page on paper. */
const PRINTED = 4;

function draw(scene: Scene, element: HTMLCanvasElement, ink: Ink): void {
  const box = view.peek();
  const ratio = printing.peek() ? PRINTED : window.devicePixelRatio || 1;
  const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
  if (element.width !== width) element.width = width;
  if (element.height !== height) element.height = height;
  const context = element.getContext("2d");
  const now = scene.drawn.peek();
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  if (now === null) return;
  const pale = scene.dims.peek();
  const picture = {
    model: now.model,
    seen: seen(now.root, box),
    view: box,
    ink,
    path: scene.line.peek(),
    dim: pale === null ? null : (item: Item) => pale(item.node),
    shares: scene.shares.peek(),
    asCards: new Set(nearCards(now.root, box)),
  };
  paint(context, picture);
  const looked = scene.ghost.peek();
  const item = looked === null ? undefined : now.byNode.get(now.model.nodeAt(looked.at));
  if (looked !== null && item !== undefined) {
    paintGhosts(context, picture, item, looked.offer.branches);
  }
}

/** A click on a painted node selects it, one beside all nodes takes the light away. */
function onCanvas(event: MouseEvent, scene: Scene): void {
  const now = scene.laid.peek();
  if (now === null) return;
  const item = itemAt(now.root, view.peek(), event.offsetX, event.offsetY);
  light(null);
  pin(null);
  if (item !== null) scene.choose(now.model.pathOf(item.node));
}

// ---------------------------------------------------------------- focus

function useFocus(scene: Scene, layer: { current: HTMLDivElement | null }, tile: string) {
  const { focused, wantsFocus, drawn } = scene;
  useEffect(() => {
    if (!wantsFocus.peek()) return;
    const key = pathKey(focused.value);
    const card = layer.current?.querySelector<HTMLElement>(`[data-path="${key}"]`);
    if (card === null || card === undefined) return;
    wantsFocus.value = false;
    card.focus({ preventScroll: true });
  }, [focused.value, tile, drawn.value, wantsFocus.value]);
}
