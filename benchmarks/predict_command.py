"""How many rows a second the command ``plaintree predict`` answers, from file to file.

    python benchmarks/predict_command.py [--rows 1000000]

A C4.5 tree and a forest answer a table of ten columns, as CSV and as Parquet. Each run is a process
of its own, with its start, reading and writing inside the time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from plaintree.estimators.forest import RandomForestClassifier
from plaintree.estimators.trees import C45Classifier
from plaintree.interop.model_file import save
from tables import numbers

N_TRAINING = 20_000
N_TREES = 100


def main() -> None:
    """Make models and tables, run the command on them, and print what came out."""
    parser = argparse.ArgumentParser(description="the throughput of plaintree predict")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to answer")
    n_rows = parser.parse_args().rows
    shown = Table("model", "file", "wall s", "rows a second", title=f"{n_rows:,} rows")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        models, tables = write_models(place), write_tables(place, n_rows)
        for name, model in models.items():
            for kind, table in tables.items():
                seconds = seconds_of(model, table, place / f"answers.{kind}")
                shown.add_row(name, kind, f"{seconds:.2f}", f"{n_rows / seconds:,.0f}")
    Console().print(shown)


def write_models(place: Path) -> dict[str, Path]:
    """The files of a tree and of a forest."""
    X, y = numbers(N_TRAINING, 10, seed=7)
    frame = frame_of(X)
    learners = {
        "C4.5 tree": C45Classifier(),
        f"forest of {N_TREES}": RandomForestClassifier(N_TREES, random_state=0),
    }
    paths = {}
    for name, learner in learners.items():
        paths[name] = place / f"model{len(paths)}"
        save(learner.fit(frame, y), paths[name])
    return paths


def write_tables(place: Path, n_rows: int) -> dict[str, Path]:
    """The same rows in both kinds of file."""
    frame = frame_of(numbers(n_rows, 10, seed=8)[0])
    paths = {kind: place / f"rows.{kind}" for kind in ("csv", "parquet")}
    frame.write_csv(paths["csv"])
    frame.write_parquet(paths["parquet"])
    return paths


def frame_of(matrix: np.ndarray) -> pl.DataFrame:
    """A matrix as a table with names."""
    return pl.DataFrame({f"x{i + 1}": column for i, column in enumerate(matrix.T)})


def seconds_of(model: Path, table: Path, answers: Path) -> float:
    """How long one run of the command takes."""
    program = str(Path(sys.executable).with_name("plaintree"))
    start = time.perf_counter()
    subprocess.run([program, "predict", str(model), str(table), "-o", str(answers)], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
