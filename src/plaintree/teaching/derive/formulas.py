"""Measures as formulas: the name of what is wanted, the fractions filled in, the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Counts, Value, Weight, added, impurity, total
from plaintree.stats.impurity import Measure, measure_of
from plaintree.tree.condition import Condition, Grouped, Multiway

from .document import (
    Answer,
    Call,
    Entropy,
    Equation,
    Expression,
    Log,
    Number,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
    minus,
    plus,
)
from .tried import Tried

IMPURITY: dict[Measure, str] = {"entropy": "H", "gini": "Gini", "error": "Error"}
"""The name of each measure of impurity in formulas."""
SCORE = {"gain_ratio": "GainRatio", "gain_ratio_conditional": "GainRatio"}
SCORES = {
    "gain_ratio": ("SplitInfo", "GainRatio"),
    "gain_ratio_conditional": ("GainRatio",),
}
"""The columns that tables have behind the gain."""
MOST_BRANCHES = 12
"""If a split has more branches, their impurities are in the table only."""


def impurity_name(criterion: str) -> str:
    """H, Gini or Error."""
    return IMPURITY[measure_of(criterion)]


def test_name(condition: Condition, schema: Schema) -> str:
    """The name of a split in a formula: the attribute, or the condition of its first branch."""
    if isinstance(condition, Multiway | Grouped):
        return schema.names[condition.feature]
    return condition.describe(schema, 0)


def worked(wanted: Call, *steps: Expression, unit: str = "") -> Equation:
    """An equation whose right sides are to be found out; sides that repeat are left out."""
    shown = [step for i, step in enumerate(steps) if i == 0 or step != steps[i - 1]]
    return Equation((wanted, *map(Answer, shown)), unit)


def impurity_equation(
    wanted: Call, counts: Counts, criterion: str, value: Value | None = None, unit: int = 1
) -> Equation:
    """The impurity of class weights, with the fractions filled in; ``value`` if it is known.

    The weights may be counted in parts, of which so many make a ``unit``.
    """
    value = impurity(counts, criterion) if value is None else value
    bits = "" if measure_of(criterion) != "entropy" else "bit" if value == 1 else "bits"
    return worked(wanted, *_filled_in(counts, criterion, unit), Number(value), unit=bits)


def _filled_in(counts: Counts, criterion: str, unit: int) -> tuple[Expression, ...]:
    whole = total(counts)
    match measure_of(criterion):
        case "entropy":
            return _entropy(counts, unit)
        case "gini":
            squares = [minus(Square(Ratio(count, whole, unit))) for count in counts if count]
            return (Sum((plus(Number(1)), *squares)),)
        case "error":
            return (Sum((plus(Number(1)), minus(Ratio(max(counts), whole, unit)))),)


def _entropy(weights: Counts, unit: int) -> tuple[Expression, ...]:
    """Of a single weight, there is nothing to be filled in."""
    return (Entropy(weights, unit),) if sum(map(bool, weights)) > 1 else ()


@dataclass(frozen=True)
class TestFormulas:
    """The formulas of one split at a node, in the order of their computation.

    ``searched``: the split is the best of several, so its name is a result.
    """

    tried: Tried
    schema: Schema
    criterion: str
    n_cuts: int = 1
    weight: Weight = 1
    searched: bool = False

    @cached_property
    def name(self) -> str:
        """The name of the split."""
        condition = self.tried.condition
        named = isinstance(condition, Multiway | Grouped)
        return test_name(condition, self.schema) if named else self.branch_names[0]

    @property
    def _unit(self) -> int:
        return self.tried.scale.unit

    def _call(self, name: str) -> Call:
        return Call(name, self.name, secret=self.searched)

    def equations(self) -> tuple[Equation, ...]:
        """All of them."""
        return (*self._branches(), *self._of_all_branches())

    def on_worksheets(self) -> tuple[Equation, ...]:
        """The same with room for branches without rows, if there are any: a student is to see
        that there is nothing to work out."""
        if all(map(any, self.tried.parts)):
            return ()
        return (*self._branches(empty=True), *self._of_all_branches())

    def _of_all_branches(self) -> Iterator[Equation]:
        yield from (*self._known(), *self._after(), self._gain(), *self._ratio())

    @cached_property
    def branch_names(self) -> list[str]:
        """The branches as text; one for missing values is the last."""
        condition = self.tried.condition
        n = len(self.tried.parts)
        return [condition.describe(self.schema, branch) for branch in range(n)]

    def _branches(self, *, empty: bool = False) -> Iterator[Equation]:
        name = impurity_name(self.criterion)
        tried = self.tried
        every = zip(self.branch_names, tried.parts, tried.impurities, strict=True)
        told = [branch for branch in every if empty or any(branch[1])]
        if len(told) > MOST_BRANCHES:
            return
        for words, counts, value in told:
            wanted = Call(name, words, secret=self.searched)
            if any(counts):
                yield impurity_equation(wanted, counts, self.criterion, value, self._unit)
            else:
                yield worked(wanted, Number(0))

    def _known(self) -> Iterator[Equation]:
        """Where rows with missing values are left out of the gain, the impurity of the others."""
        if self.tried.measures.share == 1:
            return
        known = added(self.tried.parts)
        wanted = Call(impurity_name(self.criterion), self._rows())
        yield impurity_equation(wanted, known, self.criterion, unit=self._unit)

    def _rows(self) -> str:
        missing = self.tried.measures.share != 1
        return f"{self.schema.names[self.tried.condition.feature]} known" if missing else "S"

    def _after(self) -> Iterator[Equation]:
        weights = self.tried.sizes
        whole = total(weights)
        terms = tuple(
            plus(Product((Ratio(weight, whole, self._unit), Number(value))))
            for weight, value in zip(weights, self.tried.impurities, strict=True)
            if weight
        )
        wanted = Call(impurity_name(self.criterion), self._rows(), self.name, self.searched)
        filled = () if len(terms) > MOST_BRANCHES else (Sum(terms),)
        yield worked(wanted, *filled, Number(self.tried.measures.after))

    def _gain(self) -> Equation:
        found = self.tried.measures
        filled: Expression = Sum((plus(Number(found.before)), minus(Number(found.after))))
        if found.share != 1:
            known, everyone = total(self.tried.sizes), total(self.tried.outcomes)
            filled = Product((Ratio(known, everyone, self._unit), filled))
        if found.penalty:
            fine = Quotient(Log(Number(self.n_cuts)), Number(self.weight))
            terms = filled.terms if isinstance(filled, Sum) else (plus(filled),)
            filled = Sum((*terms, minus(fine)))
        return worked(self._call("Gain"), filled, Number(found.gain))

    def _ratio(self) -> Iterator[Equation]:
        found = self.tried.measures
        if self.criterion == "gain_ratio":
            outcomes = self.tried.outcomes
            filled = () if len(outcomes) > MOST_BRANCHES else _entropy(outcomes, self._unit)
            yield worked(self._call("SplitInfo"), *filled, Number(found.split_info))
            divided = Quotient(Number(found.gain), Number(found.split_info))
            yield worked(self._call("GainRatio"), divided, Number(found.score))
        elif self.criterion == "gain_ratio_conditional":
            divided = Quotient(Number(found.gain), Number(found.remaining))
            yield worked(self._call("GainRatio"), divided, Number(found.score))
