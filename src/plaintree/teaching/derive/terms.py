"""How a criterion is written: its names, its formulas, the columns of its tables, its sentences.

The rest of a derivation does not ask whether the target has classes or numbers: it asks the terms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from plaintree.data.schema import Schema
from plaintree.data.words import number_text
from plaintree.stats.exact import Counts, Value, Weight, total
from plaintree.stats.impurity import Measure
from plaintree.stats.number_sums import NumberSums
from plaintree.stats.sums import ClassWeights, Sums

from .address import NOWHERE, Address, RowGroup
from .document import (
    Answer,
    Call,
    Entropy,
    Equation,
    Expression,
    Number,
    Part,
    Product,
    Ratio,
    Square,
    Sum,
    minus,
    plus,
)
from .words import classes_text, count_text

if TYPE_CHECKING:
    from .tried import Tried

SomeSums = TypeVar("SomeSums", bound=Sums)
CLASSES_IN_COLUMNS = 6
"""More classes than this are listed in one column."""
MOST_TERMS = 12
"""A formula of more terms than this is left out, as its values are in a table."""


@dataclass(frozen=True)
class Column:
    """A column of a table of groups of rows, and whether it stands on the right."""

    title: str
    numeric: bool = True


@dataclass(frozen=True, eq=False)
class Terms(ABC, Generic[SomeSums]):
    """The terms of a criterion; ``shown`` is the schema with names fit to print.

    - ``kind``: of trees; ``has_numbers``: whether targets are numbers, which stand on the right
    - ``lists_rows``: whether the rows of a node are listed, because its sums do not show them
    - ``all_alike``: why a pure node is a leaf; ``typical``: what a leaf predicts
    - ``column``: the title of a column that sums groups up
    """

    sums: SomeSums
    shown: Schema

    kind = "decision"
    has_numbers = False
    lists_rows = False
    all_alike = "all rows are of one class"
    all_its_rows = "all its rows are of one class"
    typical = "the majority class"
    column = "classes"

    # ---------------------------------------------------------------- names and sentences

    @property
    @abstractmethod
    def impurity(self) -> str:
        """The name of the impurity in formulas."""

    @abstractmethod
    def about_target(self, counts: Counts) -> str:
        """The sentence about the targets in the task."""

    @abstractmethod
    def target_text(self, code: int) -> str:
        """The target of a row."""

    @abstractmethod
    def label_text(self, label: Value) -> str:
        """What a leaf predicts."""

    @abstractmethod
    def group_text(self, counts: Counts, unit: int = 1) -> str:
        """A group of rows in a few words; its weights may be in parts of a unit."""

    def missing_text(self, counts: Counts) -> str:
        """The rows without a value, whose number is not written next to it."""
        return self.group_text(counts)

    @abstractmethod
    def described(self, counts: Counts, n_rows: int) -> str:
        """What follows the number of rows of a group that has some: its classes or its mean."""

    @abstractmethod
    def label_words(self, counts: Counts, label: Value, expected: Value) -> str:
        """How the label of a leaf differs from the one that is expected of its rows, if any."""

    def why_refused(self, parts: Sequence[Counts]) -> str:  # noqa: ARG002
        """Why a candidate with these branches is not allowed."""
        return "too few rows"

    @property
    @abstractmethod
    def order(self) -> str:
        """What categories are ordered by for subsets, if they are."""

    def rank_text(self, rank: Value) -> str:
        """The place of a category in that order."""
        return number_text(float(rank))

    @property
    @abstractmethod
    def why_ordered(self) -> str:
        """Why the cuts of that order are candidates, and no other subset."""

    # ---------------------------------------------------------------- tables

    @property
    @abstractmethod
    def columns(self) -> list[Column]:
        """The columns of a table of branches."""

    @abstractmethod
    def cells(self, counts: Counts, unit: int) -> list[Part]:
        """A branch in these columns."""

    @property
    @abstractmethod
    def in_brackets(self) -> str:
        """What tables of candidates have of each side."""

    @abstractmethod
    def side_text(self, counts: Counts, unit: int) -> str:
        """A side of a candidate."""

    # ---------------------------------------------------------------- formulas

    @abstractmethod
    def impurity_equations(
        self, call: Call, counts: Counts, unit: int = 1, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        """The impurity of all rows, with numbers filled in; ``call`` names it, and ``of`` is the
        group whose sums these are."""

    @abstractmethod
    def branch_equations(
        self, call: Call, counts: Counts, unit: int, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        """What is needed of a branch; only zeros if it has no rows."""

    @abstractmethod
    def left(self, tried: Tried, of: RowGroup = NOWHERE) -> tuple[Expression, ...]:
        """The impurity that a split leaves, from the values of its branches."""


def worked(wanted: Call, *steps: Expression, unit: str = "") -> Equation:
    """An equation whose right sides are to be found out; sides that repeat are left out."""
    shown = [step for i, step in enumerate(steps) if i == 0 or step != steps[i - 1]]
    return Equation((wanted, *map(Answer, shown)), unit)


def entropy_terms(
    weights: Counts, unit: int, addresses: tuple[Address | None, ...] = ()
) -> tuple[Expression, ...]:
    """Of a single weight, there is nothing to be filled in."""
    return (Entropy(weights, unit, addresses),) if sum(map(bool, weights)) > 1 else ()


def terms_of(sums: Sums, shown: Schema) -> Terms[Sums]:
    """The terms of a criterion."""
    from .number_terms import OF_NUMBERS

    if isinstance(sums, ClassWeights):
        return ClassTerms(sums, shown)  # type: ignore[return-value]
    assert isinstance(sums, NumberSums), "of one of both kinds"
    return OF_NUMBERS[sums.criterion](sums, shown)  # type: ignore[return-value]


# -------------------------------------------------------------------- classes

IMPURITY: dict[Measure, str] = {"entropy": "H", "gini": "Gini", "error": "Error"}
"""The name of each measure of impurity of classes."""


@dataclass(frozen=True, eq=False)
class ClassTerms(Terms[ClassWeights]):
    """Class weights: entropy, the Gini index, the error."""

    @property
    def impurity(self) -> str:
        return IMPURITY[self.sums.measure]

    def about_target(self, counts: Counts) -> str:
        return f"The classes are {classes_text(counts, self.shown)}."

    def target_text(self, code: int) -> str:
        return str(self.shown.classes[code])

    def label_text(self, label: Value) -> str:
        return str(self.shown.classes[int(label)])

    def group_text(self, counts: Counts, unit: int = 1) -> str:
        return classes_text(counts, self.shown, unit)

    def described(self, counts: Counts, n_rows: int) -> str:
        if sum(map(bool, counts)) > 1:
            return f", {classes_text(counts, self.shown)}"
        every = "all" if n_rows > 1 else "of class"
        return f", {every} {self.label_text(self.sums.prediction(counts))}"

    def label_words(self, counts: Counts, label: Value, expected: Value) -> str:
        given, majority = self.label_text(label), self.label_text(expected)
        if not any(counts):
            return f"the label {given} differs from {majority}, the majority class above"
        most, whole = counts[int(expected)], sum(counts)
        if counts[int(label)] == most:
            return f"the label {given} is not the first of the tied classes, {majority}"
        of_all = f"{count_text(most)} of {count_text(whole)}"
        return f"the label {given} differs from the majority class {majority} ({of_all})"

    @property
    def order(self) -> str:
        return f"proportion of {self.label_text(1)}"

    @property
    def why_ordered(self) -> str:
        return "The best of all subsets is among the cuts of this order (Breiman's theorem)."

    # ---------------------------------------------------------------- tables

    @property
    def many(self) -> bool:
        """Whether there are too many classes for a column each."""
        return len(self.shown.classes) > CLASSES_IN_COLUMNS

    @property
    def columns(self) -> list[Column]:
        classes = [Column(str(label)) for label in self.shown.classes]
        listed = [Column("classes", numeric=False)] if self.many else classes
        return [*listed, Column("rows"), Column(self.impurity)]

    def cells(self, counts: Counts, unit: int) -> list[Part]:
        size = sum(counts)
        weights = [self.group_text(counts, unit)]
        if not self.many:
            weights = [count_text(count, unit) for count in counts]
        return [
            *weights,
            count_text(size, unit),
            Number(self.sums.impurity(counts)) if size else "",
        ]

    @property
    def in_brackets(self) -> str:
        return "rows" if self.many else ", ".join(map(str, self.shown.classes))

    def side_text(self, counts: Counts, unit: int) -> str:
        if self.many:
            return count_text(sum(counts), unit)
        if unit == 1:
            return ", ".join(map(count_text, counts))
        return ", ".join([count_text(part, unit) for part in counts])

    # ---------------------------------------------------------------- formulas

    def impurity_equations(
        self, call: Call, counts: Counts, unit: int = 1, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        value = self.sums.impurity(counts)
        bits = "" if self.sums.measure != "entropy" else "bit" if value == 1 else "bits"
        yield worked(call, *self._filled_in(counts, unit, of), Number(value), unit=bits)

    def branch_equations(
        self, call: Call, counts: Counts, unit: int, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        if any(counts):
            yield from self.impurity_equations(call, counts, unit, of)
        else:
            yield worked(call, Number(0))

    def _filled_in(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        whole, addresses = total(counts), of.weights(len(counts))
        if self.sums.measure == "entropy":
            return entropy_terms(counts, unit, addresses)
        ratios = [
            Ratio(count, whole, unit, (addresses[code + 1], addresses[0]) if addresses else ())
            for code, count in enumerate(counts)
        ]
        if self.sums.measure == "gini":
            squares = [minus(Square(ratio)) for ratio in ratios if ratio.top]
            return (Sum((plus(Number(1)), *squares)),)
        largest = max(ratios, key=lambda ratio: ratio.top)
        return (Sum((plus(Number(1)), minus(largest))),)

    def left(self, tried: Tried, of: RowGroup = NOWHERE) -> tuple[Expression, ...]:
        sizes, impurities = tried.sizes, tried.impurities
        return weighted_mean(sizes, impurities, tried.scale.unit, of, tried.aside)


def weighted_mean(
    weights: Sequence[Weight],
    values: Sequence[Value],
    unit: int,
    of: RowGroup = NOWHERE,
    aside: int = -1,
) -> tuple[Expression, ...]:
    """Values weighted by their fractions of all weight; left out if there are very many.

    The value of the branch that is set aside, if any, does not count.
    """
    whole = total(weights)
    terms = tuple(
        plus(
            Product(
                (
                    Ratio(
                        weight,
                        whole,
                        unit,
                        (of.branch(i).address("weight"), of.address("weight")),
                    ),
                    Number(value, of.branch(i).address("impurity")),
                )
            )
        )
        for i, (weight, value) in enumerate(zip(weights, values, strict=True))
        if weight and i != aside
    )
    return () if len(terms) > MOST_TERMS else (Sum(terms),)
