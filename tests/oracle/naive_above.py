"""What the nodes above a node leave to it, naively: open columns, bounds, and random draws.

Bounds and values are exact fractions. Random numbers are hashes of the path from the root: the
seed, the tree, and the number of the branch at each node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from plaintree.tree.conventions import OF_TARGETS, Conventions
from tests.oracle import naive_targets
from tests.oracle.naive_table import Known, Rows, Table, class_weights
from tests.oracle.naive_tests import Test, category_tests, midpoint

BITS = 2**64
LARGEST = 1.7976931348623157e308


def mix(a: int, b: int) -> int:
    """A number made of two (the finalizer of SplitMix64)."""
    x = (a + 0x9E3779B97F4A7C15 * (b + 1)) % BITS
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % BITS
    return x ^ (x >> 31)


@dataclass(frozen=True)
class Above:
    """The columns tested many-way above, the least and the greatest value, and the path."""

    used: frozenset[int] = frozenset()
    least: Fraction | None = None
    most: Fraction | None = None
    path: int = mix(mix(0, 2), 0)

    def below(
        self, table: Table, rules: Conventions, test: Test, parts: Sequence[Rows]
    ) -> list[Above]:
        """The same for the children of a node, which have these rows."""
        used = self.used | {test.feature} if test.kind == "multiway" else self.used
        children = [
            replace(self, used=used, path=mix(self.path, branch)) for branch in range(len(parts))
        ]
        sign = sign_of(rules, test.feature)
        if sign == 0:
            return children
        middle = sum(value_of(table, part, rules) for part in parts[:2]) / 2
        low, high = (0, 1) if sign > 0 else (1, 0)
        children[low] = replace(children[low], most=middle)
        children[high] = replace(children[high], least=middle)
        return children

    def clipped(self, value: Fraction) -> Fraction:
        if self.most is not None and value > self.most:
            return self.most
        return self.least if self.least is not None and value < self.least else value

    def allows(self, value: Fraction) -> bool:
        return self.clipped(value) == value


ROOT = Above()


def sign_of(rules: Conventions, column: int) -> int:
    """The direction of a column, which the tests give by positions."""
    return dict(rules.monotonic_cst).get(column, 0)  # type: ignore[arg-type, call-overload, no-any-return]


def value_of(table: Table, rows: Rows | Known, rules: Conventions) -> Fraction:
    """What a leaf over these rows predicts: a number, or the probability of the second class."""
    if rules.criterion in OF_TARGETS:
        return naive_targets.prediction(table, rows, rules.criterion)
    weights = [Fraction(weight) for weight in class_weights(table, rows)]
    return weights[1] / sum(weights)


def keeps_order(
    table: Table, test: Test, parts: Sequence[Rows | Known], rules: Conventions, above: Above
) -> bool:
    """Whether a test may be made on its column, given the rows of its branches."""
    sign = sign_of(rules, test.feature)
    if sign == 0:
        return True
    if not all(parts[:2]):
        return False
    low, high = (value_of(table, part, rules) for part in parts[:2])
    return (high - low) * sign >= 0 and above.allows(low) and above.allows(high)


# -------------------------------------------------------------------- random tests


def drawn_tests(
    table: Table, known: Known, column: int, rules: Conventions, above: Above
) -> list[Test]:
    """The test that a column draws at a node; many-way ones are not drawn."""
    values = sorted({value for _, _, value in known})
    if len(values) < 2:
        return []
    key = mix(mix(above.path, BITS - 1), column)
    if not table.n_categories[column]:
        return drawn_threshold(table, values, column, rules, mix(key, 0))
    every = category_tests(table, known, column, rules)
    if rules.categorical in ("multiway", "grouped") or rules.criterion == "absolute_error":
        return every
    codes = [int(value) for value in values]
    one = codes[mix(key, 0) * len(codes) // BITS]
    if rules.categorical == "one_vs_rest":
        return [test for test in every if test.categories == (one,)]
    inside = {code for code in codes if mix(key, code + 1) >= BITS // 2}
    if len(inside) in (0, len(codes)):
        inside ^= {one}
    sides = (inside, set(codes) - inside)
    return [test for test in every if set(test.categories) in sides]


def drawn_threshold(
    table: Table, values: list[float], column: int, rules: Conventions, number: int
) -> list[Test]:
    low, high = max(values[0], -LARGEST), min(values[-1], LARGEST)
    share = (number >> 11) / 2**53
    cut = low * (1 - share) + high * share
    if not low <= cut < high:
        cut = low
    below = max((v for v in values if v <= cut), default=-inf)
    above = min(v for v in values if v > below)
    if rules.min_separation > 0 and not below < above - rules.min_separation:
        return []
    if rules.threshold == "data_value":
        middle = midpoint(below, above)
        cut = max(v for v in table.columns[column] if v <= middle)
    return [Test("threshold", column, threshold=cut)]
