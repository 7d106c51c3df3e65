"""Exports have the bytes that the Python interface gives, and are verified on request."""

from base64 import b64decode
from pathlib import Path

import pytest

import plaintree as pt
from plaintree.app.studio.messages.documents import CutEdit
from plaintree.app.studio.replies.exporting import KINDS
from plaintree.errors import ParameterError, TreeError
from plaintree.interop.model_file import from_bytes
from tests.support.studio import ask, document, held_example

WRITTEN = {
    "sql": pt.export_sql,
    "python": pt.export_python,
    "c": pt.export_c,
    "javascript": pt.export_javascript,
    "java": pt.export_java,
    "pmml": pt.export_pmml,
    "svg": pt.export_svg,
    "dot": pt.export_dot,
    "mermaid": pt.export_mermaid,
    "tikz": pt.export_tikz,
    "text": pt.export_text,
    "rules": pt.export_rules,
}


@pytest.mark.parametrize("what", WRITTEN)
def test_exports_are_those_of_the_library(what: str) -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    found = ask(held, "export", document=document(held, learner="c45"), what=what)
    assert found.text == WRITTEN[what](model)
    assert found.verification == ""
    assert found.filename == f"tree.{KINDS[what][1]}"


def test_edits_are_exported() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="c45", edits=[CutEdit(at=[2])])
    model = pt.C45Classifier().fit(X, y)
    expected = pt.export_sql(model.tree_.cut(3))
    assert ask(held, "export", document=asked, what="sql").text == expected
    saved = ask(held, "export", document=asked, what="model")
    assert saved.text is None
    loaded = from_bytes(b64decode(saved.base64))
    assert loaded.tree_.edits[0]["edit"] == "cut"
    assert type(loaded) is pt.C45Classifier


@pytest.mark.parametrize("what", ["sql", "python"])
def test_verification_is_a_sentence(what: str) -> None:
    held = held_example("golf")
    asked = document(held, learner="cart")
    found = ask(held, "export", document=asked, what=what, verify=True)
    assert found.verification.endswith(".")
    assert "rows" in found.verification


def test_only_programs_are_verified() -> None:
    held = held_example("golf")
    with pytest.raises(ParameterError, match="cannot be verified"):
        ask(held, "export", document=document(held), what="svg", verify=True)
    with pytest.raises(ParameterError, match="no such export"):
        ask(held, "export", document=document(held), what="cobol")


def test_solutions_and_report(tmp_path: Path) -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    asked = document(held, learner="id3")
    solution = pt.derive(model, X, y)
    for what, text in (
        ("solution_html", solution.to_html()),
        ("solution_latex", solution.to_latex()),
        ("solution_markdown", solution.to_markdown()),
    ):
        assert ask(held, "export", document=asked, what=what).text == text
    pt.report(model, X, y, tmp_path / "report.html")
    report = ask(held, "export", document=asked, what="report")
    assert report.text == (tmp_path / "report.html").read_text()


def test_forests_export_programs_or_one_of_their_trees() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="forest", parameters={"n_estimators": 3, "random_state": 2})
    forest = pt.RandomForestClassifier(3, random_state=2).fit(X, y)
    found = ask(held, "export", document=asked, what="svg", member=2)
    assert found.text == pt.export_svg(forest.trees_[2])
    assert ask(held, "export", document=asked, what="python").text == pt.export_python(forest)
    with pytest.raises(TreeError, match="no single tree"):
        ask(held, "export", document=asked, what="solution_html")
