"""Conditions as plain data, such as ``{"column": "humidity", "cut": 77.5}``, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isnan
from typing import Any

from plaintree.data.schema import Feature, Label, Schema
from plaintree.errors import ArgumentTypeError, ParameterError, nearest

from .condition import Condition, Equals, Grouped, Multiway, Subset, Threshold

INFINITE = {"infinity": inf, "-infinity": -inf}
"""Thresholds that JSON cannot hold, as strings."""
FORMS = ("cut", "is", "in", "groups")
SHAPES = (
    '{"column": name} with "cut": number, "is": category, "in": [categories], '
    '"groups": [[categories], ...] or nothing else'
)


def condition_to_data(schema: Schema, condition: Condition) -> dict[str, Any]:
    """Return a condition as a dictionary that JSON can hold.

    Parameters
    ----------
    schema : Schema
        The schema of the tree.
    condition : Condition
        The condition of a node.

    Returns
    -------
    dict
        ``column`` is the name of the feature. A second entry has the rest: ``cut`` the threshold,
        ``is`` a category, ``in`` a list of categories, ``groups`` a list of categories for each
        branch. There is no second entry if each category has a branch. Thresholds of dates are
        microseconds since 1970, those of ordered categories lie between two positions.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import condition_to_data
    >>> X, y = pt.datasets.load_golf()
    >>> tree = pt.CARTClassifier().fit(X, y).tree_
    >>> condition_to_data(tree.schema, tree.condition(0))
    {'column': 'outlook', 'in': ['overcast']}
    """
    feature = schema.features[condition.feature]
    data: dict[str, Any] = {"column": feature.name}
    labels = feature.categories
    match condition:
        case Threshold(_, threshold):
            shown = next((text for text, number in INFINITE.items() if number == threshold), None)
            data["cut"] = threshold if shown is None else shown
        case Equals(_, category):
            data["is"] = labels[category]
        case Subset(_, categories):
            data["in"] = [labels[code] for code in categories]
        case Grouped():
            branches = range(condition.n_branches)
            data["groups"] = [[labels[c] for c in condition.categories_of(b)] for b in branches]
    return data


def condition_from_data(schema: Schema, data: Mapping[str, Any]) -> Condition:
    """Make the condition that a dictionary describes, the inverse of :func:`condition_to_data`.

    Nothing is guessed: unknown names, entries and values are errors, and so are conditions that
    cannot divide rows.

    Parameters
    ----------
    schema : Schema
        The schema of the tree that the condition is for.
    data : dict
        The condition, as :func:`condition_to_data` writes it.

    Returns
    -------
    Condition

    Raises
    ------
    ArgumentTypeError
        If ``data`` is not a dictionary.
    ParameterError
        If it does not describe a condition on a feature of the schema.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import condition_from_data
    >>> X, y = pt.datasets.load_golf()
    >>> schema = pt.CARTClassifier().fit(X, y).tree_.schema
    >>> condition_from_data(schema, {"column": "humidity", "cut": 77.5})
    Threshold(feature=2, threshold=77.5)
    >>> condition_from_data(schema, {"column": "humidty", "cut": 77.5})
    Traceback (most recent call last):
        ...
    plaintree.errors.ParameterError: the condition is on a column that the tree does not have. \
