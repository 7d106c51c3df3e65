"""One Spark session for all tests that need one, and tables with what makes parts differ."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

PANDAS_3 = "ignore:PySpark does not yet fully support pandas:FutureWarning"
"""Of pyspark 4.3 with pandas 3, which only matters where it makes frames of pandas."""


@contextmanager
def session(directory: Path) -> Iterator[Any]:
    """A session of two threads that retries tasks; a test is skipped where there is none."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("every worker would start a Java machine: make test-spark runs it alone")
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark opens files and sockets and leaves them
        builder = SparkSession.builder.master("local[2,4]")
        for name, value in settings_in(directory).items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        try:
            yield spark
        finally:
            spark.stop()


def free_port() -> int:
    """A port of this machine that nothing listens to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def settings_in(directory: Path) -> dict[str, str]:
    """The settings of a small session that keeps its files in a directory.

    It serves Spark Connect as well, so no test starts a second Java machine.
    """
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(free_port()),
        "spark.local.dir": str(directory / "local"),
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
    }


def mixed_rows(n: int = 1200) -> pd.DataFrame:
    """Numbers with ties and missing values, categories of which one is rare, and weights."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    coarse = rng.integers(0, 8, n).astype(float)
    coarse[rng.random(n) < 0.1] = np.nan
    colour = rng.choice(["red", "green", "blue"], n)
    colour[:20] = "rare"
    noise = rng.normal(size=n)
    z = x + 0.3 * np.nan_to_num(coarse, nan=4.0) * (colour == "red") + 0.4 * noise
    return pd.DataFrame(
        {
            "x": x,
            "coarse": coarse,
            "colour": colour,
            "single": rng.normal(size=n).astype(np.float32),
            "row": np.arange(n),
            "weight": rng.integers(1, 4, n) / 2,
            "y": np.where(z > 1.5, "yes", np.where(z < -1, "no", "perhaps")),
            "z": np.round(z, 3),
        }
    )
