// Questions and their answers: the only place that knows that answers come from elsewhere.
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Failure, Messages, ProgressLine } from "../../messages";
import { canonical, hashOf, hashText } from "../state/document";

export type Name = keyof Messages;
export type Request<N extends Name> = Messages[N][0];
export type Answer<N extends Name> = Messages[N][1];

/** What is known of an answer. While it is waited for, `progress` says how far the work is. */
export type Asked<T> =
  | { readonly state: "idle" }
  | { readonly state: "waiting"; readonly progress: ProgressLine | null; readonly since: number }
  | { readonly state: "value"; readonly value: T }
  | { readonly state: "error"; readonly error: Failure };

export interface Transport {
  call<N extends Name>(
    name: N,
    request: Request<N>,
    onProgress: (line: ProgressLine) => void,
    stopped: AbortSignal,
  ): Promise<Answer<N>>;
  /** The messages that have answers; all of them unless it says so. */
  readonly names?: ReadonlySet<string>;
  /** Whether a question has an answer; every one unless it says so. */
  has?<N extends Name>(name: N, request: Request<N>): boolean;
}

/** A failure that the transport knows the reason of. */
export class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.what);
  }
}

interface Entry {
  readonly asked: Signal<Asked<unknown>>;
  readonly control: AbortController;
  holders: number;
  /** It was stopped, or did not arrive: the same question may be asked again, but not by itself. */
  passing: boolean;
}

const MOST_ENTRIES = 600;
const entries = new Map<string, Entry>();
const idle: ReadonlySignal<Asked<never>> = signal({ state: "idle" });
let transport: Transport | null = null;

export function connect(to: Transport): void {
  transport = to;
  entries.clear();
}

/**
 * The answer to a question as a signal, by the document's hash and the other arguments. Equal
 * questions share a signal, so a late answer to an old question reaches nobody who asks a new one.
 */
export function ask<N extends Name>(
  name: N,
  request: Request<N> | null,
): ReadonlySignal<Asked<Answer<N>>> {
  if (request === null) return idle;
  return entry(name, request).asked as ReadonlySignal<Asked<Answer<N>>>;
}

/** `ask` for components: work that no component waits for any longer is stopped. */
export function useAsk<N extends Name>(name: N, request: Request<N> | null): Asked<Answer<N>> {
  const asked = ask(name, request);
  const key = request === null ? "" : keyOf(name, request);
  useEffect(() => hold(key), [key]);
  return asked.value;
}

/** Wait for an answer; the function that is returned ends it. */
export function hold(key: string): () => void {
  const held = entries.get(key);
  if (held === undefined) return () => undefined;
  held.holders += 1;
  return () => {
    held.holders -= 1;
    // The next component may take over in the same frame.
    setTimeout(() => {
      if (held.holders > 0 || entries.get(key) !== held) return;
      stopEntry(key);
      forgetPassing(key, held);
    }, 50);
  };
}

/** Whether a message has answers here: a report holds some of them only. */
export const canAsk = (name: Name): boolean => transport?.names?.has(name) ?? true;

/** Ask once, for work with an end such as an export; errors are thrown as `Failed`. */
export function once<N extends Name>(
  name: N,
  request: Request<N>,
  onProgress: (line: ProgressLine) => void = () => undefined,
  stopped: AbortSignal = new AbortController().signal,
): Promise<Answer<N>> {
  return connected().call(name, request, onProgress, stopped);
}

/** Stop the work on a question. What was there before stays. */
export function stop<N extends Name>(name: N, request: Request<N>): void {
  stopEntry(keyOf(name, request));
}

/** Whether a question has an answer. A server answers all of them, a report those in its file. */
export const known = <N extends Name>(name: N, request: Request<N>): boolean =>
  transport?.has?.(name, request) ?? true;

export function keyOf<N extends Name>(name: N, request: Request<N>): string {
  const { document, ...others } = request as { document?: never; [key: string]: unknown };
  const about = document === undefined ? "" : hashOf(document);
  return hashText(`${name} ${about} ${canonical(others)}`);
}

function entry<N extends Name>(name: N, request: Request<N>): Entry {
  const key = keyOf(name, request);
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made: Entry = {
    asked: signal({ state: "waiting", progress: null, since: Date.now() }),
    control: new AbortController(),
    holders: 0,
    passing: false,
  };
  entries.set(key, made);
  forgetOldest();
  void fill(key, made, name, request);
  return made;
}

async function fill<N extends Name>(key: string, made: Entry, name: N, request: Request<N>) {
  const since = Date.now();
  const onProgress = (progress: ProgressLine) => {
    if (made.asked.peek().state === "waiting")
      made.asked.value = { state: "waiting", progress, since };
  };
  try {
    const value = await connected().call(name, request, onProgress, made.control.signal);
    made.asked.value = { state: "value", value };
  } catch (error) {
    made.asked.value = { state: "error", error: failureOf(error) };
    made.passing = made.control.signal.aborted || failureOf(error).kind === "lost";
    forgetPassing(key, made);
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failed) return error.failure;
  if (error instanceof DOMException && error.name === "AbortError") {
    return { what: "", got: "", hint: "", kind: "stopped" };
  }
  const what = error instanceof Error ? error.message : String(error);
  return { what, got: "", hint: "", kind: "bug" };
}

function stopEntry(key: string): void {
  const held = entries.get(key);
  if (held === undefined || held.asked.peek().state !== "waiting") return;
  held.control.abort();
  held.passing = true;
  forgetPassing(key, held);
}

/** A component that shows a failure would ask again and again: it keeps the failure. */
function forgetPassing(key: string, held: Entry): void {
  if (held.passing && held.holders === 0 && entries.get(key) === held) entries.delete(key);
}

function forgetOldest(): void {
  if (entries.size <= MOST_ENTRIES) return;
  for (const [key, { asked, holders }] of entries) {
    if (holders > 0 || asked.peek().state === "waiting") continue;
    entries.delete(key);
    if (entries.size <= MOST_ENTRIES) return;
  }
}

function connected(): Transport {
  if (transport === null) throw new Error("no transport is connected");
  return transport;
}
