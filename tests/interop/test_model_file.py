"""Model files: what is saved comes back the same; what is not a model file is refused."""

from __future__ import annotations

import copy
import errno
import json
import math
import os
import pickle
import re
import stat
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, FileError, ModelFileError
from plaintree.estimators.boost import BoostedTreesClassifier
from plaintree.estimators.forest import RandomForestClassifier
from plaintree.interop.model_file import load, model_card, save, tree_columns
from plaintree.interop.model_file.atomic import PREFIX
from plaintree.interop.model_file.derived import MOST_LEVELS
from plaintree.interop.model_file.document import document_of
from plaintree.interop.model_file.packed_form import packed_bytes
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.tree.tree import ARRAY_DTYPES, Tree
from tests.support.fuzz_model_file import KEPT, kept, parts_of, sealed
from tests.support.model_files.make import LEARNERS, fitted, table
from tests.support.reference_tables import SHARED, needs_shared
from tests.support.reference_tables import load as reference_table
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs, tennis


def trees_of(model: Any) -> list[Tree]:
    return list(model.trees_) if hasattr(model, "trees_") else [model.tree_]


def written_schema(model: Any) -> Schema:
    """The schema without the values of columns that no tree and no rule uses."""
    used = frozenset[int]().union(*(tree.used_columns() for tree in trees_of(model)))
    rules = getattr(model, "rules_", None)
    return model.schema_.with_values_of(used | rules.shown_columns() if rules else used)


def assert_same_tree(tree: Tree, other: Tree) -> None:
    assert tree.difference(other) is None
    assert tree.conventions == other.conventions
    assert tree.edits == other.edits
    for name in ARRAY_DTYPES:  # to the last bit, also what a difference leaves out
        mine, its = getattr(tree, name), getattr(other, name)
        assert mine.tobytes() == its.tobytes() or np.array_equal(mine, its, equal_nan=True), name
        assert not its.flags.writeable


def assert_same_model(model: Any, other: Any, X: Any) -> None:
    assert type(model) is type(other)
    assert written_schema(model) == other.schema_
    assert model.training_ == other.training_
    assert model.classes_.dtype == other.classes_.dtype
    assert repr(model) == repr(other)
    for tree, its in zip(trees_of(model), trees_of(other), strict=True):
        assert_same_tree(tree, its)
    if hasattr(model, "rules_"):
        assert [str(rule) for rule in model.rules_.rules] == [str(r) for r in other.rules_.rules]
        assert model.rules_.default_weights == other.rules_.default_weights
    assert (model.predict(X) == other.predict(X)).all()
    assert (model.predict_proba(X) == other.predict_proba(X)).all()


class Models(dict[str, tuple[Any, Any]]):
    """Models by name, with their tables, fitted when they are asked for."""

    def __missing__(self, name: str) -> tuple[Any, Any]:
        self[name] = fitted(name)
        return self[name]


@pytest.fixture(scope="module")
def models() -> Models:
    return Models()


# ------------------------------------------------------------------------------ the way and back


