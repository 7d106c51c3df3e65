"""The real tables and the reference programs' results that lie beside the project, if they do."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from tests.oracle.naive import Table, make_table

SHARED = Path(__file__).resolve().parents[3] / "shared"

needs_shared = pytest.mark.skipif(
    not (SHARED / "golden").is_dir(), reason="the reference programs' results are not here"
)


def names_in(folder: str) -> list[str]:
    """The tables for which a reference program's results are there."""
    return sorted(path.stem for path in (SHARED / "golden" / folder).glob("*.json"))


@cache
def golden(folder: str, name: str) -> dict[str, Any]:
    return json.loads((SHARED / "golden" / folder / f"{name}.json").read_text())


@cache
def description(name: str) -> dict[str, Any]:
    return json.loads((SHARED / "data" / f"{name}.json").read_text())


@cache
def cells(name: str) -> dict[str, list[str]]:
    """The columns of a table as text; an empty field is missing."""
    with (SHARED / "data" / f"{name}.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


@cache
def folds(name: str) -> NDArray[np.int64]:
    """The stored fold of every row."""
    lines = (SHARED / "folds" / f"{name}.csv").read_text().split()
    return np.array([int(line) for line in lines if line.lstrip("-").isdigit()])


def encoded_column(name: str, column: str) -> NDArray[np.float64]:
    """A column as numbers, or codes in the declared order of its categories; NaN is missing."""
    text = cells(name)[column]
    if description(name)["kinds"][column] == "numeric":
        return np.array([float(cell) if cell else np.nan for cell in text])
    code = {label: i for i, label in enumerate(description(name)["categories"][column])}
    return np.array([code[cell] if cell else np.nan for cell in text])


def class_codes(name: str) -> NDArray[np.int64]:
    about = description(name)
    code = {label: i for i, label in enumerate(about["classes"])}
    return np.array([code[cell] for cell in cells(name)[about["target"]]])


def naive_table(name: str) -> Table:
    """The whole table for the naive grower."""
    about = description(name)
    columns = [encoded_column(name, c) for c in about["kinds"]]
    sizes = [len(about["categories"].get(c, ())) for c in about["kinds"]]
    filled = [
        np.where(np.isnan(values), -1, values) if size else values
        for values, size in zip(columns, sizes, strict=True)
    ]
    return make_table(filled, sizes, class_codes(name), len(about["classes"]))


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with its declared categories, and the labels."""
    about = description(name)
    columns: dict[str, Any] = {}
    for column, kind in about["kinds"].items():
        values = encoded_column(name, column)
        if kind == "categorical":
            codes = np.where(np.isnan(values), -1, values).astype(np.int64)
            labels = about["categories"][column]
            columns[column] = pd.Categorical.from_codes(codes, categories=labels)
        else:
            columns[column] = values
    return pd.DataFrame(columns), np.array(cells(name)[about["target"]])
