"""Trees of a numeric target, whose leaves predict numbers: CART, and one with every choice open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self, get_args

import numpy as np

from plaintree.checks import DEFAULT_SEED
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.errors import not_allowed
from plaintree.pruning.names import MethodName
from plaintree.tree.conventions import (
    CART,
    KEPT,
    Categorical,
    Conventions,
    Kept,
    ThresholdRule,
    Unseen,
)
from plaintree.tree.tree import Tree

from .documented import SINGLE, documented
from .max_features import MaxFeatures
from .single_tree import TreeRegressor, fitted_around

REGRESSION = replace(CART, criterion="squared_error")
RegressionCriterion = Literal["squared_error", "absolute_error", "poisson"]
RegressionMissing = Literal["most_common", "fractional", "branch", "error", "surrogate"]
CRITERIA = get_args(RegressionCriterion)
CRITERION = (
    '{"squared_error", "absolute_error", "poisson"}',
    "How far the targets of a node are from its prediction: their variance, their mean absolute "
    "deviation from the median, or half their Poisson deviance, which needs targets from 0 "
    "upwards. A split by deviance has no branch that predicts 0: its deviance from other targets "
    "would be infinite.",
)
OPEN_CRITERION = (f'{CRITERION[0]} or "{KEPT}"', CRITERION[1])
MISSING = (
    '{"most_common", "fractional", "branch", "error", "surrogate"}',
    "Where rows with a missing value go: with the most common value of the node, divided over all "
    "branches, into a branch of their own, an error, or by surrogate splits on other features "
    "(CART), which need two branches.",
)
CATEGORICAL = (
    '{"multiway", "one_vs_rest", "subset", "grouped"}',
    "How categorical features are split: one branch per category, one category against the rest, "
    "a subset against the rest, or one branch per group of categories.",
)


@documented(
    *SINGLE,
    criterion=CRITERION,
    categorical=(
        '{"subset", "one_vs_rest"}',
        "Whether a subset of the categories is split from the rest, or a single category. The best "
        "subset is among those that are ordered by their means. By absolute error, subsets in the "
        "order of the medians are searched, and the best of all subsets may not be among them.",
    ),
    missing=MISSING,
    min_impurity_decrease="The minimum decrease of the impurity by a split, times the node's "
    "fraction of the total weight. Its unit is that of the criterion.",
)
class CARTRegressor(TreeRegressor):
    """CART for numbers (Breiman and others 1984): a leaf predicts the mean of its training rows.

    By absolute error it predicts their median: the mean of the two middle values if there are two.

    Sums of targets are exact integers, so the tree does not depend on the order of the rows, on
    the number of threads or on a constant that is added to all targets.

    Examples
    --------
    >>> import plaintree as pt
    >>> hours, score = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
    >>> model = pt.CARTRegressor(max_depth=1).fit(hours, score)
    >>> print(model.tree_)
    target: 6 rows (mean 21, sd 10.03)
    ├─ x0 <= 4.5: 11 (3, sd 0.8165)
    └─ x0 > 4.5: 31 (3, sd 0.8165)
    >>> model.predict([[5], [4]]).tolist()
    [31.0, 11.0]
    """

    _default_conventions = REGRESSION

    def __init__(
        self,
        criterion: RegressionCriterion = "squared_error",
        *,
        categorical: Literal["subset", "one_vs_rest"] = "subset",
        missing: RegressionMissing = "most_common",
        max_surrogates: int = 5,
        use_surrogate: int = 2,
        surrogate_style: int = 0,
        unseen: Unseen = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = None,
        min_impurity_decrease: float = 0.0,
        zero_gain: bool = True,
        max_bins: int | None = None,
        pruning: MethodName | None = None,
        pruning_options: Mapping[str, Any] | None = None,
        feature_costs: Mapping[str, float] | None = None,
        ccp_alpha: float = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.use_surrogate = use_surrogate
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.pruning = pruning
        self.pruning_options = pruning_options
        self.feature_costs = feature_costs
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _conventions(self) -> Conventions:
        if self.criterion not in CRITERIA:
            raise not_allowed("criterion", self.criterion, CRITERIA)
        if self.categorical not in ("subset", "one_vs_rest"):
            raise not_allowed("categorical", self.categorical, ("subset", "one_vs_rest"))
        return super()._conventions()


@documented(*SINGLE, criterion=OPEN_CRITERION, categorical=CATEGORICAL, missing=MISSING)
class DecisionTreeRegressor(TreeRegressor):
    """A regression tree with every choice of :class:`Conventions` open that needs no classes.

    Parameters that are ``"conventions"`` keep the value of ``conventions``, which defaults to
    squared error, two branches, fully grown. Others replace it. The criterion is not taken from
    ``conventions`` unless it is ``"conventions"``: those of named profiles are for classes.

    Examples
    --------
    >>> import plaintree as pt
    >>> hours, score = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
    >>> model = pt.DecisionTreeRegressor(threshold="data_value", max_depth=1)
    >>> model.fit(hours, score).predict([[4], [3]]).tolist()
    [31.0, 11.0]
    """

    _default_conventions = REGRESSION

    def __init__(
        self,
        *,
        criterion: RegressionCriterion | Kept = "squared_error",
        conventions: str | Conventions | None = None,
        categorical: Categorical | Kept = KEPT,
        missing: RegressionMissing | Kept = KEPT,
        max_surrogates: int | Kept = KEPT,
        use_surrogate: int | Kept = KEPT,
        surrogate_style: int | Kept = KEPT,
        unseen: Unseen | Kept = KEPT,
        max_depth: int | Kept | None = KEPT,
        max_leaf_nodes: int | Kept | None = KEPT,
        min_samples_split: float | Kept = KEPT,
        min_samples_leaf: float | Kept = KEPT,
        min_samples_branch: float | Kept | None = KEPT,
        min_weight_fraction_leaf: float | Kept = KEPT,
        max_features: MaxFeatures = None,
        min_impurity_decrease: float | Kept = KEPT,
        min_score: float | Kept | None = KEPT,
        zero_gain: bool | Kept = KEPT,
        threshold: ThresholdRule | Kept = KEPT,
        min_separation: float | Kept = KEPT,
        tie_tolerance: float | Kept = KEPT,
        max_bins: int | Kept | None = KEPT,
        pruning: MethodName | None = None,
        pruning_options: Mapping[str, Any] | None = None,
        feature_costs: Mapping[str, float] | Kept | None = KEPT,
        ccp_alpha: float = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.conventions = conventions
        self.categorical = categorical
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.use_surrogate = use_surrogate
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_branch = min_samples_branch
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.threshold = threshold
        self.min_separation = min_separation
        self.tie_tolerance = tie_tolerance
        self.max_bins = max_bins
        self.pruning = pruning
        self.pruning_options = pruning_options
        self.feature_costs = feature_costs
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_tree(cls, tree: Tree) -> Self:
        """A fitted model around an existing tree: edited, read from a file, imported.

        >>> import plaintree as pt
        >>> tree = pt.CARTRegressor().fit([[1], [2], [3]], [10, 20, 40]).tree_.cut(1)
        >>> pt.DecisionTreeRegressor.from_tree(tree).predict([[1], [3]]).tolist()
        [15.0, 40.0]
        """
        return fitted_around(cls(conventions=tree.conventions, criterion=KEPT), tree)

    def _conventions(self) -> Conventions:
        return with_known_criterion(super()._conventions())


def with_known_criterion(conventions: Conventions) -> Conventions:
    """The conventions, or an error if their criterion is not one of regressors."""
    if conventions.criterion not in CRITERIA:
        raise not_allowed("criterion", conventions.criterion, CRITERIA)
    return conventions
