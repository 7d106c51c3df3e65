"""Surveys: what all rows of a table in parts decide together, found part by part.

A survey of a part is small, and surveys are merged in any grouping. The merged survey gives the
schema that the whole table would have given in memory, and a sample of each numeric column.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ColumnError, ManyClassesWarning, TableError
from plaintree.stats.exact_totals import exact_totals

from .categorical_features import chosen_columns
from .column import Column
from .encode import encode, learn_schema
from .parts import Part, Reading, located
from .schema import Kind, Label, Schema, Unit
from .table import Table
from .target import (
    FEW_CLASSES,
    ROWS_PER_CLASS,
    Target,
    class_order,
    many_classes,
    numbers_from,
    target_from,
)

SAMPLE_ROWS = 100_000
"""Rows of the sample of all parts together, at least, if there are as many."""


@dataclass(frozen=True, eq=False)
class ColumnSurvey:
    """What some rows say about a column.

    ``where``: a part that shows its kind. ``is_empty``: no row has a value, so the kind may be
    another one. ``distinct``: the values of numbers that are read as categories;
    None where the column's own type decides.
    """

    name: str
    where: str
    kind: Kind
    unit: Unit
    labels: tuple[Label, ...]
    declared: bool
    zoned: bool
    mixed: tuple[str, ...]
    is_empty: bool
    first_missing: str | None
    dtype: np.dtype[Any]
    distinct: NDArray[Any] | None
    sample: NDArray[Any]

    @cached_property
    def label_bytes(self) -> int:
        """What the categories take that are found in rows."""
        is_found = self.kind == "categorical" and not self.declared
        return sum(len(str(label)) + 64 for label in self.labels) if is_found else 0


@dataclass(frozen=True, eq=False)
class Survey:
    """What some parts of a table have shown.

    - ``rows``: the number of rows of each part, by the number of the part.
    - ``totals``: by class found, the weight of its rows; of a numeric target, by None.
    - ``weights``: the least weight above zero and the largest one; None if rows have no weights.
    - ``n_without_weight``: the number of rows whose weight is zero.
    """

    rows: dict[int, int]
    columns: tuple[ColumnSurvey, ...] = ()
    totals: Mapping[Label | None, Fraction] = field(default_factory=dict)
    target_unit: Unit = "number"
    weights: tuple[float, float] | None = None
    n_without_weight: int = 0

    @classmethod
    def of(
        cls, part: Part | None, reading: Reading, number: int, sample_rows: int = SAMPLE_ROWS
    ) -> Survey:
        """The survey of the part with this number; None is a part without rows."""
        if part is None:
            return cls({number: 0})
        with located(part.where, part.rows):
            chosen = chosen_columns(part.table, reading.categorical_features)
            rows = _spread(len(part), sample_rows)
            columns = tuple(
                _column_survey(column, part.where, i in chosen, rows)
                for i, column in enumerate(part.table.columns)
            )
            groups: tuple[Label | None, ...] = (None,)
            codes = np.zeros(len(part), dtype=np.int32)
            if reading.numeric_target:
                numbers_from(part.target, len(part), reading.target)
            else:
                target = _classes_of(part, reading)
                groups, codes = target.classes, target.codes
        totals = exact_totals(codes, part.weights, len(groups))
        weights, n_without = None, 0
        if part.weights is not None:
            n_without = int(np.count_nonzero(part.weights == 0))
            least = part.weights[part.weights > 0].min(initial=np.inf)
            weights = (float(least), float(part.weights.max()))
        return cls(
            {number: len(part)},
            columns,
            dict(zip(groups, totals, strict=True)),
            part.target.unit,
            weights,
            n_without,
        )

    @classmethod
    def of_types(cls, columns: Iterable[tuple[Column, bool]], where: str, number: int) -> Survey:
        """The survey of columns without rows; with each: whether its type is open."""
        rows = np.empty(0, dtype=np.intp)
        found = (
            replace(_column_survey(column, where, False, rows), is_empty=is_open)
            for column, is_open in columns
        )
        return cls({number: 0}, tuple(found))

    @staticmethod
    def merged(surveys: Iterable[Survey], sample_rows: int = 2 * SAMPLE_ROWS) -> Survey:
        """The survey of all parts together."""
        given = sorted(surveys, key=lambda survey: min(survey.rows))
        found = [survey for survey in given if survey.columns]
        rows = {number: n for survey in given for number, n in survey.rows.items()}
        if not found:
            return Survey(rows)
        by_name = [{c.name: c for c in survey.columns} for survey in found]
        columns = []
        for first in found[0].columns:
            same = [columns[first.name] for columns in by_name if first.name in columns]
            if len(same) < len(found):
                raise _absent(first, found, by_name)
            columns.append(_merged_column(same, sample_rows))
        extra = [name for columns in by_name for name in columns if name not in by_name[0]]
        if extra:
            raise _extra(extra[0], found, by_name)
        weights = [survey.weights for survey in found if survey.weights is not None]
        units = {survey.target_unit for survey in found}
        totals: dict[Label | None, Fraction] = {}
        for survey in found:
            for label, total in survey.totals.items():
                totals[label] = totals.get(label, Fraction(0)) + total
        return Survey(
            rows,
            tuple(columns),
            totals,
            units.pop() if len(units) == 1 else "number",
            (min(w[0] for w in weights), max(w[1] for w in weights)) if weights else None,
            sum(survey.n_without_weight for survey in found),
        )

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes of the target, in order; none for a numeric one."""
        labels = [label for label in self.totals if label is not None]
        if self.target_unit == "number":  # where some parts have integers, and others floats
            labels = [
                float(x) if isinstance(x, int) and not isinstance(x, bool) else x for x in labels
            ]
        return class_order(labels)

    @property
    def label_bytes(self) -> int:
        """What the categories of all columns take."""
        return sum(column.label_bytes for column in self.columns)

    @property
    def total_weight(self) -> Fraction:
        """The weight of all rows."""
        return sum(self.totals.values(), Fraction(0))

    @property
    def n_rows(self) -> int:
        """The number of rows of all parts."""
        return sum(self.rows.values())

    @property
    def first_rows(self) -> dict[int, int]:
        """The number of the first row of each part, by the number of the part."""
        result, n = {}, 0
        for number in sorted(self.rows):
            result[number] = n
            n += self.rows[number]
        return result

    def schema(self, reading: Reading) -> Schema:
        """The schema of the whole table."""
        if not self.columns:
            raise TableError(
                "the table has no rows",
                got="0 rows",
                hint="check the paths, and the filter if there is one.",
            )
        if self.weights is not None and self.weights[1] == 0:
            raise TableError(
                f"every weight in {reading.weights!r} is zero",
                hint="give at least one row a weight above zero.",
            )
        if not reading.numeric_target:
            self._warn_of_classes(reading.target)
        columns = tuple(_column_of(column) for column in self.columns)
        chosen = [i for i, column in enumerate(self.columns) if column.distinct is not None]
        schema, _ = learn_schema(
            Table(columns, 1),
            categorical_features=chosen,
            target=reading.target,
            classes=self.classes,
        )
        return schema

    def _warn_of_classes(self, target: str) -> None:
        n = len(self.classes)
        numeric = not any(isinstance(label, (str, bool)) for label in self.classes)
        if numeric and n > FEW_CLASSES and self.n_rows < ROWS_PER_CLASS * n:
            warnings.warn(many_classes(target, n), ManyClassesWarning, stacklevel=3)

    def refuse_missing(self) -> None:
        """Raise an error that names the first column with missing values, if there is one."""
        for column in self.columns:
            if column.first_missing is not None:
                raise TableError(
                    f"column {column.name!r} has missing values (in {column.first_missing})",
                    hint='fill them in, or choose another policy than missing="error".',
                )


