"""Cross-validation of an estimator: the metrics of its task, by fold and of all folds together.

Folds and metrics are scikit-learn's. They are combined here to report each fold as it is done, and
to handle small tables without warnings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import KFold, StratifiedKFold

from plaintree.data.rows import take_rows
from plaintree.data.schema import Label
from plaintree.data.target import NumericTarget, Target, label_array, numbers_from, target_from
from plaintree.errors import ParameterError, TableError, UnseenCategoryWarning
from plaintree.estimators.registry import TaskName
from plaintree.progress import Progress, no_progress

from .metrics import MAIN, METRICS, Costs, cost_metric, costs_of, task_of
from .quality import AnyQuality, NumericQuality, Quality, folds_name


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The results of cross-validation.

    Parameters
    ----------
    quality : Quality or NumericQuality
        The metrics of the predictions of all folds together.
    scores : mapping of str to tuple of float
        The value of each fold, by the key of the metric: ``accuracy`` and ``balanced_accuracy``
        (the mean recall of its classes) for classes; ``rmse``, ``mae`` and ``r2`` for numbers,
        with NaN for the R2 of a fold of one row; ``mean_cost`` if there are costs.
    stratified : bool
        Whether each fold has the classes in the proportions of the table.
    """

    quality: AnyQuality
    scores: Mapping[str, tuple[float, ...]]
    stratified: bool

    @property
    def task(self) -> TaskName:
        """Whether the predictions are classes or numbers."""
        return self.quality.task

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return len(self.scores[MAIN[self.task].key])

    @property
    def mean(self) -> float:
        """The mean of the folds' accuracies, or of their RMSE."""
        return self.mean_of(MAIN[self.task].key)

    @property
    def deviation(self) -> float:
        """The standard deviation of the folds' accuracies, or of their RMSE; the divisor is the
        number of folds."""
        return self.deviation_of(MAIN[self.task].key)

    def mean_of(self, key: str) -> float:
        """The mean of a metric over the folds in which it is defined; NaN if there are none."""
        known = self._known(key)
        return float(np.mean(known)) if len(known) else float("nan")

    def deviation_of(self, key: str) -> float:
        """The standard deviation of a metric over the folds; see :attr:`deviation`."""
        known = self._known(key)
        return float(np.std(known)) if len(known) else float("nan")

    def _known(self, key: str) -> NDArray[np.float64]:
        values = np.array(self.scores[key])
        return np.asarray(values[~np.isnan(values)])

    # ---------------------------------------------------------------- classes only

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The accuracy of each fold."""
        return self.scores["accuracy"]

    @property
    def balanced(self) -> tuple[float, ...]:
        """The balanced accuracy of each fold."""
        return self.scores["balanced_accuracy"]

    @property
    def balanced_mean(self) -> float:
        """The mean of the folds' balanced accuracies."""
        return self.mean_of("balanced_accuracy")

    @property
    def classes(self) -> tuple[Label, ...]:
        """The class labels; empty for numbers."""
        return self.quality.classes if isinstance(self.quality, Quality) else ()

    @property
    def confusion(self) -> NDArray[np.int64]:
        """The rows of all folds by their class (rows of the matrix) and their predicted class
        (columns), in the order of ``classes``."""
        if not isinstance(self.quality, Quality):
            return np.zeros((0, 0), dtype=np.int64)
        return self.quality.confusion


