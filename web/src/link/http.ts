// Answers from the server of the studio: lines of JSON over POST.
import { signal } from "@preact/signals";
import type { Failure, ProgressLine } from "../../messages";
import { recall, remember } from "../state/storage";
import { Failed, type Transport } from "./transport";

const TOKEN = "plaintree-token";

/** Whether the server has ended. */
export const gone = signal(false);

/** Take the token out of the address bar and keep it for this tab. */
export function keepToken(token: string | undefined): void {
  if (token !== undefined) remember("sessionStorage", TOKEN, token);
}

/** Tabs of the same studio share the token, so a link to a state can be opened in a second one. */
const TABS = "plaintree-tabs";
const ANSWER_MS = 300;

/** Give the token to tabs that are opened later. Other origins do not hear of it. */
export function shareToken(): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(TABS);
  channel.onmessage = ({ data }: MessageEvent) => {
    const token = recall("sessionStorage", TOKEN);
    if (data === "ask" && token !== null) channel.postMessage({ token });
  };
}

/** Ask the other tabs for the token if this one has none. */
export async function borrowToken(): Promise<void> {
  if (typeof BroadcastChannel === "undefined") return;
  if (recall("sessionStorage", TOKEN) !== null) return;
  const channel = new BroadcastChannel(TABS);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS);
    channel.onmessage = ({ data }: MessageEvent) => {
      if (typeof data?.token !== "string") return;
      keepToken(data.token);
      clearTimeout(timer);
      resolve();
    };
    channel.postMessage("ask");
  });
  channel.close();
}

const headers = (): Record<string, string> => ({
  "X-Plaintree-Token": recall("sessionStorage", TOKEN) ?? "",
});

export const http: Transport = {
  async call(name, request, onProgress, stopped) {
    return read(
      await sent(`api/${name}`, JSON.stringify(request), "application/json", stopped),
      onProgress,
    );
  },
};

/** Send the bytes of a file; the answer is the table that it holds. */
export async function upload<T>(
  file: File,
  onProgress: (line: ProgressLine) => void,
  stopped: AbortSignal,
): Promise<T> {
  const address = `api/upload?name=${encodeURIComponent(file.name)}`;
  return read(await sent(address, file, "application/octet-stream", stopped), onProgress);
}

/** Which tab of the studio listens to the server; the others wait for their turn. */
const LISTENS = "plaintree-listens";

/**
 * Notice within a second that the server has ended: a stream that it keeps open breaks off.
 *
 * A browser has six connections to a server, so only one tab keeps the stream. When it breaks off,
 * or the tab is closed, the next one takes its turn and sees for itself.
 */
export async function watch(): Promise<void> {
  if (navigator.locks === undefined) await listen();
  else await navigator.locks.request(LISTENS, listen);
}

async function listen(): Promise<void> {
  try {
    const response = await fetch("api/alive", { headers: headers() });
    // Without a token the studio is there, but not for this tab.
    if (response.status === 401 || response.status === 403) return;
    if (response.status === 404 || response.status === 405 || response.body === null) return;
    gone.value = !response.ok;
    const reader = response.body.getReader();
    while (!(await reader.read()).done);
  } catch {
    // The connection was refused or broken: the same as an end.
  }
  gone.value = true;
}

async function sent(address: string, body: BodyInit, type: string, stopped: AbortSignal) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { ...headers(), "Content-Type": type },
      body,
      signal: stopped,
    });
    gone.value = false;
    return response;
  } catch (error) {
    if (stopped.aborted) throw error;
    gone.value = true;
    throw new Failed({ what: "", got: "", hint: "", kind: "lost" });
  }
}

type Line = { progress: ProgressLine } | { result: unknown } | { error: Failure };

async function read<T>(response: Response, onProgress: (line: ProgressLine) => void): Promise<T> {
  if (response.body === null) throw new Failed(lost(response.status));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) {
      if (line.trim() === "") continue;
      const said = parsed(line, response.status);
      if ("progress" in said) onProgress(said.progress);
      else if ("error" in said) throw new Failed(said.error);
      else return said.result as T;
    }
    if (done) throw new Failed(lost(response.status));
  }
}

function parsed(line: string, status: number): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    throw new Failed(lost(status));
  }
}

const lost = (status: number): Failure => ({
  what: "",
  got: status === 200 ? "" : `HTTP ${status}`,
  hint: "",
  kind: "lost",
});
