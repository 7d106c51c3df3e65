// The edits as a list: each can be visited, noted and taken back. It is the audit trail of the tree.
import { signal } from "@preact/signals";
import type { Document, EditState } from "../../messages";
import { saveDocument } from "../bar/save";
import { ask, once } from "../link/transport";
import { count } from "../numbers";
import { Name } from "../parts/Name";
import { canonical, editsOf, upTo, withNote, withoutEdit } from "../state/document";
import { visited } from "../state/history";
import {
  amend,
  change,
  changeTable,
  document,
  hello,
  history,
  light,
  say,
  sayFailure,
  table,
} from "../state/store";
import { words } from "../words";
import { Drop } from "./Drop";
import { registerDock } from "./registry";
import { documentOf, longest, placeOf } from "./steps";
import "./history.css";

const text = words.dock.history;
const LONGEST_FILE = 5_000_000;

/** A document about another table, until the reader decides. */
const foreign = signal<Document | null>(null);

function History() {
  const past = history.value;
  if (past === null) return null;
  const whole = longest(past);
  const edits = editsOf(whole);
  const shown = editsOf(past.now).length;
  const states = ask("tree", { document: whole, member: 0 }).value;
  const known = states.state === "value" ? states.value.edits : [];
  return (
    <div class="trail">
      <div class="caption">
        <span class="fill" />
        <button type="button" class="btn small" onClick={saveDocument}>
          {text.download}
        </button>
      </div>
      <div class="view">
        <Foreign />
        <ol class="trail-list">
          <Start document={whole} shown={shown === 0} />
          {edits.map((_, i) => (
            <Step key={i} whole={whole} position={i} shown={shown} state={known[i]} />
          ))}
        </ol>
        {edits.length === 0 && <p class="note">{text.none}</p>}
        <Drop
          text={text.hint}
          choose={text.open}
          accept=".json"
          onFile={(file) => void read(file)}
        />
      </div>
    </div>
  );
}

function Start({ document: whole, shown }: { document: Document; shown: boolean }) {
  const { learner = "", start = "grown" } = whole.settings ?? {};
  const task = whole.table.task ?? "classification";
  const found = hello.value?.learners.find((each) => each.short === learner && each.task === task);
  const title = text.start[start](found?.title ?? learner);
  return (
    <li class={`step ${shown ? "now" : ""}`}>
      <Visit whole={whole} n={0} title={title} shown={shown} />
    </li>
  );
}

interface StepProperties {
  whole: Document;
  position: number;
  /** How many edits are in what is shown. */
  shown: number;
  state: EditState | undefined;
}

function Step({ whole, position, shown, state }: StepProperties) {
  const edit = editsOf(whole)[position];
  const refused = state !== undefined && state.refused !== "";
  const now = position + 1 === shown;
  const later = position + 1 > shown;
  const path = "at" in edit ? edit.at : null;
  return (
    <li
      class={`step ${now ? "now" : ""} ${later ? "later" : ""} ${refused ? "refused" : ""}`}
      onPointerEnter={() => path !== null && light({ from: "history", paths: [path] })}
      onPointerLeave={() => light(null)}
    >
      <div class="step-line">
        <Visit whole={whole} n={position + 1} title={state?.text ?? edit.edit} shown={now} />
        <span class="step-facts">{state !== undefined && factsOf(state)}</span>
        {!later && (
          <button
            type="button"
            class="link"
            onClick={() => document.value && change(withoutEdit(document.value, position))}
          >
            {text.takeBack}
          </button>
        )}
      </div>
      {refused && <p class="step-reason">{`${text.refused}: ${state.refused}`}</p>}
      <Note
        key={`${position} ${edit.why ?? ""}`}
        why={edit.why ?? ""}
        position={position}
        fixed={later}
      />
    </li>
  );
}

const factsOf = ({ refused, n_nodes_before, n_nodes_after }: EditState): string =>
  refused !== "" ? "" : text.nodes(count(n_nodes_before), count(n_nodes_after));

interface VisitProperties {
  whole: Document;
  n: number;
  title: string;
  shown: boolean;
}

function Visit({ whole, n, title, shown }: VisitProperties) {
  return (
    <button
      type="button"
      class="step-visit"
      aria-current={shown ? "step" : undefined}
      title={text.visit}
      onClick={() => visit(upTo(whole, n))}
    >
      <Name text={title} most={110} />
    </button>
  );
}

/** Show an earlier or later state. It is a move in the history, if the history has it. */
function visit(wanted: Document): void {
  const past = history.value;
  if (past === null) return;
  const place = placeOf(past, wanted);
  if (place >= 0) history.value = visited(past, place);
  else change(wanted);
}

interface NoteProperties {
  why: string;
  position: number;
  /** Later edits are not in the document that is shown. */
  fixed: boolean;
}

function Note({ why, position, fixed }: NoteProperties) {
  if (fixed) return why === "" ? null : <p class="step-why">{why}</p>;
  const keep = (event: { currentTarget: { value: string } }) => {
    const next = event.currentTarget.value.trim();
    if (document.value !== null && next !== why) amend(withNote(document.value, position, next));
  };
  return (
    <input
      class="step-why"
      type="text"
      maxLength={10_000}
      placeholder={text.why}
      aria-label={text.note}
      defaultValue={why}
      onChange={keep}
    />
  );
}

// ---------------------------------------------------------------- files

async function read(file: File): Promise<void> {
  const found = file.size > LONGEST_FILE ? null : documentOf(await file.text());
  if (found === null) say(text.notDocument, { kind: "error" });
  else if (found.table.hash === table.value?.hash) await openHere(found);
  else foreign.value = found;
}

/**
 * Open a document on the table that is open; the server may have it under another key. With the
 * same target it is a step that can be undone.
 */
async function openHere(found: Document): Promise<void> {
  const facts = table.value;
  if (facts === null) return;
  const { key, hash, name } = facts;
  const { target, drop, task, recipe } = found.table;
  const here = { ...found, table: { ...found.table, key, hash, name } };
  const now = document.value?.table;
  foreign.value = null;
  try {
    if (now !== undefined && canonical(now) === canonical(here.table)) change(here);
    else changeTable(await once("open", { key, target, drop, task, recipe }), here);
    say(text.opened(count(editsOf(found).length)));
  } catch (error) {
    sayFailure(error);
  }
}

function Foreign() {
  const found = foreign.value;
  if (found === null) return null;
  return (
    <div class="failure trail-foreign" role="alert">
      <b>
        <Name text={text.otherTable(found.table.name)} most={160} />
      </b>
      <button type="button" class="btn small" onClick={() => void openHere(found)}>
        {text.openAnyway}
      </button>
    </div>
  );
}

registerDock({ key: "history", title: text.title, component: History });
