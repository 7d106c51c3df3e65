"""Entropy, gains and ratios of labels or counts, for classes; and the number of trees.

Labels are anything with one entry per row. Counts are given by keyword: a list or a dictionary of
numbers, or for two variables a table with a row per value of the feature and a column per class.
Sums are exact; only logarithms are rounded.

The examples are those of textbooks and lecture notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import inf, isnan
from numbers import Integral, Real
from typing import Any

import numpy as np

from plaintree.errors import ArgumentTypeError, ParameterError, TableError

from . import exact
from .exact import Counts, Scale, Weight, added, measure
from .sums import ClassWeights


def entropy(y: Any = None, *, counts: Any = None) -> float:
    """Compute the entropy of labels, or of class counts, in bits.

    Parameters
    ----------
    y : array-like, default=None
        One label per row.
    counts : list, dict or array of numbers, default=None
        The number of rows of each class, instead of ``y``.

    Returns
    -------
    float
        The entropy H(Y).

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import entropy
    >>> entropy([0, 1, 1, 0])
    1.0
    >>> round(entropy(pt.datasets.load_flu().y), 4)
    0.9852
    >>> round(entropy(counts=[9, 5]), 3)
    0.94
    >>> round(entropy(counts={"m": 1, "n": 1, "y": 2, "f": 2}), 4)
    1.9183
    """
    return exact.entropy(_one_way(y, counts))


def gini(y: Any = None, *, counts: Any = None) -> float:
    """Compute the Gini index of labels, or of class counts.

    Parameters
    ----------
    y : array-like, default=None
        One label per row.
    counts : list, dict or array of numbers, default=None
        The number of rows of each class, instead of ``y``.

    Returns
    -------
    float
        The probability that two rows drawn with replacement are of different classes.

    Examples
    --------
    >>> from plaintree.stats.measures import gini
    >>> gini(["a", "a", "b", "b"])
    0.5
    >>> gini(counts=[0, 6]), round(gini(counts=[1, 5]), 3), round(gini(counts=[2, 4]), 3)
    (0.0, 0.278, 0.444)
    """
    return float(exact.gini(_one_way(y, counts)))


def conditional_entropy(x: Any = None, y: Any = None, *, counts: Any = None) -> float:
    """Compute the entropy of the classes that is left when a feature is known, in bits.

    Parameters
    ----------
    x : array-like, default=None
        The value of the feature in each row.
    y : array-like, default=None
        The label of each row.
    counts : table of numbers, default=None
        The number of rows by value of the feature (rows) and class (columns), instead of both.

    Returns
    -------
    float
        The conditional entropy H(Y | X).

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import conditional_entropy
    >>> emails = pt.datasets.load_emails()
    >>> round(conditional_entropy(emails.X["price"], emails.y), 2)
    0.97
    >>> round(conditional_entropy(counts=[[4, 1], [2, 3]]), 3)
    0.846
    """
    return float(_measured("information_gain", x, y, counts).after)


def information_gain(x: Any = None, y: Any = None, *, counts: Any = None) -> float:
    """Compute the information gain of a feature, in bits.

    Parameters
    ----------
    x : array-like, default=None
        The value of the feature in each row.
    y : array-like, default=None
        The label of each row.
    counts : table of numbers, default=None
        The number of rows by value of the feature (rows) and class (columns), instead of both.

    Returns
    -------
    float
        H(Y) - H(Y | X).

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import information_gain
    >>> X, y = pt.datasets.load_tennis()
    >>> [round(information_gain(X[name], y), 3) for name in ("Outlook", "Humidity", "Wind")]
    [0.247, 0.152, 0.048]
    >>> round(information_gain(counts=[[3, 4], [6, 1]]), 3)
    0.152
    """
    return float(_measured("information_gain", x, y, counts).gain)


def gain_ratio(
    x: Any = None, y: Any = None, *, counts: Any = None, conditional: bool = False
) -> float:
    """Compute the gain ratio of a feature: its information gain over its entropy.

    Parameters
    ----------
    x : array-like, default=None
        The value of the feature in each row.
    y : array-like, default=None
        The label of each row.
    counts : table of numbers, default=None
        The number of rows by value of the feature (rows) and class (columns), instead of both.
    conditional : bool, default=False
        Whether the gain is divided by H(Y | X), as some lecture notes define it.

    Returns
    -------
    float
        The ratio; 0 for a feature of one value, and infinite if H(Y | X) is the divisor and 0.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import gain_ratio
    >>> X, y = pt.datasets.load_flu()
    >>> [round(gain_ratio(X[name], y), 4) for name in X.columns]
    [0.4084, 0.5295, 0.0205]
    >>> gain_ratio(counts=[[2, 0], [0, 3]], conditional=True)
    inf
    """
    criterion = "gain_ratio_conditional" if conditional else "gain_ratio"
    score = float(_measured(criterion, x, y, counts).score)
    return 0.0 if isnan(score) else score


def count_trees(
    n_features: int, size: int | None = None, n_classes: int = 2, *, n_values: int = 2
) -> int:
    """Count the decision trees that split on each feature at most once on a path.

    Parameters
    ----------
    n_features : int
        The number of features.
    size : int or None, default=None
        Only trees with this many internal nodes; None counts those of every size.
    n_classes : int, default=2
        The number of class labels.
    n_values : int, default=2
        The number of values of each feature.

    Returns
    -------
    int
        The number of trees.

    Examples
    --------
    >>> from plaintree.stats.measures import count_trees
    >>> [count_trees(n, 1) == 4 * n for n in range(5)]
    [True, True, True, True, True]
    >>> [count_trees(n, 2) == 16 * n * (n - 1) for n in range(5)]
    [True, True, True, True, True]
    >>> count_trees(5, 31) == count_trees(5, None) - sum(count_trees(5, size) for size in range(31))
    True
    """
    given = (("n_features", n_features, 0), ("n_classes", n_classes, 1), ("n_values", n_values, 2))
    for name, number, least in given:
        _check_integer(name, number, least)
    if size is None:
        total = n_classes
        for left in range(1, n_features + 1):
            total = n_classes + left * total**n_values
        return total
    _check_integer("size", size, 0)
    # by_size[s] counts trees of size s over so many features; below a split there is one less.
    by_size = [n_classes] + [0] * size
    for left in range(1, n_features + 1):
        branches = [1] + [0] * size
        for _ in range(n_values):
            branches = _convolved(branches, by_size, size)
        by_size = [n_classes, *(left * ways for ways in branches[:size])]
    return by_size[size]


def _convolved(one: list[int], other: list[int], size: int) -> list[int]:
    """The number of pairs by the sum of their sizes, up to a size."""
    sums = [0] * (size + 1)
    for i, ways in enumerate(one):
        for j in range(size + 1 - i) if ways else ():
            sums[i + j] += ways * other[j]
    return sums


def _check_integer(name: str, number: Any, least: int) -> None:
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or number < least:
        raise ParameterError(
            f"{name} is out of range",
            got=f"{name}={number!r}",
            hint=f"use an integer from {least} upwards.",
        )


# -------------------------------------------------------------------- counts and columns


def _measured(criterion: Any, x: Any, y: Any, counts: Any) -> exact.Measures:
    rows = _two_way(x, y, counts)
    scale = Scale.of(ClassWeights(criterion, len(rows[0])), added(rows), 0)
    return measure(rows, scale)


def _check_given(labels: str, *, given: bool, counts: Any) -> None:
    if given == (counts is not None):
        raise ParameterError(
            f"either {labels} or counts must be given",
            got="both" if given else "neither",
            hint=f"pass {labels}, one entry per row, or counts=[9, 5], say, by keyword.",
        )


def _one_way(y: Any, counts: Any) -> Counts:
    _check_given("labels", given=y is not None, counts=counts)
    if counts is None:
        return tuple(Counter(column_entries(y)).values())
    return _checked(_weights(_numbers(counts)))


def _numbers(counts: Any) -> list[Any]:
    return list(counts.values()) if isinstance(counts, Mapping) else column_entries(counts)


def _two_way(x: Any, y: Any, counts: Any) -> list[Counts]:
    _check_given("x and y", given=x is not None or y is not None, counts=counts)
    if counts is not None:
        rows = [_weights(_numbers(row)) for row in _numbers(counts)]
        if not rows or len({len(row) for row in rows}) != 1:
            raise TableError(
                "the counts are not a table with a row per value and a column per class",
                got=f"rows of {', '.join(str(len(row)) for row in rows) or 'nothing'}",
                hint="use counts=[[3, 4], [6, 1]], say.",
            )
        _checked(added(rows))
        return rows
    if x is None or y is None:
        raise ParameterError(
            "x and y are both needed", got=f"{'y' if x is None else 'x'} alone", hint="pass both."
        )
    x_entries, y_entries = paired_entries(x, y)
    pairs = Counter(zip(x_entries, y_entries, strict=True))
    labels = list(dict.fromkeys(y_entries))
    return [tuple(pairs[x, label] for label in labels) for x in dict.fromkeys(x_entries)]


def paired_entries(x: Any, y: Any) -> tuple[list[Any], list[Any]]:
    """Two columns of one length as lists of plain Python objects."""
    x_entries, y_entries = column_entries(x), column_entries(y)
    if len(x_entries) != len(y_entries):
        raise TableError(
            "x and y must have the same length",
            got=f"{len(x_entries)} entries in x and {len(y_entries)} in y",
            hint="pass one entry per row.",
        )
    return x_entries, y_entries


def column_entries(values: Any) -> list[Any]:
    """Any sequence or column as a list of plain Python objects."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentTypeError(
            "this is neither a column of labels nor a list of counts",
            got=f"an object of type {type(values).__name__}",
            hint="pass a list, an array or a column of a table; counts by keyword.",
        )
    to_list = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    entries = list(to_list() if to_list else values)
    if not entries:
        raise TableError("there is nothing to count", hint="pass at least one entry.")
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in entries]


def _weights(numbers: Iterable[Any]) -> Counts:
    weights: list[Weight] = []
    for number in numbers:
        real = isinstance(number, Real) and not isinstance(number, bool)
        if not real or not 0 <= number < inf:
            raise TableError(
                "counts must be numbers from 0 upwards", got=repr(number), hint="correct it."
            )
        whole = float(number).is_integer()
        weights.append(int(number) if whole else Fraction(repr(float(number))))
    return tuple(weights)


def _checked(weights: Counts) -> Counts:
    if not any(weights):
        raise TableError("all counts are zero", hint="pass at least one count above zero.")
    return weights
