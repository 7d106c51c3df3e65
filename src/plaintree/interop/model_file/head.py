"""The head of a model file: everything but the nodes of trees, as one JSON object, both ways.

Here are the limits that keep a small file from becoming large in memory, and the versions.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from plaintree import __version__
from plaintree.data.schema import Schema
from plaintree.data.training_record import TrainingRecord
from plaintree.errors import ModelFileError
from plaintree.estimators.registry import LEARNERS
from plaintree.tree.condition import STOPS
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import PackedForest
from plaintree.tree.tree import Tree

from .document import MODELS, Document, check_task, figures_of
from .earlier_names import FIGURES
from .node_lines import as_edits, written_edits
from .rules_part import as_rules, written_rules
from .schema_part import as_schema, written_schema
from .values import (
    as_conventions,
    as_flag,
    as_list,
    as_object,
    as_text,
    as_whole,
    refuse,
    written_parameter,
)

FORMAT = "plaintree model"
VERSION = 3
"""The latest version of the format, which changes when older readers would misread a file."""
MOST_TEXT = 64 * 2**20
"""Maximum bytes of JSON in a file."""
MOST_PARTS = 1_000_000
"""Maximum lists and objects in it: they take far more memory than in the file."""
MOST_VALUES = 4_000_000
"""Maximum commas in it, about the number of values: these also take more memory than bytes."""

_NEEDED = ("format", "version", "plaintree", "model", "schema", "conventions", "trees")
_OPTIONAL = ("parameters", "named_columns", "training", "figures", "rules", "blocks", "sha256")

_HASH = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, eq=False)
class Head:
    """A head as it was read: the model without trees, and the metadata of each tree."""

    document: Document
    plaintree: str
    conventions: tuple[Conventions, ...]
    data: dict[str, Any]

    def facts(
        self, fact: dict[str, Any], where: str
    ) -> tuple[Conventions | None, tuple[dict[str, Any], ...]]:
        """Return the conventions and the edits of a tree."""
        conventions = None
        if "conventions" in fact:
            last = len(self.conventions) - 1
            place = as_whole(fact["conventions"], f"{where}, conventions", 0, last)
            conventions = self.conventions[place]
        return conventions, as_edits(fact.get("edits", []), where)

    @cached_property
    def most_categories(self) -> int:
        """Maximum number of categories of a feature."""
        return max((len(a.categories) for a in self.document.schema.features), default=0)


# -------------------------------------------------------------------- out


def version_of(schema: Schema, trees: Sequence[Tree] = ()) -> int:
    """The version that a model is written in: the first that has what is in it.

    Version 1 has classes, 2 numeric targets, 3 surrogate splits and nodes where rows stop.
    """
    packed = isinstance(trees, PackedForest)  # has neither
    if not packed and any(tree.has_surrogates or _stops_rows(tree) for tree in trees):
        return VERSION
    return 1 if schema.classes else 2


def _stops_rows(tree: Tree) -> bool:
    return bool((tree.missing_child == STOPS).any())


def written_head(document: Document) -> dict[str, Any]:
    """The head as plain values, without anything about its trees."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": version_of(document.schema, document.trees),
        "plaintree": __version__,
        "model": document.model,
    }
    if document.model in LEARNERS:
        data["parameters"] = dict(document.parameters)
        data["named_columns"] = document.named_columns
    if document.training is not None:
        record = document.training
        data["training"] = {"rows": record.n_rows, "table_hash": record.table_hash}
        if record.missing_values:
            data["training"]["missing_values"] = list(record.missing_values)
    if document.figures:
        data["figures"] = dict(document.figures)
    data["schema"] = written_schema(document.schema)
    if document.rules is not None:
        data["rules"] = written_rules(document.rules)
        as_rules(data["rules"], document.schema)  # only what can be read again is written
    return data


