"""Models as an ES module: its literals and labels. Answers: ``test_export_programs``."""

from __future__ import annotations

from plaintree.export.program.javascript import label_text, text_literal


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
