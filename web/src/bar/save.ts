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

/** The document with its view: what a link holds, without a limit of length. */
export function saveDocument(): void {
  const place = { document: shownDocument.value, view: currentView.value };
  const stem = (table.value?.name ?? "tree")
    .replace(/\.\w+$/, "")
    .replace(/[^\p{L}\p{N}_-]+/gu, "_");
  saveBytes(`${stem}.studio.json`, "application/json", `${JSON.stringify(place, null, 1)}\n`);
}
