"""Answers of a model to a table, piece by piece: what `plaintree predict` does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from plaintree.data.encode import Encoded, encode
from plaintree.data.files import StringTable
from plaintree.data.strings import ReadOptions
from plaintree.data.table import table_from
from plaintree.data.target import label_array
from plaintree.data.typed_rows import DateOrders, schema_of, typed_rows
from plaintree.data.unseen import warn_of_unseen
from plaintree.data.words import shown_schema
from plaintree.errors import ArgumentTypeError, FileError, PlaintreeError, ReadingWarning, row_name
from plaintree.progress import Progress
from plaintree.rules.extract import rule_rows
from plaintree.rules.rule_list import RuleList
from plaintree.teaching.derive.words import path_text
from plaintree.tree.predict import answering_nodes, class_codes, class_shares
from plaintree.tree.tree import Tree


@dataclass(frozen=True)
class Wanted:
    """Which columns are added to the table's own, besides the class.

    ``typed``: whether texts that mean numbers or moments are to be written as such. ``options``:
    how texts are read.
    """

    proba: bool = False
    path: bool = False
    typed: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)


def answered(
    model: Any, pieces: Iterator[StringTable], wanted: Wanted, report: Progress
) -> Iterator[pl.DataFrame]:
    """The pieces with the model's answers; ``report`` is called with the rows done so far.

    New columns have the names prediction, proba_CLASS and path, with _ behind where the table has
    such a column already.
    """
    asked = _Asked(model, wanted)
    done, orders = 0, DateOrders(wanted.options.dates)
    for part in pieces:
        piece, comma = part.rows, part.decimal_comma
        rows = typed_rows(
            piece,
            asked.schema,
            done,
            used=model.used_columns(),
            options=wanted.options,
            orders=orders,
            decimal_comma=comma,
        )
        try:
            answers = asked.answers(rows)
        except PlaintreeError as error:
            if not done:
                raise
            got = f"{error.got} (counted behind {row_name(done - 1)})"
            raise type(error)(error.happened, got, error.hint) from None
        names = _new_names(list(answers), piece.columns)
        pairs = zip(names, answers.values(), strict=True)
        read = rows.get_columns() if wanted.typed else []
        yield piece.with_columns(*read, *(pl.Series(name, values) for name, values in pairs))
        done += piece.height
        report("predicting rows", done, None)
    for doubt in orders.findings.doubts:
        warnings.warn(ReadingWarning(doubt), stacklevel=2)
    if not done:
        raise FileError("the table has no rows", hint="put at least one row below the header.")


def _new_names(wanted: list[str], columns: list[str]) -> list[str]:
    taken, names = set(columns), []
    for name in wanted:
        new = name
        while new in taken:
            new += "_"
        taken.add(new)
        names.append(new)
    return names


class _Asked:
    """A model of any kind, to be asked about many pieces."""

    def __init__(self, model: Any, wanted: Wanted) -> None:
        self.model, self.wanted = model, wanted
        self.rules = getattr(model, "rules_", model if isinstance(model, RuleList) else None)
        self.tree = getattr(model, "tree_", model if isinstance(model, Tree) else None)
        self.schema = schema_of(model)
        self.paths: dict[int, str] = {}
        if wanted.path and self.rules is None and self.tree is None:
            raise ArgumentTypeError(
                "this model answers by many trees, so that there is no one path",
                got=f"an object of type {type(model).__name__}",
                hint="leave out path=True; plaintree explain tells about one row.",
            )

    def answers(self, X: pl.DataFrame) -> dict[str, Any]:
        """The new columns."""
        tree = self.model if isinstance(self.model, Tree) else None
        columns = _encoded(tree, X) if tree else []
        if tree:
            warn_of_unseen(table_from(X), self.schema, tree.used_columns)
            labels = label_array(self.schema.classes)[class_codes(tree, columns)]
        else:
            labels = np.asarray(self.model.predict(X))
        found: dict[str, Any] = {"prediction": labels.tolist()}
        if self.wanted.proba:
            shares = class_shares(tree, columns) if tree else self.model.predict_proba(X)
            for label, share in zip(self.schema.classes, np.asarray(shares).T, strict=True):
                found[f"proba_{label}"] = share
        if self.wanted.path:
            found["path"] = self._paths(X)
        return found

    def _paths(self, X: pl.DataFrame) -> list[str]:
        """The rule that fires, or the way to the leaf that answers, in words."""
        if self.rules is not None:
            words = {row["rule"]: row["if"] for row in rule_rows(self.rules)}
            fired = (self.rules.fired(X) + 1).tolist()
            return [f"rule {n}: {words[n]}" if n else "default" for n in fired]
        assert self.tree is not None, "was checked"
        columns = _encoded(self.tree, X)
        nodes = answering_nodes(self.tree, columns)
        shown = shown_schema(self.schema)
        for node in set(np.unique(nodes).tolist()) - self.paths.keys():
            self.paths[node] = path_text(self.tree, node, shown) or "(all rows)"
        return [self.paths[node] for node in nodes.tolist()]


def _encoded(tree: Tree, X: pl.DataFrame) -> Encoded:
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode(table_from(X), tree.schema, unseen=unseen, used=tree.used_columns)
