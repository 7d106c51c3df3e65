// How a table is read: what a reader chooses becomes a recipe.
import { expect, test } from "vitest";
import type { ColumnFacts, Finding, Recipe, TableFacts } from "../messages";
import { kindsFor, missingText, settled, withKind, withMissing } from "../src/start/recipe";

const plain: Recipe = { missing_values: [], types: {}, dates: null, categorical_features: [] };
const facts = { recipe: plain, drop: ["id"], target: "play" } as unknown as TableFacts;
const finding = (parameter: string, ...values: string[]): Finding => ({
  text: "",
  columns: [],
  parameter,
  values,
});

test("numbers may be categories, and numbers again", () => {
  const zones = withKind(plain, "zone", "category");
  expect(zones).toEqual({ ...plain, categorical_features: ["zone"] });
  expect(withKind(zones, "zone", "number")).toEqual(plain);
});

test("a category that is declared a number is one until it is taken back", () => {
  const numbers = withKind(plain, "zip", "number");
  expect(numbers.types).toEqual({ zip: "number" });
  expect(withKind(numbers, "zip", "category").types).toEqual({});
  expect(plain.types).toEqual({});
});

test("a column is offered what its values can be", () => {
  const of = (kind: ColumnFacts["kind"]) => kindsFor({ kind } as ColumnFacts);
  expect(of("category")).toEqual(["number", "category"]);
  expect(of("date")).toEqual(["date", "category"]);
  expect(of("boolean")).toEqual(["boolean"]);
});

test("strings for missing values are typed with commas", () => {
  expect(withMissing(plain, " ?, NA,,NA ").missing_values).toEqual(["?", "NA"]);
  expect(missingText(withMissing(plain, "not known,?"))).toBe("not known, ?");
  expect(withMissing(withMissing(plain, "?"), " ")).toEqual(plain);
});

test("findings are settled by another reading of the table", () => {
  expect(settled(facts, finding("missing_values", "?"))).toEqual({
    recipe: { ...plain, missing_values: ["?"] },
  });
  expect(settled(facts, finding("types", "a=b=text"))?.recipe?.types).toEqual({ "a=b": "text" });
  expect(settled(facts, finding("dates", "month-first"))?.recipe?.dates).toBe("month-first");
  expect(settled(facts, finding("drop", "row", "play"))).toEqual({ drop: ["id", "row"] });
  const zones = settled(facts, finding("categorical_features", "zone", "ward"));
  expect(zones?.recipe?.categorical_features).toEqual(["zone", "ward"]);
  expect(settled(facts, finding(""))).toBeNull();
});
