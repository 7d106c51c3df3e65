"""The estimators of plaintree.dask: the ordinary models, fitted and used where the rows are."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask import dataframe as dd
from sklearn.base import clone

import plaintree as pt
import plaintree.dask
from plaintree.errors import (
    ArgumentTypeError,
    ColumnError,
    ParameterError,
    PlaintreeError,
    TableError,
)
from tests.support.dask_tables import (
    FEATURES,
    assert_nothing_is_held,
    mixed_table,
    partitioned,
)

FRAME = mixed_table()
ON_DASK = partitioned(FRAME, 5, with_empty=True)
NAMES = plaintree.dask.__all__


def target_of(name: str) -> str:
    return "number" if name.endswith("Regressor") else "label"


def small(name: str) -> dict[str, Any]:
    """Parameters that keep a model small."""
    if name.startswith("BaggedTrees"):
        kind = pt.CARTRegressor if name.endswith("Regressor") else pt.CARTClassifier
        return {"n_estimators": 3, "estimator": kind(max_depth=4)}
    forest = {"n_estimators": 3} if name.startswith("RandomForest") else {}
    return {"max_depth": 4, **forest}


@pytest.fixture(scope="module")
def model(dask_client: Any) -> Any:
    """A classifier that was fitted on Dask."""
    fitted = plaintree.dask.CARTClassifier(max_depth=4, client=dask_client)
    return fitted.fit(ON_DASK[FEATURES], ON_DASK["label"])


@pytest.fixture(scope="module")
def ordinary() -> pt.CARTClassifier:
    """The same in memory."""
    return pt.CARTClassifier(max_depth=4).fit(FRAME[FEATURES], FRAME["label"])


def trees_of(model: Any) -> list[Any]:
    return [model.tree_] if hasattr(model, "tree_") else list(model.trees_)


# ------------------------------------------------------------------------------- fitting


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_that_of_the_rows_in_memory(name: str, dask_client: Any) -> None:
    target, options = target_of(name), small(name)
    on_dask = getattr(plaintree.dask, name)(client=dask_client, **options)
    on_dask.fit(ON_DASK[FEATURES], ON_DASK[target])
    ordinary = getattr(pt, name)(**options).fit(FRAME[FEATURES], FRAME[target])
    for tree, other in zip(trees_of(on_dask), trees_of(ordinary), strict=True):
        assert tree.difference(other) is None
        assert tree.content_hash() == other.content_hash()
    assert on_dask.feature_names_in_.tolist() == FEATURES
    predicted, expected = on_dask.predict(FRAME[FEATURES]), ordinary.predict(FRAME[FEATURES])
    np.testing.assert_array_equal(predicted, expected)


def test_weights_are_a_series_or_a_column(dask_client: Any) -> None:
    learner = plaintree.dask.CARTClassifier(max_depth=4, client=dask_client)
    columns = ON_DASK[[*FEATURES, "label", "weight"]]
    expected = pt.CARTClassifier(max_depth=4)
    expected.fit(FRAME[FEATURES], FRAME["label"], FRAME["weight"])
    by_name = learner.fit(columns, "label", "weight").tree_
    by_series = learner.fit(columns[FEATURES], columns["label"], columns["weight"]).tree_
    assert by_name.difference(expected.tree_) is None
    assert by_series.difference(expected.tree_) is None


def test_the_current_client_is_the_default(dask_client: Any, model: Any) -> None:
    with dask_client.as_current():
        other = plaintree.dask.CARTClassifier(max_depth=4).fit(ON_DASK[FEATURES], ON_DASK["label"])
    assert other.tree_.difference(model.tree_) is None


def test_without_a_client_fit_is_an_error() -> None:
    with pytest.raises(PlaintreeError, match=r"there is no Dask client.*LocalCluster"):
        plaintree.dask.CARTClassifier().fit(ON_DASK[FEATURES], ON_DASK["label"])


def test_a_table_in_memory_is_fitted_as_usual(ordinary: Any) -> None:
    local = plaintree.dask.CARTClassifier(max_depth=4).fit(FRAME[FEATURES], FRAME["label"])
    assert local.tree_.difference(ordinary.tree_) is None


def test_a_column_that_is_not_there_is_an_error(dask_client: Any) -> None:
    with pytest.raises(ColumnError, match=r"y names a column that X does not have. Got 'labl'"):
        plaintree.dask.CARTClassifier(client=dask_client).fit(ON_DASK, "labl")


def test_names_that_are_integers_are_those_of_the_rows_in_memory(dask_client: Any) -> None:
    numbers = FRAME[["single", "double", "number"]].set_axis(range(3), axis=1)
    ordinary = pt.CARTRegressor(max_depth=3).fit(numbers[[0, 1]], numbers[2])
    on_dask = dd.from_pandas(numbers, npartitions=3)
    learner = plaintree.dask.CARTRegressor(max_depth=3, client=dask_client)
    for frame, target in ((on_dask, 2), (on_dask[[0, 1]], on_dask[2])):
        model = learner.fit(frame, target)
        assert model.tree_.difference(ordinary.tree_) is None
        assert vars(model).keys() == vars(ordinary).keys() | {"client"}
    found = dask_client.compute(model.predict(on_dask[[0, 1]])).result()
    assert found.tolist() == ordinary.predict(numbers[[0, 1]]).tolist()


def test_two_columns_of_one_name_are_an_error(dask_client: Any) -> None:
    frame = ON_DASK[["single", "double", "label"]].rename(columns={"single": "double"})
    with pytest.raises(TableError, match=r"column names are not unique\. Got 'double'"):
        plaintree.dask.CARTClassifier(client=dask_client).fit(frame, "label")


def test_weights_below_one_are_scaled_as_in_memory(dask_client: Any) -> None:
    frame = FRAME.assign(weight=FRAME["weight"] / (3 * FRAME["weight"].max()))
    expected = pt.CARTClassifier(max_depth=4)
    expected.fit(frame[FEATURES], frame["label"], frame["weight"])
    learner = plaintree.dask.CARTClassifier(max_depth=4, client=dask_client)
    columns = partitioned(frame, 4)[[*FEATURES, "label", "weight"]]
    model = learner.fit(columns, "label", "weight")
    assert model.tree_.content_hash() == expected.tree_.content_hash()


def test_what_takes_rows_in_memory_names_compute(model: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"no rows yet.*call \.compute\(\)"):
        model.apply(ON_DASK[FEATURES])
    with pytest.raises(ArgumentTypeError, match=r"no rows yet.*call \.compute\(\)"):
        pt.prune(model, "reduced_error", ON_DASK[FEATURES], ON_DASK["label"])


def test_after_an_error_nothing_stays_on_the_workers(dask_client: Any) -> None:
    learner = plaintree.dask.CARTClassifier(class_weight={"maybe": 2.0}, client=dask_client)
    with pytest.raises(PlaintreeError, match="'maybe'"):
        learner.fit(ON_DASK[FEATURES], ON_DASK["label"])
    assert_nothing_is_held(dask_client)


# ------------------------------------------------------------------------------- predicting


def test_predictions_are_lazy_and_those_of_the_model(
    model: Any, ordinary: Any, dask_client: Any
) -> None:
    predicted = model.predict(ON_DASK[FEATURES])
    assert isinstance(predicted, dd.Series)
    found = dask_client.compute(predicted).result()
    assert found.dtype == predicted.dtype
    assert found.name == predicted.name == "label"
    assert found.index.equals(FRAME.index)
    assert found.tolist() == ordinary.predict(FRAME[FEATURES]).tolist()


def test_probabilities_have_a_column_for_each_class(
    model: Any, ordinary: Any, dask_client: Any
) -> None:
    shares = model.predict_proba(ON_DASK[FEATURES])
    assert isinstance(shares, dd.DataFrame)
    assert list(shares.columns) == ["no", "yes"]
    found = dask_client.compute(shares).result()
    assert found.to_numpy().tolist() == ordinary.predict_proba(FRAME[FEATURES]).tolist()


def test_predicted_numbers_are_floats(dask_client: Any) -> None:
    learner = plaintree.dask.CARTRegressor(max_depth=2, client=dask_client)
    fitted = learner.fit(ON_DASK[FEATURES], ON_DASK["number"])
    predicted = fitted.predict(ON_DASK[FEATURES])
    assert predicted.dtype == np.float64
    found = dask_client.compute(predicted).result()
    assert found.tolist() == fitted.predict(FRAME[FEATURES]).tolist()


def test_other_columns_are_an_error_before_anything_is_computed(model: Any) -> None:
    with pytest.raises(ColumnError, match=r"not fitted on. Got 'number', 'label', 'weight'"):
        model.predict(ON_DASK)


def test_options_of_predict_are_for_tables_in_memory(model: Any) -> None:
    with pytest.raises(ParameterError, match=r"have no options. Got quantiles. .*to_local\(\)"):
        model.predict(ON_DASK[FEATURES], quantiles=[0.5])


def test_a_dask_array_is_an_error(model: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="X is not a Dask DataFrame"):
        model.predict(ON_DASK[["single", "double"]].to_dask_array())


# ------------------------------------------------------------------------------- the model


def test_a_saved_model_is_loaded_as_the_ordinary_one(model: Any, tmp_path: Path) -> None:
    pt.save(model, tmp_path / "model.json")
    loaded = pt.load(tmp_path / "model.json")
    assert type(loaded) is pt.CARTClassifier
    assert loaded.tree_.difference(model.tree_) is None
    assert loaded.max_depth == 4


def test_to_local_is_the_ordinary_model(model: Any, ordinary: Any) -> None:
    local = model.to_local()
    assert type(local) is pt.CARTClassifier
    assert local.tree_ is model.tree_
    assert local.get_params() == ordinary.get_params()
    assert vars(local).keys() == vars(ordinary).keys()


def test_the_trees_of_a_bagged_model_are_localised(dask_client: Any) -> None:
    inside = plaintree.dask.CARTClassifier(max_depth=2, client=dask_client)
    bagged = plaintree.dask.BaggedTreesClassifier(inside, client=dask_client)
    assert type(bagged.to_local().estimator) is pt.CARTClassifier


def test_a_model_is_pickled_without_its_client(model: Any) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is plaintree.dask.CARTClassifier
    assert again.client is None
    assert again.tree_.difference(model.tree_) is None
    assert copy.copy(model).client is model.client


def test_a_clone_has_the_same_client_and_no_tree(model: Any) -> None:
    twin = clone(model)
    assert type(twin) is type(model)
    assert twin.client is model.client
    assert not hasattr(twin, "tree_")
    assert twin.get_params() == model.get_params()


def test_a_model_explains_draws_and_exports_itself(model: Any, ordinary: Any) -> None:
    row = FRAME[FEATURES].iloc[0].to_dict()
    assert str(model.explain(row)) == str(ordinary.explain(row))
    assert pt.export_text(model) == pt.export_text(ordinary)
    assert pt.export_svg(model) == pt.export_svg(ordinary)
    assert pt.export_sql(model) == pt.export_sql(ordinary)


@pytest.mark.parametrize("name", NAMES)
def test_classes_have_the_parameters_of_the_ordinary_ones_and_client(name: str) -> None:
    kind, ordinary = getattr(plaintree.dask, name), getattr(pt, name)
    assert list(signature(kind).parameters) == [*signature(ordinary).parameters, "client"]
    assert kind().get_params() == ordinary().get_params() | {"client": None}
    for parameter in signature(kind).parameters:
        assert f"\n{parameter} : " in kind.__doc__


# ------------------------------------------------------------------------------- importing


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_plaintree_does_not_import_dask() -> None:
    program = (
        "import plaintree as pt, sys; X, y = pt.datasets.load_tennis(); pt.ID3Classifier()"
        ".fit(X, y).predict(X); print('dask' in sys.modules, 'distributed' in sys.modules)"
    )
    assert run(program).split() == ["False", "False"]


def test_without_dask_the_error_says_how_to_install_it() -> None:
    program = "import sys; sys.modules['distributed'] = None; import plaintree.dask"
    assert 'pip install "plaintree[dask]"' in run(program)
