// A long list of which only the rows in view are in the document.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Properties {
  n: number;
  /** The height of a row in CSS pixels. */
  height: number;
  row: (position: number) => ComponentChildren;
  /** The positions in view, so that more can be asked for. */
  onView?: (from: number, to: number) => void;
  class?: string;
  label: string;
  role?: "list" | "rowgroup";
}

const AROUND = 8;

export function VirtualList({ n, height, row, onView, label, ...rest }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const [[from, to], setView] = useState<[number, number]>([0, 40]);
  const look = () => {
    const element = box.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - AROUND);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / height) + AROUND;
    if (first !== from || last !== to) setView([first, last]);
    onView?.(first, Math.min(n, last));
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [n, height]);
  const end = Math.min(n, to);
  const role = rest.role ?? "list";
  return (
    <div
      class={`list ${rest.class ?? ""}`}
      ref={box}
      onScroll={look}
      tabIndex={0}
      aria-label={label}
      role={role}
    >
      <div style={{ height: `${n * height}px` }} role="presentation">
        {Array.from({ length: Math.max(0, end - from) }, (_, i) => from + i).map((position) => (
          <div
            class="list-row"
            key={position}
            role={role === "list" ? "listitem" : "presentation"}
            aria-setsize={role === "list" ? n : undefined}
            aria-posinset={role === "list" ? position + 1 : undefined}
            style={{ top: `${position * height}px`, height: `${height}px` }}
          >
            {row(position)}
          </div>
        ))}
      </div>
    </div>
  );
}
