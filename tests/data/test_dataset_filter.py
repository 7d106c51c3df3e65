"""Filters of datasets: conditions of one row each, known by what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset_filter import RowFilter
from plaintree.errors import ParameterError

X = pl.col("x")
REFUSED: list[Any] = [
    "x > avg(x)",
    "count(*) > 3",
    X.mean() <= X,
    X.quantile(0.5) < X,
    X.cum_count() < 4500,
    X.cum_sum() > 3,
    X.shift() > 1,
    X.diff() > 1,
    X.rank() < 3,
    X.is_first_distinct(),
    X.is_unique(),
    X.reverse() > 1,
    X.fill_null(strategy="forward") > 1,
    X.rolling_mean(3) > 1,
    X.sum().over("c") > 1,
    X.get(0) > 1,
    X.sample(fraction=1.0) > 1,
    pl.int_range(pl.len()) < 4500,
    (X > 1).all(),
    X.is_in(X.head(3).implode()),
]
ALLOWED: list[Any] = [
    "x in (0, 1)",
    "x between 0 and 1 and c like 'a%' or c is null",
    X.is_in([0, 1]),
    X.is_in(pl.Series([0, 1])),
    X.fill_null(0) > 0,
    X.hash() % 2 == 0,
    X.clip(0, 1).round(1) > 0,
    X.cast(pl.Float32).is_nan(),
    pl.max_horizontal("x", "z") > 1,
    pl.all_horizontal(pl.selectors.numeric() > 0),
    pl.when(X > 0).then(pl.col("z") > 0).otherwise(False),
    pl.concat_str("c", pl.lit("a")).str.contains("a"),
    pl.lit(True),
    pl.lit(pl.Series([1, 2])).max() > X,
    X.map_batches(lambda x: x > 1, return_dtype=pl.Boolean),
]


@pytest.mark.parametrize("given", REFUSED, ids=str)
def test_conditions_of_several_rows_are_refused_before_rows_are_read(given: Any) -> None:
    with pytest.raises(ParameterError, match="does not decide each row by its own values"):
        RowFilter.of(given)


@pytest.mark.parametrize("given", ALLOWED, ids=str)
def test_conditions_of_one_row_filter_as_polars_does(given: Any, tmp_path: Path) -> None:
    n = np.arange(500)
    words = [None if i % 7 == 0 else "ab"[i % 2] for i in n.tolist()]
    table = pl.DataFrame({"x": n % 5, "z": n % 3, "c": words, "y": n % 2})
    table.write_parquet(tmp_path / "a.parquet")
    data = pt.open_dataset(tmp_path / "a.parquet", "y", filter=given)
    condition = pl.sql_expr(given) if isinstance(given, str) else given
    assert pl.concat(data.batches(100)).equals(table.filter(condition))


def test_a_function_that_looks_at_other_rows_is_found_in_any_batch(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": [0] * 5000 + list(range(5000)), "y": [0, 1] * 5000})
    table.write_parquet(tmp_path / "a.parquet")
    looks_around = X.map_batches(lambda x: x >= x.mean(), return_dtype=pl.Boolean)
    data = pt.open_dataset(tmp_path / "a.parquet", "y", filter=looks_around)
    with pytest.raises(ParameterError, match="does not decide each row by its own values"):
        list(data.batches(5000))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x in (0, 1)", "x in (2, 3)"),
        (X.is_in(pl.Series([0, 1])), X.is_in(pl.Series([2, 3]))),
        (pl.lit(np.nan) > X, pl.lit(np.inf) > X),
        (X > 0.1, np.nextafter(0.1, 1) < X),
    ],
    ids=["SQL", "series", "not finite", "close"],
)
def test_keys_of_filters_are_those_of_their_values(one: Any, other: Any) -> None:
    keys = [RowFilter.of(given).key for given in (one, one, other)]  # type: ignore[union-attr]
    assert keys[0] == keys[1] != keys[2]


def test_a_function_of_python_never_has_the_same_key() -> None:
    given = RowFilter.of(X.map_batches(lambda x: x > 1, return_dtype=pl.Boolean))
    assert given is not None
    assert given.key != given.key


@pytest.mark.parametrize("extension", [".parquet", ".csv"])
def test_a_filter_of_the_wrong_type_is_said_to_be_the_filter(
    tmp_path: Path, extension: str
) -> None:
    path = tmp_path / f"a{extension}"
    table = pl.DataFrame({"c": ["a", "b"], "y": [0, 1]})
    table.write_csv(path) if extension == ".csv" else table.write_parquet(path)
    with pytest.raises(ParameterError, match=r"filter cannot be used: .*Got filter='c > 3'"):
        list(pt.open_dataset(path, "y", filter="c > 3").batches())
    with pytest.raises(ParameterError, match=r"not a condition.*Got filter='c', which is of type"):
        list(pt.open_dataset(path, "y", filter="c").batches())
