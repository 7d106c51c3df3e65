"""The fixed part of a model in JavaScript: tables are filled in, the code is fixed."""

from __future__ import annotations

from .writing import with_parts

_SOURCE = r"""// A decision tree model, exported by plaintree. An ES module without dependencies.
//
$summary
// A row is an object by column names; null, undefined and NaN are missing. Dates are Date objects
// or microseconds since 1970-01-01 UTC, other times and durations microseconds. If categories are
// integers that a number of JavaScript would round, these are BigInts or strings.

$labels// How columns are read: categories by their string, by their number, or as booleans.
const columns = [
$columns
];

const ints = (text) => Int32Array.from(text.trim() === "" ? [] : text.trim().split(/\s+/), Number);
const doubles = (text) =>
  Float64Array.from(text.trim() === "" ? [] : text.trim().split(/\s+/), Number);

// kind (1 threshold, 2 a branch per category, 4 categories against others, 5 groups, 6 is missing),
// column, child of missing values (-1: all of them, by weight, -2: the row ends), child of unseen
// categories, codes or the child of every code
const tests = [
$tests
];
const sets = tests.map((test) => new Set(test[4]));
const thresholds = doubles(`$thresholds`);
// Nodes: split (-1: leaf, -2: jump), first child or target of the jump, prediction.
const nodeTest = ints(`$node_test`);
const nodeNext = ints(`$node_next`);
const nodePrediction = ints(`$node_prediction`);
// Nodes where rows are divided: weight, number of children.
const nodeWeight = doubles(`$node_weight`);
const nodeChildren = ints(`$node_children`);
// Predictions: $values.
const nValues = $n_values;
const predictionValues = doubles(`$prediction_values`);
// Trees: first node, vote.
const roots = ints(`$roots`);
const votes = doubles(`$votes`);
const total = $total;
const refusesMissing = $refuses_missing;
const refusesUnseen = $refuses_unseen;

$predictors

function branchOf(number, values) {
  const [kind, column, missing, unseen, levels] = tests[number];
  const value = values[column];
  if (kind === 6) return Number.isNaN(value) ? 0 : 1;
  if (Number.isNaN(value)) return missing;
  if (kind === 1) return value > thresholds[number] ? 1 : 0;
  if (value < 0) return unseen;
  if (kind === 2) return value;
  if (kind === 4) return sets[number].has(value) ? 0 : 1;
  return levels[value] < 0 ? missing : levels[value];
}

// The node where the row ends, or ~node if the row is divided there.
function walk(start, values) {
  let node = start;
  for (;;) {
    const test = nodeTest[node];
    if (test === -1) return node;
    const branch = test >= 0 ? branchOf(test, values) : 0;
    if (branch === -2) return node;
    if (branch < 0) return ~node;
    node = nodeNext[node] + branch;
  }
}

// Adds the predictions of all nodes where a part of the row ends.
function collect(root, values, vote, totals) {
  const pending = [[root, vote]];
  while (pending.length > 0) {
    const [start, part] = pending.pop();
    let end = walk(start, values);
    if (end < 0) {
      end = ~end;
      const first = nodeNext[end];
      let sum = 0;
      for (let i = 0; i < nodeChildren[end]; ++i) sum += nodeWeight[first + i];
      if (sum > 0) {
        for (let i = nodeChildren[end] - 1; i >= 0; --i) {
          const weight = nodeWeight[first + i];
          if (weight > 0) pending.push([first + i, (part * weight) / sum]);
        }
        continue;
      }
    }
    const first = nodePrediction[end] * nValues;
    for (let i = 0; i < nValues; ++i) totals[i] += part * predictionValues[first + i];
  }
}

// A value as a number, NaN if it is missing, -2 if it is an unseen category.
function read(column, row) {
  if (!Object.prototype.hasOwnProperty.call(row, column.name)) {
    throw new RangeError("the row lacks a column: " + column.name);
  }
  let value = row[column.name];
  if (value === null || value === undefined || Number.isNaN(value)) {
    if (refusesMissing) throw new RangeError("a value is missing: " + column.name);
    return NaN;
  }
  if (typeof value === "bigint" && column.input !== "category") value = Number(value);
  if (column.input === "category") {
    const code = category(column, value);
    if (code < 0 && refusesUnseen && column.strings.size)
      throw new RangeError("an unseen category: " + column.name);
    return code < 0 && column.ordered ? NaN : code;
  }
  if (value instanceof Date) value = value.getTime() * 1000;
  if (typeof value === "boolean") value = value ? 1 : 0;
  if (typeof value !== "number") throw new TypeError("not a number: " + column.name);
  if (column.input === "number" || Number.isNaN(value)) return value;
  let code = 0;
  while (code < column.cuts.length && column.cuts[code] < value) ++code;
  return code;
}

function category(column, value) {
  let code;
  if (typeof value === "boolean") return column.booleans[value ? 1 : 0];
  if (typeof value === "number") {
    if (column.large && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw new TypeError("a number that may be rounded, pass a BigInt or string: " + column.name);
    }
    code = column.numbers.get(value);
  } else if (typeof value === "bigint") {
    const rounded = Number(value);
    code = column.numbers.get(value == rounded ? rounded : value);
  } else {
    code = column.strings.get(String(value));
  }
  return code === undefined ? -2 : code;
}
"""

