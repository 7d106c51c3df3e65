"""Questions about one node: candidates, one split, thresholds, formulas, rows."""

from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.app.studio.messages.documents import Document, Split
from plaintree.app.studio.replies import Held
from plaintree.app.studio.replies.replay import replayed
from plaintree.errors import ColumnError, ParameterError, TreeError
from plaintree.tree import Tree, path_of, rows_at
from tests.support.studio import (
    ask,
    by_column,
    document,
    held_example,
    held_frame,
    random_frame,
)

LEARNERS = ("id3", "c45", "cart")


def tree_of(held: Held, asked: Document) -> Tree:
    return replayed(held, asked, lambda *_: None).own_tree()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", ["golf", "tennis", "flu", "lisbon_letters", "or_and"])
def test_the_winner_is_the_split_of_the_fit(name: str, learner: str) -> None:
    held = held_example(name)
    asked = document(held, learner=learner, parameters={"pruning": None})
    tree = tree_of(held, asked)
    for node in range(tree.n_nodes):
        found = ask(held, "candidates", document=asked, at=list(path_of(tree, node)))
        assert found.n_rows == tree.n_rows[node]
        assert found.class_weights == pytest.approx(tree.class_weights[node].tolist())
        assert found.impurity == pytest.approx(float(tree.impurity[node]), abs=1e-12)
        if tree.n_children[node]:
            assert found.winner is not None
            winner = found.offers[found.winner]
            assert winner.chosen
            assert winner.rank == 1
            assert isclose(winner.score, float(tree.score[node]), rel_tol=1e-9)
            first = tree.first_child[node]
            weights = tree.class_weights[first : first + tree.n_children[node]].tolist()
            assert [branch.class_weights for branch in winner.branches] == weights
        else:
            assert found.winner is None
            assert found.why_leaf.endswith(".")


@given(seed=st.integers(0, 10_000))
def test_offers_are_ranked_and_measured_alike(seed: int) -> None:
    held = Held()
    frame = random_frame(seed, 40)
    from plaintree.app.studio.replies.reading import opened_frame

    held.hold(opened_frame("key", "random", frame, target="class"))
    learner = LEARNERS[seed % 3]
    asked = document(held, learner=learner, parameters={"pruning": None})
    tree = tree_of(held, asked)
    found = ask(held, "candidates", document=asked, at=[])
    fit = [offer for offer in found.offers if not offer.refused]
    scores = [offer.score for offer in fit]
    assert scores == sorted(scores, reverse=True)
    assert [offer.rank for offer in found.offers if offer.refused] == [0] * (
        len(found.offers) - len(fit)
    )
    assert {offer.column for offer in found.offers} | {
        untried.column for untried in found.untried
    } == set(tree.schema.names)
    for offer in found.offers:
        again = ask(held, "measure", document=asked, at=[], split=offer.split)
        assert again == offer
    if tree.n_children[0]:
        assert found.offers[found.winner].score == pytest.approx(float(tree.score[0]))


def test_ties_share_their_rank() -> None:
    held = held_example("xor")
    found = ask(held, "candidates", document=document(held, learner="id3"), at=[])
    assert [(offer.rank, offer.tied) for offer in found.offers] == [(1, True), (1, True)]
    assert found.winner == 0
    assert found.tie_break == "first column"
    golf = held_example("golf")
    assert ask(golf, "candidates", document=document(golf, learner="id3"), at=[]).tie_break == ""


def test_a_leaf_that_is_open_counts_as_tied() -> None:
    held = held_example("xor")
    found = ask(held, "tree", document=document(held, learner="id3", start="open"))
    assert (found.open, found.tied, found.facts.n_tied) == ([0], [1], 1)
    grown = ask(held, "tree", document=document(held, learner="id3"))
    assert grown.tied[0] == found.tied[0]


def test_columns_and_categories_may_have_any_name(tmp_path: Path) -> None:
    strange, categories = "income, {gross} ", ["x, y", " z", ""]
    values = list(range(12))
    frame = pl.DataFrame(
        {
            strange: values,
            "kind\u202e": [categories[i % 3] for i in values],
            "class": ["p" if i > 5 else "q" for i in values],
        }
    )
    held = held_frame(frame, tmp_path, "table.parquet")
    asked = document(held, learner="cart")
    tree = ask(held, "tree", document=asked)
    assert tree.names == [strange, "kind\u202e"]
    (offer, *_) = ask(held, "candidates", document=asked, at=[]).offers
    found = ask(held, "cuts", document=asked, at=[], column=offer.split.column)
    assert found.column == strange
    facts = ask(held, "open", key="key")
    kind = next(column for column in facts.columns if column.kind == "category")
    assert set(kind.values) == set(categories)
    for value in kind.values:
        row = {strange: "3", "kind\u202e": value}
        assert ask(held, "explain", document=asked, row=row).prediction == "q"