class TestRoundTrip:
    @pytest.mark.parametrize("name", LEARNERS)
    def test_every_learner(self, name: str, tmp_path: Path, models: Models) -> None:
        model, X = models[name]
        save(model, tmp_path / "m")
        assert_same_model(model, load(tmp_path / "m"), X)
        assert os.listdir(tmp_path) == ["m"]

    @pytest.mark.parametrize("name", LEARNERS)
    def test_a_loaded_model_is_saved_as_the_same_bytes(self, name: str, models: Models) -> None:
        data = to_bytes(models[name][0])
        assert to_bytes(from_bytes(data)) == data

    def test_feature_names_are_there_only_if_the_table_had_some(self, models: Models) -> None:
        X = np.arange(12.0).reshape(6, 2)
        nameless = from_bytes(to_bytes(pt.CARTClassifier().fit(X, [0, 1] * 3)))
        assert not hasattr(nameless, "feature_names_in_")
        assert nameless.predict(X).dtype == np.int64
        named = from_bytes(to_bytes(models["c45"][0]))
        assert named.feature_names_in_.tolist() == list(table()[0].columns)

    def test_a_bare_tree_and_a_bare_rule_list(self, models: Models) -> None:
        assert_same_tree(tennis(), from_bytes(to_bytes(tennis())))
        rules = models["rules"][0].rules_
        assert from_bytes(to_bytes(rules)) == rules

    @given(spec=specs())
    @settings(max_examples=40)
    def test_any_tree(self, spec: Any) -> None:
        tree = build(XY_SCHEMA, spec)
        assert_same_tree(tree, from_bytes(to_bytes(tree)))

    def test_numbers_that_json_has_not(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", -math.inf, [1, 2], ("y <=", -0.0, [3, 0], [0.1, 4])))
        odd = replace(
            tree,
            score=np.array([np.inf, np.nan, 1e-320, np.nan, np.nan]),
            impurity=np.array([1e-320, 0, 0, 0, 0]),
        )
        again = from_bytes(to_bytes(odd))
        assert_same_tree(odd, again)
        assert math.copysign(1, again.threshold[2]) == -1

    def test_levels_in_another_order_than_the_nodes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tree = build(
            XY_SCHEMA, ("color =", "red", [1, 0], ("color in", ["green", "grey"], [0, 1], [1, 1]))
        )
        swapped = replace(
            tree,
            levels=np.array([1, 3, 0], dtype=np.int32),
            level_begin=np.array([2, 0, 0, 0, 0]),
            level_end=np.array([3, 0, 2, 0, 0]),
        ).validate()
        assert_same_tree(swapped, from_bytes(to_bytes(swapped)))
        packed = packed_bytes(document_of(swapped))
        assert_same_tree(swapped, from_bytes(packed))
        monkeypatch.setattr(tree_columns, "MOST_SHARING", 0)  # as if many nodes shared them
        with pytest.raises(ModelFileError, match="far more category codes than there are"):
            packed_bytes(document_of(swapped))
        with pytest.raises(ModelFileError, match="far more category codes than there are"):
            from_bytes(packed)

    @pytest.mark.parametrize(
        "classes",
        [(False, True), (0, 1), (0.0, 1.0), ("0", "1"), (2**63 - 1, 2**64 - 1), (-(2**63), 5)],
    )
    def test_labels_keep_their_types(self, classes: tuple[Any, ...]) -> None:
        attribute = Feature("x", "categorical", "text", (True, 2, 2.5, math.inf, "a", "\ud800"))
        schema = Schema((attribute,), classes, "target")
        again = from_bytes(to_bytes(build(schema, ("x =", 2, [1, 2], [3, 4])))).schema
        assert again == schema
        assert [type(c) for c in again.classes] == [type(c) for c in classes]
        kinds = [type(c) for c in again.features[0].categories]
        assert kinds == [bool, int, float, float, str, str]

    def test_hostile_names(self) -> None:
        names = ["a\nb", '"', "\\", "\0", "*/", "]]>", "🙂", "\u202e", "", "{", "sha256"]
        attributes = tuple(Feature(name, "numeric") for name in names)
        tree = build(Schema(attributes, tuple(names), "'; DROP"), [1] * len(names))
        assert from_bytes(to_bytes(tree)).schema == tree.schema

    def test_parameters_come_back_as_they_were(self) -> None:
        X, y = pt.datasets.load_golf()
        given = {
            "conventions": pt.tree.Conventions(max_depth=4),
            "pruning": "cost_complexity",
            "pruning_options": {"alpha": 0.0},
            "categorical_features": ("humidity",),
            "min_samples_split": np.float64(0.5),
            "max_depth": np.int64(3),
        }
        model = pt.DecisionTreeClassifier(**given).fit(X, y)
        assert from_bytes(to_bytes(model)).get_params() == model.get_params()

    def test_parameters_of_ensembles(self) -> None:
        X, y = pt.datasets.load_golf()
        weights = {"yes": 2.0, "no": 1}
        forest = RandomForestClassifier(20, class_weight=weights, oob_score=True, random_state=1)
        again = from_bytes(to_bytes(forest.fit(X, y)))
        assert again.class_weight == weights
        assert again.oob_score_ == forest.oob_score_
        assert (again.oob_error_curve_ == forest.oob_error_curve_).all()
        assert again.max_features_ == forest.max_features_
        mine, its = (m.oob_permutation_importance(X, y).importances for m in (forest, again))
        assert (mine == its).all()
        boosted = BoostedTreesClassifier(pt.CARTClassifier(max_depth=3), n_estimators=4).fit(X, y)
        again = from_bytes(to_bytes(boosted))
        assert (again.estimator_weights_ == boosted.estimator_weights_).all()
        assert (again.estimator_errors_ == boosted.estimator_errors_).all()
        assert again.estimator.max_depth == 3

    def test_edits_are_kept(self) -> None:
        edits = ({"edit": "relabel", "node": 3, "from": "No", "to": ["Yes", {"a": None}]}, {})
        tree = replace(tennis(), edits=edits)
        assert from_bytes(to_bytes(tree)).edits == edits

    @pytest.mark.parametrize("depth", [100, MOST_LEVELS + 1])
    def test_large_and_deep_trees_are_packed(
        self, depth: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("plaintree.interop.model_file.reading.MOST_NODES_AS_TEXT", 200)
        deep = build(XY_SCHEMA, chain_spec(depth))
        data = to_bytes(deep)
        assert data.startswith(b"plaintree packed")
        assert_same_tree(deep, from_bytes(data))

    @needs_shared
    @pytest.mark.parametrize("name", sorted(p.stem for p in (SHARED / "data").glob("*.csv")))
    def test_real_tables(self, name: str) -> None:
        X, y = reference_table(name)
        few = np.random.default_rng(0).permutation(len(y))[:250]
        X, y = X.iloc[few].reset_index(drop=True), y[few]
        learners = [
            pt.ID3Classifier(),
            pt.C45Classifier(),
            pt.CARTClassifier(max_depth=6),
            RandomForestClassifier(3, random_state=0),
        ]
        for learner in learners:
            model = learner.fit(X, y)
            assert_same_model(model, from_bytes(to_bytes(model)), X)


@pytest.mark.parametrize("path", KEPT, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_files_of_every_version_load_for_ever(path: Path, models: Models) -> None:
    model = load(path)
    answers = json.loads((path.parent / "answers.json").read_text(encoding="utf-8"))
    if path.stem in answers:
        X = models[path.stem][1]
        assert model.predict_proba(X).tolist() == answers[path.stem]
    assert model_card(path).plaintree == path.parent.name


@pytest.mark.parametrize("name", ["numbers", "bagged"])
def test_samples_of_version_0_1_0_are_not_drawn_again(name: str) -> None:
    model = load(next(path for path in KEPT if path.stem == name))
    (X, y), told = LEARNERS[name][1](), "an earlier version of plaintree drew the samples"
    with pytest.raises(pt.PlaintreeError, match=told):
        model.oob_permutation_importance(X, y)
    model.set_params(warm_start=True, n_estimators=len(model.trees_) + 1)
    with pytest.raises(pt.PlaintreeError, match=told):
        model.fit(X, y)
    again = from_bytes(to_bytes(model))
    with pytest.raises(pt.PlaintreeError, match=told):
        again.oob_permutation_importance(X, y)
    again.set_params(warm_start=False).fit(X, y).oob_permutation_importance(X, y)


# ------------------------------------------------------------------------------ what files say


class TestCard:
    def test_says_where_a_model_comes_from(self, tmp_path: Path, models: Models) -> None:
        model = models["id3"][0]
        save(model, tmp_path / "m")
        card = model_card(tmp_path / "m")
        assert (card.model, card.form, card.plaintree) == ("ID3Classifier", "text", pt.__version__)
        assert (card.n_rows, card.table_hash) == (14, model.training_.table_hash)
        assert card.parameters == model.get_params()
        assert (card.n_trees, card.n_nodes, card.n_rules) == (1, model.tree_.n_nodes, 0)
        assert card.classes == ("no", "yes")
        assert card.schema == written_schema(model)

    def test_of_ensembles_rules_and_edits(self, tmp_path: Path, models: Models) -> None:
        save(models["forest"][0], tmp_path / "forest")
        card = model_card(tmp_path / "forest")
        assert (card.form, card.n_trees, len(card.conventions)) == ("packed", 9, 1)
        save(models["rules"][0].rules_, tmp_path / "rules")
        assert model_card(tmp_path / "rules").n_rules == len(models["rules"][0].rules_)
        save(replace(tennis(), edits=({"edit": "cut"},)), tmp_path / "tree")
        card = model_card(tmp_path / "tree")
        assert card.edits == ((0, {"edit": "cut"}),)
        assert card.n_rows is None

    def test_text_is_for_people(self) -> None:
        lines = to_bytes(tennis()).decode().splitlines()
        assert '  "model": "Tree",' in lines
        assert sum(line.lstrip().startswith('{"kind": "leaf"') for line in lines) == 5

    def test_text_may_be_laid_out_anew(self) -> None:
        other = json.dumps(json.loads(to_bytes(tennis())), indent=8, sort_keys=True)
        assert_same_tree(tennis(), from_bytes(other.encode()))


# ------------------------------------------------------------------------------ what is refused


def changed(original: bytes, *path: Any, to: Any) -> bytes:
    """A file in which the value at a place is another, with the checksum put right."""
    head, rest = parts_of(original)
    *way, last = path
    holder = head
    for key in way:
        holder = holder[key]
    if to is None and isinstance(holder, dict):
        del holder[last]
    else:
        holder[last] = to
    return sealed(head, rest, packed=bool(rest))


TREE = to_bytes(tennis())
ID3 = to_bytes(fitted("id3")[0])
RULES = to_bytes(fitted("rules")[0])
FOREST = to_bytes(fitted("forest")[0])
BOOSTED = to_bytes(fitted("boosted")[0])
NODES = ("trees", 0, "nodes")


class TestRefused:
    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (b"", "cannot be read as JSON"),
            (b"\xff\xfe", "cannot be read as JSON"),
            (b"[" * 100_000, "cannot be read as JSON"),
            (b"[" * 2_000_000, "too large to be a model. Got 2,000,000 lists and objects"),
            (b"[" + b"0," * 5_000_000, "too large to be a model. Got 5,000,000 values"),
            (b'{"format": "plaintree model", "format": 1}', "the same key twice"),
            (ID3.replace(b'"version": 1', b'"version": 2, "version": 1'), "the same key twice"),
            (b'{"format": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
            (b'{"format": NaN}', "cannot be read as JSON"),
            (b'{"format": 1e999}', "cannot be read as JSON.*too large for a float64"),
            (b"[]", "not a model file"),
            (b'{"format": "other"}', "not a model file"),
            (pickle.dumps(1), "cannot be read as JSON"),
            (b"plaintree packed model", "cannot be read as JSON"),
            (b"plaintree packed model 1\n", "first line is damaged"),
        ],
    )
    def test_what_is_no_model_file(self, data: bytes, why: str) -> None:
        with pytest.raises(ModelFileError, match=why):
            from_bytes(data)

    @pytest.mark.parametrize("path", KEPT, ids=lambda p: p.stem)
    def test_every_file_that_is_cut_off(self, path: Path) -> None:
        data = kept(path)
        step = 1 if len(data) < 2_500 else 97
        for end in {*range(0, len(data) - 2, step), len(data) - 3}:
            with pytest.raises(ModelFileError, match=r"damaged|JSON"):
                from_bytes(data[:end])

    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (TREE.replace(b"[3.0, 0.0]", b"[3.0, 1.0]"), "checksum is wrong"),
            (FOREST[:-1] + bytes([FOREST[-1] ^ 1]), "checksum is wrong"),
            (FOREST.replace(b'"soft"', b'"Probability"'), "damaged"),
            (FOREST + b"x", "longer or shorter"),
        ],
    )
    def test_what_was_changed(self, data: bytes, why: str) -> None:
        with pytest.raises(ModelFileError, match=why):
            from_bytes(data)

    def test_later_versions(self) -> None:
        with pytest.raises(ModelFileError, match=r"later version.*version 4.*update plaintree"):
            from_bytes(changed(TREE, "version", to=4))
        with pytest.raises(ModelFileError, match=r"later version"):
            from_bytes(FOREST.replace(b"model 1 ", b"model 4 ", 1))

    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (changed(TREE, "model", to="os.system"), "the model is not one of Tree"),
            (changed(TREE, "model", to="ID3"), "the model is not one of Tree"),
            (changed(TREE, "more", to=1), "known parts"),
            (changed(TREE, "schema", to=None), "no 'schema'"),
            (changed(TREE, "schema", "classes", to=[]), "not one with classes"),
            (changed(TREE, "schema", "classes", to=["a", "a"]), "not all different"),
            (changed(TREE, "schema", "attributes", 0, "kind", to="odd"), "kind is not one of"),
            (changed(TREE, "schema", "attributes", 1, "name", to="outlook"), "names are not all"),
            (changed(TREE, "schema", "attributes", 0, "cuts", to=[1.0]), "ends of its categories"),
            (changed(TREE, "trees", to=[]), "number of trees is not one"),
            (changed(TREE, *NODES, to=[]), "no nodes"),
            (changed(TREE, *NODES, 0, "kind", to="odd"), "kind is not one of"),
            (changed(TREE, *NODES, 0, "first_child", to=0), "does not stand before its children"),
            (changed(TREE, *NODES, 0, "first_child", to=2**40), "not an integer"),
            (changed(TREE, *NODES, 0, "n_children", to=True), "not an integer"),
            (changed(TREE, *NODES, 0, "attribute", to=7), "the schema has not"),
            (changed(TREE, *NODES, 0, "attribute", to=1), "categories of a numeric"),
            (changed(TREE, *NODES, 1, "label", to=2), "predicts an unknown class"),
            (changed(TREE, *NODES, 1, "class_weights", to=[1.0]), "a list of 2"),
            (changed(TREE, *NODES, 1, "class_weights", to=[0.0, -4.0]), "not 0 or from"),
            (changed(TREE, *NODES, 1, "class_weights", to=["inf", 0.0]), "not 0 or from"),
            (changed(TREE, *NODES, 1, "weight", to=10**400), "float64"),
            (changed(TREE, *NODES, 1, "weight", to="4"), "not a number"),
            (changed(TREE, *NODES, 1, "weight", to="inf"), "not the sum of its class"),
            (changed(TREE, *NODES, 3, "threshold", to=None), "NaN for a threshold"),
            (changed(ID3, "parameters", "odd", to=1), "there is 'odd'"),
            (changed(ID3, "parameters", "pruning_options", to={"x": 1}), "not complete"),
            (changed(ID3, "parameters", "missing", to={"learner": {}}), "no 'model'"),
            (changed(ID3, "conventions", 0, "criterion", to="odd"), "criterion has a value"),
            (changed(ID3, "trees", 0, "conventions", to=5), "from 0 to 0"),
            (changed(ID3, "training", "rows", to=-1), "integer from 0"),
            (changed(ID3, "training", "table_hash", to="0" * 17), "16 hexadecimal digits"),
            (changed(ID3, "schema", "classes", to=[1, "1"]), "as strings, are not all different"),
            (changed(ID3, "schema", "classes", to=[1, "a"]), "mix labels of different types"),
            (changed(ID3, "schema", "classes", to=["a\0", "a"]), "not all different as an array"),
            (changed(ID3, "rules", to={}), "needless"),
            (changed(RULES, "rules", to=None), "rules are missing"),
            (changed(RULES, "rules", "default", to=9), "default is not an integer"),
            (changed(RULES, "rules", "rules", 0, "leaf", to="x"), "leaf is not"),
            (changed(RULES, "rules", "rules", 0, "conditions", 0, "attribute", to=9), "0 to 3"),
            (changed(RULES, "rules", "rules", 0, "conditions", 0, "categories", to=[9]), "0 to 2"),
            (
                changed(RULES, "rules", "rules", 0, "conditions", 0, to={"attribute": 0}),
                "with a bound or a set",
            ),
            (changed(RULES, "rules", "rules", 0, "conditions", 1, "above", to="-"), "a number"),
            (changed(FOREST, "trees", "count", to=8), "about the 9 trees"),
            (changed(FOREST, "parameters", "voting", to="odd"), "voting"),
            (changed(FOREST, "figures", "_n_rows_done", to=None), "no '_n_rows_done'"),
            (changed(FOREST, "figures", "odd", to=1), "known parts"),
            (
                changed(BOOSTED, "figures", "estimator_weights_", to=[0.0, *[1.0] * 5]),
                "numbers above 0",
            ),
            (changed(BOOSTED, "figures", "estimator_weights_", to=[1.0]), "a list of 6"),
            (changed(BOOSTED, "blocks", to=[]), "longer or shorter"),
        ],
        ids=map(str, count()),
    )
    def test_what_makes_no_sense(self, data: bytes, why: str) -> None:
        with pytest.raises(ModelFileError, match=re.escape(why)):
            from_bytes(data)

    def test_models_that_a_file_cannot_hold(self) -> None:
        X, y = pt.datasets.load_golf()
        with pytest.raises(ModelFileError, match="not fitted"):
            to_bytes(pt.ID3Classifier())
        with pytest.raises(ModelFileError, match=r"object of this class.*type Own"):
            to_bytes(Own().fit(X, y))
        with pytest.raises(ModelFileError, match=r"object of this class.*type int"):
            to_bytes(1)
        seeded = pt.MemorizingTreeClassifier(random_state=np.random.RandomState(0)).fit(X, y)
        with pytest.raises(ModelFileError, match=r"'random_state' has a value.*seed is an integer"):
            to_bytes(seeded)
        odd = Schema((Feature("x", "numeric"),), (10**30, 1))
        with pytest.raises(ModelFileError, match="a class is a label that"):
            to_bytes(build(odd, [1, 2]))

    def test_names_that_are_no_files(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match=r"there is no file .*plaintree\.save"):
            load(tmp_path / "nothing")
        with pytest.raises(IsADirectoryError, match=r"cannot be read.*Is a directory"):
            load(tmp_path)
        with pytest.raises(FileError, match="null"):
            load("a\0b")
        with pytest.raises(ArgumentTypeError, match="not the path of a file"):
            load(3)  # type: ignore[arg-type]
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileError, match="is not a file"):
            load(tmp_path / "pipe")


