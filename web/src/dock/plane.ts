// Positions on the plane of two columns: pure functions.
import type { AxisFacts, Point, Region, Split } from "../../messages";

export interface Scale {
  /** From a value of the axis to CSS pixels. */
  at: (value: number) => number;
  from: number;
  to: number;
}

/** A linear scale; a range of one value is put in the middle. */
export function scaleOf(axis: AxisFacts, from: number, to: number): Scale {
  const { least, most } = axis;
  const at = (value: number) =>
    most > least ? from + ((value - least) / (most - least)) * (to - from) : (from + to) / 2;
  return { at, from, to };
}

export interface Placed {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function placed(region: Region, x: Scale, y: Scale): Placed {
  const [left, right] = sorted(x.at(region.x0), x.at(region.x1));
  const [top, bottom] = sorted(y.at(region.y0), y.at(region.y1));
  return { left, top, width: right - left, height: bottom - top };
}

const sorted = (a: number, b: number): [number, number] => (a < b ? [a, b] : [b, a]);

/** Rows of one category lie side by side: where in its band a row is drawn, from -0.3 to 0.3. */
export function spread(row: number, turn: number): number {
  const golden = 0.61803398875;
  return (((row + 1) * (golden + turn * 0.1357)) % 1) * 0.6 - 0.3;
}

export function pointAt(point: Point, axes: { x: AxisFacts; y: AxisFacts }, x: Scale, y: Scale) {
  const along = axes.x.numeric ? point.x : point.x + spread(point.row, 0);
  const up = axes.y.numeric ? point.y : point.y + spread(point.row, 1);
  return { x: x.at(along), y: y.at(up) };
}

/** The values on an axis at which a split divides it; of categories both ends of their bands. */
export function linesOf(split: Split, axis: AxisFacts): number[] {
  if (split.column !== axis.column) return [];
  if (axis.numeric) return split.cut === null || split.cut === undefined ? [] : [split.cut];
  if (split.cut !== null && split.cut !== undefined) return [Math.floor(split.cut) + 0.5];
  const codes = wanted(split).map((value) => axis.categories.indexOf(String(value)));
  const known = codes.filter((code) => code >= 0);
  const ends = known.flatMap((code) => [code - 0.5, code + 0.5]);
  const inner = ends.filter((end) => end > axis.least && end < axis.most);
  return [...new Set(inner)].filter((end) => ends.filter((e) => e === end).length === 1);
}

function wanted(split: Split): (string | number | boolean)[] {
  if (split.is !== null && split.is !== undefined) return [split.is];
  if (split.in) return split.in;
  return split.groups?.[0] ?? [];
}

/** Ticks that do not run into each other, given the pixels that each takes. */
export function sparse<T extends { at: number }>(ticks: readonly T[], room: number): T[] {
  const kept: T[] = [];
  for (const tick of ticks) {
    const last = kept[kept.length - 1];
    if (last === undefined || Math.abs(tick.at - last.at) >= room) kept.push(tick);
  }
  return kept;
}

/** The box around some rectangles. */
export function around(boxes: readonly Placed[]): Placed | null {
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}
