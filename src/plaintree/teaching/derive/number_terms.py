"""How the criteria of a numeric target are written: squared error, absolute error, deviance.

Of every group of rows there are a typical value and a sum: of squared deviations, of absolute
deviations, of half deviances. The impurity is that sum over the weight.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeVar

from plaintree.data.words import number_text
from plaintree.stats.exact import Counts, Value, Weight, total
from plaintree.stats.number_sums import (
    AbsoluteDeviations,
    Deviances,
    Moments,
    NumberSums,
    TargetWeights,
)

from .address import NOWHERE, RowGroup
from .document import (
    Absolute,
    Call,
    Equation,
    Expression,
    Log,
    Number,
    Part,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
    Term,
    minus,
    plus,
)
from .terms import MOST_TERMS, Column, Terms, worked
from .words import count_text

if TYPE_CHECKING:
    from .tried import Tried

SomeNumbers = TypeVar("SomeNumbers", bound=NumberSums)
LARGEST_LISTED = 99
"""Weights up to this are listed as repeated targets, if they are integers."""


@dataclass(frozen=True, eq=False)
class NumberTerms(Terms[SomeNumbers]):
    """What the criteria of numeric targets share.

    ``total`` is the name of the sum of a group, ``centre`` that of its typical value.
    """

    kind = "regression"
    has_numbers = True
    lists_rows = True
    all_alike = "all targets are equal"
    all_its_rows = "all its targets are equal"
    total = ""
    centre = "mean"
    column = "targets"

    @property
    def typical(self) -> str:  # type: ignore[override]  # by the name of the typical value
        return f"the {self.centre}"

    def about_target(self, counts: Counts) -> str:  # noqa: ARG002
        first, last = (as_written(self.sums.number(code)) for code in (0, -1))
        return f"The targets are numbers from {first} to {last}."

    def target_text(self, code: int) -> str:
        return as_written(self.sums.number(code))

    def label_text(self, label: Value) -> str:
        return number_text(float(label))

    def group_text(self, counts: Counts, unit: int = 1) -> str:  # noqa: ARG002
        if not any(counts):
            return "no rows"
        return f"{self.centre} {self.label_text(self.sums.prediction(counts))}"

    def missing_text(self, counts: Counts) -> str:
        return f"weight {count_text(self.sums.weight(counts))}, {self.group_text(counts)}"

    def described(self, counts: Counts, n_rows: int) -> str:
        if not self.sums.is_pure(counts):
            return f", {self.group_text(counts)}"
        return f", all {self.label_text(self.sums.prediction(counts))}" if n_rows > 1 else ""

    def label_words(self, counts: Counts, label: Value, expected: Value) -> str:
        above = "" if any(counts) else " above"
        told, right = self.label_text(label), self.label_text(expected)
        if told == right:
            told, right = repr(float(label)), repr(float(expected))
        return f"the label {told} differs from {self.typical}{above}, {right}"

    @property
    def order(self) -> str:
        return self.centre

    @property
    def why_ordered(self) -> str:
        return (
            "The gain is a convex function of the weight and the sum of one side, so the best of "
            "all subsets separates the categories at a threshold of their means (Breiman and "
            "others 1984): it is among the cuts of this order."
        )

    # ---------------------------------------------------------------- tables

    def cells(self, counts: Counts, unit: int) -> list[Part]:
        if not any(counts):
            return ["0", *("" for _ in self.columns[1:])]
        size = self.sums.weight(counts)
        return [count_text(size, unit), *map(Number, self._figures(counts, unit))]

    @property
    def columns(self) -> list[Column]:
        names = (*self._titles, self.centre, self.total)
        return [Column("rows"), *map(Column, names)]

    _titles: ClassVar[tuple[str, ...]] = ()

    def _figures(self, counts: Counts, unit: int) -> list[Value]:
        return [self.sums.prediction(counts), self._total(counts, unit)]

    @property
    def in_brackets(self) -> str:
        return f"rows, {self.centre}"

    def side_text(self, counts: Counts, unit: int) -> str:
        size = count_text(self.sums.weight(counts), unit)
        if not any(counts):
            return size
        return f"{size}, {self.label_text(self.sums.prediction(counts))}"

    def plain_sums(self, counts: Counts, unit: int) -> dict[str, Weight]:  # noqa: ARG002
        """The sums of a group that the formulas use, as they were counted."""
        return {}

    # ---------------------------------------------------------------- formulas

    def _total(self, counts: Counts, unit: int) -> Value:
        """The sum of a group, of weights that are not in parts."""
        found = self.sums.deviation(counts)
        return found / unit if isinstance(found, float) else _over(found, unit)

    def impurity_equations(
        self, call: Call, counts: Counts, unit: int = 1, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        yield from self.branch_equations(call, counts, unit, of)
        size, total = _over(self.sums.weight(counts), unit), self._total(counts, unit)
        top = Number(total, of.address("deviation"))
        filled = Quotient(top, Number(size, of.address("weight")))
        yield worked(call, filled, Number(self.sums.impurity(counts)))

    def branch_equations(
        self, call: Call, counts: Counts, unit: int, of: RowGroup = NOWHERE
    ) -> Iterator[Equation]:
        of_centre, of_total = (replace(call, name=name) for name in (self.centre, self.total))
        if not any(counts):
            yield from (worked(of_centre, Number(0)), worked(of_total, Number(0)))
            return
        centre = Number(self.sums.prediction(counts))
        yield worked(of_centre, *self._centre(counts, unit, of), centre)
        total = Number(self._total(counts, unit))
        yield worked(of_total, *self._deviations(counts, unit, of), total)

    @abstractmethod
    def _centre(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        """The typical value, with numbers filled in."""

    @abstractmethod
    def _deviations(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        """The sum of a group, with numbers filled in."""

    def left(self, tried: Tried, of: RowGroup = NOWHERE) -> tuple[Expression, ...]:
        unit = tried.scale.unit
        terms = [
            plus(Number(self._total(part, unit), of.branch(i).address("deviation")))
            for i, part in enumerate(tried.parts)
            if any(part)
        ]
        if len(terms) > MOST_TERMS:
            return ()
        size = Number(_over(total(tried.sizes), unit), of.address("weight"))
        return (Quotient(Sum(tuple(terms)), size),)


@dataclass(frozen=True, eq=False)
class SquaredErrorTerms(NumberTerms[Moments]):
    """Mean, sum of squared errors and variance, by sums and sums of squares."""

    total = "SSE"
    _titles = ("sum", "sum of squares")

    @property
    def impurity(self) -> str:
        return "Var"

    def plain_sums(self, counts: Counts, unit: int) -> dict[str, Weight]:
        _, sums, squares = self.sums.in_units(counts, unit)
        return {"sum": sums, "sum_of_squares": squares}

    def _figures(self, counts: Counts, unit: int) -> list[Value]:
        return [*self.sums.in_units(counts, unit)[1:], *super()._figures(counts, unit)]

    def _centre(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        weight, sums, _ = self.sums.in_units(counts, unit)
        return (Quotient(Number(sums, of.address("sum")), Number(weight, of.address("weight"))),)

    def _deviations(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        weight, sums, squares = self.sums.in_units(counts, unit)
        square = Square(Number(sums, of.address("sum")))
        of_mean = Quotient(square, Number(weight, of.address("weight")))
        return (Sum((plus(Number(squares, of.address("sum_of_squares"))), minus(of_mean))),)


SomeWeights = TypeVar("SomeWeights", bound=TargetWeights)


@dataclass(frozen=True, eq=False)
class AbsoluteErrorTerms(NumberTerms[AbsoluteDeviations]):
    """Median and absolute deviations from it."""

    total = "SAD"
    centre = "median"

    @property
    def impurity(self) -> str:
        return "MAD"

    @property
    def why_ordered(self) -> str:
        return (
            "The cuts of this order are the candidates. By absolute error, another subset may be "
            "better."
        )

    def _centre(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:  # noqa: ARG002
        listed = self.sums.present(counts, unit)
        if sum(_times(weight) for _, weight in listed) > MOST_TERMS:
            return ()
        told = [
            text
            for number, weight in listed
            for text in [_weighed(number, weight)] * _times(weight)
        ]
        return (Call("median", ", ".join(told)),)

    def _deviations(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        median = Number(self.sums.prediction(counts), of.address("centre"))
        listed = self.sums.present(counts, unit)
        if len(listed) > MOST_TERMS:
            return ()
        return (Sum(tuple(plus(_deviation(y, w, median)) for y, w in listed)),)


@dataclass(frozen=True, eq=False)
class PoissonTerms(NumberTerms[Deviances]):
    """Mean and half the deviance from it, whose logarithms are written as those of entropies."""

    total = "Dev"
    _titles = ("sum",)

    @property
    def impurity(self) -> str:
        return "MDev"

    def why_refused(self, parts: Sequence[Counts]) -> str:
        if not all(map(self.sums.allows, parts)):
            return "a mean of 0"
        return super().why_refused(parts)

    def plain_sums(self, counts: Counts, unit: int) -> dict[str, Weight]:
        return {"sum": _over(self.sums.sum(counts), unit)}

    def _figures(self, counts: Counts, unit: int) -> list[Value]:
        return [_over(self.sums.sum(counts), unit), *super()._figures(counts, unit)]

    def _centre(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        sums = Number(_over(self.sums.sum(counts), unit), of.address("sum"))
        size = Number(_over(self.sums.weight(counts), unit), of.address("weight"))
        return (Quotient(sums, size),)

    def _deviations(self, counts: Counts, unit: int, of: RowGroup) -> tuple[Expression, ...]:
        """Sum of w y ln y, minus s ln s/n: the mean's share is written with the sums as counted."""
        listed = [(y, w) for y, w in self.sums.present(counts, unit) if y > 0]
        if len(listed) > MOST_TERMS or not listed:
            return ()
        sums, size = self.sums.sum(counts), self.sums.weight(counts)
        addresses = (of.address("sum"), of.address("weight"))
        of_mean = Log(Ratio(sums, size, unit, addresses), natural=True)
        terms: list[Term] = [plus(_y_log_y(y, w)) for y, w in listed]
        whole = Number(_over(sums, unit), addresses[0])
        return (Sum((*terms, minus(Product((whole, of_mean))))),)


