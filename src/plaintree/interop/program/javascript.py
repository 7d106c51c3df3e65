"""A model as an ES module of JavaScript: ``predict(row)`` and ``predictProba(row)``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Label

from ..members import EXACT_INTEGER, SAME_COST
from ..renamed import renamed_model
from ..verification.verify import verify_export
from .javascript_source import OF_CLASSES, OF_NUMBERS
from .plan import program_of
from .tables import Program, ProgramInput
from .writing import block, number_text


def export_javascript(
    model: object,
    *,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as an ES module without dependencies.

    It exports ``classes`` (the labels), ``predict(row)`` (the label of a row) and
    ``predictProba(row)`` (the class probabilities, in the order of ``classes``); if the target is
    numeric, only ``predict(row)``, which returns a number. A row is an object by column names;
    null, undefined and NaN are missing. It must have all columns and may have other properties.
    Dates are Date objects, other times and durations numbers of microseconds. If categories are
    integers from 2^53 on, such numbers are BigInts or strings.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the module is run by node
        on the rows of the table and on generated rows, and compared with the model; True uses
        generated rows only. A :class:`~plaintree.interop.Verification` also has the result.

    Returns
    -------
    str
        The source.

    Raises
    ------
    ExportError
        If the model cannot be exported, or the export predicts a row differently.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.program.javascript import export_javascript
    >>> X, y = pt.datasets.load_tennis()
    >>> "export function predict(row)" in export_javascript(pt.ID3Classifier().fit(X, y))
    True
    """
    model = renamed_model(model, feature_names, class_names)
    text = javascript_text(program_of(model))
    if verify is not None:
        verify_export(model, text, "javascript", verify)
    return text


def javascript_text(program: Program) -> str:
    """The source of a program."""
    tests = list(program.tests)
    source = OF_CLASSES if program.classes else OF_NUMBERS
    return source.substitute(
        classes=", ".join(map(label_text, program.classes)),
        columns="\n".join(map(_column, program.features)),
        tests="\n".join(
            f"  [{int(t.kind)}, {t.column}, {t.missing}, {t.unseen}, "
            f"[{', '.join(map(str, t.levels))}]],"
            for t in tests
        ),
        thresholds=_numbers(t.threshold for t in tests),
        node_test=block(program.node_test),
        node_next=block(program.node_next),
        node_prediction=block(program.node_prediction),
        node_weight=_numbers(program.node_weight),
        node_children=block(program.node_children),
        prediction_class=block(program.prediction_classes),
        n_values=program.n_values,
        prediction_values=_numbers(program.prediction_values),
        roots=block(program.roots),
        votes=_numbers(program.votes),
        total=number_text(program.total_votes),
        voting=text_literal(program.voting),
        costs=_numbers(program.costs),
        same_cost=number_text(SAME_COST),
        refuses_missing=_truth(program.refuses_missing),
        refuses_unseen=_truth(program.refuses_unseen),
    )


def _numbers(values: Iterable[float]) -> str:
    return block(number_text(value, "Infinity") for value in values)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def text_literal(text: str) -> str:
    """A string literal in ASCII that ends neither itself nor a script element of HTML."""
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("/", "\\/")


def label_text(label: Label) -> str:
    """Write a label as JavaScript; integers that it would round are BigInts."""
    if isinstance(label, str):
        return text_literal(label)
    if isinstance(label, bool):
        return _truth(label)
    if isinstance(label, int):
        return str(label) if abs(label) <= EXACT_INTEGER else f"{label}n"
    return number_text(label, "Infinity")


def _key(number: float) -> str:
    return f"{number}n" if isinstance(number, int) else number_text(number, "Infinity")


def _column(feature: ProgramInput) -> str:
    attribute = feature.feature
    strings = ", ".join(f"[{text_literal(text)}, {code}]" for text, code in feature.strings.items())
    numbers = ", ".join(f"[{_key(number)}, {code}]" for number, code in feature.numbers.items())
    cuts = ", ".join(number_text(cut, "Infinity") for cut in attribute.cuts)
    return (
        f"  {{ name: {text_literal(feature.name)}, input: {text_literal(feature.input)}, "
        f"unit: {text_literal(attribute.unit)}, ordered: {_truth(feature.is_ordered)}, "
        f"large: {_truth(feature.has_large)},\n"
        f"    strings: new Map([{strings}]), numbers: new Map([{numbers}]),\n"
        f"    booleans: [{feature.booleans[0]}, {feature.booleans[1]}], cuts: [{cuts}] }},"
    )
