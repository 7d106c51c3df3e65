"""Numbers as a few intervals, chosen so that the classes fall apart (Fayyad and Irani 1993).

Steps, for one column:

1. Sort the values; neighbouring values whose rows are all of one and the same class form a *block*.
   The best cut never lies inside a block, so only the ends of blocks are looked at.
2. Of a stretch of blocks take the cut after which the classes' entropy is least, the lowest one on
   ties. Keep it if it pays: the bits it saves must exceed those that describing it takes (the
   principle of minimum description length, MDL).
3. Do the same with both parts, until no cut pays. Stretches wait on a stack; nothing recurses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .columns import Column
from .condition import format_value
from .encode import encode, interval_codes, learn_schema
from .errors import ColumnError, not_allowed
from .schema import Attribute, Schema
from .table import Table, remember_names, table_for, table_from
from .target import labels_from, weights_from

Stop = Literal["mdl", "pure"]
Numbers = NDArray[np.float64]

TIE = 1e-12
"""A cut must be better by more than this (bits per row) to win over a lower one: sums round."""


def cut_points(
    values: NDArray[Any],
    codes: NDArray[Any],
    weights: NDArray[Any] | None = None,
    n_classes: int | None = None,
    *,
    stop: Stop = "mdl",
) -> Numbers:
    """The ascending cuts of a numeric column (NaN is missing) with class codes; possibly none.

    The first interval holds the values up to the first cut, and so on. A cut is the midpoint of
    two neighbouring values. With ``stop="pure"`` a stretch is cut until it is of one class, or
    nothing is gained.

    Examples
    --------
    >>> import numpy as np
    >>> temperature = np.array([40, 48, 60, 72, 80, 90])
    >>> play = np.array([0, 0, 1, 1, 1, 0])
    >>> cut_points(temperature, play, stop="pure").tolist()
    [54.0, 85.0]
    >>> cut_points(temperature, play).tolist()  # six rows do not pay for a cut
    []
    """
    _check_stop(stop)
    numbers = np.asarray(values, dtype=np.float64)
    counted = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    known = ~np.isnan(numbers) & (counted > 0)
    if not known.any():
        return np.empty(0)
    width = int(np.max(codes[known])) + 1 if n_classes is None else n_classes
    first, last, totals = _blocks(numbers[known], codes[known], counted[known], width)
    ends = _chosen_ends(totals, stop)
    return _midpoints(last[ends], first[ends + 1])


def _check_stop(stop: Any) -> None:
    if stop not in get_args(Stop):
        raise not_allowed("stop", stop, get_args(Stop))


def _blocks(
    values: Numbers, codes: NDArray[Any], weights: Numbers, n_classes: int
) -> tuple[Numbers, Numbers, Numbers]:
    """The first and the last value of every block, and class weights summed up to its end."""
    order = np.lexsort((codes, values))
    values, codes, weights = values[order], codes[order], weights[order]
    # Runs are rows of equal value and class; a value of several classes has several runs.
    begins = np.flatnonzero(np.r_[True, (np.diff(codes) != 0) | (values[1:] != values[:-1])])
    run_value, run_class = values[begins], codes[begins]
    run_weight = np.add.reduceat(weights, begins)
    same_value = run_value[1:] == run_value[:-1]
    mixed = np.r_[False, same_value] | np.r_[same_value, False]
    same_class = (run_class[1:] == run_class[:-1]) & ~mixed[1:] & ~mixed[:-1]
    opens = np.r_[True, ~(same_value | same_class)]
    block = np.cumsum(opens) - 1
    totals = np.zeros((block[-1] + 1, n_classes))
    np.add.at(totals, (block, run_class), run_weight)
    closes = np.r_[opens[1:], True]
    return run_value[opens], run_value[closes], np.cumsum(totals, axis=0)


def _chosen_ends(totals: Numbers, stop: Stop) -> NDArray[np.int64]:
    """The blocks behind which a cut is made, in order."""
    chosen: list[int] = []
    waiting = [(0, len(totals))]
    while waiting:
        begin, end = waiting.pop()
        cut = _best_cut(totals, begin, end, stop)
        if cut is not None:
            chosen.append(cut)
            waiting += [(begin, cut + 1), (cut + 1, end)]
    return np.array(sorted(chosen), dtype=np.int64)


def _best_cut(totals: Numbers, begin: int, end: int, stop: Stop) -> int | None:
    """The block of a stretch behind which to cut, or None if no cut is worth it."""
    if end - begin < 2:
        return None
    before = totals[begin - 1] if begin else np.zeros(totals.shape[1])
    whole = totals[end - 1] - before
    low = totals[begin : end - 1] - before
    high = whole - low
    weight, bits = whole.sum(), float(_bits(whole))
    left = _bits(low) + _bits(high)
    best = int(np.argmax(left <= left.min() + TIE * weight))
    saved = bits - float(left[best])
    if stop == "pure":
        return begin + best if saved > TIE * weight else None
    parts = (whole, low[best], high[best])
    shown = [float(_bits(part)) / part.sum() * np.count_nonzero(part) for part in parts]
    n_classes = np.count_nonzero(whole)
    partitions = n_classes * np.log2(3) + np.log1p(-2 * 3.0**-n_classes) / np.log(2)  # 3^k - 2
    described = partitions - (shown[0] - shown[1] - shown[2])
    cost = np.log2(max(weight - 1, 1.0)) + described
    return begin + best if saved > cost + TIE * weight else None


def _bits(class_weights: Numbers) -> Numbers:
    """Weight times class entropy, along the last axis."""
    parts = np.maximum(class_weights, 0.0)  # differences of sums can fall below zero by rounding
    whole = _n_log_n(parts.sum(axis=-1))
    bits: Numbers = whole - _n_log_n(parts).sum(axis=-1)
    return bits


def _n_log_n(counts: Numbers) -> Numbers:
    logs: Numbers = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    return counts * logs


def _midpoints(low: Numbers, high: Numbers) -> Numbers:
    """The midpoints, or the lower value where rounding would reach the higher one."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)


