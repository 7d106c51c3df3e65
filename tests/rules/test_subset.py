"""The choice of rules by description length, compared with the formulas written out."""

from __future__ import annotations

from itertools import product
from math import factorial, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, Feature, Schema
from plaintree.rules.cover import packed
from plaintree.rules.rule import Clause
from plaintree.rules.subset import ClassRules, CLibraryRandom, RuleCode, best_subset

CODE_SCHEMA = Schema(
    (
        Feature("a", "categorical", "text", ("p", "q")),
        Feature("b", "numeric"),
        Feature("c", "numeric"),
    ),
    ("no", "yes"),
)


def test_bits_of_a_rule() -> None:
    columns = [np.array([0, 0, 1, MISSING]), np.array([1.0, 2.0, np.nan, 3.0]), np.full(4, 7.0)]
    code = RuleCode(CODE_SCHEMA, columns)
    category = 0.5 * log2(2) + 0.25 * log2(4)  # the gap counts among the rows only
    number = 1 + log2(4) / 2  # three values and the gap
    assert code.branch_bits == pytest.approx([category, number, 0])
    p = category / (category + number)
    attribute = -p * log2(p) - (1 - p) * log2(1 - p)
    assert code.feature_bits == pytest.approx(attribute)
    clauses = [Clause(0, allowed=1, n_categories=2), Clause(1, low=1.0), Clause(1, high=2.0)]
    each = 3 * attribute + category + 2 * number
    assert code.rule_bits(clauses) == pytest.approx(each + log2(3) - log2(6))
    both = Clause(0, allowed=0b11, n_categories=2)
    assert code.rule_bits([both]) == pytest.approx(attribute + 2)
    grouped = RuleCode(CODE_SCHEMA, columns, frozenset({0}))
    assert grouped.rule_bits(clauses[:1]) == pytest.approx(attribute + 2)
    assert grouped.rule_bits(clauses[1:2]) == code.rule_bits(clauses[1:2])


def bits_slowly(n: int, covered: int, fp: int, fn: int) -> float:
    def selection(n: float, e: float, x: float) -> float:
        if x <= 1e-6:
            return 0 if e == 0 else 1e6
        if x >= n - 1e-6:
            return 0 if e == n else 1e6
        return -e * log2(x / n) - (n - e) * log2(1 - x / n)

    mean = (fp + fn) / 2
    x, y = (mean, fn) if covered > n / 2 else (fp, mean)
    return log2(n) + selection(covered, fp, x) + selection(n - covered, fn, y)


def class_rules(n_rules: int, seed: int, n_rows: int = 70) -> tuple[ClassRules, Any]:
    """Random rules of a class, and a function that writes a subset's bits out."""
    random = np.random.default_rng(seed)
    positive = random.random(n_rows) < 0.4
    covers = random.random((n_rules, n_rows)) < np.where(positive, 0.4, 0.1)
    rule_bits = random.uniform(2, 15, n_rules)

    def bits(chosen: Any) -> float:
        union = covers[np.asarray(chosen)].any(axis=0)
        rules = rule_bits[np.asarray(chosen)].sum() - log2(factorial(int(np.sum(chosen))))
        fp, fn = int((union & ~positive).sum()), int((~union & positive).sum())
        return 0.5 * rules + bits_slowly(n_rows, int(union.sum()), fp, fn)

    return ClassRules(packed(covers), rule_bits, packed(positive), n_rows), bits


@given(n_rules=st.integers(1, 7), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_of_few_rules_every_subset_is_tried(n_rules: int, seed: int) -> None:
    rules, bits = class_rules(n_rules, seed)
    chosen = best_subset(rules, CLibraryRandom(1))
    least = min(bits(np.array(s)) for s in product([False, True], repeat=n_rules))
    assert bits(chosen) == pytest.approx(least)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_of_many_rules_no_single_change_improves_the_choice(seed: int) -> None:
    rules, bits = class_rules(15, seed)
    chosen = best_subset(rules, CLibraryRandom(1))
    for rule in range(15):
        changed = chosen.copy()
        changed[rule] = not changed[rule]
        assert bits(changed) >= bits(chosen) - 1e-9


def climbed_slowly(start: np.ndarray, bits: Any) -> tuple[np.ndarray, float]:
    """The end of a climb: every change of one rule is tried, the first of the best is made."""
    chosen, known = start, bits(start)
    while True:
        changes = [chosen ^ (np.arange(len(chosen)) == rule) for rule in range(len(chosen))]
        tried = [bits(change) for change in changes]
        if min(tried) >= known - 1e-9:
            return chosen, known
        chosen, known = changes[int(np.argmin(tried))], min(tried)


@given(n_rules=st.integers(11, 16), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_of_many_rules_the_best_of_eleven_climbs_is_chosen(n_rules: int, seed: int) -> None:
    rules, bits = class_rules(n_rules, seed)
    draw = CLibraryRandom(1)
    starts = [np.array([draw() < climb / 10 for _ in range(n_rules)]) for climb in range(11)]
    ends = [climbed_slowly(start, bits) for start in starts]
    best = min(ends, key=lambda end: end[1])  # the first of equals
    chosen = best_subset(rules, CLibraryRandom(1))
    assert bits(chosen) == pytest.approx(best[1])
    assert chosen.tolist() == best[0].tolist()


@pytest.mark.parametrize(
    ("seed", "first"),
    [
        (1, [1804289383, 846930886, 1681692777, 1714636915]),
        (12345, [383100999, 858300821]),
        (0, [1804289383]),
    ],
)
def test_the_c_library_s_random_numbers(seed: int, first: list[int]) -> None:
    draw = CLibraryRandom(seed)
    assert [draw() * 2**31 for _ in first] == first
