"""Predictions and scores for datasets: those of the same rows in memory, read in batches."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import (
    ArgumentTypeError,
    ColumnError,
    ParameterError,
    TableError,
    UnseenCategoryWarning,
)
from tests.support.dataset_files import mixed_table, split_rows, write_files

TABLE = mixed_table(3000).with_columns(
    number=pl.col("few") * 1.5 + pl.col("noise"),
    weight=pl.Series(np.random.default_rng(1).integers(0, 4, 3000)).cast(pl.Float64),
)
X = TABLE.select("x", "few", "text", "late", "day", "noise")
CLASSIFIERS = [
    pt.CARTClassifier(max_depth=5),
    pt.ID3Classifier(max_depth=3, missing="fractional"),
    pt.C45Classifier(),
    pt.C45RulesClassifier(min_samples_branch=50),
    pt.RandomForestClassifier(5, max_depth=5),
    pt.BaggedTreesClassifier(n_estimators=3),
    pt.BoostedTreesClassifier(n_estimators=3),
]
REGRESSORS = [pt.CARTRegressor(max_depth=5), pt.RandomForestRegressor(5, keep_targets=True)]


def named(model: Any) -> str:
    return type(model).__name__


@pytest.fixture(scope="module")
def directory(tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp("files")
    write_files(split_rows(TABLE, 4), place, ".parquet")
    return Path(place)


@pytest.fixture
def data(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """The table in batches of few rows, without a target."""
    monkeypatch.setattr(Dataset, "batch_rows", 400)
    return pt.open_dataset(directory / "*.parquet", columns=X.columns)


def labelled(data: Dataset, target: str, weights: str | None = None) -> Dataset:
    return pt.open_dataset(data.files, target, columns=X.columns, weights=weights)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_a_classifier_predicts_a_dataset_as_its_rows_in_memory(
    model: Any, data: Dataset, tmp_path: Path
) -> None:
    model = clone(model).fit(X, TABLE["y"])
    pt.save(model, tmp_path / "model.json")
    for fitted in (model, pt.load(tmp_path / "model.json")):
        for method in ("predict", "predict_proba", "predict_log_proba"):
            found, expected = (getattr(fitted, method)(rows) for rows in (data, X))
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected), method
    assert model.score(labelled(data, "y")) == model.score(X, TABLE["y"])
    weighted = labelled(data, "y", "weight")
    assert model.score(weighted) == pytest.approx(model.score(X, TABLE["y"], TABLE["weight"]))


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_a_regressor_predicts_a_dataset_as_its_rows_in_memory(model: Any, data: Dataset) -> None:
    model = clone(model).fit(X, TABLE["number"])
    assert np.array_equal(model.predict(data), model.predict(X))
    assert model.score(labelled(data, "number")) == pytest.approx(
        model.score(X, TABLE["number"]), rel=1e-12
    )
    weighted = labelled(data, "number", "weight")
    assert model.score(weighted) == pytest.approx(
        model.score(X, TABLE["number"], TABLE["weight"]), rel=1e-12
    )


def test_nodes_quantiles_and_leads_are_those_of_the_rows_in_memory(data: Dataset) -> None:
    tree = pt.CARTClassifier(max_depth=4).fit(X, TABLE["y"])
    assert np.array_equal(tree.apply(data), tree.apply(X))
    forest = pt.RandomForestRegressor(3, keep_targets=True).fit(X, TABLE["number"])
    assert np.array_equal(forest.apply(data), forest.apply(X))
    assert np.array_equal(forest.predict(data, [0.1, 0.9]), forest.predict(X, [0.1, 0.9]))
    boosted = pt.BoostedTreesClassifier(n_estimators=3).fit(X, TABLE["y"])
    assert np.array_equal(boosted.decision_function(data), boosted.decision_function(X))


def test_large_numbers_do_not_cancel_out_in_r2(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1e9, 1e9 + 1, 1e9 + 2, 1e9 + 4]})
    table.write_parquet(tmp_path / "a.parquet")
    model = pt.CARTRegressor(max_depth=1).fit(table.select("x"), table["y"])
    found = model.score(pt.open_dataset(tmp_path / "a.parquet", "y"))
    assert found == pytest.approx(model.score(table.select("x"), table["y"]), rel=1e-9)


def test_the_rows_of_a_query_are_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 400)
    model = pt.CARTClassifier(max_depth=4).fit(X, TABLE["y"])
    assert np.array_equal(model.predict(pt.open_dataset(X.lazy())), model.predict(X))


def test_rows_that_come_and_go_are_noticed(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    model = pt.CARTClassifier(max_depth=4).fit(X, TABLE["y"])
    for n_rows in (2999, 3001):
        monkeypatch.setattr(Dataset, "n_rows", n_rows)
        with pytest.raises(TableError, match=f"3,000 rows where there were {n_rows:,}"):
            model.predict(data)


# ---------------------------------------------------------------- columns


def test_columns_are_matched_by_name_and_only_those_used_must_be_there(data: Dataset) -> None:
    model = pt.CARTClassifier(max_depth=2).fit(X, TABLE["y"])
    used = {X.columns[i] for i in model.used_columns()}
    assert used < set(X.columns)
    shuffled = pt.open_dataset(data.files, columns=["weight", *sorted(used, reverse=True)])
    assert np.array_equal(model.predict(shuffled), model.predict(X))
    with pytest.raises(ColumnError, match="lacks columns that the model uses"):
        model.predict(pt.open_dataset(data.files, columns=["day"]))


def test_a_single_leaf_predicts_all_rows(data: Dataset) -> None:
    model = pt.CARTClassifier(max_depth=0).fit(X, TABLE["y"])
    assert np.array_equal(model.predict(data), model.predict(X))


def test_the_filter_leaves_rows_out_of_predictions(data: Dataset) -> None:
    model = pt.CARTClassifier(max_depth=4).fit(X, TABLE["y"])
    late = pt.open_dataset(data.files, columns=X.columns, filter="few > 6")
    assert np.array_equal(model.predict(late), model.predict(X.filter(pl.col("few") > 6)))
    none = pt.open_dataset(data.files, columns=X.columns, filter="few > 99")
    with pytest.raises(TableError, match="the dataset has no rows"):
        model.predict(none)


def test_unseen_categories_of_all_batches_make_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 100)
    model = pt.CARTClassifier().fit(X, TABLE["y"])
    new = X.with_columns(pl.col("text").replace({"red": "pink", "blue": "azure"}))
    write_files(split_rows(new, 3), tmp_path, ".csv")
    found = []
    for rows in (new, pt.open_dataset(tmp_path)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.predict(rows)
        found.append([(w.category, str(w.message), w.filename) for w in caught])
    assert found[0] == found[1]
    ((category, text, filename),) = found[0]
    assert category is UnseenCategoryWarning
    assert "'azure'" in text
    assert "'pink'" in text
    assert filename == __file__


def test_wrong_values_are_named_with_their_file(tmp_path: Path) -> None:
    model = pt.CARTClassifier(unseen="error", missing="error").fit(
        {"sky": ["dull", "sunny"]}, ["no", "yes"]
    )
    (tmp_path / "a.csv").write_text("sky\ndull\n")
    (tmp_path / "b.csv").write_text("sky\nred\n")
    with pytest.raises(ColumnError, match=r"'red'.*") as error:
        model.predict(pt.open_dataset(tmp_path))
    assert "b.csv" in str(error.value)


# ---------------------------------------------------------------- what is refused


def test_a_dataset_without_a_target_cannot_be_fitted_or_scored(data: Dataset) -> None:
    assert "no target" in repr(data)
    model = pt.CARTClassifier(max_depth=1)
    for method in (model.fit, model.fit(X, TABLE["y"]).score):
        with pytest.raises(TableError, match=r"the dataset has no target.*target=\.\.\."):
            method(data)


def test_targets_and_weights_are_columns_of_the_dataset(data: Dataset) -> None:
    model = pt.CARTClassifier(max_depth=1).fit(X, TABLE["y"])
    with pytest.raises(ParameterError, match="y is given, but a dataset names its own columns"):
        model.score(labelled(data, "y"), TABLE["y"])
    with pytest.raises(ParameterError, match="sample_weight is given"):
        model.score(labelled(data, "y"), sample_weight=TABLE["weight"])


def test_weights_may_be_zero_in_a_batch_but_not_in_all(tmp_path: Path) -> None:
    rows = pl.DataFrame({"x": [1.0, 2.0], "y": ["no", "yes"], "w": [0.0, 0.0]})
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    rows.write_parquet(paths[0])
    rows.with_columns(w=1.0).write_parquet(paths[1])
    both = pt.open_dataset(paths, "y", weights="w")
    model = pt.CARTClassifier().fit(both)
    assert model.score(both) == 1.0
    with pytest.raises(TableError, match="every weight in 'w' is zero"):
        model.score(pt.open_dataset(paths[0], "y", weights="w"))


@pytest.mark.parametrize(
    "use",
    [
        lambda data: pt.MemorizingTreeClassifier().fit(data),
        lambda data: pt.C45RulesClassifier().fit(data),
        lambda data: pt.BoostedTreesClassifier().fit(data),
        lambda data: pt.evaluation.cross_validate(pt.CARTClassifier(), data, TABLE["y"]),
        lambda data: pt.CARTClassifier().fit(X, TABLE["y"]).explain(data),
    ],
)
def test_what_needs_all_rows_at_once_says_so(use: Any, data: Dataset) -> None:
    with pytest.raises((ArgumentTypeError, ParameterError), match=r"in memory"):
        use(labelled(data, "y"))


# ---------------------------------------------------------------- progress


@pytest.mark.parametrize("extension", [".parquet", ".csv"])
def test_every_stage_of_fit_reports_its_progress(
    extension: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 500)
    write_files(split_rows(mixed_table(3000), 2), tmp_path, extension)
    seen: dict[str, list[tuple[int, int | None]]] = {}
    model = pt.CARTClassifier(max_depth=3).fit(
        pt.open_dataset(tmp_path, "y"),
        progress=lambda stage, done, total: seen.setdefault(stage, []).append((done, total)),
    )
    stages = [stage for stage in seen if not stage.startswith("level ")]
    assert stages == [*["reading types"] * (extension == ".csv"), "surveying rows", "encoding rows"]
    for stage in stages[-2:]:
        assert len(seen[stage]) > 2
        assert seen[stage][-1] == (3000, 3000)
    passes = [step for stage in seen if stage.startswith("level ") for step in seen[stage]]
    assert [done for done, _ in passes] == sorted(done for done, _ in passes)
    assert passes[-1][0] >= 1
    assert model.tree_.depth == 3


# ---------------------------------------------------------------- checkpoints


def test_the_checkpoint_is_removed_when_the_tree_is_done(data: Dataset, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(stage: str, _done: int, _total: int | None) -> None:
        if stage.startswith("level "):
            raise StopError

    path, rows = tmp_path / "point", labelled(data, "y")
    with pytest.raises(StopError):
        pt.CARTClassifier().fit(rows, checkpoint=path, progress=stop)
    assert path.exists()
    model = pt.CARTClassifier().fit(rows, checkpoint=path)
    assert not path.exists()
    assert model.tree_.difference(pt.CARTClassifier().fit(X, TABLE["y"]).tree_) is None
