// Rows in view, their pages, and the columns that are listed.
import { describe, expect, test } from "vitest";
import {
  columnsListed,
  columnWidths,
  pagesInView,
  rowsOfPage,
  spaces,
} from "../../src/dock/windows";

const extent = { n: 1234, height: 22, page: 50 };

describe("pages", () => {
  test("at the top, only pages that are seen are asked for", () => {
    expect(pagesInView(0, 200, extent)).toEqual({ first: 0, last: 0 });
    expect(pagesInView(0, 1100, extent)).toEqual({ first: 0, last: 1 });
  });

  test("scrolled, the pages cover the view whatever its position", () => {
    for (let top = 0; top < 1234 * 22; top += 173) {
      const { first, last } = pagesInView(top, 300, extent);
      expect(first * 50 * 22).toBeLessThanOrEqual(top);
      expect(Math.min(1234, (last + 1) * 50) * 22).toBeGreaterThanOrEqual(
        Math.min(top + 300, 1234 * 22),
      );
      expect(last - first).toBeLessThanOrEqual(1);
    }
  });

  test("spaces and pages together are as high as all rows", () => {
    for (const top of [0, 5000, 20000, 27000]) {
      const pages = pagesInView(top, 300, extent);
      const { above, below } = spaces(pages, extent);
      let rows = 0;
      for (let page = pages.first; page <= pages.last; page++) rows += rowsOfPage(page, extent);
      expect(above + rows * 22 + below).toBe(1234 * 22);
    }
  });

  test("no rows, no pages with rows", () => {
    const none = { ...extent, n: 0 };
    expect(pagesInView(0, 300, none)).toEqual({ first: 0, last: 0 });
    expect(rowsOfPage(0, none)).toBe(0);
    expect(spaces({ first: 0, last: 0 }, none)).toEqual({ above: 0, below: 0 });
  });
});

describe("columns", () => {
  test("few columns keep the order of the table", () => {
    expect(columnsListed(["a", "b", "target"], new Set(["b"]), 60)).toEqual([0, 1, 2]);
  });

  test("of many, those of the tree come first and the target last", () => {
    const names = [...Array.from({ length: 99 }, (_, i) => `c${i}`), "target"];
    const listed = columnsListed(names, new Set(["c70", "c5"]), 10);
    expect(listed).toHaveLength(10);
    expect(listed.slice(0, 3)).toEqual([5, 70, 0]);
    expect(listed[9]).toBe(99);
  });

  test("a long text does not widen its column without end", () => {
    const [short, long] = columnWidths([2, 300], [false, false]);
    expect(long).toBeLessThan(8 * short);
    expect(columnWidths([5], [true])[0]).toBeGreaterThan(columnWidths([5], [false])[0]);
  });
});
