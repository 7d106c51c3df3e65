// The rows behind a node, then all others: sorted, searched, in pages.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Cells, CellsRequest } from "../../messages";
import { canAsk, useAsk } from "../link/transport";
import { count, weight } from "../numbers";
import { Marker } from "../parts/Marker";
import { Name, visible } from "../parts/Name";
import { Waiting } from "../parts/Working";
import { document, light, lit, member, pin, pinned, selected, table, tree } from "../state/store";
import type { TreeModel } from "../tree/model";
import { words } from "../words";
import { shownCondition } from "./conditions";
import { useKept, useRested } from "./hooks";
import { lightOfRow, litShare, sameLight } from "./linking";
import { listAll, listed } from "./listed";
import { registerDock } from "./registry";
import "./table.css";
import {
  columnsListed,
  columnWidths,
  type Pages,
  pagesInView,
  rowsOfPage,
  spaces,
} from "./windows";

const HEIGHT = 22;
const PAGE = 50;
/** Browsers do not lay out higher boxes. */
const MOST_ROWS = 600_000;
const MOST_COLUMNS = 60;
const LONGEST = 28;

interface Sort {
  column: string;
  descending: boolean;
}

const sort = signal<Sort | null>(null);
const search = signal("");

effect(() => {
  void table.value?.key;
  sort.value = null;
  search.value = "";
});

type Asking = Omit<CellsRequest, "start" | "stop">;

/** Named rows come in one answer; all others in pages. */
const pageOf = (asking: Asking, page: number): CellsRequest =>
  asking.rows === undefined ? { ...asking, start: page * PAGE, stop: (page + 1) * PAGE } : asking;

function Table() {
  const wanted = useRested(search.value.trim());
  if (document.value === null) return null;
  const asking: Asking = {
    table: document.value.table,
    document: document.value,
    at: selected.value,
    member: member.value,
    sort: sort.value?.column ?? null,
    descending: sort.value?.descending ?? false,
    search: wanted,
    ...(listed.value === null ? {} : { rows: listed.value.rows }),
  };
  return <Rows asking={asking} />;
}

function Rows({ asking }: { asking: Asking }) {
  const asked = useAsk("cells", pageOf(asking, 0));
  const head = useKept(asked);
  if (head === null) return <Waiting asked={asked} />;
  return (
    <div class="tbl">
      <Caption head={head} />
      <Grid head={head} asking={asking} />
    </div>
  );
}

function Caption({ head }: { head: Cells }) {
  const now = lit.value;
  const whole = table.value?.n_rows ?? head.n_found;
  return (
    <div class="caption">
      <span class="caption-text">
        {now?.from === "table" && now.paths.length > 1 ? (
          <Divided />
        ) : listed.value !== null ? (
          <>
            <Name text={listed.value.title} most={64} />{" "}
            <button type="button" class="link" onClick={listAll}>
              {words.dock.table.showAll}
            </button>
          </>
        ) : search.value.trim() !== "" ? (
          words.dock.table.found(count(head.n_found), words.rows(whole))
        ) : (
          <Beginning head={head} whole={whole} />
        )}
      </span>
      <input
        type="search"
        class="dock-search"
        placeholder={words.dock.table.search}
        aria-label={words.dock.table.search}
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
    </div>
  );
}

/** Which rows come first: those of the selected node. */
function Beginning({ head, whole }: { head: Cells; whole: number }) {
  const node = tree.value?.nodeAt(selected.value) ?? 0;
  const conditions = node > 0 ? (tree.value as TreeModel).conditions(node) : [];
  if (conditions.length === 0 || head.n_first === 0) return <>{words.rows(whole)}</>;
  return (
    <Name
      text={words.dock.table.first(
        words.rows(head.n_first),
        shownCondition(conditions[conditions.length - 1], tree.value?.columns.features ?? []),
      )}
      most={72}
    />
  );
}

/** How a divided row that is lit is divided. */
function Divided() {
  const now = lit.value;
  const row = now?.rows?.rows[0];
  if (now?.shares === undefined || row === undefined) return null;
  const parts = now.shares.map((share) => weight(share)).join(" + ");
  return <>{words.dock.partOfRow(parts, count(row + 1))}</>;
}

