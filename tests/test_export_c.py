"""Models as C99: compiled without a warning, the program answers exactly as the model does."""

from __future__ import annotations

from typing import Any

import pytest

import plaintree as pt
from export_models import GOLF_LEARNERS, golf_model, hostile_tree, models_of_kinds, random_voters
from plaintree.errors import ParameterError
from plaintree.export.program.c import c_string, export_c
from plaintree.export.runners import runner
from plaintree.schema import Attribute, Schema
from trees import XY_SCHEMA, build, chain_spec

lacking = runner("c").absent()
needs_gcc = pytest.mark.skipif(lacking is not None, reason=str(lacking))


@needs_gcc
@pytest.mark.parametrize("name", GOLF_LEARNERS)
def test_every_learner_and_every_treatment_of_gaps(name: str) -> None:
    model, X = golf_model(name)
    export_c(model, verify=X)


@needs_gcc
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
    export_c(model, verify=X)


@needs_gcc
@pytest.mark.parametrize("voting", ["majority", "probability"])
@pytest.mark.parametrize("unseen", ["missing", "stop"])
def test_random_trees_that_vote(voting: str, unseen: str) -> None:
    export_c(random_voters(60, voting, unseen), verify=True)


@needs_gcc
def test_a_forest_of_500_trees() -> None:
    export_c(random_voters(500, "majority"), verify=True)


@needs_gcc
def test_hostile_names() -> None:
    export_c(hostile_tree(nul=True), name="hostile", verify=True)


@needs_gcc
def test_a_tree_of_any_depth() -> None:
    export_c(build(XY_SCHEMA, chain_spec(5_000)), verify=True)


def test_only_harmless_characters_stand_in_a_literal() -> None:
    assert c_string(b"a 1") == '"a 1"'
    assert c_string(b"??/") == r'"\077\077\057"'
    assert c_string(b'"\\\n\x00\xff1') == r'"\042\134\012\000\3771"'


def test_fields_are_identifiers_that_differ() -> None:
    names = ("while", "a b", "a-b", "", "1st", "x" * 100, "\u05d0", "int main(){}/*")
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), ("A", "B"))
    text = export_c(build(schema, ("while <=", 1, [1, 0], [0, 1])))
    struct = text.split("typedef struct {")[1].split("} model_row;")[0]
    fields = [line.split(";")[0].split()[1] for line in struct.strip().splitlines()]
    assert fields == [
        "while_",
        "a_b",
        "a_b_",
        "column",
        "column_1st",
        "x" * 40,
        "column_",
        "int_main",
    ]


@needs_gcc
def test_fields_are_no_macros_of_the_source_or_of_headers() -> None:
    own = ("MODEL_N_CLASSES", "MODEL_N_COLUMNS", "MODEL_N_CATEGORIES")
    names = (*own, "HUGE_VAL", "FP_NAN", "M_PI", "NAN", "EOF", "EXIT_FAILURE", "linux", "AGE")
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), ("A", "B"))
    spec: Any = [1, 0]
    for i, name in enumerate(names):
        spec = (f"{name} <=", i, [1, i + 1], spec, 1)
    assert "double AGE;" in export_c(build(schema, spec), verify=True)


def test_categories_are_found_by_their_text() -> None:
    model, _ = golf_model("cart")
    text = export_c(model, name="golf")
    assert "int outlook; /* category, column 0: outlook */" in text
    assert "int golf_category(int column, const char *text, size_t length);" in text


@pytest.mark.parametrize("name", ["while", "1st", "a b", "", "m\u00e4h", "EOF"])
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="no identifier of C"):
        export_c(golf_model("cart")[0], name=name)
