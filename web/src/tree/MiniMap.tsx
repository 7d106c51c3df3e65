// The whole tree in a corner; a drag moves what is in view.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { theme } from "../state/store";
import { words } from "../words";
import { drag } from "./camera";
import { frameOf, inkOf, type MapScale, paintMap } from "./paint";
import { own } from "./scene";
import { view } from "./view";

const SIZE = { width: 176, height: 104 };

export function MiniMap() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<SVGRectElement>(null);
  const scale = useRef<MapScale>({ k: 1, dx: 0, dy: 0 });
  useSignalEffect(() => {
    const now = own.laid.value;
    void theme.value;
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined || now === null) return;
    const ratio = window.devicePixelRatio || 1;
    context.canvas.width = SIZE.width * ratio;
    context.canvas.height = SIZE.height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const ink = inkOf(context.canvas, now.model.columns.classes.length);
    scale.current = paintMap(context, now, ink, SIZE);
    moveFrame(frame.current, scale.current);
  });
  useSignalEffect(() => {
    void view.value;
    moveFrame(frame.current, scale.current);
  });
  const move = (event: PointerEvent) => {
    if (event.buttons === 0) return;
    const { k, dx, dy } = scale.current;
    const box = view.peek();
    const [x, y] = [(event.offsetX - dx) / k, (event.offsetY - dy) / k];
    drag({ k: box.k, dx: box.width / 2 - x * box.k, dy: box.height / 2 - y * box.k });
  };
  const style = { width: `${SIZE.width}px`, height: `${SIZE.height}px` };
  return (
    <div
      class="map floating"
      aria-hidden="true"
      title={words.map}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      <canvas ref={canvas} style={style} />
      <svg {...SIZE} aria-hidden="true">
        <rect ref={frame} class="map-frame" />
      </svg>
    </div>
  );
}

function moveFrame(element: SVGRectElement | null, scale: MapScale): void {
  if (element === null) return;
  for (const [name, at] of Object.entries(frameOf(view.peek(), scale))) {
    element.setAttribute(name, String(at));
  }
}
