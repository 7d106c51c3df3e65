"""A small table for each estimator of the registry: Golf, with classes or with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import plaintree as pt
from plaintree.estimators.registry import Learner


def table_of(learner: Learner) -> tuple[Any, Any]:
    """The features of Golf, and the classes or, for a regressor, numbers."""
    X, y = pt.datasets.load_golf()
    return X, y if learner.task == "classification" else np.arange(len(y)) % 5 + 0.5
