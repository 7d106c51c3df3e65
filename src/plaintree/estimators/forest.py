"""Random forests and bagged trees as scikit-learn estimators.

Each tree is grown on a sample of the rows (bootstrap: as many as there are, drawn with
replacement), each node of a random forest chooses among a few columns drawn at random, and all
trees vote (Breiman 1996, 2001). How that is done is in sampled_trees.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, log2, sqrt
from typing import Any, Literal, Self

import numpy as np

from plaintree.checks import check_choice, check_number
from plaintree.errors import not_allowed
from plaintree.tree.conventions import Categorical, Conventions, Missing, Unseen
from plaintree.tree.forest import VOTING, PackedForest, Sampling, Voting
from plaintree.tree.tree import Tree

from .base import CategoricalFeatures, CriterionName, TrainingData
from .sampled_trees import SampledTreesClassifier

MaxFeatures = Literal["sqrt", "log2", "oob"] | int | float | None

PARAMETERS = """
    n_estimators
        The number of trees.
    bootstrap, max_samples
        Rows of each tree: as many as the table has, drawn with replacement; ``max_samples`` draws
        another number or share. Without ``bootstrap``, all rows, or ``max_samples`` of them drawn
        without replacement.
    voting
        ``"majority"``: each tree has one vote. ``"probability"``: each tree gives its class shares.
    oob_score
        Whether to ask, after growing, each tree about the rows out of its bag: sets ``oob_score_``
        (accuracy), ``oob_decision_function_`` (class shares of each row, NaN where it was in every
        bag; other measures can be computed from them) and ``oob_error_curve_`` (the error of the
        first 1, 2, ... trees).
    class_weight
        None, ``"balanced"`` (every class as heavy as any other) or a weight for each class. Classes
        without one weigh 1; further ones are left out, if every class of the table has a weight.
    random_state
        Seed of the samples and draws: the same one gives the same trees, for any ``n_jobs``.
    conventions, criterion, categorical, missing, unseen, max_depth, min_samples_split, \
min_samples_branch, min_score, zero_gain, max_bins
        Of every tree, as for :class:`plaintree.DecisionTreeClassifier`; None leaves what
        ``conventions`` says, and without it CART.
    categorical_features, n_jobs
        As for single trees.

    Attributes of a fitted model: ``trees_``, a sequence of ordinary trees (packed, made when they
    are looked at); ``feature_importances_``; ``schema_``, ``classes_``, ``n_classes_``,
    ``n_features_in_``, ``feature_names_in_`` (if the table had names)."""


class RandomForestClassifier(SampledTreesClassifier):
    __doc__ = f"""A random forest (Breiman 2001), on tables as they are: text, gaps and numbers.

    Parameters
    ----------
    max_features
        How many columns each node draws at random to choose from: ``"sqrt"`` and ``"log2"`` of
        their number M, a number, a share of them, None for all, or ``"oob"``: tried out by
        out-of-bag error (:func:`plaintree.tune_max_features`), after which ``max_features_`` is the
        number found. Where none of the columns drawn offers a test, further ones are drawn.
{PARAMETERS}

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> forest = pt.RandomForestClassifier(100, random_state=0, oob_score=True).fit(X, y)
    >>> forest.score(X, y), len(forest.trees_), len(forest.oob_error_curve_)
    (1.0, 100, 100)
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        max_features: MaxFeatures = "sqrt",
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        voting: Voting = "majority",
        oob_score: bool = False,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        conventions: str | Conventions | None = None,
        criterion: CriterionName | None = None,
        categorical: Categorical | None = None,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_branch: float | None = None,
        min_score: float | None = None,
        zero_gain: bool | None = None,
        max_bins: int | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.conventions = conventions
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_branch = min_samples_branch
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_trees(cls, trees: Iterable[Tree], voting: Voting = "probability") -> Self:
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
        names = [attribute.name for attribute in packed.schema.attributes]
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
                forest = self._grow(data, conventions, sampling, drawn_of(wanted, n_columns))
                return self._evidence(forest, data.rows, sampling).error

            self.tuning_ = search_max_features(error_of, n_columns)
            self.max_features_ = self.tuning_.best
        else:
            self.max_features_ = features_of(self.max_features, n_columns)
        return drawn_of(self.max_features_, n_columns)

    def _needs_rows_left_out(self) -> bool:
        return bool(self.oob_score) or self.max_features == "oob"


class BaggedTreesClassifier(SampledTreesClassifier):
    __doc__ = f"""Bagged trees (Breiman 1996): full trees on bootstrap samples, which vote.

    A random forest in which every node looks at all columns.

    Parameters
    ----------{PARAMETERS}

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> pt.BaggedTreesClassifier(50, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        voting: Voting = "majority",
        oob_score: bool = False,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        conventions: str | Conventions | None = None,
        criterion: CriterionName | None = None,
        categorical: Categorical | None = None,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_branch: float | None = None,
        min_score: float | None = None,
        zero_gain: bool | None = None,
        max_bins: int | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.conventions = conventions
        self.criterion = criterion
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_branch = min_samples_branch
        self.min_score = min_score
        self.zero_gain = zero_gain
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs


def features_of(max_features: Any, n_columns: int) -> int:
    """The number of columns that a node draws, of so many.

    >>> features_of("sqrt", 20), features_of(0.5, 20), features_of(None, 20)
    (4, 10, 20)
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str):
        if max_features not in ("sqrt", "log2"):
            raise not_allowed("max_features", max_features, ("sqrt", "log2", "oob", None, 3, 0.5))
        root = sqrt(n_columns) if max_features == "sqrt" else log2(n_columns)
        return max(1, int(root))
    if isinstance(max_features, float | np.floating):
        share = check_number("max_features", max_features, 0, 1, above=True)
        return max(1, ceil(share * n_columns - 1e-9))
    return int(check_number("max_features", max_features, 1, n_columns))


def drawn_of(max_features: int, n_columns: int) -> int:
    """What the engine is told: 0 where every node looks at all columns."""
    return 0 if max_features >= n_columns else max_features
