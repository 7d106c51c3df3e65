// The row of What if: the values of a row of the table, and those that were typed over it.
import { batch, computed, effect, signal } from "@preact/signals";
import type { ColumnFacts } from "../../messages";
import { ask, canAsk } from "../link/transport";
import { document, table, tree } from "../state/store";

/** By column; what is not in it is missing. */
export type Values = Readonly<Record<string, string>>;

/** The row of the table that the values come from; null if there is none. */
export const origin = signal<number | null>(0);
/** An empty text is a missing value in place of the given one. */
const typed = signal<Values>({});

const given = computed<Values>(() => {
  const [row, about] = [origin.value, document.value];
  if (row === null || about === null || !canAsk("cells")) return {};
  const asked = ask("cells", { table: about.table, rows: [row] }).value;
  if (asked.state !== "value") return {};
  const { columns, cells } = asked.value;
  return Object.fromEntries(columns.slice(0, -1).map((name, i) => [name, cells[0][i] ?? ""]));
});

/** What is typed wins, also over a row that arrives later. */
export const inputs = computed<Values>(() => {
  const all = Object.entries({ ...given.value, ...typed.value });
  return Object.fromEntries(all.filter(([, text]) => text !== ""));
});

/** Begin with the values of another row, or with none. */
export function beginFrom(row: number | null): void {
  batch(() => {
    origin.value = row;
    typed.value = {};
  });
}

export function type(column: string, text: string): void {
  typed.value = { ...typed.value, [column]: text };
}

/** A column may be called constructor, which every object has. */
export const valueIn = (all: Values, column: string): string | null =>
  Object.hasOwn(all, column) ? all[column] : null;

/** Columns that do not change in the smallest change. */
export const locks = signal<ReadonlySet<string>>(new Set());
/** The prediction that the smallest change leads to; empty for any other. */
export const wanted = signal("");

effect(() => {
  void table.value?.key;
  beginFrom(0);
  locks.value = new Set();
  wanted.value = "";
});

/** The columns of the tree, and the others that it could have used. */
export const inputColumns = computed<{ used: ColumnFacts[]; others: ColumnFacts[] }>(() => {
  const [facts, model] = [table.value, tree.value];
  if (facts === null || model === null) return { used: [], others: [] };
  const { feature, names } = model.columns;
  const inTree = new Set(feature.filter((f) => f >= 0).map((f) => names[f]));
  const known = facts.columns.filter(({ name }) => names.includes(name));
  return {
    used: known.filter(({ name }) => inTree.has(name)),
    others: known.filter(({ name }) => !inTree.has(name)),
  };
});
