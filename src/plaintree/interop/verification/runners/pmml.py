"""PMML documents run by JPMML-Evaluator (PyPI: jpmml-evaluator), which needs Java."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from plaintree.data.schema import Schema
from plaintree.errors import ExportError

from ...pmml.verification import field_values, verifiable
from ..rows import VerificationRows
from . import Predictions, Run, absent_program

TOLERANCE = 1e-12
predictable = verifiable


def absent() -> str | None:
    """Whether Java and the package are installed."""
    if find_spec("jpmml_evaluator") is None:
        return "there is no Python package jpmml_evaluator"
    return absent_program("java")


@contextmanager
def started(artefact: str, _schema: Schema) -> Iterator[Run]:
    """The document's model; its own rows are checked first."""
    from jpmml_evaluator import make_evaluator

    try:
        evaluator = make_evaluator(artefact).verify()
    except Exception as error:  # Java's errors come through with or without the package's own class
        raise ExportError("the exported PMML does not run", got=str(error)) from error
    names = output_names(artefact)
    yield lambda rows: _predictions(evaluator, names, rows)


def _predictions(
    evaluator: Any, names: tuple[str, list[str]], rows: VerificationRows
) -> Predictions:
    """Return the predictions of the document's model."""
    import pandas as pd

    predicted, probabilities = names
    values = {
        attribute.name: field_values(attribute, column) for attribute, column in rows.features()
    }
    results, errors = evaluator.evaluateAll(pd.DataFrame(values, dtype=object), error_col=None)
    refused = [False] * len(rows) if errors is None else [_is_refusal(e) for e in errors]
    labels = [
        None if none else label for label, none in zip(results[predicted], refused, strict=True)
    ]
    if not probabilities:
        return Predictions(labels)
    return Predictions(labels, results[probabilities].to_numpy(dtype=float).tolist())


def _is_refusal(error: Any) -> bool:
    """Whether a value was invalid by the document; any other error is a fault."""
    if not isinstance(error, str):
        return False
    if "ValueCheckException" not in error:
        raise ExportError("the exported PMML does not run", got=error)
    return True


def output_names(text: str) -> tuple[str, list[str]]:
    """Return the names of the prediction, and of the class probabilities if there are any."""
    predicted, probabilities = "", []
    for _, element in ElementTree.iterparse(BytesIO(text.encode()), events=("start",)):
        if not element.tag.endswith("}OutputField"):
            continue
        if element.get("feature") == "predictedValue":
            predicted = str(element.get("name"))
        elif element.get("feature") == "probability":
            probabilities.append(str(element.get("name")))
    return predicted, probabilities
