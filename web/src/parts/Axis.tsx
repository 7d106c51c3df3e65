// An axis of a small plot; the ticks are given or follow from a scale of d3.
interface Tick {
  at: number;
  text: string;
}

interface Properties {
  side: "bottom" | "left";
  ticks: readonly Tick[];
  /** Where the axis is: its y at the bottom, its x on the left. */
  position: number;
  /** The range along the axis, for the line and the lines of the grid. */
  from: number;
  to: number;
  title?: string;
  /** How far lines of a grid reach into the plot; 0 draws none. */
  grid?: number;
  line?: boolean;
}

export function Axis({
  side,
  ticks,
  position,
  from,
  to,
  title,
  grid = 0,
  line = true,
}: Properties) {
  const bottom = side === "bottom";
  return (
    <g aria-hidden="true">
      {grid > 0 &&
        ticks.map(({ at }) =>
          bottom ? (
            <line key={at} class="grid-line" x1={at} x2={at} y1={position} y2={position - grid} />
          ) : (
            <line key={at} class="grid-line" x1={position} x2={position + grid} y1={at} y2={at} />
          ),
        )}
      {line &&
        (bottom ? (
          <line class="axis-line" x1={from} x2={to} y1={position} y2={position} />
        ) : (
          <line class="axis-line" x1={position} x2={position} y1={from} y2={to} />
        ))}
      {ticks.map(({ at, text }) => (
        <text
          key={at}
          class="tick"
          x={bottom ? at : position - 8}
          y={bottom ? position + 16 : at + 4}
          text-anchor={bottom ? "middle" : "end"}
        >
          {text}
        </text>
      ))}
      {title !== undefined && (
        <text
          class="axis-title"
          x={bottom ? to : position - 8}
          y={bottom ? position + 32 : Math.min(from, to) - 8}
          text-anchor="end"
        >
          {title}
        </text>
      )}
    </g>
  );
}
