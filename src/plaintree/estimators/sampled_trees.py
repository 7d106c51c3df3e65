"""Base of forests and bagged trees: growing on samples of the rows, out-of-bag estimates.

A bootstrap sample leaves out about 37 percent of the rows: they are out of bag (OOB) for its tree.
Predictions of each row by the trees for which it is out of bag estimate the error on new rows
(Breiman 1996).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from plaintree.checks import check_choice, check_flag, check_number, check_random_state
from plaintree.data.rows import Rows
from plaintree.data.target import label_array
from plaintree.errors import MemoryLimitError, ParameterError, TableError
from plaintree.growing.counts import PartedTable
from plaintree.growing.each_tree import Part, grow_each
from plaintree.growing.forest import LEAST_SHARE, grow_forest, without_rounding_residue
from plaintree.growing.from_counts import grow_forest_from
from plaintree.memory import available_bytes
from plaintree.progress import Progress, reporter
from plaintree.threads import thread_count
from plaintree.tree.constraints import of_columns
from plaintree.tree.conventions import CART, Conventions
from plaintree.tree.forest import VOTING, Floats, OutOfBag, PackedForest, Sampling
from plaintree.tree.walk import rows_from

from .base import TableEstimator, TableRegressor, TrainingData
from .parts import (
    FitOptions,
    needs_rows,
    parted_table,
    reading_parts,
    refuse_in_memory,
    refuse_tiny_weights,
)
from .row_sampling import nothing_left_out, sampling_of
from .single_tree import check_alpha, pruned_by_alpha
from .voting_trees import VotingTrees, VotingTreesClassifier


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """The out-of-bag loss of each tree when the values of a feature are shuffled.

    For classes it is the loss of accuracy, for numbers the increase of the mean squared error.

    Parameters
    ----------
    importances : ndarray of shape (n_trees, n_features)
        The loss of each tree for each feature.
    """

    importances: Floats

    @property
    def importances_mean(self) -> Floats:
        """The mean over the trees, for each feature."""
        return np.asarray(self.importances.mean(axis=0))

    @property
    def importances_error(self) -> Floats:
        """The standard error of the mean, for each feature; NaN for a single tree."""
        n_trees = len(self.importances)
        if n_trees < 2:
            return np.full(self.importances.shape[1], np.nan)
        return np.asarray(self.importances.std(axis=0, ddof=1) / sqrt(n_trees))


class SampledTrees(VotingTrees):
    """An ensemble of trees that are grown on samples of the rows."""

    _oob_name: ClassVar[str]
    n_estimators: int
    bootstrap: bool
    max_samples: int | float | None
    oob_score: bool | Callable[[Any, Any], float]
    warm_start: bool
    verbose: int

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
        """Grow the trees.

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
            Called now and then, and at the end, with a description, the number of trees that are
            done, and their total number.
        checkpoint : path, default=None
            A file that is written after each level of trees grown on a dataset. If it exists,
            growing continues from it; it is removed when the trees are done.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check()
        conventions = self._conventions()
        table = parted_table(X)
        if table is not None:
            report = reporter(progress, self.verbose)
            draws = self.bootstrap or self.max_samples is not None
            options = FitOptions.of(
                y, sample_weight, progress=report, checkpoint=checkpoint, draws_rows=draws
            )
            return self._fit_parts(table, conventions, options)
        refuse_in_memory(checkpoint)
        data = self._training(X, y, sample_weight, conventions)
        conventions = of_columns(conventions, data.schema)
        before = self._trees_before(data, conventions)
        sampling = self._sampling(int(np.count_nonzero(data.rows.known_weights)), before)
        columns_per_node = self._columns_per_node(data, conventions, sampling)
        forest = self._grow(
            data, conventions, sampling, columns_per_node, progress=progress, before=before
        )
        evidence = self._evidence(forest, data.rows, sampling) if self.oob_score else None
        self._keep(data, forest, sampling, evidence)
        return self

    def _fit_parts(self, table: PartedTable, conventions: Conventions, options: FitOptions) -> Self:
        """Grow the trees on a table in parts."""
        self._refuse_for_parts()
        numeric = isinstance(self, TableRegressor)
        reader = self._reader()
        with reading_parts(reader, table, conventions, options, numeric_target=numeric) as data:
            refuse_tiny_weights(data, LEAST_SHARE)
            conventions = of_columns(conventions, data.schema)
            sampling = self._sampling(data.survey.n_rows)
            forest = grow_forest_from(
                data.source,
                data.rows,
                conventions,
                sampling,
                replace(data.growing, n_threads=thread_count(self.n_jobs)),
                n_trees=int(self.n_estimators),
                columns_per_node=self._columns_per_node(data, conventions, sampling),
            )
            record = data.record
        if self._alpha():
            forest = PackedForest.from_trees(pruned_by_alpha(t, self._alpha()) for t in forest)
        self._clear_evidence()
        self.trees_ = forest
        self._sampling_done, self._n_rows_done = sampling, record.n_rows
        self._rows_without_weight = np.empty(0, dtype=np.int64)
        self._remember_parts(forest.schema, record)
        return self

    def _reader(self) -> TableEstimator:
        """The estimator whose parameters say how a table is read."""
        return self

    def _refuse_for_parts(self) -> None:
        """Refuse parameters that need the rows of a table in parts."""
        if self.oob_score:
            raise needs_rows("oob_score", "evaluate the forest on a dataset of other rows")
        if self.warm_start:
            raise needs_rows("warm_start=True", "fit all trees at once")

    def _training(
        self, X: Any, y: Any, sample_weight: Any, conventions: Conventions
    ) -> TrainingData:
        """The table, its rows weighted by their classes as well."""
        data = self._read_weighted(X, y, sample_weight, conventions)
        weights = without_rounding_residue(data.rows.weights)
        return replace(data, rows=replace(data.rows, weights=weights))

    def _trees_before(self, data: TrainingData, conventions: Conventions) -> PackedForest | None:
        """The trees of the fit before that ``warm_start`` keeps."""
        if not self.warm_start or not hasattr(self, "trees_"):
            return None
        before: PackedForest = self.trees_
        if len(before) > self.n_estimators:
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(before)} when warm_start==True",
                hint="fit with warm_start=False to begin again.",
            )
        if before.schema != data.schema or before.conventions != conventions:
            raise ParameterError(
                "warm_start adds trees to a forest of another table or with other parameters",
                got="a table whose columns, categories or classes differ, or changed parameters",
                hint="fit with warm_start=False to begin again.",
            )
        return before

    def _grow(
        self,
        data: TrainingData,
        conventions: Conventions,
        sampling: Sampling,
        columns_per_node: int,
        *,
        progress: Progress | None = None,
        before: PackedForest | None = None,
    ) -> PackedForest:
        n_before = 0 if before is None else len(before)
        if before is not None and n_before == self.n_estimators:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=3,
            )
            return before
        n_new = int(self.n_estimators) - n_before
        report = reporter(progress, self.verbose)
        free = available_bytes()
        part_of = self._part_of(data.rows, sampling)
        try:
            grown = (grow_forest if part_of is None else partial(grow_each, part_of=part_of))(
                data.schema,
                data.rows,
                conventions,
                sampling,
                n_trees=n_new,
                first_tree=n_before,
                columns_per_node=columns_per_node,
                most_bytes=free,
                n_threads=thread_count(self.n_jobs),
                progress=report,
            )
        except MemoryError as error:
            if not error.args or not isinstance(error.args[0], float):
                raise
            raise MemoryLimitError(
                "the forest would not fit into memory",
                got=f"about {error.args[0] / 2**30:,.1f} GiB for {self.n_estimators:,} trees, "
                f"where {free / 2**30:,.1f} GiB are free",
                hint="grow fewer trees, or smaller ones (max_depth, min_samples_leaf).",
            ) from None
        if self._alpha():
            grown = PackedForest.from_trees(pruned_by_alpha(t, self._alpha()) for t in grown)
        return grown if before is None else before + grown

    def _alpha(self) -> float:
        """The ``ccp_alpha`` of every tree."""
        raise NotImplementedError

    def _evidence(self, forest: PackedForest, rows: Rows, sampling: Sampling) -> OutOfBag:
        threads = thread_count(self.n_jobs)
        return forest.out_of_bag(rows, sampling, self.voting, n_threads=threads)

    def _keep(
        self,
        data: TrainingData,
        forest: PackedForest,
        sampling: Sampling,
        evidence: OutOfBag | None,
    ) -> None:
        self._clear_evidence()
        if evidence is not None:
            weighty = data.rows.known_weights > 0
            never = int(np.count_nonzero(np.isnan(evidence.means[weighty, 0])))
            if never:
                warnings.warn(
                    "Some inputs do not have OOB scores. This probably means too few estimators "
                    f"were used to compute any reliable oob estimates. {never} of "
                    f"{np.count_nonzero(weighty)} rows were in the sample of every tree.",
                    UserWarning,
                    stacklevel=3,
                )
            self.oob_score_ = self._out_of_bag_score(data, evidence)
            setattr(self, self._oob_name, self._out_of_bag_means(evidence))
            self.oob_error_curve_ = evidence.error_curve
        self.trees_ = forest
        self._sampling_done = sampling
        self._n_rows_done = len(data.rows.codes)
        self._rows_without_weight = np.flatnonzero(data.rows.known_weights == 0)
        self._remember(data)

    def _clear_evidence(self) -> None:
        """Remove what a fit before has set."""
        for name in ("oob_score_", self._oob_name, "oob_error_curve_"):
            self.__dict__.pop(name, None)

    def _out_of_bag_score(self, data: TrainingData, evidence: OutOfBag) -> float:
        """The score, or what the function given as ``oob_score`` computes from the targets."""
        raise NotImplementedError

    def _out_of_bag_means(self, evidence: OutOfBag) -> Floats:
        """The attribute of the out-of-bag predictions."""
        raise NotImplementedError

    # ---------------------------------------------------------------- parameters

    def _check(self) -> None:
        self._count_of_trees()
        check_choice("voting", self.voting, VOTING)
        check_flag("bootstrap", self.bootstrap)
        check_flag("warm_start", self.warm_start)
        check_number("verbose", self.verbose, 0, 100)
        check_alpha(self._alpha())
        if not callable(self.oob_score):
            check_flag("oob_score", self.oob_score)

    def _uses_chance(self) -> bool:
        return True

    def _needs_rows_left_out(self) -> bool:
        return bool(self.oob_score)

    def _sampling(self, n_rows: int, before: PackedForest | None = None) -> Sampling:
        seed, by_block = int(check_random_state(self.random_state).randint(2**31 - 1)), True
        if before is not None:  # further trees of the same sequence
            seed, by_block = self._sampling_done.seed, self._sampling_done.by_block
        sampling = sampling_of(
            n_rows,
            seed,
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            leaves_rows_out=self._needs_rows_left_out(),
        )
        return replace(sampling, by_block=by_block)

    def _part_of(self, *_: Any) -> Callable[[int], Part] | None:
        """The features and weights of each tree by its number; None where all trees see all."""
        return None

    def _columns_per_node(self, *_: Any) -> int:
        """How many columns each node draws; 0 for all."""
        return 0

    # ---------------------------------------------------------------- reading

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """The rows in each tree's sample by their positions from 0, as often as they were drawn."""
        sampling = self._known_sampling()
        rows = np.setdiff1d(np.arange(self._n_rows_done), self._rows_without_weight)
        return [np.repeat(rows, times) for times in sampling.draws(len(rows), len(self.trees_))]

    def _known_sampling(self) -> Sampling:
        check_is_fitted(self)
        if not hasattr(self, "_rows_without_weight"):
            raise TableError(
                "the samples are known only to a forest that was fitted in this session",
                got="a forest from a model file or made of trees",
                hint="fit the forest again with the same random_state.",
            )
        sampling: Sampling = self._sampling_done
        return sampling

    def oob_permutation_importance(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> PermutationImportance:
        """Compute Breiman's permutation importance on out-of-bag rows.

        For each tree and feature, the values of the feature are shuffled among the out-of-bag rows
        of the tree. The importance is the loss of accuracy on these rows, or the increase of their
        mean squared error.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            The training table, in the same order.
        y : sequence of shape (n_rows,)
            Its class labels, or its numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            Its weights; rows of weight 0 are left out.

        Returns
        -------
        PermutationImportance
            The importances of each tree, their means and standard errors.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> forest = pt.RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> forest.oob_permutation_importance(X, y).importances_mean.shape
        (4,)
        """
        check_is_fitted(self)
        if self._sampling_done.how == "all":
            raise nothing_left_out("a forest whose trees have seen all rows")
        rows = rows_from(self.trees_[0], X, y, sample_weight)
        if len(rows.codes) != self._n_rows_done:
            raise TableError(
                "this is not the table that the forest was grown on",
                got=f"{len(rows.codes)} rows, where there were {self._n_rows_done}",
                hint="give the training table, in the same order.",
            )
        weights = without_rounding_residue(self._weighted(rows, self.schema_))
        rows = replace(rows, weights=weights)
        threads = thread_count(self.n_jobs)
        losses = self.trees_.permutation_losses(rows, self._sampling_done, n_threads=threads)
        return PermutationImportance(losses)


class SampledTreesClassifier(SampledTrees, VotingTreesClassifier):
    """Trees of classes, grown on samples of the rows."""

    _default_conventions = CART
    _oob_name = "oob_decision_function_"

    def _out_of_bag_score(self, data: TrainingData, evidence: OutOfBag) -> float:
        if not callable(self.oob_score):
            return 1 - evidence.error
        known = ~np.isnan(evidence.means[:, 0])
        labels = label_array(data.schema.classes)
        predicted = labels[evidence.means[known].argmax(axis=1)]
        return float(self.oob_score(labels[data.rows.codes[known]], predicted))

    def _out_of_bag_means(self, evidence: OutOfBag) -> Floats:
        return evidence.means
