// Trees for tests, written as nested lists: a number is a leaf with so many rows.
import type { TreeColumns } from "../../messages";
import { TreeModel } from "../../src/tree/model";

export type Nested = number | Nested[];

const rowsOf = (tree: Nested): number =>
  typeof tree === "number" ? tree : tree.reduce<number>((sum, below) => sum + rowsOf(below), 0);

export function treeOf(nested: Nested): TreeModel {
  const columns: Record<"n_children" | "n_rows" | "feature", number[]> = {
    n_children: [],
    n_rows: [],
    feature: [],
  };
  const waiting: Nested[] = [nested];
  for (let node = 0; node < waiting.length; node++) {
    const tree = waiting[node];
    const children = typeof tree === "number" ? [] : tree;
    columns.n_children.push(children.length);
    columns.n_rows.push(rowsOf(tree));
    columns.feature.push(children.length > 0 ? 0 : -1);
    waiting.push(...children);
  }
  return new TreeModel({
    ...columns,
    open: [],
    missing: [],
    features: ["x"],
  } as unknown as TreeColumns);
}
