"""The target: class labels as codes, and the weights of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ManyClassesWarning, TableError, row_name
from plaintree.stats.exact_totals import exact_sum

from .column import NESTED, Column, reading, without_mask
from .frames import column_from
from .schema import Label, Schema
from .timestamps import TEMPORAL

FEW_CLASSES, ROWS_PER_CLASS = 50, 20
"""Numbers with more distinct values than this, in few rows each, may not be classes."""
LARGEST_WEIGHT = 1e15
"""Larger weights are scaled."""
VANISHING = 1e-60
"""A weight of which nothing is left in a sum with one that is larger by this factor."""


@dataclass(frozen=True, eq=False)
class Target:
    """A target as it was read: the code of each row's class, the classes in order, a name."""

    codes: NDArray[np.int32]
    classes: tuple[Label, ...]
    name: str | None = None

    @property
    def encoded(self) -> NDArray[np.int32]:
        """The codes, as the core takes them."""
        return self.codes

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The labels, as numpy and scikit-learn's measures read them."""
        return np.asarray(label_array(self.classes)[self.codes], dtype=dtype)

    def take(self, rows: NDArray[Any]) -> Target:
        """Some rows, by number or by mask; classes shrink to those left.

        >>> target_from(["yes", "no", "yes"], 3).take(np.array([0, 2])).classes
        ('yes',)
        """
        codes = self.codes[rows]
        left, codes = np.unique(codes, return_inverse=True)
        classes = tuple(self.classes[code] for code in left.tolist())
        return Target(codes.astype(np.int32), classes, self.name)


@dataclass(frozen=True, eq=False)
class NumericTarget:
    """A numeric target: the number of each row, and a name."""

    numbers: NDArray[np.float64]
    name: str | None = None

    @property
    def classes(self) -> tuple[Label, ...]:
        """No classes: the target is numeric."""
        return ()

    @property
    def encoded(self) -> NDArray[np.float64]:
        """The numbers, as the core takes them."""
        return self.numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The numbers, as numpy and scikit-learn's metrics read them."""
        return np.asarray(self.numbers, dtype=dtype)

    def take(self, rows: NDArray[Any]) -> NumericTarget:
        """Some rows, by number or by mask."""
        return NumericTarget(self.numbers[rows], self.name)


def numbers_from(y: Any, n_rows: int, name: str = "y") -> NumericTarget:
    """The numeric target of a regressor; every row must have a finite number.

    >>> numbers_from([1, 2.5], 2).numbers.tolist()
    [1.0, 2.5]
    """
    if isinstance(y, NumericTarget):
        _check_length(name, len(y), n_rows)
        return y
    if y is None:
        raise TableError(
            "fitting requires y to be passed, but the target y is None",
            hint="give one number per row.",
        )
    with reading(f"the target {name!r}"):
        column = y if isinstance(y, Column) else _target_column(y, name)
    _check_length(name, len(column.values), n_rows)
    if column.labels or column.mixed or column.unit in TEMPORAL:
        is_named = column.unit in (*TEMPORAL, "boolean")  # other labels are strings
        kind = column.unit if is_named else "text"
        raise TableError(
            f"the target {name!r} is not numeric, and a regressor predicts numbers",
            got=f"a {kind} column",
            hint="use a classifier, such as CARTClassifier, for classes.",
        )
    odd = np.flatnonzero(column.missing | ~np.isfinite(column.values))
    if odd.size:
        raise TableError(
            f"the target {name!r} has values that are missing or infinite (NaN or infinity)",
            got=f"{column.values[odd[0]]!s} in {row_name(odd[0])}{_and_others(odd[1:])}",
            hint="drop these rows or fill in their values.",
        )
    return NumericTarget(column.values.astype(np.float64), getattr(y, "name", None))


def core_target(target: NDArray[Any], schema: Schema) -> Any:
    """An encoded target as the core takes it: class codes, or numbers."""
    return np.ascontiguousarray(target, dtype=np.int32 if schema.classes else np.float64)


