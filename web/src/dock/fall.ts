// Which nodes fall while a tree is pruned: pure functions of the given values.
import type { Document, PruningCurve } from "../../messages";
import { type Edit, editsOf } from "../state/document";
import type { TreeModel } from "../tree/model";

export type Method = PruningCurve["method"];

/** Whether an inner node is a leaf at a value: by alpha from its own on, by depth up to its own. */
export function isLeafAt(method: Method, fallsAt: number | null, value: number): boolean {
  if (fallsAt === null) return false;
  if (method === "depth") return fallsAt >= value;
  return method === "min_samples_split" ? fallsAt < value : fallsAt <= value;
}

/**
 * The nodes of the tree that is shown which are gone at a value.
 *
 * The curve is that of `source`, the tree before it was pruned. Pruning takes off nodes and moves
 * none, so both trees are walked together from the root.
 */
export function fallen(
  shown: TreeModel,
  source: TreeModel,
  curve: Pick<PruningCurve, "method" | "falls_at">,
  value: number,
): Set<number> {
  const gone = new Set<number>();
  const waiting: [number, number, boolean][] = [[0, 0, false]];
  for (let i = 0; i < waiting.length; i++) {
    const [here, there, isGone] = waiting[i];
    if (isGone) gone.add(here);
    const below = isGone || isLeafAt(curve.method, curve.falls_at[there], value);
    const others = source.children(there);
    shown.children(here).forEach((child, place) => {
      if (place < others.length) waiting.push([child, others[place], below]);
      else gone.delete(child);
    });
  }
  return gone;
}

/** The method and the option of the edit that each slider makes. */
const PRUNES: Record<string, { by: string; option: string }> = {
  cost_complexity: { by: "cost_complexity", option: "alpha" },
  depth: { by: "limits", option: "max_depth" },
  min_samples_split: { by: "limits", option: "min_samples_split" },
  confidence: { by: "error_based", option: "confidence" },
};

/** The edit that prunes to a value. */
export function pruneEdit(method: string, value: number): Edit {
  const { by, option } = PRUNES[method] ?? PRUNES.cost_complexity;
  return { edit: "prune", method: by, options: { [option]: value } };
}

/**
 * The document before the last edit, if that pruned by the same slider: the slider then stands at
 * its value, and moving it on replaces the edit.
 */
export function beforePruning(
  document: Document,
  method: string,
): { base: Document; value: number | null } {
  const edits = editsOf(document);
  const last = edits[edits.length - 1];
  if (last?.edit !== "prune" || last.method !== PRUNES[method]?.by)
    return { base: document, value: null };
  const options = (last.options ?? {}) as Record<string, unknown>;
  const names = Object.keys(options);
  const value = options[PRUNES[method].option];
  if (names.length !== 1 || typeof value !== "number") return { base: document, value: null };
  return { base: { ...document, edits: edits.slice(0, -1) }, value };
}

/** The point of a curve that stands for a value: the last one that is not beyond it. */
export function pointFor(curve: PruningCurve, value: number | null): number {
  if (value === null) return unpruned(curve);
  let found = -1;
  let nearest = Number.POSITIVE_INFINITY;
  curve.points.forEach((point, i) => {
    const distance = Math.abs(point.value - value);
    if (distance < nearest) {
      nearest = distance;
      found = i;
    }
  });
  return Math.max(0, found);
}

/** The point of the whole tree: the one with the most leaves. */
export function unpruned(curve: PruningCurve): number {
  let most = 0;
  curve.points.forEach((point, i) => {
    if (point.n_leaves > curve.points[most].n_leaves) most = i;
  });
  return most;
}
