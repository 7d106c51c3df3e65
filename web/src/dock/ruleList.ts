// Rules sorted and filtered: pure functions of the answer.
import type { RuleFacts } from "../../messages";

export type RuleColumn = "rule" | "prediction" | "rows" | "confidence";

export interface RuleSort {
  by: RuleColumn;
  descending: boolean;
}

export interface RuleFilter {
  /** "" takes all. */
  prediction: string;
  /** As a fraction of all rows. */
  minSupport: number;
  minConfidence: number;
}

export interface Listed {
  rule: RuleFacts;
  /** The position in the answer. */
  position: number;
}

export const NO_FILTER: RuleFilter = { prediction: "", minSupport: 0, minConfidence: 0 };

/** The rules that pass the filter, in the order that is asked for; ties keep the given order. */
export function listedRules(
  rules: readonly RuleFacts[],
  filter: RuleFilter,
  sort: RuleSort | null,
): Listed[] {
  const passing = rules
    .map((rule, position) => ({ rule, position }))
    .filter(({ rule }) => passes(rule, filter));
  if (sort === null) return passing;
  const way = sort.descending ? -1 : 1;
  return passing.sort((a, b) => {
    const order = compared(keyOf(a.rule, sort.by), keyOf(b.rule, sort.by));
    return order === 0 ? a.position - b.position : order * way;
  });
}

function passes(rule: RuleFacts, { prediction, minSupport, minConfidence }: RuleFilter): boolean {
  return (
    (prediction === "" || rule.prediction === prediction) &&
    (rule.support ?? 0) >= minSupport &&
    (minConfidence === 0 || (rule.confidence ?? 0) >= minConfidence)
  );
}

function keyOf(rule: RuleFacts, by: RuleColumn): number | string {
  if (by === "rows") return rule.n_rows;
  if (by === "confidence") return rule.confidence ?? Number.NEGATIVE_INFINITY;
  if (by === "rule") return rule.conditions.length;
  const number = Number(rule.prediction);
  return rule.label < 0 && Number.isFinite(number) ? number : rule.prediction;
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

/** The predictions of the rules, each once, in the order of the classes. */
export function predictionsOf(rules: readonly RuleFacts[]): string[] {
  const found = new Map<string, number>();
  for (const { prediction, label } of rules)
    if (!found.has(prediction)) found.set(prediction, label);
  return [...found].sort((a, b) => a[1] - b[1]).map(([prediction]) => prediction);
}
