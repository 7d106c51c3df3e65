"""One measurement of regression, in a process of its own: fit, and predict rows that are new.

Called by regression.py with the job as JSON; the answer is one line of JSON on standard output.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from measure import best_times
from peers import ydf_columns
from tables import FloatMatrix, curved_score

N_NEW_ROWS = 50_000


@dataclass(frozen=True)
class RegressionJob:
    """What to measure; a forest of one tree is a tree grown from all rows."""

    peer: str
    rows: int
    columns: int
    depth: int | None
    trees: int
    criterion: str
    max_features: float
    threads: int


def made(n_rows: int, n_columns: int) -> tuple[FloatMatrix, Any]:
    """Normal columns; the target is a sum of curved terms of the first six, with noise."""
    rng = np.random.default_rng(6)
    table = rng.standard_normal((n_rows, max(n_columns, 6)), dtype=np.float32)
    target = curved_score(table) + rng.standard_normal(n_rows, dtype=np.float32)
    return np.ascontiguousarray(table[:, :n_columns]), target.astype(np.float64)


def fit_plaintree(table: FloatMatrix, target: Any, job: RegressionJob) -> Any:
    """Exact."""
    import plaintree as pt

    if job.trees == 1:
        return pt.DecisionTreeRegressor(
            criterion=job.criterion, max_depth=job.depth, n_jobs=job.threads
        ).fit(table, target)
    return pt.RandomForestRegressor(
        job.trees, max_features=job.max_features, random_state=0, n_jobs=job.threads
    ).fit(table, target)


def fit_sklearn(table: FloatMatrix, target: Any, job: RegressionJob) -> Any:
    """Exact."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.tree import DecisionTreeRegressor

    if job.trees == 1:
        return DecisionTreeRegressor(
            criterion=job.criterion, max_depth=job.depth, random_state=0
        ).fit(table, target)
    return RandomForestRegressor(
        job.trees, max_features=job.max_features, random_state=0, n_jobs=job.threads
    ).fit(table, target)


def fit_sklearnex(table: FloatMatrix, target: Any, job: RegressionJob) -> Any:
    """A forest, of one tree on all rows if need be; thresholds between 256 bins."""
    from sklearnex.ensemble import RandomForestRegressor

    return RandomForestRegressor(
        job.trees,
        bootstrap=job.trees > 1,
        max_features=job.max_features,
        max_depth=job.depth,
        max_bins=256,
        random_state=0,
        n_jobs=job.threads,
    ).fit(table, target)


def fit_ydf(table: FloatMatrix, target: Any, job: RegressionJob) -> Any:
    """Exact."""
    import ydf

    ydf.verbose(0)
    share = {"num_candidate_attributes_ratio": job.max_features} if job.max_features < 1 else {}
    learner = ydf.RandomForestLearner(
        label="target",
        task=ydf.Task.REGRESSION,
        num_trees=job.trees,
        bootstrap_training_dataset=job.trees > 1,
        compute_oob_performances=False,
        max_depth=-1 if job.depth is None else job.depth + 1,  # YDF counts levels
        min_examples=1,
        num_threads=job.threads,
        **(share or {"num_candidate_attributes": -1}),
    )
    return learner.train({**ydf_columns(table), "target": target})


def fit_lightgbm(table: FloatMatrix, target: Any, job: RegressionJob) -> Any:
    """One round of boosting without shrinkage: one tree, on 255 bins."""
    import lightgbm

    assert job.depth is not None
    assert job.trees == 1
    parameters = {
        "objective": "regression",
        "num_leaves": 2**job.depth,
        "max_depth": job.depth,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "learning_rate": 1.0,
        "num_threads": job.threads,
        "verbose": -1,
    }
    return lightgbm.train(parameters, lightgbm.Dataset(table, target, params=parameters), 1)


FITS: dict[str, Callable[[FloatMatrix, Any, RegressionJob], Any]] = {
    "plaintree": fit_plaintree,
    "scikit-learn": fit_sklearn,
    "sklearnex": fit_sklearnex,
    "YDF": fit_ydf,
    "LightGBM": fit_lightgbm,
}


def measure(job: RegressionJob) -> dict[str, Any]:
    """Fit once after a warm-up; the error is on rows that are new to the model."""
    table, target = made(job.rows + N_NEW_ROWS, job.columns)
    known, new = table[: job.rows], table[job.rows :]
    fit = FITS[job.peer]
    fit(known[:2000], target[:2000], job)
    gc.collect()
    times, model = best_times(lambda: fit(known, target[: job.rows], job), 1)
    predicted = model.predict(ydf_columns(new) if job.peer == "YDF" else new)
    errors = np.asarray(predicted, dtype=np.float64).ravel() - target[job.rows :]
    return {**asdict(times), "rmse": float(np.sqrt(np.mean(errors**2)))}


if __name__ == "__main__":
    print(json.dumps(measure(RegressionJob(**json.loads(sys.argv[1])))))
