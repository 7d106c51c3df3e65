// A typed row, predicted by the model's own export to JavaScript, which stands in the file.
import type { Explained, ExplainRequest, TreeColumns, Visit } from "../../messages";
import type { ReportData } from "../link/embedded";
import { Failed } from "../link/transport";
import { value as written } from "../numbers";
import { TreeModel } from "../tree/model";
import { words } from "../words";

type Label = string | number | boolean | bigint;

interface Column {
  name: string;
  input: "category" | "number" | string;
  unit: string;
}

/** The export of a model, with the parts that it walks down its trees by. */
export interface Program {
  classes?: Label[];
  predict(row: object): Label | number;
  predictProba?(row: object): number[];
  parts: {
    columns: Column[];
    read(column: Column, row: object): number;
    roots: Int32Array;
    /** The branch of a row: -1 divides it, -2 ends it. */
    branchOf(test: number, values: number[]): number;
    nodeTest: Int32Array;
    nodeNext: Int32Array;
    nodeWeight: Float64Array;
    nodeChildren: Int32Array;
  };
}

/** The prediction of a row and its path; columns that are not given are missing. */
export function explained(
  program: Program | undefined,
  data: ReportData,
  request: object,
): Explained | undefined {
  if (program === undefined || data.prediction === null) return undefined;
  const { row: given, member = 0 } = request as ExplainRequest;
  const row = Object.fromEntries(
    program.parts.columns.map((column) => [column.name, typed(column, given[column.name])]),
  );
  const { prediction, probabilities } = predicted(program, row);
  const { classes } = data.table;
  const label = classes.findIndex((each) => String(each) === String(prediction));
  const visits = ofTree(data) ? visited(program, row, member) : [];
  const names = firstTree(data)?.classes ?? classes.map(String);
  return {
    prediction: label < 0 ? written(Number(prediction), 6) : names[label],
    label,
    probabilities: probabilities.map((probability, i) => ({
      label: names[i],
      probability,
      low: null,
      high: null,
    })),
    low: null,
    high: null,
    visits,
    conditions: conditionsOf(data, visits),
    changes: [],
    changed_to: "",
    votes: [],
    text: "",
  };
}

function predicted(program: Program, row: object) {
  try {
    return {
      prediction: program.predict(row),
      probabilities: program.predictProba?.(row) ?? [],
    };
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error), "");
  }
}

const usage = (what: string, got: string) => new Failed({ what, got, hint: "", kind: "usage" });

const MISSING = ["", null, undefined];

/** A value as the program takes it: categories as text, numbers, moments. */
function typed(column: Column, given: unknown): unknown {
  if (MISSING.includes(given as string)) return null;
  if (column.input === "category" || typeof given !== "string") return given;
  const number = Number(given.trim());
  if (!Number.isNaN(number)) return number;
  const moment = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(given) ? given : `${given}Z`);
  const day = Date.parse(given);
  const known = Number.isNaN(moment) ? day : moment;
  if (column.unit === "number" || column.unit === "integer" || Number.isNaN(known)) {
    throw usage(words.report.noNumber(column.name), given);
  }
  return new Date(known);
}

// ---------------------------------------------------------------- the path

const firstTree = (data: ReportData) => data.replies.tree?.[0]?.[1] as TreeColumns | undefined;

/** Rule lists predict without the tree that they were made from. */
const ofTree = (data: ReportData): boolean =>
  (data.replies.rules ?? []).every(([asked]) => (asked as { form?: string }).form === "leaves");

/** The nodes that a row passes, with the part of it that gets there. */
function visited({ parts }: Program, row: object, member: number): Visit[] {
  const { nodeTest, nodeNext, nodeWeight, nodeChildren } = parts;
  const values = parts.columns.map((column) => parts.read(column, row));
  const visits: Visit[] = [];
  const follow = (start: number, at: number[], share: number): void => {
    let node = start;
    while (nodeTest[node] === -2) node = nodeNext[node];
    visits.push({ at, share });
    if (nodeTest[node] === -1) return;
    const branch = parts.branchOf(nodeTest[node], values);
    if (branch >= 0) follow(nodeNext[node] + branch, [...at, branch], share);
    if (branch !== -1) return;
    const children = Array.from({ length: nodeChildren[node] }, (_, i) => nodeNext[node] + i);
    const whole = children.reduce((sum, child) => sum + nodeWeight[child], 0);
    for (const [i, child] of children.entries()) {
      const part = whole > 0 ? nodeWeight[child] / whole : 0;
      if (part > 0) follow(child, [...at, i], share * part);
    }
  };
  follow(parts.roots[member], [], 1);
  return visits;
}

let model: TreeModel | null = null;

/** The conditions on the path; a divided row has several paths. */
function conditionsOf(data: ReportData, visits: readonly Visit[]): string[] {
  const columns = firstTree(data);
  const divided = visits.some(({ share }) => share < 1);
  const last = visits[visits.length - 1];
  if (columns === undefined || last === undefined || divided) return [];
  model ??= new TreeModel(columns);
  return model.conditions(model.nodeAt(last.at));
}
