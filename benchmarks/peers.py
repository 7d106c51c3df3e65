"""How each library is asked to grow one tree: plaintree and the peers it is measured against.

Every ``fit`` takes the raw table, so that casting, binning and encoding are inside the measured
time for everyone. Imports are inside the functions: a library that is not installed is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from tables import FloatMatrix, Labels


@dataclass(frozen=True)
class Peer:
    """One way of growing one tree, and of reading what has grown."""

    module: str
    distribution: str
    fit: Callable[[Any, Labels, int | None, int], Any]
    """(table, labels, greatest depth or None, threads) -> model"""
    predict: Callable[[Any, Any], Any]
    """(model, table) -> labels"""
    leaves: Callable[[Any], int]
    """model -> number of leaves, over all its trees"""
    threads: tuple[int, ...] = (1, 2)
    """The numbers of threads worth measuring: one where more make no difference."""
    same_work: bool = True
    """Whether it answers the same question, so that it counts as a rival."""

    def missing(self) -> str | None:
        """Why the library cannot be used here; None if it can."""
        try:
            found = find_spec(self.module)
        except ModuleNotFoundError:
            found = None
        return None if found else "it is not installed"

    def version(self) -> str:
        """The version that is installed; a source folder on the path has none."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return "(not packaged)"


# ---------------------------------------------------------------- plaintree


