"""Curves of class probabilities: ROC, precision and recall, calibration, lift."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve, roc_curve

from plaintree.data.words import plain
from plaintree.evaluation.evaluate import N_BINS

from ..messages.views import Curve

MOST_CLASSES = 12
"""With more classes there are no curves: one against the rest says little then."""
MOST_POINTS = 500
Floats = NDArray[np.float64]


def curves_of(actual: NDArray[Any], probabilities: Floats, classes: tuple[Any, ...]) -> list[Curve]:
    """The curves of the second of two classes, or of each of several against the rest."""
    if not 2 <= len(classes) <= MOST_CLASSES:
        return []
    chosen = [1] if len(classes) == 2 else range(len(classes))
    found = []
    for code in chosen:
        is_class = np.array([label == classes[code] for label in actual.tolist()])
        if is_class.any() and not is_class.all():
            found += _of_class(is_class, probabilities[:, code].clip(0, 1), plain(classes[code]))
    return found


def curves_of_numbers(actual: NDArray[Any], predicted: NDArray[Any]) -> list[Curve]:
    """Predicted against actual numbers, and residuals against predictions, as points."""
    residuals = actual - predicted
    return [
        _curve(
            "predicted",
            "Predicted against actual",
            ("actual", "predicted"),
            (actual, predicted),
        ),
        _curve(
            "residuals",
            "Residuals against predicted",
            ("predicted", "residual"),
            (predicted, residuals),
        ),
    ]


def _of_class(is_class: NDArray[np.bool_], probability: Floats, name: str) -> list[Curve]:
    false, true, _ = roc_curve(is_class, probability)
    precision, recall, _ = precision_recall_curve(is_class, probability)
    reached, mean = calibration_curve(is_class, probability, n_bins=N_BINS)
    share = is_class.mean()
    chosen = true * share + false * (1 - share)
    lift = np.divide(true, chosen, out=np.ones_like(true), where=chosen > 0)
    return [
        _curve("roc", f"ROC curve of {name}", ("false positive rate", "recall"), (false, true)),
        _curve(
            "precision_recall",
            f"Precision and recall of {name}",
            ("recall", "precision"),
            (recall[::-1], precision[::-1]),
        ),
        _curve(
            "calibration",
            f"Calibration of {name}",
            ("mean probability", "fraction of rows"),
            (mean, reached),
        ),
        _curve("lift", f"Lift of {name}", ("fraction of rows", "lift"), (chosen[1:], lift[1:])),
    ]


def _curve(key: str, title: str, titles: tuple[str, str], points: tuple[Floats, Floats]) -> Curve:
    """A curve; of very many points, evenly chosen ones."""
    x, y = points
    if len(x) > MOST_POINTS:
        kept = np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(np.intp)
        x, y = x[kept], y[kept]
    return Curve(
        key=key, title=title, x_title=titles[0], y_title=titles[1], x=x.tolist(), y=y.tolist()
    )
