"""Validation of schemas: their columns and classes, whatever their source."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan
from typing import Any, get_args

import numpy as np

from plaintree.errors import TreeError

from .schema import Feature, Kind, Schema, Unit


def check_schema(schema: Schema) -> None:
    """Raise TreeError unless names, kinds, units, labels and cut points are valid.

    A schema that has passed is not checked again: many trees share one.
    """
    if schema.is_checked:
        return
    _check_text(schema.target, "the target's name")
    _check_labels(schema.classes, "the classes")
    if len(_types(schema.classes)) > 1:  # predictions are an array, which has one type
        raise TreeError("the classes mix labels of different types", got=_some(schema.classes))
    if not isinstance(schema.features, tuple):
        raise _not_in_tuple("the features", schema.features)
    for number, feature in enumerate(schema.features):
        if not isinstance(feature, Feature):
            raise _wrong_type(f"feature {number}", "a Feature", feature)
        _check_text(feature.name, f"the name of feature {number}")
        _check_feature(feature)
    _refuse_twice(schema.names, "the features' names")
    object.__setattr__(schema, "is_checked", True)


def _check_feature(feature: Feature) -> None:
    where = f"feature {feature.name!r}"
    _check_choice(f"the kind of {where}", feature.kind, get_args(Kind))
    _check_choice(f"the unit of {where}", feature.unit, get_args(Unit))
    _check_labels(feature.categories, f"the categories of {where}")
    if feature.kind == "numeric" and feature.categories:
        raise TreeError(f"{where} is numeric and has categories", got=_some(feature.categories))
    if feature.zoned is not None and not isinstance(feature.zoned, bool | np.bool_):
        raise _wrong_type(f"zoned of {where}", "a boolean", feature.zoned)
    n_values: Any = feature.n_values
    if not isinstance(n_values, int) or isinstance(n_values, bool) or not 0 <= n_values < 2**53:
        raise TreeError(f"n_values of {where} is not a number of values", got=_some(n_values))
    cuts = feature.cuts
    numbers = isinstance(cuts, tuple) and all(
        isinstance(cut, int | float | np.number) and not isinstance(cut, bool | complex)
        for cut in cuts
    )
    if not numbers or not all(low < high for low, high in pairwise(cuts)) or any(map(isnan, cuts)):
        raise TreeError(
            f"the cut points of {where} are not numbers in ascending order", got=_some(cuts)
        )
    fitting = feature.is_categorical and len(feature.categories) == len(cuts) + 1
    if cuts and not fitting:
        raise TreeError(
            f"the cut points of {where} are not the ends of its categories",
            got=f"{len(cuts)} cut points and {len(feature.categories)} categories",
        )


def _check_text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise _wrong_type(where, "a string", value)


def _check_choice(where: str, value: Any, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        hint = f"use one of {', '.join(choices)}."
        raise TreeError(f"{where} is unknown", got=_some(value), hint=hint)


def _check_labels(labels: Any, where: str) -> None:
    if not isinstance(labels, tuple):
        raise _not_in_tuple(where, labels)
    for label in labels:
        plain = label.item() if isinstance(label, np.generic) else label
        if not isinstance(plain, str | int | float) or plain != plain:  # noqa: PLR0124
            raise TreeError(
                f"{where} are not strings, numbers or booleans",
                got=f"{_some(label)} of type {type(label).__name__}",
            )
    _refuse_twice(labels, where)
    if len(_types(labels)) > 1:
        _refuse_twice(tuple(map(str, labels)), f"{where}, as strings,")  # 1 and "1"


def _types(labels: Sequence[Any]) -> set[str]:
    """Return the common type of labels: strings, booleans or numbers."""
    names = {str: "string", np.str_: "string", bool: "boolean", np.bool_: "boolean"}
    return {names.get(type(label), "number") for label in labels}


def _refuse_twice(values: Sequence[Any], where: str) -> None:
    if len(set(values)) < len(values):
        seen: set[Any] = set()
        twice = next(v for v in values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
        raise TreeError(f"{where} are not all different", got=f"{_some(twice)} twice")


def _wrong_type(where: str, wanted: str, value: Any) -> TreeError:
    return TreeError(f"{where} is not {wanted}", got=f"an object of type {type(value).__name__}")


def _not_in_tuple(where: str, value: Any) -> TreeError:
    got = f"an object of type {type(value).__name__}"
    return TreeError(f"{where} are not all in a tuple", got=got, hint="pass a tuple or a list.")


def _some(value: Any) -> str:
    """The beginning of a value, which may be long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