Got 'humidty'. Hint: did you mean 'humidity'?
    """
    if not isinstance(data, Mapping):
        raise ArgumentTypeError(
            "a condition must be a dictionary",
            got=f"an object of type {type(data).__name__}",
            hint=f"use {SHAPES}.",
        )
    position = _position(schema, data)
    form = _form(data)
    feature = schema.features[position]
    if (form == "cut") == feature.is_categorical:
        fit = '"is", "in", "groups" or nothing else' if feature.is_categorical else '"cut"'
        raise ParameterError(
            f"the condition does not fit column {feature.name!r}, which is {feature.kind}",
            got=repr(dict(data)),
            hint=f"use {fit}.",
        )
    if form == "cut":
        return Threshold(position, _threshold(feature, data["cut"]))
    return _of_categories(position, feature, form, data)


def _position(schema: Schema, data: Mapping[str, Any]) -> int:
    """The number of the column that data names."""
    if "column" not in data:
        raise ParameterError(
            'the condition has no "column"', got=repr(dict(data)), hint=f"use {SHAPES}."
        )
    name = data["column"]
    if not isinstance(name, str) or name not in schema.names:
        listed = ", ".join(map(repr, schema.names[:10]))
        raise ParameterError(
            "the condition is on a column that the tree does not have",
            got=repr(name),
            hint=nearest(name, schema.names) or f"the columns are {listed}.",
        )
    return schema.position(name)


def _form(data: Mapping[str, Any]) -> str:
    """The entry that has the rest of a condition; empty if there is none."""
    others = [key for key in data if key != "column"]
    unknown = [key for key in others if key not in FORMS]
    if unknown:
        raise ParameterError(
            "the condition has an unknown entry",
            got=repr(unknown[0]),
            hint=nearest(unknown[0], FORMS) or f"use {SHAPES}.",
        )
    if len(others) > 1:
        raise ParameterError(
            "the condition has entries that exclude each other",
            got=" and ".join(map(repr, others)),
            hint=f"use {SHAPES}.",
        )
    return others[0] if others else ""


def _threshold(feature: Feature, value: Any) -> float:
    """A threshold that divides rows."""
    number = INFINITE.get(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or isnan(number):
        raise ParameterError(
            f"the threshold of column {feature.name!r} is not a number",
            got=repr(value),
            hint="dates are microseconds since 1970, ordered categories positions.",
        )
    last = len(feature.categories) - 1
    if feature.kind == "ordered" and not 0 <= number < last:
        raise ParameterError(
            f"the threshold of column {feature.name!r} is outside its ordered categories",
            got=repr(value),
            hint=f"use a number from 0 to below {last}.",
        )
    return float(number)


def _of_categories(
    position: int, feature: Feature, form: str, data: Mapping[str, Any]
) -> Condition:
    if form == "":
        if not feature.categories:
            raise _divides_nothing(feature, "a column without categories")
        return Multiway(position, len(feature.categories))
    if form == "is":
        return Equals(position, _code(feature, data["is"]))
    if form == "in":
        codes = _codes(feature, data["in"])
        if not 0 < len(codes) < len(feature.categories):
            many = "all categories" if codes else "no categories"
            raise _divides_nothing(feature, many)
        return Subset(position, tuple(sorted(codes)))
    groups = _listed(feature, data["groups"])
    branches = [-1] * len(feature.categories)
    for branch, group in enumerate(groups):
        for code in _codes(feature, group):
            if branches[code] >= 0:
                raise ParameterError(
                    f"a category of column {feature.name!r} is in two groups",
                    got=repr(feature.categories[code]),
                    hint="put each category into one group.",
                )
            branches[code] = branch
    if not groups or any(branch not in branches for branch in range(len(groups))):
        raise _divides_nothing(feature, "an empty group" if groups else "no groups")
    return Grouped(position, tuple(branches))


def _divides_nothing(feature: Feature, got: str) -> ParameterError:
    return ParameterError(
        f"the condition on column {feature.name!r} does not divide its categories",
        got=got,
        hint="name some of the categories, but not all.",
    )


def _listed(feature: Feature, values: Any) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ParameterError(
            f"the categories of column {feature.name!r} must be a list",
            got=repr(values),
            hint='use "is" for one category.',
        )
    return list(values)


def _codes(feature: Feature, values: Any) -> list[int]:
    """The codes of a list of categories, each of which may occur once."""
    codes = [_code(feature, value) for value in _listed(feature, values)]
    twice = next((code for i, code in enumerate(codes) if code in codes[:i]), None)
    if twice is not None:
        raise ParameterError(
            f"a category of column {feature.name!r} is listed twice",
            got=repr(feature.categories[twice]),
            hint="list each category once.",
        )
    return codes


def _code(feature: Feature, value: Any) -> int:
    """The code of a category; 1 and 1.0 are the same, 1 and True or "1" are not."""
    for code, label in enumerate(feature.categories):
        if label == value and _sort(label) is _sort(value):
            return code
    listed = ", ".join(map(repr, feature.categories[:10]))
    alike = next((label for label in feature.categories if str(label) == str(value)), None)
    hint = None if alike is None else f"did you mean {alike!r}?"
    raise ParameterError(
        f"column {feature.name!r} does not have this category",
        got=repr(value),
        hint=hint or nearest(value, feature.categories) or f"the categories are {listed}.",
    )


def _sort(label: Label) -> type:
    """Numbers of either type are one sort of label, as JSON does not distinguish them."""
    return float if type(label) in (int, float) else type(label)
