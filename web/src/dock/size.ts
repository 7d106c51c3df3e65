// How much of the page the dock takes: its height, the width of its second view, folded or not.
import { effect, signal } from "@preact/signals";
import { recall, remember } from "../state/storage";

const KEPT = "plaintree-dock";
const HEIGHT = { least: 120, usual: 272 };
const WIDTH = { least: 240, usual: 396 };

interface Size {
  height: number;
  /** The width of the second view. */
  width: number;
  folded: boolean;
}

export const size = signal<Size>(kept());
/** Whether two views fit side by side. */
export const wide = signal(true);

export const clampedHeight = (height: number, available: number): number =>
  Math.round(Math.min(Math.max(height, HEIGHT.least), Math.max(HEIGHT.least, available - 220)));

export const clampedWidth = (width: number, available: number): number =>
  Math.round(
    Math.min(Math.max(width, WIDTH.least), Math.max(WIDTH.least, available - WIDTH.least)),
  );

export function toggleDock(): void {
  size.value = { ...size.value, folded: !size.value.folded };
}

function kept(): Size {
  const usual = { height: HEIGHT.usual, width: WIDTH.usual, folded: false };
  try {
    const { height, width, folded } = JSON.parse(recall("localStorage", KEPT) ?? "{}");
    return {
      height: Number.isFinite(height) ? height : usual.height,
      width: Number.isFinite(width) ? width : usual.width,
      folded: folded === true,
    };
  } catch {
    return usual;
  }
}

/** Follow the window, and keep what the reader sets. */
export function followSize(): () => void {
  const media = matchMedia("(min-width: 1000px)");
  const look = () => {
    wide.value = media.matches;
  };
  look();
  media.addEventListener("change", look);
  const stop = effect(() => {
    const { height, width, folded } = size.value;
    const root = document.documentElement.style;
    root.setProperty("--dock", folded ? "38px" : `${clampedHeight(height, innerHeight)}px`);
    root.setProperty("--second", `${width}px`);
    remember("localStorage", KEPT, JSON.stringify(size.value));
  });
  return () => {
    media.removeEventListener("change", look);
    stop();
  };
}
