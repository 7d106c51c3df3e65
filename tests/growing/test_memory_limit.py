"""A memory_limit that is too small names the least that works, and that one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import MemoryLimitError
from plaintree.growing.from_counts import Growing, _limit_too_small
from plaintree.growing.limits import Limits
from tests.support.dataset_files import write_file

RANDOM = np.random.default_rng(4)


def numbers(n_rows: int, n_columns: int) -> pl.DataFrame:
    columns = {f"x{i}": RANDOM.normal(size=n_rows) for i in range(n_columns)}
    return pl.DataFrame(columns).with_columns(y=pl.Series(RANDOM.integers(0, 2, n_rows)))


def many_classes(n_rows: int) -> pl.DataFrame:
    labels = [f"class {i}" for i in RANDOM.integers(0, 200, n_rows)]
    table = numbers(n_rows, 2).with_columns(y=pl.Series(labels))
    names = [f"c{i}" for i in RANDOM.integers(0, 900, n_rows)]
    return table.with_columns(colour=pl.Series(names), shade=pl.Series(names[::-1]))


def least_in(error: MemoryLimitError) -> str:
    return str(error.hint).split('"')[1]


@pytest.mark.parametrize(
    ("table", "model"),
    [
        (numbers(2000, 300), pt.CARTClassifier(max_depth=3)),
        (many_classes(3000), pt.CARTClassifier(max_depth=3)),
        (many_classes(3000), pt.RandomForestClassifier(40, max_depth=2, random_state=0)),
        (many_classes(3000), pt.C45Classifier(max_depth=2, pruning=None)),
        (numbers(9000, 3), pt.C45Classifier(max_depth=3, pruning=None)),
        (numbers(9000, 3), pt.RandomForestClassifier(40, max_depth=3, random_state=0, n_jobs=2)),
    ],
    ids=["wide", "many classes", "a forest", "C4.5", "all values", "a forest with threads"],
)
def test_the_least_memory_limit_works(tmp_path: Path, table: pl.DataFrame, model: Any) -> None:
    table.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        MemoryLimitError, match=r'too small.*Got memory_limit="1MB".*memory_limit='
    ) as found:
        model.fit(pt.open_dataset(tmp_path, "y", memory_limit="1 MB"))
    model.fit(pt.open_dataset(tmp_path, "y", memory_limit=least_in(found.value)))
    trees = model.trees_ if hasattr(model, "trees_") else [model.tree_]
    model.fit(table.drop("y"), table["y"])
    expected = model.trees_ if hasattr(model, "trees_") else [model.tree_]
    assert [a.difference(b) for a, b in zip(trees, expected, strict=True)] == [None] * len(trees)


@pytest.mark.slow
def test_a_limit_that_is_found_too_small_while_growing_names_one_that_works(
    tmp_path: Path,
) -> None:
    """C4.5 looks at every value of a column: more rows at once than the least limit allows."""
    table = numbers(600_000, 1)
    table.write_parquet(tmp_path / "a.parquet")
    model = pt.C45Classifier(max_depth=1, pruning=None)
    with pytest.raises(MemoryLimitError, match='Got memory_limit="1MB"') as found:
        model.fit(pt.open_dataset(tmp_path, "y", memory_limit="1 MB"))
    least = least_in(found.value)
    with pytest.raises(MemoryLimitError, match="the values of a column at a node") as found:
        model.fit(pt.open_dataset(tmp_path, "y", memory_limit=least))
    enough = least_in(found.value)
    assert int(enough.removesuffix("MB")) > int(least.removesuffix("MB"))
    tree = model.fit(pt.open_dataset(tmp_path, "y", memory_limit=enough)).tree_
    assert tree.difference(model.fit(table.drop("y"), table["y"]).tree_) is None


def test_the_least_memory_limit_for_all_rows_works(tmp_path: Path) -> None:
    table = numbers(150_000, 2).with_columns(y=pl.col("x0").round(1))
    table.write_parquet(tmp_path / "a.parquet")
    model = pt.CARTRegressor(criterion="absolute_error", max_depth=1)
    with pytest.raises(
        MemoryLimitError, match=r'needs all rows.*memory_limit="\d+MB" or mo'
    ) as found:
        model.fit(pt.open_dataset(tmp_path, "y", memory_limit="390 MB"))
    least = least_in(found.value)
    tree = model.fit(pt.open_dataset(tmp_path, "y", memory_limit=least)).tree_
    assert tree.difference(model.fit(table.drop("y"), table["y"]).tree_) is None


@pytest.mark.parametrize("compression", ["lz4", "uncompressed"])
def test_a_record_batch_that_is_too_large_is_refused(tmp_path: Path, compression: Any) -> None:
    """Each slice of a record batch reads all of it, so all of it has to fit."""
    table = numbers(1_500_000, 3)
    path = tmp_path / "a.feather"
    table.write_ipc(path, compression=compression, record_batch_size=1_500_000)
    data = pt.open_dataset(path, "y", memory_limit="400 MB")
    wanted = r"a record batch of .*Got 1,500,000 rows in one batch, which take 48 MB.*sink_ipc"
    with pytest.raises(MemoryLimitError, match=wanted) as found:
        next(data.batches())
    least = least_in(found.value)
    assert sum(map(len, pt.open_dataset(path, "y", memory_limit=least).batches())) == 1_500_000
    few = pt.open_dataset(path, "y", columns=["x0"], memory_limit="400 MB")
    assert sum(map(len, few.batches(70_000))) == 1_500_000


def test_text_counts_in_the_rows_of_a_batch(tmp_path: Path) -> None:
    words = pl.Series([f"{i:0400d}" for i in range(100)] * 20)
    table = numbers(2000, 2)
    for extension in (".parquet", ".feather", ".csv"):
        for name, own in (("numbers", table), ("text", table.with_columns(words=words))):
            write_file(own, tmp_path / f"{name}{extension}")
        narrow, wide = (
            pt.open_dataset(tmp_path / f"{name}{extension}", "y") for name in ("numbers", "text")
        )
        assert wide.batch_rows * 400 <= 50 * 2**20 < narrow.batch_rows * 400


def test_too_many_distinct_words_are_refused_while_they_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = pl.Series([f"{i:0100d}" for i in range(200_000)])
    table = numbers(200_000, 1).with_columns(words=words)
    table.write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(Dataset, "batch_rows", 2**14)
    data = pt.open_dataset(tmp_path, "y", memory_limit="400 MB")
    wanted = r"distinct values of 'words' are too many.*Got 1\d\d,\d+ so far.*leave 'words' out"
    with pytest.raises(MemoryLimitError, match=wanted):
        pt.CARTClassifier(max_depth=1).fit(data)
    assert pt.CARTClassifier(max_depth=1).fit(
        pt.open_dataset(tmp_path, "y", columns=["x0"], memory_limit="400 MB")
    )


def test_a_table_without_a_memory_limit_is_not_told_to_raise_it() -> None:
    error = _limit_too_small(OverflowError("a table", 2**30), Growing(Limits()), 10**6, 1)
    assert "memory_limit" not in str(error)
    assert "needs more memory" in str(error)
    assert "fewer columns" in str(error)
