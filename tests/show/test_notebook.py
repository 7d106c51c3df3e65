"""In a notebook, trees and models show themselves as drawings, whatever their columns' names."""

from __future__ import annotations

import sys
from typing import Any
from xml.etree import ElementTree

import pytest
import sklearn
from sklearn.base import clone

import plaintree as pt
from plaintree.show.picture.node_text import text_width

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]> & -->",
    "🎉" * 40,
    "n" * 300,
    "a\x00b\n\u202ec",
)
LEARNERS = (pt.ID3Classifier(), pt.C45Classifier(pruning=None), pt.CARTClassifier())
TEXT = "{http://www.w3.org/2000/svg}text"


def hostile_model(learner: Any) -> Any:
    """A model of a table with hostile names of columns, categories and classes."""
    n = len(HOSTILE)
    columns = {name: [HOSTILE[(i * j) % n] for j in range(n)] for i, name in enumerate(HOSTILE, 1)}
    return learner.fit(columns, list(HOSTILE))


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("matplotlib.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("without_matplotlib")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_hostile_names_are_only_text_in_a_drawing(learner: Any) -> None:
    model = hostile_model(learner)
    for shown in (model.tree_._repr_svg_(), model._repr_html_()):
        drawing = ElementTree.fromstring(shown)
        tags = {element.tag.rpartition("}")[2] for element in drawing.iter()}
        assert tags <= {"div", "svg", "title", "g", "rect", "polyline", "text"}
        names = {name for element in drawing.iter() for name in element.attrib}
        assert not [name for name in names if name.startswith("on") or "href" in name]


def test_long_names_are_short_in_nodes_and_whole_on_pointing_at_them() -> None:
    X = {"n" * 300: [1, 2, 3], "x": [1, 1, 2]}
    model = pt.ID3Classifier().fit(X, ["a" * 300, "b", "c"])
    drawing = ElementTree.fromstring(model.tree_._repr_svg_())
    assert max(text_width(element.text or "") for element in drawing.iter(TEXT)) < 25
    titles = [element.text or "" for element in drawing.iter("{http://www.w3.org/2000/svg}title")]
    assert any("n" * 300 in title for title in titles)
    assert any("a" * 300 in title for title in titles)


def test_a_fitted_model_is_shown_as_its_tree_and_an_unfitted_one_as_its_parameters() -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier()
    assert "<svg xmlns" not in model._repr_mimebundle_()["text/html"]
    bundle = model.fit(X, y)._repr_mimebundle_()
    assert bundle["text/plain"] == "ID3Classifier()"
    assert bundle["text/html"].startswith('<div style="overflow-x: auto"><svg')
    assert model.tree_._repr_svg_() in bundle["text/html"]


@pytest.mark.parametrize(
    "learner",
    [*LEARNERS, pt.C45RulesClassifier(), pt.RandomForestClassifier(3), pt.BoostedTreesClassifier()],
    ids=lambda learner: type(learner).__name__,
)
def test_scikit_learn_may_be_told_to_show_models_as_text(learner: Any) -> None:
    model = clone(learner)
    for _ in ("unfitted", "fitted"):
        assert set(model._repr_mimebundle_()) == {"text/plain", "text/html"}
        with sklearn.config_context(display="text"):
            assert model._repr_mimebundle_() == {"text/plain": repr(learner)}
            assert not hasattr(model, "_repr_html_")
        model.fit(*pt.datasets.load_tennis())


@pytest.mark.parametrize("learner", [pt.RandomForestClassifier(3), pt.C45RulesClassifier()])
def test_names_do_no_harm_in_what_other_models_show(learner: Any) -> None:
    shown = hostile_model(learner)._repr_html_()
    assert "alert(1)</script>" not in shown
    assert "<img" not in shown


def test_rules_show_themselves_and_not_their_tree() -> None:
    name = HOSTILE[0]
    model = pt.C45RulesClassifier().fit({name: [1, 2, 3, 4] * 3}, ["a", "a", "b", "b"] * 3)
    shown = model._repr_html_()
    assert shown.startswith("<pre>")
    assert "THEN a" in shown
    assert "<script" not in shown
    assert "<svg" not in shown
    assert not pt.C45RulesClassifier()._repr_html_().startswith("<pre>")
