"""Random forests and bagged trees of classes as scikit-learn estimators (Breiman 1996, 2001).

Each tree is grown on a sample of the rows; by default a bootstrap sample, drawn with replacement.
Each node of a random forest chooses its split among a random sample of the features. How they are
grown is in forest_bases.py and sampled_trees.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import numpy as np

from plaintree.checks import DEFAULT_SEED, check_choice
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.target import comparable
from plaintree.growing.each_tree import Part
from plaintree.tree.conventions import KEPT, Categorical, Conventions, Kept, Missing, Unseen
from plaintree.tree.forest import VOTING, Floats, Sampling, Voting
from plaintree.tree.tree import Tree

from .base import CriterionName
from .class_weight import (
    BALANCED_SUBSAMPLE,
    ForestClassWeight,
    balanced_in_sample,
    class_weighted,
)
from .documented import documented
from .forest_bases import BaggedTrees, RandomForest
from .max_features import MaxFeatures
from .sampled_trees import SampledTreesClassifier
from .single_tree import TreeClassifier, single_tree

ENSEMBLE = (
    "trees_",
    "estimator_",
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
    class_weight=(
        'dict, "balanced", "balanced_subsample" or None',
        'The weights of the classes; classes that a dict leaves out weigh 1. "balanced" gives all '
        'classes the same total weight in the table, "balanced_subsample" in the sample of each '
        "tree.",
    ),
    max_features="The number of features sampled at each node: a number, a fraction, the root or "
    'the logarithm of their number, None for all, or "oob" to choose it by out-of-bag error '
    "(:func:`plaintree.tune_max_features`). Where none of them offers a split, more are sampled.",
)
class RandomForestClassifier(RandomForest, SampledTreesClassifier):
    """A random forest (Breiman 2001) for tables with numbers, text and missing values.

    Breiman's trees vote; here class probabilities are averaged by default, as in scikit-learn
    (``voting="hard"`` is the vote).

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
        voting: Voting = "soft",
        oob_score: bool | Callable[[Any, Any], float] = False,
        warm_start: bool = False,
        class_weight: ForestClassWeight = None,
        conventions: str | Conventions | None = None,
        criterion: CriterionName | Kept = KEPT,
        categorical: Categorical | Kept = KEPT,
        missing: Missing | Kept = KEPT,
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
        ccp_alpha: float = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def from_trees(cls, trees: Iterable[Tree], voting: Voting = "soft") -> Self:
        """Make a fitted forest of existing trees.

        Parameters
        ----------
        trees : iterable of Tree
            Trees with the same schema and conventions.
        voting : {"soft", "hard"}, default="soft"
            Whether class probabilities are averaged, or each tree has one vote.

        Returns
        -------
        RandomForestClassifier
            A fitted forest, without out-of-bag estimates.

        Raises
        ------
        ParameterError
            If there is no tree, or the trees differ in schema or conventions.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> trees = [pt.CARTClassifier(max_depth=depth).fit(X, y).tree_ for depth in (1, 1)]
        >>> len(pt.RandomForestClassifier.from_trees(trees).trees_)
        2
        """
        check_choice("voting", voting, VOTING)
        return cls._of_trees(trees, voting=voting)

    def _weighted(self, rows: Rows, schema: Schema) -> Floats | None:
        return comparable(class_weighted(rows, schema, self.class_weight, by_tree=True))

    def _part_of(self, rows: Rows, sampling: Sampling) -> Callable[[int], Part] | None:
        if not (isinstance(self.class_weight, str) and self.class_weight == BALANCED_SUBSAMPLE):
            return None
        features = np.arange(len(rows.columns))
        n_rows = int(np.count_nonzero(rows.known_weights))

        def part_of(tree: int) -> Part:
            return Part(features, balanced_in_sample(rows, sampling.draw(tree, n_rows)))

        return part_of


@documented(
    *ENSEMBLE,
    "estimators_features_",
    max_features=(
        "int or float",
        "The number of features drawn for each tree, or the fraction of them. How many each node "
        "samples is the estimator's ``max_features``.",
    ),
    estimator="How each tree is grown; None is :class:`plaintree.CARTClassifier`. Its ``pruning`` "
    "must be None, because bagging averages out what pruning would remove; ``ccp_alpha`` is used.",
    categorical_features="Numeric columns to be read as categories: names, positions or a mask. "
    "Columns listed here replace those of the estimator.",
)
class BaggedTreesClassifier(BaggedTrees, SampledTreesClassifier):
    """Bagged trees (Breiman 1996): fully grown trees on bootstrap samples of the rows.

    Breiman's trees vote; here class probabilities are averaged by default, as in scikit-learn
    (``voting="hard"`` is the vote).

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
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        voting: Voting = "soft",
        oob_score: bool | Callable[[Any, Any], float] = False,
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
        self.voting = voting
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _given_or_default(self) -> TreeClassifier:
        from .trees import CARTClassifier

        if self.estimator is None:
            return CARTClassifier()
        return single_tree(self.estimator, TreeClassifier, "BaggingClassifier")
