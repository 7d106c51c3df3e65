"""The formulas of a split: the name of what is wanted, the numbers filled in, the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Weight, added, total
from plaintree.stats.sums import Sums
from plaintree.tree.condition import Condition, Grouped, Multiway

from .address import NOWHERE, Address, Measure, RowGroup
from .document import (
    Call,
    Equation,
    Expression,
    Log,
    Number,
    Product,
    Quotient,
    Ratio,
    Sum,
    minus,
    plus,
)
from .terms import MOST_TERMS, Terms, entropy_terms, worked
from .tried import Tried

SCORE = {"gain_ratio": "GainRatio", "gain_ratio_conditional": "GainRatio"}
SCORES = {
    "gain_ratio": ("SplitInfo", "GainRatio"),
    "gain_ratio_conditional": ("GainRatio",),
}
"""The columns that tables have behind the gain."""


def test_name(condition: Condition, schema: Schema) -> str:
    """The name of a split in a formula: the attribute, or the condition of its first branch."""
    if isinstance(condition, Multiway | Grouped):
        return schema.names[condition.feature]
    return condition.describe(schema, 0)


@dataclass(frozen=True)
class TestFormulas:
    """The formulas of one split at a node, in the order of their computation.

    ``searched``: the split is the best of several, so its name is a result. ``of``: the rows of
    the node that the split divides, so numbers have addresses.
    """

    tried: Tried
    terms: Terms[Sums]
    n_cuts: int = 1
    weight: Weight = 1
    searched: bool = False
    of: RowGroup = NOWHERE

    @cached_property
    def name(self) -> str:
        """The name of the split."""
        condition = self.tried.condition
        named = isinstance(condition, Multiway | Grouped)
        return test_name(condition, self.schema) if named else self.branch_names[0]

    @property
    def schema(self) -> Schema:
        """With names fit to print."""
        return self.terms.shown

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
        yield from (*self._known(), self.remainder(), self.gain(), *self.ratios())

    @cached_property
    def branch_names(self) -> list[str]:
        """The branches as text; one for missing values is the last."""
        condition = self.tried.condition
        n = len(self.tried.parts)
        return [condition.describe(self.schema, branch) for branch in range(n)]

    def _branches(self, *, empty: bool = False) -> Iterator[Equation]:
        name, tried = self.terms.impurity, self.tried
        every = zip(self.branch_names, tried.parts, strict=True)
        told = [branch for branch in every if empty or any(branch[1])]
        if len(told) > MOST_TERMS:
            return
        for words, counts in told:
            wanted = Call(name, words, secret=self.searched)
            yield from self.terms.branch_equations(wanted, counts, self._unit)

    def _known(self) -> Iterator[Equation]:
        """Where rows with missing values are left out of the gain, the impurity of the others."""
        if self.tried.measures.share == 1:
            return
        known = added(self.tried.parts)
        wanted = Call(self.terms.impurity, self.rows_name)
        yield from self.terms.impurity_equations(wanted, known, self._unit)

    @property
    def rows_name(self) -> str:
        """The name of the rows that the split is measured on."""
        missing = self.tried.measures.share != 1
        return f"{self.schema.names[self.tried.condition.feature]} known" if missing else "S"

    def remainder(self) -> Equation:
        """The impurity that the split leaves."""
        wanted = Call(self.terms.impurity, self.rows_name, self.name, self.searched)
        left = self.terms.left(self.tried, self.of)
        return worked(wanted, *left, Number(self.tried.measures.after))

    def gain(self) -> Equation:
        """The impurity that the split removes."""
        found, of, node = self.tried.measures, self.of, self.of.whole
        rows = node if found.share == 1 else of
        before = Number(found.before, rows.address("impurity"))
        after = Number(found.after, of.address("remainder"))
        filled: Expression = Sum((plus(before), minus(after)))
        if found.share != 1:
            addresses = (of.address("weight"), node.address("weight"))
            scale = self.tried.scale
            known = Ratio(scale.known, scale.everyone, self._unit, addresses)
            filled = Product((known, filled))
        if found.penalty:
            fine = Quotient(Log(Number(self.n_cuts)), Number(self.weight, node.address("weight")))
            terms = filled.terms if isinstance(filled, Sum) else (plus(filled),)
            filled = Sum((*terms, minus(fine)))
        return worked(self._call("Gain"), filled, Number(found.gain))

    def ratios(self) -> Iterator[Equation]:
        """What the gain is divided by, and the ratio, if the criterion asks for one."""
        found, criterion = self.tried.measures, self.terms.sums.criterion
        if criterion == "gain_ratio":
            filled = self._split_information()
            yield worked(self._call("SplitInfo"), *filled, Number(found.split_info))
            split_info = Number(found.split_info, self.of.address("split_information"))
            divided = Quotient(Number(found.gain, self.of.address("gain")), split_info)
            yield worked(self._call("GainRatio"), divided, Number(found.score))
        elif criterion == "gain_ratio_conditional":
            remaining: Measure = "remainder" if found.share == 1 else "known_remainder"
            divided = Quotient(
                Number(found.gain, self.of.address("gain")),
                Number(found.remaining, self.of.address(remaining)),
            )
            yield worked(self._call("GainRatio"), divided, Number(found.score))

    def _split_information(self) -> tuple[Expression, ...]:
        """The entropy of the outcomes, times the fraction of the rows that they have."""
        outcomes, scale = self.tried.outcomes, self.tried.scale
        filled = entropy_terms(outcomes, self._unit, self._addresses_of_outcomes())
        if len(outcomes) > MOST_TERMS or not filled:
            return ()
        counted = total(outcomes)
        if counted == scale.everyone:
            return filled
        addresses = (None, self.of.whole.address("weight"))
        return (Product((Ratio(counted, scale.everyone, self._unit, addresses), *filled)),)

    def _addresses_of_outcomes(self) -> tuple[Address | None, ...]:
        """The addresses of the weight of all outcomes, of each branch, and of missing values."""
        tried, of = self.tried, self.of
        if of.node is None:
            return ()
        branches = [i for i in range(len(tried.parts)) if i != tried.aside]
        missing = [of.address("missing_weight")] * bool(tried.scale.missing)
        all_count = total(tried.outcomes) == tried.scale.everyone
        whole = of.whole.address("weight") if all_count else None
        return (whole, *(of.branch(i).address("weight") for i in branches), *missing)
