"""Constraints by column, and random splits, as parameters of the estimators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor

import plaintree as pt
from plaintree.errors import ColumnError, ParameterError
from plaintree.rules import check_monotonic
from plaintree.tree.conventions import Conventions

Table = tuple[NDArray[Any], NDArray[Any]]
CLASSIFIERS = [
    pt.CARTClassifier(),
    pt.DecisionTreeClassifier(),
    pt.RandomForestClassifier(5, random_state=0),
]
REGRESSORS = [
    pt.CARTRegressor(),
    pt.CARTRegressor("absolute_error"),
    pt.DecisionTreeRegressor(),
    pt.RandomForestRegressor(5, random_state=0),
]


@pytest.fixture(scope="module")
def table() -> Table:
    """Four columns; the target rises with the first on the whole, but is noisy."""
    random = np.random.default_rng(0)
    X = random.permuted(np.tile(np.arange(300.0)[:, None], 4), axis=0)
    return X, X[:, 0] / 100 + np.sin(X[:, 1] / 30) + random.normal(size=300)


def name_of(model: Any) -> str:
    return f"{type(model).__name__} {model.criterion}"


# -------------------------------------------------------------------- monotonic predictions


@pytest.mark.parametrize("model", REGRESSORS, ids=name_of)
@pytest.mark.parametrize("given", [{"x0": 1, "x1": -1}, {0: 1, 1: -1}, [1, -1, 0, 0]])
def test_numbers_are_monotonic(model: Any, given: Any, table: Table) -> None:
    X, y = table
    free = model.set_params(monotonic_cst=None).fit(X, y)
    assert "predicts" in str(check_monotonic(free, given))
    held = model.set_params(monotonic_cst=given).fit(X, y)
    assert check_monotonic(held, given) is None
    higher = X + np.array([10.0, 0.0, 0.0, 0.0])
    assert (held.predict(higher) >= held.predict(X)).all()


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
def test_the_probability_of_the_second_class_is_monotonic(model: Any, table: Table) -> None:
    X, y = table[0], np.where(table[1] > 1, "yes", "no")
    free = model.set_params(monotonic_cst=None).fit(X, y)
    assert "probability of yes" in str(check_monotonic(free, {"x0": 1}))
    held = model.set_params(monotonic_cst={"x0": 1}).fit(X, y)
    assert check_monotonic(held, {"x0": 1}) is None
    higher = X + np.array([10.0, 0.0, 0.0, 0.0])
    assert (held.predict_proba(higher)[:, 1] >= held.predict_proba(X)[:, 1] - 1e-12).all()
    assert (held.predict(higher) >= held.predict(X)).all()


@pytest.mark.parametrize("estimator", [pt.CARTRegressor(monotonic_cst=[1, 0, 0, 0])])
def test_bagged_trees_take_the_constraints_of_their_estimator(estimator: Any, table: Table) -> None:
    bagged = pt.BaggedTreesRegressor(estimator, n_estimators=4, max_features=3, random_state=0)
    assert check_monotonic(bagged.fit(*table), {"x0": 1}) is None


@pytest.mark.parametrize("min_samples_leaf", [15, 40])
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_those_of_scikit_learn(min_samples_leaf: int, seed: int) -> None:
    """Few splits of large nodes tie."""
    random = np.random.default_rng(seed)
    X = random.permuted(np.tile(np.arange(400.0)[:, None], 4), axis=0)
    y = X[:, 0] / 100 - X[:, 1] / 200 + random.normal(size=400)
    limits: dict[str, Any] = {"max_depth": 3, "min_samples_leaf": min_samples_leaf}
    limits["monotonic_cst"] = [1, -1, 0, 0]
    theirs, ours = TheirRegressor(**limits).fit(X, y), pt.CARTRegressor(**limits).fit(X, y)
    assert ours.tree_.n_nodes == theirs.tree_.node_count
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    c = (y > 1).astype(int)
    theirs, ours = TheirClassifier(**limits).fit(X, c), pt.CARTClassifier(**limits).fit(X, c)
    assert ours.tree_.n_nodes == theirs.tree_.node_count
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_ordered_categories_may_be_constrained() -> None:
    sizes = pl.Series(["S", "M", "L", "M", "S", "L"], dtype=pl.Enum(["S", "M", "L"]))
    frame = sizes.to_frame("size").to_pandas()
    frame["size"] = frame["size"].cat.set_categories(["S", "M", "L"], ordered=True)
    model = pt.CARTRegressor(monotonic_cst={"size": -1}).fit(frame, [1.0, 5, 3, 5, 2, 4])
    assert check_monotonic(model, {"size": -1}) is None
    assert model.tree_.size == 0  # the target rises


@pytest.mark.parametrize("alpha", [0.0, 0.005, 0.02])
def test_pruning_to_leaves_keeps_the_order(alpha: float, table: Table) -> None:
    X, y = table
    held = pt.CARTClassifier(monotonic_cst={"x0": 1}, ccp_alpha=alpha).fit(X, y > 1)
    assert check_monotonic(held, {"x0": 1}) is None
    for method in ("pessimistic", "mdl"):
        assert check_monotonic(pt.prune(held, method), {"x0": 1}) is None
    few = pt.CARTRegressor(monotonic_cst={"x0": 1}, max_leaf_nodes=6).fit(X, y)
    assert few.tree_.n_leaves == 6
    assert check_monotonic(few, {"x0": 1}) is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"incme": 1}, "monotonic_cst names a column that the table does not have.*'income'"),
        ({7: 1}, "position that is not in the table. Got 7, where the table has 2 columns"),
        ({"zone": 1}, "'zone', whose categories have no order"),
        ({"income": 2}, "must be None or an array-like of -1, 0 or 1, but got"),
        ([1, 0, 0], "monotonic_cst has shape 3 but the input data X has 2 features"),
        ({"income": True}, "must be None or an array-like of -1, 0 or 1"),
        (3, "monotonic_cst is not a list of columns"),
    ],
)
def test_wrong_directions(given: Any, words: str) -> None:
    frame = {"income": [1.0, 2.0, 3.0, 4.0], "zone": ["a", "b", "a", "b"]}
    with pytest.raises((ColumnError, ParameterError), match=words):
        pt.CARTRegressor(monotonic_cst=given).fit(frame, [1, 2, 3, 4])


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="not supported with multiclass classification"):
        pt.CARTClassifier(monotonic_cst=[1]).fit([[1], [2], [3]], ["a", "b", "c"])


@pytest.mark.parametrize("options", [{"missing": "branch"}, {"categorical": "multiway"}])
def test_branches_without_rows_are_refused_for_classes(options: Any) -> None:
    frame = {"income": [1.0, 2.0, 3.0, 4.0], "zone": ["a", "b", "a", "b"]}
    model = pt.DecisionTreeClassifier(monotonic_cst={"income": 1}, **options)
    with pytest.raises(ParameterError, match="needs splits whose branches all have rows"):
        model.fit(frame, [0, 1, 0, 1])


# -------------------------------------------------------------------- the check itself


def test_the_check_finds_what_an_edit_has_put_out_of_order() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.CARTClassifier(monotonic_cst={"temperature": -1}).fit(X, y)
    assert check_monotonic(model, {"temperature": -1}) is None
    turned = pt.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"]).tree_
    assert check_monotonic(turned, {"x0": 1}) is None
    found = check_monotonic(turned, [-1])
    assert found == (
        "x0 <= 1.5 predicts no (probability of yes: 0), but x0 > 1.5 predicts yes "
        "(probability of yes: 1)"
    )


def test_leaves_that_no_row_can_reach_by_a_change_of_the_feature_are_not_compared() -> None:
    """Where z is 0 the target is high, where it is 1 low; in both it rises with x."""
    X = [[x, z] for z in (0, 1) for x in range(4)]
    y = [10.0, 11, 12, 13, 0, 1, 2, 3]
    model = pt.CARTRegressor(first=["x0", "x0"]).fit(X, y)
    assert check_monotonic(model, {"x0": 1}) is None
    assert "x1 <= 0.5 predicts 10, but" in str(check_monotonic(model, {"x1": 1}))


def test_a_check_needs_a_direction() -> None:
    model = pt.CARTRegressor().fit([[1], [2]], [1, 2])
    with pytest.raises(ParameterError, match="there is no feature to check"):
        check_monotonic(model, {"x0": 0})


# -------------------------------------------------------------------- forbid, first, interactions


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=name_of)
def test_forbidden_features_stay_in_the_schema(model: Any, table: Table) -> None:
    X, y = table
    fitted = model.set_params(forbid=["x0", 2], monotonic_cst=None).fit(X, (y > 1).astype(int))
    model.set_params(forbid=None)
    assert fitted.used_columns() <= {1, 3}
    assert len(fitted.schema_.features) == 4


def test_the_first_features_are_those_of_the_first_levels() -> None:
    X, y = pt.datasets.load_tennis()
    tree = pt.CARTClassifier(first=["Wind", "Temperature"]).fit(X, y).tree_
    assert tree.root.feature == "Wind"
    assert {child.feature for child in tree.root.children} == {"Temperature"}
    assert pt.CARTClassifier(first="Wind").fit(X, y).tree_.root.feature == "Wind"


def test_a_first_feature_without_a_split_is_passed_over() -> None:
    X = {"same": [1.0, 1.0, 1.0, 1.0], "x": [1.0, 2.0, 3.0, 4.0]}
    assert pt.CARTClassifier(first="same").fit(X, [0, 0, 1, 1]).tree_.root.feature == "x"


def test_features_on_a_path_are_in_one_group(table: Table) -> None:
    X, y = table
    model = pt.CARTRegressor(interaction_cst=[["x0", "x2"], ["x1"]]).fit(X, y)
    groups = [{0, 2}, {1}, {3}]  # the last has what no group lists
    for path in paths(model.tree_):
        assert any(path <= group for group in groups)
    assert model.tree_.conventions.interaction_cst == (("x0", "x2"), ("x1",), ("x3",))
    alone = pt.CARTRegressor(interaction_cst="no_interactions").fit(X, y)
    assert all(len(path) <= 1 for path in paths(alone.tree_))
    pairs = pt.CARTRegressor(interaction_cst="pairs").fit(X, y)
    assert max(len(path) for path in paths(pairs.tree_)) == 2


def paths(tree: pt.Tree) -> list[set[int]]:
    """The features on the path to each node."""
    above: list[set[int]] = [set()]
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        above.append(above[parent] | {int(tree.feature[parent])})
    return above


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"forbid": ["incme"]}, "forbid names a column .* did you mean 'income'"),
        ({"first": "size"}, "first names a column .* the columns are 'income', 'zone'"),
        ({"interaction_cst": [["income", 5]]}, "interaction_cst has a position"),
        ({"forbid": ["income", "zone"]}, "forbid lists every column"),
        ({"forbid": ["zone"], "first": "zone"}, "first has a column that forbid has as well"),
        ({"interaction_cst": "all"}, "interaction_cst is not a list of groups"),
        ({"forbid": 2.5}, "forbid is not a list of columns"),
        ({"forbid": [2.5]}, "forbid has an entry that is not a column"),
    ],
)
def test_wrong_columns(parameters: Any, words: str) -> None:
    frame = {"income": [1.0, 2.0, 3.0, 4.0], "zone": ["a", "b", "a", "b"]}
    with pytest.raises((ColumnError, ParameterError), match=words):
        pt.CARTClassifier(**parameters).fit(frame, [0, 1, 0, 1])


# -------------------------------------------------------------------- random splits


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=name_of)
def test_random_splits_depend_on_the_seed_alone(model: Any, table: Table) -> None:
    X, y = table[0], (table[1] > 1).astype(int)
    drawn = clone(model).set_params(splitter="random", monotonic_cst=None, max_depth=3)
    ends = [clone(drawn).set_params(random_state=seed).fit(X, y).apply(X) for seed in (5, 5, 6)]
    assert np.array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])


def test_thresholds_are_drawn_uniformly() -> None:
    """Between the least and the greatest value, wherever the other values are."""
    X = np.array([0.0, 0.01, 0.02, 0.03, 1.0])[:, None]
    drawn = [
        pt.CARTRegressor(splitter="random", max_depth=1, random_state=seed)
        .fit(X, [1, 2, 3, 4, 5])
        .tree_.threshold[0]
        for seed in range(400)
    ]
    assert min(drawn) >= 0
    assert max(drawn) < 1
    assert np.allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.08)


def test_sets_of_categories_are_drawn() -> None:
    zones = [["a"], ["b"], ["c"]] * 4
    drawn = {
        pt.CARTClassifier(splitter="random", max_depth=1, random_state=seed)
        .fit(zones, [0, 1, 1] * 4)
        .tree_.condition(0)
        .categories
        for seed in range(40)
    }
    assert drawn == {(0,), (1,), (2,)}


# -------------------------------------------------------------------- in the model


def test_constraints_are_stored_and_printed(tmp_path: Path, table: Table) -> None:
    X, y = table
    given: dict[str, Any] = {"forbid": [3], "first": ["x1"], "splitter": "random"}
    model = pt.CARTRegressor(monotonic_cst=[1, 0, -1, 0], **given, max_depth=4).fit(X, y)
    conventions = model.tree_.conventions
    assert conventions.monotonic_cst == (("x0", 1), ("x2", -1))
    assert (conventions.forbid, conventions.first) == (("x3",), ("x1",))
    assert str(conventions).endswith(
        "splitter=random, monotonic_cst=(x0: +1, x2: -1), forbid=(x3), first=(x1)"
    )
    pt.save(model, tmp_path / "model.json")
    again = pt.load(tmp_path / "model.json")
    assert again.tree_.conventions == conventions
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict(X), model.predict(X))


def test_conventions_take_constraints_as_they_are_given() -> None:
    assert Conventions(monotonic_cst={"x": 1}) == Conventions(monotonic_cst=[["x", 1]])
    assert Conventions(forbid="x").forbid == ("x",)
    assert "forbid" not in Conventions().to_json()
    assert "splitter" not in Conventions().to_json()