# -------------------------------------------------------------------- the transformer


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turns numeric columns into ordered intervals that tell the classes apart.

    The intervals of a column are found by :func:`cut_points`, one column at a time. Columns of
    categories are left as they are, and what is missing stays missing. Frames come back as frames
    with ordered categories such as ``"(2.45, 4.75]"`` (pandas: Categorical, polars: Enum), nameless
    arrays with the intervals' numbers from 0 as floats.

    Parameters
    ----------
    stop
        "mdl" cuts while a cut pays (Fayyad and Irani 1993), "pure" until an interval is of one
        class.
    categorical_features
        Names of numeric columns that hold categories, and are left as they are.

    Attributes
    ----------
    cut_points_
        The cuts of every numeric column, by name.
    intervals_
        The labels of its intervals, by name.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.discretize import MDLDiscretizer
    >>> frame = {"size": [1, 2, 3, 4, 11, 12, 13, None], "colour": list("rgbrgbrg")}
    >>> y = ["small"] * 4 + ["large"] * 4
    >>> discretizer = MDLDiscretizer().fit(frame, y)
    >>> discretizer.intervals_
    {'size': ('(-inf, 7.5]', '(7.5, inf)')}
    >>> discretizer.transform(frame)["size"].to_list()[3:]
    ['(-inf, 7.5]', '(7.5, inf)', '(7.5, inf)', '(7.5, inf)', None]
    """

    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        *,
        stop: Stop = "mdl",
        categorical_features: Literal["from_dtype"] | Sequence[str] = "from_dtype",
    ) -> None:
        self.stop = stop
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts of every numeric column, given one class label per row."""
        _check_stop(self.stop)  # also where there is nothing to cut
        table = table_from(X)
        codes, labels = labels_from(y, table.n_rows)
        weights = weights_from(sample_weight, table.n_rows)
        self.schema_, columns = learn_schema(
            table, categorical_features=self.categorical_features, classes=labels
        )
        self.cut_points_ = {
            attribute.name: cut_points(column, codes, weights, len(labels), stop=self.stop)
            for attribute, column in zip(self.schema_.attributes, columns, strict=True)
            if attribute.kind == "numeric"
        }
        self.intervals_ = {
            name: interval_labels(self.schema_.attributes[self.schema_.position(name)], cuts)
            for name, cuts in self.cut_points_.items()
        }
        self.n_features_in_ = len(table.columns)
        remember_names(self, table)
        return self

    def transform(self, X: Any) -> Any:
        """The table with the interval of every number in its place."""
        check_is_fitted(self)
        table = table_for(self, X)
        encoded = dict(zip(self.schema_.names, encode(table, self.schema_), strict=True))
        places = {
            name: Places(
                interval_codes(encoded[name], cuts).astype(np.int64), self.intervals_[name]
            )
            for name, cuts in self.cut_points_.items()
        }
        return _rebuilt(X, table, self.schema_.names, places)

    def inverse_transform(self, X: Any) -> Any:
        """The numbers of intervals replaced by their labels, as text; None where missing."""
        check_is_fitted(self)
        table = table_from(X)
        columns = dict(zip(self.schema_.names, table.columns, strict=True))
        places = {
            name: Places(_places_in(columns[name], labels), labels, as_text=True)
            for name, labels in self.intervals_.items()
        }
        return _rebuilt(X, table, self.schema_.names, places)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def interval_labels(attribute: Attribute, cuts: ArrayLike) -> tuple[str, ...]:
    """The intervals between cuts in words, such as ``(-inf, 2.45]`` and ``(2.45, inf)``."""
    numbers = np.asarray(cuts, dtype=np.float64).tolist()
    ends = [format_value(attribute, number) for number in numbers]
    if len(set(ends)) < len(ends):  # six digits do not tell them apart
        ends = [repr(number) for number in numbers]
    lows, highs = ["-inf", *ends], [f"{end}]" for end in ends] + ["inf)"]
    return tuple(f"({low}, {high}" for low, high in zip(lows, highs, strict=True))


