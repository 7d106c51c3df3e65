"""The worth of each finder: CPU time of a fit without it, over the time with all of them.

    python benchmarks/finders.py [--rounds 9]

Fits on one thread, interleaved: with all finders, then without each of them, and again. A ratio is
that of the least times. Finders that a table cannot use are the control: their ratios are noise. A
finder that is worth less than 3 % on every table should go. The trees are the same without it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from plaintree.data.rows import Rows
from plaintree.data.schema import Feature, Schema
from plaintree.growing.finders import ALL_FINDERS, FINDERS, all_finders_but
from plaintree.growing.forest import grow_forest
from plaintree.growing.one_tree import grow_tree
from plaintree.tree.conventions import CART
from plaintree.tree.forest import Sampling

Fit = Callable[[int], str]


def made(
    n_rows: int, n_columns: int, *, n_classes: int = 2, n_values: int = 0
) -> tuple[Schema, Rows]:
    """A table of floats, or of so many distinct values, whose classes depend on three columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n_rows)
    levels = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    y = np.digitize(signal, levels).astype(np.int32)
    if n_values:
        edges = np.quantile(X, np.arange(1, n_values) / n_values)
        X = np.digitize(X, edges).astype(np.float32)
    attributes = tuple(Feature(f"x{i}", "numeric") for i in range(n_columns))
    columns: list[NDArray[Any]] = [np.ascontiguousarray(X[:, i]) for i in range(n_columns)]
    return Schema(attributes, tuple(range(n_classes))), Rows(columns, y, None)


def tree(schema: Schema, rows: Rows) -> Fit:
    """Fit one tree until its leaves are pure."""
    return lambda finders: grow_tree(
        schema, rows.columns, rows.codes, None, CART, finders=finders
    ).content_hash()


def forest(schema: Schema, rows: Rows, n_trees: int = 4) -> Fit:
    """Fit a few trees on bootstrap samples, each node sampling the root of the columns."""
    sampling = Sampling("with_replacement", len(rows.codes), 0)
    per_node = int(len(rows.columns) ** 0.5)

    def fit(finders: int) -> str:
        trees = grow_forest(
            schema, rows, CART, sampling,
            n_trees=n_trees, columns_per_node=per_node, finders=finders,
        )  # fmt: skip
        return " ".join(tree.content_hash() for tree in trees)

    return fit


def works() -> dict[str, Fit]:
    """The tables, by what they are."""
    return {
        "tree, 200,000 x 10 floats, 2 classes": tree(*made(200_000, 10)),
        "tree, 100,000 x 10 floats, 7 classes": tree(*made(100_000, 10, n_classes=7)),
        "tree, 200,000 x 10 of 200 values": tree(*made(200_000, 10, n_values=200)),
        "forest, 50,000 x 20 floats, 2 classes": forest(*made(50_000, 20)),
        "forest, 50,000 x 20 floats, 7 classes": forest(*made(50_000, 20, n_classes=7)),
        "forest, 50,000 x 20 of 200 values": forest(*made(50_000, 20, n_values=200)),
        "forest, 50,000 x 40 of 0 and 1": forest(*made(50_000, 40, n_values=2)),
    }


def ratios(fit: Fit, rounds: int) -> dict[str, float]:
    """The least time without each finder over the least time with all of them."""
    masks = {"all": ALL_FINDERS} | {name: all_finders_but([name]) for name in FINDERS}
    least = dict.fromkeys(masks, float("inf"))
    hashes = set()
    for _ in range(rounds):
        for name, mask in masks.items():
            start = time.process_time()
            hashes.add(fit(mask))
            least[name] = min(least[name], time.process_time() - start)
    assert len(hashes) == 1, "another tree without a finder"
    return {name: least[name] / least["all"] for name in FINDERS}


def main() -> None:
    """Print one line per table, one column per finder."""
    parser = argparse.ArgumentParser(description="The worth of each finder.")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    table = Table("table", *FINDERS, title="CPU time without a finder over the time with all")
    for name, fit in works().items():
        found = ratios(fit, rounds)
        table.add_row(name, *(f"{found[finder]:.2f}" for finder in FINDERS))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
