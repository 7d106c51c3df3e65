"""Categories of new rows not seen in training, and the warning about them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plaintree.errors import UnseenCategoryWarning, nearest

from .encode import UsedColumns, categories_of, known_positions, matched_columns
from .schema import UNSEEN, Label, Schema
from .table import Table
from .target import class_order

SHOWN = 3
"""Categories that are listed for a column; the others are counted."""


@dataclass(frozen=True)
class UnseenCategories:
    """The categories of one column not seen in training, and the number of their rows.

    ``n_known`` is the number of rows whose category is known; ``known`` are those of training.
    """

    column: str
    values: tuple[Label, ...]
    n_rows: int
    n_known: int
    known: tuple[Label, ...] = ()

    def __str__(self) -> str:
        more = f" and {len(self.values) - SHOWN} more" if len(self.values) > SHOWN else ""
        listed = ", ".join(map(self._with_nearest, self.values[:SHOWN])) + more
        if not self.n_known:
            return f"column {self.column!r}: no value was seen in training: {listed}"
        rows = f"{self.n_rows:,} row{'s' * (self.n_rows > 1)}"
        return f"column {self.column!r}: {listed} in {rows}"

    def _with_nearest(self, value: Label) -> str:
        """The value, and the category of training that it may be a misspelling of."""
        near = nearest(value, self.known) if isinstance(value, str) else None
        return f"{value!r} ({near})" if near else repr(value)


def unseen_categories(
    table: Table, schema: Schema, used: UsedColumns | None = None
) -> list[UnseenCategories]:
    """Return the columns with unseen categories; those without any known value come first.

    >>> from plaintree.data.encode import learn_schema
    >>> from plaintree.data.table import table_from
    >>> schema, _ = learn_schema(table_from({"sky": ["dull", "sunny"]}))
    >>> print(*unseen_categories(table_from({"sky": ["dull", "red", "red"]}), schema))
    column 'sky': 'red' in 2 rows
    """
    found = [unseen for unseen in _by_column(table, schema, used) if unseen.n_rows]
    return sorted(found, key=lambda u: u.n_known > 0)


def _by_column(
    table: Table, schema: Schema, used: UsedColumns | None
) -> Iterator[UnseenCategories]:
    """The unseen categories of each categorical column, of columns without any as well."""
    for column, attribute in zip(
        matched_columns(table, schema, used), schema.features, strict=True
    ):
        if attribute.kind == "numeric" or attribute.cuts:
            continue
        codes, labels = categories_of(column)
        known = attribute.categories
        if column.labels == known:
            yield UnseenCategories(attribute.name, (), 0, int((codes >= 0).sum()), known)
            continue
        unseen = known_positions(labels, column.unit, attribute)[:-1] == UNSEEN
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        rows = counts * unseen
        values = tuple(labels[i] for i in np.flatnonzero(rows).tolist())
        n_rows = int(rows.sum())
        yield UnseenCategories(attribute.name, values, n_rows, int(counts.sum()) - n_rows, known)


def warn_of_unseen(table: Table, schema: Schema, used: UsedColumns, stacklevel: int = 2) -> None:
    """Issue one warning about unseen categories in the columns that a model uses."""
    _warn(unseen_categories(table, schema, used), schema, used, stacklevel + 1)


class UnseenInBatches:
    """The unseen categories of a table that is read in batches, for one warning about all rows."""

    def __init__(self) -> None:
        self._found: dict[str, UnseenCategories] = {}

    def add(self, table: Table, schema: Schema, used: UsedColumns) -> None:
        """Take note of the categories of a batch."""
        for new in _by_column(table, schema, used):
            old = self._found.get(new.column, new)
            self._found[new.column] = new if old is new else _together(old, new)

    def warn(self, schema: Schema, used: UsedColumns, stacklevel: int = 2) -> None:
        """Issue the warning."""
        found = [unseen for unseen in self._found.values() if unseen.n_rows]
        _warn(sorted(found, key=lambda u: u.n_known > 0), schema, used, stacklevel + 1)


def _together(a: UnseenCategories, b: UnseenCategories) -> UnseenCategories:
    values = class_order({*a.values, *b.values})
    return UnseenCategories(a.column, values, a.n_rows + b.n_rows, a.n_known + b.n_known, a.known)


def _warn(
    found: Sequence[UnseenCategories], schema: Schema, used: UsedColumns, stacklevel: int
) -> None:
    if not found:
        return
    wanted = {schema.features[i].name for i in used()}
    shown = [str(unseen) for unseen in found if unseen.column in wanted]
    if shown:
        text = f"categories not seen in training: {'; '.join(shown)}"
        warnings.warn(text, UnseenCategoryWarning, stacklevel=stacklevel + 1)
