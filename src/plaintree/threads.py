"""Number of threads that a call may use: one meaning of ``n_jobs`` for everything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral

from plaintree.errors import ParameterError

MOST_THREADS = 1024
"""More are never of use, and the core counts threads in an int."""

_DEFAULT = ContextVar("n_jobs", default=1)


def thread_count(n_jobs: int | None) -> int:
    """The number of threads for an estimator's ``n_jobs``, as joblib and scikit-learn define it.

    Parameters
    ----------
    n_jobs : int or None
        None is one thread, or the ``n_jobs`` of an enclosing ``joblib.parallel_config`` or
        :func:`default_jobs`. -1 is all cores, -2 all but one, and so on.

    Returns
    -------
    int
        From 1 to 1,024.

    Examples
    --------
    >>> thread_count(None), thread_count(3)
    (1, 3)
    """
    if n_jobs is None:
        n_jobs = _jobs_around()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ParameterError(
            "n_jobs is not a number of threads",
            got=f"n_jobs={n_jobs!r}",
            hint="use an integer from 1 upwards, -1 for all cores, or None for one thread.",
        )
    return max(1, _cores() + 1 + int(n_jobs)) if n_jobs < 0 else min(int(n_jobs), MOST_THREADS)


@contextmanager
def default_jobs(n_jobs: int) -> Iterator[None]:
    """Let ``n_jobs=None`` mean another number inside the ``with`` block.

    The command line uses all cores this way, without a word of it in the models that it saves.
    """
    before = _DEFAULT.set(n_jobs)
    try:
        yield
    finally:
        _DEFAULT.reset(before)


def _jobs_around() -> int:
    from joblib.parallel import get_active_backend

    _, wanted = get_active_backend()
    return _DEFAULT.get() if wanted is None else wanted


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
