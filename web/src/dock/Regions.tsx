// The exact rectangles of the leaves along two columns, with the rows of the slice.
import { effect, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { AxisFacts, Point, Region, Regions as RegionsAnswer } from "../../messages";
import { canAsk, useAsk } from "../link/transport";
import { count, value } from "../numbers";
import { Axis } from "../parts/Axis";
import { colourOf, shapeOf } from "../parts/Marker";
import { middle, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { isWithin, type Path, pathKey } from "../state/document";
import {
  document,
  ghost,
  type Lit,
  light,
  lit,
  member,
  pin,
  pinned,
  select,
  selected,
  table,
  tree,
} from "../state/store";
import { words } from "../words";
import { useBox, useKept } from "./hooks";
import { isLitLeaf, sameLight } from "./linking";
import {
  around,
  linesOf,
  type Placed,
  placed,
  pointAt,
  type Scale,
  scaleOf,
  sparse,
} from "./plane";
import "./regions.css";
import { registerDock } from "./registry";

/** Above so many points they are drawn as one path, and only lit ones by themselves. */
const MOST_ELEMENTS = 1200;
const EDGE = { left: 12, right: 20, top: 6, bottom: 38 };

const axes = signal<{ x: string | null; y: string | null }>({ x: null, y: null });

effect(() => {
  void table.value?.key;
  axes.value = { x: null, y: null };
});

function Regions() {
  const request = document.value && {
    document: document.value,
    at: selected.value,
    member: member.value,
    ...axes.value,
  };
  const asked = useAsk("regions", request);
  const answer = useKept(asked);
  if (answer === null) {
    return (
      <div class="view reg-wait">
        <Waiting asked={asked} />
      </div>
    );
  }
  return (
    <div class="reg">
      <Choosers answer={answer} />
      <Plane answer={answer} />
    </div>
  );
}

function Choosers({ answer }: { answer: RegionsAnswer }) {
  const { x, y, columns, fixed } = answer;
  const change = (side: "x" | "y", column: string) => {
    const other = side === "x" ? y.column : x.column;
    const now = side === "x" ? x.column : y.column;
    const next = { x: x.column, y: y.column, [side]: column };
    if (column === other) next[side === "x" ? "y" : "x"] = now;
    axes.value = next;
  };
  const text = fixed.length === 0 ? "" : words.dock.regions.where(fixed.map(visible).join(", "));
  return (
    <div class="caption">
      <span class="reg-choosers">
        <Chooser
          label={words.dock.regions.y}
          columns={columns}
          chosen={y.column}
          onChoose={(column) => change("y", column)}
        />
        <span>{words.dock.regions.against}</span>
        <Chooser
          label={words.dock.regions.x}
          columns={columns}
          chosen={x.column}
          onChoose={(column) => change("x", column)}
        />
      </span>
      <bdi class="caption-text" title={text}>
        {text}
      </bdi>
    </div>
  );
}

interface ChooserProperties {
  label: string;
  columns: readonly string[];
  chosen: string;
  onChoose: (column: string) => void;
}

function Chooser({ label, columns, chosen, onChoose }: ChooserProperties) {
  return (
    <select
      class="dock-pick bare"
      aria-label={label}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {columns.map((column) => (
        <option key={column} value={column} selected={column === chosen}>
          {middle(visible(column), 32)}
        </option>
      ))}
    </select>
  );
}

interface Drawn {
  answer: RegionsAnswer;
  x: Scale;
  y: Scale;
}

function Plane({ answer }: { answer: RegionsAnswer }) {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useBox(box, { width: 396, height: 200 });
  const left = EDGE.left + yRoom(answer.y);
  const x = scaleOf(answer.x, left, Math.max(left + 60, width - EDGE.right));
  const y = scaleOf(answer.y, Math.max(EDGE.top + 60, height - EDGE.bottom), EDGE.top);
  const drawn = { answer, x, y };
  const fixed = answer.fixed.length === 0 ? "" : words.dock.regions.where(answer.fixed.join(", "));
  return (
    <div class="reg-box" ref={box}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={words.dock.regions.label(answer.y.column, answer.x.column, fixed)}
      >
        <Areas {...drawn} />
        <rect class="frame" x={x.from} y={y.to} width={x.to - x.from} height={y.from - y.to} />
        <Axes {...drawn} />
        <Points {...drawn} />
        <Labels {...drawn} />
        <Outlines {...drawn} />
        <Threshold {...drawn} />
      </svg>
      {answer.points.length === 0 && <p class="note reg-empty">{words.dock.regions.empty}</p>}
    </div>
  );
}

/** The room for the texts at the vertical axis. */
const yRoom = (axis: AxisFacts): number =>
  16 + 6.4 * Math.min(13, Math.max(0, ...axis.tick_texts.map((text) => text.length)));

/** How far apart texts below the plane stand: numbers and dates whole, of names ten letters. */
function xRoom({ numeric, tick_texts }: AxisFacts): number {
  const longest = Math.max(1, ...tick_texts.map((text) => text.length));
  return numeric ? Math.max(34, 6.6 * longest + 10) : Math.max(22, 6.6 * Math.min(longest, 10) + 6);
}

function Axes({ answer, x, y }: Drawn) {
  const bottom = sparse(ticksOf(answer.x, x), xRoom(answer.x));
  const room = bottom.length > 1 ? Math.abs(bottom[1].at - bottom[0].at) : 200;
  const most = Math.max(3, Math.floor(room / 6.6));
  const cut = bottom.map(({ at, text }) => ({ at, text: middle(text, most) }));
  return (
    <>
      <Axis side="bottom" ticks={cut} position={y.from} from={x.from} to={x.to} line={false} />
      <Axis
        side="left"
        ticks={sparse(ticksOf(answer.y, y), 16).map(({ at, text }) => ({
          at,
          text: middle(text, 13),
        }))}
        position={x.from}
        from={y.from}
        to={y.to}
        line={false}
      />
      <text class="axis-title" x={x.to} y={y.from + 32} text-anchor="end">
        {`${middle(visible(answer.x.column), 40)} →`}
      </text>
    </>
  );
}

const ticksOf = (axis: AxisFacts, scale: Scale) =>
  axis.ticks
    .map((tick, i) => ({ at: scale.at(tick), text: visible(axis.tick_texts[i]) }))
    .filter(
      ({ at }) => at >= Math.min(scale.from, scale.to) && at <= Math.max(scale.from, scale.to),
    );

function lightOf(region: Region, position: number): Lit {
  return { from: "regions", paths: [region.leaf as Path], region: position };
}

function Areas({ answer, x, y }: Drawn) {
  const range = rangeOf(answer.regions);
  return (
    <>
      {answer.regions.map((region, position) => {
        const place = placed(region, x, y);
        const own = lightOf(region, position);
        return (
          <g
            key={position}
            class="area"
            onPointerEnter={() => light(own)}
            onPointerLeave={() => light(null)}
            onClick={() => pin(sameLight(pinned.value, own) ? null : own)}
            onDblClick={() => select(region.leaf)}
          >
            <rect
              class={region.label >= 0 ? "tint" : "shade"}
              x={place.left}
              y={place.top}
              width={place.width}
              height={place.height}
              style={tintOf(region, range)}
            />
          </g>
        );
      })}
    </>
  );
}

function rangeOf(regions: readonly Region[]): [number, number] {
  const all = regions.flatMap(({ prediction }) => (prediction === null ? [] : [prediction]));
  return [Math.min(...all), Math.max(...all)];
}

/** The colour of a class; of numbers a shade between the least and the greatest prediction. */
function tintOf(region: Region, [least, most]: [number, number]) {
  if (region.prediction === null) return { "--c": colourOf(region.label) };
  const part = most > least ? (region.prediction - least) / (most - least) : 0.5;
  return { "--c": colourOf(0), "--part": `${Math.round(6 + 44 * part)}%` };
}

/** The predictions, above the points. */
const Labels = ({ answer, x, y }: Drawn) => (
  <>
    {answer.regions.map((region, position) => (
      <AreaLabel key={position} region={region} place={placed(region, x, y)} />
    ))}
  </>
);

function AreaLabel({ region, place }: { region: Region; place: Placed }) {
  const { left, top, width, height } = place;
  const text =
    region.prediction === null
      ? visible(tree.value?.columns.classes[region.label] ?? "")
      : value(region.prediction, 4);
  const most = Math.floor((width - 26) / 7);
  const least = region.prediction === null ? Math.min(2, text.length) : text.length;
  if (height < 22 || most < least) return null;
  return (
    <g class="area-label">
      {region.label >= 0 && (
        <path
          class="sh"
          d={shapeOf(region.label)}
          style={{ "--c": colourOf(region.label) }}
          transform={`translate(${left + 8}, ${top + 8.5}) scale(0.9)`}
        />
      )}
      <text x={left + (region.label >= 0 ? 21 : 8)} y={top + 17}>
        {middle(text, Math.max(2, most))}
      </text>
    </g>
  );
}

/** Lit regions, and those of the selected node, have an outline. */
function Outlines({ answer, x, y }: Drawn) {
  const now = lit.value;
  const shown = answer.regions.filter((region, position) =>
    now?.from === "regions" && now.region !== undefined
      ? now.region === position || (now.rows === undefined && sameLeaf(answer, now.region, region))
      : isLitLeaf(now, region.leaf),
  );
  if (shown.length === answer.regions.length) return null;
  return (
    <>
      {shown.map((region) => {
        const { left, top, width, height } = placed(region, x, y);
        return (
          <rect
            key={`${pathKey(region.leaf)} ${left} ${top}`}
            class="area-lit"
            x={left + 1}
            y={top + 1}
            width={Math.max(0, width - 2)}
            height={Math.max(0, height - 2)}
          />
        );
      })}
    </>
  );
}

const sameLeaf = (answer: RegionsAnswer, position: number, region: Region) =>
  pathKey(answer.regions[position]?.leaf ?? [-1]) === pathKey(region.leaf);

/** The threshold of the split that is looked at, within the regions of its node. */
function Threshold({ answer, x, y }: Drawn) {
  const shown = ghost.value;
  if (shown === null) return null;
  const inside = answer.regions.filter(({ leaf }) => isWithin(leaf, shown.at));
  const box = around(inside.map((region) => placed(region, x, y)));
  if (box === null) return null;
  const right = box.left + box.width;
  const bottom = box.top + box.height;
  const across = linesOf(shown.offer.split, answer.x).map((line) => x.at(line));
  const up = linesOf(shown.offer.split, answer.y).map((line) => y.at(line));
  return (
    <>
      {across
        .filter((at) => at > box.left && at < right)
        .map((at) => (
          <line key={`x${at}`} class="dashed" x1={at} x2={at} y1={box.top} y2={bottom} />
        ))}
      {up
        .filter((at) => at > box.top && at < bottom)
        .map((at) => (
          <line key={`y${at}`} class="dashed" x1={box.left} x2={right} y1={at} y2={at} />
        ))}
    </>
  );
}

function Points({ answer, x, y }: Drawn) {
  const many = answer.points.length > MOST_ELEMENTS;
  const scale = many ? 0.5 : answer.points.length > 200 ? 0.75 : 1.05;
  const place = (point: Point) => {
    const at = pointAt(point, answer, x, y);
    return `translate(${at.x - 5 * scale}, ${at.y - 5 * scale}) scale(${scale})`;
  };
  const shown = many ? answer.points.filter((point) => isLitPoint(point)) : answer.points;
  return (
    <>
      {many && <Cloud answer={answer} x={x} y={y} />}
      {shown.map((point) => (
        <Mark key={point.row} point={point} transform={place(point)} />
      ))}
    </>
  );
}

const rowOf = (point: Point): Lit => ({
  from: "regions",
  paths: [point.leaf],
  rows: { rows: [point.row], weights: [1] },
});

function isLitPoint(point: Point): boolean {
  const now = lit.value;
  if (now === null) return false;
  return now.rows !== undefined ? now.rows.rows.includes(point.row) : isLitLeaf(now, point.leaf);
}

function Mark({ point, transform }: { point: Point; transform: string }) {
  const own = rowOf(point);
  const label = tree.value?.columns.classes[point.label] ?? "";
  const shape = point.label >= 0 ? shapeOf(point.label) : shapeOf(0);
  return (
    <path
      class={`pt ${lit.value !== null && isLitPoint(point) ? "lit" : ""}`}
      d={shape}
      transform={transform}
      style={{ "--c": point.label >= 0 ? colourOf(point.label) : "var(--soft)" }}
      onPointerEnter={() => light(own)}
      onPointerLeave={() => light(null)}
      onClick={() => pin(sameLight(pinned.value, own) ? null : own)}
    >
      <title>{words.dock.regions.point(count(point.row + 1), visible(label))}</title>
    </path>
  );
}

/** Very many points: one path a class, of squares of two pixels. */
function Cloud({ answer, x, y }: Drawn) {
  const paths = new Map<number, string[]>();
  for (const point of answer.points) {
    const at = pointAt(point, answer, x, y);
    const into = paths.get(point.label) ?? [];
    into.push(`M${at.x.toFixed(1)} ${at.y.toFixed(1)}h2v2h-2z`);
    paths.set(point.label, into);
  }
  return (
    <g class="cloud">
      {[...paths].map(([label, parts]) => (
        <path
          key={label}
          d={parts.join("")}
          style={{ "--c": label >= 0 ? colourOf(label) : "var(--soft)" }}
        />
      ))}
    </g>
  );
}

registerDock({
  key: "regions",
  title: words.dock.regions.title,
  component: Regions,
  available: () => canAsk("regions"),
});
