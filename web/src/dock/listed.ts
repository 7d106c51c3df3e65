// Some rows that another view asks the table to list, such as a cell of the confusion matrix.
import { effect, signal } from "@preact/signals";
import { dockShown, pin, table } from "../state/store";

export interface Listed {
  rows: number[];
  /** What they are, as text. */
  title: string;
}

export const listed = signal<Listed | null>(null);

effect(() => {
  void table.value?.key;
  listed.value = null;
});

/** List rows in the table, which is shown beside the view that asks. */
export function listRows(from: string, title: string, rows: number[]): void {
  listed.value = { rows, title };
  if (!dockShown.value.includes("table")) dockShown.value = ["table", from];
  pin({ from, paths: [], rows: { rows, weights: rows.map(() => 1) } });
}

export function listAll(): void {
  listed.value = null;
  pin(null);
}
