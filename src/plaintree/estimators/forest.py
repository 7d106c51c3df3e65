"""Random forests and bagged trees as scikit-learn estimators.

Each tree is grown on a sample of the rows (bootstrap: as many as there are, drawn with
replacement), each node of a random forest chooses among a few columns drawn at random, and all
trees vote (Breiman 1996, 2001). How that is done is in sampled_trees.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from plaintree.checks import DEFAULT_SEED, check_choice
from plaintree.errors import ParameterError
from plaintree.tree.conventions import KEPT, Categorical, Conventions, Kept, Missing, Unseen
from plaintree.tree.forest import VOTING, PackedForest, Sampling, Voting
from plaintree.tree.tree import Tree

from .base import CategoricalFeatures, CriterionName, TrainingData
from .class_weight import ClassWeight
from .documented import documented
from .max_features import MaxFeatures, features_of, sampled_per_node
from .sampled_trees import SampledTreesClassifier
from .single_tree import TreeClassifier, single_tree, takes_missing

ENSEMBLE = (
    "trees_",
    "estimators_",
    "estimators_samples_",
    "feature_importances_",
    "oob_score_",
    "oob_decision_function_",
    "oob_error_curve_",
)
"""The fitted attributes of forests."""


@documented(
    *ENSEMBLE,
    "max_features_",
    max_features="The number of features sampled at each node: a number, a fraction, the root or "
    'the logarithm of their number, None for all, or "oob" to choose it by out-of-bag error '
    "(:func:`plaintree.tune_max_features`). Where none of them offers a split, more are sampled.",
)
class RandomForestClassifier(SampledTreesClassifier):
    """A random forest (Breiman 2001) on tables with text, missing values and numbers.

    Parameters of the trees that are ``"conventions"`` keep the value of ``conventions``, which
    defaults to CART.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> forest = pt.RandomForestClassifier(100, oob_score=True).fit(X, y)
    >>> forest.score(X, y), len(forest), len(forest.oob_error_curve_)
    (1.0, 100, 100)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_features: MaxFeatures | Literal["oob"] = "sqrt",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        voting: Voting = "hard",
        oob_score: bool | Callable[[Any, Any], float] = False,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        conventions: str | Conventions | None = None,
        criterion: CriterionName | Kept = KEPT,
        categorical: Categorical | Kept = KEPT,
        missing: Missing | Kept = KEPT,
        unseen: Unseen | Kept = KEPT,
        max_depth: int | Kept | None = KEPT,
        min_samples_split: float | Kept = KEPT,
        min_samples_leaf: float | Kept = KEPT,
        min_weight_fraction_leaf: float | Kept = KEPT,
        min_impurity_decrease: float | Kept = KEPT,
        min_score: float | Kept | None = KEPT,
        zero_gain: bool | Kept = KEPT,
        max_bins: int | Kept | None = KEPT,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.conventions = conventions
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_trees(cls, trees: Iterable[Tree], voting: Voting = "soft") -> Self:
        """A fitted forest of trees from elsewhere, which have one schema; they vote as told.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> trees = [pt.CARTClassifier(max_depth=depth).fit(X, y).tree_ for depth in (1, 1)]
        >>> len(pt.RandomForestClassifier.from_trees(trees).trees_)
        2
        """
        check_choice("voting", voting, VOTING)
        packed = PackedForest.from_trees(trees)
        forest = cls(len(packed), voting=voting, conventions=packed.conventions)
        forest.trees_ = packed
        forest._remember_schema(packed.schema)
        names = [attribute.name for attribute in packed.schema.features]
        forest.feature_names_in_ = np.array(names, dtype=object)
        return forest

    def _columns_per_node(
        self, data: TrainingData, conventions: Conventions, sampling: Sampling
    ) -> int:
        n_columns = len(data.table.columns)
        self.__dict__.pop("tuning_", None)  # of a fit before
        if self.max_features == "oob":
            from .tune import search_max_features

            def error_of(wanted: int) -> float:
                forest = self._grow(
                    data, conventions, sampling, sampled_per_node(wanted, n_columns)
                )
                return self._evidence(forest, data.rows, sampling).error

            self.tuning_ = search_max_features(error_of, n_columns)
            self.max_features_ = self.tuning_.best
        else:
            self.max_features_ = features_of(self.max_features, n_columns, "oob")
        return sampled_per_node(self.max_features_, n_columns)

    def _needs_rows_left_out(self) -> bool:
        return bool(self.oob_score) or self.max_features == "oob"


@documented(
    *ENSEMBLE,
    estimator="How each tree is grown; None is :class:`plaintree.CARTClassifier`. It must not "
    "prune: bagging averages out what pruning would remove.",
    categorical_features="Numeric columns to be read as categories; names given here replace those "
    "of the estimator.",
)
class BaggedTreesClassifier(SampledTreesClassifier):
    """Bagged trees (Breiman 1996): full trees on bootstrap samples of the rows, which vote.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> pt.BaggedTreesClassifier(n_estimators=50).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        estimator: TreeClassifier | None = None,
        n_estimators: int = 100,
        *,
        max_samples: int | float | None = None,
        bootstrap: bool = True,
        voting: Voting = "hard",
        oob_score: bool | Callable[[Any, Any], float] = False,
        warm_start: bool = False,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.voting = voting
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _tree_learner(self) -> TreeClassifier:
        """What grows one of the trees."""
        from .trees import CARTClassifier

        learner: TreeClassifier = (
            CARTClassifier() if self.estimator is None else clone(single_tree(self.estimator))
        )
        if not isinstance(self.categorical_features, str):
            learner.categorical_features = self.categorical_features
        if learner.pruning is not None or learner.ccp_alpha:
            raise ParameterError(
                "estimator prunes its trees, and bagged trees are not pruned",
                got=f"estimator={learner!r}",
                hint="use pruning=None and ccp_alpha=0.",
            )
        return learner

    def _conventions(self) -> Conventions:
        return self._tree_learner()._conventions()

    def _read_weighted(self, *table: Any) -> TrainingData:
        return self._tree_learner()._read_weighted(*table)

    def _columns_per_node(self, data: TrainingData, *_: Any) -> int:
        n_columns = len(data.table.columns)
        wanted = features_of(self._tree_learner().max_features, n_columns)
        return sampled_per_node(wanted, n_columns)

    def _class_weight(self) -> ClassWeight:
        return self._tree_learner().class_weight

    def _allows_gaps(self) -> bool:
        return takes_missing(self.estimator)
