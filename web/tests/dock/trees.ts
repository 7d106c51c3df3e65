// Trees for tests, written as nested lists: a number is a leaf with so many rows.
import type { TreeColumns } from "../../messages";
import { TreeModel } from "../../src/tree/model";

export type Nested = number | Nested[];

const rowsOf = (tree: Nested): number =>
  typeof tree === "number" ? tree : tree.reduce<number>((sum, below) => sum + rowsOf(below), 0);

export function treeOf(nested: Nested): TreeModel {
  const columns: Record<"parent" | "first_child" | "n_children" | "n_rows" | "feature", number[]> =
    {
      parent: [-1],
      first_child: [],
      n_children: [],
      n_rows: [],
      feature: [],
    };
  const waiting: Nested[] = [nested];
  for (let node = 0; node < waiting.length; node++) {
    const tree = waiting[node];
    const children = typeof tree === "number" ? [] : tree;
    columns.first_child.push(children.length > 0 ? waiting.length : -1);
    columns.n_children.push(children.length);
    columns.n_rows.push(rowsOf(tree));
    columns.feature.push(children.length > 0 ? 0 : -1);
    for (const child of children) {
      columns.parent.push(node);
      waiting.push(child);
    }
  }
  return new TreeModel({ ...columns, open: [], features: ["x"] } as unknown as TreeColumns);
}
