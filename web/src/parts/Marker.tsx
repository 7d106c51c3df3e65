// The shape and colour of a class, so no reader depends on colour alone.
import { hello } from "../state/store";

const SHAPES: Record<string, string> = {
  o: "M5 1a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
  s: "M2 1.2h6a.8.8 0 0 1 .8.8v6a.8.8 0 0 1-.8.8h-6a.8.8 0 0 1-.8-.8v-6a.8.8 0 0 1 .8-.8z",
  "^": "M5 1l4.4 7.8h-8.8z",
  D: "M5 .6l4.4 4.4l-4.4 4.4l-4.4-4.4z",
  v: "M5 9l4.4-7.8h-8.8z",
  P: "M3.6 1h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6v-2.8h2.6z",
  X: "M3 1l2 2l2-2l2 2l-2 2l2 2l-2 2l-2-2l-2 2l-2-2l2-2l-2-2z",
  "*": "M5 .6l1.3 2.9l3.2.4l-2.4 2.2l.7 3.1l-2.8-1.6l-2.8 1.6l.7-3.1l-2.4-2.2l3.2-.4z",
};
const DEFAULT = ["o", "s", "^", "D", "v", "P", "X", "*"];

/** The path of a class's shape in a square of 10 by 10. */
export function shapeOf(number: number): string {
  const markers = hello.value?.markers ?? DEFAULT;
  return SHAPES[markers[number % markers.length]] ?? SHAPES.o;
}

/** The CSS colour of a class; the rest of the classes, and numbers, have their own. */
export const colourOf = (number: number): string =>
  number < 0 ? "var(--rest)" : `var(--c${number}, var(--rest))`;

export function Marker({ of, class: extra = "" }: { of: number; class?: string }) {
  return (
    <svg
      class={`sh ${extra}`}
      viewBox="0 0 10 10"
      aria-hidden="true"
      style={{ "--c": colourOf(of) }}
    >
      <path d={shapeOf(of)} />
    </svg>
  );
}