def target_from(y: Any, n_rows: int, name: str = "y") -> Target:
    """The target as codes and classes in sorted order; every row must have a label.

    Errors call it by ``name``. A Target is returned as it is.
    """
    if isinstance(y, Target):
        _check_length(name, len(y), n_rows)
        return y
    if y is None:
        raise TableError(
            "fitting requires y to be passed, but the target y is None",
            hint="pass one class label per row.",
        )
    with reading(f"the target {name!r}"):
        column = y if isinstance(y, Column) else _target_column(y, name)
    _refuse_mixed(column, name)
    _check_length(name, len(column.values), n_rows)
    missing = np.flatnonzero(column.missing)
    if missing.size:
        raise TableError(
            f"the target {name!r} has missing labels",
            got=f"no label in {row_name(missing[0])}{_and_others(missing[1:])}",
            hint="drop these rows or fill in their labels.",
        )
    if column.labels:
        return Target(*_label_classes(column), getattr(y, "name", None))
    _check_whole(column, name)
    classes, codes = np.unique(column.exact, return_inverse=True)
    label: type[int | float] = int if column.unit == "integer" else float
    labels = tuple(map(label, classes.tolist()))
    if len(labels) > FEW_CLASSES and n_rows < ROWS_PER_CLASS * len(labels):
        warnings.warn(many_classes(name, len(labels)), ManyClassesWarning, stacklevel=2)
    return Target(codes.astype(np.int32), labels, getattr(y, "name", None))


def labels_from(
    y: Any, n_rows: int, name: str = "y"
) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """The codes and the classes of a target.

    >>> labels_from(["yes", "no", "yes"], 3)
    (array([1, 0, 1], dtype=int32), ('no', 'yes'))
    """
    target = target_from(y, n_rows, name)
    return target.codes, target.classes


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Class labels as an array; integers stay what they are, where numpy would make them floats.

    >>> label_array((0, 2**63 + 1))
    array([                  0, 9223372036854775809], dtype=uint64)
    """
    array = np.array(labels)
    integers = [label for label in labels if isinstance(label, int)]
    if array.dtype.kind != "f" or len(integers) < len(labels):
        return array
    unsigned = min(integers) >= 0 and max(integers) < 2**64
    return np.array(integers, dtype=np.uint64 if unsigned else object)


def _target_column(y: Any, name: str) -> Column:
    import narwhals as nw

    y = nw.to_native(y, pass_through=True)
    if nw.dependencies.is_into_dataframe(y):
        frame = nw.from_native(y, eager_only=True)
        if len(frame.columns) != 1:
            raise _not_one_dimensional(name, f"a frame of {len(frame.columns)} columns")
        y = frame.get_column(frame.columns[0]).to_native()
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], NESTED):
        y = np.asarray(y)
    elif not isinstance(y, np.ndarray) and hasattr(y, "__array__") and not hasattr(y, "dtype"):
        y = y if type(y).__module__.startswith("pyarrow") else np.asarray(y)
    if isinstance(y, np.ndarray):
        y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
        if y.ndim != 1:
            raise _not_one_dimensional(name, f"an array of shape {y.shape}")
    return column_from(name, y)


def _not_one_dimensional(name: str, got: str) -> TableError:
    return TableError(
        f"the target {name!r}: y should be a 1d array, with one class or number per row",
        got=got,
        hint="a model predicts one target: fit one model for each.",
    )


def _check_length(name: str, length: int, n_rows: int) -> None:
    if length != n_rows:
        raise TableError(
            f"X and {name} are not equally long",
            got=f"{n_rows} rows in X and {length} in {name}",
            hint="pass one entry per row of X.",
        )


def _first_few(rows: NDArray[Any]) -> str:
    return ", ".join(map(row_name, rows[:5].tolist())) + (", ..." if rows.size > 5 else "")


def _and_others(rows: NDArray[Any]) -> str:
    """Further rows, the first few of them by name."""
    more = f" and {rows.size} more row{'s' * (rows.size > 1)} ({_first_few(rows)})"
    return more if rows.size else ""


def _refuse_mixed(column: Column, name: str) -> None:
    """Raise an error for labels of several types, which numpy would convert to one."""
    types = column.mixed or tuple(sorted({_type_of(label) for label in column.labels}))
    if len(types) > 1:
        raise TableError(
            f"the target {name!r} mixes labels of different types",
            got=f"labels of the types {', '.join(types)}",
            hint="pass labels of one type, for example with y.astype(str).",
        )


def _type_of(label: Label) -> str:
    return "str" if isinstance(label, str) else "bool" if isinstance(label, bool) else "number"


def many_classes(name: str, n_classes: int) -> str:
    """The warning about a target that seems to be a measurement."""
    return (
        f"the target {name!r} is numeric and has {n_classes:,} distinct values, and each becomes "
        "a class; if it is a measurement, use a regressor, such as CARTRegressor"
    )


def _check_whole(column: Column, name: str) -> None:
    if column.unit in TEMPORAL:
        raise TableError(
            f"Unknown label type: {column.unit}",
            got=f"a {column.unit} column as target {name!r}",
            hint="convert it to string labels first.",
        )
    if column.unit == "integer":
        return
    odd = np.flatnonzero(~np.isfinite(column.values) | (np.floor(column.values) != column.values))
    if odd.size:
        raise TableError(
            "Unknown label type: continuous. A classifier needs class labels, not measurements",
            got=f"{column.values[odd[0]]!s} in {row_name(odd[0])} of {name!r}",
            hint="use CARTRegressor for numbers, or make classes of them with numpy.digitize.",
        )


def _label_classes(column: Column) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """Codes among the labels that occur, sorted: numbers before text."""
    positions = column.values.astype(np.int64)
    found = np.flatnonzero(np.bincount(positions, minlength=len(column.labels)))
    order = sorted(found.tolist(), key=lambda i: _place(column.labels[i]))
    classes = tuple(column.labels[i] for i in order)
    for label in classes:
        if isinstance(label, str) and label.endswith("\0"):
            raise TableError(
                "a class ends with a NUL character, which numpy's arrays of text drop",
                got=repr(label),
                hint='take the "\\0" away from the labels, as with str.rstrip.',
            )
    rank = np.zeros(len(column.labels), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[positions], classes


def class_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Labels in the order of classes: sorted, numbers before text.

    >>> class_order({"b", 2, "a"})
    (2, 'a', 'b')
    """
    return tuple(sorted(labels, key=_place))


