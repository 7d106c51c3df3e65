// Conditions of rules and paths, with the signs of mathematics.
import { condition } from "../parts/condition";

/** A condition as it is shown; it begins with the name of one of the columns. */
export function shownCondition(text: string, columns: readonly string[]): string {
  let column = "";
  for (const name of columns) {
    if (name.length > column.length && text.startsWith(`${name} `)) column = name;
  }
  return condition(text, column);
}

/** The last conditions, which tell neighbours apart. */
export const lastOf = (conditions: readonly string[], most = 2): string =>
  (conditions.length > most ? "… " : "") + conditions.slice(-most).join(", ");
