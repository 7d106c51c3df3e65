"""The estimators of plaintree.spark: fit and transform Spark DataFrames as pyspark.ml does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.errors import ColumnError, ModelFileError, ParameterError
from tests.support.spark import PANDAS_3, mixed_rows

spark_ml = pytest.importorskip("plaintree.spark", reason="pyspark is not installed")
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(PANDAS_3)]

ROWS = mixed_rows(600)
FEATURES = ["x", "coarse", "colour", "single"]
X = ROWS[FEATURES]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """The rows in three partitions."""
    return spark.createDataFrame(ROWS.assign(label=1.0 * (ROWS["y"] == "yes"))).repartition(3)


def columns_of(transformed: Any) -> Any:
    """The rows of a frame in their first order."""
    return pl.DataFrame(transformed.toArrow()).sort("row")


def test_every_estimator_has_the_parameters_of_the_ordinary_one() -> None:
    for name in spark_ml.__all__:
        if name != "TreeModel":
            own = {param.name for param in getattr(spark_ml, name)().params}
            assert set(getattr(pt, name)().get_params(deep=False)) <= own


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("ID3Classifier", {"max_depth": 3}),
        ("C45Classifier", {"max_depth": 5}),
        ("CARTClassifier", {"max_depth": 3, "class_weight": "balanced"}),
    ],
)
def test_a_classifier_fits_the_tree_of_the_rows_in_memory(
    frame: Any, name: str, given: dict[str, Any]
) -> None:
    estimator = getattr(spark_ml, name)(
        label_col="y", features_cols=FEATURES, weight_col="weight", **given
    )
    expected = getattr(pt, name)(**given).fit(X, ROWS["y"], ROWS["weight"])
    assert estimator.fit(frame).model.tree_.difference(expected.tree_) is None


def test_transform_adds_what_predict_and_predict_proba_return(frame: Any) -> None:
    model = spark_ml.CARTClassifier(label_col="y", features_cols=FEATURES, max_depth=4).fit(frame)
    transformed = model.transform(frame)
    assert transformed.columns == [*frame.columns, "prediction", "probability"]
    found = columns_of(transformed)
    expected = pt.CARTClassifier(max_depth=4).fit(X, ROWS["y"])
    assert found["prediction"].to_list() == expected.predict(X).tolist()
    np.testing.assert_array_equal(
        np.array(found["probability"].to_list()), expected.predict_proba(X)
    )


def test_names_with_dots_and_weights_below_one(spark: Any) -> None:
    rows = ROWS.assign(weight=ROWS["weight"] / 4).rename(columns={"x": "Row", "coarse": "a.b"})
    names = list(rows.columns)
    plain = [f"c{i}" for i in range(len(names))]
    frame = spark.createDataFrame(rows.set_axis(plain, axis=1)).repartition(2).toDF(*names)
    features = ["Row", "a.b", "colour"]
    estimator = spark_ml.CARTClassifier(
        label_col="y", features_cols=features, weight_col="weight", max_depth=3
    )
    model = estimator.fit(frame)
    expected = pt.CARTClassifier(max_depth=3).fit(rows[features], rows["y"], rows["weight"])
    assert model.model.tree_.difference(expected.tree_) is None
    found = model.transform(frame)
    assert found.columns == [*names, "prediction", "probability"]
    found = pl.DataFrame(found.toDF(*plain, "prediction", "shares").toArrow()).sort("c4")
    assert found["prediction"].to_list() == expected.predict(rows[features]).tolist()


def test_a_regressor_adds_its_predictions(frame: Any) -> None:
    estimator = spark_ml.CARTRegressor(
        label_col="z", features_cols=FEATURES, max_depth=3, prediction_col="guess"
    )
    transformed = estimator.fit(frame).transform(frame)
    assert transformed.columns == [*frame.columns, "guess"]
    expected = pt.CARTRegressor(max_depth=3).fit(X, ROWS["z"]).predict(X)
    assert columns_of(transformed)["guess"].to_list() == expected.tolist()


def test_a_forest_needs_row_numbers_for_bootstrap_samples(frame: Any) -> None:
    estimator = spark_ml.RandomForestClassifier(label_col="y", features_cols=FEATURES)
    with pytest.raises(
        ParameterError, match=r"bootstrap samples need row numbers(?s:.*)row_id_col"
    ):
        estimator.fit(frame)


def test_a_forest_is_that_of_the_rows_in_the_order_of_their_numbers(frame: Any) -> None:
    given = {"n_estimators": 5, "max_depth": 3, "random_state": 3}
    estimator = spark_ml.RandomForestClassifier(
        label_col="y", features_cols=FEATURES, row_id_col="row", **given
    )
    model = estimator.fit(frame).model
    expected = pt.RandomForestClassifier(**given).fit(X, ROWS["y"])
    assert all(a.difference(b) is None for a, b in zip(model.trees_, expected.trees_, strict=True))


def test_a_saved_model_predicts_spark_frames(frame: Any, tmp_path: Path) -> None:
    pt.save(pt.ID3Classifier().fit(X[["colour"]], ROWS["y"]), tmp_path / "m")
    model = spark_ml.TreeModel(pt.load(tmp_path / "m"), probability_col=None)
    found = columns_of(model.transform(frame))
    assert found["prediction"].to_list() == model.model.predict(X[["colour"]]).tolist()


def test_bagged_trees_are_those_of_the_rows_in_memory(frame: Any) -> None:
    inside = pt.CARTRegressor(max_depth=2)
    estimator = spark_ml.BaggedTreesRegressor(
        label_col="z", features_cols=FEATURES, row_id_col="row", estimator=inside, n_estimators=3
    )
    trees = estimator.fit(frame).model.trees_
    expected = pt.BaggedTreesRegressor(inside, n_estimators=3).fit(X, ROWS["z"])
    assert all(a.difference(b) is None for a, b in zip(trees, expected.trees_, strict=True))


def test_a_fitted_pipeline_is_saved_and_loaded(frame: Any, tmp_path: Path) -> None:
    from pyspark.ml import PipelineModel

    fitted = pt.CARTClassifier(max_depth=3).fit(X, ROWS["y"])
    stage = spark_ml.TreeModel(fitted, "guess", probability_col=None)
    PipelineModel([stage]).save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline")).stages[0]
    assert type(loaded) is spark_ml.TreeModel
    assert loaded.uid == stage.uid
    assert loaded.model.tree_.difference(fitted.tree_) is None
    transformed = loaded.transform(frame)
    assert transformed.columns == [*frame.columns, "guess"]
    assert columns_of(transformed)["guess"].to_list() == fitted.predict(X).tolist()


def test_a_directory_without_one_model_is_not_a_saved_model(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    spark_ml.TreeModel(pt.ID3Classifier().fit(X[["colour"]], ROWS["y"])).save(path)
    twice = spark.createDataFrame([(bytearray(b"a"),)] * 2, "model binary")
    twice.write.mode("overwrite").parquet(f"{path}/model")
    with pytest.raises(ModelFileError, match=r"is not a saved TreeModel(?s:.*)2 models"):
        spark_ml.TreeModel.load(path)


@pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning")
def test_cross_validation_of_a_pipeline_chooses_a_parameter(frame: Any) -> None:
    from pyspark.ml import Pipeline
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    estimator = spark_ml.CARTClassifier(features_cols=FEATURES, max_depth=1)
    grid = ParamGridBuilder().addGrid(estimator.max_depth, [1, 3]).build()
    search = CrossValidator(
        estimator=Pipeline(stages=[estimator]),
        estimatorParamMaps=grid,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        seed=1,
    )
    chosen = search.fit(frame).bestModel.stages[0].model
    assert chosen.max_depth == 3


# -------------------------------------------------------------------- errors


def test_an_unknown_parameter_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(ParameterError, match=r"no parameter 'max_deph'(?s:.*)'max_depth'"):
        spark_ml.CARTClassifier(max_deph=3)


def test_features_are_a_list(frame: Any) -> None:
    with pytest.raises(ParameterError, match="features_cols must be a list"):
        spark_ml.CARTClassifier(label_col="y", features_cols="x").fit(frame)


def test_what_needs_rows_in_memory_is_refused(frame: Any) -> None:
    estimator = spark_ml.CARTClassifier(
        label_col="y", features_cols=FEATURES, pruning="reduced_error"
    )
    with pytest.raises(ParameterError, match="reduced_error pruning holds rows out"):
        estimator.fit(frame)


def test_vectors_are_refused(frame: Any) -> None:
    from pyspark.ml.feature import VectorAssembler

    vectors = VectorAssembler(inputCols=["x"], outputCol="v").transform(frame)
    with pytest.raises(ColumnError, match="'v' has vectors"):
        spark_ml.CARTClassifier(label_col="y").fit(vectors)


def test_columns_that_a_model_needs_or_would_replace_are_named(frame: Any) -> None:
    model = spark_ml.TreeModel(pt.ID3Classifier().fit(X[["colour"]], ROWS["y"]))
    with pytest.raises(ColumnError, match="no column 'colour'"):
        model.transform(frame.drop("colour"))
    with pytest.raises(ColumnError, match="already has a column 'prediction'"):
        model.transform(frame.withColumnRenamed("x", "Prediction"))


def test_without_pyspark_the_extra_is_named() -> None:
    program = "import sys; sys.modules['pyspark'] = None; import plaintree.spark"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert "pip install 'plaintree[spark]'" in done.stderr.decode()


def test_importing_plaintree_does_not_import_pyspark() -> None:
    program = "import sys, plaintree as pt; pt.CARTClassifier; print('pyspark' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=os.environ
    )
    assert done.stdout.split() == [b"False"]
