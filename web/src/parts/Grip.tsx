// A line between two parts of the page that can be dragged, or moved with the arrow keys.
interface Properties {
  side: "horizontal" | "vertical";
  label: string;
  value: number;
  /** The new value; whoever holds it keeps it within bounds. */
  onMove: (value: number) => void;
  class?: string;
}

const STEP = 24;

/** The value grows towards the top, or towards the left. */
export function Grip({ side, label, value, onMove, ...rest }: Properties) {
  const across = side === "horizontal";
  const onPointerDown = (event: PointerEvent) => {
    const line = event.currentTarget as HTMLElement;
    const start = across ? event.clientY : event.clientX;
    line.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent) =>
      onMove(value + start - (across ? now.clientY : now.clientX));
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
      line.removeEventListener("pointercancel", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
    line.addEventListener("pointercancel", end);
    event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const more = across ? "ArrowUp" : "ArrowLeft";
    const less = across ? "ArrowDown" : "ArrowRight";
    if (event.key !== more && event.key !== less) return;
    onMove(value + (event.key === more ? STEP : -STEP));
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class={`grip ${side} ${rest.class ?? ""}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={side}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={2000}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
