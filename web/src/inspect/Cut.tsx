// Where to split a numeric column: score of every threshold, the values by class, and a handle.

import { signal } from "@preact/signals";
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Cuts, CutsRequest } from "../../messages";
import { known, once, useAsk } from "../link/transport";
import { score, value } from "../numbers";
import { Axis } from "../parts/Axis";
import { colourOf, shapeOf } from "../parts/Marker";
import { visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { pathKey } from "../state/document";
import { attempts } from "../state/latest";
import {
  digits,
  live,
  member,
  openCommand,
  sayFailure,
  selected,
  treeDocument,
} from "../state/store";
import { words } from "../words";
import { chosen, moved, offers, takeOffer } from "./offers";

const WIDTH = 352;
const LEFT = 40;
const RIGHT = 336;
const TOP = 26;
const ZERO = 92;
const MOST_DOTS = 60;
const MOST_MARKS = 60;
const REST_MS = 120;

export function CutPanel() {
  const offer = chosen.value;
  const document = treeDocument.value;
  const found = offers.value;
  const current = found !== null && pathKey(found.at) === pathKey(selected.value);
  const numeric = offer?.split.cut !== null && offer?.split.cut !== undefined;
  const request: CutsRequest | null =
    !numeric || document === null || !current
      ? null
      : { document, at: found.at, member: member.value, column: offer.split.column };
  const here = request !== null && known("cuts", request);
  const asked = useAsk("cuts", here ? request : null);
  if (request === null || offer === null) return null;
  if (!here) {
    return (
      <p class="note lead">
        {words.report.noThresholds} <code>{visible(openCommand.value)}</code>
      </p>
    );
  }
  return (
    <section class="cut">
      <div class="title">
        <h3>{words.whereToSplit(visible(offer.column))}</h3>
        {asked.state === "value" && asked.value.best !== null && (
          <button type="button" class="link" onClick={() => void snap(asked.value, request)}>
            {words.snap}
            <kbd aria-hidden="true">B</kbd>
          </button>
        )}
      </div>
      <Waiting asked={asked} />
      {asked.state === "value" && asked.value.thresholds.length > 0 && (
        <Plot cuts={asked.value} request={request} cut={offer.split.cut as number} />
      )}
    </section>
  );
}

/** The threshold that the handle was moved to, until its numbers have arrived. */
const held = signal<number | null>(null);
let resting: ReturnType<typeof setTimeout> | undefined;
const measuring = attempts();

/** What was asked about the threshold so far does not count any more. */
function forget(): () => boolean {
  clearTimeout(resting);
  return measuring();
}

/** Ask for the exact numbers of a threshold, and mark it. */
async function measure(cuts: Cuts, position: number, request: CutsRequest): Promise<void> {
  if (!live.value) return;
  const { document, at } = request;
  const isLast = forget();
  const split = { column: cuts.column, cut: cuts.thresholds[position] };
  try {
    const offer = await once("measure", { document, at, member: member.value, split });
    if (isLast() && pathKey(selected.value) === pathKey(at)) moved.value = { at, offer };
  } catch (error) {
    if (isLast()) sayFailure(error);
  }
}

function snap(cuts: Cuts, request: CutsRequest): Promise<void> {
  held.value = cuts.best ?? 0;
  return measure(cuts, held.value, request);
}

const nearest = (thresholds: number[], wanted: number): number => {
  let best = 0;
  for (const [i, threshold] of thresholds.entries()) {
    if (Math.abs(threshold - wanted) < Math.abs(thresholds[best] - wanted)) best = i;
  }
  return best;
};

interface PlotProperties {
  cuts: Cuts;
  request: CutsRequest;
  cut: number;
}

function Plot({ cuts, request, cut }: PlotProperties) {
  const svg = useRef<SVGSVGElement>(null);
  const at = held.value ?? nearest(cuts.thresholds, cut);
  const scales = useMemo(() => scalesOf(cuts), [cuts]);
  useEffect(() => {
    held.value = null;
  }, [cuts, cut]);
  useEffect(() => () => void forget(), []);
  const go = (position: number) => {
    const next = Math.min(cuts.thresholds.length - 1, Math.max(0, position));
    held.value = next;
    forget();
    resting = setTimeout(() => void measure(cuts, next, request), REST_MS);
  };
  // The threshold that is shown: the exact numbers of the last move may still be on their way.
  const take = () => {
    forget();
    takeOffer({ split: { column: cuts.column, cut: cuts.thresholds[at] } });
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons === 0 || svg.current === null) return;
    const box = svg.current.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    go(nearest(cuts.thresholds, scales.x.invert(x)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1;
    if (event.key === "ArrowRight" || event.key === "ArrowUp") go(at + step);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") go(at - step);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(cuts.thresholds.length - 1);
    else if (event.key.toLowerCase() === "b") void snap(cuts, request);
    else if (event.key === "Enter" && live.value && (held.value !== null || moved.value !== null))
      take();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const x = scales.x(cuts.thresholds[at]);
  return (
    <>
      <svg
        ref={svg}
        class="cut-plot"
        viewBox={`0 0 ${WIDTH} 152`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(event);
        }}
        onPointerMove={drag}
        role="group"
        aria-label={words.whereToSplit(visible(cuts.column))}
      >
        <Scores cuts={cuts} scales={scales} />
        <Values cuts={cuts} scales={scales} />
        <g
          class="handle-group"
          role="slider"
          tabindex={0}
          aria-label={words.threshold}
          aria-valuemin={cuts.thresholds[0]}
          aria-valuemax={cuts.thresholds[cuts.thresholds.length - 1]}
          aria-valuenow={cuts.thresholds[at]}
          aria-valuetext={words.thresholdSpoken(
            visible(cuts.texts[at]),
            score(cuts.scores[at], digits.value),
          )}
          onKeyDown={onKeyDown}
        >
          <line class="cut-line" x1={x} x2={x} y1={TOP - 10} y2={132} />
          <rect class="handle" x={x - 5} y={122} width="10" height="12" rx="3" />
          <rect x={x - 14} y={TOP - 10} width="28" height="146" fill="transparent" />
        </g>
      </svg>
      <p class="note cut-note">
        <b>{words.atMost(visible(cuts.texts[at]))}</b> {cuts.score_name}{" "}
        {score(cuts.scores[at], digits.value)}
        {!cuts.allowed[at] && cuts.refused[at] !== "" && `: ${cuts.refused[at]}`}
        {moved.value !== null && (
          <button type="button" class="primary" onClick={take}>
            {words.takeThreshold}
            <kbd aria-hidden="true">↵</kbd>
          </button>
        )}
      </p>
    </>
  );
}

// ---------------------------------------------------------------- the picture

type Scales = ReturnType<typeof scalesOf>;

function scalesOf(cuts: Cuts) {
  const known = [...cuts.thresholds, ...cuts.values, ...cuts.bins];
  const [least, most] = known.reduce(
    ([a, b], v) => [Math.min(a, v), Math.max(b, v)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const scores = cuts.scores.map((given) => given ?? 0);
  const top = scores.reduce((a, b) => Math.max(a, b), 0) || 1;
  const pad = (most - least) * 0.05 || 1;
  return {
    x: scaleLinear()
      .domain([least - pad, most + pad])
      .range([LEFT, RIGHT]),
    y: scaleLinear().domain([0, top]).nice(3).range([ZERO, TOP]),
  };
}

function Scores({ cuts, scales: { x, y } }: { cuts: Cuts; scales: Scales }) {
  const points = cuts.thresholds.map((threshold, i) => ({
    x: x(threshold),
    y: y(Math.max(0, cuts.scores[i] ?? 0)),
    i,
  }));
  const path = line<{ x: number; y: number }>()
    .x((point) => point.x)
    .y((point) => point.y)(points);
  const ticks = y.ticks(3).map((tick) => ({ at: y(tick), text: value(tick, 3) }));
  return (
    <>
      <Axis
        side="left"
        ticks={ticks}
        position={LEFT}
        from={TOP}
        to={ZERO}
        grid={RIGHT - LEFT}
        line={false}
      />
      <text class="tick" x={RIGHT} y={TOP - 12} text-anchor="end">
        {words.scoreOfCuts(cuts.score_name, cuts.thresholds.length, cuts.n_thresholds)}
      </text>
      <path class="curve" d={path ?? ""} />
      {points.length <= MOST_DOTS &&
        points.map((point) => (
          <circle
            key={point.i}
            class={`dot ${cuts.allowed[point.i] ? "" : "hollow"} ${point.i === cuts.best ? "best" : ""}`}
            cx={point.x}
            cy={point.y}
            r={point.i === cuts.best ? 4 : 3}
          />
        ))}
    </>
  );
}

/** Few values as marks of their class, stacked where they are equal; many as a histogram. */
function Values({ cuts, scales: { x } }: { cuts: Cuts; scales: Scales }) {
  const ticks = x.ticks(6).map((tick) => ({ at: x(tick), text: value(tick, 4) }));
  const few = cuts.values.length > 0 && cuts.values.length <= MOST_MARKS;
  return (
    <>
      {few ? <Marks cuts={cuts} x={x} /> : <Histogram cuts={cuts} x={x} />}
      <Axis side="bottom" ticks={ticks} position={122} from={LEFT} to={RIGHT} line={false} />
    </>
  );
}

type X = Scales["x"];

function Marks({ cuts, x }: { cuts: Cuts; x: X }) {
  const seen = new Map<number, number>();
  return (
    <g>
      {cuts.values.map((given, i) => {
        const before = seen.get(given) ?? 0;
        seen.set(given, before + 1);
        const label = cuts.labels[i] ?? 0;
        const [px, py] = [
          x(given) - 4.5 + (before % 3) * 7,
          ZERO + 5 + Math.floor(before / 3) * 10,
        ];
        return (
          <path
            key={i}
            d={shapeOf(label)}
            transform={`translate(${px} ${py}) scale(0.9)`}
            style={{ fill: colourOf(Math.max(0, label)) }}
          />
        );
      })}
    </g>
  );
}

function Histogram({ cuts, x }: { cuts: Cuts; x: X }) {
  const totals = cuts.counts.map((parts) => parts.reduce((a, b) => a + b, 0));
  const most = totals.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return null;
  const room = 26;
  return (
    <g>
      {cuts.counts.map((parts, bin) => {
        let used = 0;
        return parts.map((part, label) => {
          const height = (room * part) / most;
          used += height;
          const [left, right] = [x(cuts.bins[bin]), x(cuts.bins[bin + 1])];
          return (
            <rect
              key={`${bin} ${label}`}
              x={left}
              y={ZERO + room - used + 2}
              width={Math.max(0.5, right - left - 0.5)}
              height={height}
              style={{ fill: colourOf(label) }}
            />
          );
        });
      })}
    </g>
  );
}
