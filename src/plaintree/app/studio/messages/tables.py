"""What the studio offers, and the tables that are open."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from .documents import Label, Name, Number, Recipe, Reply, Request, Settings


class HelloRequest(Request, kw_only=True):
    """What the server offers. The first message of a page."""


class Choice(Reply, kw_only=True):
    """A parameter of a learner: what it takes and what it means."""

    name: str
    type: Literal["integer", "number", "boolean", "choice", "text"]
    default: Any
    help: str
    choices: list[str] = field(default_factory=list)
    optional: bool = False
    """Whether it may be empty (None)."""
    least: Number = None
    most: Number = None


class LearnerFacts(Reply, kw_only=True):
    """A learner that may be chosen; ``single`` if it grows one tree, which may be edited."""

    short: str
    title: str
    summary: str
    """One line about its conventions: criterion, thresholds."""
    task: Literal["classification", "regression"]
    single: bool
    parameters: list[Choice]
    pruning: list[str]
    """The methods by which its trees may be pruned."""


class Example(Reply, kw_only=True):
    """A bundled table, and what it teaches."""

    name: str
    teaches: str
    n_rows: int
    target: str


class Hello(Reply, kw_only=True):
    """The response to ``hello``: the version, the learners, the examples, the tables that the
    command line opened."""

    version: str
    learners: list[LearnerFacts]
    examples: list[Example]
    opened: list[TableFacts]
    exports: list[ExportKind]
    palette: Palette
    markers: list[str]
    """Shapes of classes, in their order: the names of matplotlib's markers."""
    begin: dict[str, Settings] = field(default_factory=dict)
    """The settings with which a document about an opened table begins, by the table's key."""


class Palette(Reply, kw_only=True):
    """Colours of classes, light and dark, and of the rest."""

    classes: list[str]
    classes_dark: list[str]
    rest: str


class ExportKind(Reply, kw_only=True):
    """A format in which a model may be saved: its key, group, title and file extension."""

    key: str
    group: str
    """The heading of the menu that it stands under."""
    title: str
    extension: str
    verified: bool
    """Whether the exported program can be compared with the model on rows."""


class OpenRequest(Request, kw_only=True):
    """Open a bundled table, or one that was uploaded, and choose its target."""

    example: Name | None = None
    key: Name | None = None
    """Of a table that was uploaded (``POST /api/upload?name=FILE``) or opened before."""
    target: Name | None = None
    """None takes the last column, or that of the example."""
    drop: list[Name] = field(default_factory=list)
    task: Literal["classification", "regression"] | None = None
    recipe: Recipe | None = None
    """None reads the table as the command line or the caller asked for."""


class ColumnFacts(Reply, kw_only=True):
    """A column: its kind, missing values, values or range."""

    name: str
    kind: Literal["number", "date", "category", "boolean", "ordered", "empty"]
    n_missing: int
    n_values: int
    values: list[str]
    """The most frequent ones, at most 12; for numbers and dates the least and the greatest."""
    mean: Number = None


class Finding(Reply, kw_only=True):
    """Something to know about a table: a warning with the columns that it is about."""

    text: str
    columns: list[str]
    parameter: str = ""
    """What settles it: ``drop``, ``task`` or a part of the recipe; empty if nothing does."""
    values: list[str] = field(default_factory=list)
    """Values of the parameter; types are written NAME=TYPE."""


class TableFacts(Reply, kw_only=True):
    """A table that is open."""

    key: str
    hash: str
    name: str
    n_rows: int
    target: str
    task: Literal["classification", "regression"]
    columns: list[ColumnFacts]
    """All of them, the target too."""
    drop: list[str]
    recipe: Recipe
    is_text: bool
    """Whether the file has strings, so some may mean a missing value."""
    classes: list[Label]
    class_counts: list[int]
    findings: list[Finding]
