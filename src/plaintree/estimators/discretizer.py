"""Discretiser: numeric features as a few intervals, by the cut points of stats/mdl_cuts.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.column import Column
from plaintree.data.encode import encode, interval_codes, learn_schema
from plaintree.data.intervals import interval_labels
from plaintree.data.table import Table, remember_names, table_for, table_from
from plaintree.data.target import labels_from, weights_from
from plaintree.errors import ColumnError, row_name
from plaintree.stats.mdl_cuts import Stop, _check_stop, cut_points

# -------------------------------------------------------------------- the transformer


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Discretise numeric features into ordered intervals that separate the classes.

    The intervals of a column are found by :func:`cut_points`, one column at a time. Categorical
    columns and missing values stay as they are. Frames are returned as frames
    with ordered categories such as ``"(2.45, 4.75]"`` (pandas: Categorical, polars: Enum), nameless
    arrays with the intervals' numbers from 0 as floats.

    Parameters
    ----------
    stop : {"mdl", "pure"}, default="mdl"
        When to stop: where another cut point does not shorten the description (Fayyad and Irani
        1993), or where every interval has rows of one class.
    categorical_features : "from_dtype", None, or sequence of str, int or bool, default="from_dtype"
        Numeric columns that hold categories and are left as they are: names, positions, or a mask
        with one boolean per column. Text, boolean and category columns always are.

    Attributes
    ----------
    cut_points_ : dict
        The cut points of each numeric column, by its name.
    intervals_ : dict
        The labels of the intervals of each numeric column, by its name.
    schema_ : Schema
        The features with their kinds and categories.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray
        The names of the features, if the table had names.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.estimators.discretizer import MDLDiscretizer
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
        categorical_features: CategoricalFeatures = "from_dtype",
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
            attribute.name: cut_points(column, codes, weights, stop=self.stop)
            for attribute, column in zip(self.schema_.features, columns, strict=True)
            if attribute.kind == "numeric"
        }
        self.intervals_ = {
            name: interval_labels(self.schema_.features[self.schema_.position(name)], cuts)
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


def _places_in(column: Column, labels: tuple[str, ...]) -> NDArray[np.int64]:
    """The intervals that a transformed column names, by number or by label; -1 where missing."""
    missing = column.missing
    numbers = np.where(missing, -1, column.values)
    if column.labels:
        positions = {label: number for number, label in enumerate(labels)}
        known = np.array([positions.get(str(label), -2) for label in column.labels] + [-1])
        numbers = known[numbers.astype(np.int64)]
    wrong = np.flatnonzero(~missing & ~np.isin(numbers, np.arange(len(labels))))
    if wrong.size:
        raise ColumnError(
            f"column {column.name!r} holds something else than its intervals",
            got=f"the first in {row_name(wrong[0])}",
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
