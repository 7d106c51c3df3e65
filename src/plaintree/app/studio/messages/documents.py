"""What messages are made of: requests and responses, documents with their edits, failures."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Label = str | int | float | bool
"""A class, or a category."""
Name = Annotated[str, Meta(max_length=2_000)]
Path = Annotated[list[Annotated[int, Meta(ge=0, lt=2**31)]], Meta(max_length=100_000)]
Count = Annotated[int, Meta(ge=0, lt=2**53)]
Digits = Annotated[int, Meta(ge=0, le=15)]
Why = Annotated[str, Meta(max_length=10_000)]
Number = float | None
"""A number of a response; None where it is not defined or not finite."""


class Request(Struct, kw_only=True, forbid_unknown_fields=True):
    """The base of all that the page sends."""


class Reply(Struct, kw_only=True, omit_defaults=False):
    """The base of all that the server sends."""


# ---------------------------------------------------------------- splits, edits, documents


class Split(Request, kw_only=True):
    """A split as data: ``{column, cut}``, ``{column, is}``, ``{column, in}``, ``{column, groups}``
    or ``{column}`` for one branch per category."""

    column: Name
    cut: float | None = None
    equals: Label | None = field(name="is", default=None)
    subset: list[Label] | None = field(name="in", default=None)
    groups: list[list[Label]] | None = None


class SplitEdit(Request, kw_only=True, tag_field="edit", tag="split"):
    """Split a leaf, or replace the split of an inner node and what is below it."""

    at: Path
    split: Split
    missing: int | None = None
    """The branch of rows with missing values; None follows the conventions."""
    why: Why = ""


class CutEdit(Request, kw_only=True, tag_field="edit", tag="cut"):
    """Make a leaf of a node."""

    at: Path
    why: Why = ""


class LabelEdit(Request, kw_only=True, tag_field="edit", tag="label"):
    """Change what a leaf predicts."""

    at: Path
    label: Label
    why: Why = ""


class GrowEdit(Request, kw_only=True, tag_field="edit", tag="grow"):
    """Grow all open leaves at and below a node as the learner would."""

    at: Path
    max_depth: Annotated[int, Meta(ge=1, lt=2**31)] | None = None
    """At most so many levels below the node."""
    why: Why = ""


class PruneEdit(Request, kw_only=True, tag_field="edit", tag="prune"):
    """Prune the tree by a method of ``plaintree.prune``, with its options."""

    method: Name
    options: dict[str, Any] = field(default_factory=dict)
    why: Why = ""


Edit = SplitEdit | CutEdit | LabelEdit | GrowEdit | PruneEdit


class Recipe(Request, kw_only=True):
    """How the values of a table are read: the options that other commands have for this."""

    missing_values: Annotated[list[Name], Meta(max_length=1_000)] = field(default_factory=list)
    """Strings of a CSV file that mean a missing value."""
    types: dict[Name, Name] = field(default_factory=dict)
    """Types of columns, such as text or number."""
    dates: Literal["day-first", "month-first"] | None = None
    categorical_features: list[Name] = field(default_factory=list)
    """Columns whose numbers are categories."""


class TableReference(Request, kw_only=True):
    """Which table a document is about: the key of this server, and the hash of its contents as
    the recipe reads them."""

    key: Name
    hash: Name
    name: Name
    target: Name
    drop: list[Name] = field(default_factory=list)
    """Columns that are left out."""
    task: Literal["classification", "regression"] = "classification"
    recipe: Recipe = field(default_factory=Recipe)


class Settings(Request, kw_only=True):
    """The learner by its short name, its parameters, and where a document starts."""

    learner: Name = "id3"
    parameters: dict[str, Any] = field(default_factory=dict)
    start: Literal["open", "grown"] = "grown"
    """``open``: the root is a leaf without a split, to be grown by hand."""


class Document(Request, kw_only=True):
    """All that determines a tree. Undo, two tabs and a shared file are documents."""

    table: TableReference
    settings: Settings = field(default_factory=Settings)
    edits: Annotated[list[Edit], Meta(max_length=10_000)] = field(default_factory=list)
    format: Literal[1] = 1
    exercise: dict[str, Any] | None = None
    """Kept for exercises; nothing reads it yet."""


# ---------------------------------------------------------------- errors and progress


class Failure(Reply, kw_only=True):
    """Why there is no result: what happened, what was got, and a hint."""

    what: str
    got: str = ""
    hint: str = ""
    kind: Literal["usage", "table", "memory", "stopped", "lost", "bug"] = "usage"


class ProgressLine(Reply, kw_only=True):
    """How far a long work is. Each response is lines of JSON: any number of ``{"progress": ...}``,
    then one ``{"result": ...}`` or ``{"error": ...}``."""

    stage: str
    done: int
    total: int | None