def test_a_split_by_groups_lists_the_values_of_both_sides(tmp_path: Path) -> None:
    rows = [(f"town {i:02}", "big" if i % 3 else "small") for i in range(40)]
    frame = pl.DataFrame(rows * 2, schema=["town", "class"], orient="row")
    held = held_frame(frame, tmp_path)
    found = ask(held, "candidates", document=document(held, learner="cart"), at=[])
    (offer,) = found.offers
    sides = [branch.values for branch in offer.branches]
    small = [town for town, size in rows if size == "small"]
    assert sorted(sides, key=len) == [small, [town for town, _ in rows if town not in small]]
    again = ask(held, "measure", document=document(held, learner="cart"), at=[], split=offer.split)
    assert again == offer
    narrower = Split(column="town", subset=small[:4])
    one = ask(held, "measure", document=document(held, learner="cart"), at=[], split=narrower)
    assert [len(branch.values) for branch in one.branches] == [4, 36]


def test_a_split_by_hand_is_listed_among_the_others() -> None:
    held = held_example("golf")
    edits = [by_column([], "humidity", cut=70.0)]
    asked = document(held, edits=edits, learner="cart", start="open")
    found = ask(held, "candidates", document=asked, at=[])
    (chosen,) = (offer for offer in found.offers if offer.chosen)
    assert chosen.text == "humidity <= 70"
    assert found.offers[found.winner].text == "outlook = overcast"
    assert chosen.rank > 1


def test_refused_splits_have_a_reason() -> None:
    held = held_example("golf")
    found = ask(held, "candidates", document=document(held, learner="c45"), at=[])
    refused = [offer for offer in found.offers if offer.refused]
    assert refused
    assert "the gain is below the average" in {offer.refused for offer in refused}
    assert found.mean_gain is not None
    asked = document(held, learner="cart", parameters={"min_samples_leaf": 6})
    split = Split(column="humidity", cut=95.5)
    one = ask(held, "measure", document=asked, at=[], split=split)
    assert one.refused == "too few rows in a branch"
    assert one.rank == 0


def test_missing_values_are_counted_and_explained(tmp_path: Path) -> None:
    held = held_frame(random_frame(4, 80), tmp_path)
    found = ask(held, "candidates", document=document(held, learner="c45"), at=[])
    for offer in found.offers:
        column = held.opened.column(offer.column)
        n_missing = int(column.missing.sum())
        assert offer.n_missing == n_missing
        assert ("no value" in offer.missing) == (n_missing > 0)
        assert sum(branch.weight for branch in offer.branches) == pytest.approx(80)
        assert sum(branch.n_rows for branch in offer.branches) == 80 + n_missing * (
            len(offer.branches) - 1
        )


@pytest.mark.parametrize("learner", ["id3", "cart"])
def test_thresholds_are_all_between_values(learner: str) -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner=learner)
    found = ask(held, "cuts", document=asked, at=[], column="humidity")
    values = np.unique(X["humidity"].to_numpy())
    assert found.thresholds == ((values[1:] + values[:-1]) / 2).tolist()
    labels = (y == "yes").to_numpy().astype(int)
    for threshold, below, score in zip(found.thresholds, found.below, found.scores, strict=True):
        inside = X["humidity"].to_numpy() <= threshold
        assert below == np.bincount(labels[inside], minlength=2).tolist()
        split = Split(column="humidity", cut=threshold)
        one = ask(held, "measure", document=asked, at=[], split=split)
        assert one.score == pytest.approx(score)
    assert np.array(found.counts).sum(axis=0).tolist() == found.total == [5.0, 9.0]
    offers = ask(held, "candidates", document=asked, at=[]).offers
    (offer,) = (it for it in offers if it.column == "humidity")
    assert found.thresholds[found.best] == offer.split.cut
    assert found.values == X["humidity"].to_numpy().astype(float).tolist()
    with pytest.raises(ColumnError, match="have thresholds"):
        ask(held, "cuts", document=asked, at=[], column="outlook")


