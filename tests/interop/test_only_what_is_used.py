"""What leaves a model: values of columns that it uses, and of no others."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.errors import ColumnError
from plaintree.interop.model_file.reading import from_bytes, to_bytes

N = 210
SECRET = "SECRET"
X = pl.DataFrame(
    {
        "customer": [f"{SECRET}{(i * 37) % N // 2}" for i in range(N)],
        "x": [float(i % 7) for i in range(N)],
        "noise": [8191.0 + i % 2 for i in range(N)],
        "shop": ["north" if i % 3 else "south" for i in range(N)],
    }
)
Y = ["yes" if i % 7 > 3 and i % 3 else "no" for i in range(N)]
USED = X.select("x", "shop")
LEARNERS = [
    pt.C45Classifier(),
    pt.CARTClassifier(max_depth=2),
    pt.CARTClassifier(unseen="error"),
    pt.RandomForestClassifier(5, max_features=None, random_state=0),
    pt.BoostedTreesClassifier(n_estimators=3),
    pt.C45RulesClassifier(),
]


@pytest.fixture(params=LEARNERS, ids=lambda learner: type(learner).__name__)
def model(request: pytest.FixtureRequest) -> Any:
    """A model that needs two of four columns; the others cannot be used (see ``columns``)."""
    from sklearn.base import clone

    columns = X.with_columns(noise=pl.lit(8191.5), customer=_constant())
    return clone(request.param).fit(columns, Y)


def _constant() -> pl.Series:
    """A column of one value but many categories: no test of it divides the rows."""
    names = sorted(set(X["customer"]))
    return pl.Series("customer", [names[0]] * N, dtype=pl.Enum(names))


def test_used_columns(model: Any) -> None:
    assert {model.schema_.names[i] for i in model.used_columns()} == {"x", "shop"}
    assert SECRET in str(model.schema_)  # the fitted model itself still knows


def test_a_model_file_holds_no_other_values(model: Any) -> None:
    assert SECRET.encode() not in to_bytes(model)
    assert SECRET not in str(from_bytes(to_bytes(model)).schema_)


def test_a_pickle_holds_no_other_values(model: Any) -> None:
    parts = [getattr(model, name, None) for name in ("tree_", "trees_", "rules_")]
    for thing in (model, *parts):
        assert SECRET.encode() not in pickle.dumps(thing)


def test_a_copy_keeps_all_values(model: Any) -> None:
    for tree in getattr(model, "trees_", [getattr(model, "tree_", None)]):
        assert deepcopy(tree).schema == tree.schema


@pytest.mark.parametrize("target", ["python", "c", "java", "javascript", "pmml", "onnx", "sql"])
def test_an_export_holds_no_other_values(model: Any, target: str) -> None:
    if target == "onnx":
        pytest.importorskip("onnx")
    written = getattr(pt, f"export_{target}")(model)
    text = written.decode("latin-1") if isinstance(written, bytes) else str(written)
    assert SECRET not in text


@pytest.mark.parametrize("target", ["python", "sql"])
def test_verified_exports_stay_right(model: Any, target: str) -> None:
    check = pt.interop.Verification(USED)
    getattr(pt, f"export_{target}")(model, verify=check)
    assert check.result is not None
    assert check.result.n_given == N


def test_predict_needs_the_used_columns_only(model: Any) -> None:
    again = from_bytes(to_bytes(model))
    for predictor in (model, again, pickle.loads(pickle.dumps(model))):
        assert (predictor.predict(USED) == predictor.predict(X)).all()
        assert (predictor.predict_proba(USED) == model.predict_proba(X)).all()
        assert predictor.n_features_in_ == 4
        assert predictor.feature_names_in_.tolist() == X.columns


def test_explain_needs_the_used_columns_only(model: Any) -> None:
    if not isinstance(model, pt.BoostedTreesClassifier | pt.RandomForestClassifier):
        assert str(model.explain(USED[:1])) == str(model.explain(X[:1]))


def test_a_used_column_that_is_absent_is_an_error(model: Any) -> None:
    with pytest.raises(ColumnError, match=r"columns that the model uses.*did you mean 'xx'"):
        model.predict(USED.rename({"x": "xx"}))


def test_a_report_shows_no_other_values(model: Any, tmp_path: Path) -> None:
    table = X.with_columns(noise=pl.lit(8191.5), customer=_constant())
    pt.report(model, table, Y, tmp_path / "report.html")
    assert SECRET not in (tmp_path / "report.html").read_text()


def test_the_command_line_needs_the_used_columns_only(tmp_path: Path) -> None:
    from tests.support.command_line import plaintree

    model = pt.C45Classifier().fit(X.drop("customer"), Y)
    pt.save(model, tmp_path / "model.json")
    USED.write_csv(tmp_path / "used.csv")
    result = plaintree("predict", str(tmp_path / "model.json"), str(tmp_path / "used.csv"))
    predicted = [line.rpartition(",")[2] for line in result.out.splitlines()[1:]]
    assert predicted == model.predict(X.drop("customer")).tolist()


def test_a_loaded_model_is_derived_from_its_table_as_before() -> None:
    table, labels = pt.datasets.load_tennis()
    model = pt.ID3Classifier().fit(table, labels)
    again = from_bytes(to_bytes(model))
    assert str(pt.derive(again, table, labels)) == str(pt.derive(model, table, labels))
