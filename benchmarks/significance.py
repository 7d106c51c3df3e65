"""Does significance=0.05 hold its level on noise, and does it find a signal?

    python benchmarks/significance.py [TABLES]

Noise: the proportion of tables whose root is split at 0.05. Signal: the same where the first column
shifts the odds of a class. "chi-square" tests the chosen split by itself. If stored results
of partykit's ctree are beside the project, the 40 noise tables of these are grown as well.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import plaintree as pt

LEVEL = 0.05
CTREE = Path(__file__).parents[2] / "shared" / "golden" / "ctree" / "noise.json"
SHAPES = {
    "500 x 10 floats, 2 classes": (500, 10, 0, (0.5, 0.5)),
    "500 x 10 floats, 5 % rare class": (500, 10, 0, (0.95, 0.05)),
    "40 x 5 floats, 2 classes": (40, 5, 0, (0.5, 0.5)),
    "300 x 5 floats, 5 classes": (300, 5, 0, (0.2,) * 5),
    "300 x 5 floats, skewed 4 classes": (300, 5, 0, (0.7, 0.2, 0.07, 0.03)),
    "300 x 6 of 6 categories, 2 classes": (300, 0, 6, (0.5, 0.5)),
    "60 x 6 of 6 categories, 3 classes": (60, 0, 6, (0.6, 0.3, 0.1)),
}


def made(
    shape: tuple[int, int, int, tuple[float, ...]], seed: int, signal: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """A table in which the first column alone says something about the class, or nothing does."""
    n_rows, n_floats, n_texts, odds = shape
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.standard_normal(n_rows) for j in range(n_floats)}
    columns |= {f"c{j}": random.choice(list("abcdef"), n_rows) for j in range(n_texts)}
    X = pd.DataFrame(columns)
    y = random.choice(len(odds), n_rows, p=odds)
    first = X.iloc[:, 0]
    high = (first > 0 if n_floats else first.isin(["a", "b"])).to_numpy()
    moved = high & (random.random(n_rows) < signal)
    return X, np.where(moved, 0, y)


def split(X: pd.DataFrame, y: np.ndarray, learner: type, test: str) -> bool:
    model = learner(significance=LEVEL, significance_test=test, max_depth=1, n_jobs=1)
    return bool(model.fit(X, y).tree_.n_nodes > 1)


def shares(shape: tuple[int, int, int, tuple[float, ...]], n: int, signal: float) -> list[float]:
    tables = [made(shape, seed, signal) for seed in range(n)]
    return [
        float(np.mean([split(X, y, learner, test) for X, y in tables]))
        for learner in (pt.CARTClassifier, pt.ID3Classifier)
        for test in ("adjusted", "chi_square")
    ]


def ctree_noise(k: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Table k of those that ctree was run on."""
    random = np.random.RandomState(1000 + k)
    columns = {f"x{j}": random.standard_normal(500) for j in range(1, 11)}
    columns |= {f"x{j}": random.randint(0, 5, 500) for j in range(11, 14)}
    columns |= {f"x{j}": np.array(list("abc"))[random.randint(0, 3, 500)] for j in range(14, 18)}
    columns |= {
        f"x{j}": np.array(list("abcdefgh"))[random.randint(0, 8, 500)] for j in (18, 19, 20)
    }
    random.standard_normal(500)
    return pd.DataFrame(columns), np.array(["neg", "pos"])[random.randint(0, 2, 500)]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for signal in (0.0, 0.3):
        print(f"\nProportion of {n} tables split at {LEVEL}, signal {signal:g}")
        print(f"{'':36} CART: adjusted  chi-square   ID3: adjusted  chi-square")
        for name, shape in SHAPES.items():
            cart, cart_plain, id3, id3_plain = shares(shape, n, signal)
            print(f"{name:36} {cart:14.3f} {cart_plain:11.3f} {id3:15.3f} {id3_plain:11.3f}")
    if CTREE.exists():
        tables = [ctree_noise(k) for k in range(40)]
        stored = json.loads(CTREE.read_text())["root_splits"]["y_class"]
        counts = [
            sum(split(X, y, pt.CARTClassifier, test) for X, y in tables)
            for test in ("adjusted", "chi_square")
        ]
        print(f"\nOf 40 noise tables, 500 x 20: ctree {stored}, adjusted and chi-square {counts}")


if __name__ == "__main__":
    main()
