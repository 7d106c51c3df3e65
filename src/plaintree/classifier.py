"""What all tree learners share: fit, predict and the fitted attributes of a scikit-learn estimator.

Fitting is the way of the data in a row: table, schema and codes, growing, pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .convention import (
    Conventions,
)
from .discretize import in_intervals
from .encode import encode, learn_schema
from .errors import TableError, not_allowed
from .grow import grow_tree
from .predict import answering_nodes, class_codes, class_shares, visited_nodes
from .pruning.prune import METHODS, MethodName, prune
from .pruning.rows import Rows
from .schema import Schema
from .table import Table, table_from
from .target import comparable, labels_from, weights_from
from .threads import thread_count
from .tree import Tree

CategoricalFeatures = Literal["from_dtype"] | Sequence[str]


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """What all learners share: fit, predict and the fitted attributes.

    Attributes of a fitted model: ``tree_`` (:class:`plaintree.Tree`), ``schema_``, ``classes_``,
    ``n_features_in_``, ``feature_names_in_`` (if the table had names), ``feature_importances_``.
    """

    _profile: ClassVar[Conventions]
    categorical_features: CategoricalFeatures
    n_jobs: int | None
    prune: MethodName | None = None
    prune_options: Mapping[str, Any] | None = None
    numeric: Literal["threshold", "intervals"] = "threshold"
    feature_names_in_: NDArray[np.object_]

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree on a table and one class label per row."""
        conventions = self._conventions()
        table = table_from(X)
        codes, labels = labels_from(_flat(y), table.n_rows)
        weights = comparable(weights_from(sample_weight, table.n_rows))
        schema, columns = learn_schema(
            table,
            categorical_features=self.categorical_features,
            target=str(getattr(y, "name", None) or "class"),
            classes=labels,
        )
        if conventions.missing == "error":
            _refuse_gaps(table)
        if self.numeric == "intervals":
            schema, columns = in_intervals(schema, columns, codes, weights)
        rows = Rows(columns, codes, weights)
        tree, held_out = self._grow_some(schema, rows, conventions)
        self.tree_ = self._pruned(tree, held_out or rows, (X, y, sample_weight))
        self.schema_ = schema
        self.classes_ = np.array(labels)
        self._remember_columns(table)
        return self

    def _grow(self, schema: Schema, rows: Rows, conventions: Conventions) -> Tree:
        threads = thread_count(self.n_jobs)
        return grow_tree(
            schema, rows.columns, rows.codes, rows.weights, conventions, n_threads=threads
        )

    def _grow_some(
        self, schema: Schema, rows: Rows, conventions: Conventions
    ) -> tuple[Tree, Rows | None]:
        """The tree, and the rows held out for pruning, if the method prunes with such rows."""
        if self.prune != "reduced_error":
            return self._grow(schema, rows, conventions), None
        options = self._options_of_pruning()
        training, held_out = rows.divided(
            options.get("validation_fraction", 0.3), options.get("random_state")
        )
        return self._grow(schema, training, conventions), held_out

    def _pruned(self, tree: Tree, rows: Rows, table: tuple[Any, Any, Any]) -> Tree:
        """The tree pruned by the learner's method, or as it was grown."""
        if self.prune is None:
            return tree
        options = self._options_of_pruning()
        options.pop("validation_fraction", None)
        grown = copy(self)  # this model itself is not fitted before all has gone well
        grown.tree_ = tree
        if self.prune in ("error_based", "reduced_error"):
            return prune(grown, self.prune, rows, **options)
        given = table if self.prune == "cost_complexity" and "choice" in options else ()
        return prune(grown, self.prune, *given, **options)

    def _options_of_pruning(self) -> dict[str, Any]:
        """What the method of pruning is told."""
        return dict(self.prune_options or {})

    def _conventions(self) -> Conventions:
        """The profile of the learner, changed by its parameters of the same names."""
        if self.numeric not in ("threshold", "intervals"):
            raise not_allowed("numeric", self.numeric, ("threshold", "intervals"))
        if self.prune is not None and self.prune not in METHODS:
            raise not_allowed("prune", self.prune, (None, *METHODS))
        parameters = self.get_params(deep=False)
        known = {f.name for f in fields(Conventions)}
        return replace(self._profile, **{k: v for k, v in parameters.items() if k in known})

    def _remember_columns(self, table: Table) -> None:
        self.n_features_in_ = len(table.columns)
        if table.generated_names:
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        else:
            self.feature_names_in_ = np.array(table.names, dtype=object)

    # ---------------------------------------------------------------- predicting

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the one with the greatest share, the first one on ties."""
        codes = class_codes(*self._encoded(X), n_threads=thread_count(self.n_jobs))
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class (in the order of ``classes_``) for each row."""
        return class_shares(*self._encoded(X), n_threads=thread_count(self.n_jobs))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The natural logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node that answers each row.

        A row whose missing values divide it over several leaves counts for the one with its
        largest share.
        """
        return answering_nodes(*self._encoded(X), n_threads=thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """The nodes each row goes through to :meth:`apply`, as a sparse matrix of 0 and 1."""
        return visited_nodes(self.tree_, self.apply(X))

    def _encoded(self, X: Any) -> tuple[Tree, list[NDArray[Any]]]:
        check_is_fitted(self)
        table = table_from(X)
        if len(table.columns) != self.n_features_in_ and table.generated_names:
            raise TableError(
                f"X has {len(table.columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        conventions = self.tree_.conventions
        unseen = conventions.unseen if conventions else "missing"
        if conventions and conventions.missing == "error":
            _refuse_gaps(table)
        return self.tree_, encode(table, self.schema_, unseen=unseen)

    # ---------------------------------------------------------------- reading

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much impurity each column's tests remove, as shares of the whole."""
        check_is_fitted(self)
        return self.tree_.importances()

    def get_depth(self) -> int:
        """The depth of the tree: edges on the longest path."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = getattr(self, "missing", self._profile.missing) != "error"
        return tags


def _flat(y: Any) -> Any:
    """The target as it is; a matrix of one column is flattened with scikit-learn's warning."""
    one_column = isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if one_column else y


def _refuse_gaps(table: Table) -> None:
    for column in table.columns:
        categorical = column.kind == "categorical"
        gaps = np.flatnonzero(column.values < 0 if categorical else np.isnan(column.values))
        if gaps.size:
            raise TableError(
                f"column {column.name!r} has missing values",
                got=f"{gaps.size} of them (NaN), the first in row {gaps[0]}",
                hint='fill them in, or choose another policy than missing="error".',
            )