def _place(label: Label) -> tuple[bool, Any]:
    return isinstance(label, str), label


def weights_from(
    sample_weight: Any, n_rows: int, *, is_part: bool = False
) -> NDArray[np.float64] | None:
    """Return the weights of the rows as float64, or None without weights.

    Those of a part of the rows may all be zero.
    """
    if sample_weight is None:
        return None
    try:
        given = without_mask(sample_weight)
        if given.dtype.kind in "cmMSV":
            raise TypeError(f"{given.dtype} are not weights")
        with np.errstate(over="ignore"):
            weights = np.asarray(given, dtype=np.float64)
    except MemoryError:
        raise
    except Exception as error:  # whatever the caller's own objects raise
        raise TableError(
            "sample_weight has values that are not numbers",
            got=f"an object of type {type(sample_weight).__name__}",
            hint="pass one number per row, without missing values.",
        ) from error
    if weights.ndim != 1:
        raise TableError(
            "sample_weight must have one dimension",
            got=f"an array of shape {weights.shape}",
            hint="pass one weight per row.",
        )
    _check_length("sample_weight", len(weights), n_rows)
    for wrong, what in ((~np.isfinite(weights), "not finite"), (weights < 0, "negative")):
        rows = np.flatnonzero(wrong)
        if rows.size:
            raise TableError(
                f"sample_weight has entries that are {what}",
                got=f"{weights[rows[0]]!s} in {row_name(rows[0])}",
                hint="weights are finite numbers from 0 upwards.",
            )
    if not weights.any() and not is_part:
        raise TableError("every sample_weight is zero", hint="pass at least one weight above zero.")
    return weights


def comparable(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Scale weights so minimum numbers of rows can be compared with them.

    Weights that are all below one are fractions, as in boosting, and enormous ones would overflow:
    both are scaled to a mean of one. Others are not scaled: a row of weight 2 counts as two rows.
    A weight that is negligible compared with the maximum is 0.

    >>> comparable(np.array([0.25, 0.75]))
    array([0.5, 1.5])
    """
    if weights is None:
        return None
    most = weights.max()
    if (weights < VANISHING * most).any():
        weights = np.where(weights < VANISHING * most, 0.0, weights)
    if 1 <= most <= LARGEST_WEIGHT:
        return weights
    scale = mean_one_scale(float(most), exact_sum(weights), int(np.count_nonzero(weights)))
    return np.asarray(weights / most * scale)


def mean_one_scale(most: float, total: Fraction, n_rows: int) -> float:
    """What weights divided by the largest are multiplied with, so their mean is one.

    ``total`` is the exact sum of all, so it depends neither on the order of rows nor on parts;
    ``n_rows`` have a weight above zero.

    >>> mean_one_scale(0.75, Fraction(1), 2)
    1.5
    """
    return float(n_rows * Fraction(most) / total)
