"""Priors of the classes, costs of misclassification and costs of features, as conventions.

An estimator takes them as dictionaries. Conventions keep them as sorted pairs, which compare, hash
and are stored; for the classes of a schema they become arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, inf, isclose
from numbers import Real
from typing import TYPE_CHECKING, Any

from plaintree.errors import ParameterError, nearest

if TYPE_CHECKING:  # help of the command line reads conventions, and must not import numpy
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Pairs = tuple[tuple[Any, float], ...]


# -------------------------------------------------------------------- from dictionaries


def checked_priors(given: Any) -> Pairs | None:
    """Priors as pairs of class and probability, which sum to 1."""
    if given is None:
        return None
    pairs = _pairs("priors", given, "a class", least=0.0)
    total = fsum(value for _, value in pairs)
    zero = [label for label, value in pairs if value == 0]
    if zero or not isclose(total, 1.0, rel_tol=0.0, abs_tol=1e-9):
        fault = f"{zero[0]!r} has a prior of 0" if zero else f"they sum to {total:.10g}"
        raise ParameterError(
            "priors must be above 0 and sum to 1",
            got=f"priors={dict(pairs)!r}: {fault}",
            hint="divide each by their sum; leave out rows of a class that cannot occur.",
        )
    return pairs


def checked_costs(given: Any) -> Pairs | None:
    """Costs as pairs of (actual, predicted) and cost; pairs left out cost 1."""
    if given is None:
        return None
    pairs = _pairs("costs", given, "a pair of classes (actual, predicted)", least=0.0)
    for key, cost in pairs:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise ParameterError(
                "costs are given by pairs of classes: (actual, predicted)",
                got=f"the key {key!r}",
                hint='write costs={("sick", "healthy"): 5}.',
            )
        if key[0] == key[1] and cost != 0:
            raise ParameterError(
                "the cost of the right class must be 0",
                got=f"costs={{{key!r}: {cost:g}}}",
                hint="leave the pair out.",
            )
    return pairs


def checked_feature_costs(given: Any) -> Pairs | None:
    """Costs of features as pairs of name and cost; features left out cost 1."""
    return None if given is None else _pairs("feature_costs", given, "a feature", above=0.0)


def _pairs(name: str, given: Any, what: str, *, least: float = -inf, above: float = -inf) -> Pairs:
    """A dictionary, or pairs, with numbers for values, in a fixed order."""
    if not isinstance(given, Mapping) and not _are_pairs(given):
        raise ParameterError(
            f"{name} must be a dictionary: {what} -> number", got=f"{name}={given!r}"
        )
    items = given.items() if isinstance(given, Mapping) else given
    pairs = [(_plain(key), value) for key, value in items]
    for key, value in pairs:
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not (number and least <= value < inf and value > above):
            bound = f"from {least:g} upwards" if above == -inf else f"above {above:g}"
            raise ParameterError(
                f"{name} must be finite numbers {bound}", got=f"{value!r} for {key!r}"
            )
    floats = ((key, float(value)) for key, value in pairs)
    return tuple(sorted(floats, key=lambda pair: str(pair[0])))


def _are_pairs(given: Any) -> bool:
    return isinstance(given, tuple) and all(isinstance(p, tuple) and len(p) == 2 for p in given)


def _plain(label: Any) -> Any:
    """A label of numpy as Python has it; pairs of labels likewise."""
    if isinstance(label, tuple | list):
        return tuple(map(_plain, label))
    return label.item() if hasattr(label, "item") else label


# -------------------------------------------------------------------- for the classes of a schema


def prior_array(priors: Pairs, classes: Sequence[Any]) -> Floats:
    """The prior of every class; each class needs one."""
    import numpy as np

    places = [_place("priors", label, classes) for label, _ in priors]
    missing = [label for place, label in enumerate(classes) if place not in places]
    if missing:
        raise ParameterError(
            "priors must name every class of the table",
            got=f"priors={dict(priors)!r}, without {missing[0]!r}",
        )
    found = np.zeros(len(classes))
    found[places] = [value for _, value in priors]
    return found


def cost_matrix(costs: Pairs, classes: Sequence[Any]) -> Floats:
    """The costs, actual x predicted: 0 on the diagonal and 1 where nothing is given."""
    import numpy as np

    matrix = 1.0 - np.eye(len(classes))
    for pair, cost in costs:
        actual, predicted = (_place("costs", label, classes) for label in pair)
        matrix[actual, predicted] = cost
    for label, row in zip(classes, matrix, strict=True):
        if len(classes) > 1 and not row.any():
            raise ParameterError(
                "every class needs an error that costs something",
                got=f"costs of 0 for all errors on {label!r}",
                hint=f"give one of them a cost above 0, or leave out the rows of {label!r}.",
            )
    return matrix


def threshold_matrix(threshold: float, classes: Sequence[Any]) -> Floats:
    """The costs by which the second class is predicted above a probability."""
    import numpy as np

    if len(classes) != 2:
        raise ParameterError(
            "decision_threshold is for two classes",
            got=f"{len(classes)} classes",
            hint="use costs.",
        )
    return np.array([[0.0, threshold], [1.0 - threshold, 0.0]])


def feature_cost_list(costs: Pairs | None, names: Sequence[str]) -> list[float]:
    """The cost of every feature; empty if none has one."""
    if costs is None:
        return []
    found = [1.0] * len(names)
    for name, cost in costs:
        found[_place("feature_costs", name, names, "feature")] = cost
    return found


def _place(parameter: str, label: Any, known: Sequence[Any], what: str = "class") -> int:
    """The position of a class or a feature; command lines have strings for all labels."""
    if label in known:
        return known.index(label)
    words = [str(name) for name in known]
    if label in words:
        return words.index(label)
    listed = f"the names are {', '.join(map(repr, known[:10]))}."
    raise ParameterError(
        f"{parameter} names a {what} that the table does not have",
        got=repr(label),
        hint=nearest(label, known) or listed,
    )
