"""All rows of a source: what counts do not show is as for a table in memory."""

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
from plaintree.growing.blocks import Layout
from plaintree.growing.limits import Limits
from plaintree.growing.sources.chunks import DatasetParts
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


NEED_ROWS: list[Any] = [
    pt.CARTClassifier(missing="surrogate", max_depth=5),
    pt.CARTClassifier(missing="surrogate", max_depth=4, priors={"yes": 0.3, "no": 0.7}),
    pt.CARTClassifier(max_bins=7, missing="branch", class_weight="balanced"),
    pt.CARTClassifier(splitter="random", missing="branch", random_state=3),
    pt.CARTClassifier(significance=0.2, missing="branch"),
]


@pytest.mark.parametrize("model", NEED_ROWS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_counts_do_not_show_is_grown_from_all_rows(model: Any, weighted: bool) -> None:
    table = weighted_table(5, 6000).with_columns(fine=pl.col("noise") + pl.col("w") / 7)
    table = table.with_columns(pl.Series("w", np.random.default_rng(1).random(6000) + 0.5))
    features = ("x", "few", "text", "late", "day", "noise", "fine")
    frames = [table[i : i + 900] for i in range(0, table.height, 900)]
    parts = FramesInMemory(frames, Reading("y", features, "w" if weighted else None))
    found = model.fit(parts).tree_
    weights = table["w"] if weighted else None
    expected = model.fit(table.select(features), table["y"], weights).tree_
    assert found.n_nodes > 3
    assert found.difference(expected) is None
    assert found.content_hash() == expected.content_hash()


def test_medians_are_those_of_all_rows() -> None:
    table = weighted_table(6, 900).with_columns(number=pl.col("noise") * 3 + pl.col("few"))
    reading = Reading("number", ("x", "text", "day"), "w")
    frames = [table[:400], table[400:]]
    model = pt.CARTRegressor(criterion="absolute_error", missing="most_common", max_depth=5)
    found = model.fit(FramesInMemory(frames, reading)).tree_
    expected = model.fit(table.select(reading.features), table["number"], table["w"]).tree_
    assert found.difference(expected) is None


def test_rows_come_in_the_order_of_the_table() -> None:
    table = weighted_table(7, 500)
    parts = FramesInMemory([table[:200], table[200:]], Reading("y", ("noise",), "w"))
    survey = parts.survey(parts.reading)
    layout = Layout.of(survey, parts.reading)
    source = parts.encoded(layout, survey, Limits())
    source._parts.reverse()
    rows = all_rows.all_rows(source, layout.schema, [0])
    assert rows.columns[0].tolist() == table["noise"].to_list()
    assert rows.known_weights.tolist() == table["w"].to_list()


def test_what_does_not_fit_is_refused_before_it_is_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files([mixed_table(2000)], tmp_path, ".parquet")
    monkeypatch.setattr(all_rows, "BYTES_OF_ROW", 2**20)
    monkeypatch.setattr(DatasetParts, "encoded", lambda *_: pytest.fail("rows were encoded"))
    data = pt.open_dataset(tmp_path, "y", memory_limit="1 GB")
    with pytest.raises(MemoryLimitError, match=r"max_bins=8 needs all rows(?s:.*)leave it out"):
        pt.CARTClassifier(max_bins=8).fit(data)


def test_rows_that_do_not_fit_are_an_error_that_names_other_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files([mixed_table(2000)], tmp_path, ".parquet")
    monkeypatch.setattr(all_rows, "BYTES_OF_ROW", 2**20)
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