def cross_validate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    n_folds: int = 10,
    seed: int = 0,
    costs: Costs | None = None,
    on_fold: Callable[[Any], object] = lambda _model: None,
    on_test: Callable[[Any, NDArray[np.intp]], object] = lambda _model, _rows: None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Cross-validate an estimator: fit on all folds but one and predict that one, in turn.

    Folds are stratified if there are classes, of at least ``n_folds`` rows each. A table with
    fewer rows than folds gets one fold per row. The folds depend on y and the seed only, so
    estimators can be compared.

    Parameters
    ----------
    learner : estimator
        A classifier or regressor, not fitted.
    X : table of shape (n_rows, n_features)
        The table. Estimators of plaintree also take a ``Table``.
    y : sequence of shape (n_rows,)
        The class label or number of each row, or a ``Target`` or ``NumericTarget``.
    n_folds : int, default=10
        The number of folds, at least 2.
    seed : int, default=0
        The seed of the shuffle.
    costs : dict of (str, str) to float, default=None
        The costs of errors to measure the mean cost by. None uses those of the estimator, if any.
    on_fold : callable
        Called with the fitted model of each fold after its rows have been predicted.
    on_test : callable
        Called with the fitted model of each fold and the positions of its rows, which the model
        has not seen.
    progress : callable, default=None
        Called after each fold with a description, the number of folds that are done, and their
        total number.

    Returns
    -------
    CrossValidation
        The metrics of each fold, and of all predictions together.

    Raises
    ------
    ParameterError
        If ``n_folds`` is below 2.
    TableError
        If the table has fewer than two rows.

    Examples
    --------
    >>> from plaintree import ID3Classifier, datasets
    >>> X, y = datasets.load_tennis()
    >>> cross_validate(ID3Classifier(), X, y).confusion.sum()
    np.int64(14)
    """
    n_rows = len(X)
    target: Target | NumericTarget
    target = numbers_from(y, n_rows) if is_regressor(learner) else target_from(y, n_rows)
    n_folds = _possible_folds(n_folds, n_rows)
    stratified = bool(target.classes) and bool(np.bincount(target.encoded).min() >= n_folds)
    make = StratifiedKFold if stratified else KFold
    folds = make(n_folds, shuffle=True, random_state=seed)
    actual = np.asarray(target)
    predicted = np.empty_like(actual)
    costs = costs_of(learner) if costs is None else costs
    metrics = METRICS[task_of(target.classes)]
    metrics += () if costs is None else (cost_metric(costs),)
    scores: dict[str, list[float]] = {metric.key: [] for metric in metrics}
    report = progress or no_progress
    for done, (training, test) in enumerate(folds.split(np.zeros(n_rows), target.encoded), 1):
        grown = clone(learner).fit(take_rows(X, training), take_rows(y, training))
        with warnings.catch_warnings():  # categories that only one fold has are to be expected
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            predicted[test] = grown.predict(take_rows(X, test))
        for metric in metrics:
            scores[metric.key].append(metric.of(actual[test], predicted[test]))
        on_fold(grown)
        on_test(grown, test)
        report("cross-validating", done, n_folds)
    quality = _of_all_folds(target, actual, predicted, folds_name(n_folds), costs)
    return CrossValidation(quality, {key: tuple(v) for key, v in scores.items()}, stratified)


def _of_all_folds(
    target: Target | NumericTarget,
    actual: NDArray[Any],
    predicted: NDArray[Any],
    name: str,
    costs: Costs | None,
) -> AnyQuality:
    if not target.classes:
        return NumericQuality(name, actual, predicted)
    confusion = np.array([[len(actual)]])  # scikit-learn warns of a single class
    if len(target.classes) > 1:
        confusion = confusion_matrix(actual, predicted, labels=label_array(target.classes))
    return Quality(name, target.classes, confusion, costs)


def check_folds(n_folds: int) -> None:
    """Raise a ParameterError if there are fewer than two folds."""
    if n_folds < 2:
        raise ParameterError(
            "cross-validation needs at least two folds",
            got=f"{n_folds}",
            hint="10 is usual.",
        )


def _possible_folds(n_folds: int, n_rows: int) -> int:
    check_folds(n_folds)
    if n_rows < 2:
        raise TableError(
            "a single row cannot be divided into folds",
            hint="give at least two rows, or leave cross-validation out.",
        )
    return min(n_folds, n_rows)
