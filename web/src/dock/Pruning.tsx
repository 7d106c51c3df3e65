// Pruning by a slider over the error curve.
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Document, PruningCurve, PruningPoint } from "../../messages";
import { canAsk, stop, useAsk } from "../link/transport";
import { count, value } from "../numbers";
import { Axis } from "../parts/Axis";
import { Waiting } from "../parts/Working";
import { editsOf } from "../state/document";
import { apply, change, document, falling, live, notice, tree } from "../state/store";
import type { TreeModel } from "../tree/model";
import { TreeModel as Model } from "../tree/model";
import { words } from "../words";
import { apart } from "./apart";
import { beforePruning, fallen, pointFor, pruneEdit, unpruned } from "./fall";
import { useBox, useKept } from "./hooks";
import { Methods, method, methods, type Sliding } from "./PruningMethods";
import { sparse } from "./plane";
import { ReducedError } from "./ReducedError";
import "./pruning.css";
import { registerDock } from "./registry";
import { testKey } from "./testTable";

const EDGE = { left: 58, right: 112, top: 10, bottom: 22 };

function Pruning() {
  const now = document.value;
  const chosen = methods.value.includes(method.value) ? method.value : "cost_complexity";
  if (now === null) return null;
  return chosen === "reduced_error" ? (
    <ReducedError document={now} />
  ) : (
    <Curve key={chosen} method={chosen} document={now} />
  );
}

interface CurveProperties {
  method: Sliding;
  document: Document;
}

function Curve({ method: chosen, document: now }: CurveProperties) {
  const { base, value: at } = useMemo(() => beforePruning(now, chosen), [now, chosen]);
  const test = testKey();
  const request = { document: base, method: chosen, ...(test === null ? {} : { test }) };
  const asked = useAsk("pruning", request);
  const curve = useKept(asked);
  const source = useSource(base, now);
  if (curve === null || source === null || curve.points.length < 2) {
    return (
      <div class="prune">
        <div class="caption">
          <Methods />
        </div>
        <div class="view">
          <Waiting asked={asked} onStop={() => stop("pruning", request)} />
          {curve !== null && curve.points.length < 2 && (
            <p class="note">{words.dock.pruning.onePoint}</p>
          )}
        </div>
      </div>
    );
  }
  return <Slider curve={curve} base={base} at={pointFor(curve, at)} source={source} />;
}

/** The tree that the curve is about: the one that is shown, or the one before it was pruned. */
function useSource(base: Document, now: Document): TreeModel | null {
  const asked = useAsk("tree", base === now ? null : { document: base });
  const columns = asked.state === "value" ? asked.value : null;
  const before = useMemo(() => (columns === null ? null : new Model(columns)), [columns]);
  return base === now ? tree.value : before;
}

interface SliderProperties {
  curve: PruningCurve;
  base: Document;
  at: number;
  source: TreeModel;
}

function Slider({ curve, base, at, source }: SliderProperties) {
  // From the smallest tree to the whole one, as textbooks draw it.
  const order = useMemo(
    () =>
      curve.points
        .map((_, i) => i)
        .sort((a, b) => curve.points[a].n_leaves - curve.points[b].n_leaves),
    [curve],
  );
  const [dragged, setDragged] = useState<number | null>(null);
  const point = dragged ?? at;
  useEffect(() => setDragged(null), [at, curve]);
  useEffect(() => () => fade(null), []);
  const fade = (next: number | null) => {
    const shown = tree.peek();
    const fits = next !== null && shown !== null && source.size === curve.falls_at.length;
    falling.value = fits ? fallen(shown, source, curve, curve.points[next].value) : null;
  };
  const drag = (next: number) => {
    setDragged(next);
    fade(next);
  };
  const release = (next: number) => {
    // What falls stays faded in a report, where the tree is not pruned.
    if (!live.peek()) return drag(next);
    fade(null);
    const unsaid = curve.method === "confidence" && document.value === base;
    if (next !== at || unsaid) take(curve, base, next);
  };
  return (
    <div class="prune">
      <div class="caption">
        <Methods />
      </div>
      <Plot curve={curve} order={order} point={point} onDrag={drag} onRelease={release} />
      <div class="prune-jumps">
        <Jumps curve={curve} onJump={release} />
      </div>
      <p
        class="note prune-note"
        title={curve.measured_on}
      >{`${curve.measure}: ${curve.measured_on}`}</p>
    </div>
  );
}

