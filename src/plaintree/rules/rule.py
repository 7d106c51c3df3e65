"""Rules, IF ... THEN ..., and their clauses, at most one per feature.

The conditions of a rule apply to rows whose values are not missing: a row in which x is missing
does not satisfy ``x <= 5``, even if the tree sends such a row down the same branch.

Glossary: a *clause* holds all conditions of a path on one feature. It is an interval, a set of
allowed categories, or "is missing". From node to node, a branch becomes a clause, which is
intersected with the earlier clause on the same feature. A path of 100,000 splits on x is still one
clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import MISSING, Label, Schema
from plaintree.data.words import (
    cells,
    format_value,
    prediction_text,
    shown_schema,
    weight_text,
    wrapped,
)
from plaintree.errors import TreeError
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.prediction import Spread


@dataclass(frozen=True)
class Clause:
    """The condition of a rule on one feature (its column number): one of three.

    - An interval: ``low < x <= high``, either end None if open.
    - A set of categories, of the ``n_categories`` of the feature: bit i of ``allowed`` is set if
      category ``offset + i`` is in it. Two such sets are intersected in one operation, and a
      single category takes no memory, however many there are.
    - ``is_missing``: the value is missing.
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
        """The clause of one branch of a condition."""
        feature = condition.feature
        if branch == condition.n_branches:
            return cls(feature, is_missing=True)
        if isinstance(condition, Threshold):
            if branch == 0:
                return cls(feature, high=condition.threshold)
            return cls(feature, low=condition.threshold)
        n_categories = len(schema.features[feature].categories)
        if isinstance(condition, Multiway):
            return cls(feature, allowed=1, offset=branch, n_categories=n_categories)
        if isinstance(condition, Equals):
            inside = 1 << condition.category
        elif isinstance(condition, Subset):
            inside = sum(1 << code for code in condition.categories)
        elif isinstance(condition, Grouped):
            inside, branch = sum(1 << code for code in condition.categories_of(branch)), 0
        else:
            raise TreeError("this kind of condition has no rule", got=type(condition).__name__)
        everything = (1 << n_categories) - 1
        allowed, offset = _from_first_bit(inside if branch == 0 else everything & ~inside)
        return cls(feature, allowed=allowed, offset=offset, n_categories=n_categories)

    def intersected(self, other: Clause) -> Clause:
        """The clause that holds if both clauses on the same feature do."""
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
        """Whether it needs a known value; with ``is_missing`` it can never be satisfied."""
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
        """The clause as text, such as ``2 < x <= 5``."""
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
        """Adjacent intervals of a discretised column as one clause; None if not adjacent."""
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
        feature = schema.features[self.feature]
        low, high = format_value(feature, self.low), format_value(feature, self.high)
        if low == high and feature.unit in ("number", "integer"):  # six digits are too few
            low, high = repr(self.low), repr(self.high)
        return f"{low} < {feature.name} <= {high}"