interface GridProperties {
  head: Cells;
  asking: Asking;
}

function Grid({ head, asking }: GridProperties) {
  const box = useRef<HTMLDivElement>(null);
  const extent = { n: Math.min(head.n_found, MOST_ROWS), height: HEIGHT, page: PAGE };
  const [pages, setPages] = useState<Pages>({ first: 0, last: 0 });
  const look = () => {
    const element = box.current;
    if (element === null) return;
    const next = pagesInView(element.scrollTop, element.clientHeight, extent);
    setPages((old) => (old.first === next.first && old.last === next.last ? old : next));
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [extent.n]);
  useEffect(
    () => box.current?.scrollTo({ top: 0 }),
    [asking.at, asking.sort, asking.search, asking.rows],
  );
  const layout = layoutOf(head);
  const { above, below } = spaces(pages, extent);
  const shown = Array.from({ length: pages.last - pages.first + 1 }, (_, i) => pages.first + i);
  return (
    <div
      class="tbl-scroll"
      ref={box}
      onScroll={look}
      onKeyDown={(event) => move(event, box.current)}
      role="region"
      aria-label={words.dock.table.label}
      tabIndex={extent.n === 0 ? -1 : 0}
    >
      <table aria-rowcount={head.n_found + 1} style={{ minWidth: `${layout.least}px` }}>
        <Columns layout={layout} />
        <Heads head={head} layout={layout} />
        <Space height={above} />
        {shown.map((page) => (
          <Page
            key={page}
            page={page}
            n={rowsOfPage(page, extent)}
            asking={asking}
            layout={layout}
          />
        ))}
        <Space height={below} />
      </table>
      <Notes head={head} layout={layout} />
    </div>
  );
}

interface Layout {
  /** The positions of the columns that are listed. */
  listed: number[];
  /** In CSS pixels; where there is room, all grow alike. */
  widths: number[];
  /** The least width of the table in CSS pixels. */
  least: number;
  divided: boolean;
}

function layoutOf(head: Cells): Layout {
  const model = tree.value;
  const used = new Set(
    model === null
      ? []
      : model.columns.feature.filter((f) => f >= 0).map((f) => model.columns.features[f]),
  );
  const listed = columnsListed(head.columns, used, MOST_COLUMNS);
  const lengths = listed.map((column) =>
    Math.max(head.columns[column].length + 2, ...head.cells.map((row) => row[column]?.length ?? 1)),
  );
  const widths = columnWidths(
    lengths,
    listed.map((column) => head.numeric[column]),
  );
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const fixed = 58 + (head.divided ? 64 : 0);
  return {
    listed,
    widths,
    least: whole + fixed,
    divided: head.divided,
  };
}

const Columns = ({ layout }: { layout: Layout }) => (
  <colgroup>
    <col class="col-row" />
    {layout.divided && <col class="col-weight" />}
    {layout.listed.map((column, i) => (
      <col key={column} style={{ width: `${layout.widths[i]}px` }} />
    ))}
  </colgroup>
);

function Heads({ head, layout }: { head: Cells; layout: Layout }) {
  return (
    <thead>
      <tr>
        <th scope="col">
          <span class="unseen">{words.dock.table.row}</span>
        </th>
        {layout.divided && (
          <th scope="col" class="n weight">
            {words.dock.table.weight}
          </th>
        )}
        {layout.listed.map((column) => (
          <Head key={column} column={head.columns[column]} numeric={head.numeric[column]} />
        ))}
      </tr>
    </thead>
  );
}

function Head({ column, numeric }: { column: string; numeric: boolean }) {
  const way = sort.value?.column === column ? (sort.value.descending ? "down" : "up") : "";
  const turn = () => {
    sort.value =
      way === ""
        ? { column, descending: false }
        : way === "up"
          ? { column, descending: true }
          : null;
  };
  return (
    <th
      scope="col"
      class={numeric ? "n" : ""}
      aria-sort={way === "" ? undefined : way === "up" ? "ascending" : "descending"}
    >
      <button
        type="button"
        class={`sort ${way}`}
        onClick={turn}
        title={words.dock.table.sortBy(visible(column))}
      >
        <Name text={column} most={LONGEST} />
      </button>
    </th>
  );
}

