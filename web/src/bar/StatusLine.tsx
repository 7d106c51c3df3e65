// The status line: what the tree is, and how it does on the rows that are named.

import { gone } from "../link/http";
import { count, value } from "../numbers";
import { digits, dockShown, editable, select, selectedNode, tree, treeAsked } from "../state/store";
import { words } from "../words";

export function StatusLine() {
  const model = tree.value;
  if (model === null) return <footer class="status" />;
  const { facts, edits, tied } = model.columns;
  const refused = edits.filter((edit) => edit.refused !== "").length;
  const working = treeAsked.value.state === "waiting";
  return (
    <footer class="status" data-region="status" tabIndex={-1}>
      <span class={`ok ${gone.value ? "off" : working ? "busy" : ""}`} />
      {working ? words.working : gone.value ? words.gone : words.ready}
      <i />
      {words.treeSize(
        facts.n_nodes,
        facts.n_leaves,
        editable.value ? facts.n_open : 0,
        facts.depth,
      )}
      <i />
      <Measured />
      <i />
      {facts.n_tied > 0 ? (
        <button type="button" class="link" title={words.nextTie} onClick={() => nextTie(tied)}>
          {words.ties(facts.n_tied)}
        </button>
      ) : (
        words.ties(0)
      )}
      {refused > 0 && (
        <>
          <i />
          <button
            type="button"
            class="link"
            onClick={() => {
              dockShown.value = ["history"];
            }}
          >
            {words.editsRefused(refused)}
          </button>
        </>
      )}
      <span class="fill" />
      <span class="hint">{words.everyNumber}</span>
    </footer>
  );
}

function Measured() {
  const model = tree.value;
  if (model === null) return null;
  const { measure, training, n_measured } = model.columns.facts;
  const open = editable.value ? words.whileOpen(model.open) : "";
  const errors = Number.isInteger(training) && model.columns.classes.length > 0;
  const text = errors
    ? words.measuredOf(measure, count(training ?? 0), count(n_measured))
    : words.measured(measure, value(training, digits.value));
  return <span>{text + open}</span>;
}

/** Walk through the nodes whose split was tied. */
function nextTie(tied: number[]): void {
  const model = tree.value;
  if (model === null) return;
  const found = tied.flatMap((n, node) => (n > 0 ? [node] : []));
  if (found.length === 0) return;
  // From the selected node on, in the order of the nodes; after the last one, the first.
  const next = found.find((node) => node > selectedNode.value) ?? found[0];
  select(model.pathOf(next));
}
