// Every string of the page. Plain sentences; the field's terms.
import { count } from "./numbers";

const plural = (n: number, one: string, many: string) => `${count(n)} ${n === 1 ? one : many}`;

export const words = {
  product: "plaintree studio",
  rows: (n: number, text = count(n)) => `${text} ${n === 1 ? "row" : "rows"}`,
  nodes: (n: number) => plural(n, "node", "nodes"),
  columns: (n: number) => plural(n, "column", "columns"),
  removed: (n: number) => `${plural(n, "node", "nodes")} removed.`,
  added: (n: number) => `${plural(n, "node", "nodes")} added.`,
  undo: "Undo",
  stopped: "Stopped. Nothing was changed.",
  dockHint: "Hover a node, a row or a region: the others light up",
  beside: "Click to show; Shift and click to show beside the other",
  dockEmpty: "No view is open.",
  views: "Views of the tree and its rows",
  close: "Close",
  openFormula: (number: string) => `${number}: show how it is computed`,
  working: "Working",
  of: (done: string, whole: string) => `${done} of ${whole}`,
  stop: "Stop",
  got: "got",
  lost: "The answer did not arrive. Reload the page, or start the studio again.",
  notInReport: "This report does not contain it. Open the model in the studio to see it.",
  tour: [
    {
      title: "A node with ? is waiting for a split",
      text: "Select it: the splits that its columns offer are listed, best first. Take one.",
    },
    {
      title: "Every number can be opened",
      text: "Click a number with a dotted line. You see the formula, the counts, and the rows they come from.",
    },
    {
      title: "Undo takes back anything",
      text: "Try what you like: every edit is kept in the history, and none is final.",
    },
  ],
  skip: "Skip",
  next: "Next",
  tourEnd: "Done",
} as const;
