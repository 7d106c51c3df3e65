"""How fast a forest is loaded from a model file, and how large the file is, beside joblib.

    python benchmarks/model_loading.py [--trees 500] [--rows 50000]

plaintree's random forest, written by ``plaintree.save``, against scikit-learn's of as many trees on
the same table of 20 columns, written by joblib: as it comes, and compressed (``compress=3``). Times
are the best of five, files lie in memory or the file system's cache, and loading ends when the
forest can be asked. scikit-learn's forest takes some minutes to grow.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import RandomForestClassifier as Peer

from plaintree.estimators.forest import RandomForestClassifier
from plaintree.interop.model_file import load, save
from tables import numbers


def best_of(call: Callable[[], Any], repeat: int = 5) -> tuple[float, float]:
    """The least wall and CPU seconds of several calls."""
    wall, cpu = [], []
    for _ in range(repeat):
        gc.collect()
        starts = time.perf_counter(), time.process_time()
        outcome = call()
        wall.append(time.perf_counter() - starts[0])
        cpu.append(time.process_time() - starts[1])
        del outcome
    return min(wall), min(cpu)


def measured(
    write: Callable[[Path], Any], read: Callable[[Path], Any], path: Path
) -> tuple[float, float, float, float]:
    """Seconds to write, wall and CPU seconds to read, and megabytes."""
    start = time.perf_counter()
    write(path)
    writing = time.perf_counter() - start
    return writing, *best_of(lambda: read(path)), path.stat().st_size / 2**20


def main() -> None:
    """Grow both forests, write and read them, print times, sizes and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--rows", type=int, default=50_000)
    options = parser.parse_args()
    X, y = numbers(options.rows, 20, seed=2)
    ours = RandomForestClassifier(options.trees, random_state=0).fit(X, y)
    peer = Peer(options.trees, random_state=0, n_jobs=-1).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        results = {
            "plaintree": measured(lambda p: save(ours, p), load, place / "ours"),
            "joblib": measured(lambda p: joblib.dump(peer, p), joblib.load, place / "plain"),
            "joblib, compress=3": measured(
                lambda p: joblib.dump(peer, p, compress=3), joblib.load, place / "small"
            ),
        }
        again = load(place / "ours")
    assert np.array_equal(again.predict_proba(X[:1000]), ours.predict_proba(X[:1000]))
    report(results, f"{options.trees} trees grown on {options.rows:,} rows x 20")


def report(results: dict[str, tuple[float, float, float, float]], title: str) -> None:
    """Print the figures, and what they are to plaintree's."""
    shown = Table("", "write s", "load s", "load CPU s", "MB", "load time x", "size x", title=title)
    own = results["plaintree"]
    for name, (writing, wall, cpu, size) in results.items():
        figures = (f"{writing:.2f}", f"{wall:.3f}", f"{cpu:.3f}", f"{size:.1f}")
        shown.add_row(name, *figures, f"{wall / own[1]:.2f}", f"{size / own[3]:.2f}")
    Console().print(shown)
    plain = results["joblib"]
    fast, small = own[1] <= plain[1], own[3] <= plain[3] / 2
    print(f"Loads at least as fast as joblib: {'yes' if fast else 'no'}.")
    print(f"At most half of joblib's file: {'yes' if small else 'no'}.")


if __name__ == "__main__":
    main()
