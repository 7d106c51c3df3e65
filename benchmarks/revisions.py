"""Growing in memory beside another revision of plaintree, which is installed somewhere else.

    python benchmarks/revisions.py OTHER_PYTHON [--rounds 3]

OTHER_PYTHON is the interpreter of an environment with that revision. Every measurement is a fresh
process, the revisions take turns, and the least CPU time of each counts. A ratio above 1 means that
this revision takes longer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from tables import TABLES, curved_score, numbers

Fit = Callable[[], Any]


def tree(table: str, rows: int, **parameters: Any) -> Fit:
    """Fit a classification tree on a table of the benchmark."""
    from plaintree import CARTClassifier

    matrix, labels = TABLES[table].make(rows)
    return lambda: CARTClassifier(n_jobs=1, **parameters).fit(matrix, labels)


def regression_tree(rows: int, **parameters: Any) -> Fit:
    """Fit a regression tree on numbers."""
    from plaintree import CARTRegressor

    matrix, _ = numbers(rows, 10, seed=1)
    noise = np.random.default_rng(2).standard_normal(rows)
    target = curved_score(matrix).astype(np.float64) + noise
    return lambda: CARTRegressor(n_jobs=1, **parameters).fit(matrix, target)


def forest(rows: int, **parameters: Any) -> Fit:
    """Fit a random forest."""
    from plaintree import RandomForestClassifier

    matrix, labels = numbers(rows, 20, seed=2)
    return lambda: RandomForestClassifier(n_jobs=1, random_state=0, **parameters).fit(
        matrix, labels
    )


WORKS: dict[str, Callable[[], Fit]] = {
    "tree, 1,000,000 x 10, depth 6": lambda: tree("1m", 1_000_000, max_depth=6),
    "tree, 1,000,000 x 10, to purity": lambda: tree("1m", 1_000_000),
    "tree, 500,000 x 20 of 10 values": lambda: tree("coded", 500_000),
    "tree, 200,000 x 54, 7 classes": lambda: tree("mixed", 200_000),
    "tree, 200,000 x 10, text": lambda: tree("text", 200_000, max_depth=6),
    "regression, 500,000 x 10, depth 6": lambda: regression_tree(500_000, max_depth=6),
    "regression, 200,000 x 10, to purity": lambda: regression_tree(200_000),
    "forest of 20, 50,000 x 20": lambda: forest(50_000, n_estimators=20),
}


def measured(work: str) -> float:
    """The least CPU time of two fits."""
    fit = WORKS[work]()
    times = []
    for _ in range(2):
        start = time.process_time()
        fit()
        times.append(time.process_time() - start)
    return min(times)


def in_process(python: str, work: str) -> float:
    """The measurement by an interpreter."""
    done = subprocess.run(
        [python, str(Path(__file__)), "--measure", work],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure, and print a line for each work."""
    parser = argparse.ArgumentParser(description="in memory, beside another revision")
    parser.add_argument("other", nargs="?", help="the interpreter with the other revision")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=list(WORKS), help="only measure this, here")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure)))
        return
    if options.other is None:
        parser.error("name the interpreter with the other revision")
    pythons = {"this": sys.executable, "other": options.other}
    table = Table("work", "this, CPU s", "other, CPU s", "ratio")
    for work in WORKS:
        least = dict.fromkeys(pythons, float("inf"))
        for _ in range(options.rounds):
            for name, python in pythons.items():
                least[name] = min(least[name], in_process(python, work))
        ratio = least["this"] / least["other"]
        table.add_row(work, *(f"{least[n]:.2f}" for n in pythons), f"{ratio:.2f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
