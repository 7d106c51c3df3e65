// What a reload keeps: the history of this tab, the address, the theme.
import { effect } from "@preact/signals";
import type { Document, TableFacts } from "../../messages";
import { checkedPlace, encodePlace, type Place } from "./address";
import type { History } from "./history";
import { recall, remember } from "./storage";
import {
  currentView,
  document,
  hello,
  history,
  live,
  presenting,
  printing,
  table,
  theme,
} from "./store";

const HISTORY = "plaintree-history";
const THEME = "plaintree-theme";
const REST_MS = 400;
const MOST_KEPT = 3_000_000;

interface Kept {
  table: TableFacts;
  history: History<Document>;
  place: Place;
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

export function keepAll(): void {
  keepAddress();
  keepTheme();
}

function keepAddress(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const place =
      document.value === null ? null : { document: document.value, view: currentView.value };
    const all = history.value;
    const facts = table.value;
    clearTimeout(timer);
    timer = setTimeout(() => void write(place, all, facts), REST_MS);
  });
}

async function write(place: Place | null, all: History<Document> | null, facts: TableFacts | null) {
  // A report is opened from a file and is its own address.
  if (!live.value) return;
  if (place === null) {
    window.history.replaceState(null, "", location.pathname);
    remember("sessionStorage", HISTORY, null);
    return;
  }
  const encoded = await encodePlace(place);
  // A document that is too long for an address is still kept by the session.
  window.history.replaceState(null, "", encoded === null ? location.pathname : `#d=${encoded}`);
  const kept = JSON.stringify({ table: facts, history: all, place });
  if (kept.length < MOST_KEPT) remember("sessionStorage", HISTORY, kept);
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
