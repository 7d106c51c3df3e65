"""Tables written to several files, for tests of datasets."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.growing.blocks import Layout
from plaintree.growing.from_counts import CountedRows, Growing, grow_tree_from
from plaintree.growing.limits import Limits
from plaintree.growing.sources.chunks import DatasetParts
from plaintree.tree.tree import Tree


def mixed_table(n_rows: int = 3000, seed: int = 0) -> pl.DataFrame:
    """Numbers with missing values, integers, text, booleans and dates, and a class."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows).astype(np.float32)
    x[::17] = np.nan
    x[::29] = -0.0
    few = random.integers(0, 9, n_rows)
    text = random.choice(["red", "green", "blue", ""], n_rows)
    day = np.datetime64("2024-01-01") + random.integers(0, 300, n_rows)
    score = np.nan_to_num(x) + 0.3 * few + (text == "red") + random.normal(size=n_rows)
    return pl.DataFrame(
        {
            "x": x,
            "few": few,
            "text": [t or None for t in text.tolist()],
            "late": (random.random(n_rows) < 0.4),
            "day": pl.Series(day.astype("datetime64[D]")).cast(pl.Date),
            "noise": np.round(random.normal(size=n_rows), 2),
            "y": np.where(score > 1.5, "yes", "no"),
        }
    )


def split_rows(table: pl.DataFrame, n_files: int) -> list[pl.DataFrame]:
    """Rows in so many pieces, of different length."""
    ends = np.linspace(0, 1, n_files + 1) ** 1.5 * table.height
    ends = ends.astype(int)
    return [table[a:b] for a, b in pairwise(ends.tolist())]


def write_files(tables: list[pl.DataFrame], directory: Path, extension: str) -> list[str]:
    """Write each table to a file; the names are in their order."""
    return [
        str(write_file(table, directory / f"part-{i:02d}{extension}"))
        for i, table in enumerate(tables)
    ]


def write_file(table: pl.DataFrame, path: Path) -> Path:
    """Write a table in the format that the extension names."""
    import gzip

    match "".join(path.suffixes):
        case ".parquet":
            table.write_parquet(path)
        case ".feather" | ".arrow":
            table.write_ipc(path)
        case ".csv":
            table.write_csv(path)
        case ".tsv":
            table.write_csv(path, separator="\t")
        case ".csv.gz":
            path.write_bytes(gzip.compress(table.write_csv().encode()))
    return path


def tree_of(data: Dataset, limits: Limits | None = None, **options: Any) -> Tree:
    """The tree of a dataset."""
    limits, table = limits or Limits(), DatasetParts(data)
    survey = table.survey(table.reading)
    layout = Layout.of(survey, table.reading)
    source = table.encoded(layout, survey, limits)
    try:
        totals = tuple(survey.totals[label] for label in layout.schema.classes)
        rows = CountedRows(layout.schema, totals, has_weights=data.weights is not None)
        small = pt.CARTClassifier(**options).fit([[0.0], [1.0]], ["a", "b"])
        return grow_tree_from(source, rows, small.tree_.conventions, Growing(limits))
    finally:
        source.release()


def tree_in_memory(table: pl.DataFrame, target: str = "y", **options: Any) -> Tree:
    """The tree of the same rows in memory."""
    return pt.CARTClassifier(**options).fit(table.drop(target), table[target]).tree_
