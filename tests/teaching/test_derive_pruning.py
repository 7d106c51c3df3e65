"""Pruning in a derivation: the figures of every node, and the tree that the model ended with."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.pruning.methods import METHODS
from plaintree.pruning.path import path_of
from plaintree.teaching.derive.pruning_steps import LEDGERS, before_pruning, pruning_of
from plaintree.teaching.derive.solution import derive
from plaintree.tree.walk import rows_from
from tests.support.reference_tables import load, needs_shared

MODELS = {
    "error_based": pt.C45Classifier(),
    "strict": pt.C45Classifier(confidence=0.05),
    "grouped": pt.C45Classifier(categorical="grouped"),
    "bottom up": pt.ID3Classifier(pruning="reduced_error", pruning_options={"random_state": 0}),
    "greedy": pt.ID3Classifier(
        pruning="reduced_error", pruning_options={"random_state": 0, "order": "greedy"}
    ),
    "alpha": pt.CARTClassifier(pruning="cost_complexity", pruning_options={"alpha": 0.01}),
    "impurity": pt.CARTClassifier(
        pruning="cost_complexity", pruning_options={"alpha": 0.01, "risk": "impurity"}
    ),
    "one_se": pt.CARTClassifier(
        pruning="cost_complexity", pruning_options={"choice": "one_se", "random_state": 0}
    ),
    "pessimistic": pt.ID3Classifier(pruning="pessimistic"),
    "mdl": pt.ID3Classifier(pruning="mdl"),
    "limits": pt.ID3Classifier(
        pruning="limits", pruning_options={"max_depth": 3, "min_samples_leaf": 3}
    ),
    "significance": pt.ID3Classifier(
        pruning="limits", pruning_options={"significance": 0.05, "min_score": 0.01}
    ),
    "merged": pt.ID3Classifier(pruning="mdl", pruning_options={"merge_leaves": True}),
}


def noisy(n: int = 120) -> tuple[dict[str, Any], list[str]]:
    """Numbers, categories and missing values, with classes that follow them most of the time."""
    random = np.random.default_rng(5)
    x, z = random.normal(size=n).round(2), random.choice(["a", "b", "c", None], size=n)
    flipped = random.random(n) < 0.2
    y = np.where((x > 0) ^ (z == "a") ^ flipped, "yes", "no")
    return {"x": x, "z": z.tolist(), "w": random.normal(size=n).round(1)}, y.tolist()


def test_every_method_is_told() -> None:
    assert set(LEDGERS) == set(METHODS)


@pytest.mark.parametrize("name", MODELS)
def test_the_account_leads_to_the_tree_of_the_model(name: str) -> None:
    X, y = noisy()
    model = MODELS[name].fit(X, y)
    found = derive(model, X, y)
    assert found.agrees
    assert found.steps.tree.n_nodes > model.tree_.n_nodes
    text = found.to_text()
    assert "pruned differently" not in text
    assert "The pruned tree:" in text
    assert str(model.tree_).split("\n")[-1] in text


@needs_shared
@pytest.mark.parametrize("name", ["error_based", "bottom up", "alpha", "pessimistic"])
def test_on_a_real_table(name: str) -> None:
    X, y = load("vote")
    text = derive(MODELS[name].fit(X, y), X, y, level="summary").to_text()
    assert "Pruning: " in text
    assert "pruned differently" not in text


def test_cutting_by_hand() -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier(pruning="cut", pruning_options={"nodes": [2]}).fit(X, y)
    text = derive(model, X, y).to_text()
    assert "Outlook = Rain  cut" in text


def test_error_based_shows_the_three_estimates() -> None:
    X, y = pt.datasets.load_golf()
    text = derive(pt.C45Classifier().fit(X, y), X, y).to_text(width=100)
    root = next(line for line in text.split("\n") if line.startswith("(the root)"))
    assert root.split()[2:] == ["14", "5", "6.7950", "5.3918", "7.7831", "keep"]


def test_error_based_says_how_errors_are_estimated() -> None:
    """The formulas that are told give the figures that are shown."""
    X, y = pt.datasets.load_golf()
    for confidence, z in ((0.25, 0.6925), (0.1, 1.28)):
        model = pt.C45Classifier(confidence=confidence).fit(X, y)
        text = " ".join(derive(model, X, y).to_text(width=100).split())
        assert f"Without errors, the limit is N (1 - {confidence:g}^(1/N))." in text
        assert f"with c = e + 0.5 and z = {z:g};" in text
        n, c = 14, 5.5
        limit = n * (c + z**2 / 2 + z * sqrt(c * (1 - c / n) + z**2 / 4)) / (n + z**2)
        assert f"(the root) 14 5 {limit:.4f}" in text


def test_one_error_is_not_many() -> None:
    X = {"a": list("uuuuvvvv"), "b": list("ppqqppqq")}
    y = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes"]
    text = derive(pt.C45Classifier().fit(X, y), X, y).to_text(width=100)
    assert "its branches would make 1 error, no fewer than its own 1." in text


def test_alphas_are_those_of_the_path() -> None:
    X, y = noisy()
    model = MODELS["alpha"].fit(X, y)
    found = derive(model, X, y)
    tree, rows, held_out = before_pruning(model, model.tree_, rows_from(model.tree_, X, y))
    account = pruning_of(model, found.steps, model.tree_, held_out)
    assert account is not None
    alphas = {round(float(figures[0]), 12) for _, figures, _ in account.ledger.lines}
    assert alphas | {0.0} == {round(alpha, 12) for alpha in path_of(tree).alphas.tolist()}
    assert len(rows.codes) == len(y)


def test_another_result_is_told() -> None:
    X, y = noisy()
    model = pt.ID3Classifier(pruning="mdl").fit(X, y)
    model.tree_ = model.tree_.cut(0)
    assert "!! The tree of the model was pruned differently" in derive(model, X, y).to_text()


def test_rows_held_out_by_chance_cannot_be_known() -> None:
    X, y = noisy()
    model = pt.ID3Classifier(pruning="reduced_error", pruning_options={"random_state": None})
    model.fit(X, y)
    with pytest.raises(ParameterError, match="fit it with pruning_options"):
        derive(model, X, y)
