"""Types of string columns that are read in pieces: the types that infer.py gives the whole column.

A first pass adds up what decides the types, piece by piece. A second pass converts each piece.
Dates are recognised by the first value of the whole column, so it is read with every piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from .column import EXACT
from .doubts import Doubt
from .file_drift import FileDrift
from .infer import Findings
from .misread import FEW_WORDS, MANY_NUMBERS, MISSING_MARKS, Misread
from .strings import (
    ORDERS,
    DateOrder,
    ReadOptions,
    fitting_orders,
    looks_like_timestamp,
    numbers_in,
    read_as,
    timestamps_in,
    trimmed,
    with_points,
)

_LEADING_ZERO = r"^[+-]?0[0-9]"
_INTEGER = r"^[+-]?[0-9]+$"
_MOST_WORDS = len(MISSING_MARKS) + 1


@dataclass
class ColumnFacts:
    """What the values so far allow a column to be; ``first`` is the first known value.

    ``commas`` and ``comma_floats`` are about files where semicolons separate: whether all
    numbers have decimal commas, or none has.
    """

    declared: str | None
    first: str | None = None
    integers: bool = True
    large: bool = False
    digits: bool = True
    floats: bool = True
    comma_floats: bool = True
    commas: bool = True
    booleans: bool = True
    zeros: bool = False
    signed: bool = False
    fills: bool = False
    zero: bool = False
    lengths: tuple[int, int] | None = None
    parsed: dict[DateOrder, pl.DataType | None] = field(default_factory=dict)
    orders: set[DateOrder] = field(default_factory=lambda: set(ORDERS))
    short_years: bool = False
    words: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)

    def add(self, texts: pl.Series, given: DateOrder | None, *, decimal_comma: bool) -> None:
        """Add a piece of the column, trimmed."""
        known = texts.drop_nulls()
        if not len(known):
            return
        if self.first is None:
            self.first = str(known[0])
            self._begin()
        if self.declared is None:
            self._add_numbers(known, decimal_comma)
            self._add_words(known)
            if self.booleans:
                self.booleans = bool(known.str.to_lowercase().is_in(["true", "false"]).all())
        if self.parsed:
            self._add_timestamps(known, given)

    def _begin(self) -> None:
        dates = self.declared in ("date", "datetime", "time")
        if dates or (self.declared is None and looks_like_timestamp(str(self.first))):
            self.parsed = dict.fromkeys(ORDERS)

    def _add_numbers(self, known: pl.Series, decimal_comma: bool) -> None:
        if self.integers:
            values = known.cast(pl.Int64, strict=False)
            self.integers = not values.has_nulls()
            if self.integers:
                self.large |= bool(((values >= EXACT) | (values <= -EXACT)).any())
                self._add_zeros(known)
        if decimal_comma:
            if self.comma_floats:
                self.comma_floats = not known.cast(pl.Float64, strict=False).has_nulls()
            if self.commas:
                numbers = with_points(known).cast(pl.Float64, strict=False)
                pointed = known.str.contains(".", literal=True).any()
                self.commas = not (numbers.has_nulls() or pointed)
        elif self.floats:
            self.floats = not known.cast(pl.Float64, strict=False).has_nulls()
        if self.digits and not self.integers:
            self.digits = bool(known.str.contains(_INTEGER).all())

    def _add_zeros(self, known: pl.Series) -> None:
        """What distinguishes codes such as 01234 from numbers; see infer.py."""
        self.zeros |= bool(known.str.contains(_LEADING_ZERO).any())
        self.signed |= bool(known.str.contains("^[+-]").any())
        lengths = known.str.len_bytes().to_numpy()
        low, high = int(lengths.min()), int(lengths.max())
        before = self.lengths or (low, high)
        self.lengths = min(low, before[0]), max(high, before[1])
        self.fills |= not bool(known.str.starts_with("0").all())
        self.zero |= bool(known.str.contains("^0+$").any())

    def _add_words(self, known: pl.Series) -> None:
        """Some words and numbers, for the warning about numbers that are text because of words."""
        if self.is_number or len(self.words) > _MOST_WORDS:
            if len(self.numbers) < MANY_NUMBERS:
                self.numbers |= set(known.head(1000).unique().head(MANY_NUMBERS).to_list())
            return
        numeric = numbers_in(known).is_not_null()
        if len(self.numbers) < MANY_NUMBERS:
            some = known.filter(numeric).unique().head(MANY_NUMBERS)
            self.numbers |= set(some.to_list())
        words = known.filter(~numeric).unique().head(_MOST_WORDS + 1)
        self.words |= set(words.to_list())

    def _add_timestamps(self, known: pl.Series, given: DateOrder | None) -> None:
        texts = pl.concat([pl.Series(known.name, [self.first]), known])
        declared = self.declared is not None
        for order in list(self.parsed):
            found = timestamps_in(texts, order, declared=declared)
            if found is None or (found.values.has_nulls() and not declared):
                del self.parsed[order]
                continue
            self.parsed[order] = found.values.dtype
            self.short_years = found.short_years
        self.orders &= {given} if given else set(fitting_orders(texts, str(self.first)))

    # ---------------------------------------------------------------- what follows

    @property
    def is_number(self) -> bool:
        """Whether all values so far are numbers."""
        return self.floats and (self.comma_floats or self.commas)

    @property
    def has_commas(self) -> bool:
        """Whether numbers have decimal commas, where semicolons separate."""
        return not self.comma_floats

    def order(self, given: DateOrder | None) -> DateOrder:
        """The order of day and month of all dates."""
        if given is not None:
            return given
        return next((order for order in ORDERS if order in self.orders), ORDERS[0])

    @property
    def _are_codes(self) -> bool:
        low, high = self.lengths or (0, 0)
        return self.zeros and not self.signed and low == high and (self.fills or not self.zero)

    def kind(self, given: DateOrder | None) -> str:
        """How the column is read: by the narrowest type that all of its values have."""
        if self.declared is not None:
            return "declared"
        if self.first is None:
            return "empty"
        if self.integers:
            return "text" if self.large or self._are_codes else "integer"
        if self.is_number:
            return "text" if self.digits else "number"
        if self.booleans:
            return "boolean"
        return "timestamp" if self.order(given) in self.parsed else "text"

    def add_findings(self, name: str, findings: Findings, given: DateOrder | None) -> None:
        """Add what remains ambiguous."""
        kind = self.kind(given)
        if self.integers and self.zeros and self.first is not None and self.declared is None:
            (findings.codes if kind == "text" else findings.padded).append(name)
        if kind == "timestamp" or (kind == "declared" and self.parsed):
            if given is None and len(self.orders) == 2 and self._has_order:
                findings.either_order[self.order(None)].append(name)
            if self.short_years:
                findings.short_years.append(name)

    @property
    def _has_order(self) -> bool:
        found = timestamps_in(pl.Series([self.first]), declared=self.declared is not None)
        return found is not None and found.order is not None

    @property
    def hindering_words(self) -> list[str]:
        """The few words without which the column would be numbers; see misread.py."""
        words = sorted(self.words)
        marks = [word for word in words if word in MISSING_MARKS]
        few = len(self.numbers) >= MANY_NUMBERS and len(words) <= FEW_WORDS
        return words if words and self.numbers and (words == marks or few) else []


class PieceTypes:
    """The types of the columns of string tables that are read in pieces."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self.columns: dict[str, ColumnFacts] = {}
        self._drift = FileDrift()

    def add(self, frame: pl.DataFrame, *, decimal_comma: bool, file: str = "") -> None:
        """Add a piece of a file; the columns of different pieces need not be the same."""
        for column in frame.get_columns():
            facts = self.columns.get(column.name)
            if facts is None:
                facts = self.columns[column.name] = ColumnFacts(self._declared.get(column.name))
            if facts.declared is None or facts.declared in ("date", "datetime", "time"):
                bare = trimmed(column, self._options.missing_values)
                facts.add(bare, self._options.dates, decimal_comma=decimal_comma)
                if facts.declared is None:
                    self._drift.add(file, bare.drop_nulls(), only_numbers=facts.is_number)

    @property
    def _declared(self) -> Mapping[str, str]:
        return self._options.types

    def typed(self, frame: pl.DataFrame, *, decimal_comma: bool, first_row: int) -> pl.DataFrame:
        """Convert a piece to the types that all pieces have decided."""
        return pl.DataFrame(
            [
                self._converted(column, decimal_comma, first_row).alias(column.name)
                for column in frame.get_columns()
            ]
        )

    def _converted(self, column: pl.Series, decimal_comma: bool, first_row: int) -> pl.Series:
        facts = self.columns[column.name]
        texts = trimmed(column, self._options.missing_values)
        given = self._options.dates
        match facts.kind(given):
            case "empty":
                return pl.Series(column.name, [None] * len(column), dtype=pl.Null)
            case "integer":
                return texts.cast(pl.Int64)
            case "number":
                with_commas = decimal_comma and facts.has_commas
                return (with_points(texts) if with_commas else texts).cast(pl.Float64)
            case "boolean":
                return texts.str.to_lowercase() == "true"
            case "timestamp":
                found = timestamps_in(self._with_first(texts, facts), facts.order(given))
                assert found is not None
                return found.values.slice(1)
            case "declared":
                return self._declared_as(texts, facts, decimal_comma, first_row)
        return texts

    def _declared_as(
        self, texts: pl.Series, facts: ColumnFacts, decimal_comma: bool, first_row: int
    ) -> pl.Series:
        kind = str(facts.declared)
        if facts.first is not None:
            texts, first_row = self._with_first(texts, facts), first_row - 1
        order = facts.order(self._options.dates) if facts.parsed else self._options.dates
        typed, _ = read_as(texts, kind, order, decimal_comma=decimal_comma, first_row=first_row)
        return typed.slice(1) if facts.first is not None else typed

    @staticmethod
    def _with_first(texts: pl.Series, facts: ColumnFacts) -> pl.Series:
        return pl.concat([pl.Series(texts.name, [facts.first], dtype=pl.String), texts])

    def doubts(self, names: Sequence[str]) -> list[Doubt]:
        """The warnings about ambiguous values of some columns."""
        findings, given = Findings(), self._options.dates
        hindered, drifted = {}, []
        for name in names:
            facts = self.columns.get(name)
            if facts is None:
                continue
            facts.add_findings(name, findings, given)
            if facts.declared is not None or facts.kind(given) != "text":
                continue
            if self._drift.drifted(name):
                drifted.append(name)
            elif facts.hindering_words:
                hindered[name] = facts.hindering_words
        misread = Misread(hindered=hindered).hindered_doubts
        return [*findings.doubts, *misread, *self._drift.doubts(drifted)]
