"""What scikit-learn asks of every estimator: its own checks, and how they must end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.estimator_checks import check_estimator

SKIPPED = frozenset({"check_array_api_input"})
"""Run only where SCIPY_ARRAY_API is set in the environment."""
OWN_FAULTS = {"check_positive_only_tag_during_fit": "Cannot cast ufunc 'subtract'"}
"""Checks of the oldest scikit-learn that fail by themselves, before they reach the estimator."""


def assert_contract(estimator: Any, expected: Mapping[str, str] | None = None) -> None:
    """Every check passes; those expected to fail do fail, and no other is skipped."""
    expected = expected or {}
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    names = {result["check_name"] for result in results}
    assert {"check_estimators_dtypes", "check_estimators_pickle"} <= names
    assert set(expected) <= names, "a check that is expected to fail is there no more"

    def right(name: str, status: str) -> bool:
        if name in SKIPPED:
            return status in ("passed", "skipped")
        return status == ("failed" if name in expected else "passed")

    wrong = {
        name: (result["status"], result["exception"])
        for result in results
        if not right(name := result["check_name"], result["status"])
        and not str(result["exception"]).startswith(OWN_FAULTS.get(name, "\0"))
    }
    assert not wrong, wrong
