"""Bases of random forests and of bagged trees, for classes and for numbers.

They differ in what is sampled: features at each node, or features of each tree, whose estimator is
a parameter. Code of both is in sampled_trees.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from plaintree.checks import check_flag
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.errors import ParameterError
from plaintree.growing.each_tree import Part
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import Floats, PackedForest, Sampling
from plaintree.tree.tree import Tree

from .base import TableEstimator, TrainingData
from .class_weight import BALANCED_SUBSAMPLE
from .max_features import MaxFeatures, features_of, sampled_per_node
from .parts import needs_rows
from .sampled_trees import SampledTrees
from .single_tree import TreeEstimator, takes_missing
from .tune import MaxFeaturesTuning, search_max_features


class RandomForest(SampledTrees):
    """Trees each node of which chooses its split among a random sample of the features."""

    max_features: MaxFeatures | Literal["oob"]
    ccp_alpha: float
    max_features_: int
    tuning_: MaxFeaturesTuning

    @classmethod
    def _of_trees(cls, trees: Iterable[Tree], **parameters: Any) -> Self:
        """A fitted forest of existing trees."""
        packed = PackedForest.from_trees(trees)
        forest = cls(n_estimators=len(packed), conventions=packed.conventions, **parameters)
        forest.trees_ = packed
        forest._remember_schema(packed.schema)
        names = [feature.name for feature in packed.schema.features]
        forest.feature_names_in_ = np.array(names, dtype=object)
        return forest

    def _columns_per_node(
        self, data: TrainingData, conventions: Conventions, sampling: Sampling
    ) -> int:
        n_columns = len(data.schema.features)
        self.__dict__.pop("tuning_", None)  # of a fit before
        if self.max_features == "oob":

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

    def _alpha(self) -> float:
        return self.ccp_alpha

    def _needs_rows_left_out(self) -> bool:
        return bool(self.oob_score) or self.max_features == "oob"

    def _refuse_for_parts(self) -> None:
        super()._refuse_for_parts()
        if self.max_features == "oob":
            raise needs_rows('max_features="oob"', 'use "sqrt", a number or a fraction')
        if getattr(self, "class_weight", None) == BALANCED_SUBSAMPLE:
            raise needs_rows(f"class_weight={BALANCED_SUBSAMPLE!r}", 'use "balanced"')

    def _tree_learner(self) -> TreeEstimator:
        own, learner = self.get_params(deep=False), self._learner_of(None)
        shared = own.keys() & learner.get_params(deep=False).keys()
        learner.set_params(**{name: own[name] for name in shared - {"class_weight"}})
        if self.conventions is None:
            learner.conventions = self._default_conventions
        if self.max_features == "oob":
            learner.max_features = self.max_features_
        return learner


class BaggedTrees(SampledTrees):
    """Trees of an estimator of a single tree, which is a parameter."""

    estimator: TreeEstimator | None
    max_features: int | float
    bootstrap_features: bool

    def _given_or_default(self) -> TreeEstimator:
        """The estimator, or the default where none is given; not yet a copy."""
        raise NotImplementedError

    def _tree_learner(self) -> TreeEstimator:
        """What grows one of the trees."""
        learner: TreeEstimator = clone(self._given_or_default())
        if self._lists_categories():
            learner.categorical_features = self.categorical_features
        if type(learner)._grow is not TreeEstimator._grow:
            raise ParameterError(
                "estimator does more than grow a tree from its parameters",
                got=f"estimator={learner!r}",
                hint="use ID3Classifier, C45Classifier(pruning=None), CARTClassifier or "
                "DecisionTreeClassifier.",
            )
        if learner.pruning is not None:
            raise ParameterError(
                "estimator prunes its trees, and bagged trees are pruned by ccp_alpha only",
                got=f"estimator={learner!r}",
                hint="use pruning=None.",
            )
        return learner

    def _conventions(self) -> Conventions:
        return self._tree_learner()._conventions()

    def _read_weighted(self, *table: Any) -> TrainingData:
        return self._tree_learner()._read_weighted(*table)

    def _reader(self) -> TableEstimator:
        return self._tree_learner()

    def _refuse_for_parts(self) -> None:
        super()._refuse_for_parts()
        if self.max_features != 1.0 or self.bootstrap_features:
            got = f"max_features={self.max_features!r}"
            if self.bootstrap_features:
                got = "bootstrap_features=True"
            raise needs_rows(got, "set max_features of the estimator, which is by node")

    def _columns_per_node(self, data: TrainingData, *_: Any) -> int:
        n_columns = self._subspace(len(data.schema.features))
        wanted = features_of(self._tree_learner().max_features, n_columns)
        return sampled_per_node(wanted, n_columns)

    def _weighted(self, rows: Rows, schema: Schema) -> Floats | None:
        return self._tree_learner()._weighted(rows, schema)

    def _alpha(self) -> float:
        return self._tree_learner().ccp_alpha

    def _check(self) -> None:
        super()._check()
        check_flag("bootstrap_features", self.bootstrap_features)

    def _subspace(self, n_features: int) -> int:
        """The number of features drawn for each tree."""
        return features_of(self.max_features, n_features)

    def _features(self, n_features: int, seed: int, tree: int) -> NDArray[np.int64]:
        """The features drawn for a tree, ascending, so the first feature still wins ties."""
        n_drawn = self._subspace(n_features)
        if not self.bootstrap_features and n_drawn == n_features:
            return np.arange(n_features)
        random = np.random.default_rng((seed, tree))
        return np.sort(random.choice(n_features, n_drawn, replace=self.bootstrap_features))

    def _part_of(self, rows: Rows, sampling: Sampling) -> Callable[[int], Part] | None:
        n_features = len(rows.columns)
        if not self.bootstrap_features and self._subspace(n_features) == n_features:
            return None

        def part_of(tree: int) -> Part:
            return Part(self._features(n_features, sampling.seed, tree), rows.weights)

        return part_of

    @property
    def estimators_features_(self) -> list[NDArray[np.int64]]:
        """The features of each tree by their positions, as often as they were drawn."""
        seed = self._known_sampling().seed
        return [self._features(self.n_features_in_, seed, i) for i in range(len(self))]

    def _allows_missing(self) -> bool:
        return takes_missing(self.estimator)
