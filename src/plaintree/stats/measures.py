"""Small measures for lessons: entropy, gains and ratios of counts or columns, and how many trees.

Counts are a list of numbers, a dictionary of them, or for two variables a table of them, with a
row per value of the attribute and a column per class. Columns are anything with one entry per row.
Sums are exact; only logarithms are rounded.

The examples are those of decision-tree courses.
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


def entropy(counts: Any = None, *, column: Any = None) -> float:
    """The entropy of class counts, or of a column of labels, in bits.

    A list of numbers is read as counts, anything else as labels; give a column whose labels are
    numbers as ``column``.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import entropy
    >>> round(entropy([9, 5]), 3)
    0.94
    >>> round(entropy({"m": 1, "n": 1, "y": 2, "f": 2}), 4)
    1.9183
    >>> round(entropy(pt.datasets.load_flu().y), 4)
    0.9852
    >>> entropy(column=[0, 1, 1, 0])
    1.0
    """
    return exact.entropy(_one_way(counts, column))


def gini(counts: Any = None, *, column: Any = None) -> float:
    """The Gini index of class counts, or of a column of labels.

    Examples
    --------
    >>> from plaintree.stats.measures import gini
    >>> gini([0, 6]), round(gini([1, 5]), 3), round(gini([2, 4]), 3)
    (0.0, 0.278, 0.444)
    >>> gini(["a", "a", "b", "b"])
    0.5
    """
    return float(exact.gini(_one_way(counts, column)))


def conditional_entropy(table_or_x: Any, y: Any = None) -> float:
    """What is left of the entropy of the classes when an attribute is known, H(Y | X), in bits.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import conditional_entropy
    >>> emails = pt.datasets.load_emails()
    >>> round(conditional_entropy(emails.X["price"], emails.y), 2)
    0.97
    >>> round(conditional_entropy([[4, 1], [2, 3]]), 3)
    0.846
    """
    return float(_measured("information_gain", table_or_x, y).after)


def information_gain(table_or_x: Any, y: Any = None) -> float:
    """How much an attribute says about the classes, H(Y) - H(Y | X), in bits.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import information_gain
    >>> X, y = pt.datasets.load_tennis()
    >>> [round(information_gain(X[name], y), 3) for name in ("Outlook", "Humidity", "Wind")]
    [0.247, 0.152, 0.048]
    >>> round(information_gain([[3, 4], [6, 1]]), 3)
    0.152
    """
    return float(_measured("information_gain", table_or_x, y).gain)


def gain_ratio(table_or_x: Any, y: Any = None, *, conditional: bool = False) -> float:
    """The information gain divided by the entropy of the attribute.

    With ``conditional=True`` it is divided by H(Y | X), as some courses define it; infinite if
    that is nothing. An attribute of one value has no gain and no entropy; its ratio is 0.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.stats.measures import gain_ratio
    >>> X, y = pt.datasets.load_flu()
    >>> [round(gain_ratio(X[name], y), 4) for name in X.columns]
    [0.4084, 0.5295, 0.0205]
    >>> gain_ratio([[2, 0], [0, 3]], conditional=True)
    inf
    """
    criterion = "gain_ratio_conditional" if conditional else "gain_ratio"
    score = float(_measured(criterion, table_or_x, y).score)
    return 0.0 if isnan(score) else score


def count_trees(d: int, size: int | None = None, classes: int = 2, *, values: int = 2) -> int:
    """How many decision trees there are over d attributes, each tested at most once on a path.

    Parameters
    ----------
    d
        The number of attributes.
    size
        Only trees with so many internal nodes; None counts those of every size.
    classes, values
        The number of class labels, and of values of each attribute.

    Examples
    --------
    >>> from plaintree.stats.measures import count_trees
    >>> [count_trees(d, 1) == 4 * d for d in range(5)]
    [True, True, True, True, True]
    >>> [count_trees(d, 2) == 16 * d * (d - 1) for d in range(5)]
    [True, True, True, True, True]
    >>> count_trees(5, 31) == count_trees(5, None) - sum(count_trees(5, size) for size in range(31))
    True
    """
    for name, number, least in (("d", d, 0), ("classes", classes, 1), ("values", values, 2)):
        _check_whole(name, number, least)
    if size is None:
        total = classes
        for left in range(1, d + 1):
            total = classes + left * total**values
        return total
    _check_whole("size", size, 0)
    # by_size[s] counts trees of size s over so many attributes; below a test there is one less.
    by_size = [classes] + [0] * size
    for left in range(1, d + 1):
        branches = [1] + [0] * size
        for _ in range(values):
            branches = _convolved(branches, by_size, size)
        by_size = [classes, *(left * ways for ways in branches[:size])]
    return by_size[size]


def _convolved(one: list[int], other: list[int], size: int) -> list[int]:
    """The number of pairs by the sum of their sizes, up to a size."""
    sums = [0] * (size + 1)
    for i, ways in enumerate(one):
        for j in range(size + 1 - i) if ways else ():
            sums[i + j] += ways * other[j]
    return sums


def _check_whole(name: str, number: Any, least: int) -> None:
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or number < least:
        raise ParameterError(
            f"{name} is out of range",
            got=f"{name}={number!r}",
            hint=f"use a whole number from {least}.",
        )


# -------------------------------------------------------------------- counts and columns


def _measured(criterion: Any, table_or_x: Any, y: Any) -> exact.Measures:
    rows = _two_way(table_or_x, y)
    scale = Scale.of(criterion, added(rows), 0)
    return measure(rows, scale)


def _one_way(counts: Any, column: Any) -> Counts:
    if (counts is None) == (column is None):
        raise ParameterError(
            "exactly one of counts and column must be given",
            got="both" if column is not None else "neither",
            hint="give counts such as [9, 5], or column=labels.",
        )
    if column is not None:
        return tuple(Counter(_entries(column)).values())
    if isinstance(counts, Mapping):
        return _checked(_weights(counts.values()))
    entries = _entries(counts)
    if all(isinstance(entry, Real) and not isinstance(entry, bool) for entry in entries):
        return _checked(_weights(entries))
    return tuple(Counter(entries).values())


def _two_way(table_or_x: Any, y: Any) -> list[Counts]:
    if y is None:
        if isinstance(table_or_x, Mapping):
            table_or_x = list(table_or_x.values())
        rows = [
            _weights(row.values() if isinstance(row, Mapping) else _entries(row))
            for row in _entries(table_or_x)
        ]
        if not rows or len({len(row) for row in rows}) != 1:
            raise TableError(
                "the counts are not a table with a row per value and a column per class",
                got=f"rows of {', '.join(str(len(row)) for row in rows) or 'nothing'}",
                hint="give [[3, 4], [6, 1]], say, or two columns x and y.",
            )
        _checked(added(rows))
        return rows
    x_entries, y_entries = _entries(table_or_x), _entries(y)
    if len(x_entries) != len(y_entries):
        raise TableError(
            "x and y are not equally long",
            got=f"{len(x_entries)} entries in x and {len(y_entries)} in y",
            hint="give one entry per row.",
        )
    pairs = Counter(zip(x_entries, y_entries, strict=True))
    labels = list(dict.fromkeys(y_entries))
    return [tuple(pairs[x, label] for label in labels) for x in dict.fromkeys(x_entries)]


def _entries(values: Any) -> list[Any]:
    """Any sequence or column as a list of plain Python objects."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ArgumentTypeError(
            "these are neither counts nor a column",
            got=f"an object of type {type(values).__name__}",
            hint="give a list, an array or a column of a table.",
        )
    to_list = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    entries = list(to_list() if to_list else values)
    if not entries:
        raise TableError("there is nothing to count", hint="give at least one entry.")
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in entries]


def _weights(numbers: Iterable[Any]) -> Counts:
    weights: list[Weight] = []
    for number in numbers:
        real = isinstance(number, Real) and not isinstance(number, bool)
        if not real or not 0 <= number < inf:
            raise TableError(
                "a count is not a number from 0 upwards", got=repr(number), hint="correct it."
            )
        whole = float(number).is_integer()
        weights.append(int(number) if whole else Fraction(repr(float(number))))
    return tuple(weights)


def _checked(weights: Counts) -> Counts:
    if not any(weights):
        raise TableError("all counts are zero", hint="give at least one count above zero.")
    return weights
