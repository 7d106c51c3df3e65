// The inspector: facts of the selected node, its splits, a formula, the thresholds of a column.
import { useEffect } from "preact/hooks";
import { useAsk } from "../link/transport";
import { count, percent, score, value, weight } from "../numbers";
import { Bar, Strip } from "../parts/Bar";
import { Figure } from "../parts/Figure";
import { Marker } from "../parts/Marker";
import { Name, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { pathKey } from "../state/document";
import {
  derivable,
  digits,
  editable,
  grow,
  labelling,
  live,
  makeLeaf,
  openCommand,
  presenting,
  relabel,
  select,
  selected,
  table,
  tree,
} from "../state/store";
import { scale } from "../tree/Card";
import type { TreeModel } from "../tree/model";
import { words } from "../words";
import { Branches, Splits } from "./Candidates";
import { CutPanel } from "./Cut";
import { Forest, MemberChooser } from "./Forest";
import { FormulaCard } from "./Formula";
import { candidatesRequest, offers, showOffers, unmark } from "./offers";

export function Inspector() {
  const model = tree.value;
  const node = model?.nodeAt(selected.value) ?? -1;
  const request = candidatesRequest.value;
  const asked = useAsk("candidates", request);
  useEffect(() => {
    if (asked.state === "value") showOffers(asked.value, request?.document ?? null);
    else if (pathKey(offers.peek()?.at ?? [-1]) !== pathKey(selected.peek()))
      showOffers(null, null);
  }, [asked]);
  useEffect(unmark, [pathKey(selected.value), tree.value]);
  if (model === null || node < 0) return <div class="insp" />;
  return (
    <div class="insp" data-region="inspector" tabIndex={-1}>
      {model.columns.facts.n_members > 1 && <MemberChooser />}
      <Facts model={model} node={node} />
      {request === null && !model.isLeaf(node) && <OwnSplit model={model} node={node} />}
      {model.columns.facts.n_members > 1 && <Forest />}
      {derivable.value && offers.value !== null && <Splits found={offers.value} model={model} />}
      <Waiting asked={asked} />
      {!live.value && derivable.value && request === null && <NotHere />}
      <FormulaCard />
      {derivable.value && <CutPanel />}
    </div>
  );
}

/** A report has the splits of its largest nodes. */
const NotHere = () => (
  <p class="note lead">
    {words.report.noSplits} <code>{visible(openCommand.value)}</code>
  </p>
);

interface Properties {
  model: TreeModel;
  node: number;
}

/** The split of a node whose other splits are not known, as the tree has it. */
function OwnSplit({ model, node }: Properties) {
  const { columns } = model;
  const branches = model.children(node).map((child) => ({
    text: columns.edge[child],
    n_rows: columns.n_rows[child],
    weight: columns.n_rows[child],
    class_weights: columns.class_weights[child] ?? [],
    label: columns.label[child],
    prediction: columns.prediction[child] ?? null,
    deviation: columns.deviation[child] ?? null,
    values: [],
  }));
  return (
    <section class="own-split">
      <div class="title">
        <h3>{words.split}</h3>
        <span class="plain">{columns.score_name}</span>
      </div>
      <div class="l1">
        <b>
          <Name text={model.splitText(node)} most={40} />
        </b>
        <span class="plain-fig">{score(columns.score[node], digits.value)}</span>
      </div>
      <Branches branches={branches} model={model} />
    </section>
  );
}

function Facts({ model, node }: Properties) {
  const { columns } = model;
  const path = selected.value;
  const conditions = model.conditions(node);
  const rows = columns.n_rows[node];
  return (
    <section class="head">
      <h2 class="crumb">
        <Name text={conditions[conditions.length - 1] ?? words.allRows} most={34} />
        <em>{words.node(node)}</em>
      </h2>
      {conditions.length > 1 && <Way model={model} node={node} />}
      <p class="facts">
        <b>{count(rows)}</b> {words.rowsWord(rows)}
        {node > 0 && words.ofTable(percent(rows, columns.n_rows[0]))}
        {columns.weight[node] !== rows && words.ofWeight(weight(columns.weight[node]))}
        {". "}
        <Predicts model={model} node={node} />
      </p>
      <Distribution model={model} node={node} />
      {editable.value && !presenting.value && <Actions path={path} leaf={model.isLeaf(node)} />}
    </section>
  );
}

/** The conditions above; each leads to its node. */
function Way({ model, node }: Properties) {
  const line = model.line(node).slice(1, -1);
  const texts = model.conditions(node);
  return (
    <p class="way">
      {line.map((above, i) => (
        <button type="button" class="link" key={above} onClick={() => select(model.pathOf(above))}>
          <Name text={texts[i]} most={26} />
        </button>
      ))}
    </p>
  );
}

function Predicts({ model, node }: Properties) {
  const { columns } = model;
  const label = columns.label[node];
  const what = label < 0 ? value(columns.prediction[node], 5) : visible(columns.classes[label]);
  const [before, after] = words.predicts(model.isOpen(node), !model.isLeaf(node));
  return (
    <>
      {before} <b>{what}</b>
      {after}
    </>
  );
}

const MOST_CLASSES = 8;

function Distribution({ model, node }: Properties) {
  const { columns } = model;
  const at = selected.value;
  const weights = columns.class_weights[node];
  const impurity = (
    <span class="h">
      {columns.impurity_name}{" "}
      <Figure
        value={columns.impurity[node]}
        door={derivable.value ? { at, measure: "impurity" } : null}
      />
    </span>
  );
  if (columns.label[node] < 0) {
    return (
      <>
        <Strip
          mean={columns.prediction[node]}
          deviation={columns.deviation[node]}
          {...scale.value}
        />
        <div class="cls">
          <span>{words.spread(score(columns.deviation[node], digits.value))}</span>
          {impurity}
        </div>
      </>
    );
  }
  const listed = weights.map((part, of) => ({ part, of })).filter(({ part }) => part > 0);
  const shown = [...listed].sort((a, b) => b.part - a.part).slice(0, MOST_CLASSES);
  const inOrder = listed.filter((entry) => shown.includes(entry));
  return (
    <>
      <Bar weights={weights} class="big" />
      <div class="cls">
        {inOrder.map(({ part, of }) => (
          <span key={of}>
            <Marker of={of} />
            <Name text={columns.classes[of]} most={16} /> <b>{weight(part)}</b>{" "}
            {percent(part, columns.weight[node])}
          </span>
        ))}
        {listed.length > shown.length && <span>{words.more(listed.length - shown.length)}</span>}
        {impurity}
      </div>
    </>
  );
}

function Actions({ path, leaf }: { path: number[]; leaf: boolean }) {
  const classes = table.value?.classes ?? [];
  return (
    <div class="actions">
      <button type="button" class="link" onClick={() => grow(path)}>
        {words.growBelow}
        <kbd aria-hidden="true">G</kbd>
      </button>
      <button type="button" class="link" onClick={() => grow(path, 1)}>
        {words.growLevel}
      </button>
      {!leaf && (
        <button type="button" class="link" onClick={() => makeLeaf(path)}>
          {words.makeLeaf}
          <kbd aria-hidden="true">{words.deleteKey}</kbd>
        </button>
      )}
      {leaf && classes.length > 0 && !labelling.value && (
        <button
          type="button"
          class="link"
          onClick={() => {
            labelling.value = true;
          }}
        >
          {words.relabel}
          <kbd aria-hidden="true">L</kbd>
        </button>
      )}
      {leaf && labelling.value && <Labels path={path} />}
    </div>
  );
}

function Labels({ path }: { path: number[] }) {
  const classes = table.value?.classes ?? [];
  return (
    <span class="labels" role="group" aria-label={words.relabel}>
      {classes.map((name, i) => (
        <button
          type="button"
          class="btn small"
          key={i}
          ref={(element) => {
            if (i === 0) element?.focus();
          }}
          onClick={() => {
            labelling.value = false;
            relabel(path, name);
          }}
        >
          <Marker of={i} />
          <Name text={String(name)} most={24} />
        </button>
      ))}
    </span>
  );
}
