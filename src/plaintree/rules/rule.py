"""A tree as rules: one IF ... THEN ... per leaf, with every attribute mentioned at most once.

A rule's conditions are about rows whose tested values are known: ``x <= 5`` says nothing of a row
in which x is missing, even where the tree sends such a row the same way.

Glossary: a *clause* is all that a path says about one attribute. It is an interval, a set of
allowed categories, or "is missing". Walking down, a branch becomes a clause, and is intersected
with the clause its attribute already has; so a path of 100,000 tests of x is still one clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import MISSING, Label, Schema
from plaintree.data.words import (
    cells,
    format_value,
    plain,
    shown_schema,
    weight_text,
    wrapped,
)
from plaintree.errors import TreeError
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Clause:
    """What a rule asks of one attribute (its column number), one of three things:

    - an interval: ``low < x <= high``, either end None if open;
    - a set of categories, of the ``n_categories`` in the attribute's domain: bit i of ``allowed``
      is set if category ``offset + i`` is in it. Two such sets are intersected in one operation,
      and a single category takes no room, however many there are;
    - ``is_missing``: that the value is missing.
    """

    feature: int
    low: float | None = None
    high: float | None = None
    allowed: int | None = None
    offset: int = 0
    n_categories: int = 0
    is_missing: bool = False

    @classmethod
    def of(cls, condition: Condition, branch: int, schema: Schema) -> Clause:
        """What one branch of a condition asks."""
        attribute = condition.feature
        if branch == condition.n_branches:
            return cls(attribute, is_missing=True)
        if isinstance(condition, Threshold):
            if branch == 0:
                return cls(attribute, high=condition.threshold)
            return cls(attribute, low=condition.threshold)
        n_categories = len(schema.features[attribute].categories)
        if isinstance(condition, Multiway):
            return cls(attribute, allowed=1, offset=branch, n_categories=n_categories)
        if isinstance(condition, Equals):
            inside = 1 << condition.category
        elif isinstance(condition, Subset):
            inside = sum(1 << code for code in condition.categories)
        elif isinstance(condition, Grouped):
            inside, branch = sum(1 << code for code in condition.categories_of(branch)), 0
        else:
            raise TreeError("rules do not know this condition", got=type(condition).__name__)
        everything = (1 << n_categories) - 1
        allowed, offset = _from_first_bit(inside if branch == 0 else everything & ~inside)
        return cls(attribute, allowed=allowed, offset=offset, n_categories=n_categories)

    def intersected(self, other: Clause) -> Clause:
        """What both clauses ask together, of the same attribute."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        sets = [c for c in (self, other) if c.allowed is not None]
        allowed, offset = None, max((c.offset for c in sets), default=0)
        if sets:
            aligned = [(c.allowed or 0) >> (offset - c.offset) for c in sets]
            allowed, offset = _from_first_bit(aligned[0] & aligned[-1], offset)
        return Clause(
            self.feature,
            low=max(lows, default=None),
            high=min(highs, default=None),
            allowed=allowed,
            offset=offset,
            n_categories=max(self.n_categories, other.n_categories),
            is_missing=self.is_missing or other.is_missing,
        )

    @property
    def asks_for_value(self) -> bool:
        """Whether it asks for a known value; one that is missing as well can never be met."""
        return (self.low, self.high, self.allowed) != (None, None, None)

    @property
    def codes(self) -> tuple[int, ...]:
        """The allowed categories' codes, in order (none for an interval)."""
        return _set_bits(self.allowed or 0, self.offset)

    def matches(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Which values of an encoded column satisfy the clause."""
        if self.is_missing and self.asks_for_value:
            return np.zeros(len(column), dtype=np.bool_)
        if self.is_missing:
            numeric = column.dtype.kind == "f"
            return np.asarray(np.isnan(column) if numeric else column == MISSING)
        if self.allowed is not None:
            table = np.zeros(self.n_categories + 1, dtype=np.bool_)  # the last is for no category
            table[list(self.codes)] = True
            codes = column.astype(np.int64)
            inside = (codes >= 0) & (codes < self.n_categories)
            return np.asarray(table[np.where(inside, codes, self.n_categories)])
        values = column.astype(np.float64, copy=False)  # a narrower type would round the ends
        matching: NDArray[np.bool_] = ~np.isnan(values)
        if self.low is not None:
            matching &= values > self.low
        if self.high is not None:
            matching &= values <= self.high
        return matching

    def describe(self, schema: Schema) -> str:
        """The clause in the shortest words that are right, such as ``2 < x <= 5``."""
        name = schema.names[self.feature]
        words = [f"{name} is missing"] if self.is_missing else []
        if self.allowed is not None:
            words.append(self._describe_set(schema, self.allowed))
        elif self.asks_for_value:
            words.append(self._describe_interval(schema))
        return " AND ".join(words)

    def _describe_set(self, schema: Schema, allowed: int) -> str:
        interval = self._between(schema.features[self.feature].cuts)
        if interval is not None:
            return interval._describe_interval(schema)
        n_excluded = self.n_categories - allowed.bit_count()
        if 0 < n_excluded < allowed.bit_count():
            excluded = ((1 << self.n_categories) - 1) & ~(allowed << self.offset)
            return Subset(self.feature, _set_bits(excluded)).describe(schema, 1)
        return Subset(self.feature, self.codes).describe(schema, 0)

    def _between(self, cuts: Sequence[float]) -> Clause | None:
        """Neighbouring intervals of a column that was cut into such, as one; None if it is none."""
        codes, ends = self.codes, [-inf, *cuts, inf]
        if not cuts or not codes or codes[-1] - codes[0] >= len(codes):
            return None
        low, high = ends[codes[0]], ends[codes[-1] + 1]
        if low == -inf and high == inf:
            return None
        return Clause(
            self.feature,
            low=None if low == -inf else low,
            high=None if high == inf else high,
        )

    def _describe_interval(self, schema: Schema) -> str:
        if self.low is None or self.high is None:
            branch, end = (0, self.high) if self.low is None else (1, self.low)
            assert end is not None, "an interval has an end"
            return Threshold(self.feature, end).describe(schema, branch)
        attribute = schema.features[self.feature]
        low, high = format_value(attribute, self.low), format_value(attribute, self.high)
        if low == high and attribute.unit in ("number", "integer"):  # six digits do not tell
            low, high = repr(self.low), repr(self.high)
        return f"{low} < {attribute.name} <= {high}"


@dataclass(frozen=True)
class Rule:
    """IF some clauses THEN a class: a leaf of a tree, or one of a list of rules.

    - ``conditions``: a clause per attribute, in a tree in the order of their first test on the
      path; none if the tree is a single leaf.
    - ``label``: the class answered.
    - ``weight``: the support, the weight of the training rows in the leaf; in a list, of those
      that satisfy the conditions, whether or not an earlier rule does so, too.
    - ``confidence``: the share of the label in that weight; 0 where there were no rows.
    - ``class_weights``: the weight of every class, in the schema's order.
    - ``leaf``: the number of the leaf in its tree, or in the tree that the rule was made from.

    A rule of a list (:class:`plaintree.rules.RuleList`) also has

    - ``accuracy``: the share of right answers to expect, by a pessimistic estimate;
    - ``number``: rules are numbered from 1 as they were made from a tree, before some were left
      out and the others put in order.
    """

    conditions: tuple[Clause, ...]
    label: Label
    weight: float
    confidence: float
    class_weights: tuple[float, ...]
    leaf: int
    schema: Schema = field(repr=False)
    accuracy: float | None = None
    number: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # What columns hold that the rule does not ask about is not written.
        asked = {clause.feature for clause in self.conditions}
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return _unpickled, (given | {"schema": self.schema.with_values_of(asked)},)

    def matches(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Which rows of encoded columns (in the schema's order) the rule is about.

        Numeric columns are floats with NaN for missing, categorical ones codes with -1 for missing
        and -2 for unseen; neither matches anything but, if missing, "is missing".
        """
        matching = np.ones(len(columns[0]) if columns else 0, dtype=np.bool_)
        for clause in self.conditions:
            matching &= clause.matches(columns[clause.feature])
        return matching

    def describe(self, *, width: int | None = None) -> str:
        """The rule as IF ... THEN ..., on one line or wrapped at a width."""
        return "\n".join(self.lines(shown_schema(self.schema), width))

    def __str__(self) -> str:
        return self.describe()

    def lines(self, shown: Schema, width: int | None, lead: str = "") -> Iterator[str]:
        """The rule's lines, in words of a schema whose names are fit to print."""
        asked = [clause.describe(shown) for clause in self.conditions] or ["anything"]
        parts = [f"{lead}IF {asked[0]}", *(f"AND {words}" for words in asked[1:])]
        parts.append(f"THEN {plain(self.label)}   ({self._support()})")
        line = ""
        for part in parts:
            longer = f"{line} {part}" if line else part
            if width is None or cells(longer) <= width:
                line = longer
                continue
            if line:
                yield line
            indent = "   " if line else ""
            *full, line = wrapped(part.split(" "), width, indent, rest="      ")
            yield from full
        yield line

    def row(self, number: int, shown: Schema) -> dict[str, Any]:
        """The rule as a row of a table."""
        words = " AND ".join(clause.describe(shown) for clause in self.conditions) or "anything"
        numbers = {"support": self.weight, "confidence": self.confidence}
        return {"rule": number, "if": words, "then": self.label, **numbers}

    def _support(self) -> str:
        if self.weight == 0:
            return "no training rows"
        share = f"{self.confidence:.2f}"
        if share == "1.00" and self.confidence < 1 - 1e-9:  # sums round
            share = ">0.99"
        support = f"support {weight_text(self.weight)}, confidence {share}"
        if self.accuracy is None:
            return support
        return f"estimated accuracy {self.accuracy:.1%}, {support}"


def joined(clauses: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    """The clauses with one more, merged with that of the same attribute if there is one."""
    for position, known in enumerate(clauses):
        if known.feature == clause.feature:
            both = known.intersected(clause)
            return (*clauses[:position], both, *clauses[position + 1 :])
    return (*clauses, clause)


def _set_bits(number: int, offset: int = 0) -> tuple[int, ...]:
    """The positions of the bits that are set, from the lowest, counted from an offset."""
    return tuple(p for p, bit in enumerate(reversed(f"{number:b}"), offset) if bit == "1")


def _from_first_bit(number: int, offset: int = 0) -> tuple[int, int]:
    """A number without the zero bits at its end, and the offset of what is left."""
    skipped = max(0, (number & -number).bit_length() - 1)
    return number >> skipped, offset + skipped if number else 0


def _unpickled(given: dict[str, Any]) -> Rule:
    """A rule that was pickled."""
    return Rule(**given)