function take(curve: PruningCurve, base: Document, next: number): void {
  notice.value = null;
  const edit = pruneEdit(curve.method, curve.points[next].value);
  if (document.value === base) apply(edit);
  else if (next === unpruned(curve) && curve.method !== "confidence") change(base);
  else change({ ...base, edits: [...editsOf(base), edit] });
}

function Jumps({ curve, onJump }: { curve: PruningCurve; onJump: (point: number) => void }) {
  const { best, one_se } = curve;
  return (
    <>
      {best !== null && (
        <button type="button" class="link" onClick={() => onJump(best)}>
          <MarkOf kind="best" />
          {words.dock.pruning.goBest}
        </button>
      )}
      {one_se !== null && (
        <button type="button" class="link" onClick={() => onJump(one_se)}>
          <MarkOf kind={one_se === best ? "best" : "one"} />
          {words.dock.pruning.goOneSe}
        </button>
      )}
    </>
  );
}

/** The circle that marks a point of the curve, beside the name of the point. */
const MarkOf = ({ kind }: { kind: "best" | "one" }) => (
  <svg class="mark-of" width="11" height="11" aria-hidden="true">
    <circle class={`prune-mark ${kind}`} cx="5.5" cy="5.5" r="4.5" />
  </svg>
);

interface PlotProperties {
  curve: PruningCurve;
  order: readonly number[];
  point: number;
  onDrag: (point: number) => void;
  onRelease: (point: number) => void;
}

function Plot({ curve, order, point, onDrag, onRelease }: PlotProperties) {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useBox(box, { width: 396, height: 170 });
  const right = Math.max(EDGE.left + 80, width - EDGE.right);
  const bottom = Math.max(EDGE.top + 40, height - EDGE.bottom);
  const x = (place: number) =>
    order.length < 2 ? EDGE.left : EDGE.left + (place / (order.length - 1)) * (right - EDGE.left);
  const scale = scaleLinear()
    .domain([0, highest(curve.points)])
    .nice(3)
    .range([bottom, EDGE.top]);
  const place = order.indexOf(point);
  const points = order.map((i) => curve.points[i]);
  const ticks = scale.ticks(3).map((tick) => ({ at: scale(tick), text: value(tick, 3) }));
  const leaves = sparse(
    points.map(({ n_leaves }, i) => ({ at: x(i), text: count(n_leaves) })),
    30,
  );
  const now = curve.points[point];
  return (
    <>
      <div class="prune-box" ref={box}>
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={words.dock.pruning.label(curve.measure)}
        >
          <Axis
            side="left"
            ticks={ticks}
            position={EDGE.left}
            from={bottom}
            to={EDGE.top}
            grid={right - EDGE.left}
            line={false}
          />
          <Axis side="bottom" ticks={leaves} position={bottom} from={EDGE.left} to={right} />
          <text class="axis-title" x={right + 20} y={bottom + 16}>
            {words.dock.pruning.axis}
          </text>
          <Lines points={points} x={x} y={scale} right={right} />
          <Marks curve={curve} order={order} x={x} y={scale} />
          <line class="prune-now" x1={x(place)} x2={x(place)} y1={EDGE.top} y2={bottom} />
          <Dot point={now} at={x(place)} y={scale} />
        </svg>
      </div>
      <input
        class="prune-range"
        type="range"
        min={0}
        max={order.length - 1}
        step={1}
        value={place}
        style={{ marginLeft: `${EDGE.left - 8}px`, width: `${right - EDGE.left + 16}px` }}
        aria-label={words.dock.pruning.slider}
        aria-valuetext={readout(curve, now)}
        onInput={(event) => onDrag(order[event.currentTarget.valueAsNumber])}
        onChange={(event) => onRelease(order[event.currentTarget.valueAsNumber])}
      />
      <p class="prune-now-text">{readout(curve, now)}</p>
    </>
  );
}

