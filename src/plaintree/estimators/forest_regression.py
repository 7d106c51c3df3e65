"""Random forests and bagged trees of numbers as scikit-learn estimators (Breiman 1996, 2001)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.metrics import r2_score

from plaintree.checks import DEFAULT_SEED, check_flag
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.errors import ParameterError
from plaintree.threads import thread_count
from plaintree.tree.constraints import ColumnList, InteractionCst, MonotonicCst
from plaintree.tree.conventions import KEPT, Categorical, Conventions, Kept, Splitter, Unseen
from plaintree.tree.forest import Floats, OutOfBag, PackedForest, Sampling
from plaintree.tree.tree import Tree

from .base import TrainingData
from .batches import in_batches
from .documented import documented
from .forest_bases import BaggedTrees, RandomForest
from .leaf_targets import LeafTargets, checked_levels
from .max_features import MaxFeatures
from .parts import needs_rows
from .regression import (
    CATEGORICAL,
    MISSING,
    OPEN_CRITERION,
    REGRESSION,
    CARTRegressor,
    RegressionCriterion,
    RegressionMissing,
    with_known_criterion,
)
from .sampled_trees import SampledTrees
from .single_tree import TreeRegressor, single_tree
from .voting_trees import AveragedTreesRegressor

ENSEMBLE = (
    "trees_",
    "estimator_",
    "estimators_",
    "estimators_samples_",
    "feature_importances_",
    "oob_score_",
    "oob_prediction_",
    "oob_error_curve_",
)
"""The fitted attributes of forests."""
OOB_SCORE = (
    "Whether to predict each row, after growing, by the trees that did not see it. A function of "
    "true and predicted numbers replaces R2 as ``oob_score_``."
)


class SampledTreesRegressor(SampledTrees, AveragedTreesRegressor):
    """Trees of numbers, grown on samples of the rows."""

    _default_conventions = REGRESSION
    _oob_name = "oob_prediction_"
    keep_targets: bool

    @in_batches
    def predict(self, X: Any, quantiles: float | Sequence[float] | None = None) -> Floats:
        """Predict numbers: the means of the trees' predictions, or quantiles.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.
        quantiles : float or sequence of float, default=None
            Levels from 0 to 1, which need ``keep_targets=True``. A training row counts in a tree by
            its fraction of the leaf's weight in the sample (Meinshausen 2006); a quantile is the
            smallest target whose cumulative weight reaches the level.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_quantiles)
            The predicted numbers.
        """
        if quantiles is None:
            return self._mean_numbers(X)
        levels = checked_levels(quantiles)
        ends = self.apply(X)
        if not hasattr(self, "_leaf_targets"):
            raise ParameterError(
                "quantiles need the training targets, which this forest does not have",
                got=f"a forest fitted with keep_targets={self.keep_targets!r}, from a model file, "
                "or made of trees",
                hint="fit it with keep_targets=True.",
            )
        found = self._leaf_targets.quantiles(ends, levels)
        return found[:, 0] if np.ndim(quantiles) == 0 else found

    def _check(self) -> None:
        super()._check()
        check_flag("keep_targets", self.keep_targets)
        conventions = self._conventions()
        if self.keep_targets and (
            conventions.missing == "fractional" or conventions.unseen == "stop"
        ):
            raise ParameterError(
                "keep_targets needs trees in which every row ends in one leaf",
                got=f"missing={conventions.missing!r}, unseen={conventions.unseen!r}",
                hint='use another policy than missing="fractional" and unseen="stop".',
            )

    def _refuse_for_parts(self) -> None:
        super()._refuse_for_parts()
        if self.keep_targets:
            raise needs_rows("keep_targets=True", "use keep_targets=False")

    def _keep(
        self,
        data: TrainingData,
        forest: PackedForest,
        sampling: Sampling,
        evidence: OutOfBag | None,
    ) -> None:
        super()._keep(data, forest, sampling, evidence)
        self.__dict__.pop("_leaf_targets", None)  # of a fit before
        if self.keep_targets:
            threads = thread_count(self.n_jobs)
            self._leaf_targets = LeafTargets.of(forest, data.rows, sampling, threads)

    def _out_of_bag_score(self, data: TrainingData, evidence: OutOfBag) -> float:
        score = self.oob_score if callable(self.oob_score) else r2_score
        predicted = self._out_of_bag_means(evidence)
        known = ~np.isnan(predicted)
        return float(score(data.rows.target[known], predicted[known]))

    def _out_of_bag_means(self, evidence: OutOfBag) -> Floats:
        return np.asarray(evidence.means[:, 0])


@documented(
    *ENSEMBLE,
    "max_features_",
    criterion=OPEN_CRITERION,
    categorical=CATEGORICAL,
    missing=MISSING,
    oob_score=OOB_SCORE,
    max_features="The number of features sampled at each node: a number, a fraction, the root or "
    'the logarithm of their number, None for all, or "oob" to choose it by out-of-bag error '
    "(:func:`plaintree.tune_max_features`). Where none of them offers a split, more are sampled.",
)
class RandomForestRegressor(RandomForest, SampledTreesRegressor):
    """A random forest (Breiman 2001) that predicts numbers: the mean of its trees.

    As in scikit-learn, every node looks at all features by default; ``max_features=1/3``, the
    default of Breiman's program, often has a lower error.

    Parameters of the trees that are ``"conventions"`` keep the value of ``conventions``, which
    defaults to CART.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = [[i] for i in range(100)], [i % 10 + i // 10 for i in range(100)]
    >>> forest = pt.RandomForestRegressor(50, keep_targets=True).fit(X, y)
    >>> forest.predict([[15]], quantiles=[0.1, 0.9]).shape
    (1, 2)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: RegressionCriterion | Kept = "squared_error",
        max_features: MaxFeatures | Literal["oob"] = 1.0,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[[Any, Any], float] = False,
        keep_targets: bool = False,
        warm_start: bool = False,
        conventions: str | Conventions | None = None,
        categorical: Categorical | Kept = KEPT,
        missing: RegressionMissing | Kept = KEPT,
        unseen: Unseen | Kept = KEPT,
        max_depth: int | Kept | None = KEPT,
        max_leaf_nodes: int | Kept | None = KEPT,
        min_samples_split: float | Kept = KEPT,
        min_samples_leaf: float | Kept = KEPT,
        min_weight_fraction_leaf: float | Kept = KEPT,
        min_impurity_decrease: float | Kept = KEPT,
        min_score: float | Kept | None = KEPT,
        zero_gain: bool | Kept = KEPT,
        max_bins: int | Kept | None = KEPT,
        splitter: Splitter | Kept = KEPT,
        monotonic_cst: MonotonicCst | Kept = KEPT,
        forbid: ColumnList | Kept = KEPT,
        first: ColumnList | Kept = KEPT,
        interaction_cst: InteractionCst | Kept = KEPT,
        ccp_alpha: float = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.keep_targets = keep_targets
        self.warm_start = warm_start
        self.conventions = conventions
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.splitter = splitter
        self.monotonic_cst = monotonic_cst
        self.forbid = forbid
        self.first = first
        self.interaction_cst = interaction_cst
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> Self:
        """Make a fitted forest of existing trees.

        Parameters
        ----------
        trees : iterable of Tree
            Trees of a numeric target, with the same schema and conventions.

        Returns
        -------
        RandomForestRegressor
            A fitted forest, without out-of-bag estimates and quantiles.

        Raises
        ------
        ParameterError
            If there is no tree, the trees differ in schema or conventions, or predict classes.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = [[1], [2], [8]], [10, 12, 30]
        >>> trees = [pt.CARTRegressor(max_depth=1).fit(X, y).tree_ for _ in range(2)]
        >>> pt.RandomForestRegressor.from_trees(trees).predict([[7]]).tolist()
        [30.0]
        """
        known = list(trees)
        if known and known[0].schema.classes:
            raise ParameterError(
                "a forest of numbers needs trees of a numeric target",
                got=f"trees of the classes {', '.join(map(repr, known[0].schema.classes[:5]))}",
                hint="use RandomForestClassifier.from_trees.",
            )
        return cls._of_trees(known)

    def _conventions(self) -> Conventions:
        return with_known_criterion(super()._conventions())


@documented(
    *ENSEMBLE,
    "estimators_features_",
    oob_score=OOB_SCORE,
    max_features=(
        "int or float",
        "The number of features drawn for each tree, or the fraction of them. How many each node "
        "samples is the estimator's ``max_features``.",
    ),
    estimator="How each tree is grown; None is :class:`plaintree.CARTRegressor`.",
    categorical_features="Numeric columns to be read as categories: names, positions or a mask. "
    "Columns listed here replace those of the estimator.",
)
class BaggedTreesRegressor(BaggedTrees, SampledTreesRegressor):
    """Bagged trees (Breiman 1996) of numbers: the mean of trees on bootstrap samples of the rows.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = [[i] for i in range(100)], [i // 10 for i in range(100)]
    >>> pt.BaggedTreesRegressor(n_estimators=50).fit(X, y).predict([[15]]).round().tolist()
    [1.0]
    """

    def __init__(
        self,
        estimator: TreeRegressor | None = None,
        n_estimators: int = 100,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool | Callable[[Any, Any], float] = False,
        keep_targets: bool = False,
        warm_start: bool = False,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.keep_targets = keep_targets
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _given_or_default(self) -> TreeRegressor:
        if self.estimator is None:
            return CARTRegressor()
        return single_tree(self.estimator, TreeRegressor, "BaggingRegressor")
