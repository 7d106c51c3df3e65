// The facts of the table follow the document: undo may come back to another target or reading.
import { effect } from "@preact/signals";
import type { Document, TableFacts } from "../../messages";
import { once } from "../link/transport";
import { canonical, referenceOf } from "../state/document";
import { document, sayFailure, table } from "../state/store";

type Reference = Document["table"];
const known = new Map<string, TableFacts>();

export function followTable(): void {
  effect(() => {
    if (table.value !== null) known.set(canonical(referenceOf(table.value)), table.value);
  });
  effect(() => {
    const about = document.value?.table;
    const shown = table.peek();
    if (about === undefined || shown === null) return;
    if (canonical(about) !== canonical(referenceOf(shown))) void show(about);
  });
}

async function show(about: Reference): Promise<void> {
  const facts = known.get(canonical(about));
  if (facts !== undefined) {
    table.value = facts;
    return;
  }
  const { key, target, drop, task, recipe } = about;
  try {
    const found = await once("open", { key, target, drop, task, recipe });
    if (document.peek()?.table === about) table.value = found;
  } catch (error) {
    sayFailure(error);
  }
}
