"""What cannot be grown from parts is refused before they are read, with the reason and a hint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import ParameterError, TableError
from plaintree.growing.sources.chunks import DatasetParts
from tests.support.dataset_files import mixed_table


@pytest.fixture
def data(tmp_path: Path) -> Dataset:
    mixed_table(300).with_columns(z=pl.Series(np.arange(300.0))).write_parquet(
        tmp_path / "a.parquet"
    )
    return pt.open_dataset(tmp_path, "y")


FOREST = pt.RandomForestClassifier
REFUSED = [
    (pt.RandomForestRegressor(criterion="absolute_error"), r"medians.*squared_error"),
    (FOREST(max_bins=8), r"bins.*leave it out"),
    (FOREST(splitter="random"), r'threshold drawn.*splitter="best"'),
    (pt.ID3Classifier(numeric="intervals"), r'cut points.*numeric="threshold"'),
    (pt.CARTClassifier(pruning="reduced_error"), r"reduced_error pruning holds rows out"),
    (FOREST(oob_score=True), r"oob_score.*evaluate"),
    (FOREST(warm_start=True), r"warm_start=True.*fit all trees at once"),
    (FOREST(max_features="oob"), r'max_features="oob".*sqrt'),
    (FOREST(class_weight="balanced_subsample"), r'balanced_subsample.*"balanced"'),
    (pt.BaggedTreesClassifier(max_features=0.5), r"max_features=0.5.*of the estimator"),
    (pt.BaggedTreesClassifier(bootstrap_features=True), r"bootstrap_features=True.*by node"),
    (pt.RandomForestRegressor(keep_targets=True), r"keep_targets=True.*keep_targets=False"),
]


@pytest.mark.parametrize(("model", "message"), REFUSED, ids=lambda value: str(value)[:50])
def test_what_needs_rows_is_refused_before_they_are_read(
    data: Dataset, model: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr(DatasetParts, "survey", never)
    with pytest.raises(ParameterError, match=rf"(?s){message}"):
        model.fit(data)


def test_a_column_of_very_many_values_is_adjusted_for_with_all_rows(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(5000, 2))
    table = pl.DataFrame(rows, schema=["x", "z"]).with_columns(y=pl.col("x") > 0)
    table.write_parquet(tmp_path / "a.parquet")
    data = pt.open_dataset(tmp_path, "y")
    for test in ("adjusted", "chi_square"):
        model = pt.CARTClassifier(significance=0.05, significance_test=test)
        found = model.fit(data).tree_
        assert found.difference(model.fit(table.drop("y"), table["y"]).tree_) is None


def test_more_classes_than_blocks_store_are_refused(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": np.arange(65_600.0), "y": [f"c{i}" for i in range(65_600)]})
    table.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(TableError, match=r"at most 65,535 classes.*use a regressor"):
        pt.CARTClassifier(max_depth=1).fit(pt.open_dataset(tmp_path, "y"))
