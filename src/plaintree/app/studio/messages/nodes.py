"""The tree of a document, and questions about one of its nodes."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from .documents import (
    Count,
    Digits,
    Document,
    Label,
    Name,
    Number,
    Path,
    Reply,
    Request,
    Split,
    TableReference,
)

# ---------------------------------------------------------------- the tree


class TreeRequest(Request, kw_only=True):
    """The tree of a document."""

    document: Document
    member: Count = 0
    """Which tree of an ensemble."""


class EditState(Reply, kw_only=True):
    """What became of an edit: text for the history, and why it does not apply if it does not."""

    text: str
    n_nodes_before: int
    n_nodes_after: int
    refused: str = ""


class TreeFacts(Reply, kw_only=True):
    """Facts of a whole tree, each with the rows that it was measured on."""

    n_nodes: int
    n_leaves: int
    n_open: int
    """Leaves that the learner would split."""
    depth: int
    n_rows: int
    measure: str
    """What the next number is: training errors, or training RMSE."""
    training: Number
    n_measured: int
    """The rows that it was measured on; some are in every bootstrap sample of a small forest."""
    n_tied: int
    """Nodes whose split is tied, or would be in leaves that are open."""
    n_members: int
    editable: bool
    reason: str = ""
    """Why the tree cannot be edited."""


class MissingValues(Reply, kw_only=True):
    """An inner node where some rows have no value of the column that it splits on."""

    node: int
    weight: float
    """The weight of these rows."""
    known: list[float]
    """The class weights of the other rows; of numeric targets empty."""
    text: str
    """How many rows they are, and where they go."""


class TreeColumns(Reply, kw_only=True):
    """A tree as columns, one entry a node, in the order of ``plaintree.Tree``; the root is 0."""

    hash: str
    facts: TreeFacts
    edits: list[EditState]
    n_children: list[int]
    """The children of a node follow those of the node before it, so this is the whole shape."""
    feature: list[int]
    """A position in ``features``; -1 in a leaf."""
    features: list[str]
    """The columns as conditions write them."""
    names: list[str]
    """The columns as requests name them, in the same order."""
    edge: list[str]
    """The condition of the branch that leads to the node, such as ``= rain`` or ``<= 75``."""
    split: list[str]
    """The split as text; empty in a leaf."""
    open: list[int]
    """The leaves that the learner would split, by number."""
    n_rows: list[int]
    weight: list[float]
    label: list[int]
    """A position in ``classes``; -1 for numeric targets."""
    classes: list[str]
    class_weights: list[list[float]]
    """By node; of numeric targets empty."""
    prediction: list[float]
    """Numeric targets only."""
    deviation: list[float]
    """Numeric targets only: the standard deviation of a node's rows."""
    impurity: list[float]
    score: list[Number]
    gain: list[Number]
    """Of splits that were chosen by a ratio; otherwise empty."""
    errors: list[float]
    """The weight of the training rows that the leaves below predict wrongly; of numeric targets
    empty."""
    low: list[float]
    high: list[float]
    """The 95 % interval of the proportion of the predicted class, or one spread around a number."""
    missing: list[MissingValues]
    """Of single trees."""
    tied: list[int]
    """How many splits tie with that of the node, or with the learner's choice in an open leaf."""
    impurity_name: str
    score_name: str
    gain_name: str


# ---------------------------------------------------------------- one node


class NodeRequest(Request, kw_only=True):
    """The base of questions about one node."""

    document: Document
    at: Path
    member: Count = 0


class CandidatesRequest(NodeRequest, kw_only=True):
    """The splits that the columns offer at a node."""

    most: Annotated[int, Meta(ge=1, le=10_000)] = 100


class BranchFacts(Reply, kw_only=True):
    """A branch of a split: its condition, rows, class weights (or mean and deviation)."""

    text: str
    n_rows: int
    weight: float
    class_weights: list[float]
    label: int
    prediction: Number = None
    deviation: Number = None
    values: list[str] = field(default_factory=list)
    """The categories of the branch, if the split groups categories."""


class CandidateFacts(Reply, kw_only=True):
    """A split that a column offers."""

    split: Split
    column: str
    text: str
    rank: int
    """Tied ones share it; 0 if it is refused."""
    tied: bool
    score: Number
    gain: Number
    penalty: Number
    n_cuts: int
    """How many splits of the column were compared."""
    branches: list[BranchFacts]
    n_missing: float
    missing: str
    """What becomes of rows without a value, as text; empty if there are none."""
    refused: str = ""
    chosen: bool = False
    """Whether the tree makes this split."""


