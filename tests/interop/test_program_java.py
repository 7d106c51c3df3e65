"""Models as a Java class: its literals, and its limits. Predictions: ``test_export_programs``."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.data.schema import Feature, Schema
from plaintree.interop.program.java import export_java, java_string
from plaintree.interop.verification.runners import runner
from tests.support.export_models import golf_model, rows_for, verified
from tests.support.trees import XY_SCHEMA, build, chain_spec

lacking = runner("java").absent()
needs_java = pytest.mark.skipif(lacking is not None, reason=str(lacking))


@pytest.mark.slow
@needs_java
def test_tables_beyond_the_limits_of_a_class_file() -> None:
    many = tuple(f"category {i}" for i in range(12_000))
    schema = Schema((*XY_SCHEMA.features, Feature("c", "categorical", "text", many)), ("A", "B"))
    spec: Any = ("c in", list(many[::2]), [1, 0], chain_spec(6_000))
    text = export_java(build(schema, spec), verify=True)
    assert len(text) > 400_000


@needs_java
def test_texts_of_six_bytes_a_character() -> None:
    trees = tuple("\U0001f333" * n for n in range(1, 200))
    schema = Schema((Feature("c", "categorical", "text", trees),), ("A", "B"))
    tree = build(schema, ("c in", list(trees[::2]), [1, 0], [0, 1]))
    assert verified(export_java, tree).n_generated >= rows_for(tree)


@needs_java
def test_any_name_for_the_class() -> None:
    assert verified(export_java, *golf_model("cart"), name="RunModel").n_given == 14


def test_no_unicode_escape_ends_a_literal() -> None:
    assert java_string('a "\\u0022') == r'"a \042\134u0022"'
    assert java_string("\n\0\u05d0\U0001f333") == r'"\012\000\u05d0\ud83c\udf33"'
