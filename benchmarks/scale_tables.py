"""The tables of the benchmarks of growing beyond memory: Parquet files, made in batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tables import curved_score

N_COLUMNS = 20
FILE_ROWS = 2**20
LEAST_FILES = 4
GROUP_ROWS = 2**18
FEATURES = [f"x{i}" for i in range(N_COLUMNS)]
TARGET = "class"


def write_table(directory: Path, rows: int, seed: int = 7) -> Path:
    """Write so many rows of 20 float32 columns and two classes; the same rows at any time.

    Normal numbers do not compress, so a file takes 4 bytes a value.
    """
    directory.mkdir(parents=True, exist_ok=True)
    size = min(FILE_ROWS, -(-rows // LEAST_FILES))
    for number, first in enumerate(range(0, rows, size)):
        frame = batch(min(size, rows - first), seed, number)
        path = directory / f"part-{number:05d}.parquet"
        frame.write_parquet(path, compression="snappy", row_group_size=GROUP_ROWS)
    return directory


def batch(rows: int, seed: int, number: int) -> pl.DataFrame:
    """The rows of one file: a smooth signal of six columns with noise, as in the other tables."""
    random = np.random.default_rng([seed, number])
    columns = random.standard_normal((N_COLUMNS, rows), dtype=np.float32)
    score = curved_score(columns.T) + random.standard_normal(rows, dtype=np.float32)
    values = {name: columns[i] for i, name in enumerate(FEATURES)}
    return pl.DataFrame({**values, TARGET: (score > 0).astype(np.int8)})


def bytes_of(directory: Path) -> int:
    """Bytes of all files of a table."""
    return sum(path.stat().st_size for path in directory.glob("*.parquet"))
