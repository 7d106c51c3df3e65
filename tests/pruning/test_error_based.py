"""C4.5's error-based pruning and value grouping: Release 8's own trees, figure by figure."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import plaintree as pt
from plaintree.pruning.error_based import pruned_with_estimates
from plaintree.tree.condition import Grouped
from tests.support.reference_tables import description, folds, golden, load, names_in, needs_shared
from tests.support.reference_trees import difference, errors, path_to, side_by_side

VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("default", {}),
    ("gain", {"criterion": "information_gain"}),
    ("m1", {"min_samples_branch": 1}),
    ("gain_m1", {"criterion": "information_gain", "min_samples_branch": 1}),
    ("c10", {"confidence": 0.10}),
    ("c05", {"confidence": 0.05}),
    ("subset", {"categorical": "grouped"}),
)


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_size_and_training_errors_of_release_8(name: str) -> None:
    X, y = load(name)
    for variant, options in VARIANTS:
        expected = golden("c45", name)["variants"][variant]["double"]
        for prune, prefix in ((None, "unpruned"), ("error_based", "pruned")):
            grown_by = {k: v for k, v in options.items() if prune or k != "confidence"}
            model = pt.C45Classifier(pruning=prune, **grown_by).fit(X, y)
            model.tree_.validate()
            found = (model.tree_.n_nodes, errors(model, X, y))
            assert found == (expected[f"{prefix}_size"], expected[f"{prefix}_errors"]), variant


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_node_by_node(name: str) -> None:
    """The pruned trees as the published program printed them, where both builds agree."""
    default = golden("c45", name)["variants"]["default"]
    theirs = default["tree_pruned"]
    if not default["same_pruned_structure_in_double"]:
        theirs = default.get("tree_pruned_double", theirs)
    root = pt.C45Classifier().fit(*load(name)).tree_.root
    pairs = list(side_by_side(root, theirs))
    assert len(pairs) == root.tree.n_nodes
    for node, other in pairs:
        assert difference(node, other) is None, path_to(node)


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_estimated_errors(name: str) -> None:
    """The figure behind the slash at every leaf the program prints."""
    default = golden("c45", name)["variants"]["default"]
    if not default["same_pruned_structure_in_double"]:
        pytest.skip("the two builds of the program differ here")
    X, y = load(name)
    model = pt.C45Classifier(pruning=None).fit(X, y)
    columns, codes = model._encoded(X)[1], np.searchsorted(model.classes_, y).astype(np.int32)
    tree, estimates = pruned_with_estimates(model.tree_, columns, codes)
    for node, theirs in side_by_side(tree.root, default["tree_pruned"]):
        if node.is_leaf and node.weight > 0:
            assert estimates[node.index] == pytest.approx(theirs["errors"], rel=1e-3, abs=1e-3)


TIES_IN_FOLDS = {"breast_cancer": {0}, "crx": {2, 4, 7}, "hypothyroid": {6}, "nursery": {4}}
"""Folds in which attributes or cuts of the unpruned tree tie exactly, and the stored runs, made in
single precision, took another one."""


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_predictions_on_the_stored_folds(name: str) -> None:
    X, y = load(name)
    fold_of, runs = folds(name), golden("c45", name)["cv"]
    predicted = np.array(description(name)["classes"])[runs["predictions_pruned"]]
    for run in runs["per_fold"]:
        if run["fold"] in TIES_IN_FOLDS.get(name, ()):
            continue
        held_out = fold_of == run["fold"]
        model = pt.C45Classifier().fit(X[~held_out], y[~held_out])
        assert model.tree_.n_nodes == run["train"]["pruned_size"], run["fold"]
        np.testing.assert_array_equal(model.predict(X[held_out]), predicted[held_out])


def test_less_confidence_prunes_more() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=400), "b": random.choice(list("xyz"), 400)})
    y = (X["a"] > 0) ^ (random.random(400) < 0.2)
    sizes = [
        pt.C45Classifier(pruning=None).fit(X, y).tree_.size,
        *(pt.C45Classifier(confidence=c).fit(X, y).tree_.size for c in (0.5, 0.25, 0.01)),
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_options_of_pruning_go_with_the_confidence() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    strict = pt.C45Classifier(confidence=0.001).fit(X, y).tree_
    merged = pt.C45Classifier(confidence=0.001, pruning_options={"merge_leaves": True}).fit(X, y)
    assert merged.tree_.difference(strict.merge_leaves()) is None
    told = pt.C45Classifier(pruning_options={"confidence": 0.001}).fit(X, y).tree_
    assert told.difference(strict) is None


def test_noise_in_the_course_example_is_pruned_away() -> None:
    """A noisy fifteenth day makes the tree larger; pruning at a low confidence undoes it."""
    X, y = pt.datasets.load_tennis()
    model = pt.C45Classifier(confidence=0.01).fit(X, y)
    assert model.tree_.n_nodes <= pt.C45Classifier(pruning=None).fit(X, y).tree_.n_nodes


def test_groups_of_categories_are_read_and_ruled() -> None:
    X = pd.DataFrame({"letter": list("abcdef") * 10})
    y = X["letter"].isin(list("ace"))
    tree = pt.C45Classifier(categorical="grouped").fit(X, y).tree_
    condition = tree.root.condition
    assert isinstance(condition, Grouped)
    assert [condition.categories_of(b) for b in range(2)] == [(0, 2, 4), (1, 3, 5)]
    assert "letter in {a, c, e}: True" in str(tree)
    assert "IF letter in {b, d, f} THEN False" in pt.export_rules(tree)
    codes = np.array([0, 1, -1, -2])
    assert condition.route(codes).tolist() == [0, 1, -1, -2]


@pytest.mark.parametrize("missing", ["fractional", "most_common", "most_common_in_class", "branch"])
def test_groups_live_with_every_treatment_of_gaps(missing: Any) -> None:
    random = np.random.default_rng(1)
    letters = random.choice([*"abcdefgh", None], 300)
    X = pd.DataFrame({"letter": letters, "x": random.normal(size=300)})
    y = np.isin(letters.astype(str), list("acx")) ^ (X["x"] > 1).to_numpy()
    for criterion in ("gain_ratio", "information_gain"):
        model = pt.C45Classifier(criterion, categorical="grouped", missing=missing).fit(X, y)
        model.tree_.validate()
        assert model.score(X, y) > 0.75
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("confidence", [0, -0.1, 1.5, float("nan")])
def test_confidence_must_be_a_level(confidence: float) -> None:
    with pytest.raises(pt.PlaintreeError, match=r"confidence is out of range.*0\.25"):
        pt.C45Classifier(confidence=confidence).fit([[0], [1]], ["a", "b"])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_depth() -> None:
    """A chain of 5,999 nodes: its rows, kept once per node, would take 290 MB."""
    code = """
import resource
import numpy as np
import plaintree as pt
X, y = np.arange(6_000.0)[:, None], np.arange(6_000) % 2
model = pt.CARTClassifier().fit(X, y)
assert model.tree_.depth == 5_999
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
pt.prune(model, "error_based", X=X, y=y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert int(done.stdout) < 100_000  # kilobytes
