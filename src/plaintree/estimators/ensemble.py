"""Ensembles of trees as scikit-learn shows them: sequences of fitted estimators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plaintree.checks import check_number
from plaintree.errors import ParameterError
from plaintree.tree.conventions import KEPT, Conventions
from plaintree.tree.tree import Tree

from .base import TableClassifier, TableEstimator, TableRegressor
from .max_features import features_of
from .single_tree import TreeEstimator


class TreeEnsemble(TableEstimator):
    """An estimator of several trees, and a sequence of fitted estimators of one tree each.

    ``trees_`` holds the trees themselves. ``estimators_`` and ``model[i]`` make estimators of them
    at every access.
    """

    n_estimators: int
    trees_: Sequence[Tree]

    def _tree_learner(self) -> TreeEstimator:
        """An estimator, not fitted, that grows trees like those of the ensemble."""
        raise NotImplementedError

    def _learner_of(self, conventions: Conventions | None) -> TreeEstimator:
        """An estimator, not fitted, whose trees have the given conventions."""
        raise NotImplementedError

    def _member(self, index: int) -> TreeEstimator:
        """The estimator, not fitted, of one of the trees."""
        del index  # they are all alike, unless they have seeds of their own
        return self._tree_learner()

    @property
    def estimator_(self) -> TreeEstimator:
        """The estimator of the trees, not fitted."""
        check_is_fitted(self)
        return self._tree_learner()

    @property
    def estimators_(self) -> list[TreeEstimator]:
        """The trees as fitted estimators, made from ``trees_`` at every access."""
        return list(self)

    def __len__(self) -> int:
        return len(self.trees_)

    def __getitem__(self, index: int) -> TreeEstimator:
        tree = self.trees_[index]
        member = self._member(index)
        if tree.conventions is None or member._conventions() != tree.conventions:
            # imported trees, or parameters that were changed after fitting
            member = self._learner_of(tree.conventions)
        member.tree_ = tree
        member._remember_schema(tree.schema)
        member.max_features_ = features_of(member.max_features, member.n_features_in_)
        if hasattr(self, "feature_names_in_"):
            member.feature_names_in_ = self.feature_names_in_
        return member

    def __iter__(self) -> Iterator[TreeEstimator]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return True  # also before fitting, when it has no length

    def _lists_categories(self) -> bool:
        """Whether columns are listed here, which replace those of the estimator."""
        own = self.categorical_features
        return own is not None and not (isinstance(own, str) and own == "from_dtype")

    def _count_of_trees(self) -> int:
        n: Any = self.n_estimators
        whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
        if not whole:
            raise ParameterError(
                "n_estimators must be an integer from 1 upwards",
                got=f"n_estimators={n!r}",
                hint="give the number of trees, such as 100.",
            )
        return int(check_number("n_estimators", n, 1, 2**31 - 1))


class ClassifierEnsemble(TreeEnsemble, TableClassifier):
    """Several trees that predict classes together."""

    def _learner_of(self, conventions: Conventions | None) -> TreeEstimator:
        from .trees import DecisionTreeClassifier

        return DecisionTreeClassifier(conventions=conventions)


class RegressorEnsemble(TreeEnsemble, TableRegressor):
    """Several trees that predict numbers together."""

    def _learner_of(self, conventions: Conventions | None) -> TreeEstimator:
        from .regression import DecisionTreeRegressor

        return DecisionTreeRegressor(conventions=conventions, criterion=KEPT)
