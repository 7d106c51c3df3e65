"""Models as an ES module: its literals and labels. Predictions: ``test_export_programs``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import plaintree as pt
from plaintree.interop.program.javascript import export_javascript, label_text, text_literal
from plaintree.interop.verification.runners import run_program, runner
from tests.support.export_models import model_of_large_categories, verified


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


@pytest.mark.skipif(runner("javascript").absent() is not None, reason="there is no node")
def test_a_number_that_may_be_rounded_is_no_category(tmp_path: Path) -> None:
    """What JSON or a literal made of 2**53 + 1 would be answered as 2**53."""
    model, _ = model_of_large_categories()
    (tmp_path / "model.mjs").write_text(export_javascript(model))
    (tmp_path / "main.mjs").write_text(
        """
        import { predict } from "./model.mjs";
        const ids = [7, 9007199254740993n, "9007199254740993", 9007199254740991, 9007199254740993];
        for (const id of ids) {
          try { console.log(predict({ id })); } catch (error) { console.log(error.message); }
        }
        """
    )
    *found, refused = run_program(["node", "main.mjs"], tmp_path, "JavaScript").splitlines()
    unseen = model.predict({"id": [9007199254740991]})[0]
    assert found == ["c", "e", "e", unseen]
    assert refused == "a number that may be rounded, pass a BigInt or string: id"


def test_infinite_values_are_verified() -> None:
    X = [[-np.inf], [np.inf], [0.0], [1.0]] * 3
    model = pt.CARTClassifier().fit(X, list("abcc") * 3)
    assert np.isneginf(model.tree_.threshold).any()
    assert verified(export_javascript, model, X).n_given == 12
