"""Candidate rules: conditions are left out while the estimate allows it, duplicates merged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, Schema
from plaintree.progress import no_progress
from plaintree.rules.candidates import METHODS, Options, candidate_rules
from plaintree.rules.cover import TrainingRows, count, packed, unpacked
from plaintree.rules.rule import Clause
from plaintree.stats.expected_errors import additional_errors
from tests.support.trees import XY_SCHEMA, build, random_rows, specs

COLOR = 3


def words(rule: Any, schema: Schema = XY_SCHEMA) -> list[str]:
    return [clause.describe(schema) for clause in rule.clauses]


def candidates(
    spec: Any, columns: list[np.ndarray], classes: Any, method: Any = "c4.5rules"
) -> Any:
    rows = TrainingRows(columns, np.asarray(classes, dtype=np.int32), 2)
    return candidate_rules(build(XY_SCHEMA, spec), rows, Options(method), no_progress)


def columns_of(**values: Any) -> list[np.ndarray]:
    """Encoded columns over the schema x, y, size, color; those not given are missing."""
    n = len(next(iter(values.values())))
    filled = {"x": np.nan, "y": np.nan, "size": np.nan, "color": MISSING}
    return [np.asarray(values.get(name, [gap] * n)) for name, gap in filled.items()]


# -------------------------------------------------------------------- sets of rows


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(1, 4))
def test_packed_rows(values: list[bool], n_sets: int) -> None:
    rows = np.array([np.roll(values, i) for i in range(n_sets)])
    assert count(packed(rows)).tolist() == rows.sum(axis=1).tolist()
    assert unpacked(packed(rows), len(values)).tolist() == rows.tolist()


# -------------------------------------------------------------------- leaving conditions out


def generalised_slowly(
    masks: list[np.ndarray], is_class: np.ndarray, method: str
) -> tuple[list[int], float] | None:
    """The conditions that are kept and the estimate, found by counting each rule anew."""
    default = 1 - (is_class.sum() + 1) / (len(is_class) + 2)

    def rates(chosen: list[int]) -> tuple[float, float]:
        covered = np.logical_and.reduce([masks[i] for i in chosen] or [is_class | True])
        t, e = int(covered.sum()), int((covered & ~is_class).sum())
        return (e / t, e / t + float(additional_errors(t, e)) / t) if t else (0.0, default)

    kept = list(range(len(masks)))
    while kept:
        actual, pessimistic = rates(kept)
        without = [rates([i for i in kept if i != d]) for d in kept]
        estimates = [estimate for _, estimate in without]
        if method == "course":
            if min(estimates) >= pessimistic:
                return kept, pessimistic
            del kept[estimates.index(min(estimates))]
        else:
            if not any(a <= actual or p <= pessimistic for a, p in without):
                return (kept, pessimistic) if pessimistic < default else None
            last = max(i for i, p in enumerate(estimates) if p == min(estimates))
            del kept[last]
    return None


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@given(spec=specs(), seed=st.integers(0, 2**32 - 1), gaps=st.booleans())
def test_conditions_are_left_out_one_by_one(method: Any, spec: Any, seed: int, gaps: bool) -> None:
    """Compared with counting anew; a rule of each leaf, apart from duplicates."""
    tree = build(XY_SCHEMA, spec)
    columns = random_rows(XY_SCHEMA, 60, seed, gaps=gaps)
    classes = np.random.default_rng(seed).integers(0, 2, 60)
    found = {rule.leaf: rule for rule in candidates(spec, columns, classes, method)}
    assert [rule.number for rule in found.values()] == list(range(1, len(found) + 1))
    for node in tree.walk():
        if not node.is_leaf or node.weight < 1:
            assert node.index not in found
            continue
        path, leaf, below = [], node, node
        while (above := below.parent) is not None:
            branch = above.children.index(below)
            path.insert(0, Clause.of(above.condition, branch, XY_SCHEMA))
            below = above
        masks = [clause.matches(columns[clause.feature]) for clause in path]
        expected = generalised_slowly(masks, classes == tree.label[leaf.index], method)
        if leaf.index in found:
            assert expected is not None
            rule = found[leaf.index]
            assert set(rule.clauses) == {path[i] for i in expected[0]}
            assert rule.error >= expected[1] - 1e-12  # duplicates keep the higher estimate
            together = np.logical_and.reduce([masks[i] for i in expected[0]])
            fires = unpacked(rule.fires, 60)
            never = method == "c4.5rules" and rule.error > 0.7
            assert fires.tolist() == (together & (not never)).tolist()


def test_a_condition_on_a_missing_value_is_not_satisfied() -> None:
    columns = columns_of(x=[1.0] * 5 + [np.nan] * 3 + [9.0] * 8)
    rules = candidates(("x <=", 5, [8, 0], [0, 8]), columns, [0] * 8 + [1] * 8)
    assert [count(rule.fires) for rule in rules] == [5, 8]


COLORS = XY_SCHEMA.features[COLOR].categories


@pytest.mark.parametrize(
    ("test", "order"),
    [
        (("color", {color: [2, 2] for color in COLORS}), ["color = red", "x <= 5"]),
        (("color in", ["red"], [2, 2], [2, 2]), ["x <= 5", "color = red"]),
    ],
)
def test_the_order_of_conditions_is_no_order(test: Any, order: list[str]) -> None:
    """A category (of column 3) comes before a threshold (of column 0) that stood before it; a set
    does not, even if one category is in it."""
    n = 40
    x, color = np.repeat([1.0, 9.0], n // 2), np.tile([0, 1], n // 2)
    classes = np.where((x < 5) & (color == 0), 0, 1)
    columns = columns_of(x=x, color=color)
    (rule, *_) = candidates(("x <=", 5, test, [2, 2]), columns, classes)
    assert words(rule) == order


def test_the_direction_of_a_cut_is_not_compared() -> None:
    """x <= 5 and x > 5 count as duplicates; the first stays, with the higher estimate."""
    spec = ("y <=", 5, ("x <=", 5, [0, 4], [4, 0]), ("x <=", 5, [4, 0], [0, 8]))
    corners = [(1, 1, 1, 4), (9, 1, 0, 9), (1, 9, 0, 9), (9, 9, 1, 8)]
    x, y, classes = (np.repeat([c[i] for c in corners], [c[3] for c in corners]) for i in range(3))
    columns = columns_of(x=x.astype(float), y=y.astype(float))
    rules = candidates(spec, columns, classes)
    assert [(words(r), r.label) for r in rules] == [
        (["x <= 5", "y <= 5"], 1),
        (["x > 5", "y <= 5"], 0),
    ]
    of_four, of_nine = additional_errors([4, 9], 0) / [4, 9]
    assert [r.error for r in rules] == pytest.approx([of_four, of_nine])
    assert len(candidates(spec, columns, classes, "course")) == 4
