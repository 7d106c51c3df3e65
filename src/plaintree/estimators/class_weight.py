"""Class weights: rows that count more or less by their class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.rows import Rows, class_positions
from plaintree.data.schema import Schema
from plaintree.errors import ParameterError, not_allowed
from plaintree.stats.exact_totals import exact_totals
from plaintree.tree.conventions import Conventions

Floats = NDArray[np.float64]
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None
BALANCED_SUBSAMPLE = "balanced_subsample"
ForestClassWeight = Literal["balanced_subsample"] | ClassWeight


def class_weighted(
    rows: Rows, schema: Schema, class_weight: ForestClassWeight, *, by_tree: bool = False
) -> Floats | None:
    """The weights of the rows times those of their classes; None where all are one.

    ``by_tree``: whether the classes may be balanced in the sample of each tree, which is left to
    :func:`balanced_in_sample`.
    """
    if class_weight is None or (by_tree and _is_word(class_weight, BALANCED_SUBSAMPLE)):
        return rows.weights
    check_class_weight_name(class_weight, *([BALANCED_SUBSAMPLE] if by_tree else []))
    weights: Floats = rows.known_weights * _by_class(rows, schema, class_weight)[rows.codes]
    if not weights.any():
        raise ParameterError(
            "class_weight leaves no row any weight",
            got=f"class_weight={class_weight!r}",
            hint="give a class of the table a weight above zero.",
        )
    return np.asarray(weights)


def check_class_weight_name(class_weight: ForestClassWeight, *more: str) -> None:
    """Refuse what is neither a mapping nor "balanced"; ``more`` are further words."""
    if not isinstance(class_weight, Mapping) and not _is_word(class_weight, "balanced"):
        words = (None, "balanced", *more, {"class": 2})
        raise not_allowed("class_weight", class_weight, words)


def check_class_weight(class_weight: ForestClassWeight, conventions: Conventions) -> None:
    """Refuse class weights with priors, which would cancel them."""
    if class_weight is not None and conventions.priors is not None:
        raise ParameterError(
            "class_weight has no effect where the classes have priors",
            got=f"class_weight={class_weight!r} and priors={dict(conventions.priors)!r}",
            hint="leave out one of them.",
        )


def balanced_in_sample(rows: Rows, times: NDArray[np.uint32]) -> Floats:
    """The weights of the rows, with equal counts of all classes among the rows that were drawn.

    ``times`` is how often each row with a weight was drawn. As in scikit-learn, draws count, not
    weights; classes that were not drawn keep their weight.
    """
    drawn = np.bincount(rows.codes[rows.known_weights > 0], weights=times)
    present = drawn > 0
    mean = drawn.sum() / np.count_nonzero(present)
    by_class = np.ones(int(rows.codes.max()) + 1)
    by_class[: len(drawn)][present] = mean / drawn[present]
    return np.asarray(rows.known_weights * by_class[rows.codes])


def _is_word(class_weight: Any, word: str) -> bool:
    return isinstance(class_weight, str) and class_weight == word


def balanced_factors(totals: Sequence[Fraction]) -> Floats:
    """The weight of each class by which all count the same; of its rows together, ``totals``."""
    mean = sum(totals, Fraction(0)) / len(totals)
    return np.array([float(mean / total) if total > 0 else 0.0 for total in totals])


def _by_class(rows: Rows, schema: Schema, class_weight: str | Mapping[Any, float]) -> Floats:
    """The weight of each class."""
    n_classes = len(schema.classes)
    if isinstance(class_weight, str):
        return balanced_factors(exact_totals(rows.codes, rows.weights, n_classes))
    return given_factors(schema, class_weight)


def given_factors(schema: Schema, class_weight: Mapping[Any, float]) -> Floats:
    """The weight of each class as given by label; 1 for the others."""
    n_classes = len(schema.classes)
    known = class_positions(schema, tuple(class_weight))
    # A part of a table may lack a class; but where a class has no weight, a name is misspelt.
    if (known < 0).any() and len(np.unique(known[known >= 0])) < n_classes:
        raise ParameterError(
            "class_weight names a class that the table does not have",
            got=repr(list(class_weight)[int(np.argmax(known < 0))]),
            hint=f"the classes are {', '.join(map(repr, schema.classes[:10]))}.",
        )
    weights = np.ones(n_classes)
    for position, (label, weight) in zip(known.tolist(), class_weight.items(), strict=True):
        checked = check_number(f"class_weight of {label!r}", weight, 0, 1e15)
        if position >= 0:
            weights[position] = checked
    return weights
