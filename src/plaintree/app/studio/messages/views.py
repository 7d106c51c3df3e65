"""The views beside the tree: regions, rules, pruning, quality, what if, compare, export."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from .documents import Count, Document, Label, Name, Number, Path, Reply, Request
from .nodes import CandidateFacts, TreeColumns, Visit


class RegionsRequest(Request, kw_only=True):
    """The plane of two columns, cut into the regions of the tree; other columns are fixed."""

    document: Document
    x: Name | None = None
    y: Name | None = None
    at: Path = field(default_factory=list)
    """The node whose path fixes the other columns."""
    member: Count = 0


class AxisFacts(Reply, kw_only=True):
    """An axis: a range of numbers, or categories in order."""

    column: str
    numeric: bool
    least: float
    most: float
    categories: list[str]
    ticks: list[float]
    tick_texts: list[str]


class Region(Reply, kw_only=True):
    """A rectangle, the leaf that predicts it, and its label."""

    x0: float
    x1: float
    y0: float
    y1: float
    leaf: list[int]
    label: int
    prediction: Number = None


class Point(Reply, kw_only=True):
    """A row on the plane; ``inside`` if it has the fixed values."""

    row: int
    x: float
    y: float
    label: int
    leaf: list[int] = field(default_factory=list)
    """The leaf that predicts the row."""


class Regions(Reply, kw_only=True):
    """The response to ``regions``."""

    x: AxisFacts
    y: AxisFacts
    fixed: list[str]
    """The fixed columns as text, such as ``outlook = sunny``."""
    regions: list[Region]
    points: list[Point]
    columns: list[str]
    """The columns that may be an axis."""


class RulesRequest(Request, kw_only=True):
    """The rules of a tree."""

    document: Document
    form: Literal["leaves", "simplified", "c45rules"] = "leaves"
    member: Count = 0


class RuleFacts(Reply, kw_only=True):
    """A rule: conditions, prediction, support and confidence, and its leaf if it has one."""

    conditions: list[str]
    label: int
    prediction: str
    n_rows: float
    support: Number
    confidence: Number
    low: Number
    high: Number
    leaf: list[int] | None


class Rules(Reply, kw_only=True):
    """The response to ``rules``; measured on the training rows."""

    rules: list[RuleFacts]
    default: str
    measured_on: str


class PruningRequest(Request, kw_only=True):
    """How the error changes while a tree is pruned."""

    document: Document
    method: Literal[
        "cost_complexity", "depth", "min_samples_split", "confidence", "reduced_error"
    ] = "cost_complexity"
    n_folds: Annotated[int, Meta(ge=0, le=100)] = 10
    """0 leaves the cross-validated error out."""
    test: Name | None = None
    """The key of a table with other rows: validation rows of reduced error, otherwise a test."""


class PruningPoint(Reply, kw_only=True):
    """A tree of the path: its value (such as alpha), size and errors by the rows measured on."""

    value: float
    n_leaves: int
    training: Number
    validated: Number
    """Cross-validated."""
    deviation: Number
    """The standard error of the cross-validated error."""
    tested: Number = None
    """On the rows of a test table."""


class PruningStep(Reply, kw_only=True):
    """A step of reduced-error pruning: the node and its errors as a leaf and as a subtree."""

    at: list[int]
    text: str
    as_leaf: float
    as_subtree: float
    cut: bool
    n_rows: float


class PruningCurve(Reply, kw_only=True):
    """The response to ``pruning``; positions of the least error and of the 1-SE rule."""

    method: str
    measure: str
    points: list[PruningPoint]
    best: int | None
    one_se: int | None
    falls_at: list[Number]
    """By node: the value from which on it is a leaf or gone."""
    steps: list[PruningStep]
    measured_on: str


class CompareRequest(Request, kw_only=True):
    """Two documents about one table."""

    document: Document
    other: Document


class ComparedSplit(Reply, kw_only=True):
    """A split of either tree at the first difference, measured by the conventions of each."""

    here: CandidateFacts
    there: CandidateFacts


class Comparison(Reply, kw_only=True):
    """The response to ``compare``."""

    same: bool
    text: str
    """Where the trees differ first, as text."""
    at: list[int] | None
    splits: list[ComparedSplit]
    """The splits of the two trees there; empty if one of them cannot be measured by the other."""
    here: TreeColumns
    there: TreeColumns
    n_differ: int
    """Rows of the table that the two predict differently."""
    rows: list[int]
    """The first 1,000 of them."""
    predicted_here: list[str] = field(default_factory=list)
    """What each of these rows is predicted to be."""
    predicted_there: list[str] = field(default_factory=list)


class ExplainRequest(Request, kw_only=True):
    """The prediction of one typed row."""

    document: Document
    row: Annotated[dict[Name, Label | None], Meta(max_length=10_000)]
    immutable: list[Name] = field(default_factory=list)
    wanted: Label | None = None
    member: Count = 0


class Probability(Reply, kw_only=True):
    """A class with its probability and Wilson interval."""

    label: str
    probability: float
    low: Number
    high: Number


class Change(Reply, kw_only=True):
    """A changed value of the counterfactual."""

    column: str
    before: str
    after: str


class Votes(Reply, kw_only=True):
    """How many trees of an ensemble vote for a class."""

    label: str
    votes: float


class Explained(Reply, kw_only=True):
    """The response to ``explain``."""

    prediction: str
    label: int
    probabilities: list[Probability]
    low: Number
    high: Number
    visits: list[Visit]
    conditions: list[str]
    changes: list[Change]
    changed_to: str
    votes: list[Votes]
    text: str


class QualityRequest(Request, kw_only=True):
    """How good the learner or the tree is, by the rows that are asked for."""

    document: Document
    rows: Literal["cross_validation", "training", "test", "oob"] = "cross_validation"
    n_folds: Annotated[int, Meta(ge=2, le=100)] = 10
    test: Name | None = None
    """The key of an uploaded test table."""
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    """For two classes: the probability from which on the second one is predicted."""


class Metric(Reply, kw_only=True):
    """A metric with its interval or deviation, and what the baseline reaches."""

    key: str
    title: str
    value: Number
    text: str
    baseline: Number = None


class ClassQuality(Reply, kw_only=True):
    """Precision and recall of a class."""

    label: str
    precision: Number
    recall: Number
    n_rows: float


class EnsembleRequest(Request, kw_only=True):
    """What is known of an ensemble as a whole."""

    document: Document


class Fact(Reply, kw_only=True):
    """A property with its value as text."""

    title: str
    text: str


class Importance(Reply, kw_only=True):
    """A column: what shuffling it loses on out-of-bag rows, its fraction of the impurity decrease.

    The loss is of accuracy, or the error that is gained as a fraction of the target's variance.
    """

    column: str
    permutation: Number
    impurity: Number


class Ensemble(Reply, kw_only=True):
    """The response to ``ensemble``."""

    facts: list[Fact]
    """How its trees are grown and combined, and how large they are."""
    importances: list[Importance]
    """The most important column first; empty if there are none."""
    typical: int | None
    """The tree that predicts most like the ensemble; None if none is looked for."""
    typical_text: str
    """How much it predicts alike, and on which rows."""


class Curve(Reply, kw_only=True):
    """A curve of points, such as ROC."""

    key: str
    title: str
    x_title: str
    y_title: str
    x: list[float]
    y: list[float]


class LeafQuality(Reply, kw_only=True):
    """A leaf: rows, errors, the interval of its accuracy."""

    at: list[int]
    text: str
    n_rows: float
    errors: float
    low: Number
    high: Number


class Quality(Reply, kw_only=True):
    """The response to ``quality``; ``measured_on`` says on which rows, as text."""

    measured_on: str
    of: str
    """What was measured: this tree, or the learner by cross-validation."""
    n_rows: int
    metrics: list[Metric]
    classes: list[str]
    confusion: list[list[float]]
    """By actual class, then by predicted class."""
    confusion_rows: list[list[list[int]]] = field(default_factory=list)
    """The first 1,000 rows of each cell; empty if the rows are not those of the table."""
    by_class: list[ClassQuality]
    curves: list[Curve]
    weak_leaves: list[LeafQuality]


class StepsRequest(Request, kw_only=True):
    """The tree node by node, for a stepper."""

    document: Document


class Stage(Reply, kw_only=True):
    """A step: the node, and the question that comes next."""

    at: list[int]
    split: str | None
    """The candidate that the step is about."""
    column: str | None
    score_name: str | None
    """The name of the score that is shown; the score itself may be undefined."""
    score: float | None
    text: str


class Steps(Reply, kw_only=True):
    """The response to ``steps``, in the order in which a teacher grows the tree."""

    steps: list[Stage]


class ExportRequest(Request, kw_only=True):
    """A model, picture or text to save."""

    document: Document
    what: Name
    verify: bool = False
    member: Count = 0


class Exported(Reply, kw_only=True):
    """The response to ``export``: text, or bytes in base64."""

    filename: str
    media_type: str
    text: str | None
    base64: str | None
    verification: str
    """What was verified, as a sentence; empty if nothing was."""
