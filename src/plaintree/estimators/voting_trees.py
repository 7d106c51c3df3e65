"""Prediction by trees of equal weights: classes by their votes, numbers by their mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from plaintree.threads import thread_count
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import Floats, PackedForest, Voting
from plaintree.tree.predict import Columns, predicting_nodes, visited_nodes

from .batches import in_batches
from .ensemble import ClassifierEnsemble, RegressorEnsemble, TreeEnsemble


class VotingTrees(TreeEnsemble):
    """An ensemble whose trees count the same."""

    voting: Voting = "soft"
    trees_: PackedForest

    def _means(self, columns: Columns) -> Floats:
        """The mean of the trees' predictions: rows x classes, or rows x 1 for numbers."""
        return self.trees_.shares(columns, self.voting, n_threads=thread_count(self.n_jobs))

    def _staged_means(self, columns: Columns) -> Iterator[Floats]:
        """The same of the first tree, the first two, and so on."""
        threads = thread_count(self.n_jobs)
        sums = np.zeros((len(columns[0]), max(len(self.schema_.classes), 1)))
        for i in range(len(self.trees_)):
            sums += self.trees_.shares(columns, self.voting, trees=(i, i + 1), n_threads=threads)
            yield sums / (i + 1)

    @in_batches
    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the node of each tree where each row ends.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            The numbers of the nodes.
        """
        columns, threads = self._columns_of(X), thread_count(self.n_jobs)
        nodes = [predicting_nodes(tree, columns, n_threads=threads) for tree in self.trees_]
        return np.column_stack(nodes)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Find the nodes that each row goes through in all trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Rows with the features of the training table.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 where the row goes through the node, with the nodes of all trees side by side.
        begins : ndarray of shape (n_trees + 1,)
            The nodes of tree i are the columns from ``begins[i]`` to ``begins[i + 1]``.
        """
        ends = self.apply(X).T
        paths = [visited_nodes(t, nodes) for t, nodes in zip(self.trees_, ends, strict=True)]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return csr_matrix(hstack(paths)), begins

    def used_columns(self) -> frozenset[int]:
        return self.trees_.used_columns()

    def _trained_conventions(self) -> Conventions | None:
        return self.trees_.conventions

    @property
    def feature_importances_(self) -> Floats:
        """The normalised mean of the trees' feature importances."""
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for tree in self.trees_:
            total += tree.importances()
        return np.asarray(total / total.sum()) if total.sum() > 0 else total


class VotingTreesClassifier(VotingTrees, ClassifierEnsemble):
    """An ensemble whose trees vote, or whose class probabilities are averaged."""

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes: those with the highest probability.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted labels; the first class on ties.
        """
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    @in_batches
    def predict_proba(self, X: Any) -> Floats:
        """Predict class probabilities.

        With soft voting, they are the means of the trees' class probabilities; with hard voting,
        each class's fraction of the votes.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with the classes in the order of ``classes_``.
        """
        return self._means(self._columns_of(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield :meth:`predict_proba` of the first tree, the first two, and so on."""
        yield from self._staged_means(self._columns_of(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield :meth:`predict` of the first tree, the first two, and so on."""
        for probabilities in self.staged_predict_proba(X):
            yield np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy of the first tree, the first two, and so on."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))


class AveragedTreesRegressor(VotingTrees, RegressorEnsemble):
    """An ensemble whose trees' numbers are averaged."""

    @in_batches
    def predict(self, X: Any) -> Floats:
        """Predict numbers: the means of the trees' predictions.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted numbers.
        """
        return self._mean_numbers(X)

    def _mean_numbers(self, X: Any) -> Floats:
        return self._means(self._columns_of(X))[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield :meth:`predict` of the first tree, the first two, and so on."""
        for means in self._staged_means(self._columns_of(X)):
            yield means[:, 0]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the R2 of the first tree, the first two, and so on."""
        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
