// The table that trees are tested on: dropped into a view, kept while the training table is open.
import { effect, signal } from "@preact/signals";
import type { Failure, ProgressLine, TableFacts } from "../../messages";
import { upload } from "../link/http";
import { failureOf } from "../link/transport";
import { table } from "../state/store";

export type TestTable =
  | { state: "none" }
  | { state: "reading"; progress: ProgressLine | null }
  | { state: "open"; facts: TableFacts }
  | { state: "failed"; failure: Failure };

export const testTable = signal<TestTable>({ state: "none" });
export const testKey = (): string | null =>
  testTable.value.state === "open" ? testTable.value.facts.key : null;

effect(() => {
  void table.value?.key;
  testTable.value = { state: "none" };
});

export async function readTest(file: File): Promise<void> {
  testTable.value = { state: "reading", progress: null };
  const onProgress = (progress: ProgressLine) => {
    testTable.value = { state: "reading", progress };
  };
  try {
    const facts = await upload<TableFacts>(file, onProgress, new AbortController().signal);
    testTable.value = { state: "open", facts };
  } catch (error) {
    testTable.value = { state: "failed", failure: failureOf(error) };
  }
}
