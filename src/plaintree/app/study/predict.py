"""The facts of `plaintree predict`: predictions for a table, piece by piece."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from plaintree.data.encode import Encoded, encode
from plaintree.data.files import StringTable
from plaintree.data.parts import located
from plaintree.data.strings import ReadOptions, count_from_training
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
from plaintree.tree.predict import class_codes, class_shares, predicted_numbers, predicting_nodes
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree


@dataclass(frozen=True)
class Wanted:
    """The columns to add to those of the table, besides the prediction.

    ``typed``: write strings that stand for numbers or timestamps as such. ``options``: how
    strings are read.
    """

    proba: bool = False
    path: bool = False
    typed: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)


def predicted(
    model: Any, pieces: Iterator[StringTable], wanted: Wanted, report: Progress
) -> Iterator[pl.DataFrame]:
    """The pieces with predictions; ``report`` is called with the number of rows done so far.

    New columns are called prediction, proba_CLASS and path, with _ appended where the table has
    such a column already.
    """
    predictor = _Predictor(model, wanted)
    done, n_missing, orders = 0, 0, DateOrders(wanted.options.dates)
    for part in pieces:
        piece, comma = part.rows, part.decimal_comma
        n_missing += count_from_training(piece, wanted.options)
        first = done if part.where is None else part.first_row
        with nullcontext() if part.where is None else located(part.where):
            rows = typed_rows(
                piece,
                predictor.schema,
                first,
                used=model.used_columns(),
                options=wanted.options,
                orders=orders,
                decimal_comma=comma,
            )
            try:
                added = predictor.columns(rows)
            except PlaintreeError as error:
                if not first:
                    raise
                raise type(error)(error.happened, _shifted(error.got, first), error.hint) from None
        names = _new_names(list(added), piece.columns)
        pairs = zip(names, added.values(), strict=True)
        read = rows.get_columns() if wanted.typed else []
        yield piece.with_columns(*read, *(pl.Series(name, values) for name, values in pairs))
        done += piece.height
        report("predicting rows", done, None)
    findings = orders.findings
    findings.add_missing(wanted.options, n_missing)
    for doubt in findings.doubts:
        warnings.warn(ReadingWarning(doubt), stacklevel=2)
    if not done:
        raise FileError("the table has no rows", hint="add at least one row below the header.")


def _shifted(got: str | None, done: int) -> str:
    """What an error got, with its row counted from the first row of the table, not of the piece."""
    before, row, after = (got or "").rpartition(" row ")
    number = re.match(r"\d+", after)
    if not (row and number):
        return f"{got}, after {row_name(done - 1)}"
    return f"{before} {row_name(int(number[0]) - 1 + done)}{after[number.end() :]}"


def _new_names(wanted: list[str], columns: list[str]) -> list[str]:
    taken, names = set(columns), []
    for name in wanted:
        new = name
        while new in taken:
            new += "_"
        taken.add(new)
        names.append(new)
    return names


class _Predictor:
    """A model of any kind, and the decision paths that it has formatted so far."""

    def __init__(self, model: Any, wanted: Wanted) -> None:
        self.model, self.wanted = model, wanted
        self.rules = getattr(model, "rules_", model if isinstance(model, RuleList) else None)
        self.tree = getattr(model, "tree_", model if isinstance(model, Tree) else None)
        self.schema = schema_of(model)
        self.paths: dict[int, str] = {}
        if wanted.proba:
            needs_classes(self.schema, "proba")
        if wanted.path and self.rules is None and self.tree is None:
            raise ArgumentTypeError(
                "an ensemble has no single decision path",
                got=f"a {type(model).__name__}",
                hint="leave out path=True; plaintree explain shows the votes for one row.",
            )

    def columns(self, X: pl.DataFrame) -> dict[str, Any]:
        """The new columns."""
        labels, probabilities = predictions(self.model, X, proba=self.wanted.proba)
        found: dict[str, Any] = {"prediction": labels}
        if probabilities is not None:
            for label, column in zip(self.schema.classes, probabilities.T, strict=True):
                found[f"proba_{label}"] = column
        if self.wanted.path:
            found["path"] = self._paths(X)
        return found

    def _paths(self, X: pl.DataFrame) -> list[str]:
        """The rule that fires, or the decision path, as text."""
        if self.rules is not None:
            words = {row["rule"]: row["if"] for row in rule_rows(self.rules)}
            fired = (self.rules.fired(X) + 1).tolist()
            return [f"rule {n}: {words[n]}" if n else "default" for n in fired]
        assert self.tree is not None, "was checked"
        columns = _encoded(self.tree, X)
        nodes = predicting_nodes(self.tree, columns)
        shown = shown_schema(self.schema)
        for node in set(np.unique(nodes).tolist()) - self.paths.keys():
            self.paths[node] = path_text(self.tree, node, shown) or "(all rows)"
        return [self.paths[node] for node in nodes.tolist()]


def predictions(model: Any, X: Any, *, proba: bool) -> tuple[list[Any], Any]:
    """The predictions of a model of any kind, and the class probabilities or None."""
    if not isinstance(model, Tree):
        labels = np.asarray(model.predict(X)).tolist()
        return labels, np.asarray(model.predict_proba(X)) if proba else None
    warn_of_unseen(table_from(X), model.schema, model.used_columns)
    columns = _encoded(model, X)
    if not model.schema.classes:
        return predicted_numbers(model, columns).tolist(), None
    labels = label_array(model.schema.classes)[class_codes(model, columns)].tolist()
    return labels, class_shares(model, columns) if proba else None


def _encoded(tree: Tree, X: pl.DataFrame) -> Encoded:
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode(table_from(X), tree.schema, unseen=unseen, used=tree.used_columns)
