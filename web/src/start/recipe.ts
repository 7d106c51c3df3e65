// How a table is read: changes of its recipe, as pure functions.
import type { ColumnFacts, Finding, OpenRequest, Recipe, TableFacts } from "../../messages";

/** What a column may be read as; the rest follows from its values. */
export type Kind = "number" | "category";

/** The kinds that a reader may choose for a column: what it is, and what it could be. */
export function kindsFor({ kind }: ColumnFacts): ColumnFacts["kind"][] {
  if (kind === "number" || kind === "category") return ["number", "category"];
  return kind === "date" ? ["date", "category"] : [kind];
}

/** The recipe by which a column is read as a kind that was chosen. */
export function withKind(recipe: Recipe, name: string, kind: ColumnFacts["kind"]): Recipe {
  const { [name]: before, ...types } = recipe.types ?? {};
  const categories = recipe.categorical_features ?? [];
  const others = categories.filter((other) => other !== name);
  if (kind === "category") {
    return { ...recipe, types, categorical_features: [...others, name] };
  }
  // Numbers that were made categories are numbers again without being declared.
  if (others.length < categories.length && before === undefined) {
    return { ...recipe, types, categorical_features: others };
  }
  return { ...recipe, types: { ...types, [name]: kind }, categorical_features: others };
}

/** Strings that mean a missing value, as the field has them: separated by commas. */
export const missingText = (recipe: Recipe): string => (recipe.missing_values ?? []).join(", ");

export function withMissing(recipe: Recipe, text: string): Recipe {
  const given = text.split(",").map((part) => part.trim());
  return { ...recipe, missing_values: [...new Set(given.filter((part) => part !== ""))] };
}

/** What settles a finding: another reading of the table. Null if nothing on the page does. */
export function settled(facts: TableFacts, finding: Finding): Partial<OpenRequest> | null {
  const { parameter, values } = finding;
  const { recipe, drop, target } = facts;
  if (values.length === 0) return null;
  switch (parameter) {
    case "drop":
      return { drop: [...new Set([...drop, ...values.filter((name) => name !== target)])] };
    case "missing_values":
      return {
        recipe: {
          ...recipe,
          missing_values: [...new Set([...(recipe.missing_values ?? []), ...values])],
        },
      };
    case "categorical_features":
      return {
        recipe: values.reduce((before, name) => withKind(before, name, "category"), recipe),
      };
    case "types":
      return { recipe: { ...recipe, types: { ...recipe.types, ...typesOf(values) } } };
    case "dates":
      return { recipe: { ...recipe, dates: values[0] as Recipe["dates"] } };
    default:
      return null;
  }
}

const typesOf = (values: readonly string[]) =>
  Object.fromEntries(
    values.map((value) => {
      const equals = value.lastIndexOf("=");
      return [value.slice(0, equals), value.slice(equals + 1)];
    }),
  );
