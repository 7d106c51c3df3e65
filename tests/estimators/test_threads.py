"""n_jobs: what None, positive and negative numbers mean, for every estimator."""

from __future__ import annotations

import os
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.estimators import base
from plaintree.estimators.registry import LEARNERS
from plaintree.threads import default_jobs, thread_count
from tests.support.learner_tables import table_of

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def test_none_is_one_thread() -> None:
    assert thread_count(None) == 1


def test_none_follows_the_context_of_joblib() -> None:
    with joblib.parallel_config(n_jobs=3):
        assert thread_count(None) == 3
    with joblib.parallel_config("threading", n_jobs=-1):
        assert thread_count(None) == CORES
    assert thread_count(None) == 1


def test_joblib_workers_use_one_thread_each() -> None:
    inside = joblib.Parallel(n_jobs=2)(joblib.delayed(thread_count)(None) for _ in range(2))
    assert inside == [1, 1]


def test_a_program_may_choose_what_none_means() -> None:
    with default_jobs(-1):
        assert thread_count(None) == CORES
        assert thread_count(2) == 2
    assert thread_count(None) == 1


@pytest.mark.parametrize(
    ("n_jobs", "expected"),
    [(1, 1), (3, 3), (np.int32(2), 2), (10**9, 1024), (-1, CORES), (-CORES, 1), (-(10**6), 1)],
)
def test_numbers(n_jobs: Any, expected: int) -> None:
    assert thread_count(n_jobs) == expected


@pytest.mark.parametrize("n_jobs", [0, True, 1.0, "all", np.float64(2)])
def test_other_values_are_refused(n_jobs: Any) -> None:
    with pytest.raises(ParameterError, match="n_jobs is not a number of threads"):
        thread_count(n_jobs)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_estimator_resolves_it_here(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(base, "thread_count", lambda n: asked.append(n) or thread_count(n))
    X, y = table_of(LEARNERS[name])
    model = clone(getattr(pt, name)()).fit(X, y)
    assert model.get_params()["n_jobs"] is None
    assert asked == [None]
