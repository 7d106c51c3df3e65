"""Trees of classes as scikit-learn estimators: CART, and one with every choice open.

A learner is a profile of conventions (tree/conventions.py) and a short list of parameters; all of
them fit and predict by the same few lines of :class:`TreeClassifier`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

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
    Missing,
    SignificanceTest,
    ThresholdChoice,
    ThresholdRule,
    TiedLabel,
    Unseen,
)
from plaintree.tree.tree import Tree

from .base import ENTROPY, CriterionName
from .class_weight import ClassWeight
from .documented import SINGLE, documented
from .max_features import MaxFeatures
from .single_tree import TreeClassifier, fitted_around


@documented(*SINGLE)
class DecisionTreeClassifier(TreeClassifier):
    """A decision tree with every choice of :class:`Conventions` open.

    Parameters that are ``"conventions"`` keep the value of ``conventions``, which defaults to
    ``Conventions()``: Gini index, two branches, fully grown. Others replace it: with
    ``conventions="rpart"`` the depth is limited to 30, and with ``max_depth=None`` as well it is
    not limited.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.DecisionTreeClassifier(criterion="gain_ratio", categorical="multiway")
    >>> model.fit(X, y).predict(X[:2]).tolist()
    ['No', 'No']
    """

    _default_conventions = Conventions()

    def __init__(
        self,
        *,
        conventions: str | Conventions | None = None,
        criterion: CriterionName | Kept = KEPT,
        categorical: Categorical | Kept = KEPT,
        missing: Missing | Kept = KEPT,
        max_surrogates: int | Kept = KEPT,
        use_surrogate: int | Kept = KEPT,
        surrogate_style: int | Kept = KEPT,
        unseen: Unseen | Kept = KEPT,
        tied_label: TiedLabel | Kept = KEPT,
        max_depth: int | Kept | None = KEPT,
        max_leaf_nodes: int | Kept | None = KEPT,
        min_samples_split: float | Kept = KEPT,
        min_samples_leaf: float | Kept = KEPT,
        min_samples_branch: float | Kept | None = KEPT,
        min_weight_fraction_leaf: float | Kept = KEPT,
        max_features: MaxFeatures = None,
        min_impurity_decrease: float | Kept = KEPT,
        min_score: float | Kept | None = KEPT,
        significance: float | Kept | None = KEPT,
        significance_test: SignificanceTest | Kept = KEPT,
        zero_gain: bool | Kept = KEPT,
        threshold: ThresholdRule | Kept = KEPT,
        threshold_choice: ThresholdChoice | Kept = KEPT,
        threshold_penalty: bool | Kept = KEPT,
        average_gain: bool | Kept = KEPT,
        numeric_branch_fraction: float | Kept = KEPT,
        min_separation: float | Kept = KEPT,
        tie_tolerance: float | Kept = KEPT,
        collapse: bool | Kept = KEPT,
        max_bins: int | Kept | None = KEPT,
        exhaustive_categories: int | Kept = KEPT,
        pruning: MethodName | None = None,
        pruning_options: Mapping[str, Any] | None = None,
        ccp_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        priors: Mapping[Any, float] | Kept | None = KEPT,
        costs: Mapping[tuple[Any, Any], float] | Kept | None = KEPT,
        feature_costs: Mapping[str, float] | Kept | None = KEPT,
        decision_threshold: float | Kept | None = KEPT,
        numeric: Literal["threshold", "intervals"] = "threshold",
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.conventions = conventions
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.use_surrogate = use_surrogate
        self.surrogate_style = surrogate_style
        self.unseen = unseen
        self.tied_label = tied_label
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_branch = min_samples_branch
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.significance = significance
        self.significance_test = significance_test
        self.zero_gain = zero_gain
        self.threshold = threshold
        self.threshold_choice = threshold_choice
        self.threshold_penalty = threshold_penalty
        self.average_gain = average_gain
        self.numeric_branch_fraction = numeric_branch_fraction
        self.min_separation = min_separation
        self.tie_tolerance = tie_tolerance
        self.collapse = collapse
        self.max_bins = max_bins
        self.exhaustive_categories = exhaustive_categories
        self.pruning = pruning
        self.pruning_options = pruning_options
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.priors = priors
        self.costs = costs
        self.feature_costs = feature_costs
        self.decision_threshold = decision_threshold
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_tree(cls, tree: Tree) -> Self:
        """A fitted model of an existing tree: edited, read from a file, or imported.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> smaller = pt.ID3Classifier().fit(X, y).tree_.cut(1)
        >>> pt.DecisionTreeClassifier.from_tree(smaller).predict(X[:2]).tolist()
        ['No', 'No']
        """
        return fitted_around(cls(conventions=tree.conventions), tree)


@documented(
    *SINGLE,
    criterion=(
        '{"gini", "entropy", "log_loss", "information_gain", "error"}',
        'The score of a split. "entropy" and "log_loss" are names of "information_gain".',
    ),
    categorical=(
        '{"subset", "one_vs_rest"}',
        "Whether a subset of the categories is split from the rest, or a single category.",
    ),
)
class CARTClassifier(TreeClassifier):
    """CART (Breiman and others 1984): splits with two branches, by Gini index or entropy.

    Trees are fully grown by default. Prune them with ``ccp_alpha``, with
    ``pruning="cost_complexity"``, or afterwards with :func:`plaintree.prune`.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> print(pt.CARTClassifier(max_depth=1).fit(X, y).tree_.root.condition)
    Subset(feature=0, categories=(0,))
    """

    _default_conventions = CART

    def __init__(
        self,
        criterion: Literal["gini", "entropy", "log_loss", "information_gain", "error"] = "gini",
        *,
        categorical: Literal["subset", "one_vs_rest"] = "subset",
        missing: Missing = "most_common",
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
        min_score: float | None = None,
        significance: float | None = None,
        significance_test: SignificanceTest = "adjusted",
        zero_gain: bool = True,
        max_bins: int | None = None,
        pruning: MethodName | None = None,
        pruning_options: Mapping[str, Any] | None = None,
        ccp_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        priors: Mapping[Any, float] | None = None,
        costs: Mapping[tuple[Any, Any], float] | None = None,
        feature_costs: Mapping[str, float] | None = None,
        decision_threshold: float | None = None,
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
        self.min_score = min_score
        self.significance = significance
        self.significance_test = significance_test
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.pruning = pruning
        self.pruning_options = pruning_options
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.priors = priors
        self.costs = costs
        self.feature_costs = feature_costs
        self.decision_threshold = decision_threshold
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _conventions(self) -> Conventions:
        allowed = ("gini", *ENTROPY, "information_gain", "error")
        if self.criterion not in allowed:
            raise not_allowed("criterion", self.criterion, allowed)
        if self.categorical not in ("subset", "one_vs_rest"):
            raise not_allowed("categorical", self.categorical, ("subset", "one_vs_rest"))
        return super()._conventions()
