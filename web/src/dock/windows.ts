// Which part of a long table is in view, in pages that are asked for one by one.

export interface Pages {
  first: number;
  /** Inclusive. */
  last: number;
}

export interface Extent {
  /** The number of rows, the height of each, and the rows of a page. */
  n: number;
  height: number;
  page: number;
}

/** The pages that a view from `top`, `seen` pixels high, touches; one row around it. */
export function pagesInView(top: number, seen: number, { n, height, page }: Extent): Pages {
  const end = Math.max(0, Math.ceil(n / page) - 1);
  const at = (y: number) => Math.min(end, Math.max(0, Math.floor(y / height / page)));
  return { first: at(top - height), last: at(top + seen + height) };
}

/** How many rows a page has; the last one is shorter. */
export const rowsOfPage = (number: number, { n, page }: Extent): number =>
  Math.max(0, Math.min(page, n - number * page));

/** The height above the first page in view, and below the last one. */
export function spaces({ first, last }: Pages, extent: Extent): { above: number; below: number } {
  const { n, height, page } = extent;
  return {
    above: first * page * height,
    below: Math.max(0, n - (last + 1) * page) * height,
  };
}

const LETTER = 7.6;
const SPACE = { text: 32, number: 50 };

/** The widths that columns want, in CSS pixels, from the lengths of their texts. */
export function columnWidths(lengths: readonly number[], numeric: readonly boolean[]): number[] {
  return lengths.map((length, i) => {
    const letters = Math.min(28, Math.max(4, length));
    return Math.round(letters * LETTER + (numeric[i] ? SPACE.number : SPACE.text));
  });
}

/** The columns that are listed: all if there are few, otherwise those of the tree first. */
export function columnsListed(names: readonly string[], used: ReadonlySet<string>, most: number) {
  const all = names.map((_, i) => i);
  if (names.length <= most) return all;
  const target = names.length - 1;
  const inTree = all.filter((i) => used.has(names[i]) && i !== target);
  const others = all.filter((i) => !used.has(names[i]) && i !== target);
  return [...inTree, ...others].slice(0, most - 1).concat(target);
}
