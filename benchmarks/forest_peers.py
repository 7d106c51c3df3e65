"""How each library is asked to grow a forest: plaintree and the peers it is measured against.

Every ``fit`` takes the raw matrix, so that casting and binning are inside the measured time for
everyone. Imports are inside the functions: a library that is not installed is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import sqrt
from typing import Any

from peers import class_objective, predict_boosted, predict_ydf, ydf_columns
from tables import FloatMatrix, Labels

Fit = Callable[[FloatMatrix, Labels, int, int], Any]
"""(matrix, labels, trees, threads) -> model"""


@dataclass(frozen=True)
class ForestPeer:
    """A library that grows forests, and how its models are asked and measured."""

    module: str
    fit: Fit
    predict: Callable[[Any, FloatMatrix], Any]
    on_one_thread: Callable[[Any], Any]
    """The model as it answers a single row fastest."""
    n_bytes: Callable[[Any], int] | None = None
    """The memory of the trees, where the library tells."""

    def missing(self) -> bool:
        """Whether the library is not installed."""
        try:
            return find_spec(self.module) is None
        except ModuleNotFoundError:
            return True


# ---------------------------------------------------------------- plaintree and scikit-learn


def fit_plaintree(matrix: FloatMatrix, labels: Labels, n_trees: int, threads: int) -> Any:
    """Exact, fully grown trees."""
    from plaintree import RandomForestClassifier

    return RandomForestClassifier(n_trees, n_jobs=threads, random_state=0).fit(matrix, labels)


def fit_sklearn(matrix: FloatMatrix, labels: Labels, n_trees: int, threads: int) -> Any:
    """Exact, fully grown trees."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, n_jobs=threads, random_state=0).fit(matrix, labels)


def sklearn_bytes(model: Any) -> int:
    """The arrays of all trees: nodes and class shares."""
    states = (tree.tree_.__getstate__() for tree in model.estimators_)
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states)


def fit_sklearnex(matrix: FloatMatrix, labels: Labels, n_trees: int, threads: int) -> Any:
    """Thresholds between 256 bins."""
    from sklearnex.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, n_jobs=threads, random_state=0).fit(matrix, labels)


def on_one_thread(model: Any) -> Any:
    """The same model; threads only hold a single row up."""
    return model.set_params(n_jobs=1)


# ---------------------------------------------------------------- YDF


def fit_ydf(matrix: FloatMatrix, labels: Labels, n_trees: int, threads: int) -> Any:
    """Exact, fully grown trees, by information gain."""
    import ydf

    ydf.verbose(0)
    learner = ydf.RandomForestLearner(
        label="class",
        num_trees=n_trees,
        max_depth=-1,
        min_examples=1,
        compute_oob_performances=False,
        num_threads=threads,
    )
    return learner.train({**ydf_columns(matrix), "class": labels})


# ---------------------------------------------------------------- LightGBM


def fit_lightgbm(matrix: FloatMatrix, labels: Labels, n_trees: int, threads: int) -> Any:
    """Its rf mode: 255 bins, samples without replacement; a tree for each class if several.

    It is not made for fully grown trees: without a limit of leaves it takes hours, so it gets one
    leaf for every dozen rows.
    """
    import lightgbm

    parameters = {
        **class_objective(labels),
        "boosting": "rf",
        "bagging_fraction": 0.632,
        "bagging_freq": 1,
        "feature_fraction_bynode": sqrt(matrix.shape[1]) / matrix.shape[1],
        "num_leaves": max(31, len(labels) // 12),
        "max_depth": -1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "num_threads": threads,
        "verbose": -1,
    }
    data = lightgbm.Dataset(matrix, labels, params=parameters)
    return lightgbm.train(parameters, data, num_boost_round=n_trees)


PEERS = {
    "plaintree": ForestPeer(
        "plaintree.estimators.forest",
        fit_plaintree,
        lambda model, matrix: model.predict(matrix),
        on_one_thread,
        lambda model: int(model.trees_.nbytes),
    ),
    "scikit-learn": ForestPeer(
        "sklearn.ensemble",
        fit_sklearn,
        lambda model, matrix: model.predict(matrix),
        on_one_thread,
        sklearn_bytes,
    ),
    "sklearnex": ForestPeer(
        "sklearnex.ensemble",
        fit_sklearnex,
        lambda model, matrix: model.predict(matrix),
        on_one_thread,
    ),
    "YDF": ForestPeer("ydf", fit_ydf, predict_ydf, lambda model: model),
    "LightGBM rf": ForestPeer(
        "lightgbm",
        fit_lightgbm,
        lambda model, matrix: predict_boosted(model.predict(matrix)),
        lambda model: model,
    ),
}
"""Every library by the name it has in the results."""
