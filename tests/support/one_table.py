"""One table as every source holds it, in any number of parts, and learners that grow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import plaintree as pt
from plaintree.data.parts import Reading
from plaintree.growing.limits import Limits
from plaintree.growing.sources.memory import FramesInMemory

FEATURES = ("many", "few", "single", "colour", "copy")
TIGHT = Limits(table_bytes=2**17, list_rows=50, gather_rows=120)
"""Limits under which columns are refined, looked at, and small nodes gathered."""


@cache
def one_table(n_rows: int = 1200) -> pl.DataFrame:
    """Everything that may make parts differ from the whole.

    Missing values of both kinds, -0.0, heavy ties, a column twice, rows twice, weights, a category
    and a class of the first rows only, and ``row``, the number of each row.
    """
    rng = np.random.default_rng(11)
    half = n_rows // 2
    many = np.round(rng.normal(size=half), 3)
    many[::7] = np.nan
    many[::11] = -0.0
    many[::13] = 0.0
    few = rng.integers(-1, 6, half).astype(float)
    few[rng.random(half) < 0.1] = np.nan
    single = rng.normal(size=half).astype(np.float32)
    colour = rng.choice(["red", "green", "blue", "grey"], half).astype(object)
    colour[rng.random(half) < 0.05] = None
    signal = np.nan_to_num(many) + (np.nan_to_num(few) > 2) + (colour == "red") * single
    signal = signal + 0.5 * rng.normal(size=half)
    again = rng.permutation(np.tile(np.arange(half), 2))
    table = pl.DataFrame(
        {
            "many": many[again],
            "few": few[again],
            "single": single[again],
            "colour": pl.Series(colour[again].tolist(), dtype=pl.String),
            "copy": few[again],
            "weight": rng.integers(1, 5, half)[again] / 4,
            "y": np.where(signal > 1, "yes", np.where(signal < 0, "no", "perhaps"))[again],
            "z": np.round(signal[again], 2),
            "row": np.arange(2 * half),
        }
    )
    first = pl.col("row") < 8
    return table.with_columns(
        colour=pl.when(first).then(pl.lit("rare")).otherwise("colour"),
        y=pl.when(first & (pl.col("row") % 2 == 0)).then(pl.lit("seldom")).otherwise("y"),
    )


@dataclass(frozen=True)
class Learner:
    """An estimator, its target, and whether rows have weights."""

    model: Any
    target: str = "y"
    weighted: bool = False

    @property
    def reading(self) -> Reading:
        weights = "weight" if self.weighted else None
        return Reading(self.target, FEATURES, weights, self.target == "z")

    @property
    def columns(self) -> list[str]:
        """The features, the target and the weights."""
        return [*FEATURES, self.target, *(["weight"] if self.weighted else [])]

    @property
    def is_forest(self) -> bool:
        return hasattr(self.model, "n_estimators")

    def trees(self, table: Any = None, **options: Any) -> list[pt.Tree]:
        """The trees of a table in parts, or of the rows in memory."""
        if table is None:
            rows = one_table()
            weights = rows["weight"] if self.weighted else None
            self.model.fit(rows.select(FEATURES), rows[self.target], weights)
        else:
            self.model.fit(table, **options)
        return list(self.model.trees_) if self.is_forest else [self.model.tree_]


def learners() -> dict[str, Learner]:
    """By name; each has a model of its own."""
    small = {"max_depth": 4}
    tree = pt.DecisionTreeClassifier
    return {
        "CART Gini": Learner(pt.CARTClassifier(max_depth=6)),
        "CART entropy weighted": Learner(pt.CARTClassifier("entropy", **small), weighted=True),
        "squared error weighted": Learner(pt.CARTRegressor(**small), "z", weighted=True),
        "C4.5": Learner(pt.C45Classifier(pruning=None, **small)),
        "ID3": Learner(pt.ID3Classifier(numeric="threshold", missing="branch", max_depth=4)),
        "one against the rest": Learner(
            tree(categorical="one_vs_rest", missing="most_common_in_class", **small)
        ),
        "multiway weighted": Learner(
            tree(criterion="gain_ratio", categorical="multiway", missing="branch", **small),
            weighted=True,
        ),
        "forest of 20": Learner(pt.RandomForestClassifier(20, random_state=3, **small)),
    }


@cache
def hashes_in_memory(name: str) -> tuple[list[pt.Tree], list[str]]:
    """The trees that all sources must grow, and their hashes."""
    trees = learners()[name].trees()
    return trees, [tree.content_hash() for tree in trees]


def differences(name: str, trees: Sequence[pt.Tree]) -> list[str]:
    """What distinguishes trees from those of the rows in memory; nothing if they are the same."""
    expected, hashes = hashes_in_memory(name)
    found = [a.difference(b) for a, b in zip(trees, expected, strict=True)]
    assert found != [None] * len(trees) or [tree.content_hash() for tree in trees] == hashes
    return [str(difference) for difference in found if difference is not None]


def parts_of(n_parts: int, *, shuffled: bool) -> list[pl.DataFrame]:
    """The rows in parts of different lengths and, of several, one without rows.

    The first part alone has the rare category and the rare class.
    """
    table = one_table()
    n_filled = max(1, n_parts - 1)
    ends = [round(len(table) * (i / n_filled) ** 1.5) for i in range(n_filled + 1)]
    parts = [table[a:b] for a, b in pairwise(ends)]
    if n_parts > 1:
        parts.insert(1, table[:0])
    order = np.random.default_rng(n_parts).permutation(n_parts) if shuffled else range(n_parts)
    return [parts[i] for i in order]


# -------------------------------------------------------------------- the sources


def in_blocks(learner: Learner, parts: Sequence[pl.DataFrame]) -> Any:
    """Parts in memory."""
    return FramesInMemory([part.select(learner.columns) for part in parts], learner.reading)


def in_files(learner: Learner, parts: Sequence[pl.DataFrame], directory: Path) -> Any:
    """Parts in Parquet files."""
    for number, part in enumerate(parts):
        part.select(learner.columns).write_parquet(directory / f"{number:02d}.parquet")
    weights = "weight" if learner.weighted else None
    return pt.open_dataset(directory, learner.target, weights=weights)


def on_dask(learner: Learner, parts: Sequence[pl.DataFrame], client: Any) -> Any:
    """Partitions of a Dask DataFrame."""
    from dask import dataframe as dd

    from plaintree.growing.sources.dask import DaskTable

    frames = [part.select(learner.columns).to_pandas() for part in parts]
    frame = dd.from_map(_nth, range(len(parts)), frames=frames, meta=frames[0].iloc[:0])
    return DaskTable(frame, learner.reading, client)


def _nth(i: int, frames: list[Any]) -> Any:
    return frames[i]


def on_spark(learner: Learner, parts: Sequence[pl.DataFrame], spark: Any) -> Any:
    """Partitions of a Spark DataFrame; the numbers of rows order those of a forest."""
    from plaintree.growing.sources.spark import SparkTable

    places = [part.with_columns(place=pl.lit(i, pl.Int32)) for i, part in enumerate(parts)]
    rows = spark.createDataFrame(pl.concat(places).to_arrow())
    frame = rows.repartitionById(len(parts), "place")
    return SparkTable(frame, learner.reading, "row" if learner.is_forest else None)
