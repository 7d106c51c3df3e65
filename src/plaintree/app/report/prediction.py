"""The prediction of a typed row in a living report: the model's export to JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plaintree.errors import ExportError
from plaintree.interop.program.javascript import export_javascript
from plaintree.interop.verification.runners import javascript as runner
from plaintree.interop.verification.verify import Verification

from .findings import Findings

GIVEN_ROWS, GENERATED_ROWS = 500, 500
"""Rows that the export is compared on: of the table, evenly chosen, and generated ones."""
PARTS = "columns, read, roots, branchOf, nodeTest, nodeNext, nodeWeight, nodeChildren"
"""What the page needs to follow a row from node to node."""


@dataclass(frozen=True)
class Prediction:
    """A module that predicts rows, and what was verified of it as a sentence."""

    module: str
    verification: str


def prediction_of(found: Findings) -> Prediction | None:
    """The export of a model, compared with it by node; None if it cannot be exported.

    >>> import plaintree as pt
    >>> from plaintree.app.report.findings import find_out
    >>> X, y = pt.datasets.load_golf()
    >>> made = prediction_of(find_out(pt.C45Classifier().fit(X, y), X, y, cv=0))
    >>> "export function predict(row)" in made.module
    True
    """
    model: Any = found.subject.model
    absent = runner.absent()
    check = None if absent else Verification(_some_rows(found), limit=GENERATED_ROWS)
    try:
        source = export_javascript(model, verify=check)
    except ExportError:
        return None
    classes = bool(found.subject.schema.classes)
    names = "classes, predict, predictProba" if classes else "predict"
    exposed = f"globalThis.plaintreeModel = {{ {names}, parts: {{ {PARTS} }} }};\n"
    if check is None:
        return Prediction(source + exposed, f"The program was not verified: {absent}.")
    return Prediction(source + exposed, f"{check.result}.")


def _some_rows(found: Findings) -> Any:
    table = found.table
    if table.n_rows <= GIVEN_ROWS:
        return table
    return table.take(np.linspace(0, table.n_rows - 1, GIVEN_ROWS).astype(np.intp))
