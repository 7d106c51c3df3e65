"""Fitted attributes of ensembles except their trees: written, read and checked.

Values of single training rows (``oob_decision_function_``) are not stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .values import (
    as_any_number,
    as_flag,
    as_list,
    as_object,
    as_text,
    as_whole,
    float_array,
    refuse,
    written_number,
)


@dataclass(frozen=True)
class Size:
    """Numbers of trees and classes of a model."""

    n_trees: int
    n_classes: int


@dataclass(frozen=True)
class Codec:
    """Conversion of an attribute to plain values and back; ``needed`` to predict or not."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str, Size], Any]
    needed: bool = False


def _written_numbers(values: Any) -> list[Any]:
    return [written_number(value) for value in np.asarray(values, dtype=np.float64).tolist()]


def _one_per_tree(value: Any, where: str, size: Size) -> NDArray[np.float64]:
    numbers = float_array(as_list(value, where, size.n_trees), where)
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        refuse(where, "a list of finite numbers from 0 upwards", value)
    return numbers


def _votes(value: Any, where: str, size: Size) -> NDArray[np.float64]:
    numbers = _one_per_tree(value, where, size)
    if not (numbers > 0).all() or not numbers.sum() < math.inf:
        refuse(where, "a list of numbers above 0 with a finite sum", value)
    return numbers


def _error_curve(value: Any, where: str, size: Size) -> NDArray[np.float64]:
    return float_array(as_list(value, where, size.n_trees), where)


def _score(value: Any, where: str, size: Size) -> float:  # noqa: ARG001
    return as_any_number(value, where)


def _count(value: Any, where: str, size: Size) -> int:  # noqa: ARG001
    return as_whole(value, where)


def _written_sampling(sampling: Any) -> dict[str, Any]:
    written = {"how": sampling.how, "n_draws": int(sampling.n_draws), "seed": int(sampling.seed)}
    return written | {"by_block": True} if sampling.by_block else written


def _sampling(value: Any, where: str, size: Size) -> Any:  # noqa: ARG001
    from plaintree.tree.forest import Sampling

    data = as_object(value, where, ("how", "n_draws", "seed"), ("by_block",))
    how: Any = as_text(data["how"], where, ("all", "with_replacement", "without_replacement"))
    n_draws = as_whole(data["n_draws"], where, 0, 2**32 - 1)
    seed = as_whole(data["seed"], where, 0, 2**64 - 1)
    by_block = as_flag(data.get("by_block", False), where)  # as of today, which 0.1.0 did not
    return Sampling(how, n_draws, seed, by_block or how == "all")


def _written_tuning(tuning: Any) -> dict[str, Any]:
    tried = np.asarray(tuning.max_features).tolist()
    return {"max_features": tried, "error": _written_numbers(tuning.error)}


def _tuning(value: Any, where: str, size: Size) -> Any:  # noqa: ARG001
    from plaintree.estimators.tune import MaxFeaturesTuning

    data = as_object(value, where, ("max_features", "error"))
    tried = [as_whole(n, where) for n in as_list(data["max_features"], where)]
    if not tried:
        refuse(where, "a list of at least one number", value)
    errors = float_array(as_list(data["error"], where, len(tried)), where)
    return MaxFeaturesTuning(np.array(tried, dtype=np.int64), errors)


BOOSTED: Mapping[str, Codec] = {
    "estimator_weights_": Codec(_written_numbers, _votes, needed=True),
    "estimator_errors_": Codec(_written_numbers, _one_per_tree, needed=True),
}
BAGGED: Mapping[str, Codec] = {
    "_sampling_done": Codec(_written_sampling, _sampling, needed=True),
    "_n_rows_done": Codec(int, _count, needed=True),
    "oob_score_": Codec(lambda score: written_number(float(score)), _score),
    "oob_error_curve_": Codec(_written_numbers, _error_curve),
}
RANDOM_FOREST: Mapping[str, Codec] = {
    **BAGGED,
    "max_features_": Codec(int, _count),
    "tuning_": Codec(_written_tuning, _tuning),
}
