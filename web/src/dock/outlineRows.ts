// The tree as the lines of an outline: which are open, and where the arrow keys lead.
import type { TreeModel } from "../tree/model";

export interface Line {
  node: number;
  level: number;
  /** 1 for the first child. */
  place: number;
  siblings: number;
  open: boolean;
}

/** The lines of the nodes whose parents are open, in the order of reading. */
export function linesOf(model: TreeModel, isOpen: (node: number) => boolean): Line[] {
  const lines: Line[] = [];
  const waiting: Omit<Line, "open">[] = [{ node: 0, level: 1, place: 1, siblings: 1 }];
  while (waiting.length > 0) {
    const next = waiting.pop() as Omit<Line, "open">;
    const open = !model.isLeaf(next.node) && isOpen(next.node);
    lines.push({ ...next, open });
    if (!open) continue;
    const children = model.children(next.node);
    for (let i = children.length - 1; i >= 0; i--) {
      waiting.push({
        node: children[i],
        level: next.level + 1,
        place: i + 1,
        siblings: children.length,
      });
    }
  }
  return lines;
}

/** The inner nodes with the most rows: with these open, about so many lines are shown. */
export function openAtFirst(model: TreeModel, most: number): Set<number> {
  const open = new Set<number>();
  const weights = model.columns.n_rows;
  const waiting = [0];
  let shown = 1;
  while (waiting.length > 0) {
    let heaviest = 0;
    for (let i = 1; i < waiting.length; i++) {
      if (weights[waiting[i]] > weights[waiting[heaviest]]) heaviest = i;
    }
    const [node] = waiting.splice(heaviest, 1);
    if (model.isLeaf(node)) continue;
    const children = model.children(node);
    if (shown + children.length > most && open.size > 0) break;
    open.add(node);
    shown += children.length;
    waiting.push(...children.filter((child) => !model.isLeaf(child)));
  }
  return open;
}

export type Move = { to: number } | { open: number } | { close: number } | null;

/** What a key does at a line of the outline: the usual keys of a tree. */
export function moved(key: string, at: number, lines: readonly Line[], isLeaf: boolean): Move {
  const line = lines[at];
  if (line === undefined) return null;
  if (key === "ArrowDown") return at + 1 < lines.length ? { to: at + 1 } : null;
  if (key === "ArrowUp") return at > 0 ? { to: at - 1 } : null;
  if (key === "Home") return { to: 0 };
  if (key === "End") return { to: lines.length - 1 };
  if (key === "ArrowRight") {
    if (isLeaf) return null;
    return line.open ? { to: at + 1 } : { open: line.node };
  }
  if (key === "ArrowLeft") {
    if (line.open) return { close: line.node };
    for (let i = at - 1; i >= 0; i--) if (lines[i].level < line.level) return { to: i };
  }
  return null;
}
