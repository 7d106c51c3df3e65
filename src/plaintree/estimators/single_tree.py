"""Base of the estimators of a single tree: fit, predict and the fitted tree.

``fit`` reads the table, learns the schema, encodes the rows, grows the tree and prunes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch, get_tags
from sklearn.utils.validation import check_is_fitted

from plaintree.checks import DEFAULT_SEED, check_choice, check_number, check_random_state
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.growing.counts import PartedTable
from plaintree.growing.from_counts import grow_tree_from, lacking
from plaintree.growing.one_tree import grow_tree
from plaintree.progress import Progress
from plaintree.pruning.cross_validation import (
    METHOD_OF_PARAMETER,
    default_of,
    regrow_by,
    unpruned_copy,
)
from plaintree.pruning.methods import METHODS, SHARED_OPTIONS, check_options, pruned
from plaintree.pruning.names import MethodName
from plaintree.pruning.path import path_of
from plaintree.pruning.task import Regrow, RowNumbers
from plaintree.threads import thread_count
from plaintree.tree.constraints import of_columns
from plaintree.tree.conventions import Conventions, Kept, Splitter
from plaintree.tree.predict import (
    class_codes,
    class_shares,
    predicted_numbers,
    predicting_nodes,
    visited_nodes,
)
from plaintree.tree.tree import Tree

from .base import TableClassifier, TableEstimator, TableRegressor, TrainingData
from .batches import in_batches
from .max_features import MaxFeatures, features_of, sampled_per_node
from .parts import FitOptions, PartedData, parted_table, reading_parts, refuse_in_memory

HELD_OUT = "validation_fraction"
"""The option of reduced-error pruning in ``fit`` that holds rows out."""


class TreeEstimator(TableEstimator):
    """An estimator that grows a single tree.

    Attributes of a fitted model: ``tree_`` (:class:`plaintree.Tree`), ``schema_``,
    ``n_features_in_``, ``feature_names_in_`` (if the table had names), ``feature_importances_``.
    """

    pruning: MethodName | None = None
    pruning_options: Mapping[str, Any] | None = None
    ccp_alpha: float = 0.0
    max_features: MaxFeatures = None
    splitter: Splitter | Kept = "best"
    random_state: Any = DEFAULT_SEED
    tree_: Tree
    max_features_: int

    # ---------------------------------------------------------------- fitting

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        progress: Progress | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Grow the tree, and prune it if ``pruning`` or ``ccp_alpha`` is set.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            A frame, an array, or a mapping or sequence of rows; or a dataset
            (:func:`plaintree.open_dataset`), whose rows are not all in memory at once.
        y : sequence of shape (n_rows,)
            The class label of each row, or its number. None for a dataset, which has its target.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row; None is 1 for all. None for a dataset.
        progress : callable, default=None
            Called after each pass over a dataset, see :mod:`plaintree.progress`.
        checkpoint : path, default=None
            A file that is written after each level of a tree grown on a dataset. If it exists,
            growing continues from it; it is removed when the tree is done.

        Returns
        -------
        self
            The fitted estimator.
        """
        conventions = self._conventions()
        table = parted_table(X)
        if table is not None:
            options = FitOptions.of(
                y, sample_weight, progress=progress, checkpoint=checkpoint, takes_rows=True
            )
            self._fit_parts(table, conventions, options)
        else:
            refuse_in_memory(checkpoint)
            data = self._read_weighted(X, y, sample_weight, conventions)
            self.tree_ = self._tree_of(data, conventions)
            self._remember(replace(data, schema=self.tree_.schema))
        self.max_features_ = features_of(self.max_features, self.n_features_in_)
        return self

    def _fit_parts(self, table: PartedTable, conventions: Conventions, options: FitOptions) -> None:
        """Grow the tree of a table in parts."""
        self._refuse_pruning_by_rows()
        numeric = isinstance(self, TableRegressor)
        with reading_parts(self, table, conventions, options, numeric_target=numeric) as data:
            tree = self._grown_from_parts(data, conventions)
            if self.ccp_alpha:
                tree = pruned_by_alpha(tree, self.ccp_alpha)
            if self.pruning is not None:
                tree = self._pruned_in_parts(data, tree, self.pruning)
            record = data.record
        self.tree_ = tree
        self._remember_parts(tree.schema, record)

    def _grown_from_parts(self, data: PartedData, conventions: Conventions) -> Tree:
        """The tree, from counts, or from all rows where counts are not enough."""
        lacks = lacking(conventions, data.schema, data.source.facts)
        if lacks:
            columns = range(len(data.schema.features))
            rows = data.all_rows(columns, lacks[0].parameter, f"{lacks[0].hint}.")
            weights = self._weighted(rows, data.schema)
            return self._grow(data.schema, replace(rows, weights=weights), conventions)
        conventions = of_columns(conventions, data.schema)
        chance = self._chance(data.schema, conventions)
        return grow_tree_from(data.source, data.rows, conventions, data.growing, **chance)

    def _pruned_in_parts(self, data: PartedData, tree: Tree, method: MethodName) -> Tree:
        """The pruned tree, with the rows that it was grown from if the method needs them."""
        options, rows = self._options_of_pruning(), None
        if METHODS[method].uses_rows(options):
            hint = (
                'use pruning=None, and then prune(model, ...) by "reduced_error" with a '
                'validation dataset, or by "pessimistic" or "mdl".'
            )
            rows = data.all_rows(tree.used_columns(), f"{method} pruning", hint)
            rows = replace(rows, weights=self._weighted(rows, data.schema))
        return pruned(tree, method, rows, None, options)

    def _refuse_pruning_by_rows(self) -> None:
        """Refuse pruning by other rows than those that the tree is grown from."""
        if self.pruning is None or self.pruning == "error_based":
            return
        options = self._options_of_pruning()
        if METHODS[self.pruning].uses_rows(options):
            raise ParameterError(
                f"{self.pruning} pruning holds rows out, and those of a table in parts are not "
                "in memory",
                got=f"pruning={self.pruning!r}",
                hint="use pruning=None, and prune(model, ...) with validation rows afterwards; "
                'or "cost_complexity" with alpha, "error_based", "pessimistic", or "mdl".',
            )

    def _tree_of(self, data: TrainingData, conventions: Conventions) -> Tree:
        """The tree of a table that has been read, grown and pruned."""
        training, held_out = self._divided(data.rows)
        tree = self._grow(data.schema, training, conventions)
        if self.ccp_alpha:
            tree = pruned_by_alpha(tree, self.ccp_alpha)
        if self.pruning is None:
            return tree
        options = self._options_of_pruning()
        if held_out is not None:
            options.pop(HELD_OUT, None)
        regrow: Regrow = partial(self._regrown, data, conventions)
        if METHODS[self.pruning].grows_again and options.get("learner") is not None:
            regrow = regrow_by(options["learner"], data.table, data.target, data.rows.weights)
        return pruned(tree, self.pruning, held_out or data.rows, regrow, options)

    def _grow(self, schema: Schema, rows: Rows, conventions: Conventions) -> Tree:
        conventions = of_columns(conventions, schema)
        return grow_tree(
            schema,
            rows.columns,
            rows.target,
            rows.weights,
            conventions,
            n_threads=thread_count(self.n_jobs),
            **self._chance(schema, conventions),
        )

    def _chance(self, schema: Schema, conventions: Conventions) -> dict[str, int]:
        """How many columns each node samples, and the seed where anything is drawn."""
        n_columns = len(schema.features)
        sampled = sampled_per_node(features_of(self.max_features, n_columns), n_columns)
        draws = sampled > 0 or conventions.splitter == "random"
        return {"columns_per_node": sampled, "seed": self._seed() if draws else 0}

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _regrown(self, data: TrainingData, conventions: Conventions, rows: RowNumbers) -> Tree:
        """The tree of some of the rows, not pruned; these rows alone decide what is read."""
        weights = None if data.rows.weights is None else data.rows.weights[rows]
        part = self._read(data.table.take(rows), data.target.take(rows), weights, conventions)
        return self._grow(part.schema, part.rows, conventions)

    def _divided(self, rows: Rows) -> tuple[Rows, Rows | None]:
        """The rows to grow from, and those held out, if the method of pruning needs such rows."""
        if self.pruning != "reduced_error":
            return rows, None
        options = self._options_of_pruning()
        return rows.divided(options.get(HELD_OUT, 0.3), options["random_state"])

    def _options_of_pruning(self) -> dict[str, Any]:
        """The options of the pruning method."""
        if self.pruning_options is not None and not isinstance(self.pruning_options, Mapping):
            raise ArgumentTypeError(
                "pruning_options are not given by name",
                got=f"an object of type {type(self.pruning_options).__name__}",
                hint='use a dictionary, such as {"confidence": 0.1}.',
            )
        own = {
            name: getattr(self, name)
            for name, method in METHOD_OF_PARAMETER.items()
            if hasattr(self, name) and self.pruning == method
        }
        return {**own, "random_state": self.random_state, **(self.pruning_options or {})}

    def _conventions(self) -> Conventions:
        """The default conventions, changed by the parameters of the same names."""
        check_choice("numeric", self.numeric, ("threshold", "intervals"))
        check_alpha(self.ccp_alpha)
        if self.pruning is not None:
            check_choice("pruning", self.pruning, METHODS)
        self._check_options_of_pruning()
        return super()._conventions()

    def _check_options_of_pruning(self) -> None:
        """Refuse options of pruning that do not exist or would not be used, before growing."""
        prunes = "pruning" in self.get_params(deep=False)  # the confidence of rules is another one
        for name, method in METHOD_OF_PARAMETER.items() if prunes else ():
            default = default_of(self, name)
            if self.pruning != method and getattr(self, name, default) != default:
                raise ParameterError(
                    f"{name} is a parameter of {method} pruning, which is not chosen",
                    got=f"{name}={getattr(self, name)!r} with pruning={self.pruning!r}",
                    hint=f"leave out {name}, or set pruning={method!r}.",
                )
        if self.pruning is not None:
            options = self._options_of_pruning()
            shared = SHARED_OPTIONS | ({HELD_OUT} if self.pruning == "reduced_error" else set())
            check_options(self.pruning, {k: v for k, v in options.items() if k not in shared})
        elif self.pruning_options:
            raise ParameterError(
                "pruning_options are given, but pruning is None",
                got=f"pruning_options={self.pruning_options!r}",
                hint='set pruning, such as pruning="cost_complexity", or leave the options out.',
            )

    def _uses_chance(self) -> bool:
        drawn = self.max_features is not None or self.splitter == "random"
        return drawn or self.pruning in ("reduced_error", "cost_complexity")

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """The values of ``ccp_alpha`` at which the tree becomes smaller, as in scikit-learn.

        Returns
        -------
        Bunch
            ``ccp_alphas``, ascending, and ``impurities``, the total impurity of the leaves of each
            pruned tree. :func:`plaintree.pruning.pruning_path` also returns sizes, errors and
            trees.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_golf()
        >>> path = pt.CARTClassifier().cost_complexity_pruning_path(X, y)
        >>> path.ccp_alphas.round(3).tolist()
        [0.0, 0.089, 0.102]
        """
        full = unpruned_copy(self).set_params(ccp_alpha=0.0)
        full.fit(X, y, sample_weight)
        path = path_of(full.tree_, "impurity", "weakest")
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    # ---------------------------------------------------------------- predicting

    @in_batches
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the node where each row ends.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The number of the node. A row whose missing values divide it over several leaves counts
            for the one with its largest part.
        """
        return predicting_nodes(*self._encoded(X), n_threads=thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Find the nodes that each row goes through.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Rows with the features of the training table.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the row goes through the node.
        """
        return visited_nodes(self.tree_, self.apply(X))

    def used_columns(self) -> frozenset[int]:
        return self.tree_.used_columns()

    def _trained_conventions(self) -> Conventions | None:
        return self.tree_.conventions

    def _encoded(self, X: Any) -> tuple[Tree, list[NDArray[Any]]]:
        columns = self._columns_of(X)
        return self.tree_, columns

    # ---------------------------------------------------------------- reading

    def _repr_html_inner(self) -> str:
        """The tree as a drawing, in notebooks; unfitted models as scikit-learn shows them.

        scikit-learn's ``_repr_html_`` calls this, unless its display is set to text.
        """
        from plaintree.show.picture.svg import notebook_html

        if not hasattr(self, "tree_"):
            return str(super()._repr_html_inner())
        return notebook_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # scikit-learn's own would show its diagram instead.
        shown = {"text/plain": repr(self)}
        if hasattr(self, "_repr_html_"):
            shown["text/html"] = self._repr_html_()
        return shown

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The fraction of the total decrease of impurity that each feature contributes."""
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


class TreeClassifier(TreeEstimator, TableClassifier):
    """A classifier that grows a single tree; it also has ``classes_`` and ``n_classes_``."""

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes: those with the highest probability, or the least expected cost.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted labels; the first class on ties.
        """
        codes = class_codes(*self._encoded(X), n_threads=thread_count(self.n_jobs))
        return np.asarray(self.classes_[codes])

    @in_batches
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the class proportions of the leaf.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with the classes in the order of ``classes_``.
        """
        return class_shares(*self._encoded(X), n_threads=thread_count(self.n_jobs))


class TreeRegressor(TreeEstimator, TableRegressor):
    """A regressor that grows a single tree."""

    @in_batches
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict numbers: those of the leaves.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The mean of the training rows in the leaf of each row.
        """
        return predicted_numbers(*self._encoded(X), n_threads=thread_count(self.n_jobs))


