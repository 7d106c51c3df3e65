"""The rows of a source at once: C4.5's pruning of a table in parts equals that in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.parts import Reading
from plaintree.errors import MemoryLimitError, ParameterError
from plaintree.growing import all_rows
from plaintree.growing.sources.memory import FramesInMemory
from plaintree.tree.tree import Tree
from tests.support.dataset_files import mixed_table, split_rows, write_files


def weighted_table(seed: int, n_rows: int) -> pl.DataFrame:
    """Rows of which some count nothing, and most labels follow from the columns."""
    table = mixed_table(n_rows, seed)
    random = np.random.default_rng(seed)
    weights = random.choice([0.0, 0.25, 1.0, 3.0], n_rows)
    flipped = random.random(n_rows) < 0.15
    y = np.where(flipped, "yes", table["y"].to_numpy())
    return table.with_columns(pl.Series("w", weights), pl.Series("y", y))


def in_parts(table: pl.DataFrame, weights: str | None, **options: Any) -> Tree:
    frames = [table[i : i + 170] for i in range(0, table.height, 170)]
    features = tuple(name for name in table.columns if name not in ("y", "w"))
    parts = FramesInMemory(frames[::-1], Reading("y", features, weights))
    return pt.C45Classifier(**options).fit(parts).tree_


@pytest.mark.parametrize("seed", range(12))
def test_error_based_pruning_is_that_of_the_rows_in_memory(seed: int) -> None:
    table = weighted_table(seed, 300 + 90 * seed)
    weighted = "w" if seed % 3 else None
    options: dict[str, Any] = {"confidence": [0.05, 0.25, 0.5][seed % 3]}
    if seed % 4 == 3:
        options["class_weight"] = {"yes": 3.0, "no": 0.7}
    weights = table[weighted] if weighted else None
    model = pt.C45Classifier(**options).fit(table.drop("y", "w"), table["y"], weights)
    unpruned = pt.C45Classifier(
        pruning=None, **{k: v for k, v in options.items() if k == "class_weight"}
    )
    assert (
        unpruned.fit(table.drop("y", "w"), table["y"], weights).tree_.n_nodes > model.tree_.n_nodes
    )
    found = in_parts(table, weighted, **options)
    assert found.difference(model.tree_) is None
    assert found.content_hash() == model.tree_.content_hash()


def test_a_tree_of_one_leaf_stays_one() -> None:
    table = pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "a"]})
    assert pt.C45Classifier().fit(FramesInMemory([table], Reading("y"))).tree_.n_nodes == 1


def test_files_are_pruned_with_their_rows(tmp_path: Path) -> None:
    table = mixed_table(2000)
    write_files(split_rows(table, 4), tmp_path, ".parquet")
    model = pt.C45Classifier().fit(pt.open_dataset(tmp_path, "y"))
    expected = pt.C45Classifier().fit(table.drop("y"), table["y"])
    assert model.tree_.difference(expected.tree_) is None


def test_rows_that_do_not_fit_are_an_error_that_names_other_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files([mixed_table(2000)], tmp_path, ".parquet")
    monkeypatch.setattr(all_rows, "BYTES_OF_PLACE", 2**20)
    data = pt.open_dataset(tmp_path, "y", memory_limit="1 GB")
    with pytest.raises(
        MemoryLimitError, match=r"2,000 rows and \d columns(?s:.*)validation dataset"
    ):
        pt.C45Classifier().fit(data)


def test_pruning_that_holds_rows_out_is_refused(tmp_path: Path) -> None:
    write_files([mixed_table(200)], tmp_path, ".parquet")
    model = pt.CARTClassifier(pruning="reduced_error")
    with pytest.raises(ParameterError, match="reduced_error pruning holds rows out"):
        model.fit(pt.open_dataset(tmp_path, "y"))
