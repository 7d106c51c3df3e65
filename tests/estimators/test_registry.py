"""The registry: every estimator by name, without importing any."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_iris

import plaintree as pt
from plaintree.estimators.registry import BY_SHORT_NAME, LEARNERS, SINGLE_TREES
from tests.support.learner_tables import table_of
from tests.support.model_files.make import LEARNERS as STORED


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_is_the_public_class_of_its_name(name: str) -> None:
    learner = LEARNERS[name]
    assert learner.name == name
    assert learner.load() is getattr(pt, name)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_a_fitted_one_holds(name: str) -> None:
    model = LEARNERS[name].load()().fit(*table_of(LEARNERS[name]))
    held = {"tree": "tree_", "rules": "rules_", "boosted": "estimator_weights_", "forest": "trees_"}
    assert hasattr(model, held[LEARNERS[name].holds])


def test_all_public_classifiers_and_regressors_are_in_it() -> None:
    assert set(LEARNERS) == {n for n in pt.__all__ if n.endswith(("Classifier", "Regressor"))}
    for name, learner in LEARNERS.items():
        assert learner.task == (
            "regression" if is_regressor(learner.load()()) else "classification"
        )
        assert name.endswith("Regressor") == (learner.task == "regression")


def test_model_files_are_kept_of_all_classifiers() -> None:
    classifiers = {name for name, it in LEARNERS.items() if it.task == "classification"}
    assert {type(learner).__name__ for learner, _ in STORED.values()} == classifiers


def test_short_names() -> None:
    assert SINGLE_TREES == ("id3", "c45", "cart")
    assert all(BY_SHORT_NAME[name].short == name for name in BY_SHORT_NAME)


def test_reading_it_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "import plaintree.estimators.registry\n"
        "print(sorted({'numpy', 'sklearn', 'polars', 'scipy'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", LEARNERS)
def test_six_fits_with_default_parameters_give_one_model(name: str) -> None:
    """Also where features are sampled, or rows held out, with the default ``random_state``."""
    X, y = load_iris(return_X_y=True)
    learner = LEARNERS[name].load()()
    if "max_features" in learner.get_params(deep=False):
        learner.set_params(max_features=2)
    if "estimator" in learner.get_params(deep=False):
        tree = pt.CARTRegressor if is_regressor(learner) else pt.CARTClassifier
        learner.set_params(estimator=tree(max_features=2, max_depth=2))
    models = [clone(learner).fit(X, y) for _ in range(6)]
    hashes = {
        tuple(
            tree.content_hash() for tree in getattr(model, "trees_", [getattr(model, "tree_", 0)])
        )
        for model in models
    }
    assert len(hashes) == 1