@dataclass(frozen=True)
class Rule:
    """A rule, IF ... THEN ...: a leaf of a tree, or an entry of a rule list.

    Attributes
    ----------
    conditions : tuple of Clause
        A clause per feature, for a tree in the order of their first split on the path; empty if
        the tree is a single leaf.
    label : str, int, float or bool
        The predicted class, or the predicted number.
    weight : float
        The support: the weight of the training rows in the leaf. For a rule list, of those that
        satisfy the conditions, whether or not an earlier rule fires for them.
    confidence : float
        The proportion of the label in that weight; 0 without training rows. NaN for a number.
    class_weights : tuple of float
        The weight of every class, in the order of ``classes_``; empty for a number.
    leaf : int
        The number of the leaf in the tree that the rule was made from.
    schema : Schema
        The schema of that tree.
    accuracy : float or None
        Rule lists only: the expected accuracy, by a pessimistic estimate.
    number : int or None
        Rule lists only: rules are numbered from 1 as they are made from a tree, before some are
        left out and the others are ordered.
    spread : Spread or None
        How far the targets of these rows are from the predicted number; None for a class.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> rule = pt.rules_of(pt.ID3Classifier().fit(X, y))[1]
    >>> print(rule)
    IF Outlook = Rain AND Wind = Strong THEN No   (support 2, confidence 1.00)
    >>> rule.label, rule.weight, rule.confidence
    ('No', 2.0, 1.0)
    >>> model = pt.CARTRegressor(max_depth=1).fit([[1], [2], [8], [9]], [10, 14, 30, 32])
    >>> print(pt.rules_of(model)[0])
    IF x0 <= 5 THEN 12   (support 2, sd 2)
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
    spread: Spread | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Categories of columns without a condition are not written.
        asked = {clause.feature for clause in self.conditions}
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return _unpickled, (given | {"schema": self.schema.with_values_of(asked)},)

    def matches(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Return which rows of encoded columns satisfy the conditions.

        Parameters
        ----------
        columns : sequence of arrays
            One array per feature of the schema: floats with NaN for missing values, or codes of
            categories with -1 for missing and -2 for unseen ones. Missing values satisfy only "is
            missing", unseen ones nothing.

        Returns
        -------
        ndarray of bool
            One entry per row.
        """
        matching = np.ones(len(columns[0]) if columns else 0, dtype=np.bool_)
        for clause in self.conditions:
            matching &= clause.matches(columns[clause.feature])
        return matching

    def describe(self, *, width: int | None = None) -> str:
        """Return the rule as IF ... THEN ...

        Parameters
        ----------
        width : int, default=None
            Columns to wrap at. None writes one line.

        Returns
        -------
        str
            The rule as text.
        """
        return "\n".join(self.lines(shown_schema(self.schema), width))

    def __str__(self) -> str:
        return self.describe()

    def lines(self, shown: Schema, width: int | None, lead: str = "") -> Iterator[str]:
        """The lines of the rule, with the names of a schema with printable names."""
        asked = [clause.describe(shown) for clause in self.conditions] or ["anything"]
        parts = [f"{lead}IF {asked[0]}", *(f"AND {words}" for words in asked[1:])]
        label = prediction_text(self.schema, self.label)
        parts.append(f"THEN {label}   ({self._support()})")
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
        return {"rule": number, "if": words, "then": self.label, **self.figures}

    @property
    def figures(self) -> dict[str, float]:
        """The support, and the confidence of a class or the spread of a number, by their names."""
        if self.spread is None:
            return {"support": self.weight, "confidence": self.confidence}
        return {"support": self.weight, self.spread.name: self.spread.value}

    def _support(self) -> str:
        if self.weight == 0:
            return "no training rows"
        if self.spread is not None:
            return f"support {weight_text(self.weight)}, {self.spread}"
        confidence = f"{self.confidence:.2f}"
        if confidence == "1.00" and self.confidence < 1 - 1e-9:  # sums round
            confidence = ">0.99"
        support = f"support {weight_text(self.weight)}, confidence {confidence}"
        if self.accuracy is None:
            return support
        return f"estimated accuracy {self.accuracy:.1%}, {support}"


def joined(clauses: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    """The clauses with one more, merged with that on the same feature if there is one."""
    for position, known in enumerate(clauses):
        if known.feature == clause.feature:
            both = known.intersected(clause)
            return (*clauses[:position], both, *clauses[position + 1 :])
    return (*clauses, clause)


def _set_bits(number: int, offset: int = 0) -> tuple[int, ...]:
    """The positions of the bits that are set, from the lowest, counted from an offset."""
    return tuple(p for p, bit in enumerate(reversed(f"{number:b}"), offset) if bit == "1")


def _from_first_bit(number: int, offset: int = 0) -> tuple[int, int]:
    """A number without its trailing zero bits, and the offset of the rest."""
    skipped = max(0, (number & -number).bit_length() - 1)
    return number >> skipped, offset + skipped if number else 0


def _unpickled(given: dict[str, Any]) -> Rule:
    """A rule that was pickled."""
    return Rule(**given)
