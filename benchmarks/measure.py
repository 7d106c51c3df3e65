"""One measurement, in a process of its own: grow a tree, say how long it took and what grew.

Called by bench.py with the job as JSON; the answer is one line of JSON on standard output.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import psutil

from peers import PEERS, Peer
from tables import TABLES, Labels


@dataclass(frozen=True)
class Job:
    """What to measure."""

    table: str
    rows: int
    peer: str
    threads: int
    depth: int | None
    repeat: int


@dataclass(frozen=True)
class Times:
    """The best of several: each kind of seconds by itself."""

    wall: float
    cpu: float

    def better(self, other: Times) -> Times:
        """The best of both."""
        return Times(min(self.wall, other.wall), min(self.cpu, other.cpu))


@dataclass(frozen=True)
class Result:
    """What was measured; the memory is the peak of the first fit beyond the loaded table."""

    job: Job
    fit: Times
    predict: Times
    accuracy: float
    leaves: int
    memory_bytes: int
    table_bytes: int


def best_times(work: Callable[[], Any], repeat: int) -> tuple[Times, Any]:
    """Do the work several times; its best times and its last outcome."""
    wall, cpu, outcome = [], [], None
    for _ in range(repeat):
        outcome = None
        gc.collect()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        outcome = work()
        cpu.append(time.process_time() - cpu_start)
        wall.append(time.perf_counter() - wall_start)
    return Times(min(wall), min(cpu)), outcome


def warm_up(peer: Peer, job: Job, table: Any, labels: Labels) -> None:
    """A tiny fit and prediction, so that lazy imports and thread pools are not measured."""
    few = table[:2000] if isinstance(table, np.ndarray) else table.iloc[:2000]
    peer.predict(peer.fit(few, labels[:2000], job.depth, job.threads), few)


def measure(job: Job) -> Result:
    """Make the table, warm up, fit and predict."""
    peer = PEERS[job.peer]
    table, labels = TABLES[job.table].make(job.rows)
    warm_up(peer, job, table, labels)
    gc.collect()
    resident = psutil.Process().memory_info().rss
    first, model = best_times(lambda: peer.fit(table, labels, job.depth, job.threads), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if job.repeat > 1:
        del model
        more, model = best_times(
            lambda: peer.fit(table, labels, job.depth, job.threads), job.repeat - 1
        )
        first = first.better(more)
    predicting, answers = best_times(lambda: peer.predict(model, table), max(job.repeat, 3))
    return Result(
        job=job,
        fit=first,
        predict=predicting,
        accuracy=float(np.mean(np.asarray(answers) == labels)),
        leaves=int(peer.leaves(model)),
        memory_bytes=peak - resident,
        table_bytes=table.nbytes if isinstance(table, np.ndarray) else 0,
    )


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Job(**json.loads(sys.argv[1]))))))