def check_alpha(ccp_alpha: float) -> float:
    """The parameter ``ccp_alpha``, or an error if it is not a number from 0 upwards."""
    return check_number("ccp_alpha", ccp_alpha, 0, float("inf"))


def pruned_by_alpha(tree: Tree, ccp_alpha: float) -> Tree:
    """The tree, pruned by minimal cost complexity with total impurity as the risk."""
    options = {"alpha": ccp_alpha, "risk": "impurity"}
    return pruned(tree, "cost_complexity", None, None, options)


Model = TypeVar("Model", bound=TreeEstimator)


def fitted_around(model: Model, tree: Tree) -> Model:
    """The model, fitted by a tree that it did not grow."""
    model.tree_ = tree.validate()
    model._remember_schema(tree.schema)
    model.feature_names_in_ = np.array([a.name for a in tree.schema.features], dtype=object)
    return model


OneTree = TypeVar("OneTree", TreeClassifier, TreeRegressor)


def single_tree(estimator: Any, kind: type[OneTree], theirs: str) -> OneTree:
    """The estimator of an ensemble's trees; another kind, or one of the other task, is an error.

    ``theirs`` is the ensemble of scikit-learn that takes estimators of any kind.
    """
    if isinstance(estimator, kind):
        return estimator
    task, example = (
        ("numbers", "CARTRegressor") if kind is TreeRegressor else ("classes", "CARTClassifier")
    )
    what = "does not grow a single tree of plaintree"
    if isinstance(estimator, TreeEstimator):
        what = f"grows a tree that does not predict {task}"
    raise ArgumentTypeError(
        f"estimator {what}",
        got=f"an object of type {type(estimator).__name__}",
        hint=f"use an estimator such as {example}(), or for other estimators "
        f"sklearn.ensemble.{theirs}.",
    )


def takes_missing(estimator: Any) -> bool:
    """Whether the trees of an ensemble's estimator take missing values."""
    if not hasattr(estimator, "__sklearn_tags__"):  # None, or something that fit refuses
        return True
    return bool(get_tags(estimator).input_tags.allow_nan)
