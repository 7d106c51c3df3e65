"""Models as C99: its literals, its fields, and its size. Predictions: ``test_export_programs``."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.data.schema import Feature, Schema
from plaintree.interop.program.c import c_string, export_c
from plaintree.interop.verification.runners import runner
from tests.support.export_models import golf_model, random_voters, rows_for, verified
from tests.support.trees import build

lacking = runner("c").absent()
needs_gcc = pytest.mark.skipif(lacking is not None, reason=str(lacking))


@pytest.mark.slow
@needs_gcc
def test_a_forest_of_500_trees() -> None:
    voters = random_voters(500, "hard")
    assert verified(export_c, voters).n_generated >= rows_for(voters)


def test_only_harmless_characters_stand_in_a_literal() -> None:
    assert c_string(b"a 1") == '"a 1"'
    assert c_string(b"??/") == r'"\077\077\057"'
    assert c_string(b'"\\\n\x00\xff1') == r'"\042\134\012\000\3771"'


def test_fields_are_identifiers_that_differ() -> None:
    names = ("while", "a b", "a-b", "", "1st", "x" * 100, "\u05d0", "int main(){}/*")
    schema = Schema(tuple(Feature(name, "numeric") for name in names), ("A", "B"))
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
    schema = Schema(tuple(Feature(name, "numeric") for name in names), ("A", "B"))
    spec: Any = [1, 0]
    for i, name in enumerate(names):
        spec = (f"{name} <=", i, [1, i + 1], spec, 1)
    assert "double AGE;" in export_c(build(schema, spec), verify=True)


def test_categories_are_found_by_their_text() -> None:
    model, _ = golf_model("cart")
    text = export_c(model, name="golf")
    assert "int outlook; /* category, column 0: outlook */" in text
    assert "int golf_category(int column, const char *text, size_t length);" in text
