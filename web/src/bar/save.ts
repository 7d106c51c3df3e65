// Files that the browser saves.
import { currentView, document as shownDocument, table } from "../state/store";

export function saveBytes(filename: string, type: string, bytes: BlobPart): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Twice the size of the SVG, and not more than canvases hold. */
const PNG_SCALE = 2;
const MOST_PIXELS = 16_000;

/** An SVG as PNG, drawn by the browser; null if it cannot. */
export async function pngOf(svg: string): Promise<Blob | null> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const largest = Math.max(image.naturalWidth, image.naturalHeight, 1);
    const scale = Math.min(PNG_SCALE, MOST_PIXELS / largest);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The document with its view: what a link holds, without a limit of length. */
export function saveDocument(): void {
  const place = { document: shownDocument.value, view: currentView.value };
  const stem = (table.value?.name ?? "tree")
    .replace(/\.\w+$/, "")
    .replace(/[^\p{L}\p{N}_-]+/gu, "_");
  saveBytes(`${stem}.studio.json`, "application/json", `${JSON.stringify(place, null, 1)}\n`);
}
