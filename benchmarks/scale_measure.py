"""One measurement of growing from files, in a process of its own.

Called by scale.py with the job as JSON; the answer is one line of JSON on standard output.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scale_phases import Phases
from scale_processes import family_cpu, peak_bytes, peak_of_children
from scale_ways import WAYS


@dataclass(frozen=True)
class ScaleJob:
    """What to measure; first, the table of ``warm_up`` is fitted, and that does not count."""

    way: str
    directory: str
    warm_up: str
    depth: int
    threads: int = 1


def measured_fit(job: ScaleJob) -> dict[str, Any]:
    """Fit, and say what that took of this process and all that it has started."""
    way = WAYS[job.way]
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="plaintree-bench-"))
        session = stack.enter_context(way.session(Path(scratch)))
        way.fit(session, Path(job.warm_up), job.depth, Phases())
        gc.collect()
        clock = family_cpu if way.has_workers else time.process_time
        phases = Phases(clock)
        wall, cpu = time.perf_counter(), clock()
        found = way.fit(session, Path(job.directory), job.depth, phases)
        cpu = clock() - cpu
        wall = time.perf_counter() - wall
        workers = peak_of_children()
    return {
        "cpu": cpu,
        "wall": wall,
        "peak": peak_bytes(),
        "peak_of_workers": workers,
        "tree": found,
        "passes": phases.passes,
        "phases": phases.as_dict(),
    }


if __name__ == "__main__":
    print(json.dumps(measured_fit(ScaleJob(**json.loads(sys.argv[1])))))
