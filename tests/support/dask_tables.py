"""Tables for tests on Dask: every kind of column, and partitions of any size."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pandas as pd

N_ROWS = 2_600


def mixed_table() -> pd.DataFrame:
    """Numbers of several types, ties, text with a rare category, missing values, weights."""
    rng = np.random.default_rng(5)
    n = N_ROWS
    frame = pd.DataFrame(
        {
            "single": rng.normal(size=n).astype(np.float32),
            "double": rng.normal(size=n).round(3),
            "integer": rng.integers(0, 9, n),
            "text": rng.choice(["left", "middle", "right"], n),
        }
    )
    frame.loc[n - 20 :, "text"] = "rare"  # in the last partition only
    signal = frame["single"] * 2 + (frame["text"] == "left") + (frame["integer"] > 5)
    frame["number"] = (signal + rng.normal(size=n)).round(2)
    frame["label"] = np.where(frame["number"] > 1, "yes", "no")
    frame.loc[rng.random(n) < 0.05, "double"] = np.nan
    frame.loc[rng.random(n) < 0.05, "text"] = None
    frame["weight"] = rng.choice([0.5, 1.0, 2.25], n)
    return frame


FEATURES = ["single", "double", "integer", "text"]


def partitioned(frame: pd.DataFrame, n_parts: int, *, with_empty: bool = False) -> Any:
    """The table on Dask, in parts of different lengths; the second one may be empty."""
    import dask.dataframe as dd

    borders = [round(len(frame) * (i / n_parts) ** 1.5) for i in range(n_parts + 1)]
    parts = [frame.iloc[a:b] for a, b in pairwise(borders)]
    if with_empty:
        parts.insert(1, frame.iloc[:0])
    return dd.from_map(_nth, range(len(parts)), parts=parts, meta=frame.iloc[:0])


def _nth(i: int, parts: list[pd.DataFrame]) -> pd.DataFrame:
    return parts[i]


@contextmanager
def two_workers(directory: Path) -> Iterator[Any]:
    """A client of two workers on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            local_directory=str(directory),
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client


def held(client: Any) -> set[str]:
    """The keys of what the workers hold."""
    return {str(key) for keys in client.has_what().values() for key in keys}


def assert_nothing_is_held(client: Any) -> None:
    """Wait until the workers hold no results."""
    gc.collect()
    for _ in range(100):  # the workers hear of it a moment later
        if not held(client):
            break
        sleep(0.05)
    assert held(client) == set()
