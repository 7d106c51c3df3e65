"""Models of real tables, with categories and gaps: every target answers as the model does.

SQL for sqlite is proved on all tables in its own file; here each learner meets other tables in each
target, so that a run stays short.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.export.runners import runner
from reference_tables import load, needs_shared

TARGETS: dict[str, Callable[[Any, Any], Any]] = {
    "duckdb": lambda model, X: pt.export_sql(model, dialect="duckdb", verify=X),
    "python": lambda model, X: pt.export_python(model, verify=X),
    "c": lambda model, X: pt.export_c(model, verify=X),
    "javascript": lambda model, X: pt.export_javascript(model, verify=X),
    "java": lambda model, X: pt.export_java(model, verify=X),
    "pmml": lambda model, X: pt.export_pmml(model, verify=X),
    "onnx": lambda model, X: pt.export_onnx(model, verify=X),
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
    TARGETS[target](model, X[-100:])


@needs_shared
@pytest.mark.parametrize("table", TABLES)
def test_a_saved_model_is_the_same(table: str, tmp_path: Path) -> None:
    X, y = load(table)
    for learner in LEARNERS.values():
        model = learner().fit(X[:300], y[:300])
        pt.save(model, tmp_path / "a.model")
        again = pt.load(tmp_path / "a.model")
        assert pt.diff(model, again, X[-100:]).equal
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
