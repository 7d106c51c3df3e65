"""How many threads a call may use."""

from __future__ import annotations

import os

import numpy as np

from plaintree.errors import ParameterError

MOST_THREADS = 1024
"""More are never of use, and the core counts threads in an int."""


def thread_count(n_jobs: int | None) -> int:
    """The number of threads for an estimator's ``n_jobs``.

    None means all cores, but one inside a joblib worker, whose siblings use the others; negative
    numbers count from all cores downwards, as in scikit-learn.
    """
    from joblib.parallel import get_active_backend

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = cores or 1
    if n_jobs is None:
        backend, _ = get_active_backend()
        return 1 if (getattr(backend, "nesting_level", 0) or 0) > 0 else cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ParameterError(
            "n_jobs is not a number of threads",
            got=f"n_jobs={n_jobs!r}",
            hint="use a number from 1 upwards, -1 for all cores, or None.",
        )
    return max(1, cores + 1 + int(n_jobs)) if n_jobs < 0 else min(int(n_jobs), MOST_THREADS)
