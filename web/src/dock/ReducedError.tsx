// Pruning by reduced error: each step with the errors on validation rows.
import type { Document, PruningCurve, PruningStep } from "../../messages";
import { useAsk } from "../link/transport";
import { value, weight } from "../numbers";
import { Name } from "../parts/Name";
import { Failed, Progress, Waiting } from "../parts/Working";
import type { Path } from "../state/document";
import { apply } from "../state/store";
import { words } from "../words";
import { Drop } from "./Drop";
import { useKept } from "./hooks";
import { NodeRow } from "./NodeRow";
import { Methods } from "./PruningMethods";
import { readTest, testKey, testTable } from "./testTable";

export function ReducedError({ document: now }: { document: Document }) {
  const test = testKey();
  const asked = useAsk("pruning", { document: now, method: "reduced_error", n_folds: 0, test });
  const answer = useKept(asked);
  return (
    <div class="prune">
      <div class="caption">
        <Methods />
        <span class="fill" />
        {test !== null && answer !== null && answer.steps.length > 0 && (
          <button
            type="button"
            class="btn small dark"
            onClick={() => apply({ edit: "prune", method: "reduced_error", options: { test } })}
          >
            {words.dock.pruning.apply}
          </button>
        )}
      </div>
      <div class="view">
        {test === null && <Validation />}
        {answer === null ? <Waiting asked={asked} /> : <StepTable answer={answer} />}
      </div>
    </div>
  );
}

function Validation() {
  const read = testTable.value;
  if (read.state === "reading") return <Progress line={read.progress} />;
  return (
    <>
      {read.state === "failed" && <Failed failure={read.failure} />}
      <Drop
        text={words.dock.pruning.validation}
        choose={words.dock.pruning.choose}
        onFile={(file) => void readTest(file)}
      />
    </>
  );
}

function StepTable({ answer }: { answer: PruningCurve }) {
  const pruning = words.dock.pruning;
  if (answer.steps.length === 0) return <p class="note">{pruning.noSteps}</p>;
  return (
    <>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{pruning.node}</th>
            <th scope="col" class="n">
              {pruning.rows}
            </th>
            <th scope="col" class="n">
              {pruning.asSubtree}
            </th>
            <th scope="col" class="n">
              {pruning.asLeaf}
            </th>
            <th scope="col">{pruning.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {answer.steps.map((step, i) => (
            <Step key={i} step={step} />
          ))}
        </tbody>
      </table>
      <p class="note prune-note">{`${answer.measure}: ${answer.measured_on}`}</p>
    </>
  );
}

function Step({ step }: { step: PruningStep }) {
  const path = step.at as Path;
  return (
    <NodeRow path={path} from="pruning">
      <td>
        <Name text={step.text} most={60} />
      </td>
      <td class="n">{weight(step.n_rows)}</td>
      <td class="n">{value(step.as_subtree, 5)}</td>
      <td class="n">{value(step.as_leaf, 5)}</td>
      <td>{step.cut ? <b>{words.dock.pruning.cut}</b> : <em>{words.dock.pruning.kept}</em>}</td>
    </NodeRow>
  );
}
