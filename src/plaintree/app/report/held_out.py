"""What the models of cross-validation predict for the rows that they have not seen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.table import Table
from plaintree.data.target import NumericTarget, Target
from plaintree.errors import UnseenCategoryWarning
from plaintree.evaluation.cross_validation import cross_validate

if TYPE_CHECKING:
    from .findings import Findings


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The predictions and class probabilities of all rows, filled in fold by fold.

    >>> import plaintree as pt
    >>> from plaintree.data.table import table_from
    >>> from plaintree.data.target import target_from
    >>> from plaintree.evaluation.cross_validation import cross_validate
    >>> X, y = pt.datasets.load_golf()
    >>> held_out = HeldOut.of(table_from(X), target_from(y, 14))
    >>> folds = cross_validate(pt.ID3Classifier(), X, y, n_folds=2, on_test=held_out.keep)
    >>> int((held_out.labels == y.to_numpy()).sum()) == 14 - folds.quality.n_errors
    True
    """

    table: Table
    classes: tuple[Any, ...]
    labels: NDArray[Any]
    probabilities: NDArray[np.float64]

    @classmethod
    def of(cls, table: Table, target: Target | NumericTarget) -> HeldOut:
        """Without predictions, for the rows of a table."""
        labels = np.empty_like(np.asarray(target))
        classes = tuple(target.classes)
        return cls(table, classes, labels, np.zeros((len(labels), len(classes))))

    def keep(self, model: Any, rows: NDArray[np.intp]) -> None:
        """Fill in the rows that a model of a fold has not seen."""
        with warnings.catch_warnings():  # categories that only one fold has are to be expected
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            part = self.table.take(rows)
            self.labels[rows] = model.predict(part)
            if not self.classes or not hasattr(model, "predict_proba"):
                return
            places = np.array([self.classes.index(label) for label in model.classes_.tolist()])
            self.probabilities[np.ix_(rows, places)] = model.predict_proba(part)


def predicted_folds(found: Findings) -> HeldOut:
    """The predictions of the folds of a validation that kept none: the same folds again."""
    assert found.validation is not None, "called only if there are folds"
    held_out = HeldOut.of(found.table, found.target)
    cross_validate(
        found.validated.learner,
        found.table,
        found.target,
        n_folds=found.validation.n_folds,
        seed=found.seed,
        on_test=held_out.keep,
    )
    return held_out
