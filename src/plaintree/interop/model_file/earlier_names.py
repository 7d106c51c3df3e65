"""Names in model files that differ from those of today's classes.

The format keeps the names of its first version, so old files stay readable: a node
has an "attribute". Parameters are written by the names of the day; those of earlier versions are
translated when a file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from inspect import signature
from math import ceil
from typing import Any

from plaintree.tree.conventions import KEPT, Conventions
from plaintree.tree.profiles import resolve_conventions

NAMES = {"feature": "attribute"}
"""The name in a file of each field of a tree that has another one."""
FIELDS = {name: field for field, name in NAMES.items()}

PARAMETERS = {
    "base": "estimator",
    "cut_choice": "threshold_choice",
    "least_gap": "min_separation",
    "numeric_branch_share": "numeric_branch_fraction",
    "prune": "pruning",
    "prune_options": "pruning_options",
    "tied_answer": "tied_label",
}
"""Parameters of estimators, and fields of conventions, by the names they had in version 0.1.0."""
VALUES: Mapping[str, Mapping[Any, Any]] = {
    "tied_label": {"label": "keep"},
    "voting": {"majority": "hard", "probability": "soft"},
}
"""Values of parameters by their earlier names."""
EARLIER_FIELDS = frozenset({"branch_rule", *PARAMETERS})
"""Fields of conventions that only version 0.1.0 had."""
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
        "min_samples_leaf",
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


def translated_conventions(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of conventions of any version by the names and values of today."""
    if "branch_rule" not in given:
        return dict(given)
    return _with_limits(_renamed(given), by_two=given["branch_rule"] == "two")


def _renamed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Names and values of today, each by itself."""
    found = {}
    for name, value in parameters.items():
        renamed = PARAMETERS.get(name, name)
        known = VALUES.get(renamed, {})
        found[renamed] = known.get(value, value) if isinstance(value, str) else value
    return found


def translated(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a model of any version by the names and values of today."""
    found = _renamed(parameters)
    if model == "C45Classifier" and found.get("min_samples_split", 2) is None:
        found["min_samples_split"] = 2
    if _has_one_minimum(model, found):
        found = _with_limits(found, by_two=_is_about_two(found))
        branch = found["min_samples_branch"]
        if branch is not None and model != "DecisionTreeClassifier":
            named = resolve_conventions(found["conventions"])
            found["conventions"] = replace(named, min_samples_branch=branch)
        if model != "DecisionTreeClassifier":
            del found["min_samples_branch"]
        if "conventions" in found:  # then None kept their value
            kept = {field.name for field in fields(Conventions)} & set(found)
            found |= {name: KEPT for name in kept if found[name] is None}
    if model == "BoostedTreesClassifier" and isinstance(found.get("estimator"), str):
        found["estimator"] = _named_base(found["estimator"])
    if model == "BaggedTreesClassifier" and "criterion" in found:
        return _with_estimator(found)
    return found


def _has_one_minimum(model: str, parameters: Mapping[str, Any]) -> bool:
    """Whether these are parameters of version 0.1.0, by which a branch had one minimum."""
    if model.startswith("DecisionTree"):  # they have this parameter today as well
        return "branch_rule" in parameters
    return "min_samples_branch" in parameters and not model.startswith("C45")


def _is_about_two(parameters: Mapping[str, Any]) -> bool:
    """Whether that minimum was about two branches, as in C4.5."""
    if parameters.get("branch_rule") is not None or parameters.get("conventions") is None:
        return parameters.get("branch_rule") == "two"
    return resolve_conventions(parameters["conventions"]).min_samples_branch is not None


def _with_limits(given: Mapping[str, Any], *, by_two: bool) -> dict[str, Any]:
    """Fields of version 0.1.0 with the minimum sizes of today.

    There was one minimum of branches, and a rule for whether two of them need it or every one. It
    was a weight, as that of nodes was, where rows are counted now.
    """
    found = {name: value for name, value in given.items() if name != "branch_rule"}
    branch, split = found.get("min_samples_branch"), found.get("min_samples_split")
    if not by_two:
        found["min_samples_leaf"] = None if branch is None else max(1, ceil(branch))
        found["min_samples_branch"] = None
    if split is not None:
        implied = by_two and split <= 2 * (2 if branch is None else branch)
        found["min_samples_split"] = 2 if implied else max(2, ceil(split))
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
    given = {k: v for k, v in taken.items() if k in defaults and v not in (None, KEPT)}
    rest = {name: value for name, value in parameters.items() if name not in OF_TREES}
    learner = {"model": "DecisionTreeClassifier", "parameters": given}
    return rest | {"estimator": {"learner": learner}}
