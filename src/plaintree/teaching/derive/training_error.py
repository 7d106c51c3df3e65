"""How far the predictions of a tree are from the training targets, where these are numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from plaintree.stats.exact import Value, Weight, total
from plaintree.stats.number_sums import NumberSums
from plaintree.stats.sums import Sums
from plaintree.tree.tree import Tree

from .cases import Cases
from .classify import passage
from .document import (
    Block,
    Call,
    Equation,
    Formulas,
    Heading,
    Number,
    Paragraph,
    Quotient,
    Sum,
    minus,
    plus,
)
from .terms import Terms, worked


def training_error(cases: Cases, tree: Tree, terms: Terms[Sums]) -> Iterator[Block]:
    """The section about MSE, MAE and R2; none for classes, whose errors the leaves show."""
    sums = terms.sums
    if isinstance(sums, NumberSums):
        yield Heading(2, ("Training error",))
        yield Paragraph(
            (
                "MSE and MAE are the means of the squared and of the absolute differences between "
                "targets and predictions. R2 is 1 minus the sum of the squared differences, over "
                "that of the differences between the targets and their mean.",
            )
        )
        yield Formulas(tuple(_equations(cases, tree, sums)))


def _equations(cases: Cases, tree: Tree, sums: NumberSums) -> Iterator[Equation]:
    columns = [
        np.array(column, dtype=np.int32 if cases.is_categorical(number) else np.float64)
        for number, column in enumerate(cases.columns)
    ]
    missed: list[tuple[Weight, Fraction]] = []
    targets: list[tuple[Weight, Weight]] = []
    for row, weight in cases.everyone:
        target = sums.number(cases.codes[row])
        missed.append((weight, target - Fraction(passage(tree, columns, row).prediction)))
        targets.append((weight, target))
    whole = total([weight for weight, _ in targets])
    mean = Fraction(total([weight * target for weight, target in targets])) / whole
    squared = total([weight * apart * apart for weight, apart in missed])
    absolute = total([weight * abs(apart) for weight, apart in missed])
    spread = total([weight * (y - mean) * (y - mean) for weight, y in targets])
    yield from (_mean("MSE", squared, whole), _mean("MAE", absolute, whole))
    if spread:
        explained = Sum((plus(Number(1)), minus(Quotient(Number(squared), Number(spread)))))
        score: Value = 1 - Fraction(squared) / spread
        yield worked(Call("R2", "tree"), explained, Number(score))


def _mean(name: str, summed: Weight, whole: Weight) -> Equation:
    filled = Quotient(Number(summed), Number(whole))
    return worked(Call(name, "tree"), filled, Number(Fraction(summed) / whole))
