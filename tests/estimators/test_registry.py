"""The registry: every estimator by name, without importing any."""

from __future__ import annotations

import subprocess
import sys

import pytest

import plaintree as pt
from plaintree.estimators.registry import BY_SHORT_NAME, LEARNERS, SINGLE_TREES
from tests.support.model_files.make import LEARNERS as STORED


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_is_the_public_class_of_its_name(name: str) -> None:
    learner = LEARNERS[name]
    assert learner.name == name
    assert learner.load() is getattr(pt, name)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_a_fitted_one_holds(name: str) -> None:
    model = LEARNERS[name].load()().fit(*pt.datasets.load_golf())
    held = {"tree": "tree_", "rules": "rules_", "boosted": "estimator_weights_", "forest": "trees_"}
    assert hasattr(model, held[LEARNERS[name].holds])


def test_all_public_classifiers_are_in_it() -> None:
    assert set(LEARNERS) == {name for name in pt.__all__ if name.endswith("Classifier")}


def test_model_files_are_kept_of_all_of_them() -> None:
    assert {type(learner).__name__ for learner, _ in STORED.values()} == set(LEARNERS)


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
