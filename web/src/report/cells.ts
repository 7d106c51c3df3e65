// The rows in a report: sorted, searched, those of a node first. Their texts are Python's.
import type { Cells, CellsRequest, Visit } from "../../messages";
import { pathKey } from "../state/document";

/** Some rows of the whole table, as the server would answer. */
export function cellsOf(given: unknown, asked: object): Cells {
  const whole = given as Cells;
  const {
    rows = [],
    start = 0,
    stop = 100,
    sort,
    descending,
    search,
    at = [],
  } = asked as Partial<CellsRequest>;
  const listed = rows.length > 0 ? rows : whole.rows;
  const wanted = (search ?? "").toLowerCase();
  const fits = (row: number) =>
    wanted === "" || whole.cells[row].some((cell) => cell?.toLowerCase().includes(wanted));
  const found = listed.filter(fits);
  const column = sort === null || sort === undefined ? -1 : whole.columns.indexOf(sort);
  if (column >= 0) found.sort(order(whole, column, descending ?? false));
  const here = pathKey(at);
  const part = (row: number) => shareAt(whole.visits[row] ?? [], here);
  const first = at.length > 0 ? found.filter((row) => part(row) > 0) : [];
  const others = at.length > 0 ? found.filter((row) => part(row) === 0) : found;
  const shown = rows.length > 0 ? listed : [...first, ...others].slice(start, stop);
  return {
    ...whole,
    rows: shown,
    cells: shown.map((row) => whole.cells[row]),
    classes: shown.map((row) => whole.classes[row]),
    n_found: found.length,
    n_first: first.length,
    divided: first.some((row) => part(row) < 1),
    weights: shown.map((row) => (at.length > 0 ? part(row) : 1)),
    visits: shown.map((row) => whole.visits[row] ?? []),
  };
}

const shareAt = (visits: readonly Visit[], key: string): number =>
  visits.find((visit) => pathKey(visit.at) === key)?.share ?? 0;

/** Rows without a value come last, whichever way the others are sorted. */
function order({ cells, numeric }: Cells, column: number, descending: boolean) {
  const way = descending ? -1 : 1;
  return (a: number, b: number): number => {
    const [x, y] = [cells[a][column], cells[b][column]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (!numeric[column]) return x < y ? -way : x > y ? way : a - b;
    return way * (Number(x) - Number(y)) || a - b;
  };
}