# ------------------------------------------------------------------------------ writing in one step


class TestWriting:
    def test_a_new_file_has_the_permissions_of_any_new_file(self, tmp_path: Path) -> None:
        save(tennis(), tmp_path / "m")
        (tmp_path / "other").touch()
        modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("m", "other")]
        assert modes[0] == modes[1]

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "folder" / "m")
        save(tennis(), tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert_same_tree(tennis(), load(tmp_path / "folder" / "m"))

    @pytest.mark.parametrize("failing", ["fsync", "replace"])
    def test_a_full_disk_leaves_the_old_file(
        self, failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models
    ) -> None:
        save(tennis(), tmp_path / "m")

        def full(*_: Any) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, failing, full)
        with pytest.raises(FileError, match=r"could not be written.*No space left"):
            save(models["forest"][0], tmp_path / "m")
        monkeypatch.undo()
        assert_same_tree(tennis(), load(tmp_path / "m"))
        assert os.listdir(tmp_path) == ["m"]

    def test_what_is_not_a_file_is_not_replaced(self, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError, match=r"could not be written.*which is a directory"):
            save(tennis(), tmp_path)
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileError, match=r"could not be written.*not a regular file"):
            save(tennis(), tmp_path / "pipe")
        with pytest.raises(FileNotFoundError, match=r"the model could not be written to .*nowhere"):
            save(tennis(), tmp_path / "nowhere" / "m")

    def test_what_kills_long_ago_have_left_behind_is_removed(self, tmp_path: Path) -> None:
        names = [f"{PREFIX}{'0' * 15}{digit}.tmp" for digit in range(2)] + [f"{PREFIX}mine"]
        for name in names:
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (0, 0))
        os.utime(tmp_path / names[1])  # somebody may be writing it now
        save(tennis(), tmp_path / "m")
        assert sorted(os.listdir(tmp_path)) == sorted(["m", *names[1:]])

    def test_a_kill_leaves_the_old_or_the_new_file(self, tmp_path: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-c", KILLED_WHILE_WRITING, str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("whole after 30 kills\n", "")


KILLED_WHILE_WRITING = """
import itertools, os, random, signal, sys, time
from pathlib import Path
from plaintree.interop.model_file.atomic import write_file

path = Path(sys.argv[1]) / "m"
contents = [b"old" * 500_000, b"new!" * 700_000]
write_file(path, contents[0])
for _ in range(30):
    writer = os.fork()
    if not writer:
        for content in itertools.cycle(contents):
            write_file(path, content)
    time.sleep(random.uniform(0, 0.02))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    assert path.read_bytes() in contents, "a broken file"
print("whole after 30 kills")
"""


# ------------------------------------------------------------------------------ pickle and joblib


class Own(pt.ID3Classifier):
    """A class of a user's own, with an attribute of its own."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Own:
        super().fit(X, y, sample_weight)
        self.note_ = ["mine"]
        return self


class TestPickling:
    @pytest.mark.parametrize("name", LEARNERS)
    def test_fitted_models(self, name: str, tmp_path: Path, models: Models) -> None:
        model, X = models[name]
        joblib.dump(model, tmp_path / "m")
        for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "m")):
            assert_same_model(model, again, X)
        assert_same_model(model, copy.deepcopy(model), X)
        assert trees_of(copy.copy(model))[0].difference(trees_of(model)[0]) is None

    def test_go_through_the_bytes_of_a_model_file(self, models: Models) -> None:
        assert b"plaintree packed model 1 " in pickle.dumps(models["forest"][0])
        state = models["id3"][0].__getstate__()
        assert not {"tree_", "schema_", "classes_"} & state.keys()
        damaged = state["model_file"][:-1]
        with pytest.raises(ModelFileError, match="longer or shorter"):
            pt.ID3Classifier().__setstate__(state | {"model_file": damaged})

    def test_a_shallow_copy_shares_its_trees(self, models: Models) -> None:
        model = models["id3"][0]
        assert copy.copy(model).tree_ is model.tree_

    def test_unfitted_models_and_clones(self, models: Models) -> None:
        model = pt.C45Classifier(confidence=0.1)
        assert repr(pickle.loads(pickle.dumps(model))) == repr(model)
        assert not hasattr(clone(models["c45"][0]), "tree_")

    def test_what_no_model_file_holds(self) -> None:
        X, y = pt.datasets.load_golf()
        own = Own(random_state=np.random.RandomState(0)).fit(X, y)
        again = pickle.loads(pickle.dumps(own))
        assert type(again) is Own
        assert again.note_ == ["mine"]
        assert again.tree_.difference(own.tree_) is None


# ------------------------------------------------------------------------------ the training table


class TestTrainingRecord:
    def test_does_not_depend_on_the_order_or_the_form_of_the_table(self) -> None:
        frame = pd.DataFrame({"x": [1.0, -0.0, np.nan, 2.5] * 5, "y": list("abca") * 5})
        labels = np.array(["u", "v"] * 10)
        order = np.random.default_rng(0).permutation(20)
        forms = [
            (frame, labels),
            (frame.iloc[order], labels[order]),
            (frame.astype({"x": np.float32}), labels.tolist()),
            (frame.replace({"x": {-0.0: 0.0}}), labels),
        ]
        records = {pt.ID3Classifier().fit(X, y).training_ for X, y in forms}
        assert len(records) == 1
        weighted = pt.ID3Classifier().fit(frame, labels, np.ones(20)).training_
        assert weighted in records

    def test_tells_tables_apart(self) -> None:
        X, y = np.arange(40.0).reshape(20, 2), np.array([0, 1] * 10)
        tables = [(X, y, None), (X[:, ::-1], y, None), (X, 1 - y, None), (X + 1, y, None)]
        tables += [(X, y, np.arange(1.0, 21)), (X[:19], y[:19], None), (X[:, :1], y, None)]
        hashes = {pt.CARTClassifier().fit(*table).training_.table_hash for table in tables}
        assert len(hashes) == len(tables)

    def test_is_the_same_in_every_version(self) -> None:
        X, y = pt.datasets.load_golf()
        assert pt.ID3Classifier().fit(X, y).training_.table_hash == "0f9a16b527bab394"
