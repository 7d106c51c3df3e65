"""Every reader takes every valid regression tree: empty leaves, divided rows, surrogates."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.support.counterfactuals import decoded, with_surrogates
from tests.support.trees import XY_SCHEMA, build, numeric, random_rows, specs

mpl.use("Agg")
CRITERIA = st.sampled_from([None, "squared_error", "absolute_error", "poisson"])


def plotted(tree: Tree) -> None:
    pt.plot_tree(tree)
    plt.close("all")


READERS: dict[str, Any] = {
    "text": str,
    "listing": lambda tree: pt.export_text(tree, style="listing"),
    "svg": lambda tree: pt.export_svg(tree, max_depth=None, filled=True),
    "tikz": pt.export_tikz,
    "dot": lambda tree: pt.export_dot(tree, max_depth=1),
    "mermaid": pt.export_mermaid,
    "plot_tree": plotted,
    "rules": pt.export_rules,
    "rules as a table": lambda tree: pt.export_rules(tree, format="markdown"),
    "rules as a frame": lambda tree: pt.export_rules(tree, format="frame"),
    "formula": lambda tree: pt.export_formula(tree, above=0, style="latex"),
    "partition": pt.rules.check_partition,
    "merged": lambda tree: tree.merge_leaves().validate(),
    "refit": lambda tree: tree.refit([[1, 2, "small", "red"], [3, None, None, None]], [4, 5]),
}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=15)
@given(spec=specs(), seed=st.integers(0, 2**32 - 1), criterion=CRITERIA)
def test_it_is_read(name: str, spec: Any, seed: int, criterion: Any) -> None:
    tree = numeric(build(XY_SCHEMA, spec))
    tree = with_surrogates(tree, seed) if seed % 2 else tree
    if criterion is not None:
        tree = replace(tree, conventions=Conventions(criterion=criterion))
    before = tree.content_hash()
    found = READERS[name](tree)
    assert tree.content_hash() == before
    assert not isinstance(found, str) or "nan" not in found


@settings(max_examples=60)
@given(specs(), st.integers(0, 2**32 - 1), CRITERIA)
def test_every_row_is_explained(spec: Any, seed: int, criterion: Any) -> None:
    tree = with_surrogates(numeric(build(XY_SCHEMA, spec)), seed)
    if criterion is not None:
        tree = replace(tree, conventions=Conventions(criterion=criterion))
    row = decoded(random_rows(XY_SCHEMA, 1, seed, gaps=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = str(pt.explain(tree, row))
    assert text.startswith("Prediction: ")
    assert "nan" not in text
    assert np.isfinite(pt.explain(tree, row).prediction)
