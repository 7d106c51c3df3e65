"""Models as an ES module: run by node, it answers exactly as the model does."""

from __future__ import annotations

from typing import Any

import pytest

import plaintree as pt
from export_models import GOLF_LEARNERS, golf_model, hostile_tree, models_of_kinds, random_voters
from plaintree.export.program.javascript import export_javascript, label_text, text_literal
from plaintree.export.runners import runner
from trees import XY_SCHEMA, build, chain_spec

lacking = runner("javascript").absent()
needs_node = pytest.mark.skipif(lacking is not None, reason=str(lacking))


@needs_node
@pytest.mark.parametrize("name", GOLF_LEARNERS)
def test_every_learner_and_every_treatment_of_gaps(name: str) -> None:
    model, X = golf_model(name)
    export_javascript(model, verify=X)


@needs_node
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        (pt.C45Classifier, {}),
        (pt.ID3Classifier, {"numeric": "intervals", "unseen": "stop"}),
        (pt.C45RulesClassifier, {}),
    ],
)
def test_columns_of_every_kind(learner: Any, options: dict[str, Any]) -> None:
    model, X = models_of_kinds(learner, **options)
    export_javascript(model, verify=X)


@needs_node
@pytest.mark.parametrize("voting", ["majority", "probability"])
def test_random_trees_that_vote(voting: str) -> None:
    export_javascript(random_voters(60, voting, "stop"), verify=True)


@needs_node
def test_hostile_names() -> None:
    export_javascript(hostile_tree(nul=True), verify=True)


@needs_node
def test_a_tree_of_any_depth() -> None:
    export_javascript(build(XY_SCHEMA, chain_spec(5_000)), verify=True)


def test_texts_end_neither_a_literal_nor_a_script() -> None:
    assert text_literal('a"\\\n') == r'"a\"\\\n"'
    assert text_literal("</script>") == r'"\u003c\/script\u003e"'
    assert text_literal("\u2028\U0001f333") == r'"\u2028\ud83c\udf33"'


def test_labels_keep_their_type() -> None:
    labels = ("yes", True, 3, 2**60, -0.5)
    assert [label_text(label) for label in labels] == [
        '"yes"',
        "true",
        "3",
        "1152921504606846976n",
        "-0.5",
    ]
