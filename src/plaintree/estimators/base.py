"""Base of all estimators: reading tables, fitted attributes, encoding of new rows.

An estimator reads its table once (:meth:`TableEstimator._read`), grows on the encoded rows and
keeps the schema, which encodes new tables in the same way.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from plaintree.data.batches import Batch
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.encode import encode, learn_schema
from plaintree.data.intervals import in_intervals
from plaintree.data.parts import located
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.table import Table, is_dataset, remember_names, table_for, table_from
from plaintree.data.target import (
    NumericTarget,
    Target,
    comparable,
    label_array,
    numbers_from,
    target_from,
    weights_from,
)
from plaintree.data.training_record import TrainingRecord, record_of
from plaintree.data.unseen import warn_of_unseen
from plaintree.errors import ArgumentTypeError, TableError, row_name
from plaintree.threads import thread_count
from plaintree.tree.conventions import KEPT, ClassCriterion, Conventions
from plaintree.tree.profiles import resolve_conventions

from .batches import accuracy_on, r2_on
from .class_weight import ForestClassWeight, check_class_weight, class_weighted

if TYPE_CHECKING:
    from plaintree.show.explain.explanation import Explanation

CriterionName = ClassCriterion | Literal["entropy", "log_loss"]
"""A criterion of classes, or what scikit-learn calls information gain."""
ENTROPY = ("entropy", "log_loss")
FRIEDMAN = "friedman_mse"
"""scikit-learn's former name of squared error."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A training table: its columns, its target, its schema and its encoded rows."""

    table: Table
    target: Target | NumericTarget
    schema: Schema
    rows: Rows


