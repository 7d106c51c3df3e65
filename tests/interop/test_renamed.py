"""Exports under other names of features and classes, verified against the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_iris

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.interop.renamed import renamed_model

IRIS = load_iris()
X, y = IRIS.data, IRIS.target
NAMES: dict[str, Any] = {"feature_names": IRIS.feature_names, "class_names": IRIS.target_names}
MODELS = {
    "tree": lambda: pt.CARTClassifier(max_depth=3).fit(X, y),
    "Tree": lambda: pt.CARTClassifier(max_depth=3).fit(X, y).tree_,
    "forest": lambda: pt.RandomForestClassifier(3, random_state=0).fit(X, y),
    "boosted": lambda: pt.BoostedTreesClassifier(n_estimators=3, random_state=0).fit(X, y),
    "rules": lambda: pt.C45RulesClassifier().fit(X, y),
    "RuleList": lambda: pt.C45RulesClassifier().fit(X, y).rules_,
    "named": lambda: pt.CARTClassifier(max_depth=2).fit(pd.DataFrame(X, columns=list("abcd")), y),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("export", [pt.export_python, pt.export_sql], ids=["python", "sql"])
def test_programs_under_other_names_predict_as_the_model(
    kind: str, export: Callable[..., str]
) -> None:
    check = pt.interop.Verification(pd.DataFrame(X, columns=IRIS.feature_names))
    text = export(MODELS[kind](), **NAMES, verify=check)
    assert check.result is not None
    assert check.result.n_given == 150
    assert "petal width (cm)" in text
    assert "virginica" in text


@pytest.mark.parametrize(
    "export", [pt.export_c, pt.export_java, pt.export_javascript, pt.export_pmml, pt.export_onnx]
)
def test_every_format_takes_other_names(export: Callable[..., Any]) -> None:
    artefact = export(MODELS["tree"](), **NAMES)
    written = artefact if isinstance(artefact, bytes) else artefact.encode()
    assert b"virginica" in written
    assert b"x2" not in written


def test_names_are_counted() -> None:
    with pytest.raises(ParameterError, match="Got 2 names for 4 features"):
        pt.export_sql(MODELS["forest"](), feature_names=["a", "b"])


def test_without_names_the_model_stays_itself() -> None:
    model = MODELS["tree"]()
    assert renamed_model(model, None, True) is model
