"""Schema of a table: names, kinds and categories of its columns, and the class labels.

A schema is made once, when a model is fitted, and frozen. Predicting, printing and exporting
need nothing but a tree and its schema. It goes to JSON and back without loss.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["numeric", "categorical", "ordered"]
Unit = Literal["number", "integer", "boolean", "text", "date", "datetime", "time", "duration"]
Label = str | int | float | bool

MISSING, UNSEEN = -1, -2
"""Codes of a categorical column that are not a category; routes of rows without a branch."""


@dataclass(frozen=True)
class Feature:
    """One column that a tree may split on.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"numeric", "categorical", "ordered"}
        Whether values are numbers, categories, or categories with an order.
    unit : str, default="number"
        How a value is printed: a numeric feature of unit "date" is stored as microseconds since
        1970 and printed as a date.
    categories : tuple of labels, default=()
        The categories in their order, if the kind is categorical or ordered; codes are positions.
    cuts : tuple of float, default=()
        The cut points of a numeric column that was discretised; the categories are the intervals
        between them, each with its upper end.
    zoned : bool or None, default=None
        Whether timestamps have a time zone; None if not known or not timestamps.
    n_values : int, default=0
        Number of distinct values or bins of a numeric column in training, 0 if not known. Only
        p-values of splits depend on it.

    Examples
    --------
    >>> from plaintree.data import Feature
    >>> Feature("outlook", "categorical", "text", ("sunny", "rain")).is_categorical
    True
    """

    name: str
    kind: Kind
    unit: Unit = "number"
    categories: tuple[Label, ...] = ()
    cuts: tuple[float, ...] = ()
    zoned: bool | None = None
    n_values: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _seal_lists(self, "categories", "cuts")

    @property
    def is_categorical(self) -> bool:
        """Whether its values are unordered codes rather than numbers."""
        return self.kind == "categorical"

    @property
    def without_values(self) -> Feature:
        """Return the feature without the values that training found in its column."""
        kind: Kind = "numeric" if self.cuts else self.kind
        return Feature(self.name, kind, self.unit, zoned=self.zoned)

    def missing(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark the rows of an encoded column without a value: NaN, or a code without a category.

        Categories not seen in training (UNSEEN) count as missing. ``Clause.matches`` of rules
        distinguishes the two.
        """
        known = codes >= 0 if self.is_categorical else ~np.isnan(codes)
        return np.logical_not(known)

    def is_missing(self, code: float) -> bool:
        """Whether one encoded value is missing; the same as :meth:`missing`, for one row."""
        return not code >= 0 if self.is_categorical else isnan(code)


@dataclass(frozen=True)
class Schema:
    """The columns of a table, and the classes that a model predicts, if it predicts classes.

    Parameters
    ----------
    features : tuple of Feature
        The features in column order.
    classes : tuple of labels
        The class labels in order; empty if the target is numeric.
    target : str, default="class"
        The name of the target column.

    Examples
    --------
    >>> from plaintree.data import Feature, Schema
    >>> Schema((Feature("humidity", "numeric"),), ("no", "yes"), "play").names
    ('humidity',)
    """

    features: tuple[Feature, ...]
    classes: tuple[Label, ...]
    target: str = "class"
    is_checked: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _seal_lists(self, "features", "classes")

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What the target asks for: "regression" if it is numeric."""
        return "classification" if self.classes else "regression"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.features, self.classes, self.target)

    @cached_property
    def _position(self) -> dict[str, int]:
        return {a.name: i for i, a in enumerate(self.features)}

    @cached_property
    def _shown(self) -> dict[bool, Schema]:
        """The schemas of ``words.shown_schema``, which is asked for at each condition."""
        return {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features in column order."""
        return tuple(a.name for a in self.features)

    @property
    def category_counts(self) -> list[int]:
        """Number of categories of each column; 0 for numbers."""
        # A categorical column without any value still has codes: it counts as one category.
        return [max(len(a.categories), 1) if a.is_categorical else 0 for a in self.features]

    @property
    def value_counts(self) -> list[int]:
        """Number of categories or distinct values of each column; 0 if not known."""
        counts = zip(self.category_counts, self.features, strict=True)
        return [n_categories or a.n_values for n_categories, a in counts]

    def with_value_counts(self, n_values: Sequence[int]) -> Schema:
        """The schema with the numbers of distinct values of its numeric columns."""
        counted = (
            a if a.is_categorical else replace(a, n_values=n)
            for a, n in zip(self.features, n_values, strict=True)
        )
        return replace(self, features=tuple(counted))

    def position(self, name: str) -> int:
        """Return the column number of a feature; KeyError if there is no such name."""
        return self._position[name]

    def with_values_of(self, used: Collection[int]) -> Schema:
        """Return the schema with categories and cut points of some columns only, as files have it.

        Values of the other columns are not needed to predict, and may be private.
        Their names and kinds stay; a column that was put into intervals is numeric again.
        """
        kept = (
            attribute if number in used else attribute.without_values
            for number, attribute in enumerate(self.features)
        )
        return replace(self, features=tuple(kept))

    def to_json(self) -> dict[str, Any]:
        """The schema as plain lists, strings and numbers."""
        return {
            "target": self.target,
            "classes": list(self.classes),
            "features": [
                {
                    "name": a.name,
                    "kind": a.kind,
                    "unit": a.unit,
                    "categories": list(a.categories),
                    "cuts": list(a.cuts),
                    **({} if a.zoned is None else {"zoned": a.zoned}),
                    "n_values": a.n_values,
                }
                for a in self.features
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Schema:
        """The inverse of :meth:`to_json`."""
        return cls(
            features=tuple(
                Feature(
                    a["name"],
                    a["kind"],
                    a["unit"],
                    tuple(a["categories"]),
                    tuple(a["cuts"]),
                    a.get("zoned"),
                    a.get("n_values", 0),
                )
                for a in data["features"]
            ),
            classes=tuple(data["classes"]),
            target=data["target"],
        )


def _seal_lists(frozen: object, *names: str) -> None:
    """Convert a frozen object's lists to tuples, which cannot change after validation."""
    for name in names:
        value = getattr(frozen, name)
        if isinstance(value, list):
            object.__setattr__(frozen, name, tuple(value))
