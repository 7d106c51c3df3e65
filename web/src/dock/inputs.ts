// The row of What if: the values of a row of the table, and those that were typed over it.
import { batch, computed, signal } from "@preact/signals";
import { ask, canAsk } from "../link/transport";
import { document } from "../state/store";

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