OF_NUMBERS: dict[str, type[NumberTerms[NumberSums]]] = {
    "squared_error": SquaredErrorTerms,  # type: ignore[dict-item]
    "absolute_error": AbsoluteErrorTerms,  # type: ignore[dict-item]
    "poisson": PoissonTerms,  # type: ignore[dict-item]
}
"""The terms of each criterion of numeric targets, which take its sums."""


def as_written(number: Weight) -> str:
    """A target as it was given.

    >>> as_written(3), as_written(Fraction(47, 2))
    ('3', '23.5')
    """
    return str(number) if isinstance(number, int) else repr(float(number))


def _over(value: Weight, unit: int) -> Weight:
    divided = Fraction(value, unit)
    return divided.numerator if divided.denominator == 1 else divided


def _times(weight: Weight) -> int:
    """How often a target is listed: as often as there are rows, if the weight is their number."""
    return int(weight) if isinstance(weight, int) and weight <= LARGEST_LISTED else 1


def _weighed(number: Weight, weight: Weight) -> str:
    several = _times(weight) != weight
    return f"{as_written(number)} (weight {count_text(weight)})" if several else as_written(number)


def _deviation(number: Weight, weight: Weight, median: Number) -> Expression:
    apart = Absolute(Sum((plus(Number(number)), minus(median))))
    return apart if weight == 1 else Product((Number(weight), apart))


def _y_log_y(number: Weight, weight: Weight) -> Expression:
    often = () if weight == 1 else (Number(weight),)
    return Product((*often, Number(number), Log(Number(number), natural=True)))
