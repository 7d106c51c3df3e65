// Which learner a table begins with.
import { beforeEach, expect, test } from "vitest";
import type { ColumnFacts, Hello, LearnerFacts, TableFacts } from "../messages";
import { firstFor, isTextbook } from "../src/bar/learners";
import { hello } from "../src/state/store";

const learner = (short: string, task: TableFacts["task"]): LearnerFacts => ({
  short,
  task,
  title: short,
  summary: "",
  single: true,
  parameters: [],
  pruning: [],
});

beforeEach(() => {
  const learners = ["id3", "c45", "cart"].map((short) => learner(short, "classification"));
  hello.value = { learners: [...learners, learner("cart", "regression")] } as unknown as Hello;
});

const column = (name: string, n_missing = 0) => ({ name, n_missing }) as ColumnFacts;
const facts = (n_rows: number, missing: number, more: Partial<TableFacts> = {}) =>
  ({
    n_rows,
    target: "y",
    drop: [],
    task: "classification",
    columns: [column("x", missing), column("y")],
    ...more,
  }) as unknown as TableFacts;

test("a small table begins with ID3, larger ones with CART or C4.5", () => {
  expect(firstFor(facts(14, 0)).short).toBe("id3");
  expect(firstFor(facts(1_200, 0)).short).toBe("cart");
  expect(firstFor(facts(1_200, 3)).short).toBe("c45");
  expect(firstFor(facts(14, 3)).short).toBe("c45");
  expect(isTextbook(facts(14, 0))).toBe(true);
  expect(isTextbook(facts(31, 0))).toBe(false);
});

test("columns that are left out have no say, and numbers are predicted by CART", () => {
  expect(firstFor(facts(1_200, 3, { drop: ["x"] })).short).toBe("cart");
  expect(firstFor(facts(14, 3, { task: "regression" })).short).toBe("cart");
  expect(firstFor(facts(1_200, 1)).why).toContain("1 column has");
});
