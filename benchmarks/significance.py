"""Does significance=0.05 hold its level on noise, and does it find a signal?

    python benchmarks/significance.py level [TABLES]    noise: the proportion of roots split
    python benchmarks/significance.py power [TABLES]    the same with a signal in one column
    python benchmarks/significance.py ctree             stored results of partykit's ctree

"chi-square" tests the chosen split by itself. "ctree" is that of R's partykit, if Rscript can load
it. The stored results lie beside the project, if anywhere.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import plaintree as pt
from plaintree.tree.significance import p_values

LEVEL = 0.05
SHARED = Path(__file__).parents[2] / "shared"
ROWS, COLUMNS = (50, 500, 5000), (1, 5, 20)
BALANCES = {"50/50": (0.5, 0.5), "90/10": (0.9, 0.1), "3 classes": (0.5, 0.3, 0.2)}

CTREE = """
suppressMessages(library(partykit))
rows <- read.csv(commandArgs(TRUE)[1])
rows$class <- factor(rows$class)
if (commandArgs(TRUE)[2] == "TRUE")
  for (name in setdiff(names(rows), c("class", "table"))) rows[[name]] <- factor(rows[[name]])
split <- sapply(unique(rows$table), function(k) {
  own <- droplevels(rows[rows$table == k, setdiff(names(rows), "table")])
  width(ctree(class ~ ., own, control = ctree_control(stump = TRUE))) > 1
})
cat(mean(split))
"""


@dataclass(frozen=True)
class Kind:
    """How values are drawn (0: floats, otherwise so many values), and how they are split."""

    name: str
    n_values: int = 0
    categorical: str | None = None

    def model(self, n_columns: int, test: str) -> Any:
        named: dict[str, Any] = {"criterion": "gini", "conventions": "cart84"}
        if self.categorical is not None:
            named["categorical"] = self.categorical
            named["categorical_features"] = list(range(n_columns))
        return pt.DecisionTreeClassifier(
            significance=LEVEL, significance_test=test, max_depth=1, n_jobs=1, **named
        )


NUMBERS = [Kind("floats"), *(Kind(f"{k} numbers", k) for k in (2, 3, 5))]
CATEGORIES = [
    Kind(f"{k} categories, {how}", k, how)
    for how in ("multiway", "one_vs_rest", "subset")
    for k in (2, 5, 30)
]


def made(
    kind: Kind, shape: tuple[int, int], odds: tuple[float, ...], signal: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """A table in which the first column alone says something about the class, or nothing does.

    The last class gets more of the rows with a large value (categories: every other one).
    """
    n, random = shape[0], np.random.default_rng([seed, *shape])
    numeric = random.standard_normal(shape)
    X = random.integers(0, kind.n_values, shape).astype(float) if kind.n_values else numeric
    y = random.choice(len(odds), n, p=odds)
    high = X[:, 0] % 2 == 1 if kind.categorical else X[:, 0] > (kind.n_values - 1) / 2
    if not kind.n_values:
        high = X[:, 0] > 0
    return X, np.where(high & (random.random(n) < signal), len(odds) - 1, y)


def proportion(kind: Kind, tables: list[tuple[np.ndarray, np.ndarray]], test: str) -> float:
    model = kind.model(tables[0][0].shape[1], test)
    return float(np.mean([model.fit(X, y).tree_.n_nodes > 1 for X, y in tables]))


def by_ctree(kind: Kind, tables: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The proportion that ctree splits; NaN without it, or where it tries 2^29 sets."""
    if shutil.which("Rscript") is None or (kind.categorical and kind.n_values > 10):
        return float("nan")
    frames = [
        pd.DataFrame(X).add_prefix("x").assign(**{"class": y, "table": k})
        for k, (X, y) in enumerate(tables)
    ]
    with tempfile.TemporaryDirectory() as place:
        pd.concat(frames).to_csv(f"{place}/rows.csv", index=False)
        Path(f"{place}/ctree.R").write_text(CTREE)
        categorical = str(kind.categorical is not None).upper()
        command = ["Rscript", f"{place}/ctree.R", f"{place}/rows.csv", categorical]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else float("nan")


def level(n_tables: int) -> None:
    shapes = list(product(ROWS, COLUMNS))
    print(f"Proportion of {n_tables} noise tables split at {LEVEL}, by rows x columns")
    print(f"{'':40}" + "".join(f"{f'{n} x {c}':>10}" for n, c in shapes))
    for kind, (balance, odds) in product(NUMBERS + CATEGORIES, BALANCES.items()):
        found = []
        for shape in shapes:
            tables = [made(kind, shape, odds, 0, seed) for seed in range(n_tables)]
            found.append(proportion(kind, tables, "adjusted"))
        cells = "".join(f"{share:10.3f}" for share in found)
        print(f"{f'{kind.name}, {balance}':40}{cells}", flush=True)


def power(n_tables: int) -> None:
    kinds = [*NUMBERS, *(k for k in CATEGORIES if k.n_values > 2)]
    signals = {"50/50": 0.3, "90/10": 0.12, "3 classes": 0.25}
    print(f"Proportion of {n_tables} tables of 500 x 10 split at {LEVEL}: a signal in one column")
    print(f"{'':40}{'adjusted':>10}{'ctree':>10}{'chi-square':>12}{'on noise':>10}")
    for kind, (balance, odds) in product(kinds, BALANCES.items()):
        tables, noise = (
            [made(kind, (500, 10), odds, signal, seed) for seed in range(n_tables)]
            for signal in (signals[balance], 0.0)
        )
        found = proportion(kind, tables, "adjusted"), by_ctree(kind, tables)
        plain = (proportion(kind, which, "chi_square") for which in (tables, noise))
        cells = "{:10.3f}{:10.3f}{:12.3f}{:10.3f}".format(*found, *plain)
        print(f"{f'{kind.name}, {balance}':40}{cells}", flush=True)


def stored() -> None:
    """Roots of real tables, and the 40 noise tables, against stored results of ctree."""
    golden = SHARED / "golden" / "ctree"
    print(f"{'':14}{'ctree':>28}{'p':>10}{'adjusted':>28}{'p':>10}")
    for name in ("iris", "tic_tac_toe", "vote", "crx"):
        if not (golden / f"{name}.json").exists():
            continue
        root = json.loads((golden / f"{name}.json").read_text())["root"]
        frame = pd.read_csv(SHARED / "data" / f"{name}.csv")
        target = json.loads((SHARED / "data" / f"{name}.json").read_text())["target"]
        tree = pt.CARTClassifier(max_depth=1).fit(frame.drop(columns=target), frame[target]).tree_
        theirs, own = root["p_value"][root["var"]], p_values(tree)[0]
        print(f"{name:14}{root['var']:>28}{theirs:10.2g}{tree.root.feature:>28}{own:10.2g}")
    if (golden / "noise.json").exists():
        tables = [ctree_noise(k) for k in range(40)]
        theirs = json.loads((golden / "noise.json").read_text())["root_splits"]["y_class"]
        counts = [
            sum(
                pt.CARTClassifier(significance=LEVEL, significance_test=test, max_depth=1)
                .fit(X, y)
                .tree_.n_nodes
                > 1
                for X, y in tables
            )
            for test in ("adjusted", "chi_square")
        ]
        print(f"\nOf 40 noise tables, 500 x 20: ctree {theirs}, adjusted and chi-square {counts}")


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
    what = sys.argv[1] if len(sys.argv) > 1 else "power"
    n_tables = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    match what:
        case "level":
            level(n_tables)
        case "power":
            power(n_tables)
        case "ctree":
            stored()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
