"""The learners of the Caruana table with the settings tried of each, and one piece of work.

plaintree's learners take the tables as they are. scikit-learn's need numbers without gaps: they
get numeric columns with medians in the gaps, scaled, and a 0/1 column for every category.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import plaintree as pt
from caruana_scores import CALIBRATIONS, Matrix, constant_values, metric_values
from caruana_store import Key, Record
from caruana_tables import Division, Flags, Sizes, divide

SKLEARN_METHODS = {"PLT": "sigmoid", "ISO": "isotonic"}


@dataclass(frozen=True)
class Learner:
    """A learner: its settings by name, each a maker of an estimator."""

    words: str
    settings: Mapping[str, Callable[[], Any]]
    quick: tuple[str, ...]
    """The settings of a quick run."""

    def chosen(self, quick: bool) -> dict[str, Callable[[], Any]]:
        """The settings of a run."""
        names = self.quick if quick else tuple(self.settings)
        return {name: self.settings[name] for name in names}


def on_numbers(estimator: Callable[..., Any], **options: Any) -> Any:
    """An estimator of scikit-learn's behind what turns any table into numbers."""
    numeric = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer(
        [
            ("numbers", numeric, make_column_selector(dtype_include="number")),
            ("categories", categories, make_column_selector(dtype_exclude="number")),
        ]
    )
    return make_pipeline(columns, estimator(**options))


def _vectors(kernel: str, **options: Any) -> Callable[[], Any]:
    return partial(on_numbers, SVC, kernel=kernel, cache_size=500, **options)


def _network(units: int, epochs: int) -> Callable[[], Any]:
    return partial(
        on_numbers, MLPClassifier, hidden_layer_sizes=(units,), max_iter=epochs, random_state=0
    )


def _neighbours(count: int, weights: str) -> Callable[[], Any]:
    return partial(on_numbers, KNeighborsClassifier, n_neighbors=count, weights=weights)


def _boosted(rounds: int, base: Any) -> Callable[[], Any]:
    return partial(pt.BoostedTreesClassifier, base, n_estimators=rounds, random_state=0, n_jobs=1)


def _bagged(**options: Any) -> Callable[[], Any]:
    return partial(
        pt.BaggedTreesClassifier,
        pt.CARTClassifier(**options),
        n_estimators=100,
        voting="soft",
        random_state=0,
        n_jobs=1,
    )


def _forest(trees: int, features: int | float | Literal["sqrt"]) -> Callable[[], Any]:
    return partial(
        pt.RandomForestClassifier,
        n_estimators=trees,
        max_features=features,
        voting="soft",
        random_state=0,
        n_jobs=1,
    )


_TREES: Mapping[str, Callable[[], Any]] = {
    "C4.5": partial(pt.C45Classifier, n_jobs=1),
    "C4.5 confidence 0.05": partial(pt.C45Classifier, confidence=0.05, n_jobs=1),
    "C4.5 unpruned": partial(pt.C45Classifier, pruning=None, n_jobs=1),
    "C4.5 unpruned, branches of 10": partial(
        pt.C45Classifier, pruning=None, min_samples_branch=10, n_jobs=1
    ),
    "ID3": partial(pt.ID3Classifier, n_jobs=1),
    "CART fully grown": partial(pt.CARTClassifier, n_jobs=1),
    "CART branches of 5": partial(pt.CARTClassifier, min_samples_leaf=5, n_jobs=1),
    "CART branches of 20": partial(pt.CARTClassifier, min_samples_leaf=20, n_jobs=1),
}

_C45 = pt.C45Classifier()
_C45_UNPRUNED = pt.C45Classifier(pruning=None)

LEARNERS: Mapping[str, Learner] = {
    "BST-DT": Learner(
        "boosted trees",
        {
            "C4.5, 100 rounds": _boosted(100, _C45),
            "C4.5, 300 rounds": _boosted(300, _C45),
            "C4.5 unpruned, 300 rounds": _boosted(300, _C45_UNPRUNED),
            "CART depth 4, 100 rounds": _boosted(100, pt.CARTClassifier(max_depth=4)),
            "CART depth 4, 300 rounds": _boosted(300, pt.CARTClassifier(max_depth=4)),
            "CART depth 8, 300 rounds": _boosted(300, pt.CARTClassifier(max_depth=8)),
            "CART branches of 5, 300 rounds": _boosted(300, pt.CARTClassifier(min_samples_leaf=5)),
        },
        ("C4.5, 100 rounds", "CART depth 4, 100 rounds"),
    ),
    "RF": Learner(
        "random forests",
        {
            "100 trees, square root": _forest(100, "sqrt"),
            "500 trees, 1 attribute": _forest(500, 1),
            "500 trees, square root": _forest(500, "sqrt"),
            "500 trees, a third": _forest(500, 1 / 3),
            "500 trees, two thirds": _forest(500, 2 / 3),
        },
        ("100 trees, square root",),
    ),
    "BAG-DT": Learner(
        "bagged trees",
        {
            "CART fully grown": _bagged(),
            "CART branches of 5": _bagged(min_samples_leaf=5),
            "CART by information gain": _bagged(criterion="information_gain"),
        },
        ("CART fully grown",),
    ),
    "SVM": Learner(
        "support vector machines",
        {
            "linear C 0.1": _vectors("linear", C=0.1),
            "square C 1": _vectors("poly", degree=2, coef0=1, C=1),
            "cube C 1": _vectors("poly", degree=3, coef0=1, C=1),
            "radial C 1": _vectors("rbf", C=1),
            "radial C 10": _vectors("rbf", C=10),
            "radial C 100": _vectors("rbf", C=100),
        },
        ("radial C 10",),
    ),
    "ANN": Learner(
        "neural nets of one hidden layer",
        {
            "8 units 100 epochs": _network(8, 100),
            "32 units 30 epochs": _network(32, 30),
            "32 units 100 epochs": _network(32, 100),
            "128 units 30 epochs": _network(128, 30),
            "128 units 100 epochs": _network(128, 100),
        },
        ("32 units 100 epochs",),
    ),
    "KNN": Learner(
        "nearest neighbours",
        {
            f"{count} {weights}": _neighbours(count, weights)
            for count in (1, 5, 15, 40)
            for weights in ("uniform", "distance")
        },
        ("5 uniform", "15 distance"),
    ),
    "BST-STMP": Learner(
        "boosted stumps",
        {
            f"{rounds} rounds": _boosted(rounds, pt.CARTClassifier(max_depth=1))
            for rounds in (30, 100, 300, 1000)
        },
        ("100 rounds",),
    ),
    "DT": Learner("single trees", _TREES, ("C4.5", "CART branches of 5")),
}
"""Every learner by name."""


