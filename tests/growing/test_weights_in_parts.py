"""Weights of rows in parts: scaled as in memory, or refused before rows are encoded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import ParameterError, PlaintreeError, TableError
from plaintree.growing.sources.chunks import DatasetParts
from tests.support.dataset_files import mixed_table, split_rows, write_files

N_ROWS = 600
DRAWN = np.random.default_rng(1).random(N_ROWS)
WEIGHTS = {
    "quarters": np.ceil(2 * DRAWN) / 4,
    "uneven": 0.9 * DRAWN,
    "minute": 1e-9 * DRAWN,
    "enormous": 1e20 * DRAWN,
    "some are zero": np.floor(3 * DRAWN) / 7,
}
TABLE = mixed_table(N_ROWS).with_columns(z=pl.col("noise") + pl.col("few"))
FEATURES = ["x", "few", "text", "noise"]
CLASSIFIERS = [
    pt.CARTClassifier(max_depth=5, min_samples_leaf=4),
    pt.C45Classifier(max_depth=5),
    pt.ID3Classifier(numeric="threshold", missing="branch", max_depth=3),
    pt.RandomForestClassifier(3, max_depth=4, random_state=0),
]
REGRESSORS = [
    pt.CARTRegressor(max_depth=4),
    pt.CARTRegressor(criterion="absolute_error", max_depth=3),
    pt.RandomForestRegressor(2, max_depth=3, random_state=0),
]


def in_files(weights: Any, target: str, directory: Path) -> Dataset:
    write_files(split_rows(TABLE.with_columns(w=weights), 3), directory, ".parquet")
    return pt.open_dataset(directory, target, weights="w", columns=FEATURES)


def hashes(model: Any) -> list[str]:
    trees = [model.tree_] if hasattr(model, "tree_") else model.trees_
    return [tree.content_hash() for tree in trees]


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda model: str(model)[:40])
def test_weights_are_scaled_as_in_memory(model: Any, name: str, tmp_path: Path) -> None:
    target = "z" if model in REGRESSORS else "y"
    if hasattr(model, "bootstrap"):
        model.set_params(bootstrap=name != "some are zero")
    expected = hashes(model.fit(TABLE[FEATURES], TABLE[target], WEIGHTS[name]))
    assert hashes(model.fit(in_files(WEIGHTS[name], target, tmp_path))) == expected


REFUSED = [
    (
        pt.RandomForestClassifier(2),
        WEIGHTS["some are zero"],
        rf"{(DRAWN < 1 / 3).sum()} rows of weight 0.*filter these rows out",
    ),
    (
        pt.BaggedTreesRegressor(bootstrap=False, max_samples=0.5),
        np.arange(N_ROWS, dtype=float),
        r"1 row of weight 0.*filter",
    ),
    (
        pt.RandomForestClassifier(2, class_weight={"no": 0}),
        np.ones(N_ROWS),
        r"class_weight of 'no' is 0.*filter the rows of 'no' out",
    ),
    (
        pt.BaggedTreesClassifier(pt.CARTClassifier(class_weight={"yes": 0}), 2),
        np.ones(N_ROWS),
        r"class_weight of 'yes' is 0",
    ),
    (
        pt.CARTClassifier(class_weight="balanced"),
        WEIGHTS["quarters"],
        r"class_weight only with weights whose largest.*weights from 0.25 to 0.5 and class_weight",
    ),
    (
        pt.CARTClassifier(costs={("yes", "no"): 2}),
        WEIGHTS["quarters"],
        r"costs only with weights whose largest.*multiply the weights by a constant",
    ),
    (
        pt.CARTClassifier(class_weight={"yes": 0.25, "no": 0.5}),
        np.ones(N_ROWS),
        r"products from 0.25 to 0.5.*multiply class_weight by a constant",
    ),
    (
        pt.CARTClassifier(),
        np.where(DRAWN < 0.5, 1e-70, 1.0),
        r"too unequal.*set weights that are negligible to 0",
    ),
]


@pytest.mark.parametrize(
    ("model", "weights", "message"), REFUSED, ids=lambda value: str(value)[:50]
)
def test_other_weights_are_refused_before_rows_are_encoded(
    model: Any, weights: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("rows were encoded")

    monkeypatch.setattr(DatasetParts, "encoded", never)
    data = in_files(weights, "z" if "Regressor" in str(model) else "y", tmp_path)
    with pytest.raises(PlaintreeError, match=rf"(?s){message}") as raised:
        model.fit(data)
    assert isinstance(raised.value, TableError | ParameterError)


def test_a_class_without_weight_is_no_error_where_all_rows_are_used(tmp_path: Path) -> None:
    model = pt.RandomForestClassifier(2, bootstrap=False, class_weight={"no": 0}, random_state=0)
    expected = hashes(model.fit(TABLE[FEATURES], TABLE["y"]))
    write_files(split_rows(TABLE, 3), tmp_path, ".parquet")
    assert hashes(model.fit(pt.open_dataset(tmp_path, "y", columns=FEATURES))) == expected
