"""Models of real tables, with categories and gaps: every target answers as the model does.

Python, SQL for sqlite and model files are proved on all tables; in the other targets each learner
meets other tables, so that a run stays short.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.interop.pmml.verification import DIVIDED
from plaintree.interop.verification.runners import runner
from tests.support.export_models import verified
from tests.support.reference_tables import SHARED, load, needs_shared

TARGETS: dict[str, Callable[..., Any]] = {
    "duckdb": partial(pt.export_sql, dialect="duckdb"),
    "python": pt.export_python,
    "c": pt.export_c,
    "javascript": pt.export_javascript,
    "java": pt.export_java,
    "pmml": pt.export_pmml,
    "onnx": pt.export_onnx,
}
LEARNERS: dict[str, Callable[[], Any]] = {
    "id3": pt.ID3Classifier,
    "c45": pt.C45Classifier,
    "cart": pt.CARTClassifier,
    "rules": pt.C45RulesClassifier,
    "forest": lambda: pt.RandomForestClassifier(n_estimators=10, random_state=0),
}
TABLES = [
    "autos",
    "breast_cancer",
    "car",
    "credit_g",
    "crx",
    "diabetes",
    "ecoli",
    "glass",
    "heart_cleveland",
    "hepatitis",
    "horse_colic",
    "hypothyroid",
    "ionosphere",
    "labor",
    "monk2",
    "mushroom",
    "nursery",
    "phoneme",
    "segment",
    "soybean",
    "tic_tac_toe",
    "titanic",
    "vote",
    "wdbc",
    "wine",
]
ALL_TABLES = sorted(path.stem for path in (SHARED / "data").glob("*.csv"))
REGRESSORS: dict[str, Callable[[], Any]] = {
    "cart": pt.CARTRegressor,
    "medians": lambda: pt.CARTRegressor("absolute_error", missing="branch", max_depth=6),
    "divided": lambda: pt.CARTRegressor(missing="fractional", min_samples_leaf=5),
    "forest": lambda: pt.RandomForestRegressor(10, max_features=1 / 3, random_state=0),
}
NUMERIC_TABLES = sorted(path.stem for path in (SHARED / "data" / "regression").glob("*.csv"))
NUMERIC_PAIRS = [(target, learner) for target in TARGETS for learner in REGRESSORS]
NUMERIC_CASES = [
    (*pair, NUMERIC_TABLES[5 * i % len(NUMERIC_TABLES)] if NUMERIC_TABLES else "")
    for i, pair in enumerate(NUMERIC_PAIRS)
]
PAIRS = [(target, learner) for target in TARGETS for learner in LEARNERS]
CASES = [(*pair, TABLES[7 * i % len(TABLES)]) for i, pair in enumerate(PAIRS)]


@needs_shared
@pytest.mark.parametrize(("target", "learner", "table"), CASES)
def test_an_export_answers_as_the_model(target: str, learner: str, table: str) -> None:
    lacking = runner(target).absent()
    if lacking is not None:
        pytest.skip(lacking)
    X, y = load(table)
    model = LEARNERS[learner]().fit(X[:600], y[:600])
    found = verified(TARGETS[target], model, X[-100:])
    divided = found.left_out.get(DIVIDED, 0)
    assert divided == 0 or target == "pmml"
    assert min(100, len(X)) - divided <= found.n_given <= min(100, len(X))
    assert found.n_given > 0


@needs_shared
@pytest.mark.parametrize(("target", "learner", "table"), NUMERIC_CASES)
def test_an_export_predicts_the_numbers_of_the_model(target: str, learner: str, table: str) -> None:
    lacking = runner(target).absent()
    if lacking is not None:
        pytest.skip(lacking)
    X, y = load(f"regression/{table}")
    model = REGRESSORS[learner]().fit(X, y.astype(float))
    found = verified(TARGETS[target], model, X)
    assert (found.n_given, found.numbers, found.left_out) == (len(X), True, {})


@needs_shared
@pytest.mark.parametrize("table", NUMERIC_TABLES)
def test_a_model_of_numbers_is_the_same_in_python_and_in_sqlite(table: str) -> None:
    X, y = load(f"regression/{table}")
    for learner in REGRESSORS.values():
        model = learner().fit(X, y.astype(float))
        for export in (pt.export_python, pt.export_sql):
            assert verified(export, model, X[:40], limit=60).n_given == min(40, len(X))


@needs_shared
@pytest.mark.parametrize("table", ALL_TABLES)
def test_a_model_is_the_same_in_python_in_sqlite_and_from_a_file(
    table: str, tmp_path: Path
) -> None:
    X, y = load(table)
    for learner in LEARNERS.values():
        model = learner().fit(X[:400], y[:400])
        assert verified(pt.export_python, model, X[:40], limit=100).n_given == min(40, len(X))
        proba = len(model.classes_) <= 3
        found = verified(pt.export_sql, model, X[:40], limit=60, proba=proba)
        assert (found.n_given, found.with_probabilities) == (min(40, len(X)), proba)
        pt.save(model, tmp_path / "a.model")
        again = pt.load(tmp_path / "a.model")
        assert pt.evaluation.diff(model, again, X[-100:]).equal
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
