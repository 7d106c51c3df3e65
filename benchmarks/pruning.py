"""How long pruning and rules take, beside scikit-learn's cost-complexity path.

    python benchmarks/pruning.py

The table is the census table of 32,561 people if it lies beside the project, otherwise a
generated one of the same shape (6 numeric and 8 categorical columns). Best of three, CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.tree import DecisionTreeClassifier

import plaintree as pt

CENSUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
N_ROWS = 32_561
N_NOISY = 220_000
"""Rows of noise that make a tree of somewhat more than 100,000 nodes."""


def census() -> tuple[pd.DataFrame, Any]:
    """The census table, or one like it."""
    if CENSUS.exists():
        frame = pd.read_csv(CENSUS)
        return frame.drop(columns="income"), frame["income"]
    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"n{i}": random.integers(0, 80, N_ROWS) for i in range(6)}
    for i, levels in enumerate((9, 16, 7, 15, 6, 5, 2, 42)):
        columns[f"c{i}"] = random.choice([f"level {k}" for k in range(levels)], N_ROWS)
    frame = pd.DataFrame(columns)
    rich = (frame["n0"] > 40) ^ (frame["c2"] == "level 1") ^ (random.random(N_ROWS) < 0.15)
    return frame, np.where(rich, ">50K", "<=50K")


def seconds(call: Callable[[], Any], repeat: int = 3) -> float:
    """The least CPU seconds of several calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def scikit_learn_path(X: pd.DataFrame, y: Any) -> None:
    """One-hot coding, a full tree and its pruning path."""
    coded = np.nan_to_num(pd.get_dummies(X, dtype=np.float32).to_numpy(np.float32))
    DecisionTreeClassifier(random_state=0).fit(coded, y).cost_complexity_pruning_path(coded, y)


def large_tree() -> pt.Tree:
    """A tree of at least 100,000 nodes: noise, learnt by heart."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(N_NOISY, 8)).astype(np.float32), random.integers(0, 2, N_NOISY)
    return pt.CARTClassifier().fit(X, y).tree_


def main() -> None:
    X, y = census()
    table = Table("work", "CPU s", "beside", title=f"pruning and rules, {len(X):,} rows")
    ours = seconds(lambda: pt.C45Classifier(n_jobs=1).fit(X, y))
    theirs = seconds(lambda: scikit_learn_path(X, y), repeat=1)
    table.add_row(
        "C4.5: grow and prune by estimated errors",
        f"{ours:.3f}",
        f"scikit-learn, one-hot, fit and path: {theirs:.3f}, {theirs / ours:.1f} times (target 5)",
    )
    tree = large_tree()
    path = seconds(lambda: pt.pruning.pruning_path(tree))
    table.add_row(f"pruning path of {tree.n_nodes:,} nodes", f"{path:.3f}", "target below 1 s")
    few, labels = X[:5000], y[:5000]
    rules = seconds(lambda: pt.C45RulesClassifier(n_jobs=1).fit(few, labels), repeat=1)
    table.add_row("C4.5rules of 5,000 rows", f"{rules:.3f}", "target: seconds")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
