// What a reload keeps: the history of this tab, the address, the theme.
import { effect } from "@preact/signals";
import type { Document, TableFacts } from "../../messages";
import { checkedPlace, encodePlace, type Place } from "./address";
import { type History, started } from "./history";
import { attempts } from "./latest";
import { recall, remember } from "./storage";
import { currentView, document, hello, history, presenting, printing, table, theme } from "./store";

const HISTORY = "plaintree-history";
const THEME = "plaintree-theme";
const REST_MS = 400;
const MOST_KEPT = 3_000_000;

export interface Kept {
  table: TableFacts;
  history: History<Document>;
  place: Place;
  /** The fragment of the address when this was kept; the address follows a little later. */
  fragment: string;
}

/** The history of this tab before a reload, if it is about an open table. */
export function keptHistory(): Kept | null {
  try {
    const kept = JSON.parse(recall("sessionStorage", HISTORY) ?? "null") as Kept | null;
    const sound =
      kept !== null && checkedPlace(kept.place) !== null && Array.isArray(kept.history?.past);
    return sound ? kept : null;
  } catch {
    return null;
  }
}

/** Whether a fragment is one that this tab wrote itself, and not a link. */
export const isOwn = (kept: Kept, fragment: string): boolean => kept.fragment === fragment;

/** Keep the state after a rest, or at once when the page is left. */
export function keepPlace(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let opened = false;
  effect(() => {
    void [history.value, currentView.value];
    // Until a table is open, what was kept before a reload stays.
    opened ||= table.value !== null;
    if (!opened) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      keepState();
      void writeAddress();
    }, REST_MS);
  });
  const leave = () => {
    if (timer !== undefined) keepState();
  };
  window.addEventListener("pagehide", leave);
  window.document.addEventListener("visibilitychange", leave);
}

/** Keep table and history for this tab; of a very long history only what is shown. */
function keepState(): void {
  const [facts, all] = [table.value, history.value];
  if (facts === null || all === null) {
    remember("sessionStorage", HISTORY, null);
    return;
  }
  const place = { document: all.now, view: currentView.value };
  const kept: Kept = { table: facts, history: all, place, fragment: location.hash };
  const written = JSON.stringify(kept);
  const fits = written.length < MOST_KEPT;
  remember(
    "sessionStorage",
    HISTORY,
    fits ? written : JSON.stringify({ ...kept, history: started(all.now) }),
  );
}

const writing = attempts();

/** Write the place into the address; one that is too long is kept by the session alone. */
async function writeAddress(): Promise<void> {
  const isLast = writing();
  const now = document.value;
  const encoded =
    now === null ? null : await encodePlace({ document: now, view: currentView.value });
  if (!isLast()) return;
  window.history.replaceState(null, "", encoded === null ? location.pathname : `#d=${encoded}`);
  keepState();
}

export function keepTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const known = recall("localStorage", THEME);
  if (known === "light" || known === "dark") theme.value = known;
  const show = () => {
    const chosen = theme.value === "dark" || (theme.value === "system" && system.matches);
    const dark = chosen && !printing.value;
    window.document.documentElement.dataset.theme = dark ? "dark" : "light";
    paintClasses(dark);
  };
  effect(() => {
    if (theme.value !== "system") remember("localStorage", THEME, theme.value);
    show();
  });
  system.addEventListener("change", show);
  effect(() => {
    window.document.documentElement.classList.toggle("presenting", presenting.value);
  });
}

/** The colours of classes come from the library. */
function paintClasses(dark: boolean): void {
  const palette = hello.value?.palette;
  if (palette === undefined) return;
  const { style } = window.document.documentElement;
  const colours = dark ? palette.classes_dark : palette.classes;
  for (const [i, colour] of colours.entries()) style.setProperty(`--c${i}`, colour);
}
