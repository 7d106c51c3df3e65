// The studio in the browser: answers come from the server.
import { render } from "preact";
import { App } from "./App";
import { borrowToken, http, keepToken, shareToken, watch } from "./link/http";
import { connect, failureOf, once } from "./link/transport";
import { followTable } from "./start/follow";
import { failure, openGiven, openPlace, prepared, show } from "./start/open";
import { decodePlace, fragmentParts } from "./state/address";
import { keepAll, keptHistory } from "./state/keep";
import { hello, history } from "./state/store";
import "./style.css";
import "./app.css";

async function start(root: HTMLElement): Promise<void> {
  const { token, place: encoded } = fragmentParts(location.hash);
  keepToken(token);
  if (token !== undefined) window.history.replaceState(null, "", location.pathname);
  await borrowToken();
  shareToken();
  connect(http);
  const kept = keptHistory();
  const place = encoded === undefined ? null : await decodePlace(encoded);
  try {
    hello.value = await once("hello", {});
  } catch (error) {
    failure.value = failureOf(error);
  }
  keepAll();
  followTable();
  void watch();
  render(<App />, root);
  if (hello.value === null) return;
  await begin(place, kept);
}

/** A link comes first, then what this tab had before a reload, then the command line. */
async function begin(
  place: Awaited<ReturnType<typeof decodePlace>>,
  kept: ReturnType<typeof keptHistory>,
): Promise<void> {
  try {
    const same = kept !== null && (place === null || sameTable(place, kept.place));
    if (kept !== null && same) {
      const { key, target, drop, task, recipe } = kept.table;
      show(await once("open", { key, target, drop, task, recipe }), place ?? kept.place);
      const past = kept.history;
      if (history.value !== null) history.value = { ...past, now: history.value.now };
      return;
    }
    if (place !== null) await openPlace(place);
  } catch (error) {
    failure.value = failureOf(error);
  }
  if (place === null && prepared.value === null && hello.value !== null) openGiven(hello.value);
}

const sameTable = (
  a: { document: { table: { hash: string } } },
  b: { document: { table: { hash: string } } },
) => a.document.table.hash === b.document.table.hash;

const root = document.getElementById("studio");
if (root !== null) void start(root);
