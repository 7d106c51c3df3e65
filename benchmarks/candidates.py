"""How long candidate splits and growing on take, beside growing a stump and a whole tree.

    python benchmarks/candidates.py

Tables: 1,000,000 x 10 floats, and the census table of benchmarks/pruning.py. Best of three, CPU
seconds on one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import plaintree as pt
from pruning import census, seconds

N_ROWS, N_COLUMNS = 1_000_000, 10


def floats() -> tuple[Any, Any]:
    """A table of numbers, with classes that depend on three of them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, N_COLUMNS)).astype(np.float32)
    return X, X[:, 0] * X[:, 1] + X[:, 2] + random.normal(size=N_ROWS) > 0


def measured(learner: Any, X: Any, y: Any) -> dict[str, float]:
    """Seconds of each call, for one learner and table."""
    stump = type(learner)(**learner.get_params() | {"max_depth": 1})
    tree = learner.fit(X, y).tree_
    leaf = int(np.argmin(np.where(tree.n_children == 0, tree.n_rows, len(y))))
    numeric = next(a.name for a in tree.schema.features if not a.is_categorical)
    found = pt.candidates(tree, X, y)
    root = tree.cut(0)
    return {
        "fit to depth 1": seconds(lambda: stump.fit(X, y)),
        "fit": seconds(lambda: learner.fit(X, y)),
        "candidates at the root": seconds(lambda: pt.candidates(tree, X, y)),
        "candidates at the smallest leaf": seconds(lambda: pt.candidates(tree, X, y, leaf)),
        "thresholds of a feature": seconds(lambda: found.thresholds(numeric)),
        "grow on from the root": seconds(lambda: pt.grow_on(root, X, y)),
        "grow on from the smallest leaf": seconds(lambda: pt.grow_on(tree, X, y, nodes=leaf)),
    }


def main() -> None:
    """Print the seconds of all calls."""
    columns = {
        "1,000,000 x 10, CART": measured(pt.CARTClassifier(max_depth=10), *floats()),
        "census, CART": measured(pt.CARTClassifier(), *census()),
        "census, C4.5": measured(pt.C45Classifier(pruning=None), *census()),
    }
    table = Table("call", *columns)
    for call in next(iter(columns.values())):
        table.add_row(call, *(f"{column[call]:.3f} s" for column in columns.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
