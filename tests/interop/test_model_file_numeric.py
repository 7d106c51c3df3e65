"""Model files, pickles, differences and edits of trees of a numeric target."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ExportError, ModelFileError, ParameterError, TreeError
from plaintree.interop.model_file import model_card
from plaintree.interop.model_file.document import document_of
from plaintree.interop.model_file.packed_form import packed_bytes
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.interop.model_file.text_form import digest
from plaintree.interop.verification.verify import verify_export
from plaintree.tree.build import NodeDescription, build_tree, described_nodes
from plaintree.tree.condition import Threshold
from plaintree.tree.forest import PackedForest


def fitted(seed: int, n_rows: int = 60, **options) -> tuple[pt.CARTRegressor, pl.DataFrame]:
    random = np.random.default_rng(seed)
    holes = random.random(n_rows) < 0.2
    x = np.where(holes, np.nan, random.integers(0, 9, n_rows) / 3)
    X = pl.DataFrame({"x": x, "color": random.choice(["red", "green", "blue"], n_rows)})
    y = random.normal(size=n_rows) * 10.0 ** random.integers(-3, 4)
    weights = random.integers(1, 5, n_rows) / 3
    return pt.CARTRegressor(**options).fit(X, y, weights), X


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["most_common", "fractional", "branch"]),
    st.sampled_from(["subset", "one_vs_rest"]),
)
def test_both_forms_and_pickle_restore_the_tree_to_the_last_bit(seed, missing, categorical):
    model, X = fitted(seed, missing=missing, categorical=categorical)
    texts = to_bytes(model), packed_bytes(document_of(model))
    for again in (*map(from_bytes, texts), pickle.loads(pickle.dumps(model))):
        assert again.tree_.content_hash() == model.tree_.content_hash()
        assert again.tree_.difference(model.tree_) is None
        for name in ("weight", "impurity", "score", "prediction"):
            ours, theirs = getattr(model.tree_, name), getattr(again.tree_, name)
            assert ours.tobytes() == theirs.tobytes()
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert not hasattr(again, "classes_")


@pytest.mark.parametrize("name", ["CARTRegressor", "DecisionTreeRegressor"])
def test_an_estimator_is_restored_with_its_parameters(name):
    X, y = pl.DataFrame({"x": [1, 2, 3, 4]}), [1.5, 2.0, 4.0, 3.0]
    model = getattr(pt, name)(max_depth=2, min_samples_leaf=1).fit(X, y)
    again = from_bytes(to_bytes(model))
    assert again.get_params() == model.get_params()
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_a_tree_alone_and_a_packed_forest_are_restored():
    trees = [fitted(seed)[0].tree_ for seed in range(3)]
    assert from_bytes(to_bytes(trees[0])).difference(trees[0]) is None
    tree = replace(trees[0], conventions=None)
    for forest in (PackedForest.from_trees([tree]), pickle.loads(pickle.dumps(trees[0]))):
        first = forest[0] if isinstance(forest, PackedForest) else forest
        assert first.difference(trees[0]) is None


def test_a_card_names_the_version_of_numeric_targets(tmp_path):
    pt.save(fitted(1)[0], tmp_path / "model.json")
    card = model_card(tmp_path / "model.json")
    assert (card.model, card.version, card.classes) == ("CARTRegressor", 2, ())


def test_models_of_classes_are_written_in_version_1():
    X, y = pt.datasets.load_golf()
    assert json.loads(to_bytes(pt.CARTClassifier().fit(X, y)))["version"] == 1


def resealed(data: dict) -> bytes:
    data.pop("sha256", None)
    return json.dumps(data | {"sha256": digest(data)}).encode()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 1, "one with classes"),
        ("model", "CARTClassifier", "CARTClassifier"),
        ("schema", {"target": "y", "classes": ["a", "b"], "attributes": []}, "CARTRegressor"),
    ],
)
def test_a_head_of_another_task_is_refused(key, value, message):
    data = json.loads(to_bytes(fitted(2)[0]))
    data[key] = value
    with pytest.raises(ModelFileError, match=message):
        from_bytes(resealed(data))


@pytest.mark.parametrize("value", [None, "inf", "x", [1.0]])
def test_a_prediction_that_is_not_finite_is_refused(value):
    data = json.loads(to_bytes(fitted(2)[0]))
    data["trees"][0]["nodes"][0]["prediction"] = value
    with pytest.raises(ModelFileError, match="prediction"):
        from_bytes(resealed(data))


def test_a_criterion_of_classes_is_refused():
    data = json.loads(to_bytes(fitted(2)[0]))
    data["conventions"][0]["criterion"] = "gini"
    with pytest.raises(ModelFileError, match="criterion of a tree does not fit"):
        from_bytes(resealed(data))


@pytest.mark.parametrize("form", ["text", "packed"])
def test_damaged_files_are_refused_or_hold_a_model(form):
    model = fitted(3)[0]
    data = to_bytes(model) if form == "text" else packed_bytes(document_of(model))
    random, n_refused = Random(form), 0
    for _ in range(200):
        changed = bytearray(data)
        changed[random.randrange(len(changed))] = random.randrange(256)
        try:
            from_bytes(bytes(changed)).tree_.validate()
        except ModelFileError:
            n_refused += 1
    assert n_refused >= 190, "the checksum finds nearly every changed byte"


# -------------------------------------------------------------------- building and editing

SCHEMA = Schema((Feature("size", "numeric"),), (), "price")


def two_leaves():
    test = NodeDescription(Threshold(0, 2.5), children=(1, 2))
    leaves = [NodeDescription(n_rows=3, prediction=1.0), NodeDescription(n_rows=1, prediction=5.0)]
    return build_tree(SCHEMA, [test, *leaves])


def test_described_nodes_pool_mean_and_variance():
    tree = two_leaves()
    assert tree.prediction.tolist() == [2.0, 1.0, 5.0]
    assert (tree.weight[0], tree.n_rows[0], tree.impurity[0]) == (4.0, 4, 3.0)
    assert build_tree(SCHEMA, described_nodes(tree)).difference(tree) is None


def test_a_leaf_without_a_prediction_is_refused():
    with pytest.raises(TreeError, match="has no prediction"):
        build_tree(SCHEMA, [NodeDescription(n_rows=3)])


def test_a_prediction_among_classes_is_refused():
    schema = replace(SCHEMA, classes=("a", "b"))
    with pytest.raises(TreeError, match="the target has classes"):
        build_tree(schema, [NodeDescription(class_weights=(1, 2), prediction=1.0)])


def test_a_leaf_is_given_another_number_or_a_split():
    tree = two_leaves()
    changed = tree.relabel(2, 7.5)
    assert changed.prediction.tolist() == [2.0, 1.0, 7.5]
    assert (changed.edits[0]["from"], changed.edits[0]["to"]) == (5.0, 7.5)
    assert "prediction 5.0 against prediction 7.5" in str(tree.difference(changed))
    grafted = tree.graft(1, "size <= 1", labels=[0.0, 2.0])
    assert grafted.prediction[grafted.n_children == 0].tolist() == [5.0, 0.0, 2.0]
    with pytest.raises(ParameterError, match="label is out of range"):
        tree.relabel(2, float("inf"))


def test_leaves_of_one_number_are_merged_and_others_not():
    tree = two_leaves()
    assert tree.merge_leaves() is tree
    assert tree.relabel(2, 1.0).merge_leaves().n_nodes == 1


def test_labels_need_classes():
    tree = two_leaves()
    with pytest.raises(ParameterError, match="needs classes"):
        _ = tree.root.label
    assert "leaf 5.0" in repr(tree.node(2))


@pytest.mark.parametrize("missing", ["most_common", "fractional", "branch"])
@pytest.mark.parametrize("seed", range(5))
def test_python_predicts_the_same_numbers(seed, missing):
    model, X = fitted(seed, missing=missing)
    for exported in (model, model.tree_):
        check = pt.interop.Verification(X)
        source = pt.export_python(exported, verify=check)
        assert str(check.result).endswith("numbers compared")
        assert "predict_proba" not in source
    changed = source.replace(repr(float(model.tree_.prediction[-1])), "12345.5")
    with pytest.raises(ExportError, match="where the model predicts"):
        verify_export(model, changed, "python", X)


def test_python_predicts_under_other_names():
    model, X = fitted(1)
    assert "hue" in pt.export_python(
        model, feature_names=["size", "hue"], verify=X.rename({"x": "size", "color": "hue"})
    )
