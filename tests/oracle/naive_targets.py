"""A numeric target as the naive grower sees it: predictions and impurities in exact fractions.

The *information* of rows is their weight times their impurity. Logarithms have 50 digits, of which
35 are kept: equal splits have equal values.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from tests.oracle.naive_table import Known, Rows, Table


def weight_and_sum(table: Table, rows: Rows | Known) -> tuple[Fraction, Fraction]:
    weights = [(Fraction(entry[1]), Fraction(table.y[entry[0]])) for entry in rows]
    return sum((w for w, _ in weights), Fraction()), sum((w * y for w, y in weights), Fraction())


def prediction(table: Table, rows: Rows | Known, criterion: str) -> Fraction:
    """What a leaf over these rows predicts: their mean, or their median."""
    if criterion == "absolute_error":
        return sum(medians(table, rows), Fraction()) / 2
    weight, total = weight_and_sum(table, rows)
    return total / weight


def medians(table: Table, rows: Rows | Known, slack: float = 0.0) -> tuple[Fraction, Fraction]:
    """The lower and the upper weighted median; they differ where half the weight lies below."""
    total, _ = weight_and_sum(table, rows)
    below, near = Fraction(), Fraction(slack) * total
    found = []
    for y in sorted({table.y[entry[0]] for entry in rows}):
        below += sum(Fraction(entry[1]) for entry in rows if table.y[entry[0]] == y)
        if 2 * below >= total - near:
            found.append(Fraction(y))
        if 2 * below > total + near:
            break
    return found[0], found[-1]


def information(table: Table, rows: Rows | Known, criterion: str) -> Fraction:
    """Squared or absolute deviations, or half the Poisson deviance; 0 without rows."""
    if not rows:
        return Fraction()
    mean = prediction(table, rows, criterion)
    pairs = [(Fraction(entry[1]), Fraction(table.y[entry[0]])) for entry in rows]
    if criterion == "squared_error":
        return sum((w * (y - mean) ** 2 for w, y in pairs), Fraction())
    if criterion == "absolute_error":
        return sum((w * abs(y - mean) for w, y in pairs), Fraction())
    assert criterion == "poisson", criterion
    return sum((w * y * logarithm(y / mean) for w, y in pairs if y > 0), Fraction())


def logarithm(number: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 50
        found = (Decimal(number.numerator) / Decimal(number.denominator)).ln()
        return Fraction(found)


def rounded(number: Fraction) -> Fraction:
    return Fraction(round(number * 10**35), 10**35)


def allows(table: Table, rows: Rows | Known, criterion: str) -> bool:
    """Whether a branch may have these rows: Poisson deviance from a prediction of 0 is infinite."""
    return criterion != "poisson" or not rows or prediction(table, rows, criterion) > 0
