"""What the command line says about pruning, as parameters of the learners and of `prune`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import plaintree as pt

from ..checks import check_number
from ..errors import ParameterError, nearest
from ..pessimistic import check_confidence
from ..pruning.prune import METHODS
from .options import LEARNERS, PRUNING_METHODS, as_typed, check_known

ANY_METHOD = ("merge_leaves", "ties")
"""Options that every method has."""
HOLDING_OUT = {"reduced_error": ("validation_fraction",)}
"""Options of methods that hold rows out of the training table."""
NOT_HERE = ("learner", "progress")
"""Options that take objects and functions."""


def pruning_parameters(learner: str, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The learner's parameters from --prune, --prune-option and --confidence, where given."""
    options = named_values(given.get("prune_options") or ())
    if given.get("confidence") is not None:
        options["confidence"] = given["confidence"]
        with as_typed({"confidence": "--confidence"}):
            check_confidence(given["confidence"])
    named = given.get("prune")
    if named is None and not options:
        return {}
    if named is not None:
        check_known("method of pruning", f"--prune {named}", named, (*PRUNING_METHODS, "none"))
    own = signature(getattr(pt, LEARNERS[learner])).parameters["prune"].default
    method = own if named is None else named
    if method in (None, "none"):
        _refuse_options(options)
        return {"prune": None}
    if (learner, method) == ("c45", "error_based"):  # has the option as a parameter of its own
        check_options(method, options, ("confidence",))
        return {"prune": method, **options}
    check_options(method, options, (*options_of(method), *HOLDING_OUT.get(method, ())))
    return {"prune": method, "prune_options": completed(method, options, seed)}


def options_of(method: str) -> tuple[str, ...]:
    """The names of the options that a method has on the command line."""
    return (*(name for name in METHODS[method].options if name not in NOT_HERE), *ANY_METHOD)


def completed(method: str, options: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The options with what the command line decides: seeded chance, and a choice of alpha."""
    choice: dict[str, Any] = {}
    if method == "cost_complexity" and not {"alpha", "choice"} & set(options):
        choice["choice"] = "one_se"
    return {**options, **choice, "random_state": seed}


def named_values(texts: Iterable[str]) -> dict[str, Any]:
    """Texts NAME=VALUE as a dictionary; a value is a number or truth value of JSON, or text.

    >>> named_values(["max_depth=3", "choice=min", "merge_leaves=true"])
    {'max_depth': 3, 'choice': 'min', 'merge_leaves': True}
    """
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ParameterError(
                "an option of pruning is a name and a value",
                got=f"--prune-option {text}",
                hint="write --prune-option max_depth=3, for example.",
            )
        values[name] = _value(value)
    return values


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float) else text


def flags_of_texts(texts: Iterable[str]) -> dict[str, str]:
    """How the options in texts NAME=VALUE were typed, by their names; see ``as_typed``."""
    return {name: f"--prune-option {name}=" for name in named_values(texts)}


def check_options(method: str, options: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Unknown names are wrong use; so is what the methods themselves do not tell as well."""
    for name, value in options.items():
        if name not in known:
            near, listed = nearest(name, known), ", ".join(known)
            raise ParameterError(
                f"the method {method} has no option {name}",
                got=f"{name}={value}",
                hint=f"{near} It has {listed}." if near else f"it has {listed}.",
            )
    if method == "limits" and not set(options) - set(ANY_METHOD):
        raise ParameterError(
            "the method limits needs a limit",
            hint=f"give --prune-option max_depth=3, say; it has {', '.join(known)}.",
        )
    if {"alpha", "choice"} <= set(options):
        raise ParameterError(
            "alpha is either given or chosen",
            got=f"alpha={options['alpha']} and choice={options['choice']}",
            hint="leave out one of them.",
        )
    if not isinstance(options.get("merge_leaves", False), bool):
        raise ParameterError(
            "merge_leaves is either true or false", got=f"merge_leaves={options['merge_leaves']}"
        )
    if "validation_fraction" in options:
        check_number("validation_fraction", options["validation_fraction"], 0, 1, above=True)


def _refuse_options(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        raise ParameterError(
            "the tree is not pruned, so pruning has no options",
            got=f"{name}={value}",
            hint=f"choose a method with --prune: {', '.join(PRUNING_METHODS)}.",
        )
