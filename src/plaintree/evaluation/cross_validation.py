"""Cross-validation of an estimator: accuracy, balanced accuracy and confusion matrix.

Folds and metrics are scikit-learn's. They are combined here to report each fold as it is done, and
to handle small tables without warnings.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import KFold, StratifiedKFold

from plaintree.data.rows import take_rows
from plaintree.data.schema import Label
from plaintree.data.target import label_array, target_from
from plaintree.errors import ParameterError, TableError, UnseenCategoryWarning
from plaintree.progress import Progress, no_progress

from .quality import Quality, folds_name


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The results of cross-validation.

    Parameters
    ----------
    classes : tuple
        The class labels.
    accuracies : tuple of float
        The accuracy of each fold.
    balanced : tuple of float
        The balanced accuracy of each fold: the mean recall of its classes.
    confusion : ndarray of shape (n_classes, n_classes)
        The rows of all folds by their class (rows of the matrix) and their predicted class
        (columns), in the order of ``classes``.
    stratified : bool
        Whether each fold has the classes in the proportions of the table.
    """

    classes: tuple[Label, ...]
    accuracies: tuple[float, ...]
    balanced: tuple[float, ...]
    confusion: NDArray[np.int64]
    stratified: bool

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return len(self.accuracies)

    @property
    def mean(self) -> float:
        """The mean of the folds' accuracies."""
        return float(np.mean(self.accuracies))

    @property
    def balanced_mean(self) -> float:
        """The mean of the folds' balanced accuracies."""
        return float(np.mean(self.balanced))

    @property
    def quality(self) -> Quality:
        """The metrics of the predictions of all folds together."""
        return Quality(folds_name(self.n_folds), self.classes, self.confusion)

    @property
    def deviation(self) -> float:
        """The standard deviation of the folds' accuracies, with the number of folds as divisor."""
        return float(np.std(self.accuracies))


def cross_validate(
    learner: Any,
    X: Any,
    y: Any,
    *,
    n_folds: int = 10,
    seed: int = 0,
    on_fold: Callable[[Any], object] = lambda _model: None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Cross-validate an estimator: fit on all folds but one and predict that one, in turn.

    Folds are stratified if every class has at least ``n_folds`` rows. A table with fewer rows than
    folds gets one fold per row. The folds depend on y and the seed only, so estimators can be
    compared.

    Parameters
    ----------
    learner : estimator
        A classifier, not fitted.
    X : table of shape (n_rows, n_features)
        The table. Estimators of plaintree also take a ``Table``.
    y : sequence of shape (n_rows,)
        The class label of each row, or a ``Target``.
    n_folds : int, default=10
        The number of folds, at least 2.
    seed : int, default=0
        The seed of the shuffle.
    on_fold : callable
        Called with the fitted model of each fold after its rows have been predicted.
    progress : callable, default=None
        Called after each fold with a description, the number of folds that are done, and their
        total number.

    Returns
    -------
    CrossValidation
        The accuracies of the folds and the confusion matrix.

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
    target = target_from(y, n_rows)
    codes, classes = target.codes, target.classes
    n_folds = _possible_folds(n_folds, n_rows)
    stratified = bool(np.bincount(codes).min() >= n_folds)
    make = StratifiedKFold if stratified else KFold
    folds = make(n_folds, shuffle=True, random_state=seed)
    actual = np.asarray(target)
    predicted = np.empty_like(actual)
    accuracies, balanced = [], []
    report = progress or no_progress
    for training, test in folds.split(np.zeros(n_rows), codes):
        grown = clone(learner).fit(take_rows(X, training), take_rows(y, training))
        with warnings.catch_warnings():  # categories that only one fold has are to be expected
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            predicted[test] = grown.predict(take_rows(X, test))
        accuracies.append(float(accuracy_score(actual[test], predicted[test])))
        balanced.append(_mean_recall(actual[test], predicted[test]))
        on_fold(grown)
        report("cross-validating", len(accuracies), n_folds)
    confusion = np.array([[n_rows]])  # scikit-learn warns of a single class
    if len(classes) > 1:
        confusion = confusion_matrix(actual, predicted, labels=label_array(classes))
    return CrossValidation(classes, tuple(accuracies), tuple(balanced), confusion, stratified)


def _mean_recall(actual: NDArray[Any], predicted: NDArray[Any]) -> float:
    """The mean over the classes that occur; scikit-learn warns of others in its own."""
    _, codes, counts = np.unique(actual, return_inverse=True, return_counts=True)
    return float(np.mean(np.bincount(codes[predicted == actual], minlength=len(counts)) / counts))


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
