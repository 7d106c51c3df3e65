"""RMSE of RandomForestRegressor in cross-validation, compared with stored results of others.

    python benchmarks/regression_forests.py [TREES]

The tables, their folds and the results of ranger and scikit-learn (500 trees) lie beside the
project, if anywhere. A ratio below 1 is a lower error than theirs.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.errors import UnseenCategoryWarning

SHARED = Path(__file__).parents[2] / "shared"
OURS = {"all features": 1.0, "a third": 1 / 3}


def stored(name: str) -> dict[str, float]:
    """The RMSE of other programs on a table."""
    found = json.loads((SHARED / f"golden/forest_regression/{name}.json").read_text())
    results = {"ranger": found["ranger"]["rmse"]}
    for key, label in (("all_features", "sklearn all"), ("third_of_features", "sklearn third")):
        results[label] = found["sklearn"][key]["rmse"]
    return results


def rmse(table: Any, target: str, folds: np.ndarray, n_trees: int, max_features: float) -> float:
    """The root of the mean squared error over the rows of all folds."""
    y = table[target].to_numpy()
    X = table.drop(target)
    predicted = np.empty(len(y))
    for fold in np.unique(folds):
        outside = folds == fold
        forest = pt.RandomForestRegressor(n_trees, max_features=max_features, random_state=0)
        forest.fit(X.filter(~outside), y[~outside])
        predicted[outside] = forest.predict(X.filter(outside))
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def main(n_trees: int = 100) -> None:
    """Print the errors on each table, and the mean ratios."""
    warnings.simplefilter("ignore", UnseenCategoryWarning)
    ratios: dict[tuple[str, str], list[float]] = {}
    for path in sorted((SHARED / "golden/forest_regression").glob("*.json")):
        name = path.stem
        facts = json.loads((SHARED / f"data/regression/{name}.json").read_text())
        table = pt.read_table(SHARED / f"data/regression/{name}.csv")
        folds = np.loadtxt(SHARED / f"folds/regression/{name}.csv", dtype=int)
        theirs = stored(name)
        ours = {
            label: rmse(table, facts["target"], folds, n_trees, part)
            for label, part in OURS.items()
        }
        both = {f"plaintree {label}": value for label, value in ours.items()} | theirs
        print(f"{name:15}", "  ".join(f"{k} {v:.4g}" for k, v in both.items()), flush=True)
        for mine, value in ours.items():
            for other, error in theirs.items():
                ratios.setdefault((mine, other), []).append(value / error)
    for (mine, other), values in ratios.items():
        mean = np.exp(np.mean(np.log(values)))
        print(f"plaintree {mine} / {other}: mean ratio {mean:.3f} over {len(values)} tables")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
