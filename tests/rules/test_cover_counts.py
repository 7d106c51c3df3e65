"""The counts that the search for a subset of rules keeps, against counting all rows each time."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plaintree.rules.cover import packed
from plaintree.rules.subset import ClassRules, CoverCounts


def class_rules(covers: np.ndarray, positive: np.ndarray) -> ClassRules:
    return ClassRules(
        covers=packed(covers),
        rule_bits=np.ones(len(covers)),
        positive=packed(positive),
        n_rows=len(positive),
    )


def naive(covers: np.ndarray, positive: np.ndarray, chosen: np.ndarray, number: int) -> list:
    """For each rule, its rows that so many chosen rules cover: all, and those of the class."""
    covered_so = covers[chosen].sum(axis=0) == number
    return [
        (covers & covered_so).sum(axis=1).tolist(),
        (covers & covered_so & positive).sum(axis=1).tolist(),
    ]


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(1, 150), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_counts_stay_those_of_all_rows(n_rules, n_rows, seed, density):
    rng = np.random.default_rng(seed)
    covers = rng.random((n_rules, n_rows)) < density
    positive = rng.random(n_rows) < 0.5
    chosen = rng.random(n_rules) < 0.5
    counts = CoverCounts(class_rules(covers, positive), chosen)
    for rule in [None, *rng.integers(n_rules, size=8).tolist()]:
        if rule is not None:
            counts.change(rule, -1 if chosen[rule] else 1)
            chosen[rule] = not chosen[rule]
        assert counts.free.tolist() == naive(covers, positive, chosen, 0)
        assert counts.alone.tolist() == naive(covers, positive, chosen, 1)
        union = covers[chosen].any(axis=0)
        assert counts.union == (union.sum(), (union & positive).sum())
