"""An ensemble as a whole: facts, importances and the tree that predicts most like it."""

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import TreeError
from tests.support.studio import ask, document, held_example


@pytest.mark.parametrize("learner", ["forest", "bagged"])
def test_the_facts_of_a_forest_are_those_of_the_library(learner: str) -> None:
    held = held_example("loans")
    asked = document(held, learner=learner, parameters={"n_estimators": 40})
    found = ask(held, "ensemble", document=asked)
    X, y = pt.datasets.load_loans()
    kind = pt.RandomForestClassifier if learner == "forest" else pt.BaggedTreesClassifier
    model = kind(n_estimators=40, oob_score=True).fit(X, y)
    facts = {fact.title: fact.text for fact in found.facts}
    leaves = [tree.n_leaves for tree in model.trees_]
    assert facts["Trees"] == "40"
    assert facts["Conventions"] == str(model.trees_[0].conventions)
    assert facts["Leaves of a tree"].startswith(f"{min(leaves)} to {max(leaves)}, mean")
    if learner == "forest":
        assert facts["Columns tried at a node"] == f"{model.max_features_} of 15, sampled"
    permuted = model.oob_permutation_importance(X, y).importances_mean
    by_name = {it.column: it for it in found.importances}
    for name, lost, part in zip(X.columns, permuted, model.feature_importances_, strict=True):
        assert by_name[name].permutation == pytest.approx(lost)
        assert by_name[name].impurity == pytest.approx(part)
    order = [it.permutation for it in found.importances]
    assert order == sorted(order, reverse=True)
    # The tree that agrees with the forest most often.
    together = model.predict(X)
    same = [int(np.sum(np.asarray(tree.predict(X)) == together)) for tree in model.estimators_]
    assert same[found.typical] == max(same)
    assert f"{max(same):,} of 1,200 training rows" in found.typical_text


def test_a_forest_of_numbers_has_the_tree_nearest_to_its_mean() -> None:
    held = held_example("houses")
    parameters: dict[str, Any] = {"n_estimators": 40}
    asked = document(held, learner="forest", task="regression", parameters=parameters)
    found = ask(held, "ensemble", document=asked)
    X, y = pt.datasets.load_houses()
    model = pt.RandomForestRegressor(40, oob_score=True).fit(X, y)
    together = model.predict(X)
    apart = [float(np.abs(tree.predict(X) - together).mean()) for tree in model.estimators_]
    assert found.typical == int(np.argmin(apart))
    assert {"Prediction": "mean of the trees"}.items() <= {
        fact.title: fact.text for fact in found.facts
    }.items()
    assert all(0 <= it.impurity <= 1 for it in found.importances)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_rows_in_every_sample_are_not_counted_as_measured() -> None:
    held = held_example("loans")
    asked = document(held, learner="forest", parameters={"n_estimators": 3})
    facts = ask(held, "tree", document=asked).facts
    X, y = pt.datasets.load_loans()
    model = pt.RandomForestClassifier(3, oob_score=True).fit(X, y)
    n_measured = int((~np.isnan(model.oob_decision_function_[:, 0])).sum())
    assert (facts.measure, facts.n_measured) == ("out-of-bag errors", n_measured)
    assert n_measured < facts.n_rows


def test_a_single_tree_is_not_an_ensemble() -> None:
    held = held_example("golf")
    with pytest.raises(TreeError, match="single tree"):
        ask(held, "ensemble", document=document(held, learner="id3"))
