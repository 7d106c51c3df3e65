// Opening tables: files, examples, tables of the command line, and places from links.
import { batch, signal } from "@preact/signals";
import type {
  Failure,
  Hello,
  OpenRequest,
  ProgressLine,
  Settings,
  TableFacts,
} from "../../messages";
import { upload } from "../link/http";
import { failureOf, once } from "../link/transport";
import { checkedPlace, type Place } from "../state/address";
import { hello, openDocument, openTable } from "../state/store";

/** A table that is open and waits for its target and learner. */
export const prepared = signal<TableFacts | null>(null);
/** A place from a link or a file whose table is not open yet. */
export const pending = signal<Place | null>(null);
export const progress = signal<ProgressLine | null>(null);
export const reading = signal(false);
export const failure = signal<Failure | null>(null);
let control = new AbortController();

export const stopReading = (): void => control.abort();

async function working(work: (stopped: AbortSignal) => Promise<void>): Promise<void> {
  control = new AbortController();
  batch(() => {
    reading.value = true;
    progress.value = null;
    failure.value = null;
  });
  try {
    await work(control.signal);
  } catch (error) {
    failure.value = failureOf(error);
  }
  reading.value = false;
}

const onProgress = (line: ProgressLine) => {
  progress.value = line;
};

export function openFile(file: File): Promise<void> {
  return working(async (stopped) => {
    if (/\.json$/i.test(file.name) && file.size < 5_000_000) {
      const place = checkedPlace(tryJson(await file.text()));
      if (place !== null) return openPlace(place);
    }
    const { key } = await upload<{ key: string }>(file, onProgress, stopped);
    arrive(await once("open", { key }, onProgress, stopped));
  });
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function openExample(name: string): Promise<void> {
  return working(async (stopped) =>
    arrive(await once("open", { example: name }, onProgress, stopped)),
  );
}

/** The same table with another target, or without some columns. */
export function reopen(facts: TableFacts, how: Partial<OpenRequest>): Promise<void> {
  return working(async (stopped) => {
    const { key, target, drop, task } = facts;
    arrive(await once("open", { key, target, drop, task, ...how }, onProgress, stopped));
  });
}

/** The table of a link is recognised by its contents. */
function arrive(facts: TableFacts): void {
  const wanted = pending.value;
  if (wanted !== null && wanted.document.table.hash === facts.hash) show(facts, wanted);
  else prepared.value = facts;
}

/** Show a place on a table: its document is about that table from now on. */
export function show(facts: TableFacts, { document, view }: Place): void {
  const { key, hash, name } = facts;
  const about = { ...document.table, key, hash, name };
  batch(() => {
    pending.value = null;
    prepared.value = null;
    openDocument(facts, { ...document, table: about }, view);
  });
}

/** Open what a link or a file names, if its table is at hand; otherwise wait for the table. */
export async function openPlace(place: Place): Promise<void> {
  pending.value = place;
  const { hash, name, target, drop, task } = place.document.table;
  const opened = hello.value?.opened.find((facts) => facts.hash === hash);
  const stem = name.replace(/\.\w+$/, "");
  const example = hello.value?.examples.find((other) => other.name === stem);
  const how = { target, drop, task };
  if (opened !== undefined) arrive(await once("open", { key: opened.key, ...how }));
  else if (example !== undefined) arrive(await once("open", { example: example.name, ...how }));
}

export function begin(facts: TableFacts, settings: Settings): void {
  batch(() => {
    prepared.value = null;
    openTable(facts, settings);
  });
}

/** What the command line opened: at once if it names settings, otherwise to be prepared. */
export function openGiven(from: Hello): void {
  const facts = from.opened[0];
  if (facts === undefined) return;
  const begins = (from as Hello & { begin?: Record<string, Settings> }).begin?.[facts.key];
  if (begins !== undefined) begin(facts, begins);
  else prepared.value = facts;
}
