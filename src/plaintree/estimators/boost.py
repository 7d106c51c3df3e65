"""Boosting: trees grown one after the other, each on rows weighted by the errors of those before.

AdaBoost for K classes (SAMME; with two classes it is AdaBoost.M1):

1. Each row has a weight: at first its sample weight, or 1.
2. A tree is grown on the weighted rows. Its *error* e is the fraction of the total weight that it
   misclassifies.
3. The weight of the tree in the vote is learning_rate * (log((1 - e) / e) + log(K - 1)). It is 0
   for a tree that is no better than guessing (e = 1 - 1/K), and grows as the error falls.
4. The weights of misclassified rows are multiplied by the exponential of that weight. All weights
   are then scaled to their previous sum, so minimum weights of branches keep their meaning. Repeat
   from 2.

References: Freund and Schapire 1997; Quinlan, Bagging, Boosting, and C4.5, 1996; Zhu, Zou, Rosset
and Hastie, Multi-class AdaBoost, 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, fsum, log
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from plaintree.checks import DEFAULT_SEED, check_number, check_random_state
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.progress import Progress, no_progress
from plaintree.threads import thread_count
from plaintree.tree.conventions import Conventions
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree

from .base import TrainingData
from .batches import in_batches
from .documented import documented
from .ensemble import ClassifierEnsemble
from .registry import BY_SHORT_NAME
from .single_tree import TreeClassifier, single_tree, takes_missing

Floats = NDArray[np.float64]

GUESSING = 1e-9
"""A tree that is better than guessing by no more than this is so by rounding only."""
MIN_FRACTION = float(np.finfo(np.float64).eps)
"""No row's weight falls below this fraction of the total, so none is lost to rounding."""


@dataclass(frozen=True)
class Round:
    """A tree, its weighted training error, its weight in the vote, and its seed."""

    tree: Tree
    error: float
    weight: float
    seed: int


