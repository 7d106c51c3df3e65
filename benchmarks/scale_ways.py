"""The ways to grow a tree from Parquet files: plaintree's, and the peers'.

Each has a session, which is not measured, and a fit, which is: from the paths to the tree.
Imports are inside the functions, so a process has only what its way needs.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from scale_phases import Phases, TimedTable
from scale_tables import FEATURES, TARGET

Fit = Callable[[Any, Path, int, Phases], str]
"""(session, directory, depth, phases to be filled) -> the content hash of a tree of ours, or ''"""


@dataclass(frozen=True)
class Way:
    """One way to grow a tree; ``modules``: what must be installed."""

    fit: Fit
    session: Callable[[Path], AbstractContextManager[Any]]
    modules: tuple[str, ...] = ()
    needs_java: bool = False

    @property
    def has_workers(self) -> bool:
        """Whether other processes do the work."""
        return self.session is not no_session

    def missing(self) -> str | None:
        """Why it cannot be measured here; None if it can."""
        for name in self.modules:
            if find_spec(name) is None:
                return f"{name} is not installed"
        if self.needs_java and which("java") is None and "JAVA_HOME" not in os.environ:
            return "Java is not installed"
        return None


def no_session(directory: Path) -> AbstractContextManager[None]:
    """For what runs in this process."""
    del directory
    return nullcontext()


# ---------------------------------------------------------------- this process


def fit_memory(session: None, directory: Path, depth: int, phases: Phases) -> str:
    """Read the files whole, and grow in memory."""
    del session
    import polars as pl

    from plaintree import CARTClassifier

    frame = phases.timed("read", lambda: pl.read_parquet(directory / "*.parquet"))
    target = frame.drop_in_place(TARGET)
    model = CARTClassifier(max_depth=depth, n_jobs=1)
    return str(phases.timed("grow", model.fit, frame, target).tree_.content_hash())


def fit_chunks(limit: str | None, directory: Path, depth: int, phases: Phases) -> str:
    """Grow from the files in batches, within a limit of memory if there is one."""
    import plaintree as pt
    from plaintree.growing.sources.chunks import DatasetParts

    dataset = pt.open_dataset(directory / "*.parquet", TARGET, memory_limit=limit)
    table = TimedTable(DatasetParts(dataset), phases)
    model = pt.CARTClassifier(max_depth=depth, n_jobs=1).fit(table)
    return str(model.tree_.content_hash())


# ---------------------------------------------------------------- Dask


@contextmanager
def dask_session(directory: Path) -> Iterator[Any]:
    """Two workers of one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=directory
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def fit_dask(client: Any, directory: Path, depth: int, phases: Phases) -> str:
    """Grow where the partitions are."""
    import dask.dataframe as dd

    from plaintree import CARTClassifier
    from plaintree.data.parts import Reading
    from plaintree.growing.sources.dask import DaskTable

    frame = dd.read_parquet(directory / "*.parquet")
    table = DaskTable(frame, Reading(TARGET, tuple(FEATURES)), client)
    model = CARTClassifier(max_depth=depth, n_jobs=1).fit(TimedTable(table, phases))
    return str(model.tree_.content_hash())


def fit_lightgbm_dask(client: Any, directory: Path, depth: int, phases: Phases) -> str:
    """One round of boosting without shrinkage.

    Persisted: otherwise features and target are read in different partitions, which it refuses.
    """
    del phases
    import dask.dataframe as dd
    from lightgbm import DaskLGBMClassifier

    frame = dd.read_parquet(directory / "*.parquet").persist()
    model = DaskLGBMClassifier(
        n_estimators=1,
        learning_rate=1.0,
        num_leaves=2**depth,
        max_depth=depth,
        min_child_samples=1,
        min_child_weight=0.0,
        verbose=-1,
        client=client,
    )
    model.fit(frame[FEATURES], frame[TARGET])
    return ""


# ---------------------------------------------------------------- Spark


@contextmanager
def spark_session(directory: Path) -> Iterator[Any]:
    """Two threads."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(directory / "local"),
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def fit_spark(spark: Any, directory: Path, depth: int, phases: Phases) -> str:
    """Grow where the partitions are."""
    from plaintree import CARTClassifier
    from plaintree.data.parts import Reading
    from plaintree.growing.sources.spark import SparkTable

    table = SparkTable(spark.read.parquet(str(directory)), Reading(TARGET, tuple(FEATURES)))
    model = CARTClassifier(max_depth=depth, n_jobs=1).fit(TimedTable(table, phases))
    return str(model.tree_.content_hash())


def fit_spark_counted(spark: Any, directory: Path, depth: int, phases: Phases) -> str:
    """The same from counts alone, as where the driver cannot hold the rows."""
    from plaintree.growing.sources.spark import SparkTable

    usual = SparkTable.limits
    SparkTable.limits = lambda self, survey: replace(usual(self, survey), gather_rows=0)
    try:
        return fit_spark(spark, directory, depth, phases)
    finally:
        SparkTable.limits = usual


def fit_mllib(spark: Any, directory: Path, depth: int, phases: Phases) -> str:
    """Spark's own tree, with thresholds between 32 bins."""
    del phases
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler

    frame = spark.read.parquet(str(directory))
    rows = VectorAssembler(inputCols=FEATURES, outputCol="features").transform(frame)
    model = DecisionTreeClassifier(labelCol=TARGET, maxDepth=depth, maxBins=32).fit(rows)
    assert model.depth > 0
    return ""


DASK, SPARK = ("dask", "distributed"), ("pyspark", "pyarrow")
WAYS = {
    "in memory": Way(fit_memory, no_session),
    "chunks": Way(fit_chunks, no_session),
    "Dask": Way(fit_dask, dask_session, DASK),
    "LightGBM on Dask": Way(fit_lightgbm_dask, dask_session, (*DASK, "lightgbm")),
    "Spark": Way(fit_spark, spark_session, SPARK, needs_java=True),
    "Spark, counted": Way(fit_spark_counted, spark_session, SPARK, needs_java=True),
    "Spark MLlib": Way(fit_mllib, spark_session, SPARK, needs_java=True),
}
"""Every way by name."""
