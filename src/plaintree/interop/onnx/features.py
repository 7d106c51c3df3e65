"""Inputs of the graph, and the matrix of features that the trees split on.

Numbers stay as they are, in double precision; categories become codes from 1 upwards. NaN is
missing, also for strings and integers once they are codes; UNSEEN_CODE is a category not seen in
training, unless that counts as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan

import numpy as np
from onnx import TensorProto

from plaintree.data.schema import Feature, Schema
from plaintree.data.timestamps import TEMPORAL
from plaintree.errors import ParameterError

from ..members import label_type
from .ensemble import UNSEEN_CODE
from .graph import ML, Graph, numbers, text_tensor, without_null_at_end

MATRIX = "X"
REFUSAL = "a row has a missing value or an unseen category, which the model refuses"
"""The name of the operation that fails, which its error shows."""


@dataclass(frozen=True)
class Treatment:
    """Treatment of missing values and unseen categories: "missing", "keep" or "error"."""

    missing: str
    unseen: str


def input_is_text(attribute: Feature) -> bool:
    """Whether the values of a column are strings rather than doubles."""
    coded = attribute.kind != "numeric" and not attribute.cuts
    return coded and label_type(attribute.categories) == "text"


def missing_text(attribute: Feature) -> str:
    """Return the string of a missing value: the empty string, unless that is a category."""
    texts, mark = set(map(str, attribute.categories)), ""
    while mark in texts:
        mark += "?"
    return mark


def write_matrix(graph: Graph, schema: Schema) -> str:
    """Declare one input for all columns, if they are all numbers."""
    for attribute in schema.features:
        if attribute.kind != "numeric" or attribute.cuts:
            raise ParameterError(
                "a matrix can have numbers only, and one column has categories",
                got=f"matrix=True with column {attribute.name!r}",
                hint="leave out matrix; each column is then a separate input.",
            )
    names = ", ".join(schema.names)
    return graph.input(MATRIX, TensorProto.DOUBLE, len(schema.features), names)


def write_features(
    graph: Graph, schema: Schema, treatment: Treatment, *, matrix: bool = False
) -> str:
    """Write the matrix of features, rows x columns."""
    if matrix:
        features, refused = write_matrix(graph, schema), []
        if treatment.missing == "error":
            refused = [graph.apply("IsNaN", features)]
    else:
        columns, refused = [], []
        for attribute in schema.features:
            value, wrong = _column(graph, attribute, treatment)
            columns.append(value)
            refused += wrong
        features = graph.apply("Concat", *columns, axis=1)
    return _gated(graph, features, refused) if refused else features


def _column(graph: Graph, attribute: Feature, treatment: Treatment) -> tuple[str, list[str]]:
    """Write a column as a feature, with tensors that are true where its value is refused."""
    if attribute.kind == "numeric" or attribute.cuts:
        given = graph.input(attribute.name, TensorProto.DOUBLE, 1, _about_numbers(attribute))
        refused = [graph.apply("IsNaN", given)] if treatment.missing == "error" else []
        return (_interval(graph, given, attribute) if attribute.cuts else given), refused
    code = _codes(graph, attribute)
    refused = []
    if treatment.missing == "error":
        refused.append(graph.apply("IsNaN", code))
    unseen = graph.apply("Equal", code, graph.constant(UNSEEN_CODE))
    if (
        treatment.unseen == "error" and attribute.categories
    ):  # nothing is unseen in an unused column
        refused.append(unseen)
    if treatment.unseen == "missing" or (
        treatment.unseen == "keep" and attribute.kind == "ordered"
    ):
        code = graph.apply("Where", unseen, graph.constant(nan), code)
    return code, refused


def _about_numbers(attribute: Feature) -> str:
    unit = "microseconds, " if attribute.unit in TEMPORAL else ""
    return f"numbers ({unit}NaN is missing)"


def _codes(graph: Graph, attribute: Feature) -> str:
    """A column of labels as codes; NaN where missing, UNSEEN_CODE where unseen."""
    codes = np.arange(1.0, len(attribute.categories) + 1).tolist()
    if input_is_text(attribute):
        what, missing = f"a category of column {attribute.name!r}", missing_text(attribute)
        texts = [without_null_at_end(str(label), what) for label in attribute.categories]
        texts, codes = [*texts, missing], [*codes, nan]
        about = f"string ({missing or 'empty'} is missing)"
        given = graph.input(attribute.name, TensorProto.STRING, 1, about)
        keys = text_tensor("", texts)
    else:
        given = graph.input(attribute.name, TensorProto.DOUBLE, 1, "numbers (NaN is missing)")
        keys = numbers([float(label) for label in attribute.categories])
    found = graph.apply(
        "LabelEncoder",
        given,
        domain=ML,
        keys_tensor=keys,
        values_tensor=numbers(codes),
        default_tensor=numbers([UNSEEN_CODE]),
    )
    if input_is_text(attribute):
        return found
    return graph.where_missing(given, graph.constant(nan), found)


def _interval(graph: Graph, given: str, attribute: Feature) -> str:
    """Write the interval of a number, coded from 1: one more than the cut points below it."""
    cuts = [cut for cut in attribute.cuts if isfinite(cut)]
    if not cuts:
        return graph.where_missing(given, graph.constant(nan), graph.constant(1.0))
    above = graph.apply("Greater", given, graph.constant([cuts]))
    counted = graph.apply("Cast", above, to=int(TensorProto.DOUBLE))
    below = graph.apply("ReduceSum", counted, graph.constant([1], np.int64), keepdims=1)
    code = graph.apply("Add", below, graph.constant(1.0))
    return graph.where_missing(given, graph.constant(nan), code)


def _gated(graph: Graph, features: str, refused: list[str]) -> str:
    """Make the graph fail for rows with refused values.

    ONNX has no operator that fails; a position outside a tensor is an error by its standard.
    """
    wrong = graph.apply("Concat", *refused, axis=1) if len(refused) > 1 else refused[0]
    counted = graph.apply("Cast", wrong, to=int(TensorProto.INT64))
    worst = graph.apply("ReduceMax", counted, graph.constant([1], np.int64), keepdims=1)
    gate = graph.apply("Gather", graph.constant([0.0]), worst, axis=0, name=REFUSAL)
    return graph.apply("Add", features, gate)
