// Conditions as they are shown: the signs of mathematics in place of those of programs.
const SIGNS: Record<string, string> = { "<=": "≤", ">=": "≥", "!=": "≠" };

/** Conditions with the signs of mathematics. A column's name, which may hold any sign, stays. */
export function condition(text: string, column = ""): string {
  const at = column !== "" && text.startsWith(column) ? column.length : 0;
  const signs = text.slice(at).replace(/^( ?)(<=|>=|!=) /, (_, space, sign) => {
    return `${space}${SIGNS[sign]} `;
  });
  return text.slice(0, at) + signs;
}

/** Where rows without a value go: to a branch, which is a condition, or elsewhere. */
export const destination = (text: string): string => condition(text, text.match(/^.*\bgo to/)?.[0]);
