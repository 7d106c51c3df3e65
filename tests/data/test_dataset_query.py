"""Queries in the place of files: the table is the one that the query computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import ColumnError, ParameterError, TableError
from tests.support.dataset_files import mixed_table, split_rows, write_files

TABLE = mixed_table(2500)


def of_polars(directory: Path) -> Any:
    return pl.scan_parquet(directory / "*.parquet")


def of_duckdb(directory: Path) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return duckdb.connect().sql(f"select * from read_parquet('{directory}/*.parquet')")


def of_pyarrow(directory: Path) -> Any:
    dataset = pytest.importorskip("pyarrow.dataset", reason="pyarrow is not installed")
    return dataset.dataset(str(directory))


QUERIES = pytest.mark.parametrize("query", [of_polars, of_duckdb, of_pyarrow])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files of one table."""
    place = tmp_path_factory.mktemp("table")
    write_files(split_rows(TABLE, 4), place, ".parquet")
    return place


@QUERIES
def test_the_tree_is_that_of_the_rows_in_memory(
    directory: Path, query: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 400)
    data = pt.open_dataset(query(directory), "y")
    assert repr(data) == "<Dataset of a query: target 'y', 6 features>"
    assert len(data) == TABLE.height
    model = pt.C45Classifier().fit(data)
    expected = pt.C45Classifier().fit(TABLE.drop("y"), TABLE["y"])
    assert model.tree_.difference(expected.tree_) is None
    assert model.tree_.content_hash() == expected.tree_.content_hash()
    assert model.predict(data).tolist() == expected.predict(TABLE.drop("y")).tolist()


@QUERIES
def test_a_forest_draws_rows_in_the_order_of_the_query(
    directory: Path, query: Callable[[Path], Any]
) -> None:
    options: dict[str, Any] = {"n_estimators": 3, "max_depth": 4}
    forest = pt.RandomForestClassifier(**options).fit(pt.open_dataset(query(directory), "y"))
    expected = pt.RandomForestClassifier(**options).fit(TABLE.drop("y"), TABLE["y"])
    hashes = [tree.content_hash() for tree in forest.trees_]
    assert hashes == [tree.content_hash() for tree in expected.trees_]


@QUERIES
def test_filter_columns_and_weights_are_those_of_files(
    directory: Path, query: Callable[[Path], Any]
) -> None:
    given: dict[str, Any] = {"columns": ["x", "noise"], "weights": "few", "filter": "noise < 0.5"}
    data = pt.open_dataset(query(directory), "y", **given)
    same = pt.open_dataset(directory, "y", **given)
    assert len(data) == len(same) == (TABLE["noise"] < 0.5).sum()
    own, other = (pt.CARTClassifier(max_depth=4, missing="branch").fit(d) for d in (data, same))
    assert own.tree_.difference(other.tree_) is None


@QUERIES
def test_an_absent_column_is_named(directory: Path, query: Callable[[Path], Any]) -> None:
    with pytest.raises(ColumnError, match=r"no column 'yy'(?s:.*)'y'"):
        pt.open_dataset(query(directory), "yy")


def test_batches_have_the_size_that_is_asked_for(directory: Path) -> None:
    data = pt.open_dataset(of_polars(directory), "y")
    assert [len(rows) for rows in data.batches(1000)] == [1000, 1000, 500]


def test_a_query_that_fails_is_named() -> None:
    query = pl.LazyFrame({"x": ["1", "a"], "y": ["n", "p"]}).with_columns(pl.col("x").cast(int))
    with pytest.raises(TableError, match=r"the query cannot be computed(?s:.*)run it by itself"):
        pt.CARTClassifier().fit(pt.open_dataset(query, "y"))


def test_a_store_is_for_files(directory: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="store is for files"):
        pt.open_dataset(of_polars(directory), "y", store=tmp_path)
