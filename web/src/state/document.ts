// Documents and their edits: pure functions, no DOM.
import type { Document, Settings, SplitEdit, TableFacts } from "../../messages";

export type Edit = NonNullable<Document["edits"]>[number];
export type Path = number[];

/** A document about a table, before the first edit. */
export function newDocument(table: TableFacts, settings: Settings): Document {
  return { table: referenceOf(table), settings, edits: [], format: 1 };
}

/** How a document names its table. */
export function referenceOf(table: TableFacts): Document["table"] {
  const { key, hash, name, target, drop, task, recipe } = table;
  return { key, hash, name, target, drop, task, recipe };
}

export function editsOf(document: Document): Edit[] {
  return document.edits ?? [];
}

export function withEdit(document: Document, edit: Edit): Document {
  return { ...document, edits: [...editsOf(document), edit] };
}

export function withoutEdit(document: Document, position: number): Document {
  return { ...document, edits: editsOf(document).filter((_, i) => i !== position) };
}

/** The document as it was after so many edits. */
export function upTo(document: Document, n: number): Document {
  return { ...document, edits: editsOf(document).slice(0, n) };
}

export function withNote(document: Document, position: number, why: string): Document {
  const edits = editsOf(document).map((edit, i) => (i === position ? { ...edit, why } : edit));
  return { ...document, edits };
}

export function withSettings(document: Document, settings: Settings): Document {
  return { ...document, settings };
}

export const splitEdit = (at: Path, split: SplitEdit["split"], missing?: number): Edit =>
  missing === undefined ? { edit: "split", at, split } : { edit: "split", at, split, missing };

/** A node as text: "" is the root, "2/0" the first branch of the third. */
export const pathKey = (path: readonly number[]): string => path.join("/");

export const pathOf = (key: string): Path => (key === "" ? [] : key.split("/").map(Number));

/** Whether a node is `above` or below it. */
export function isWithin(path: readonly number[], above: readonly number[]): boolean {
  return above.length <= path.length && above.every((step, i) => path[i] === step);
}

/** JSON with sorted keys and without what is not set: equal things have equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined && part !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`);
  return `{${entries.join(",")}}`;
}

const hashes = new WeakMap<object, string>();

/** A hash of a document, for the cache of answers. Not for security. */
export function hashOf(document: Document): string {
  const known = hashes.get(document);
  if (known !== undefined) return known;
  const hash = hashText(canonical({ ...document, edits: editsOf(document).map(withoutWhy) }));
  hashes.set(document, hash);
  return hash;
}

const withoutWhy = (edit: Edit) => ({ ...edit, why: undefined });

/** 53 bits of a string, in base 36: two FNV-1a hashes of 32 bits, mixed. */
export function hashText(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d);
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  return ((b >>> 11) * 0x100000000 + (a >>> 0)).toString(36);
}
