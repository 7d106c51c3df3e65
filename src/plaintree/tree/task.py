"""Refusal of numeric targets by what reads classes: one error, the same everywhere."""

from __future__ import annotations

from typing import Any

from plaintree.data.schema import Schema
from plaintree.errors import ParameterError, PlaintreeError


def needs_classes(subject: Any, what: str, error: type[PlaintreeError] = ParameterError) -> None:
    """Raise an error unless a schema, a tree or an estimator (fitted or not) is of classes."""
    schema = subject if isinstance(subject, Schema) else getattr(subject, "schema", None)
    schema = getattr(subject, "schema_", schema)
    if isinstance(schema, Schema):
        target = None if schema.classes else f"the target {schema.target!r} is numeric"
    else:
        target = f"{type(subject).__name__} predicts numbers" if _is_regressor(subject) else None
    if target is not None:
        raise error(
            f"{what} needs classes, and {target}",
            got="a model of a numeric target",
            hint="use it with a classifier, such as CARTClassifier.",
        )


def _is_regressor(subject: object) -> bool:
    from sklearn.base import is_regressor

    return hasattr(subject, "__sklearn_tags__") and is_regressor(subject)
