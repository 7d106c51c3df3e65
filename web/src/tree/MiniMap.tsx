// The whole tree in a corner; a drag moves what is in view.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { tree } from "../state/store";
import { words } from "../words";
import { inkOf, type MapScale, paintMap } from "./paint";
import { follows, laid, selectedLine, view } from "./scene";

const SIZE = { width: 176, height: 104 };

export function MiniMap() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = useRef<MapScale>({ k: 1, dx: 0, dy: 0 });
  const frame = useRef(0);
  useSignalEffect(() => {
    const [now, model, box] = [laid.value, tree.value, view.value];
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const context = canvas.current?.getContext("2d");
      if (context === null || context === undefined || now === null || model === null) return;
      const ratio = window.devicePixelRatio || 1;
      context.canvas.width = SIZE.width * ratio;
      context.canvas.height = SIZE.height * ratio;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const scene = {
        model,
        seen: { items: [], slivers: [] },
        view: box,
        ink: inkOf(context.canvas, model.columns.classes.length),
        path: selectedLine.peek(),
        dim: null,
        asCards: new Set<never>(),
      };
      scale.current = paintMap(context, now, scene, SIZE);
    });
  });
  const move = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    const { k, dx, dy } = scale.current;
    const box = view.peek();
    const [x, y] = [(event.offsetX - dx) / k, (event.offsetY - dy) / k];
    follows.value = false;
    view.value = { ...box, dx: box.width / 2 - x * box.k, dy: box.height / 2 - y * box.k };
  };
  return (
    <div class="map floating" aria-hidden="true" title={words.map}>
      <canvas
        ref={canvas}
        style={{ width: `${SIZE.width}px`, height: `${SIZE.height}px` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          move(event);
        }}
        onPointerMove={move}
      />
    </div>
  );
}
