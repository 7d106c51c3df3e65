"""ONNX graphs run by onnxruntime."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from plaintree.data.column import object_column
from plaintree.data.schema import Schema
from plaintree.errors import ExportError

from ..rows import VerificationRows
from . import Predictions, Run

TOLERANCE = 0.0


def absent() -> str | None:
    """Whether the package is installed."""
    return None if find_spec("onnxruntime") else "there is no Python package onnxruntime"


@contextmanager
def started(artefact: bytes, _schema: Schema) -> Iterator[Run]:
    """The graph, loaded."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4  # errors are raised as well
    options.intra_op_num_threads = 1
    try:
        session = ort.InferenceSession(artefact, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the package's errors have no class in common
        raise ExportError("the exported ONNX graph does not run", got=str(error)) from error
    yield lambda rows: _predictions(session, rows)


def _predictions(session: Any, rows: VerificationRows) -> Predictions:
    """Return the predictions of the graph; refused rows are run one by one."""
    labels: list[Any] = [None] * len(rows)
    values: list[list[float]] = [[] for _ in labels]
    alone = [[i] for i, refused in enumerate(rows.refused) if refused]
    for places in [rows.accepted(), *alone]:
        if not places:
            continue
        feed = _feed(session, rows, places)
        try:
            found = session.run(None, feed)
        except Exception as error:
            if rows.refused[places[0]]:
                continue
            raise ExportError("the exported ONNX graph does not run", got=str(error)) from error
        parts = found[-1].reshape(len(places), -1)
        for place, label, part in zip(places, found[0].tolist(), parts.tolist(), strict=True):
            labels[place], values[place] = label, part
    return Predictions.of(rows.schema, labels, values)


def _feed(session: Any, rows: VerificationRows, places: list[int]) -> dict[str, Any]:
    """Rows as the graph takes them: one array for each column, or a single one of all columns."""
    from ...onnx.features import missing_text  # which needs the package onnx, as the graph did

    columns = {}
    texts = {i.name for i in session.get_inputs() if i.type == "tensor(string)"}
    for attribute, values in rows.features():
        given = [values[i] for i in places]
        if attribute.name in texts:
            missing = missing_text(attribute)
            column = np.array([missing if v is None else str(v) for v in given], dtype=object)
        elif attribute.kind == "numeric" or attribute.cuts:
            column = object_column(attribute.name, given).values.astype(np.float64)
        else:
            column = np.array([np.nan if v is None else float(v) for v in given])
        columns[attribute.name] = column[:, None]
    names = [i.name for i in session.get_inputs()]
    if set(names) <= set(columns):
        return {name: columns[name] for name in names}
    return {names[0]: np.concatenate(list(columns.values()), axis=1)}
