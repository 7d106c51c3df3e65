"""categorical_features: names, positions, masks and None, as in HistGradientBoostingClassifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import plaintree as pt
from plaintree.data.categorical_features import chosen_columns
from plaintree.data.table import table_from
from plaintree.errors import ColumnError, ParameterError

FRAME = pd.DataFrame({"zone": [1, 2, 3, 1], "size": [1.5, 2.5, 0.5, 3.0], "code": [7, 7, 8, 9]})
Y = [0, 1, 0, 1]
SAME = [
    ["zone", "code"],
    [0, 2],
    [2, 0, 0],
    (0, 2),
    np.array([0, 2]),
    np.array(["zone", "code"]),
    pd.Index(["zone", "code"]),
    [True, False, True],
    np.array([True, False, True]),
]


@pytest.mark.parametrize("given", SAME, ids=repr)
def test_names_positions_and_masks_are_the_same(given: Any) -> None:
    for X in (FRAME, pl.from_pandas(FRAME), FRAME.to_dict("list")):
        assert chosen_columns(table_from(X), given) == {0, 2}


@pytest.mark.parametrize("given", [[0, 2], [True, False, True]], ids=repr)
def test_arrays_have_positions_and_masks(given: Any) -> None:
    assert chosen_columns(table_from(FRAME.to_numpy()), given) == {0, 2}


@pytest.mark.parametrize("given", ["from_dtype", None, [], [False] * 3], ids=repr)
def test_nothing_may_be_listed(given: Any) -> None:
    assert chosen_columns(table_from(FRAME), given) == frozenset()


def test_positions_are_not_the_names_of_columns() -> None:
    frame = FRAME.set_axis([2, 1, 0], axis=1)
    assert chosen_columns(table_from(frame), [0]) == {0}
    assert chosen_columns(table_from(frame), ["0"]) == {2}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (["zoen"], ColumnError, r"'zoen'\. Hint: did you mean 'zone'"),
        ([3], ColumnError, r"Got 3, where the table has 3 columns.*integers from 0 to 2"),
        ([-1], ColumnError, "Got -1"),
        ([True, False], ParameterError, "2 booleans for 3 columns"),
        ("zone", ParameterError, "categorical_features has a value that is not allowed"),
        (3, ParameterError, "categorical_features=3"),
        ([0, "size"], ParameterError, "entries of type int, str"),
        ([True, 1, 0], ParameterError, "entries of type bool, int"),
        ([1.0], ParameterError, "entries of type float"),
        ([["zone"]], ParameterError, "entries of type list"),
    ],
    ids=repr,
)
def test_other_values_are_refused(given: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        chosen_columns(table_from(FRAME), given)


@pytest.mark.parametrize("given", [["zone", "code"], [0, 2], [True, False, True], None])
def test_scikit_learn_reads_them_alike(given: Any) -> None:
    theirs = HistGradientBoostingClassifier(categorical_features=given, max_iter=1).fit(FRAME, Y)
    expected = np.zeros(3, bool) if given is None else theirs.is_categorical_
    ours = pt.CARTClassifier(categorical_features=given).fit(FRAME, Y)
    assert [f.is_categorical for f in ours.schema_.features] == expected.tolist()


@pytest.mark.parametrize(
    "learner",
    [
        pt.CARTClassifier(),
        pt.RandomForestClassifier(2),
        pt.BaggedTreesClassifier(pt.CARTClassifier(categorical_features=["code"]), 2),
        pt.BoostedTreesClassifier(pt.CARTClassifier(categorical_features=["code"])),
        pt.C45RulesClassifier(),
    ],
    ids=repr,
)
def test_all_estimators_take_them_and_model_files_keep_them(learner: Any, tmp_path: Path) -> None:
    learner.set_params(categorical_features=np.array([0])).fit(FRAME, Y)
    assert [f.is_categorical for f in learner.schema_.features] == [True, False, False]
    pt.save(learner, tmp_path / "model")
    assert list(pt.load(tmp_path / "model").categorical_features) == [0]


@pytest.mark.parametrize("nothing", ["from_dtype", None])
@pytest.mark.parametrize("learner", [pt.BaggedTreesClassifier, pt.BoostedTreesClassifier])
def test_an_ensemble_without_a_list_leaves_that_of_its_estimator(learner: Any, nothing: Any):
    estimator = pt.CARTClassifier(categorical_features=["code"])
    model = learner(estimator, n_estimators=2, categorical_features=nothing).fit(FRAME, Y)
    assert [f.is_categorical for f in model.schema_.features] == [False, False, True]