@dataclass(eq=False)
class TreeFacts:
    """Return the metadata of each tree: its conventions, and its edits."""

    different: list[Conventions] = field(default_factory=list)
    of_trees: list[dict[str, Any]] = field(default_factory=list)

    def noting(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """The trees themselves, noted as they go by."""
        for tree in trees:
            fact: dict[str, Any] = {}
            if tree.conventions is not None:
                if tree.conventions not in self.different:
                    self.different.append(tree.conventions)
                fact["conventions"] = self.different.index(tree.conventions)
            if tree.edits:
                fact["edits"] = written_edits(tree.edits)
            self.of_trees.append(fact)
            yield tree

    def conventions(self) -> list[dict[str, Any]]:
        """The different conventions as plain values."""
        return [written_parameter(c, "conventions")["conventions"] for c in self.different]


# -------------------------------------------------------------------- in


def parsed(text: bytes) -> dict[str, Any]:
    """The JSON object of some bytes, within the limits; all its numbers are finite."""
    excess = beyond_limits(text)
    if excess is not None:
        raise ModelFileError("the file is too large to be a model", got=excess)
    try:
        data = json.loads(
            text.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique_keys,
        )
    except (ValueError, RecursionError) as error:  # decoding errors are ValueErrors, too
        raise ModelFileError(
            "the file is not a model file: it cannot be read as JSON",
            got=f"{type(error).__name__}: {str(error)[:100]}",
            hint="pass a file that plaintree.save has written.",
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelFileError(
            "the file is not a model file",
            hint="pass a file that plaintree.save has written.",
        )
    check_version(data.get("version"), data.get("plaintree"))
    return data


def beyond_limits(text: bytes) -> str | None:
    """Return why JSON is too large for a model file, or None."""
    if len(text) > MOST_TEXT:
        return f"{len(text):,} bytes of JSON, more than {MOST_TEXT:,}"
    n_parts = text.count(b"[") + text.count(b"{")
    if n_parts > MOST_PARTS:
        return f"{n_parts:,} lists and objects, more than {MOST_PARTS:,}"
    n_values = text.count(b",")
    if n_values > MOST_VALUES:
        return f"{n_values:,} values, more than {MOST_VALUES:,}"
    return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is too large for a float64")
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; other readers might take the other one of two entries of one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def check_version(version: Any, writer: Any) -> None:
    """Refuse files of a later version of the format."""
    number = as_whole(version, "the version", 1)
    if number > VERSION:
        by = f" by plaintree {writer[:40]}" if isinstance(writer, str) else ""
        raise ModelFileError(
            f"the file was written{by} in a later version of the format",
            got=f"version {number}, where this plaintree reads up to {VERSION}",
            hint="update plaintree.",
        )


def head_from(data: dict[str, Any]) -> Head:
    """A head whose parts have all been checked."""
    as_object(data, "the file", _NEEDED, _OPTIONAL)
    model = as_text(data["model"], "the model", MODELS)
    schema = as_schema(data["schema"])
    if data["version"] < version_of(schema):
        refuse("the schema", "one with classes, as all of version 1 are", None)
    check_task(model, schema)
    holds_rules = model == "RuleList" or (model in LEARNERS and LEARNERS[model].holds == "rules")
    if holds_rules != ("rules" in data):
        refuse("the file", "complete (rules are missing, or needless)", None)
    figures = data.get("figures", {})
    if isinstance(figures, dict):
        figures = {FIGURES.get(name, name): value for name, value in figures.items()}
    figures = as_object(figures, "figures", allowed=_figures_of(model))
    document = Document(
        model=model,
        schema=schema,
        rules=as_rules(data["rules"], schema) if holds_rules else None,
        parameters=as_object(p := data.get("parameters", {}), "the parameters", allowed=p),
        named_columns=as_flag(data.get("named_columns", False), "named_columns"),
        training=_training(data.get("training")),
        figures=figures,
    )
    given = as_list(data["conventions"], "conventions")
    conventions = tuple(as_conventions(c, f"conventions {i}") for i, c in enumerate(given))
    writer = as_text(data["plaintree"], "the version of plaintree")
    return Head(document, writer, conventions, data)


def _figures_of(model: str) -> tuple[str, ...]:
    return tuple(figures_of(model))


def _training(value: Any) -> TrainingRecord | None:
    if value is None:
        return None
    data = as_object(value, "training", ("rows", "table_hash"), ("missing_values",))
    rows = as_whole(data["rows"], "training, rows")
    table_hash = as_text(data["table_hash"], "training, table_hash")
    if not _HASH.fullmatch(table_hash):
        refuse("training, table_hash", "a hash of 16 hexadecimal digits", table_hash)
    where = "training, missing_values"
    given = as_list(data.get("missing_values", []), where)
    return TrainingRecord(rows, table_hash, tuple(as_text(text, where) for text in given))


def check_tree_count(model: str, n_trees: int) -> None:
    """Refuse a number of trees that the model cannot have."""
    single = model == "Tree" or (model in LEARNERS and LEARNERS[model].holds in ("tree", "rules"))
    wanted = "none" if model == "RuleList" else "one" if single else "at least one"
    fits = {"none": n_trees == 0, "one": n_trees == 1, "at least one": n_trees >= 1}
    if not fits[wanted]:
        refuse("the number of trees", f"{wanted}, as a {model} has", n_trees)


def checked(tree: Tree, most_categories: int) -> Tree:
    """Return the tree; raise an error if some of its levels are not categories."""
    if tree.levels.size and not -1 <= tree.levels.min() <= tree.levels.max() < most_categories:
        refuse("a category of a tree", "one that its schema has", None)
    return tree
