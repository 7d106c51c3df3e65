"""Tables of more rows than 32 bits count: blocks that stand for themselves many times over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import plaintree as pt
from plaintree import _core
from plaintree.data.parts import Reading
from plaintree.growing.limits import Limits
from plaintree.growing.sources.memory import BlocksInMemory, FramesInMemory

DOUBLED = 30
"""Every row is there so many times, as a power of two."""


class RepeatedBlocks(BlocksInMemory):
    """Blocks whose rows are repeated; all counts are exact, so no rows are fetched."""

    def __init__(self, blocks: BlocksInMemory) -> None:
        self.__dict__.update(blocks.__dict__)
        for _ in range(DOUBLED):
            self.facts = _core.merge_facts([self.facts, self.facts])

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        replies = super().answer(requests)
        for _ in range(DOUBLED):
            replies = {tree: _core.merge_replies([own, own]) for tree, own in replies.items()}
        return replies


class RepeatedFrames(FramesInMemory):
    """Frames whose rows are repeated."""

    def limits(self, survey: Any) -> Limits:
        del survey
        return Limits(gather_rows=0)

    def encoded(self, *arguments: Any) -> RepeatedBlocks:
        return RepeatedBlocks(super().encoded(*arguments))


def table_of_few_values(n_rows: int = 400) -> pl.DataFrame:
    random = np.random.default_rng(0)
    x, z = random.integers(0, 9, n_rows) / 4, random.integers(0, 5, n_rows)
    text = random.choice(["red", "green", "blue"], n_rows)
    y = np.where(x + (text == "red") + random.normal(size=n_rows) > 1.5, "yes", "no")
    return pl.DataFrame({"x": x, "z": z, "text": text, "y": y, "number": x + z})


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (pt.CARTClassifier(max_depth=5), "y"),
        (pt.CARTClassifier(max_depth=5, criterion="entropy"), "y"),
        (pt.CARTClassifier(max_depth=5, min_samples_leaf=10 << DOUBLED), "y"),
        (pt.ID3Classifier(max_depth=3, categorical_features=["text", "z"]), "y"),
        (pt.CARTRegressor(max_depth=5), "number"),
    ],
)
def test_rows_beyond_32_bits_are_counted(model: Any, target: str) -> None:
    table = table_of_few_values()
    features = ("x", "z", "text")
    tree = model.fit(RepeatedFrames([table[:150], table[150:]], Reading(target, features))).tree_
    once = {"min_samples_leaf": 10} if getattr(model, "min_samples_leaf", 1) > 2 else {}
    expected = clone(model)
    expected.set_params(**once).fit(table.select(features), table[target])
    assert tree.n_rows.tolist() == (expected.tree_.n_rows << DOUBLED).tolist()
    assert tree.n_rows[0] == 400 << DOUBLED
    assert tree.threshold.tolist() == pytest.approx(expected.tree_.threshold.tolist(), nan_ok=True)
    assert tree.feature.tolist() == expected.tree_.feature.tolist()
    # Sums of squares have 62 bits, of which 39 are the number of rows.
    np.testing.assert_allclose(tree.impurity, expected.tree_.impurity, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(tree.score, expected.tree_.score, rtol=1e-6, atol=1e-12)


def test_more_weighted_rows_than_32_bits_with_a_minimum_are_refused() -> None:
    table = table_of_few_values().with_columns(w=2.0)
    parts = RepeatedFrames([table], Reading("y", ("x", "z"), "w"))
    with pytest.raises(ValueError, match="weighted rows are counted in 32 bits"):
        pt.CARTClassifier(min_samples_leaf=5).fit(parts)