class Untried(Reply, kw_only=True):
    """A column that offers no split, and why."""

    column: str
    reason: str


class Candidates(Reply, kw_only=True):
    """The response to ``candidates``."""

    at: list[int]
    n_rows: int
    weight: float
    class_weights: list[float]
    prediction: Number
    deviation: Number
    impurity: Number
    impurity_name: str
    score_name: str
    gain_name: str
    mean_gain: Number
    """C4.5 takes only columns whose gain is at least this; None for other conventions."""
    winner: int | None
    """The position of the learner's own choice; None if it would not split."""
    tie_break: str
    """What decides for it among tied splits, such as "first column"; empty without a tie."""
    why_leaf: str
    """Why the learner would not split here, as text; empty if it would."""
    offers: list[CandidateFacts]
    untried: list[Untried]


class MeasureRequest(NodeRequest, kw_only=True):
    """One split, measured at a node."""

    split: Split


class CutsRequest(NodeRequest, kw_only=True):
    """All thresholds of a numeric column at a node."""

    column: Name


class Cuts(Reply, kw_only=True):
    """The response to ``cuts``: by threshold in rising order; a histogram of the node's values."""

    column: str
    thresholds: list[float]
    texts: list[str]
    scores: list[Number]
    below: list[list[float]]
    """By threshold: the class weights of rows that are not above it; of numbers the weight."""
    total: list[float]
    allowed: list[bool]
    refused: list[str]
    """Why a threshold is not allowed; empty where it is."""
    best: int | None
    n_thresholds: int
    """How many there are; a report has the best of each stretch of many."""
    score_name: str
    bins: list[float]
    counts: list[list[float]]
    """By bin: class weights; of numbers the weight."""
    values: list[float]
    """The values of the rows, if there are at most 200."""
    labels: list[int]


class FormulaRequest(NodeRequest, kw_only=True):
    """How one number comes about."""

    measure: Name = "impurity"
    split: Split | None = None
    branch: int | None = None
    label: Label | None = None
    """The class of a class weight, as addresses have it."""
    digits: Digits = 4
    exact: bool = False


class Part(Reply, kw_only=True):
    """A part of a formula: its kind, its own text, its parts, and the formula behind it."""

    kind: str
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    address: dict[str, Any] | None = None
    """``{"measure", "split", "branch"}`` if the number has a formula of its own."""


class Formula(Reply, kw_only=True):
    """The response to ``formula``: equations, each a chain of expressions that are equal."""

    title: str
    equations: list[list[Part]]
    note: str
    """One sentence where rounded terms do not add up; otherwise empty."""
    latex: str
    text: str


class RowsRequest(NodeRequest, kw_only=True):
    """The rows of a node."""


class Rows(Reply, kw_only=True):
    """Row numbers, counted from 0, and what of each row reaches the node."""

    rows: list[int]
    weights: list[float]
    divided: bool
    """Whether some weight is a part of a row."""


class CellsRequest(Request, kw_only=True):
    """Some rows of the table as text; ``rows`` names them, otherwise they are a range."""

    table: TableReference
    rows: Annotated[list[Count], Meta(max_length=1_000)] = field(default_factory=list)
    start: Count = 0
    stop: Count = 100
    sort: Name | None = None
    descending: bool = False
    search: Annotated[str, Meta(max_length=1_000)] = ""
    document: Document | None = None
    """With a document, the rows of the node ``at`` come first."""
    at: Path = field(default_factory=list)
    member: Count = 0


class Visit(Reply, kw_only=True):
    """A node on the path of a row, and the part of the row that gets there."""

    at: list[int]
    share: float


class Cells(Reply, kw_only=True):
    """The response to ``cells``: the target is the last column."""

    columns: list[str]
    numeric: list[bool]
    rows: list[int]
    cells: list[list[str | None]]
    classes: list[int]
    """The class of each row; -1 for numbers."""
    n_found: int
    n_first: int = 0
    """How many of the rows found are at the node; they come first."""
    divided: bool = False
    """Whether only a part of some row reaches the node."""
    weights: list[float] = field(default_factory=list)
    """The part of each row that reaches the node; empty without a document."""
    visits: list[list[Visit]] = field(default_factory=list)
    """The nodes that each row passes, leaves too; empty without a document."""
