"""One measurement of a forest, in a process of its own.

Called by forests.py with the job as JSON; the answer is one line of JSON on standard output.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import psutil

from forest_peers import PEERS, ForestPeer
from measure import Times, best_times
from tables import FloatMatrix, mixed, numbers

N_TEST = 20_000
QUICK_SECONDS = 20
"""What takes less than this is done twice: some libraries are faster when they are warm."""
TABLES = {"floats": lambda n: numbers(n, 20, seed=2), "mixed": mixed}


@dataclass(frozen=True)
class ForestJob:
    """What to measure: a forest on a table, and how many rows it is then asked about."""

    peer: str
    table: str
    rows: int
    n_trees: int
    threads: int = 2
    asked: int = 0
    single_rows: int = 0


@dataclass(frozen=True)
class ForestResult:
    """What was measured; accuracy is on rows of the same kind that training had not."""

    job: ForestJob
    fit: Times
    accuracy: float
    predict: Times | None
    latency: float | None
    model_bytes: int | None
    resident_bytes: int

    def better(self, other: ForestResult | None) -> ForestResult:
        """The best figures of two measurements of one job."""
        if other is None:
            return self
        return replace(
            self,
            fit=self.fit.better(other.fit),
            predict=self.predict and other.predict and self.predict.better(other.predict),
            latency=self.latency and other.latency and min(self.latency, other.latency),
            resident_bytes=min(self.resident_bytes, other.resident_bytes),
        )


def resident() -> int:
    """The memory of this process, after giving back what is free."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return int(psutil.Process().memory_info().rss)


def measure(job: ForestJob) -> ForestResult:
    """Make the table, warm up, fit, and ask."""
    peer = PEERS[job.peer]
    matrix, labels = TABLES[job.table](job.rows + N_TEST)
    matrix, new = np.ascontiguousarray(matrix[: job.rows]), matrix[job.rows :]
    labels, truth = labels[: job.rows], labels[job.rows :]
    peer.predict(peer.fit(matrix[:2000], labels[:2000], 5, job.threads), new[:2000])
    before = resident()
    fit = partial(peer.fit, matrix, labels, job.n_trees, job.threads)
    fitting, model = best_times(fit, 1)
    grown = resident() - before
    if fitting.wall < QUICK_SECONDS:
        del model
        again, model = best_times(fit, 1)
        fitting = fitting.better(again)
    return ForestResult(
        job=job,
        fit=fitting,
        accuracy=float(np.mean(np.asarray(peer.predict(model, new)) == truth)),
        predict=predicting(peer, model, matrix, job),
        latency=latency(peer, model, new, job.single_rows) if job.single_rows else None,
        model_bytes=peer.n_bytes(model) if peer.n_bytes else None,
        resident_bytes=grown,
    )


def predicting(peer: ForestPeer, model: Any, matrix: FloatMatrix, job: ForestJob) -> Times | None:
    """The time to answer many rows; those of training come first, then they come again."""
    if not job.asked:
        return None
    rows = np.resize(matrix, (job.asked, matrix.shape[1]))
    return best_times(lambda: peer.predict(model, rows), 3)[0]


def latency(peer: ForestPeer, model: Any, new: FloatMatrix, n: int) -> float:
    """The median seconds for one row by itself."""
    model = peer.on_one_thread(model)
    seconds = []
    for i in range(n + n // 10):
        row = new[i % len(new)][None]
        start = time.perf_counter()
        peer.predict(model, row)
        seconds.append(time.perf_counter() - start)
    return median(seconds[n // 10 :])


if __name__ == "__main__":
    print(json.dumps(asdict(measure(ForestJob(**json.loads(sys.argv[1]))))))
