"""The learners that may be chosen, with their parameters, and the estimator of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc, signature
from typing import Any, Literal

import msgspec

from plaintree.errors import ParameterError, nearest
from plaintree.estimators.registry import BY_TASK, LEARNERS, Learner, TaskName
from plaintree.pruning.methods import METHODS
from plaintree.pruning.names import BY_HAND, METHOD_NAMES
from plaintree.tree.conventions import KEPT
from plaintree.tree.profiles import PROFILES

from ...study.known import features_from
from ..messages.documents import Settings
from ..messages.tables import Choice, LearnerFacts

NAMES = ("id3", "c45", "cart", "tree", "forest", "bagged")
"""The learners that the studio offers."""
TREE_OF: dict[TaskName, str] = {
    "classification": "DecisionTreeClassifier",
    "regression": "DecisionTreeRegressor",
}
"""The estimator of the learner "tree", which has no short name of its own."""
TITLES = {
    "id3": "ID3",
    "c45": "C4.5",
    "cart": "CART",
    "tree": "Decision tree",
    "forest": "Random forest",
    "bagged": "Bagged trees",
}
LEFT_OUT = frozenset(
    {
        *("n_jobs", "verbose", "warm_start", "keep_targets", "oob_score", "estimator"),
        *("categorical_features", "pruning_options"),
    }
)
"""Parameters that do not change a tree, or that other parts of a document decide."""
AS_DATA = ("class_weight", "priors", "feature_costs", "monotonic_cst")
AS_LISTS = ("forbid", "first", "interaction_cst")
NOT_LISTED = frozenset({*AS_DATA, *AS_LISTS, "costs"})
"""Parameters that are taken as JSON, but that a form has no field for."""
LIMITS: Mapping[str, tuple[float | None, float | None]] = {
    "max_depth": (0, None),
    "max_leaf_nodes": (2, None),
    "min_samples_split": (2, None),
    "min_samples_leaf": (1, None),
    "min_samples_branch": (0, None),
    "min_weight_fraction_leaf": (0, 0.5),
    "min_impurity_decrease": (0, None),
    "significance": (0, 1),
    "numeric_branch_fraction": (0, None),
    "min_separation": (0, None),
    "tie_tolerance": (0, None),
    "max_bins": (2, 65536),
    "exhaustive_categories": (2, 20),
    "ccp_alpha": (0, None),
    "confidence": (0, 1),
    "decision_threshold": (0, 1),
    "max_surrogates": (0, None),
    "use_surrogate": (0, 2),
    "surrogate_style": (0, 1),
    "n_estimators": (1, 10_000),
    "random_state": (0, 2**31 - 1),
}
"""The range of numbers; an estimator refuses others when it is fitted."""
_ENTRY = re.compile(r"^(\w+) : (.*), default=.*$")


@cache
def learner_facts() -> tuple[LearnerFacts, ...]:
    """The learners of both tasks, in the order in which they are offered.

    >>> [facts.short for facts in learner_facts() if facts.task == "regression"]
    ['cart', 'tree', 'forest', 'bagged']
    """
    tasks: tuple[TaskName, ...] = ("classification", "regression")
    known = ((task, name, _registered(name, task)) for task in tasks for name in NAMES)
    return tuple(_facts(task, name, found) for task, name, found in known if found is not None)


def _facts(task: TaskName, name: str, found: Learner) -> LearnerFacts:
    estimator = found.load()
    single = found.holds == "tree"
    return LearnerFacts(
        short=name,
        title=TITLES[name],
        summary=cleandoc(estimator.__doc__).splitlines()[0].replace(":class:", "").replace("`", ""),
        task=task,
        single=single,
        parameters=list(_choices(estimator)),
        pruning=_methods(task) if single else [],
    )


def _registered(name: str, task: TaskName) -> Learner | None:
    return LEARNERS[TREE_OF[task]] if name == "tree" else BY_TASK[task].get(name)


def _methods(task: TaskName) -> list[str]:
    """The methods by which trees of a task are pruned, without the one by hand."""
    return [
        name
        for name in METHOD_NAMES
        if name != BY_HAND and not (METHODS[name].of_classes and task == "regression")
    ]


# -------------------------------------------------------------------- parameters


def _choices(estimator: Any) -> Iterator[Choice]:
    described = _described(estimator)
    fresh = estimator()
    conventions = fresh._conventions() if hasattr(fresh, "_conventions") else None
    for name, parameter in signature(estimator).parameters.items():
        if name in LEFT_OUT or name in NOT_LISTED:
            continue
        kind, text = described[name]
        default = parameter.default
        if default == KEPT:
            default = getattr(conventions, name)
        yield _choice(name, kind, text, default)


def _described(estimator: Any) -> dict[str, tuple[str, str]]:
    """The types and descriptions of parameters, from the docstring of the estimator."""
    lines = cleandoc(estimator.__doc__).splitlines()
    found: dict[str, tuple[str, str]] = {}
    name = ""
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            name = entry[1]
            found[name] = (entry[2].removesuffix(f' or "{KEPT}"'), "")
        elif name and line.startswith("    "):
            kind, text = found[name]
            found[name] = (kind, f"{text} {line.strip()}".strip())
        else:
            name = ""
    return found


def _choice(name: str, kind: str, text: str, default: Any) -> Choice:
    optional = kind.endswith("or None") and name != "random_state"
    choices = re.findall(r'"([^"]+)"', kind) if kind.startswith("{") else []
    if name == "conventions":
        choices = [profile.name for profile in PROFILES]
    least, most = LIMITS.get(name, (None, None))
    return Choice(
        name=name,
        type=_type_of(name, kind, bool(choices)),
        default=str(default) if name == "max_features" and default is not None else default,
        help=text.replace("``", "").replace(":class:", "").replace(":func:", "").replace("`", ""),
        choices=choices,
        optional=optional,
        least=least,
        most=most,
    )


def _type_of(
    name: str, kind: str, is_choice: bool
) -> Literal["integer", "number", "boolean", "choice", "text"]:
    if name == "max_features":
        return "text"
    if is_choice:
        return "choice"
    if kind.startswith("bool"):
        return "boolean"
    if "float" in kind:
        return "number"
    return "integer" if kind.startswith(("int", "{0")) else "text"


# -------------------------------------------------------------------- estimators


def estimator_of(settings: Settings, task: TaskName) -> Any:
    """The learner of a document with its parameters, not fitted.

    >>> estimator_of(Settings(learner="cart", parameters={"max_depth": 2}), "regression")
    CARTRegressor(max_depth=2)
    """
    name = settings.learner.strip().lower().replace(".", "")
    found = _registered(name, task) if name in NAMES else None
    if found is None:
        of_task = [facts.short for facts in learner_facts() if facts.task == task]
        raise ParameterError(
            f"there is no such learner for {task}",
            got=repr(settings.learner),
            hint=nearest(name, of_task) or f"use one of {', '.join(of_task)}.",
        )
    estimator = found.load()
    given = _read_parameters(estimator, settings.parameters)
    if found.holds == "forest":
        given["oob_score"] = _draws_rows(estimator, given)
    return estimator(**given)


def _draws_rows(estimator: Any, given: Mapping[str, Any]) -> bool:
    """Whether a forest leaves rows out of each tree, which then measure it."""
    default = signature(estimator).parameters["bootstrap"].default
    return bool(given.get("bootstrap", default))


def _read_parameters(estimator: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as the estimator takes them; unknown names are an error."""
    known = [name for name in signature(estimator).parameters if name not in LEFT_OUT]
    known += ["pruning_options"] if "pruning" in known else []
    read: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise ParameterError(
                "the learner has no such parameter",
                got=f"{name}={value!r}",
                hint=nearest(name, known) or f"its parameters are {', '.join(known)}.",
            )
        if name == "random_state" and (value is None or isinstance(value, bool)):
            raise ParameterError(
                "random_state must be an integer, so the same document gives the same tree",
                got=f"random_state={value!r}",
                hint="use 0, for example.",
            )
        read[name] = _value(name, value)
    return read


def _value(name: str, value: Any) -> Any:
    if name == "max_features" and isinstance(value, str):
        return features_from(value)
    if name == "costs" and isinstance(value, list):
        return {(actual, predicted): cost for actual, predicted, cost in value}
    if isinstance(value, float) and value.is_integer() and (name in _WHOLE or value > 1):
        return int(value)
    return value


_WHOLE = frozenset(
    {
        *("max_depth", "max_leaf_nodes", "n_estimators", "max_bins", "random_state"),
        *("exhaustive_categories", "max_surrogates", "use_surrogate", "surrogate_style"),
    }
)
"""Parameters that are integers, which JSON of some programs writes as 3.0."""


def settings_key(settings: Settings) -> bytes:
    """The settings as bytes that are equal for equal settings."""
    return msgspec.json.encode(settings, order="sorted")
