"""CART for a numeric target: trees whose leaves predict numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from plaintree.checks import DEFAULT_SEED
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.errors import not_allowed
from plaintree.tree.conventions import CART, Conventions, Missing, Unseen

from .documented import documented
from .max_features import MaxFeatures
from .single_tree import TreeRegressor
from .trees import SINGLE

REGRESSION = replace(CART, criterion="squared_error")
CRITERIA = ("squared_error", "absolute_error", "poisson")


@documented(
    *SINGLE,
    criterion=(
        '{"squared_error", "absolute_error", "poisson"}',
        "How far the targets of a node are from its prediction: their variance, their mean "
        "absolute deviation from the median, or half their Poisson deviance, which needs targets "
        "from 0 upwards. A split by deviance has no branch that predicts 0: its deviance from "
        "other targets would be infinite.",
    ),
    categorical=(
        '{"subset", "one_vs_rest"}',
        "Whether a subset of the categories is split from the rest, or a single category. The best "
        "subset is among those that are ordered by their means. By absolute error, subsets in the "
        "order of the medians are searched, and the best of all subsets may not be among them.",
    ),
    missing=(
        '{"most_common", "fractional", "branch", "error"}',
        "How rows with a missing value are split.",
    ),
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
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        *,
        categorical: Literal["subset", "one_vs_rest"] = "subset",
        missing: Missing = "most_common",
        unseen: Unseen = "missing",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = None,
        min_impurity_decrease: float = 0.0,
        zero_gain: bool = True,
        max_bins: int | None = None,
        ccp_alpha: float = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.zero_gain = zero_gain
        self.max_bins = max_bins
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
