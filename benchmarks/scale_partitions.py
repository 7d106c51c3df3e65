"""Does the division of the rows into partitions change the tree?

    python benchmarks/scale_partitions.py [--rows 250_000] [--depth 6]

Each library grows one tree from the same rows in 4 and in 7 partitions, and both are compared.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from scale_tables import FEATURES, TARGET, batch
from scale_ways import WAYS, dask_session, no_session, spark_session

PARTITIONS = (4, 7)
Tree = Callable[[Any, Path, int], str]
"""(session, directory of Parquet files, depth) -> what the tree is, as text"""


def plaintree_by(way: str) -> Tree:
    """The content hash of the tree that plaintree grows in this way."""

    def tree(session: Any, directory: Path, depth: int) -> str:
        from scale_phases import Phases

        return WAYS[way].fit(session, directory, depth, Phases())

    return tree


def lightgbm_tree(client: Any, directory: Path, depth: int) -> str:
    """Features and thresholds of one round of boosting."""
    import dask.dataframe as dd
    from lightgbm import DaskLGBMClassifier

    frame = dd.read_parquet(directory / "*.parquet").persist()
    options: dict[str, Any] = {"n_estimators": 1, "max_depth": depth, "num_leaves": 2**depth}
    model = DaskLGBMClassifier(**options, learning_rate=1.0, verbose=-1, client=client)
    text = model.fit(frame[FEATURES], frame[TARGET]).booster_.model_to_string()
    return "\n".join(re.findall(r"^(?:split_feature|threshold)=.*$", text, re.MULTILINE))


def xgboost_tree(client: Any, directory: Path, depth: int) -> str:
    """Features and thresholds of one round of boosting."""
    import dask.dataframe as dd
    from xgboost import dask as dxgb

    frame = dd.read_parquet(directory / "*.parquet").persist()
    model = dxgb.DaskXGBClassifier(n_estimators=1, max_depth=depth, tree_method="hist")
    model.client = client
    model.fit(frame[FEATURES], frame[TARGET])
    return "\n".join(re.findall(r"\[.*?\]", model.get_booster().get_dump()[0]))


def mllib_tree(spark: Any, directory: Path, depth: int) -> str:
    """The text of Spark's tree."""
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler

    paths = sorted(map(str, directory.glob("*.parquet")))
    frame = spark.read.parquet(paths[0])
    for path in paths[1:]:
        frame = frame.union(spark.read.parquet(path))
    rows = VectorAssembler(inputCols=FEATURES, outputCol="features").transform(frame)
    model = DecisionTreeClassifier(labelCol=TARGET, maxDepth=depth, seed=0).fit(rows)
    return str(model.toDebugString).partition("\n")[2]


LIBRARIES: dict[str, tuple[Any, Tree]] = {
    "plaintree, files": (no_session, plaintree_by("chunks")),
    "plaintree, Dask": (dask_session, plaintree_by("Dask")),
    "plaintree, Spark": (spark_session, plaintree_by("Spark")),
    "LightGBM on Dask": (dask_session, lightgbm_tree),
    "XGBoost on Dask": (dask_session, xgboost_tree),
    "Spark MLlib": (spark_session, mllib_tree),
}


def main() -> None:
    """Grow both trees by each library, and print whether they are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--depth", type=int, default=6)
    options = parser.parse_args()
    table = Table("library", *(f"{n} partitions" for n in PARTITIONS), "same tree")
    with tempfile.TemporaryDirectory(prefix="plaintree-bench-") as place:
        rows = batch(options.rows, 7, 0)
        directories = [write_parts(rows, n, Path(place, f"parts-{n}")) for n in PARTITIONS]
        for name, (session, tree) in LIBRARIES.items():
            with session(Path(place)) as opened:
                found = [tree(opened, directory, options.depth) for directory in directories]
            same = found[0] == found[1]
            table.add_row(name, *(f"{hash(text) & 0xFFFF:04x}" for text in found), str(same))
    Console().print(table)


def write_parts(rows: pl.DataFrame, n: int, directory: Path) -> Path:
    """The same rows in so many files of about the same length."""
    directory.mkdir()
    size = -(-rows.height // n)
    for i in range(n):
        rows[i * size : (i + 1) * size].write_parquet(directory / f"part-{i}.parquet")
    return directory


if __name__ == "__main__":
    main()
