// What the light of one view means in another: pure functions of what is lit.
import type { Visit } from "../../messages";
import { isWithin, type Path, pathKey } from "../state/document";
import type { Lit } from "../state/store";

/** How much of a row is lit; 0 if it is not. */
export function litShare(lit: Lit | null, row: number, visits: readonly Visit[]): number {
  if (lit === null) return 0;
  if (lit.rows !== undefined) {
    const place = lit.rows.rows.indexOf(row);
    return place < 0 ? 0 : (lit.rows.weights[place] ?? 1);
  }
  let share = 0;
  for (const path of lit.paths) {
    const key = pathKey(path);
    const visit = visits.find(({ at }) => pathKey(at) === key);
    if (visit !== undefined) share = Math.max(share, visit.share);
  }
  return share;
}

/** Whether a leaf belongs to what is lit: it is lit itself, or is below a node that is. */
export function isLitLeaf(lit: Lit | null, leaf: readonly number[]): boolean {
  return lit?.paths.some((path) => isWithin(leaf, path)) ?? false;
}

/** The ends of the path of a row: its leaf, or the leaves among which it is divided. */
export function ends(visits: readonly Visit[]): Visit[] {
  const inner = new Set(visits.filter(({ at }) => at.length > 0).map(({ at }) => parentKey(at)));
  return visits.filter(({ at }) => !inner.has(pathKey(at)));
}

const parentKey = (path: readonly number[]) => pathKey(path.slice(0, -1));

/** What a row lights: its path, and itself in the other views. */
export function lightOfRow(from: string, row: number, visits: readonly Visit[]): Lit {
  const leaves = ends(visits);
  return {
    from,
    paths: leaves.map(({ at }) => at as Path),
    shares: leaves.map(({ share }) => share),
    rows: { rows: [row], weights: [1] },
  };
}

/** Whether two lights are of the same thing, so that a second click takes a pin away. */
export function sameLight(a: Lit | null, b: Lit): boolean {
  if (a === null || a.from !== b.from) return false;
  const rows = (lit: Lit) => lit.rows?.rows.join(" ") ?? "";
  return rows(a) === rows(b) && a.paths.map(pathKey).join(" ") === b.paths.map(pathKey).join(" ");
}
