// Every string of the page. Plain sentences; the field's terms.
import { count } from "./numbers";

const plural = (n: number, one: string, many: string) => `${count(n)} ${n === 1 ? one : many}`;

export const words = {
  product: "plaintree studio",
  rows: (n: number) => plural(n, "row", "rows"),
  rowsOf: (weight: string) => `${weight} rows`,
  rowsWord: (n: number) => (n === 1 ? "row" : "rows"),
  nodes: (n: number) => plural(n, "node", "nodes"),
  columns: (n: number) => plural(n, "column", "columns"),
  removed: (n: number) => `${plural(n, "node", "nodes")} removed.`,
  added: (n: number) => `${plural(n, "node", "nodes")} added.`,
  edits: (n: number) => plural(n, "edit", "edits"),
  undo: "Undo",
  redo: "Redo",
  stopped: "Stopped. Nothing was changed.",
  dockHint: "Hover a node, a row or a region: the others light up",
  beside: "Click to show; Shift and click to show beside the other",
  dockEmpty: "No view is open.",
  views: "Views of the tree and its rows",
  close: "Close",
  openFormula: (number: string) => `${number}: show how it is computed`,
  cancel: "Cancel",
  search: "Search",
  more: (n: number) => `and ${count(n)} more`,

  // answers that take time or fail
  working: "Working",
  of: (done: string, whole: string) => `${done} of ${whole}`,
  stop: "Stop",
  got: "got",
  lost: "The answer did not arrive. Reload the page, or start the studio again.",
  reportNote: "A report: open the model in plaintree studio to change the tree",
  notInReport: "This report does not contain it. Open the model in the studio to see it.",
  gone: "The studio has ended.",
  goneEdits: (n: number) =>
    n === 0
      ? "Start it again and reload."
      : `Your ${plural(n, "edit is", "edits are")} kept here: download them, or start it again and reload.`,
  downloadEdits: "Download edits",
  reload: "Reload",

  // the bar
  predictsWord: "predicts",
  tableMenu: "Table",
  targetMenu: "Target",
  learnerMenu: "Learner and settings",
  tableSize: (rows: number, columns: number) =>
    `${plural(rows, "row", "rows")}, ${plural(columns, "column", "columns")}`,
  openOther: "Open another table",
  history: "History",
  memberTree: "tree",
  memberOf: (n: number) => `of ${count(n)}`,
  stateOf: (splits: number, open: number) =>
    open === 0
      ? plural(splits, "split", "splits")
      : `${plural(splits, "split", "splits")}, ${count(open)} open`,
  growRest: "Grow the rest",
  present: "Present",
  presentEnd: "End",
  export: "Export",
  darkMode: "Dark mode",
  lightMode: "Light mode",
  apply: "Apply",
  defaults: "Defaults",
  noLimit: "none",
  settingsOf: (learner: string) => `Parameters of ${learner}`,
  startOpen: "Start with the root open",
  startGrown: "Grow a tree",
  missingColumn: (n: string) => `${n} missing`,
  valuesShort: (n: string) => `${n} values`,
  left: "left out",

  // the stage
  stage: "Tree",
  treeFor: (target: string) => `Decision tree for ${target}`,
  nodeWord: "node",
  node: (n: number) => `node ${count(n)}`,
  root: "root",
  chooseSplit: "choose a split",
  folded: (n: number) => `+${plural(n, "node", "nodes")}`,
  values: (n: string) => `${n} values`,
  valuesWithoutRows: (n: string) => `${n} values without rows`,
  blockSpoken: (n: string) => `${n} leaves in a list`,
  spread: (deviation: string) => `± ${deviation}`,
  find: "Find a node, value or rule",
  nothingFound: (text: string) => `No node contains ${text}`,
  firstFound: (n: string) => `The first ${n} are shown`,
  legend: (classes: string) => `Classes: ${classes}`,
  predictionScale: (from: string, to: string) => `Prediction: ${from} to ${to}`,
  tools: "View",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  zoomOne: "Show in full size",
  fit: "Fit",
  nodeNumbers: "Node numbers",
  show: (what: string) => `Show ${what}`,
  shown: { counts: "counts", share: "share of rows", none: "rows only" },
  unfold: {
    title: "Which nodes are unfolded",
    support: (n: number) => `${count(n)} largest nodes`,
    depth: (n: number) => `${count(n)} levels`,
    share: "from 1 % of the rows",
    all: "all nodes",
  },
  map: "Drag to move the view",

  // the inspector
  inspector: "Selected node",
  allRows: "All rows",
  ofTable: (share: string) => `, ${share} of the table`,
  predicts: (open: boolean, inner: boolean): [string, string] =>
    open
      ? ["Predicts", " until it is split."]
      : inner
        ? ["Would predict", " as a leaf."]
        : ["Predicts", "."],
  growBelow: "Grow below",
  growLevel: "Grow one level",
  makeLeaf: "Make a leaf",
  deleteKey: "Del",
  relabel: "Change the label",
  splits: "Splits, best first",
  showAll: (n: number) => `Show all ${count(n)}`,
  refused: "Splits that do not qualify",
  because: (reason: string) => `Not taken by the learner: ${reason}.`,
  tie: (n: number, winner: string | null) =>
    winner === null
      ? `${count(n)} splits are tied. Choose one.`
      : `${count(n)} splits are tied. The learner would take ${winner}, whose column is first.`,
  tiedRank: (rank: number) => `${count(rank)} =`,
  bestOfCuts: (n: number) => (n === 1 ? "1 threshold" : `best of ${count(n)} thresholds`),
  branchPerValue: "one branch per value",
  oneValue: "one value against the others",
  groupsOfValues: "groups of values",
  taken: "in the tree",
  take: "Take this split",
  takeAnyway: "Take it anyway",
  replaces: "replaces what is below",
  moreBranches: (n: string) => `${n} more branches`,
  chooseOne: "Mark a split first: several are tied, or none qualifies.",
  backFormula: "Back to the former formula",
  formula: "Formula",
  rowsLink: "rows",
  copy: "copy",
  asText: "Text",
  copied: "Copied.",
  notCopied: "The browser did not allow copying.",
  digits: (n: number) => `${n} digits`,
  digitsTitle: "Digits",
  exact: "exact fractions",
  howComputed: (number: string) => `How ${number} is computed`,
  whereToSplit: (column: string) => `Where to split ${column}`,
  snap: "snap to best",
  threshold: "Threshold",
  thresholdSpoken: (threshold: string, score: string) => `${threshold}, score ${score}`,
  atMost: (threshold: string) => `≤ ${threshold}`,
  scoreOfCuts: (score: string, n: number) => `${score} of ${plural(n, "threshold", "thresholds")}`,
  takeThreshold: "Take this threshold",

  // the status line
  ready: "Ready",
  treeSize: (nodes: number, leaves: number, open: number, depth: number) =>
    [
      plural(nodes, "node", "nodes"),
      plural(leaves, "leaf", "leaves"),
      ...(open > 0 ? [`${count(open)} open`] : []),
      `depth ${count(depth)}`,
    ].join(", "),
  measured: (measure: string, value: string) => `${measure} ${value}`,
  measuredOf: (measure: string, value: string, of: string) => `${measure} ${value} of ${of}`,
  whileOpen: (open: number[]) =>
    open.length === 0
      ? ""
      : open.length === 1
        ? ` while node ${count(open[0])} is open`
        : ` while ${count(open.length)} nodes are open`,
  ties: (n: number) => (n === 0 ? "no ties" : plural(n, "tie", "ties")),
  editsRefused: (n: number) => `${plural(n, "edit does", "edits do")} not apply`,
  everyNumber: "Every number is computed by plaintree; click one to see how",

  // the start
  startTitle: "Grow, question and prune a decision tree",
  drop: "Drop a table here",
  dropFormats: "CSV, Parquet, ARFF or JSON; the file stays on this computer",
  chooseFile: "Choose a file",
  tryOne: "Or try an example",
  command: "Or open it from the command line",
  commandText: "plaintree studio titanic.csv --target survived",
  reading: "Reading the table",
  columnsTitle: "Columns",
  column: "Column",
  kind: "Kind",
  missing: "Missing",
  content: "Values",
  use: "Use",
  targetTitle: "What to predict",
  classesLine: (text: string) => `Classes: ${text}`,
  kinds: {
    number: "number",
    date: "date",
    category: "category",
    boolean: "boolean",
    ordered: "ordered category",
    empty: "empty",
  } as Record<string, string>,
  range: (from: string, to: string) => `${from} to ${to}`,
  meanOf: (mean: string) => `mean ${mean}`,
  learnerTitle: "Learner",
  asNumbers: "Predict a number (regression)",
  asClasses: "Predict a class",
  startOpenNote: "You choose every split; the candidates and their formulas are shown.",
  startGrownNote: "The learner grows a tree, which you then question, edit and prune.",
  replay: (n: number, name: string) =>
    `Replay the ${plural(n, "edit", "edits")} of ${name} on this table`,
  otherTable: (name: string) => `The link is about ${name}. Open that table to see it.`,
  back: "Back",

  // presenting
  stepOf: (step: number, n: number) => `Step ${count(step)} of ${count(n)}`,
  stepBefore: "Previous step",
  stepNext: "Next step",
  stepStart: "Step through it",

  // export
  exportTitle: "Export",
  verify: "Verify the exported program on the rows of the table",
  saved: (file: string) => `Saved ${file}.`,
  studioDocument: "Studio document",
  copyLink: "Copy a link to this state",
  linkTooLong: "The document is too long for a link; save it as a file.",

  // keys
  keysTitle: "Keys",
  singleKeys: "Single letters are keys",
  showHints: "Show the hints again",
  keys: [
    ["↑ ↓ ← →", "Move on the tree"],
    ["Enter", "Select; on the selected node, take the marked split"],
    ["1 … 9", "Take the n-th split"],
    ["Space", "Fold or unfold"],
    ["G", "Grow below the node"],
    ["Shift G", "Grow the rest of the tree"],
    ["Delete", "Make a leaf"],
    ["L", "Change the label of a leaf"],
    ["Ctrl Z, Ctrl Shift Z", "Undo, redo"],
    ["F", "Fit the tree to the stage"],
    ["+ − 0", "Zoom"],
    ["N", "Node numbers"],
    ["/", "Find"],
    ["[ ]", "Previous or next view of the dock"],
    ["P", "Present; then ← → step"],
    ["E", "Export"],
    ["F6", "Next region of the page"],
    ["Esc", "Back"],
    ["?", "This list"],
  ] as [string, string][],

  // hints
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

  // the side
  resizeInspector: "Width of the inspector",
  resizeSheet: "Height of the sheet",
} as const;
