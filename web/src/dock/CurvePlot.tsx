// A curve of given points, or the points alone, between two axes.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { Curve } from "../../messages";
import { value } from "../numbers";
import { Axis } from "../parts/Axis";

const SIZE = { width: 300, height: 190, left: 40, right: 12, top: 18, bottom: 40 };
/** Curves of two fractions. */
const OF_FRACTIONS = new Set(["roc", "precision_recall", "calibration"]);
/** Where a guess would lie: on the diagonal. */
const DIAGONAL = new Set(["roc", "calibration", "predicted"]);
const OF_POINTS = new Set(["residuals", "predicted"]);

export function CurvePlot({ curve }: { curve: Curve }) {
  const { left, top, width, height } = SIZE;
  const right = width - SIZE.right;
  const bottom = height - SIZE.bottom;
  const fractions = OF_FRACTIONS.has(curve.key);
  const points = OF_POINTS.has(curve.key);
  const x = scaleLinear()
    .domain(fractions || curve.key === "lift" ? [0, 1] : extent(curve.x))
    .range([left, right]);
  const y = scaleLinear()
    .domain(
      fractions ? [0, 1] : curve.key === "lift" ? [0, Math.max(1, ...curve.y)] : extent(curve.y),
    )
    .range([bottom, top]);
  if (!fractions) y.nice(4);
  const path = line<number>()
    .x((_, i) => x(curve.x[i]))
    .y((_, i) => y(curve.y[i]));
  const ticks = (scale: typeof x, n: number) =>
    scale.ticks(n).map((tick) => ({ at: scale(tick), text: value(tick, 4) }));
  return (
    <svg
      class="curve-plot"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${curve.title}: ${curve.y_title} / ${curve.x_title}`}
    >
      <Axis
        side="left"
        ticks={ticks(y, 4)}
        position={left}
        from={bottom}
        to={top}
        grid={right - left}
        line={false}
      />
      <Axis
        side="bottom"
        ticks={ticks(x, 5)}
        position={bottom}
        from={left}
        to={right}
        title={curve.x_title}
      />
      <text class="axis-title" x={left} y={top - 7}>
        {curve.y_title}
      </text>
      {DIAGONAL.has(curve.key) && (
        <line
          class="curve-guess"
          x1={x(x.domain()[0])}
          y1={y(Math.max(y.domain()[0], x.domain()[0]))}
          x2={x(x.domain()[1])}
          y2={y(Math.min(y.domain()[1], x.domain()[1]))}
        />
      )}
      {curve.key === "lift" && (
        <line class="curve-guess" x1={left} x2={right} y1={y(1)} y2={y(1)} />
      )}
      {curve.key === "residuals" && (
        <line class="curve-guess" x1={left} x2={right} y1={y(0)} y2={y(0)} />
      )}
      {!points && <path class="curve-line" d={path(curve.y) ?? ""} />}
      {(points || curve.x.length <= 12) &&
        curve.x.map((at, i) => (
          <circle key={i} class="curve-dot" cx={x(at)} cy={y(curve.y[i])} r={points ? 2 : 2.5} />
        ))}
    </svg>
  );
}

function extent(values: readonly number[]): [number, number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const each of values) {
    least = Math.min(least, each);
    most = Math.max(most, each);
  }
  return Number.isFinite(least) ? [least, most] : [0, 1];
}