def test_numeric_branches_have_deviations() -> None:
    held = held_example("houses")
    X, y = pt.datasets.load_houses()
    asked = document(held, task="regression", learner="cart")
    found = ask(held, "candidates", document=asked, at=[])
    for offer in found.offers:
        tree = tree_of(
            held,
            document(
                held,
                edits=[by_column([], **split_of(offer))],
                task="regression",
                learner="cart",
                start="open",
            ),
        )
        targets = np.asarray(y, dtype=float)
        for place, branch in enumerate(offer.branches):
            rows = rows_at(tree, X, [place]).positions
            assert branch.deviation == pytest.approx(targets[rows].std())


def split_of(offer: Any) -> dict[str, Any]:
    given = {"cut": offer.split.cut, "equals": offer.split.equals, "subset": offer.split.subset}
    return {"column": offer.split.column, **{k: v for k, v in given.items() if v is not None}}


def test_numeric_targets_have_means() -> None:
    held = held_example("houses")
    y = pt.datasets.load_houses().y.to_numpy()
    asked = document(held, task="regression", learner="cart")
    found = ask(held, "candidates", document=asked, at=[])
    assert found.prediction == pytest.approx(float(y.mean()))
    assert found.deviation == pytest.approx(float(y.std()))
    assert found.class_weights == []
    tree = tree_of(held, asked)
    winner = found.offers[found.winner]
    assert winner.score == pytest.approx(float(tree.score[0]))
    children = tree.prediction[1:3]
    assert [branch.prediction for branch in winner.branches] == pytest.approx(children.tolist())
    cuts = ask(held, "cuts", document=asked, at=[], column="area")
    assert len(cuts.total) == 1


def test_formulas_are_those_of_the_library() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="id3")
    model = pt.ID3Classifier().fit(X, y)
    split = Split(column="humidity", cut=77.5)
    for measure, by in (("impurity", None), ("gain", split), ("remainder", split)):
        found = ask(held, "formula", document=asked, at=[2], measure=measure, split=by)
        condition = None if by is None else "humidity <= 77.5"
        expected = pt.teaching.formula_of(model, X, y, [2], measure=measure, condition=condition)
        assert (found.text, found.latex) == (expected.to_text(), expected.to_latex())
        assert found.title == expected.definition
        kinds = [part.kind for part in found.equations[0]]
        assert kinds.count("relation") == len(expected.equation.parts) - 1
    exact = ask(held, "formula", document=asked, at=[], exact=True, digits=2)
    assert exact.text == pt.teaching.formula_of(model, X, y, exact=True, digits=2).to_text()
    with pytest.raises(ParameterError, match="measure"):
        ask(held, "formula", document=asked, at=[], measure="beauty")


def test_addresses_in_formulas_can_be_asked_again() -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    split = Split(column="outlook")
    found = ask(held, "formula", document=asked, at=[], measure="gain", split=split)
    pending = [part for equation in found.equations for part in equation]
    addresses = []
    while pending:
        part = pending.pop()
        pending += part.parts
        addresses += [part.address] if part.address else []
    assert {address["measure"] for address in addresses} == {"impurity", "remainder"}
    for address in addresses:
        again = None if "split" not in address else split
        assert ask(
            held, "formula", document=asked, at=address["node"],
            measure=address["measure"], split=again,
        ).text  # fmt: skip


@pytest.mark.parametrize("learner", [*LEARNERS, "forest"])
def test_rows_are_those_of_the_library(learner: str, tmp_path: Path) -> None:
    held = held_frame(random_frame(5, 80), tmp_path)
    asked = document(held, learner=learner)
    work = replayed(held, asked, lambda *_: None)
    tree = work.tree()
    for node in range(tree.n_nodes):
        found = ask(held, "rows", document=asked, at=list(path_of(tree, node)))
        expected = rows_at(tree, work.training.X, node)
        assert found.rows == expected.positions.tolist()
        assert found.weights == expected.weights.tolist()
        assert found.divided == bool((expected.weights < 1).any())


def test_a_path_to_nowhere_is_an_error() -> None:
    held = held_example("golf")
    for name in ("candidates", "rows"):
        with pytest.raises(TreeError, match="leads to no node"):
            ask(held, name, document=document(held), at=[9])


def test_class_weights_have_formulas() -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    found = ask(held, "formula", document=asked, at=[], measure="class_weight", label="yes")
    expected = pt.teaching.formula_of(model, X, y, measure="class_weight", label="yes")
    assert found.text == str(expected)
    with pytest.raises(ParameterError, match="label is not a class"):
        ask(held, "formula", document=asked, at=[], measure="class_weight", label="perhaps")
