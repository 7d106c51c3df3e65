"""Splits of known against missing values, ties that rounding hides, and parts of rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import plaintree as pt

CLASSES = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_equal_numbers_are_split_from_missing_ones(kind: type) -> None:
    x = np.array([[5], [5], [5], [np.nan], [np.nan], [np.nan]], dtype=kind)
    model = pt.CARTClassifier(missing="branch").fit(x, CLASSES)
    assert model.tree_.threshold[0] == 5
    assert list(model.predict(x)) == CLASSES


@pytest.mark.parametrize("categorical", ["one_vs_rest", "subset"])
def test_one_category_is_split_from_missing_values(categorical: str) -> None:
    table = pl.DataFrame({"a": ["u", "u", "u", None, None, None]})
    model = pt.CARTClassifier(missing="branch", categorical=categorical).fit(table, CLASSES)
    assert list(model.predict(table)) == CLASSES


def test_functions_of_the_class_tie_by_gain_ratio() -> None:
    """Each has a ratio of 1, computed from other counts, so rounding makes them differ."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        y = np.concatenate([np.arange(4), rng.integers(0, 4, rng.integers(6, 60))])
        columns = {"a": y // 2, "b": y % 2, "c": (y == 0).astype(int)}
        table = pl.DataFrame({name: values.astype(str) for name, values in columns.items()})
        tree = pt.DecisionTreeClassifier(criterion="gain_ratio").fit(table, y).tree_
        assert tree.n_tied[0] == 2


def test_no_branch_is_lighter_than_a_row_where_rows_are_divided() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 4))
    y = (x[:, 0] + rng.normal(size=300) > 0).astype(int)
    x[rng.random(x.shape) < 0.2] = np.nan
    tree = pt.CARTClassifier(missing="fractional").fit(x, y).tree_
    assert tree.weight.min() >= 1 - 1e-6
