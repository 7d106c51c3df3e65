// The border of the inspector: dragged, or moved by arrow keys; a double click folds it.
import { effect, type Signal, signal } from "@preact/signals";
import { recall, remember } from "../state/storage";

interface Properties {
  size: Signal<number>;
  least: number;
  most: () => number;
  usual: number;
  label: string;
}

const STEP = 16;

export function Splitter({ size, least, most, usual, label }: Properties) {
  const set = (wanted: number) => {
    const next = Math.min(most(), wanted);
    // What would be too small to read is folded away.
    size.value = next < least / 2 ? 0 : Math.max(least, next);
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    const box = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    if (box === undefined) return;
    set(box.right - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") set(size.value + STEP);
    else if (event.key === "ArrowRight") set(size.value - STEP);
    else if (event.key === "Enter") set(size.value === 0 ? usual : 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="splitter x"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={size.value}
      aria-valuemin={0}
      aria-valuemax={2000}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDblClick={() => set(size.value === 0 ? usual : 0)}
      onKeyDown={onKeyDown}
    />
  );
}

/** A size that this browser remembers. */
export function remembered(key: string, usual: number): Signal<number> {
  const kept = Number(recall("localStorage", key) ?? usual);
  const size = signal(Number.isFinite(kept) ? kept : usual);
  effect(() => remember("localStorage", key, String(size.value)));
  return size;
}