def fit_plaintree(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """The exact Gini tree."""
    from plaintree import CARTClassifier

    return CARTClassifier(criterion="gini", max_depth=depth, n_jobs=threads).fit(table, labels)


# ---------------------------------------------------------------- scikit-learn


def fit_sklearn(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """The exact Gini tree; it has no threads."""
    from sklearn.tree import DecisionTreeClassifier

    assert threads == 1
    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(table, labels)


def fit_sklearnex(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """A forest of one tree on all rows and columns; thresholds between 256 bins."""
    from sklearnex.ensemble import RandomForestClassifier

    model = RandomForestClassifier(
        n_estimators=1,
        bootstrap=False,
        max_features=None,
        max_depth=depth,
        max_bins=256,
        n_jobs=threads,
        random_state=0,
    )
    return model.fit(table, labels)


# ---------------------------------------------------------------- YDF


def fit_ydf(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """A forest of one tree on all rows and columns; exact, by information gain."""
    import ydf

    ydf.verbose(0)
    learner = ydf.RandomForestLearner(
        label="class",
        num_trees=1,
        bootstrap_training_dataset=False,
        num_candidate_attributes=-1,
        compute_oob_performances=False,
        max_depth=-1 if depth is None else depth + 1,  # YDF counts levels, the root's too
        min_examples=1,
        num_threads=threads,
    )
    if isinstance(table, np.ndarray):
        return learner.train({**ydf_columns(table), "class": labels})
    return learner.train(table.assign(**{"class": labels}))


def ydf_columns(matrix: FloatMatrix) -> dict[str, FloatMatrix]:
    """A matrix as the dictionary of columns that YDF takes; frames it takes as they are."""
    return {f"x{i}": matrix[:, i] for i in range(matrix.shape[1])}


def predict_ydf(model: Any, table: Any) -> Any:
    """The most probable class (the classes are 0, 1, 2 ... in the benchmark's tables)."""
    share = model.predict(ydf_columns(table) if isinstance(table, np.ndarray) else table)
    names = np.array(model.label_classes(), dtype=np.int64)
    return names[(share > 0.5).astype(int) if share.ndim == 1 else share.argmax(axis=1)]


# ---------------------------------------------------------------- LightGBM


def fit_lightgbm(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """One boosting round without shrinkage: one tree, or one per class if there are several."""
    return train_lightgbm(table, labels, depth, threads, class_objective(labels))


def fit_lightgbm_one_tree(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """A single regression tree on the class numbers: the cost of one tree with many classes."""
    return train_lightgbm(table, labels, depth, threads, {"objective": "regression"})


def class_objective(labels: Labels) -> dict[str, Any]:
    """The objective for two classes, or for several."""
    n_classes = int(labels.max()) + 1
    if n_classes == 2:
        return {"objective": "binary"}
    return {"objective": "multiclass", "num_class": n_classes}


def train_lightgbm(
    table: Any, labels: Labels, depth: int | None, threads: int, objective: dict[str, Any]
) -> Any:
    """One round; text columns become categories first, and that is counted."""
    import lightgbm

    assert depth is not None
    parameters = {
        **objective,
        "num_leaves": 2**depth,
        "max_depth": depth,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "learning_rate": 1.0,
        "num_threads": threads,
        "verbose": -1,
    }
    data = lightgbm.Dataset(as_categories(table), labels, params=parameters)
    return lightgbm.train(parameters, data, num_boost_round=1)


def as_categories(table: Any) -> Any:
    """The text columns of a frame as pandas categories; a matrix as it is."""
    if isinstance(table, np.ndarray):
        return table
    return table.astype(dict.fromkeys(table.select_dtypes(exclude="number").columns, "category"))


def predict_boosted(share: Any) -> Any:
    """The most probable class from the predicted shares."""
    return (share > 0.5).astype(np.int64) if share.ndim == 1 else share.argmax(axis=1)


# ---------------------------------------------------------------- XGBoost


def fit_xgboost(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """One boosting round without shrinkage: one tree, or one per class if there are several."""
    return train_xgboost(table, labels, depth, threads, {})


def fit_xgboost_one_tree(table: Any, labels: Labels, depth: int | None, threads: int) -> Any:
    """A single tree whose leaves hold a vector: all classes at once."""
    strategy = {"multi_strategy": "multi_output_tree"}
    return train_xgboost(table, labels, depth, threads, strategy)


def train_xgboost(
    table: Any, labels: Labels, depth: int | None, threads: int, strategy: dict[str, Any]
) -> Any:
    """One round of histogram growth on a quantile matrix, the fastest way in."""
    import xgboost

    assert depth is not None
    n_classes = int(labels.max()) + 1
    objective = (
        {"objective": "binary:logistic"}
        if n_classes == 2
        else {"objective": "multi:softprob", "num_class": n_classes}
    )
    parameters = {
        **objective,
        **strategy,
        "tree_method": "hist",
        "max_depth": depth,
        "max_bin": 256,
        "eta": 1.0,
        "lambda": 0.0,
        "min_child_weight": 0.0,
        "nthread": threads,
    }
    data = xgboost.QuantileDMatrix(table, labels, nthread=threads, max_bin=256)
    return xgboost.train(parameters, data, num_boost_round=1)


def xgboost_leaves(model: Any) -> int:
    """The leaves in the model's dump."""
    return sum(dump.count("leaf=") for dump in model.get_dump())


# ---------------------------------------------------------------- all of them

PEERS = {
    "plaintree": Peer(
        "plaintree.estimators.trees",
        "plaintree",
        fit_plaintree,
        lambda model, table: model.predict(table),
        lambda model: model.tree_.n_leaves,
    ),
    "scikit-learn": Peer(
        "sklearn.tree",
        "scikit-learn",
        fit_sklearn,
        lambda model, table: model.predict(table),
        lambda model: model.get_n_leaves(),
        threads=(1,),
    ),
    "sklearnex": Peer(
        "sklearnex.ensemble",
        "scikit-learn-intelex",
        fit_sklearnex,
        lambda model, table: model.predict(table),
        lambda model: model.estimators_[0].get_n_leaves(),
    ),
    "YDF": Peer(
        "ydf",
        "ydf",
        fit_ydf,
        predict_ydf,
        lambda model: (model.num_nodes() + 1) // 2,
        threads=(1,),
    ),
    "LightGBM": Peer(
        "lightgbm",
        "lightgbm",
        fit_lightgbm,
        lambda model, table: predict_boosted(model.predict(as_categories(table))),
        lambda model: sum(t["num_leaves"] for t in model.dump_model()["tree_info"]),
    ),
    "LightGBM, one tree": Peer(
        "lightgbm",
        "lightgbm",
        fit_lightgbm_one_tree,
        lambda model, table: np.rint(model.predict(as_categories(table))),
        lambda model: sum(t["num_leaves"] for t in model.dump_model()["tree_info"]),
        same_work=False,
    ),
    "XGBoost": Peer(
        "xgboost",
        "xgboost",
        fit_xgboost,
        lambda model, table: predict_boosted(model.inplace_predict(table)),
        xgboost_leaves,
    ),
    "XGBoost, one tree": Peer(
        "xgboost",
        "xgboost",
        fit_xgboost_one_tree,
        lambda model, table: predict_boosted(model.inplace_predict(table)),
        xgboost_leaves,
    ),
}
"""Every library by the name it has in the results."""
