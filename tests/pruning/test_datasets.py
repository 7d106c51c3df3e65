"""Validation rows in files: pruning and error curves are those of the same rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.errors import ParameterError, TableError
from plaintree.pruning import overfitting_curve
from tests.support.dataset_files import mixed_table, split_rows, write_files

TRAINING = mixed_table(3000).with_columns(number=pl.col("few") * 1.5 + pl.col("noise"))
VALIDATION = mixed_table(2000, seed=1).with_columns(
    number=pl.col("few") * 1.5 + pl.col("noise"),
    weight=pl.Series(np.random.default_rng(1).integers(0, 4, 2000)).cast(pl.Float64),
)
NAMES = ["x", "few", "text", "late", "day", "noise"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp("files")
    write_files(split_rows(VALIDATION, 3), place, ".parquet")
    return Path(place)


@pytest.fixture
def opened(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that opens the validation rows, in batches of few rows."""
    monkeypatch.setattr(Dataset, "batch_rows", 300)

    def dataset(target: str | None, weights: str | None = None) -> Dataset:
        return pt.open_dataset(directory, target, columns=NAMES, weights=weights)

    return dataset


MODELS = [
    (pt.CARTClassifier(), "y"),
    (pt.ID3Classifier(missing="fractional"), "y"),
    (pt.CARTRegressor(), "number"),
]


@pytest.mark.parametrize(("model", "target"), MODELS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("order", ["bottom_up", "greedy"])
@pytest.mark.parametrize("weights", [None, "weight"])
def test_reduced_error_pruning_sums_the_losses_of_batches(
    model: Any,
    target: str,
    order: Literal["bottom_up", "greedy"],
    weights: str | None,
    opened: Any,
) -> None:
    model.fit(TRAINING.select(NAMES), TRAINING[target])
    given = None if weights is None else VALIDATION[weights]
    in_memory = pt.prune(
        model, "reduced_error", VALIDATION.select(NAMES), VALIDATION[target], given, order=order
    )
    pruned = pt.prune(model, "reduced_error", opened(target, weights), order=order)
    assert 0 < pruned.tree_.size < model.tree_.size
    assert pruned.tree_.difference(in_memory.tree_) is None


@pytest.mark.parametrize(("model", "target"), MODELS, ids=lambda value: type(value).__name__)
def test_error_curves_measure_trees_on_batches(model: Any, target: str, opened: Any) -> None:
    tree = model.fit(TRAINING.select(NAMES), TRAINING[target]).tree_
    rows = VALIDATION.select(NAMES), VALIDATION[target]
    expected = overfitting_curve(tree, *rows, *rows, max_trees=20)
    found = overfitting_curve(tree, opened(target), X_val=opened(target), max_trees=20)
    assert np.array_equal(found.sizes, expected.sizes)
    assert found.validation_errors == pytest.approx(expected.validation_errors, rel=1e-12)
    assert found.training_errors == pytest.approx(expected.training_errors, rel=1e-12)


def test_curves_of_an_estimator_are_grown_on_the_dataset(opened: Any) -> None:
    model = pt.CARTClassifier(max_depth=4)
    rows = VALIDATION.select(NAMES), VALIDATION["y"]
    expected = overfitting_curve(model, *rows, *rows, by="depth")
    found = overfitting_curve(model, opened("y"), X_val=opened("y"), by="depth")
    assert found.validation_errors.tolist() == expected.validation_errors.tolist()


def test_methods_that_need_their_rows_in_memory_say_so(opened: Any) -> None:
    model = pt.CARTClassifier().fit(TRAINING.select(NAMES), TRAINING["y"])
    for method, options in (("error_based", {}), ("cost_complexity", {"choice": "min"})):
        with pytest.raises(ParameterError, match=f"'{method}' needs .* in memory.*reduced_error"):
            pt.prune(model, method, opened("y"), **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="uses the tree alone, no rows"):
        pt.prune(model, "mdl", opened("y"))
    with pytest.raises(ParameterError, match="y is given, but a dataset names its own columns"):
        pt.prune(model, "reduced_error", opened("y"), VALIDATION["y"])
    with pytest.raises(TableError, match="the dataset has no target"):
        pt.prune(model, "reduced_error", opened(None))


def test_a_label_that_the_tree_does_not_have_is_named_with_its_file(tmp_path: Path) -> None:
    model = pt.CARTClassifier().fit(TRAINING.select(NAMES), TRAINING["y"])
    (tmp_path / "a.csv").write_text(
        "x,few,text,late,day,noise,y\n1,2,red,true,2024-01-02,1,maybe\n"
    )
    with pytest.raises(TableError, match=r"not trained on \(in .*a\.csv\)\. Got 'maybe'"):
        pt.prune(model, "reduced_error", pt.open_dataset(tmp_path, "y"))
