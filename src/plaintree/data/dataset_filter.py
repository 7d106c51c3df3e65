"""Conditions for the rows of a dataset: checked before rows are read, and applied batch by batch.

Rows are filtered in batches, so a condition must decide each row by its own values. What polars
serialises of an expression shows aggregates and the like before anything is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

import polars as pl

from plaintree.errors import ParameterError

_EXPRESSIONS = "Agg Explode Filter Gather Len Over Rolling Slice Sort SortBy Window"
_FUNCTIONS = """
    All Any ApproxNUnique ArgMax ArgMin ArgSort ArgUnique ArgWhere BackwardFill BinQuantiles
    BinRanks BottomK BottomKBy ConcatVertical Correlation CumCount CumMax CumMean CumMin CumProd
    CumSum DateRange DatetimeRange Diff DropNans DropNulls Entropy EwmMean EwmMeanBy EwmStd EwmVar
    ExtendConstant FillNullWithStrategy ForwardFill GatherEvery Hist IntRange Interpolate
    InterpolateBy IsDuplicated IsFirstDistinct IsLastDistinct IsUnique Kurtosis LinearSpace Mode
    NullCount PctChange PeakMax PeakMin Product QCut Quantile Random Rank Repeat Reverse RLE RLEID
    RollingExpr RollingExprBy SearchSorted Shift ShiftAndFill Skew TimeRange TopK TopKBy Unique
    UniqueCounts ValueCounts
"""
OF_SEVERAL_ROWS = frozenset((_EXPRESSIONS + _FUNCTIONS).split())
"""Names in serialised expressions: of what depends on other rows, or on the order of rows."""
_CALLBACKS = """
    AnonymousAgg AnonymousFunction CumFoldHorizontal CumReduceHorizontal FfiPlugin FoldHorizontal
    ReduceHorizontal
"""
OF_PYTHON = frozenset(_CALLBACKS.split())
"""Names of what calls functions that polars does not know."""
OF_COLUMNS = frozenset(("Column", "Len", "Nth", "Selector", "Wildcard"))
_NO_NODES = frozenset(("Column", "FieldByName", "Literal", "Nth", "dtype", "options"))
"""Names whose values are values, not expressions."""


@dataclass(frozen=True, eq=False)
class RowFilter:
    """A condition: an expression of polars, and how it was given."""

    expression: pl.Expr
    given: str

    @classmethod
    def of(cls, given: Any) -> RowFilter | None:
        """The condition that is given as an expression or as SQL; None for None.

        >>> RowFilter.of("x > 0").root_names
        ['x']
        """
        if given is None:
            return None
        if isinstance(given, pl.Expr):
            found = cls(given, str(given))
        elif isinstance(given, str):
            try:
                expression = pl.sql_expr(given)
            except pl.exceptions.PolarsError as error:
                raise _unusable(repr(given), error) from error
            assert isinstance(expression, pl.Expr)
            found = cls(expression, repr(given))
        else:
            raise ParameterError(
                "filter is not a condition",
                got=f"an object of type {type(given).__name__}",
                hint='pass an expression of polars or SQL, such as "x > 0".',
            )
        if any(name in OF_SEVERAL_ROWS for name in found._several()):
            raise found._of_several_rows()
        return found

    @cached_property
    def _tree(self) -> Any:
        """The expression as polars serialises it; None where it cannot."""
        try:
            return json.loads(self.expression.meta.serialize(format="json"))
        except (pl.exceptions.PolarsError, ValueError, RecursionError):
            return None

    def _several(self) -> Iterator[str]:
        try:
            yield from _names(self._tree, of_columns=True)
        except RecursionError:  # deeper than Python follows; each batch is checked as well
            return

    # ---------------------------------------------------------------- what it depends on

    @property
    def root_names(self) -> list[str]:
        """The columns that it names."""
        return self.expression.meta.root_names()

    def columns(self, types: Iterable[str]) -> list[str]:
        """The columns that it needs of a table; all, if it chooses them by a pattern or a type."""
        chooses = _mentions(self._tree, OF_COLUMNS - {"Column", "Len"})
        return list(types) if chooses or self._tree is None else self.root_names

    @property
    def key(self) -> str:
        """A name for the condition: equal names mean equal conditions.

        A function of Python has another name each time, because nothing shows what it does.
        """
        if self._tree is None or _mentions(self._tree, OF_PYTHON):
            return uuid4().hex
        return hashlib.sha256(self.expression.meta.serialize()).hexdigest()

    # ---------------------------------------------------------------- applied

    def check(self, types: Mapping[str, Any]) -> None:
        """Raise an error if it is not a condition for columns of these types."""
        if _mentions(self._tree, OF_PYTHON):
            return  # functions of Python may need rows
        self._evaluated(pl.DataFrame(schema=dict(types)))

    def kept(self, frame: pl.DataFrame) -> pl.Series:
        """Whether each row of a batch is used.

        Other rows around them must not change it: both halves are filtered by themselves as well.
        """
        whole = self._evaluated(frame)
        half = frame.height // 2
        if half > 0:
            halves = [self._evaluated(part) for part in (frame[:half], frame[half:])]
            if not pl.concat(halves).equals(whole):
                raise self._of_several_rows()
        return whole

    def _evaluated(self, frame: pl.DataFrame) -> pl.Series:
        try:
            found = frame.select(self.expression.alias("filter")).to_series()
        except pl.exceptions.PolarsError as error:
            raise _unusable(self.given, error) from error
        if found.dtype != pl.Boolean:
            raise ParameterError(
                "filter is not a condition",
                got=f"filter={self.given}, which is of type {found.dtype}",
                hint='compare a column with a value, as in "year > 2020".',
            )
        if len(found) == 1 and frame.height != 1:  # a constant
            return pl.repeat(found[0], frame.height, dtype=pl.Boolean, eager=True)
        return found

    def _of_several_rows(self) -> ParameterError:
        return ParameterError(
            "filter does not decide each row by its own values",
            got=f"filter={self.given}",
            hint="compare with fixed values: batches of rows are filtered one by one.",
        )


def _unusable(given: str, error: Exception) -> ParameterError:
    return ParameterError(
        f"filter cannot be used: {str(error).partition(chr(10))[0]}",
        got=f"filter={given}",
        hint="check the names and the types of its columns.",
    )


# -------------------------------------------------------------------- serialised expressions


def _mentions(node: Any, wanted: frozenset[str]) -> bool:
    try:
        return any(name in wanted for name in _names(node))
    except RecursionError:
        return True


def _names(node: Any, *, of_columns: bool = False) -> Iterator[str]:
    """Yield the names of expressions and functions; only of those of columns, on request."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for inner in node:
            yield from _names(inner, of_columns=of_columns)
    elif isinstance(node, dict):
        for name, inner in node.items():
            if name == "function":
                yield from _names(inner)
            elif not of_columns or _mentions({name: inner}, OF_COLUMNS):
                yield name
                yield from _names(_below(name, inner), of_columns=of_columns)


def _below(name: str, inner: Any) -> Any:
    """The expressions and functions below a name."""
    if name in _NO_NODES:
        return None
    if name == "Alias":
        return inner[0]
    if name == "Eval":  # for the elements of a list, which are of one row
        return [inner["expr"], *([] if inner.get("variant") in ("List", "Array") else ["Over"])]
    return inner