class TableEstimator(BaseEstimator):
    """An estimator that learns a schema in ``fit`` and encodes new tables by it in ``predict``."""

    _default_conventions: ClassVar[Conventions]
    conventions: str | Conventions | None = None
    categorical_features: CategoricalFeatures
    n_jobs: int | None
    numeric: Literal["threshold", "intervals"] = "threshold"
    random_state: Any = None
    schema_: Schema
    feature_names_in_: NDArray[np.object_]
    training_: TrainingRecord

    # ---------------------------------------------------------------- fitting

    def _conventions(self) -> Conventions:
        """The default conventions, or those that ``conventions`` names, changed by the parameters
        of the same names; those that are "conventions" change nothing.
        """
        named = self._default_conventions if self.conventions is None else self.conventions
        known = {f.name for f in fields(Conventions)}
        given = self.get_params(deep=False).items()
        chosen = {k: v for k, v in given if k in known and not _is_kept(v)}
        if isinstance(chosen.get("criterion"), str) and chosen["criterion"] in ENTROPY:
            chosen["criterion"] = "information_gain"
        if isinstance(chosen.get("criterion"), str) and chosen["criterion"] == FRIEDMAN:
            message = (
                f'criterion="{FRIEDMAN}" is deprecated; use "squared_error", which is the same.'
            )
            warnings.warn(message, FutureWarning, stacklevel=4)
            chosen["criterion"] = "squared_error"
        return replace(resolve_conventions(named), **chosen)

    def _read(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, conventions: Conventions
    ) -> TrainingData:
        table = table_from(X)
        target = self._target_of(_flat(y), table.n_rows)
        weights = comparable(weights_from(sample_weight, table.n_rows))
        schema, columns = learn_schema(
            table,
            categorical_features=self.categorical_features,
            target=str(target.name or ("class" if target.classes else "target")),
            classes=target.classes,
        )
        if conventions.missing == "error":
            _refuse_missing(table)
        if self.numeric == "intervals":
            schema, columns = in_intervals(schema, columns, target.encoded, weights)
        return TrainingData(table, target, schema, Rows(columns, target.encoded, weights, table))

    def _target_of(self, y: Any, n_rows: int) -> Target | NumericTarget:
        """The target as this estimator reads it."""
        raise NotImplementedError

    def _read_weighted(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, conventions: Conventions
    ) -> TrainingData:
        """The table, its rows weighted as the estimator weights them."""
        data = self._read(X, y, sample_weight, conventions)
        return replace(
            data, rows=replace(data.rows, weights=self._weighted(data.rows, data.schema))
        )

    def _weighted(self, rows: Rows, schema: Schema) -> NDArray[np.float64] | None:
        """The weights of the rows; a classifier multiplies them by those of their classes."""
        del schema
        return rows.weights

    def _uses_chance(self) -> bool:
        """Whether ``fit`` draws anything at random."""
        return False

    def _remember_schema(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema.features)

    def _remember(self, data: TrainingData) -> None:
        """Set the fitted attributes that describe the table; called when nothing can fail any more.

        Models of a part, such as a fold, are not kept, so they have no record of their rows.
        """
        self._remember_schema(data.schema)
        remember_names(self, data.table)
        self.__dict__.pop("training_", None)  # of a fit before
        if data.table.is_part:
            return
        rows, threads = data.rows, thread_count(self.n_jobs)
        self.training_ = record_of(
            data.schema, rows.columns, rows.target, rows.weights, n_threads=threads
        )

    def _remember_parts(self, schema: Schema, record: TrainingRecord) -> None:
        """The same, of a table in parts."""
        self._remember_schema(schema)
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        self.training_ = record

    # ---------------------------------------------------------------- predicting

    def _trained_conventions(self) -> Conventions | None:
        """How the fitted model treats missing and unseen values."""
        raise NotImplementedError

    def used_columns(self) -> frozenset[int]:
        """The positions of the features that the fitted model uses.

        ``predict`` accepts frames without the other columns. Arrays need all columns, because they
        have no names.

        Returns
        -------
        frozenset of int
            Positions in ``schema_.features``, counted from 0.
        """
        raise NotImplementedError

    def _columns_of(self, X: Any) -> list[NDArray[Any]]:
        """A new table, or a batch of one, encoded like the one of training."""
        check_is_fitted(self)
        batch = X if isinstance(X, Batch) else None
        conventions = self._trained_conventions()
        unseen = conventions.unseen if conventions else "missing"
        with nullcontext() if batch is None else located(batch.where, batch.rows):
            table = table_for(self, X if batch is None else batch.frame)
            if conventions and conventions.missing == "error":
                _refuse_missing(table)
            columns = encode(table, self.schema_, unseen=unseen, used=self.used_columns)
        if batch is None:
            warn_of_unseen(table, self.schema_, self.used_columns, stacklevel=5)
        else:
            batch.unseen.add(table, self.schema_, self.used_columns)
        return columns

    def _allows_missing(self) -> bool:
        return (getattr(self, "missing", None) or self._default_conventions.missing) != "error"

    # ---------------------------------------------------------------- reading

    @property
    def n_outputs_(self) -> int:
        """The number of targets: always 1."""
        check_is_fitted(self)
        return 1

    def explain(self, row: Any, **options: Any) -> Explanation:
        """Explain the prediction of one row.

        Parameters
        ----------
        row : table of one row, mapping or sequence
            The row, with the features of the training table.
        **options
            The other parameters of :func:`plaintree.explain`.

        Returns
        -------
        Explanation
            The decision path, the class probabilities and the counterfactual; ``print`` shows it.
        """
        from plaintree.show.explain.explain import explain

        check_is_fitted(self)
        return explain(self, row, **options)

    # ---------------------------------------------------------------- copies

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: trees and rules as the bytes of a model file, all else as it is."""
        from plaintree.interop.model_file import packed_state

        return packed_state(self, dict(super().__getstate__()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        from plaintree.interop.model_file import unpacked_state

        super().__setstate__(unpacked_state(state))

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)  # trees are shared: they never change
        return twin

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self._allows_missing()
        tags.non_deterministic = self.random_state is None and self._uses_chance()
        return tags


class TableClassifier(ClassifierMixin, TableEstimator):
    """An estimator that predicts classes."""

    class_weight: ForestClassWeight = None
    classes_: NDArray[Any]

    def _conventions(self) -> Conventions:
        conventions = super()._conventions()
        check_class_weight(self.class_weight, conventions)
        return conventions

    def _target_of(self, y: Any, n_rows: int) -> Target:
        return target_from(y, n_rows)

    def _weighted(self, rows: Rows, schema: Schema) -> NDArray[np.float64] | None:
        return comparable(class_weighted(rows, schema, self.class_weight))

    def _remember_schema(self, schema: Schema) -> None:
        super()._remember_schema(schema)
        self.classes_ = label_array(schema.classes)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities, in the order of ``classes_``."""
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the natural logarithms of class probabilities.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms of :meth:`predict_proba`; -inf for probabilities of 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Compute the accuracy.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table, or a dataset with its target.
        y : sequence of shape (n_rows,)
            The class label of each row. None for a dataset.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; None is 1 for all. None for a dataset.

        Returns
        -------
        float
            The fraction of rows, by weight, whose class is predicted.
        """
        if is_dataset(X):
            return accuracy_on(self, X, y, sample_weight)
        return float(super().score(X, y, sample_weight))


class TableRegressor(RegressorMixin, TableEstimator):
    """An estimator that predicts numbers."""

    def _target_of(self, y: Any, n_rows: int) -> NumericTarget:
        return numbers_from(y, n_rows)

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Compute R2, the coefficient of determination.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table, or a dataset with its target.
        y : sequence of shape (n_rows,)
            The number of each row. None for a dataset.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; None is 1 for all. None for a dataset.

        Returns
        -------
        float
            R2: at most 1, and 0 for the mean of the rows.
        """
        if is_dataset(X):
            return r2_on(self, X, y, sample_weight)
        return float(super().score(X, y, sample_weight))


def _is_kept(value: object) -> bool:
    return isinstance(value, str) and value == KEPT


def _flat(y: Any) -> Any:
    """The target as it is; a matrix of one column is flattened with scikit-learn's warning."""
    if hasattr(y, "nnz") and hasattr(y, "toarray"):
        raise ArgumentTypeError(
            "the target y is sparse, and sparse matrices are not supported",
            got=f"a sparse {type(y).__name__} of shape {y.shape}",
            hint="give one class label per row, as with .toarray().ravel().",
        )
    one_column = isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if one_column else y


def _refuse_missing(table: Table) -> None:
    for column in table.columns:
        missing = np.flatnonzero(column.missing)
        if missing.size:
            raise TableError(
                f"column {column.name!r} has missing values",
                got=f"{missing.size} of them (NaN), the first in {row_name(missing[0])}",
                hint='fill them in, or choose another policy than missing="error".',
            )
