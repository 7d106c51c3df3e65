// The studio in the browser: answers come from the server.
import { render } from "preact";
import "./parts/safeText";
import { App } from "./App";
import { borrowToken, http, keepToken, shareToken, watch } from "./link/http";
import { connect, failureOf, once } from "./link/transport";
import { followTable } from "./start/follow";
import { failure, openGiven, openPlace, prepared, show } from "./start/open";
import { decodePlace, fragmentParts, type Place } from "./state/address";
import { hashOf } from "./state/document";
import { pushed } from "./state/history";
import { isOwn, type Kept, keepPlace, keepTheme, keptHistory } from "./state/keep";
import { hello, history } from "./state/store";
import "./style.css";
import "./app.css";
import "./tree/stage.css";
import "./print.css";

async function start(root: HTMLElement): Promise<void> {
  const fragment = location.hash;
  const { token, place: encoded } = fragmentParts(fragment);
  keepToken(token);
  if (token !== undefined) window.history.replaceState(null, "", location.pathname);
  await borrowToken();
  shareToken();
  connect(http);
  const kept = keptHistory();
  // The address of this tab may be older than what it kept when it was left.
  const own = encoded === undefined || (kept !== null && isOwn(kept, fragment));
  const link = own ? null : await decodePlace(encoded);
  try {
    hello.value = await once("hello", {});
  } catch (error) {
    failure.value = failureOf(error);
  }
  keepTheme();
  keepPlace();
  followTable();
  void watch();
  render(<App />, root);
  if (hello.value === null) return;
  await begin(link, kept);
}

/** A link comes first, then what this tab had before a reload, then the command line. */
async function begin(link: Place | null, kept: Kept | null): Promise<void> {
  try {
    if (kept !== null && (link === null || sameTable(link, kept.place))) {
      await showKept(link ?? kept.place, kept);
      return;
    }
    if (link !== null) await openPlace(link);
  } catch (error) {
    failure.value = failureOf(error);
  }
  if (link === null && prepared.value === null && hello.value !== null) openGiven(hello.value);
}

/** Show a place with the history of this tab; a link to another state is a step in it. */
async function showKept(place: Place, { table, history: past }: Kept): Promise<void> {
  const { target, drop, task, recipe } = place.document.table;
  show(await once("open", { key: table.key, target, drop, task, recipe }), place);
  const now = history.value?.now;
  if (now === undefined) return;
  history.value = hashOf(now) === hashOf(past.now) ? { ...past, now } : pushed(past, now);
}

const sameTable = (a: Place, b: Place) => a.document.table.hash === b.document.table.hash;

const root = document.getElementById("studio");
if (root !== null) void start(root);
