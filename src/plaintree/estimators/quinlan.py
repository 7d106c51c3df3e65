"""Quinlan's trees as scikit-learn estimators: ID3 and C4.5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from plaintree.checks import DEFAULT_SEED
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.errors import not_allowed
from plaintree.pruning.names import MethodName
from plaintree.tree.conventions import (
    C45,
    ID3,
    Conventions,
    Missing,
    SignificanceTest,
    ThresholdChoice,
    ThresholdRule,
    Unseen,
)

from .base import CriterionName
from .class_weight import ClassWeight
from .documented import MIN_SAMPLES_BRANCH, SINGLE, documented
from .max_features import MaxFeatures
from .single_tree import TreeClassifier


@documented(*SINGLE)
class ID3Classifier(TreeClassifier):
    """ID3 (Quinlan 1986): one branch per category, chosen by information gain.

    Growing continues while features are left, even if nothing is gained. Numeric features are split
    at the midpoint of two neighbouring values, as textbooks extend ID3. A tree with more than
    4,194,304 branches without rows is refused.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> pt.ID3Classifier().fit(X, y).tree_.root.feature
    'Outlook'
    """

    _default_conventions = ID3

    def __init__(
        self,
        criterion: CriterionName = "information_gain",
        *,
        missing: Missing = "most_common",
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
        pruning: MethodName | None = None,
        pruning_options: Mapping[str, Any] | None = None,
        ccp_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        numeric: Literal["threshold", "intervals"] = "threshold",
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.missing = missing
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
        self.pruning = pruning
        self.pruning_options = pruning_options
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs


@documented(
    *SINGLE,
    min_samples_branch=("float", MIN_SAMPLES_BRANCH),
    criterion=('{"gain_ratio", "information_gain"}', "The score of a split (option -g)."),
    categorical=(
        '{"multiway", "grouped"}',
        "One branch per category, or one per group of categories (option -s).",
    ),
)
class C45Classifier(TreeClassifier):
    """C4.5 (Quinlan 1993) as its last public release, R8, grows and prunes trees.

    With its default options, trees are those of the program node by node. The conventions in which
    R8 differs from the textbooks can be switched: ``threshold``, ``threshold_choice``,
    ``threshold_penalty``, ``average_gain``, ``numeric_branch_fraction``, ``collapse``.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> pt.C45Classifier().fit(X, y).tree_.n_nodes
    8
    """

    _default_conventions = C45

    def __init__(
        self,
        criterion: Literal["gain_ratio", "information_gain"] = "gain_ratio",
        *,
        min_samples_branch: float = 2,
        min_samples_split: float = 2,
        pruning: MethodName | None = "error_based",
        confidence: float = 0.25,
        pruning_options: Mapping[str, Any] | None = None,
        ccp_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        categorical: Literal["multiway", "grouped"] = "multiway",
        missing: Missing = "fractional",
        unseen: Unseen = "missing",
        max_depth: int | None = None,
        max_features: MaxFeatures = None,
        min_impurity_decrease: float = 0.0,
        min_score: float | None = None,
        significance: float | None = None,
        significance_test: SignificanceTest = "adjusted",
        threshold: ThresholdRule = "data_value",
        threshold_choice: ThresholdChoice = "gain",
        threshold_penalty: bool = True,
        average_gain: bool = True,
        numeric_branch_fraction: float = 0.1,
        collapse: bool = True,
        numeric: Literal["threshold", "intervals"] = "threshold",
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_branch = min_samples_branch
        self.min_samples_split = min_samples_split
        self.pruning = pruning
        self.confidence = confidence
        self.pruning_options = pruning_options
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.significance = significance
        self.significance_test = significance_test
        self.threshold = threshold
        self.threshold_choice = threshold_choice
        self.threshold_penalty = threshold_penalty
        self.average_gain = average_gain
        self.numeric_branch_fraction = numeric_branch_fraction
        self.collapse = collapse
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _conventions(self) -> Conventions:
        allowed = ("gain_ratio", "information_gain")
        if self.criterion not in allowed:
            raise not_allowed("criterion", self.criterion, allowed)
        if self.categorical not in ("multiway", "grouped"):
            raise not_allowed("categorical", self.categorical, ("multiway", "grouped"))
        return super()._conventions()
