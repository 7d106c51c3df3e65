"""Options about pruning as parameters of the learners and of `prune`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any

from plaintree.checks import check_number
from plaintree.errors import ParameterError, nearest
from plaintree.estimators.registry import BY_TASK, TaskName
from plaintree.pruning.methods import METHODS
from plaintree.stats.expected_errors import check_confidence

from ..study.known import check_known
from .flags import as_typed
from .options import PRUNING_METHODS

ANY_METHOD = ("merge_leaves", "ties")
"""Options of every method."""
HOLDING_OUT = {"reduced_error": ("validation_fraction",)}
"""Options of methods that hold rows out of the training table."""
CHOOSING_ALPHA = ("alpha", "cp", "choice")
"""Options of cost-complexity pruning, one of which decides the alpha."""
NOT_HERE = ("learner", "progress")
"""Options that take objects and functions, which cannot be typed."""


def pruning_parameters(
    learner: str,
    given: Mapping[str, Any],
    random_state: int,
    task: TaskName = "classification",
) -> dict[str, Any]:
    """The learner's parameters from --pruning, --pruning-option and --confidence, where given."""
    texts = given.get("pruning_options") or ()
    options, flags = named_values(texts), flags_of_texts(texts)
    if given.get("confidence") is not None:
        options["confidence"], flags["confidence"] = given["confidence"], "--confidence"
    named = given.get("pruning")
    if named is None and not options:
        return {}
    if named is not None:
        check_known("pruning method", f"--pruning {named}", named, (*PRUNING_METHODS, "none"))
    own = signature(BY_TASK[task][learner].load()).parameters.get("pruning")
    if own is None:
        flag = "--pruning" if named is not None else next(iter(flags.values()))
        raise ParameterError(
            f"the learner {learner} has no pruning methods for a numeric target",
            got=flag if named is None else f"--pruning {named}",
            hint="use --ccp-alpha, or plaintree prune.",
        )
    default = own.default
    method = default if named is None else named
    with as_typed(flags):
        if "confidence" in options:
            check_confidence(options["confidence"])
        if method in (None, "none"):
            _refuse_options(options)
            return {"pruning": None}
        if (learner, method) == ("c45", "error_based"):  # a parameter of the learner itself
            check_options(method, options, ("confidence",))
            return {"pruning": method, **options}
        check_options(method, options, (*options_of(method), *HOLDING_OUT.get(method, ())))
        return {"pruning": method, "pruning_options": completed(method, options, random_state)}


def method_options(
    method: str, texts: Iterable[str], random_state: int, cp: float | None = None
) -> dict[str, Any]:
    """The options of --method from --pruning-option and --cp, checked."""
    check_known("pruning method", f"--method {method}", method, PRUNING_METHODS)
    options, flags = named_values(texts), flags_of_texts(texts)
    if cp is not None:
        options["cp"], flags["cp"] = cp, "--cp"
    known = tuple(name for name in options_of(method) if name != "folds")  # that is --cv
    with as_typed(flags):
        check_options(method, options, known)
    return completed(method, options, random_state)


def check_validation(method: str, file: str | None) -> None:
    """Raise an error if the method needs a validation set and there is none."""
    if method == "reduced_error" and file is None:
        raise ParameterError(
            "the method reduced_error needs rows that were not used in growing",
            got="no --validation",
            hint="add --validation FILE; plaintree grow --pruning reduced_error holds out rows of "
            "the table itself.",
        )


def options_of(method: str) -> tuple[str, ...]:
    """The names of the options that a method has on the command line."""
    return (*(name for name in METHODS[method].options if name not in NOT_HERE), *ANY_METHOD)


def completed(method: str, options: Mapping[str, Any], random_state: int) -> dict[str, Any]:
    """The options with the defaults of the command line: random state and choice of alpha."""
    choice: dict[str, Any] = {}
    if method == "cost_complexity" and not set(CHOOSING_ALPHA) & set(options):
        choice["choice"] = "one_se"
    return {**options, **choice, "random_state": random_state}


def named_values(texts: Iterable[str]) -> dict[str, Any]:
    """Strings NAME=VALUE as a dictionary; a value is a number, true, false, or a string.

    >>> named_values(["max_depth=3", "alpha=inf", "choice=min", "merge_leaves=true"])
    {'max_depth': 3, 'alpha': inf, 'choice': 'min', 'merge_leaves': True}
    """
    return {name: _value(value) for name, value, _ in map(_divided, texts)}


def flags_of_texts(texts: Iterable[str] | None) -> dict[str, str]:
    """The options in strings NAME=VALUE as typed, by their names; see ``as_typed``."""
    return {name: typed for name, _, typed in map(_divided, texts or ())}


def _divided(text: str) -> tuple[str, str, str]:
    """The name and the value, and the option as it was typed."""
    name, equals, value = text.partition("=")
    typed = f"--pruning-option {text}"
    if not (name and equals):
        raise ParameterError(
            "a pruning option needs a name and a value",
            got=typed,
            hint="write NAME=VALUE, such as --pruning-option max_depth=3.",
        )
    return name, value, typed


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def check_options(method: str, options: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raise an error for unknown names and for values that the methods do not check themselves."""
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
            hint=f"add --pruning-option max_depth=3, for example; it has {', '.join(known)}.",
        )
    choosing = [f"{name}={options[name]}" for name in CHOOSING_ALPHA if name in options]
    if len(choosing) > 1:
        raise ParameterError(
            "alpha is either given or chosen",
            got=f"--pruning-option {' and '.join(choosing)}",
            hint="leave out all but one of them.",
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
            "the learner does not prune, so there are no pruning options",
            got=f"{name}={value}",
            hint=f"choose a method with --pruning: {', '.join(PRUNING_METHODS)}.",
        )
