"""Names in model files that differ from those of today's classes.

The format keeps the names of its first version, so that old files and old programs go on: a node
has an "attribute". Parameters are written by the names of the day; those of earlier versions are
translated when a file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

NAMES = {"feature": "attribute"}
"""The name in a file of each field of a tree that has another one."""
FIELDS = {name: field for field, name in NAMES.items()}

PARAMETERS = {"prune": "pruning", "prune_options": "pruning_options", "base": "estimator"}
"""Parameters of estimators by the names they had in version 0.1.0."""
VALUES: Mapping[str, Mapping[Any, Any]] = {
    "voting": {"majority": "hard", "probability": "soft"},
}
"""Values of parameters by what they were called."""
FIGURES = {"tree_weights_": "estimator_weights_", "tree_errors_": "estimator_errors_"}
"""Fitted attributes by the names they had in version 0.1.0."""
OF_TREES = frozenset(
    {
        "categorical",
        "categorical_features",
        "class_weight",
        "conventions",
        "criterion",
        "max_bins",
        "max_depth",
        "min_samples_branch",
        "min_samples_split",
        "min_score",
        "missing",
        "unseen",
        "zero_gain",
    }
)
"""Parameters that bagged trees had for their trees, which now are those of ``estimator``."""


def name_of(field: str) -> str:
    """The name in a file of a field of a tree."""
    return NAMES.get(field, field)


def field_of(name: str) -> str:
    """The field of a tree that has this name in a file."""
    return FIELDS.get(name, name)


def translated(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a model of any version by the names and values of today."""
    found = {}
    for name, value in parameters.items():
        renamed = PARAMETERS.get(name, name)
        known = VALUES.get(renamed, {})
        found[renamed] = known.get(value, value) if isinstance(value, str) else value
    if model == "BoostedTreesClassifier" and isinstance(found.get("estimator"), str):
        found["estimator"] = _named_base(found["estimator"])
    if model == "BaggedTreesClassifier" and "criterion" in found:
        return _with_estimator(found)
    return found


def _named_base(name: str) -> dict[str, Any]:
    """The estimator that boosting once knew as "tree" or "stump"."""
    kinds = {"tree": ("C45Classifier", {}), "stump": ("CARTClassifier", {"max_depth": 1})}
    model, parameters = kinds.get(name, (name, {}))
    return {"learner": {"model": model, "parameters": parameters}}


def _with_estimator(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of bagged trees with those of the trees in an estimator of their own."""
    from plaintree.estimators.trees import DecisionTreeClassifier

    taken = {name: value for name, value in parameters.items() if name in OF_TREES}
    defaults = signature(DecisionTreeClassifier).parameters
    given = {k: v for k, v in taken.items() if k in defaults and v is not None}
    rest = {name: value for name, value in parameters.items() if name not in OF_TREES}
    learner = {"model": "DecisionTreeClassifier", "parameters": given}
    return rest | {"estimator": {"learner": learner}}
