"""A command reads its table once; what it fits and asks takes rows of what was read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

import plaintree as pt
from plaintree.data import files, table
from plaintree.data.rows import take_rows
from plaintree.data.table import table_from
from plaintree.data.target import target_from
from plaintree.estimators import base
from plaintree.evaluation.cross_validation import cross_validate
from tests.support.command_line import GOLF, plaintree

OF_CLASSES = {*pt.datasets.__all__} - {"Dataset", "load_houses"}
LOADERS = sorted(OF_CLASSES)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a file is read, a frame made into a table, and a table hashed."""
    counts: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        done = getattr(module, name)

        def called(*args: Any, **options: Any) -> Any:
            counts[name] += 1
            return done(*args, **options)

        monkeypatch.setattr(module, name, called)

    count(files, "read_file")
    count(table, "_table_from_frame")
    count(base, "record_of")
    return counts


@pytest.mark.parametrize(
    "command",
    [
        "grow",
        "grow --learner cart --pruning cost_complexity",
        "prune",
        "rules --cv 3",
        "forest --n-estimators 3",
        "compare --learners id3,c45,cart --cv 3",
        "derive",
    ],
)
def test_a_table_is_read_once(command: str, counted: Counter[str]) -> None:
    name, *options = command.split()
    assert plaintree(name, GOLF, "--target", "play", *options).code == 0
    assert counted["read_file"] == counted["_table_from_frame"] == 1


def test_a_report_and_a_model_file_read_no_table_again(
    counted: Counter[str], tmp_path: Path
) -> None:
    for command in ("grow", "rules", "forest"):
        page = [] if command == "rules" else ["--report", str(tmp_path / "page.html")]
        save = ["--save", str(tmp_path / "model")]
        assert plaintree(command, GOLF, "--target", "play", *page, *save).code == 0
    assert counted["read_file"] == counted["_table_from_frame"] == 3


def test_only_the_model_that_is_kept_has_a_record_of_its_table(counted: Counter[str]) -> None:
    assert plaintree("grow", GOLF, "--target", "play", "--cv", "5").code == 0
    assert counted["record_of"] == 1


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("learner", [pt.ID3Classifier, pt.C45Classifier, pt.CARTClassifier])
def test_folds_that_take_rows_grow_the_same_trees(load: str, learner: Any) -> None:
    X, y = getattr(pt.datasets, load)()
    read, target = table_from(X), target_from(y, len(y))
    for training, test in KFold(min(5, len(y)), shuffle=True, random_state=0).split(
        np.zeros(len(y))
    ):
        taken = learner().fit(read.take(training), target.take(training))
        framed = learner().fit(take_rows(X, training), take_rows(y, training))
        assert taken.tree_.content_hash() == framed.tree_.content_hash()
        np.testing.assert_array_equal(
            taken.predict_proba(read.take(test)), framed.predict_proba(take_rows(X, test))
        )


def test_cross_validation_of_a_table_is_that_of_its_frame() -> None:
    X, y = pt.datasets.load_golf()
    models: list[Any] = []
    framed = cross_validate(pt.C45Classifier(), X, y, n_folds=5)
    taken = cross_validate(
        pt.C45Classifier(), table_from(X), target_from(y, 14), n_folds=5, on_fold=models.append
    )
    assert taken.accuracies == framed.accuracies
    assert taken.confusion.tolist() == framed.confusion.tolist()
    assert not any(hasattr(model, "training_") for model in models)


def test_a_model_forgets_the_record_of_an_earlier_table() -> None:
    X, y = pt.datasets.load_golf()
    model = clone(pt.ID3Classifier()).fit(X, y)
    assert model.training_.n_rows == 14
    model.fit(table_from(X).take(np.arange(9)), target_from(y, 14).take(np.arange(9)))
    assert not hasattr(model, "training_")


def test_a_target_can_be_scored_against() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    assert model.score(table_from(X), target_from(y, 14)) == model.score(X, y)
