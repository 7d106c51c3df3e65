// The edits of a document as the history lists them: pure functions.

import type { Document } from "../../messages";
import { canonical, editsOf, hashOf, upTo } from "../state/document";
import { type History, line } from "../state/history";

/**
 * The document whose edits are listed: the furthest one that begins with the edits that are shown,
 * so that edits after the shown state stay in the list.
 */
export function longest(history: History<Document>): Document {
  const { all } = line(history);
  const start = editsOf(history.now);
  let found = history.now;
  for (const each of all) {
    if (
      editsOf(each).length > editsOf(found).length &&
      beginsWith(each, history.now, start.length)
    ) {
      found = each;
    }
  }
  return found;
}

function beginsWith(document: Document, now: Document, n: number): boolean {
  return (
    canonical(document.settings ?? {}) === canonical(now.settings ?? {}) &&
    hashOf(upTo(document, n)) === hashOf(now)
  );
}

/** Where in the history the document stands that has the first edits of another one; -1 if nowhere. */
export function placeOf(history: History<Document>, document: Document): number {
  const hash = hashOf(document);
  return line(history).all.findIndex((each) => hashOf(each) === hash);
}

/** The document of a file: as it is saved, or the bare document. Null if it is none. */
export function documentOf(content: string): Document | null {
  try {
    const read = JSON.parse(content);
    const found = read?.document ?? read;
    const fits =
      typeof found === "object" &&
      typeof found?.table?.hash === "string" &&
      typeof found.table.target === "string" &&
      (found.edits === undefined || Array.isArray(found.edits));
    return fits ? (found as Document) : null;
  } catch {
    return null;
  }
}
