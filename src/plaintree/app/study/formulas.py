"""A tree as logical formulas: one per class, or of a range of numbers."""

from __future__ import annotations

from typing import Any

from plaintree.data.schema import Label, Schema
from plaintree.data.typed_rows import schema_of
from plaintree.data.words import plain
from plaintree.errors import ParameterError, nearest
from plaintree.rules.formula import export_formula
from plaintree.rules.formula_words import Style


def export_formulas(
    model: Any,
    *,
    format: Style = "text",
    class_: str | None = None,
    above: float | None = None,
    below: float | None = None,
    no_simplify: bool = False,
    width: int | None = None,
) -> str:
    """The formula of a class, given as a string; by default those of all classes, with headings.

    For a numeric target, the formula of the predictions above or below a number, or between two.
    """

    def formula(label: Label | None) -> str:
        return export_formula(
            model,
            label,
            above=above,
            below=below,
            style=format,
            simplify=not no_simplify,
            width=width,
        )

    schema = schema_of(model)
    if not schema.classes or above is not None or below is not None:
        return formula(class_)
    if class_ is not None:
        return formula(_class_named(class_, schema))
    comment = "% " if format == "latex" else ""
    headed = (
        f"{comment}{plain(schema.target)} = {plain(label)}:\n{formula(label)}"
        for label in schema.classes
    )
    return "\n\n".join(headed)


def _class_named(text: str, schema: Schema) -> Label:
    """The class of that name; booleans may also be in lower case."""
    for label in schema.classes:
        if str(label) == text or (isinstance(label, bool) and str(label).lower() == text):
            return label
    names = [str(label) for label in schema.classes]
    raise ParameterError(
        "the tree has no such class",
        got=f"class_={text}",
        hint=nearest(text, names) or f"the classes are {', '.join(names[:10])}.",
    )
