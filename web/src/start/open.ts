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
import { newDocument } from "../state/document";
import { changeTable, hello, openDocument, openTable, table } from "../state/store";
import { words } from "../words";

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
    failure.value = inWords(failureOf(error));
  }
  reading.value = false;
}

/** A remedy in Python as one on the page. */
const inWords = (failed: Failure): Failure => ({
  ...failed,
  hint: failed.hint.replace(/missing_values='(.*)'\.$/, words.toMissing("$1")),
});

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
    arrive(await openUploaded(key, stopped));
  });
}

/** An uploaded table, read as the document of a link reads its own, if it can be. */
async function openUploaded(key: string, stopped: AbortSignal): Promise<TableFacts> {
  const wanted = pending.value?.document.table;
  if (wanted !== undefined) {
    try {
      const { target, drop, task, recipe } = wanted;
      return await once("open", { key, target, drop, task, recipe }, onProgress, stopped);
    } catch (error) {
      if (stopped.aborted) throw error;
    }
  }
  return once("open", { key }, onProgress, stopped);
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

/** The same table with another target, without some columns, or read in another way. */
export function reopen(facts: TableFacts, how: Partial<OpenRequest>): Promise<void> {
  return working(async (stopped) => {
    const { key, target, drop, task, recipe } = facts;
    arrive(await once("open", { key, target, drop, task, recipe, ...how }, onProgress, stopped));
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
  const { key, hash, name, recipe } = facts;
  const about = { ...document.table, key, hash, name, recipe };
  batch(() => {
    pending.value = null;
    prepared.value = null;
    openDocument(facts, { ...document, table: about }, view);
  });
}

/** Open what a link or a file names, if its table is at hand; otherwise wait for the table. */
export async function openPlace(place: Place): Promise<void> {
  pending.value = place;
  const { hash, name, target, drop, task, recipe } = place.document.table;
  const all = hello.value?.opened ?? [];
  const opened =
    all.find((facts) => facts.hash === hash) ?? all.find((facts) => facts.name === name);
  const stem = name.replace(/\.\w+$/, "");
  const example = hello.value?.examples.find((other) => other.name === stem);
  const how = { target, drop, task, recipe };
  if (opened !== undefined) arrive(await once("open", { key: opened.key, ...how }));
  else if (example !== undefined) arrive(await once("open", { example: example.name, ...how }));
}

/** Begin a document. On the table that is open already, this is a step that can be undone. */
export function begin(facts: TableFacts, settings: Settings): void {
  const isOpen = table.value?.key === facts.key;
  batch(() => {
    prepared.value = null;
    if (isOpen) changeTable(facts, newDocument(facts, settings));
    else openTable(facts, settings);
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
