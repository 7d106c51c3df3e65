"""Splits of a node measured side by side, against the worked solution, which counts rows singly."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from plaintree.app.studio.replies import Held
from plaintree.app.studio.replies.analysis import place_of
from plaintree.app.studio.replies.one_split import NodeSums
from plaintree.app.studio.replies.reading import opened_frame
from plaintree.app.studio.replies.replay import Work, replayed
from plaintree.teaching.derive.offers import measured
from plaintree.teaching.derive.surrogates import grown_branches
from plaintree.tree import Condition, path_of
from plaintree.tree.condition import Equals, Multiway, Subset, Threshold
from tests.support.studio import document, random_frame

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("c45", {"pruning": None}),
    ("c45", {"pruning": None, "min_samples_branch": 4}),
    ("id3", {"missing": "most_common"}),
    ("id3", {"missing": "most_common_in_class"}),
    ("id3", {"missing": "branch"}),
    ("cart", {"min_samples_leaf": 3}),
    ("cart", {"min_samples_leaf": 0.1, "criterion": "entropy"}),
    ("tree", {"missing": "fractional", "categorical": "subset", "min_samples_leaf": 2}),
]


def conditions_at(work: Work, rng: np.random.Generator) -> list[Condition]:
    """Splits of every column, most of which the learner would not try."""
    found: list[Condition] = []
    for column, feature in enumerate(work.own_tree().schema.features):
        if feature.is_categorical:
            n = len(feature.categories)
            found += [Multiway(column, n), Equals(column, int(rng.integers(n)))]
            found += [Subset(column, tuple(sorted(rng.permutation(n)[: max(1, n // 2)].tolist())))]
        else:
            values = work.rows.columns[column]
            known = values[~np.isnan(values)]
            for quantile in rng.random(3):
                found.append(Threshold(column, float(np.quantile(known, quantile))))
    return found


def check_all(work: Work, rng: np.random.Generator) -> int:
    """Compare both ways for splits at some nodes; how many were compared."""
    tree, n = work.own_tree(), 0
    for node in rng.permutation(tree.n_nodes)[:6].tolist():
        at = list(path_of(tree, node))
        place, sums = place_of(work, at), NodeSums.of(work, at)
        for condition in conditions_at(work, rng):
            one, other = sums.measured(condition), measured(place.cases, place.rows, condition)
            assert (one is None) == (other is None)
            if one is None or other is None:
                continue
            n += 1
            expected = other.measures
            pairs = (
                (one.measures.gain, expected.gain),
                (one.measures.score, expected.score),
                (one.measures.after, expected.after),
            )
            for value, wanted in pairs:
                assert_allclose(float(value), float(wanted), rtol=1e-8, atol=1e-10)
            assert one.allowed == other.allowed
            check_groups(work, at, condition)
    return n


def check_groups(work: Work, at: list[int], condition: Condition) -> None:
    place, sums = place_of(work, at), NodeSums.of(work, at)
    groups = sums.groups(condition)
    branches = grown_branches(place.cases, place.rows, condition)
    if groups is None:
        assert work.own_tree().conventions.missing == "surrogate"
        return
    assert [group.n_rows for group in groups] == [len(rows) for rows in branches]
    for group, rows in zip(groups, branches, strict=True):
        counts = place.cases.counts(rows)
        assert_allclose([float(c) for c in group.counts], [float(c) for c in counts], rtol=1e-8)


@pytest.mark.parametrize(("learner", "parameters"), SETTINGS)
@pytest.mark.parametrize("seed", range(4))
def test_splits_are_measured_as_in_the_worked_solution(
    learner: str, parameters: dict[str, Any], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    held = Held()
    held.hold(opened_frame("key", "table", random_frame(seed), ()))
    asked = document(held, learner=learner, parameters=parameters)
    work = replayed(held, asked, lambda *_: None)
    assert check_all(work, rng)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("learner", ["cart", "tree"])
@pytest.mark.parametrize("seed", range(4))
def test_splits_of_numeric_targets_are_measured_alike(
    criterion: str, learner: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    targets = np.round(rng.gamma(2.0, 3.0, 60), 2) + 0.01
    frame = random_frame(seed).drop("class").with_columns(y=pl.Series(targets))
    held = Held()
    held.hold(opened_frame("key", "table", frame, ()))
    asked = document(held, learner=learner, parameters={"criterion": criterion}, task="regression")
    assert check_all(replayed(held, asked, lambda *_: None), rng)


def test_node_sums_are_kept_by_the_way_to_the_node() -> None:
    held = Held()
    held.load_example("golf", "golf")
    work = replayed(held, document(held, learner="c45"), lambda *_: None)
    assert NodeSums.of(work, [0]) is NodeSums.of(work, [0])
    assert NodeSums.of(work, [0]) is not NodeSums.of(work, [])
