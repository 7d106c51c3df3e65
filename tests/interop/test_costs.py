"""Exports of trees with priors, costs, a decision threshold or surrogates, as they are grown.

Costs decide the class of divided rows as well, and priors the fractions in which rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import plaintree as pt
from plaintree.errors import ExportError
from plaintree.interop.verification.runners import runner
from tests.support.export_models import models_of_kinds, verified

TARGETS: dict[str, Callable[..., Any]] = {
    "python": pt.export_python,
    "c": pt.export_c,
    "javascript": pt.export_javascript,
    "java": pt.export_java,
    "sqlite": partial(pt.export_sql, proba=True),
    "duckdb": partial(pt.export_sql, dialect="duckdb"),
    "onnx": pt.export_onnx,
    "pmml": pt.export_pmml,
}
COSTS = {(0, 1): 5, (2, 1): 3, (1, 2): 0.5}
PRIORS = {0: 0.1, 1: 0.2, 2: 0.6, 3: 0.1}
DIVIDED: dict[str, dict[str, Any]] = {
    "costs": {"costs": COSTS},
    "priors": {"priors": PRIORS},
    "both": {"costs": COSTS, "priors": PRIORS},
}
SURROGATES: dict[str, dict[str, Any]] = {
    "surrogates": {},
    "no surrogate decides": {"use_surrogate": 1, "max_surrogates": 1},
    "rows stop": {"use_surrogate": 0},
    "unseen stops, costs": {"unseen": "stop", "costs": COSTS},
}


def tree_of_kinds(**options: Any) -> tuple[Any, dict[str, Any]]:
    return models_of_kinds(pt.DecisionTreeClassifier, min_samples_leaf=4, **options)


def skip_unless_it_runs(target: str) -> None:
    lacking = runner(target).absent()
    if lacking is not None:
        pytest.skip(str(lacking))


@pytest.mark.parametrize("case", DIVIDED)
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "pmml"])
def test_divided_rows_are_decided_by_priors_and_costs(target: str, case: str) -> None:
    skip_unless_it_runs(target)
    model, X = tree_of_kinds(missing="fractional", **DIVIDED[case])
    assert verified(TARGETS[target], model, X).n_given == 240


def test_divided_rows_depend_on_costs() -> None:
    """The classes of the greatest probability are others, so the tests above would find it."""
    model, X = tree_of_kinds(missing="fractional", costs=COSTS)
    probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (probable != model.predict(X)).any()


@pytest.mark.parametrize("case", ["costs", "both"])
def test_pmml_refuses_divided_rows_with_costs(case: str) -> None:
    model, _ = tree_of_kinds(missing="fractional", **DIVIDED[case])
    with pytest.raises(ExportError, match=r"most probable class.*least expected cost.*fractional"):
        pt.export_pmml(model)


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "pmml"])
def test_a_decision_threshold_decides_divided_rows(target: str) -> None:
    skip_unless_it_runs(target)
    X, y = pt.datasets.load_golf()
    model = pt.DecisionTreeClassifier(missing="fractional", decision_threshold=0.8, max_depth=2)
    assert verified(TARGETS[target], model.fit(X, y), X).n_given == 14


@pytest.mark.parametrize("case", SURROGATES)
@pytest.mark.parametrize("target", TARGETS)
def test_surrogates_of_grown_trees(target: str, case: str) -> None:
    skip_unless_it_runs(target)
    model, X = tree_of_kinds(missing="surrogate", **SURROGATES[case])
    found = verified(TARGETS[target], model, X)
    assert (found.n_given, found.left_out) == (240, {})


@pytest.mark.parametrize("target", TARGETS)
def test_surrogates_of_grown_trees_of_numbers(target: str) -> None:
    skip_unless_it_runs(target)
    export = pt.export_sql if target == "sqlite" else TARGETS[target]
    model, X = models_of_kinds(pt.CARTRegressor, missing="surrogate", min_samples_leaf=4)
    found = verified(export, model, X)
    assert (found.n_given, found.numbers, found.left_out) == (240, True, {})