function readout(curve: PruningCurve, point: PruningPoint): string {
  const pruning = words.dock.pruning;
  const name = pruning.values[curve.method] ?? pruning.values.cost_complexity;
  const parts = [`${name} ${value(point.value, 4)}`, pruning.leaves(count(point.n_leaves))];
  if (point.training !== null) parts.push(`${pruning.training} ${value(point.training, 4)}`);
  if (point.validated !== null) {
    const spread = point.deviation === null ? "" : ` ± ${value(point.deviation, 2)}`;
    parts.push(`${pruning.validated} ${value(point.validated, 4)}${spread}`);
  }
  if (point.tested !== null) parts.push(`${pruning.test} ${value(point.tested, 4)}`);
  return parts.join(" · ");
}

function highest(points: readonly PruningPoint[]): number {
  const all = points.flatMap(({ training, validated, deviation, tested }) => [
    training ?? 0,
    tested ?? 0,
    (validated ?? 0) + (deviation ?? 0),
  ]);
  return Math.max(...all) || 1;
}

interface LineProperties {
  points: readonly PruningPoint[];
  x: (place: number) => number;
  y: (value: number) => number;
  right: number;
}

const LINES = ["training", "validated", "tested"] as const;

function Lines({ points, x, y, right }: LineProperties) {
  const given = (key: (typeof LINES)[number]) =>
    points
      .map((point, i) => ({ i, value: point[key], deviation: point.deviation }))
      .filter(
        (point): point is { i: number; value: number; deviation: number | null } =>
          point.value !== null,
      );
  const lines = LINES.map((key) => ({ key, all: given(key) })).filter(({ all }) => all.length > 0);
  const validated = given("validated");
  const path = line<{ i: number; value: number }>()
    .x(({ i }) => x(i))
    .y(({ value: error }) => y(error));
  const band = area<{ i: number; value: number; deviation: number | null }>()
    .x(({ i }) => x(i))
    .y0(({ value: error, deviation }) => y(error - (deviation ?? 0)))
    .y1(({ value: error, deviation }) => y(error + (deviation ?? 0)));
  const names = {
    training: words.dock.pruning.training,
    validated: words.dock.pruning.validated,
    tested: words.dock.pruning.test,
  };
  const lowest = y(0) - 8; // above the axis
  const ends = apart(lines.map(({ all }) => Math.min(lowest, y(all[all.length - 1].value))));
  return (
    <>
      {validated.some(({ deviation }) => deviation !== null) && (
        <path class="prune-band" d={band(validated) ?? ""} />
      )}
      {lines.map(({ key, all }) => (
        <path key={key} class={`prune-line ${key}`} d={path(all) ?? ""} />
      ))}
      {lines.map(({ key }, i) => (
        <text key={key} class={`prune-label ${key}`} x={right + 12} y={ends[i] + 4}>
          {names[key]}
        </text>
      ))}
    </>
  );
}

interface MarkProperties {
  curve: PruningCurve;
  order: readonly number[];
  x: (place: number) => number;
  y: (value: number) => number;
}

function Marks({ curve, order, x, y }: MarkProperties) {
  const mark = (point: number | null, name: string, kind: string) => {
    const error = point === null ? null : curve.points[point].validated;
    if (point === null || error === null) return null;
    return (
      <circle class={`prune-mark ${kind}`} cx={x(order.indexOf(point))} cy={y(error)} r="4.5">
        <title>{name}</title>
      </circle>
    );
  };
  return (
    <>
      {mark(curve.best, words.dock.pruning.best, "best")}
      {curve.one_se !== curve.best && mark(curve.one_se, words.dock.pruning.oneSe, "one")}
    </>
  );
}

interface DotProperties {
  point: PruningPoint;
  at: number;
  y: (value: number) => number;
}

function Dot({ point, at, y }: DotProperties) {
  const error = point.validated ?? point.tested ?? point.training;
  return error === null ? null : <circle class="prune-dot" cx={at} cy={y(error)} r="4" />;
}

registerDock({
  key: "pruning",
  title: words.dock.pruning.title,
  component: Pruning,
  available: () => canAsk("pruning") && (tree.value?.columns.facts.n_members ?? 1) <= 1,
});