const Space = ({ height }: { height: number }) =>
  height === 0 ? null : (
    <tbody aria-hidden="true">
      <tr>
        <td class="space" style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );

interface PageProperties {
  page: number;
  n: number;
  asking: Asking;
  layout: Layout;
}

function Page({ page, n, asking, layout }: PageProperties) {
  const asked = useAsk("cells", pageOf(asking, page));
  const cells = useKept(asked);
  const before = asking.rows === undefined ? 0 : page * PAGE;
  return (
    <tbody>
      {Array.from({ length: n }, (_, i) => (
        <Row key={i} cells={cells} i={before + i} position={page * PAGE + i} layout={layout} />
      ))}
    </tbody>
  );
}

interface RowProperties {
  cells: Cells | null;
  i: number;
  position: number;
  layout: Layout;
}

function Row({ cells, i, position, layout }: RowProperties) {
  const row = cells?.rows[i];
  if (cells === null || row === undefined) {
    return (
      <tr aria-rowindex={position + 2}>
        <th scope="row" />
      </tr>
    );
  }
  const visits = cells.visits[i] ?? [];
  const now = lit.value;
  // Rows that the table lists because they are lit need no light of their own.
  const onlyListed = now?.rows !== undefined && now.rows.rows === listed.value?.rows;
  const share = onlyListed ? 0 : litShare(now, row, visits);
  const own = lightOfRow("table", row, visits);
  const atNode = selected.value.length > 0 && cells.n_first > 0;
  const place = !atNode ? "" : position < cells.n_first ? "in" : "out";
  const on = () => light(own);
  const hold = () => pin(sameLight(pinned.value, own) ? null : own);
  return (
    <tr
      class={`${place} ${share > 0 ? "lit" : ""}`}
      style={share > 0 && share < 1 ? { "--share": `${100 * share}%` } : undefined}
      title={
        share > 0 && share < 1 ? words.dock.partOfRow(weight(share), count(row + 1)) : undefined
      }
      aria-rowindex={position + 2}
      data-position={position}
      tabIndex={-1}
      onPointerEnter={on}
      onPointerLeave={() => light(null)}
      onFocus={on}
      onBlur={() => light(null)}
      onClick={hold}
      onKeyDown={(event) => event.key === "Enter" && hold()}
    >
      <th scope="row">{count(row + 1)}</th>
      {layout.divided && <td class="n weight">{weight(cells.weights[i] ?? 1)}</td>}
      {layout.listed.map((column) => (
        <Cell key={column} cells={cells} i={i} column={column} />
      ))}
    </tr>
  );
}

function Cell({ cells, i, column }: { cells: Cells; i: number; column: number }) {
  const text = cells.cells[i][column];
  const isTarget = column === cells.columns.length - 1;
  return (
    <td class={cells.numeric[column] ? "n" : ""}>
      {isTarget && cells.classes[i] >= 0 && <Marker of={cells.classes[i]} />}
      {text === null ? <em title={words.dock.missing}>?</em> : <Name text={text} most={LONGEST} />}
    </td>
  );
}

function Notes({ head, layout }: { head: Cells; layout: Layout }) {
  return (
    <>
      {head.n_found === 0 && <p class="note tbl-note">{words.dock.table.none}</p>}
      {head.n_found > MOST_ROWS && (
        <p class="note tbl-note">{words.dock.table.cut(count(MOST_ROWS))}</p>
      )}
      {layout.listed.length < head.columns.length && (
        <p class="note tbl-note">
          {words.dock.table.columnsCut(count(layout.listed.length), count(head.columns.length))}
        </p>
      )}
    </>
  );
}

/** The arrow keys go from row to row; the rows are focused in turn. */
function move(event: KeyboardEvent, box: HTMLElement | null): void {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const from = (event.target as HTMLElement).dataset.position;
  if (way === undefined || box === null) return;
  const next = from === undefined ? 0 : Number(from) + way;
  const row = box.querySelector<HTMLElement>(`[data-position="${next}"]`);
  if (row === null) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  event.preventDefault();
  event.stopPropagation();
}

registerDock({
  key: "table",
  title: words.dock.table.title,
  component: Table,
  available: () => canAsk("cells"),
});