@documented(
    "trees_",
    "estimator_",
    "estimators_",
    "estimator_weights_",
    "estimator_errors_",
    "feature_importances_",
    estimator="How each tree is grown: an estimator of a single tree that takes weights. None is "
    ":class:`plaintree.C45Classifier`; scikit-learn's default is a tree of depth 1, here "
    "``CARTClassifier(max_depth=1)``.",
    n_estimators="The maximum number of trees. Boosting stops after a tree without an error, which "
    "is kept, and at one that is no better than guessing, which is kept only if it is the first.",
    random_state="Seed of what the estimator draws at random, which mostly is nothing. Each tree "
    "gets a seed of its own.",
    categorical_features="Numeric columns to be read as categories: names, positions or a mask. "
    "Columns listed here replace those of the estimator.",
    n_jobs="The number of threads; a number given here replaces that of the estimator.",
)
class BoostedTreesClassifier(ClassifierEnsemble):
    """AdaBoost (SAMME for many classes): trees that vote, each grown on the errors of the others.

    The weights of the rows have the same sum in every round, the number of rows where no weights
    are given, so limits such as ``min_samples_leaf`` keep their meaning.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.BoostedTreesClassifier(pt.CARTClassifier(max_depth=2), n_estimators=10)
    >>> [round(score, 2) for score in model.fit(X, y).staged_score(X, y)][:4]
    [0.86, 0.86, 1.0, 1.0]
    """

    trees_: list[Tree]
    estimator_weights_: Floats
    estimator_errors_: Floats

    def __init__(
        self,
        estimator: TreeClassifier | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    # ---------------------------------------------------------------- fitting

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame, an array, or a mapping or sequence of rows.
        y : sequence of shape (n_rows,)
            The class label of each row.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row in the first round; None is 1 for all.
        progress : callable, default=None
            Called after each tree with a description, the number of trees that are done, and
            ``n_estimators``. Boosting may stop before.

        Returns
        -------
        self
            The fitted estimator.
        """
        n_estimators = self._count_of_trees()
        learner = self._tree_learner()
        conventions = learner._conventions()
        data = learner._read_weighted(X, y, sample_weight, conventions)
        boosting = _Boosting(learner, conventions, data, self._rate())
        random = check_random_state(self.random_state)
        rounds = boosting.rounds(n_estimators, random, progress or no_progress)
        self.trees_ = [done.tree for done in rounds]
        self.estimator_weights_ = np.array([done.weight for done in rounds])
        self.estimator_errors_ = np.array([done.error for done in rounds])
        self._seeds = [done.seed for done in rounds]
        self._remember(data)
        return self

    def _tree_learner(self) -> TreeClassifier:
        """The estimator, not fitted, with the parameters that are given here."""
        default = BY_SHORT_NAME["c45"].load()
        learner: TreeClassifier = (
            default() if self.estimator is None else clone(_weightable(self.estimator))
        )
        if self._lists_categories():
            learner.categorical_features = self.categorical_features
        if self.n_jobs is not None:
            learner.n_jobs = self.n_jobs
        return learner

    def _member(self, index: int) -> TreeClassifier:
        learner = self._tree_learner()
        if not hasattr(self, "_seeds"):  # from a model file
            return learner
        return _seeded(learner, self._seeds[index])

    def _uses_chance(self) -> bool:
        return isinstance(self.estimator, TreeClassifier) and self.estimator._uses_chance()

    def _rate(self) -> float:
        return check_number("learning_rate", self.learning_rate, 0, 1000, above=True)

    # ---------------------------------------------------------------- predicting

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes: those with the largest total weight of votes.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted labels; the first class on ties.
        """
        return self._labels(self.predict_proba(X))

    @in_batches
    def predict_proba(self, X: Any) -> Floats:
        """Predict class probabilities: each class's fraction of the weighted votes.

        AdaBoost optimises the predicted class, not its probability. Calibrate the probabilities
        (scikit-learn's CalibratedClassifierCV) before you rely on them.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with the classes in the order of ``classes_``.
        """
        *_, probabilities = self.staged_predict_proba(X)
        return probabilities

    @in_batches
    def decision_function(self, X: Any) -> Floats:
        """Compute the lead of each class, from -1 to 1; with two classes, of the second only.

        A class with the fraction p of the weighted votes has p - (1 - p) / (K - 1): 1 if all trees
        vote for it, 0 if its fraction is the mean of the others.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or (n_rows,)
            The leads; one per row with two classes.
        """
        return self._leads(self.predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield :meth:`predict` of the first tree, the first two, and so on."""
        return map(self._labels, self.staged_predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield :meth:`predict_proba` of the first tree, the first two, and so on."""
        columns = self._columns_of(X)
        threads = thread_count(self.n_jobs)
        votes = np.zeros((len(columns[0]), len(self.classes_)))
        rows = np.arange(len(votes))
        given = 0.0
        for tree, weight in zip(self.trees_, self.estimator_weights_.tolist(), strict=True):
            votes[rows, class_codes(tree, columns, n_threads=threads)] += weight
            given += weight
            yield votes / given

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield :meth:`decision_function` of the first tree, the first two, and so on."""
        return map(self._leads, self.staged_predict_proba(X))

    def staged_score(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Iterator[float]:
        """Yield the accuracy of the first tree, the first two, and so on."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _labels(self, probabilities: Floats) -> NDArray[Any]:
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def _leads(self, probabilities: Floats) -> Floats:
        n_classes = probabilities.shape[1]
        if n_classes == 1:
            return np.ones(len(probabilities))
        leads = (n_classes * probabilities - 1) / (n_classes - 1)
        return np.asarray(leads[:, 1] if n_classes == 2 else leads)

    # ---------------------------------------------------------------- reading

    @property
    def feature_importances_(self) -> Floats:
        """The weighted mean of the trees' feature importances."""
        check_is_fitted(self)
        each = np.stack([tree.importances() for tree in self.trees_])
        return np.asarray(np.average(each, axis=0, weights=self.estimator_weights_))

    def used_columns(self) -> frozenset[int]:
        return frozenset[int]().union(*(tree.used_columns() for tree in self.trees_))

    def _trained_conventions(self) -> Conventions | None:
        return self.trees_[0].conventions

    def _allows_missing(self) -> bool:
        return takes_missing(self.estimator)


def _weightable(estimator: Any) -> TreeClassifier:
    """The estimator, if it grows a single tree and takes weights."""
    learner = single_tree(estimator, TreeClassifier, "AdaBoostClassifier")
    if not has_fit_parameter(learner, "sample_weight"):
        raise ParameterError(
            f"{type(learner).__name__} doesn't support sample_weight, and boosting weights rows",
            got=f"estimator={learner!r}",
            hint="use an estimator such as C45Classifier().",
        )
    return learner


@dataclass(frozen=True, eq=False)
class _Boosting:
    """The rounds on a table that has been read."""

    learner: TreeClassifier
    conventions: Conventions
    data: TrainingData
    learning_rate: float

    def rounds(self, n_most: int, random: np.random.RandomState, report: Progress) -> list[Round]:
        """Rounds until there are enough or there is nothing left to learn."""
        rows = self.data.rows
        total = fsum(rows.known_weights)  # exact, so the order of the rows does not matter
        n_classes = len(np.unique(rows.codes[rows.known_weights > 0]))
        done: list[Round] = []
        while len(done) < n_most:
            seed = int(random.randint(np.iinfo(np.int32).max))
            tree = self._grown(rows, seed)
            wrong = self._wrong(tree)
            error = fsum(rows.known_weights[wrong]) / total
            weight = self.learning_rate * self._vote(error, n_classes)
            if weight <= 0:  # no better than guessing: of use only if there is nothing else
                return done or [Round(tree, error, 1.0, seed)]
            done.append(Round(tree, error, weight, seed))
            report("growing trees", len(done), n_most)
            if error == 0:
                return done
            changed = _reweighted(rows.known_weights, wrong, done[-1])
            lowest = np.where(rows.known_weights > 0, MIN_FRACTION * total, 0.0)
            rows = replace(rows, weights=np.maximum(changed, lowest))
        return done

    def _grown(self, rows: Rows, seed: int) -> Tree:
        data = replace(self.data, rows=rows)
        return _seeded(self.learner, seed)._tree_of(data, self.conventions)

    def _wrong(self, tree: Tree) -> NDArray[np.bool_]:
        """Which rows the tree misclassifies."""
        rows = self.data.rows
        predicted = class_codes(tree, rows.columns, n_threads=thread_count(self.learner.n_jobs))
        return np.asarray(predicted != rows.codes)

    def _vote(self, error: float, n_classes: int) -> float:
        """The weight of a tree with this error, before the learning rate; 0 if it is useless."""
        if n_classes > 1 and error >= 1 - 1 / n_classes - GUESSING:
            return 0.0
        shown = error or 0.5 / np.count_nonzero(self.data.rows.known_weights)
        return log((1 - shown) / shown) + log(max(n_classes - 1, 1))


def _reweighted(weights: Floats, wrong: NDArray[np.bool_], done: Round) -> Floats:
    """The weights of the next round, with the same sum.

    Lower weights of correctly classified rows are the same as higher ones of the others, and cannot
    overflow.
    """
    lowered = exp(-done.weight)
    scale = 1 / (done.error + (1 - done.error) * lowered)
    return weights * np.where(wrong, scale, scale * lowered)


def _seeded(learner: TreeClassifier, seed: int) -> TreeClassifier:
    """A copy of the learner with the seed."""
    seeded: TreeClassifier = clone(learner).set_params(random_state=seed)
    return seeded
