"""Refusal of numeric targets by what reads classes, and the reverse: the same error everywhere."""

from __future__ import annotations

from typing import Any

from plaintree.data.schema import Schema
from plaintree.errors import ParameterError, PlaintreeError


def needs_classes(
    subject: Any,
    what: str,
    error: type[PlaintreeError] = ParameterError,
    hint: str = "use it with a classifier, such as CARTClassifier.",
) -> None:
    """Raise an error unless a schema, a tree or an estimator (fitted or not) is of classes."""
    schema = _schema_of(subject)
    if schema is not None:
        target = None if schema.classes else f"the target {schema.target!r} is numeric"
    else:
        target = f"{type(subject).__name__} predicts numbers" if _is_regressor(subject) else None
    if target is not None:
        raise error(
            f"{what} needs classes, and {target}",
            got="a model of a numeric target",
            hint=hint,
        )


def needs_numbers(subject: Any, what: str, hint: str) -> None:
    """Raise an error if a tree or an estimator (fitted or not) predicts classes."""
    from sklearn.base import is_classifier

    schema = _schema_of(subject)
    if schema is None:
        predicts = hasattr(subject, "__sklearn_tags__") and is_classifier(subject)
        target = f"{type(subject).__name__} predicts classes" if predicts else None
    else:
        target = f"the target {schema.target!r} has classes" if schema.classes else None
    if target is not None:
        raise ParameterError(
            f"{what} needs numbers, and {target}", got="a model of classes", hint=hint
        )


def _schema_of(subject: Any) -> Schema | None:
    schema = subject if isinstance(subject, Schema) else getattr(subject, "schema", None)
    schema = getattr(subject, "schema_", schema)
    return schema if isinstance(schema, Schema) else None


def _is_regressor(subject: object) -> bool:
    from sklearn.base import is_regressor

    return hasattr(subject, "__sklearn_tags__") and is_regressor(subject)
