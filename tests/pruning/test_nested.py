"""Nested trees measured by one walk, against making and asking every tree."""

from __future__ import annotations

import numpy as np
import pytest

import plaintree as pt
from plaintree.pruning.curves import _SEQUENCES
from plaintree.pruning.nested import NestedTrees
from plaintree.tree.cut import cut_nodes
from plaintree.tree.predict import class_codes
from plaintree.tree.walk import rows_from


def table(missing: float) -> tuple[dict, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 2)).round(1)
    colours = np.array(list("rgb"), dtype=object)[rng.integers(3, size=400)]
    y = (x[:, 0] + (colours == "r") + rng.normal(size=400) > 0).astype(int) + (x[:, 1] > 1)
    x[rng.random(x.shape) < missing] = np.nan
    return {"a": x[:, 0], "b": x[:, 1], "colour": colours}, y


@pytest.mark.parametrize("by", [*_SEQUENCES])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("learner", [pt.C45Classifier(pruning=None), pt.CARTClassifier()])
def test_one_walk_gives_the_figures_of_every_tree(by, missing, learner):
    X, y = table(missing)
    tree = learner.fit(X, y).tree_
    other = {**X, "colour": np.where(np.arange(400) % 7 == 0, "unseen", X["colour"])}
    values, mask = _SEQUENCES[by](tree)
    masks = [mask(i) for i in range(len(values))]
    nested, trees = NestedTrees.of(tree, masks), [cut_nodes(tree, one) for one in masks]
    assert nested.sizes.tolist() == [cut.size for cut in trees]
    assert nested.n_leaves.tolist() == [cut.n_leaves for cut in trees]
    assert nested.depths.tolist() == [cut.depth for cut in trees]
    for rows in (rows_from(tree, X, y), rows_from(tree, other, y)):
        expected = [np.mean(class_codes(cut, rows.columns) != rows.codes) for cut in trees]
        assert nested.mean_losses(rows) == pytest.approx(expected, abs=1e-12)