OF_CLASSES = with_parts(
    _SOURCE,
    {
        "summary": """\
// predict(row) returns the class of a row, predictProba(row) the class probabilities in the order
// of `classes`.""",
        "labels": "export const classes = [$classes];\n\n",
        "values": "the probability of each class",
        "predictors": """\
export function predict(row) {
  return classes[predicted(row)[0]];
}

export function predictProba(row) {
  return predicted(row)[1];
}

const predictionClass = ints(`$prediction_class`);
const voting = $voting;
// By actual class, the cost of predicting each class; if there are none, errors cost the same.
const costs = doubles(`$costs`);

function predicted(row) {
  const values = columns.map((column) => read(column, row));
  if (voting === "alone") return predictTree(roots[0], values);
  const proba = classes.map(() => 0);
  for (let tree = 0; tree < roots.length; ++tree) {
    if (voting === "class") proba[predictTree(roots[tree], values)[0]] += votes[tree];
    else collect(roots[tree], values, votes[tree], proba);
  }
  for (let i = 0; i < proba.length; ++i) proba[i] /= total;
  return [greatest(proba), proba];
}

// The class and the probabilities that one tree predicts.
function predictTree(root, values) {
  const end = walk(root, values);
  if (end >= 0) {
    const first = nodePrediction[end] * classes.length;
    const proba = Array.from(predictionValues.subarray(first, first + classes.length));
    return [predictionClass[nodePrediction[end]], proba];
  }
  const proba = classes.map(() => 0);
  collect(root, values, 1, proba);
  return [decided(proba), proba];
}

// The class of a divided row: the most probable one, or that of the least expected cost.
function decided(proba) {
  if (costs.length === 0) return greatest(proba);
  const expected = classes.map(() => 0);
  for (let actual = 0; actual < nValues; ++actual) {
    for (let i = 0; i < nValues; ++i) expected[i] += proba[actual] * costs[actual * nValues + i];
  }
  const most = Math.min(...expected) + $same_cost;
  return expected.findIndex((cost) => cost <= most);
}

function greatest(proba) {
  let best = 0;
  for (let i = 1; i < proba.length; ++i) if (proba[i] > proba[best]) best = i;
  return best;
}""",
    },
)
OF_NUMBERS = with_parts(
    _SOURCE,
    {
        "summary": "// predict(row) returns the number that is predicted for a row.",
        "labels": "",
        "values": "the number",
        "predictors": """\
export function predict(row) {
  const values = columns.map((column) => read(column, row));
  const totals = [0];
  for (let tree = 0; tree < roots.length; ++tree) collect(roots[tree], values, votes[tree], totals);
  return totals[0] / total;
}""",
    },
)
"""The source of a model with classes, and of one whose target is numeric."""