def in_intervals(
    schema: Schema, columns: Sequence[NDArray[Any]], codes: NDArray[Any], weights: Any = None
) -> tuple[Schema, list[NDArray[Any]]]:
    """A schema and encoded columns in which every numeric attribute is put into its intervals.

    A column in which no cut pays is left as one interval, which no test can split.
    """
    attributes, encoded = [], []
    for attribute, values in zip(schema.attributes, columns, strict=True):
        if attribute.kind != "numeric":
            attributes.append(attribute)
            encoded.append(values)
            continue
        # Without a cut, everything lies below infinity.
        cuts = cut_points(values, codes, weights, len(schema.classes)).tolist() or [np.inf]
        labels = interval_labels(attribute, cuts)
        attributes.append(
            replace(attribute, kind="categorical", categories=labels, cuts=tuple(cuts))
        )
        encoded.append(interval_codes(values, cuts))
    return replace(schema, attributes=tuple(attributes)), encoded


def _places_in(column: Column, labels: tuple[str, ...]) -> NDArray[np.int64]:
    """The intervals that a transformed column names, by number or by label; -1 where missing."""
    missing = column.values < 0 if column.kind == "categorical" else np.isnan(column.values)
    numbers = np.where(missing, -1, column.values)
    if column.labels:
        positions = {label: number for number, label in enumerate(labels)}
        known = np.array([positions.get(str(label), -2) for label in column.labels] + [-1])
        numbers = known[numbers.astype(np.int64)]
    wrong = np.flatnonzero(~missing & ~np.isin(numbers, np.arange(len(labels))))
    if wrong.size:
        raise ColumnError(
            f"column {column.name!r} holds something else than its intervals",
            got=f"the first in row {wrong[0]}",
            hint="give a table that transform returned.",
        )
    return numbers.astype(np.int64)


# -------------------------------------------------------------------- tables of the caller's make


@dataclass(frozen=True)
class Places:
    """A column to be: the number of each row's label, -1 where it is missing."""

    numbers: NDArray[np.int64]
    labels: tuple[str, ...]
    as_text: bool = False

    @property
    def texts(self) -> NDArray[np.object_]:
        """The labels themselves, None where missing."""
        return np.array([*self.labels, None], dtype=object)[self.numbers]


def _rebuilt(X: Any, table: Table, names: Sequence[str], places: Mapping[str, Places]) -> Any:
    """The caller's table in the order of the names, some columns replaced."""
    import narwhals as nw

    X = nw.to_native(X, pass_through=True)
    at = [table.names.index(n) if n in table.names else i for i, n in enumerate(names)]
    if nw.dependencies.is_pandas_dataframe(X):
        return _rebuilt_pandas(X.iloc[:, at].copy(), names, places)
    if table.generated_names:
        return _rebuilt_array(X, names, places)
    if nw.dependencies.is_pyarrow_table(X):
        import polars as pl

        return _rebuilt_polars(pl.DataFrame(X), names, at, places).to_arrow()
    return _rebuilt_polars(_as_polars(X), names, at, places)


def _rebuilt_pandas(frame: Any, names: Sequence[str], places: Mapping[str, Places]) -> Any:
    import pandas as pd

    for position, name in enumerate(names):
        if name in places:
            new = places[name]
            ordered = pd.Categorical.from_codes(new.numbers, pd.Index(new.labels), ordered=True)
            frame.isetitem(position, new.texts if new.as_text else ordered)
    return frame


def _as_polars(X: Any) -> Any:
    import narwhals as nw
    import polars as pl

    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X, eager_only=True).to_polars()
    return pl.DataFrame(X if isinstance(X, Mapping) else list(X), strict=False)


def _rebuilt_polars(
    frame: Any, names: Sequence[str], at: Sequence[int], places: Mapping[str, Places]
) -> Any:
    import polars as pl

    columns = [frame.get_columns()[position] for position in at]
    for position, name in enumerate(names):
        if name in places:
            new = places[name]
            dtype = pl.String if new.as_text else pl.Enum(new.labels)
            columns[position] = pl.Series(columns[position].name, new.texts.tolist(), dtype=dtype)
    return pl.DataFrame(columns)


def _rebuilt_array(X: Any, names: Sequence[str], places: Mapping[str, Places]) -> NDArray[Any]:
    numbers = [np.where(new.numbers < 0, np.nan, new.numbers) for new in places.values()]
    if len(places) == len(names) and not any(new.as_text for new in places.values()):
        return np.column_stack(numbers)
    columns = np.array(X, dtype=object)
    for (name, new), values in zip(places.items(), numbers, strict=True):
        columns[:, names.index(name)] = new.texts if new.as_text else values
    return columns
