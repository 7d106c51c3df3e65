// The table that trees are tested on: dropped into a view, kept while the training table is open.
import { effect, signal } from "@preact/signals";
import type { Failure, ProgressLine, Uploaded } from "../../messages";
import { upload } from "../link/http";
import { failureOf } from "../link/transport";
import { table } from "../state/store";

export type TestTable =
  | { state: "none" }
  | { state: "reading"; progress: ProgressLine | null }
  | { state: "open"; key: string }
  | { state: "failed"; failure: Failure };

export const testTable = signal<TestTable>({ state: "none" });
export const testKey = (): string | null =>
  testTable.value.state === "open" ? testTable.value.key : null;

let control = new AbortController();

effect(() => {
  void table.value?.key;
  control.abort();
  testTable.value = { state: "none" };
});

/** Read a file; another one, or another training table, stops it. */
export async function readTest(file: File): Promise<void> {
  control.abort();
  control = new AbortController();
  const { signal: stopped } = control;
  const show = (now: TestTable) => {
    if (!stopped.aborted) testTable.value = now;
  };
  show({ state: "reading", progress: null });
  try {
    const onProgress = (progress: ProgressLine) => show({ state: "reading", progress });
    const { key } = await upload<Uploaded>(file, onProgress, stopped);
    show({ state: "open", key });
  } catch (error) {
    show({ state: "failed", failure: failureOf(error) });
  }
}
