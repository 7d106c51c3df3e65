"""The columns of a tree: what the cards show of each node beside its counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from plaintree.app.studio.messages.documents import Document
from plaintree.app.studio.replies import Held
from plaintree.app.studio.replies.replay import replayed
from plaintree.stats.intervals import wilson
from plaintree.tree import Tree, path_of, rows_at
from tests.support.studio import ask, document, held_example, held_frame, random_frame

SEEDS = range(3)
MISSING: dict[str, dict[str, Any]] = {
    "c45": {"missing": "fractional"},
    "cart": {"missing": "surrogate"},
    "id3": {"missing": "branch"},
}


def tree_of(held: Held, asked: Document) -> Tree:
    return replayed(held, asked, lambda *_: None).own_tree()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("criterion", ["gain_ratio", "information_gain"])
def test_the_gain_is_that_of_the_candidates(seed: int, criterion: str, tmp_path: Path) -> None:
    held = held_frame(random_frame(seed, 120), tmp_path)
    asked = document(held, learner="c45", parameters={"criterion": criterion, "pruning": None})
    tree, found = tree_of(held, asked), ask(held, "tree", document=asked)
    if criterion == "information_gain":
        assert found.gain == []
        return
    assert found.gain_name == "information gain"
    for node in np.flatnonzero(tree.n_children).tolist():
        offers = ask(held, "candidates", document=asked, at=list(path_of(tree, node))).offers
        chosen = next(offer for offer in offers if offer.chosen)
        assert found.gain[node] == pytest.approx(chosen.gain, abs=1e-6)
        assert found.score[node] == pytest.approx(chosen.score, abs=1e-6)


@pytest.mark.parametrize("learner", MISSING)
def test_errors_add_up_and_intervals_are_wilsons(learner: str, tmp_path: Path) -> None:
    held = held_frame(random_frame(5, 150), tmp_path)
    asked = document(held, learner=learner, parameters={**MISSING[learner], "max_depth": 3})
    tree, found = tree_of(held, asked), ask(held, "tree", document=asked)
    right = tree.class_weights[np.arange(tree.n_nodes), tree.label]
    for node in range(tree.n_nodes):
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        below = sum(found.errors[first : first + n]) if n else tree.weight[node] - right[node]
        assert found.errors[node] == pytest.approx(below, abs=1e-3)
        ends = wilson(right[node] / max(tree.weight[node], 1e-9), tree.weight[node], 1.959964)
        assert (found.low[node], found.high[node]) == pytest.approx(ends, abs=1e-4)
    if learner == "cart":  # divided rows are predicted by several leaves at once
        assert found.errors[0] == found.facts.training


@pytest.mark.parametrize("learner", MISSING)
@pytest.mark.parametrize("seed", SEEDS)
def test_missing_values_are_counted_at_each_node(learner: str, seed: int, tmp_path: Path) -> None:
    held = held_frame(random_frame(seed, 150), tmp_path)
    asked = document(held, learner=learner, parameters=MISSING[learner])
    work = replayed(held, asked, lambda *_: None)
    tree, found = work.own_tree(), {it.node: it for it in ask(held, "tree", document=asked).missing}
    assert found
    for node in np.flatnonzero(tree.n_children).tolist():
        reached = rows_at(tree, work.training.X, node)
        feature = tree.schema.features[tree.feature[node]]
        values = work.rows.columns[tree.feature[node]][reached.positions]
        absent = feature.missing(values)
        codes = work.rows.codes[reached.positions[~absent]]
        known = np.bincount(codes, reached.weights[~absent], minlength=2)
        n_missing = reached.weights[absent].sum()
        assert (node in found) == (n_missing > 0)
        if node in found:
            assert found[node].weight == pytest.approx(n_missing)
            assert found[node].known == pytest.approx(known.tolist())


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, "2 rows have no value: divided 4/8 to 4/8"),
        ({"missing": "branch"}, "2 rows have no value: go to the branch missing"),
        ({"missing": "most_common"}, "2 rows have no value: counted as a"),
    ],
    ids=["divided", "branch", "most common"],
)
def test_where_missing_values_go(parameters: dict[str, Any], text: str, tmp_path: Path) -> None:
    values = ["a"] * 4 + ["b"] * 4 + [None] * 2
    frame = pl.DataFrame({"x": values, "y": ["no"] * 4 + ["yes"] * 4 + ["no", "yes"]})
    held = held_frame(frame, tmp_path)
    asked = document(held, learner="c45", parameters={"pruning": None, **parameters})
    (facts,) = ask(held, "tree", document=asked).missing
    assert (facts.node, facts.weight, facts.known, facts.text) == (0, 2.0, [4.0, 4.0], text)
    (offer,) = ask(held, "candidates", document=asked, at=[]).offers
    assert offer.missing == text


def test_numbers_have_a_spread_around_the_prediction(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": range(40), "y": [2.0 * x + x % 3 for x in range(40)]})
    held = held_frame(frame, tmp_path)
    asked = document(held, task="regression", learner="cart", parameters={"max_depth": 2})
    found = ask(held, "tree", document=asked)
    assert found.errors == found.gain == []
    middle = (np.array(found.low) + np.array(found.high)) / 2
    assert middle.tolist() == pytest.approx(found.prediction)
    assert (np.array(found.high) - middle).tolist() == pytest.approx(found.deviation)


def test_a_tree_without_missing_values_has_none() -> None:
    held = held_example("golf")
    found = ask(held, "tree", document=document(held, learner="c45"))
    assert found.missing == []
    assert max(found.n_children) == 3