@dataclass(frozen=True)
class Piece:
    """One piece of work: what is kept and resumed as a whole."""

    table: str
    repetition: int
    learner: str
    sizes: Sizes
    quick: bool

    @property
    def key(self) -> Key:
        """The key of its record in a store."""
        return self.table, self.repetition, self.learner


def run_piece(piece: Piece) -> Record:
    """Fit every setting of a learner, calibrate it both ways and measure all that."""
    start = time.perf_counter()
    division = divide(piece.table, piece.sizes, piece.repetition)
    outcomes = []
    with threadpool_limits(1), warnings.catch_warnings():
        # A network that has not converged is a setting here: its epochs are limited on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for setting, make in LEARNERS[piece.learner].chosen(piece.quick).items():
            for calibration, measured in outcomes_of(make(), division).items():
                outcomes.append({"setting": setting, "calibration": calibration, **measured})
    return {
        "table": piece.table,
        "repetition": piece.repetition,
        "learner": piece.learner,
        "seconds": round(time.perf_counter() - start, 3),
        "constant": constant_values(division.flags[division.test]),
        "outcomes": outcomes,
    }


def outcomes_of(model: Any, rows: Division) -> dict[str, dict[str, dict[str, float]]]:
    """The metrics of one fitted model under every calibration, on held-out and on test rows."""
    model.fit(rows.table.iloc[rows.fit], rows.flags[rows.fit])
    held_out, test = (rows.table.iloc[part] for part in (rows.held_out, rows.test))
    flags = rows.flags[rows.held_out]
    scores = raw_scores(model, held_out), raw_scores(model, test)
    # No share of so many rows can be told from certainty by less than about this much.
    least = 1 / (len(rows.fit) + len(rows.held_out) + 2)
    measured = {}
    for calibration in CALIBRATIONS:
        if calibration == "-":
            answers = uncalibrated(model, held_out, test, scores)
        else:
            answers = calibrated(scores, flags, SKLEARN_METHODS[calibration])
        measured[calibration] = {
            "held_out": metric_values(flags, answers[0], least),
            "test": metric_values(rows.flags[rows.test], answers[1], least),
        }
    return measured


def raw_scores(model: Any, table: Any) -> Matrix:
    """What is calibrated: the margin where a model has one, otherwise its probability."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(table), dtype=float)
    return np.asarray(model.predict_proba(table)[:, 1], dtype=float)


def uncalibrated(
    model: Any, held_out: Any, test: Any, scores: tuple[Matrix, Matrix]
) -> tuple[Matrix, Matrix]:
    """The model's own probabilities.

    A support vector machine has none: its margins are stretched so that the widest of the
    held-out rows becomes 0 or 1, and a margin of nothing one half.
    """
    if hasattr(model, "predict_proba"):
        return model.predict_proba(held_out)[:, 1], model.predict_proba(test)[:, 1]
    widest = float(np.abs(scores[0]).max())
    first, second = (np.clip(0.5 + margin / (2 * widest), 0, 1) for margin in scores)
    return first, second


class GivenScores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model whose scores are its only column, so that every model predicts only once."""

    def __init__(self) -> None:
        self.classes_: NDArray[np.bool_] = np.array([False, True])

    def fit(self, *_: Any) -> GivenScores:
        """Nothing is left to be fitted."""
        return self

    def predict(self, X: Matrix) -> Flags:
        """The answers before calibration; scikit-learn asks that there be some."""
        return X[:, 0] > 0

    def decision_function(self, X: Matrix) -> Matrix:
        """The scores themselves."""
        return X[:, 0]


def calibrated(scores: tuple[Matrix, Matrix], flags: Flags, method: str) -> tuple[Matrix, Matrix]:
    """Probabilities by scikit-learn's calibration, fitted to the held-out rows."""
    calibrator = CalibratedClassifierCV(FrozenEstimator(GivenScores()), method=method)
    calibrator.fit(scores[0][:, None], flags)
    first, second = (calibrator.predict_proba(column[:, None])[:, 1] for column in scores)
    return first, second
