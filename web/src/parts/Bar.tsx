// Class weights as a bar, or a mean with its spread as a strip.

import { shortWeight, weight } from "../numbers";
import { colourOf, Marker } from "./Marker";

const MOST_CLASSES = 12;

interface Slice {
  of: number;
  part: number;
}

/** The largest classes in their order, and one grey part for all others. */
export function slicesOf(weights: readonly number[]): Slice[] {
  const slices = weights.map((part, of) => ({ of, part })).filter(({ part }) => part > 0);
  if (weights.length <= MOST_CLASSES || slices.length < MOST_CLASSES) return slices;
  const largest = [...slices].sort((a, b) => b.part - a.part).slice(0, MOST_CLASSES - 1);
  const kept = slices.filter((slice) => largest.includes(slice));
  const rest = slices.reduce((sum, { part }) => sum + part, 0);
  const seen = kept.reduce((sum, { part }) => sum + part, 0);
  return [...kept, { of: -1, part: rest - seen }];
}

interface BarProperties {
  weights: readonly number[];
  /** Rows that have a value but are not told apart by class: a grey part. */
  known?: number;
  /** The weight of rows with a missing value: a hatched end. */
  missing?: number;
  class?: string;
}

export function Bar({ weights, known = 0, missing = 0, class: extra = "" }: BarProperties) {
  return (
    <div class={`bar ${extra}`} aria-hidden="true">
      {slicesOf(weights).map(({ of, part }) => (
        <i key={of} style={{ flexGrow: part, "--c": colourOf(of) }} />
      ))}
      {known > 0 && <i class="known" style={{ flexGrow: known }} />}
      {missing > 0 && <i class="hatched" style={{ flexGrow: missing }} />}
    </div>
  );
}

interface CountProperties {
  weights: readonly number[];
  classes: readonly string[];
  most?: number;
  /** With fewer digits, for cards; "…" stands for what is left out. */
  short?: boolean;
}

/** Counts by class with their shapes; the names are for screen readers and the title. */
export function Counts({ weights, classes, most = 3, short = false }: CountProperties) {
  const slices = slicesOf(weights);
  const shown = slices.length > most ? largest(slices, most) : slices;
  const left = short && shown.length < slices.length;
  const all = () =>
    weights.flatMap((part, of) => (part > 0 ? `${classes[of]} ${weight(part)}` : []));
  return (
    <span class="counts" title={left ? all().join(", ") : undefined}>
      {shown.map(({ of, part }) => (
        <span key={of} title={classes[of]}>
          <Marker of={of} />
          <span class="unseen">{`${classes[of] ?? ""} `}</span>
          {short ? shortWeight(part) : weight(part)}
        </span>
      ))}
      {left && <span aria-hidden="true">…</span>}
    </span>
  );
}

const largest = (slices: Slice[], most: number) =>
  slices.filter((slice) =>
    [...slices]
      .sort((a, b) => b.part - a.part)
      .slice(0, most)
      .includes(slice),
  );

interface StripProperties {
  mean: number;
  deviation: number;
  /** The scale of all nodes. */
  from: number;
  to: number;
}

/** A mean with one standard deviation on each side, on the scale of all nodes. */
export function Strip({ mean, deviation, from, to }: StripProperties) {
  const at = (value: number) => {
    const share = to > from ? (value - from) / (to - from) : 0.5;
    return `${100 * Math.min(1, Math.max(0, share))}%`;
  };
  return (
    <svg class="strip" width="100%" height="8" aria-hidden="true">
      <line x1="0" x2="100%" y1="4" y2="4" stroke="var(--line2)" />
      <line
        x1={at(mean - deviation)}
        x2={at(mean + deviation)}
        y1="4"
        y2="4"
        stroke="var(--c0)"
        stroke-width="4"
        stroke-opacity="0.35"
      />
      <circle cx={at(mean)} cy="4" r="3" fill="var(--c0)" />
    </svg>
  );
}