def encoded_part(
    part: Part, schema: Schema, dtypes: Sequence[np.dtype[Any] | None], reading: Reading
) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """The columns and the target of a part, as the whole table encodes its rows.

    ``dtypes``: those of numeric columns in the whole table; None: categorical.
    """
    with located(part.where, part.rows):
        columns = [
            values if dtype is None else values.astype(dtype, copy=False)
            for values, dtype in zip(
                encode(part.table, schema, unseen="error"), dtypes, strict=True
            )
        ]
        if reading.numeric_target:
            return columns, numbers_from(part.target, len(part), reading.target).numbers
        target = _classes_of(part, reading)
        position = {label: code for code, label in enumerate(schema.classes)}
        codes = np.array([position.get(label, -1) for label in target.classes], dtype=np.int32)
        if (codes < 0).any():
            raise TableError(
                f"the target {reading.target!r} has a class that it did not have before",
                got=repr(target.classes[int(np.argmin(codes))]),
                hint="the table changed while it was read: fit again.",
            )
        return columns, codes[target.codes]


def _classes_of(part: Part, reading: Reading) -> Target:
    """The target of a part; only the whole table may have too many classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManyClassesWarning)
        return target_from(part.target, len(part), reading.target)


# -------------------------------------------------------------------- columns


def _spread(n_rows: int, n: int) -> NDArray[np.intp]:
    """So many row numbers, evenly spread."""
    return np.linspace(0, n_rows - 1, min(n_rows, n)).astype(np.intp)


def _column_survey(
    column: Column, where: str, is_chosen: bool, rows: NDArray[np.intp]
) -> ColumnSurvey:
    missing = column.missing
    distinct = None
    if is_chosen:
        numbers = column.exact[~missing] if column.kind == "numeric" else np.empty(0)
        distinct = np.unique(numbers)
    numeric = column.kind != "categorical"
    return ColumnSurvey(
        name=column.name,
        where=where,
        kind=column.kind,
        unit=column.unit,
        labels=column.labels,
        declared=column.declared,
        zoned=column.zoned,
        mixed=column.mixed,
        is_empty=bool(missing.all()),
        first_missing=where if missing.any() else None,
        dtype=column.values.dtype if numeric else np.dtype(np.int32),
        distinct=distinct,
        sample=column.values[rows] if numeric else np.empty(0),
    )


def _merged_column(same: Sequence[ColumnSurvey], sample_rows: int) -> ColumnSurvey:
    known = [column for column in same if not column.is_empty] or list(same)
    first = known[0]
    for other in known[1:]:
        if not _agree(first, other):
            raise _of_other_type(first, other)
    units = {column.unit for column in known}
    labels = first.labels
    if first.kind == "categorical" and not first.declared:
        labels = tuple(sorted({str(label) for column in known for label in column.labels}))
    distinct = [column.distinct for column in known if column.distinct is not None]
    singles = all(column.dtype == np.float32 for column in known)
    sample = np.concatenate([column.sample for column in known])
    missing = [c.first_missing for c in same if c.first_missing is not None]
    return replace(
        first,
        unit=first.unit if len(units) == 1 else "number",
        labels=labels,
        first_missing=missing[0] if missing else None,
        dtype=first.dtype if singles or first.kind == "categorical" else np.dtype(np.float64),
        distinct=np.unique(np.concatenate(distinct)) if distinct else None,
        sample=sample[_spread(len(sample), sample_rows)] if len(sample) else sample,
    )


def _agree(a: ColumnSurvey, b: ColumnSurvey) -> bool:
    numbers = ("number", "integer")
    units = a.unit == b.unit or (a.unit in numbers and b.unit in numbers)
    declared = not (a.declared and a.kind != "numeric") or a.labels == b.labels
    return (
        a.kind == b.kind
        and units
        and a.declared == b.declared
        and declared
        and (a.zoned == b.zoned)
    )


def _column_of(survey: ColumnSurvey) -> Column:
    """A column of one row, of which the schema is learnt."""
    if survey.distinct is not None and survey.kind == "numeric":
        return Column(
            survey.name,
            survey.kind,
            survey.distinct.astype(np.float64),
            survey.unit,
            integers=survey.distinct,
            zoned=survey.zoned,
        )
    values = np.zeros(1, dtype=survey.dtype)
    return Column(
        survey.name,
        survey.kind,
        values,
        survey.unit,
        survey.labels,
        declared=survey.declared,
        zoned=survey.zoned,
    )


def _type_of(column: ColumnSurvey) -> str:
    if column.kind == "numeric":
        return f"{column.unit} values"
    if not column.declared:
        return "text"
    shown = ", ".join(map(repr, column.labels[:5])) + ", ..." * (len(column.labels) > 5)
    return f"{column.unit} values with the declared categories {shown}"


def _of_other_type(a: ColumnSurvey, b: ColumnSurvey) -> ColumnError:
    return ColumnError(
        f"column {a.name!r} is not of one type",
        got=f"{_type_of(a)} in {a.where}, and {_type_of(b)} in {b.where}",
        hint="convert it to the same type in all parts.",
    )


def _absent(
    column: ColumnSurvey, found: Sequence[Survey], by_name: Sequence[dict[str, ColumnSurvey]]
) -> ColumnError:
    lacking = next(i for i, columns in enumerate(by_name) if column.name not in columns)
    return ColumnError(
        f"column {column.name!r} is not in all parts of the table",
        got=f"{column.name!r} in {column.where}, but not in {found[lacking].columns[0].where}",
        hint="add it where it is absent, or leave it out by naming the columns to use.",
    )


def _extra(
    name: str, found: Sequence[Survey], by_name: Sequence[dict[str, ColumnSurvey]]
) -> ColumnError:
    having = next(i for i, columns in enumerate(by_name) if name in columns)
    return _absent(by_name[having][name], found, by_name)
