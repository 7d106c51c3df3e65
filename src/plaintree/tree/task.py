"""Refusal of numeric targets by what reads classes: one error, the same everywhere."""

from __future__ import annotations

from plaintree.data.schema import Schema
from plaintree.errors import ParameterError, PlaintreeError


def needs_classes(schema: Schema, what: str, error: type[PlaintreeError] = ParameterError) -> None:
    """Raise an error that names the numeric target, unless the schema has classes."""
    if not schema.classes:
        raise error(
            f"{what} needs classes, and the target {schema.target!r} is numeric",
            got="a model that predicts numbers",
            hint="use it with a classifier, such as CARTClassifier.",
        )
