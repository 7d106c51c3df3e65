"""A model as Python source without dependencies: ``predict(row)`` and ``predict_proba(row)``."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Label

from ..members import SAME_COST
from ..renamed import renamed_model
from ..verification.verify import verify_export
from .plan import program_of
from .python_source import OF_CLASSES, OF_NUMBERS
from .tables import Program, ProgramInput
from .writing import block, number_text


def export_python(
    model: object,
    *,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as a Python module without dependencies.

    The module defines ``predict(row)``, which returns the class, and ``predict_proba(row)``, which
    returns a dict of the class probabilities. If the target is numeric, it defines only
    ``predict(row)``, which returns a number. A row is a dict by column names; None and NaN are
    missing. It must have all columns and may have other keys.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the module is run
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
    >>> from plaintree.interop.program.python import export_python
    >>> X, y = pt.datasets.load_tennis()
    >>> module = {}
    >>> exec(export_python(pt.ID3Classifier().fit(X, y), verify=X), module)
    >>> module["predict"]({"Outlook": "Rain", "Temperature": None, "Humidity": "High",
    ...                    "Wind": "Weak"})
    'Yes'
    """
    model = renamed_model(model, feature_names, class_names)
    text = python_text(program_of(model))
    if verify is not None:
        verify_export(model, text, "python", verify)
    return text


def python_text(program: Program) -> str:
    """The source of a program."""
    tests = ((int(t.kind), t.column, t.missing, t.unseen, t.levels) for t in program.tests)
    source = OF_CLASSES if program.classes else OF_NUMBERS
    return source.substitute(
        classes=_tuple(map(_literal, program.classes)),
        features=_rows(map(_column, program.features)),
        strings=_rows(ascii(f.strings) for f in program.features),
        numbers=_rows(map(_codes_of_numbers, program.features)),
        booleans=_rows(ascii(f.booleans) for f in program.features),
        tests=_rows(map(ascii, tests)),
        thresholds=block(number_text(t.threshold) for t in program.tests),
        node_test=block(program.node_test),
        node_next=block(program.node_next),
        node_prediction=block(program.node_prediction),
        node_weight=block(map(number_text, program.node_weight)),
        node_children=block(program.node_children),
        prediction_class=block(program.prediction_classes),
        prediction_values=block(map(number_text, program.prediction_values)),
        roots=block(program.roots),
        votes=block(map(number_text, program.votes)),
        total=number_text(program.total_votes),
        voting=ascii(program.voting),
        costs=block(map(number_text, program.costs)),
        same_cost=number_text(SAME_COST),
        n_values=program.n_values,
        refuses_missing=program.refuses_missing,
        refuses_unseen=program.refuses_unseen,
    )


def _column(feature: ProgramInput) -> str:
    read = (feature.name, feature.input, feature.feature.unit, feature.is_ordered)
    return f"({', '.join(map(ascii, read))}, {_tuple(map(_literal, feature.feature.cuts))})"


def _codes_of_numbers(feature: ProgramInput) -> str:
    pairs = (f"{_literal(number)}: {code}" for number, code in feature.numbers.items())
    return f"{{{', '.join(pairs)}}}"


def _literal(value: Label) -> str:
    """Write a label or number as Python source; infinity has no literal."""
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    return ascii(value)


def _tuple(entries: Iterable[str]) -> str:
    return "(" + "".join(f"{entry}, " for entry in entries) + ")"


def _rows(entries: Iterable[str]) -> str:
    return "\n".join(f"    {entry}," for entry in entries)
