"""What growing tells when it cannot go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree import _core
from plaintree.errors import MemoryLimitError, ParameterError
from plaintree.tree.conventions import Conventions
from tests.support.random_targets import TargetCase


def test_a_tree_that_is_too_large_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(**_: Any) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(_core, "grow", no_room)
    match = r"does not fit into memory\. Got 3 rows of 2 classes.*Hint: grow a smaller tree"
    with pytest.raises(MemoryLimitError, match=match):
        pt.CARTClassifier().fit([[1], [2], [3]], ["a", "b", "b"])


MANY_EMPTY_BRANCHES = (
    r"more than 4,194,304 branches without rows\. "
    r"Got splits with a branch for every category, as on '(c0|c1)', which has 4,000 categories\. "
    r"Hint: drop '(c0|c1)' if it identifies rows"
)


def table_of_many_categories() -> tuple[pl.DataFrame, list[int]]:
    codes = np.arange(12_000)
    frame = pl.DataFrame({"c0": codes % 4_000, "c1": (codes * 7 + codes // 4_000) % 4_000})
    return frame.cast(pl.String), (codes // 4_000 % 2).tolist()


def test_branches_without_rows_have_a_limit() -> None:
    X, y = table_of_many_categories()
    with pytest.raises(MemoryLimitError, match=MANY_EMPTY_BRANCHES):
        pt.ID3Classifier().fit(X, y)


def test_branches_without_rows_have_a_limit_whatever_the_threads() -> None:
    X, y = table_of_many_categories()
    with pytest.raises(MemoryLimitError, match=MANY_EMPTY_BRANCHES):
        pt.ID3Classifier(n_jobs=2).fit(X, y)


def test_branches_without_rows_have_a_limit_in_forests() -> None:
    X, y = table_of_many_categories()
    forest = pt.RandomForestClassifier(2, categorical="multiway", max_features=None, random_state=0)
    with pytest.raises(MemoryLimitError, match=MANY_EMPTY_BRANCHES):
        forest.fit(X, y)


def test_groups_of_categories_are_refused_by_absolute_error() -> None:
    case = TargetCase([[1, 2]], [0], [0, 1], 0, None)
    with pytest.raises(ParameterError, match="categories are not merged into groups"):
        case.grow(Conventions("absolute_error", "grouped"))
