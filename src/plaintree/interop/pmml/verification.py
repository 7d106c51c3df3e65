"""Rows with predictions in the document, and the rows that a scorer can verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.column import object_column
from plaintree.data.encode import encode
from plaintree.data.schema import Feature, Label
from plaintree.tree.condition import DIVIDES
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides, walk_rows

from ..members import Members, members_of
from ..verification.rows import VerificationRows, verification_rows
from ..verification.verify import expected_predictions
from .fields import Fields, data_type, label_text
from .markup import Markup

MOST_ROWS = 30
"""Number of rows in a document."""
PRECISION = "1e-12"
REFUSED = "the model refuses them"
DIVIDED = "the model divides them over branches"


def write_verification(out: Markup, fields: Fields, model: object) -> None:
    """Write some rows with predictions, with which scorers check themselves."""
    rows = verifiable(model, verification_rows(model, limit=3 * MOST_ROWS))
    # A row of the table has at least two values, and one of them is the prediction.
    told = [i for i, row in enumerate(rows.rows) if any(v is not None for v in row.values())]
    chosen = rows.some(told[:: max(1, len(told) // MOST_ROWS)])
    if not len(chosen):
        return
    answers = expected_predictions(model, chosen)
    with_shares = isinstance(members_of(model), Members)
    outputs = fields.probabilities if with_shares else ()
    out.start("ModelVerification", recordCount=len(chosen))
    out.start("VerificationFields")
    for i, name in enumerate(fields.schema.names):
        out.empty("VerificationField", field=name, column=f"in{i}")
    exact = None if fields.classes else PRECISION
    out.empty("VerificationField", field=fields.predicted, column="label", precision=exact)
    for i, name in enumerate(outputs):
        out.empty("VerificationField", field=name, column=f"share{i}", precision=PRECISION)
    out.end()
    out.start("InlineTable")
    shares = answers.probabilities if with_shares else None
    columns = [field_values(attribute, values) for attribute, values in chosen.features()]
    for i, row in enumerate(zip(*columns, strict=True)):
        _write_row(out, fields, row, answers.labels[i], shares[i] if shares else [])
    out.end()
    out.end()


def _write_row(
    out: Markup, fields: Fields, row: Sequence[Any], label: Label, shares: list[float]
) -> None:
    out.start("row")
    for i, (value, type_) in enumerate(zip(row, fields.columns, strict=True)):
        if value is not None:  # a missing value is left out
            out.text(f"in{i}", label_text(value, type_))
    out.text("label", label_text(label, fields.target_type))
    for i, share in enumerate(shares):
        out.text(f"share{i}", repr(share))
    out.end()


def field_values(attribute: Feature, values: list[Any]) -> list[Any]:
    """The values of a column as PMML takes them: times are numbers of microseconds."""
    if attribute.kind != "numeric" and not attribute.cuts:
        if data_type(attribute.categories) != "string":
            return values
        return [None if value is None else str(value) for value in values]
    numbers = object_column(attribute.name, values).values.tolist()
    return [None if isnan(number) else number for number in numbers]


def verifiable(model: object, rows: VerificationRows) -> VerificationRows:
    """Return the rows that the model does not divide over branches; of numbers, all.

    No available scorer divides rows as the standard demands, so none can verify it; and
    they look for invalid values only in the columns that they come across.
    """
    refused = np.array(rows.refused, dtype=np.bool_)
    divided = np.zeros(len(rows), dtype=np.bool_)
    members = members_of(model)
    if isinstance(members, Members) and members.schema.classes:
        columns = encode(rows.table(), rows.schema)
        for tree in filter(divides, members.trees):
            divided[_divided(tree, columns)] = True
    left_out = {REFUSED: int(refused.sum()), DIVIDED: int((divided & ~refused).sum())}
    kept = rows.some(np.flatnonzero(~(refused | divided)).tolist())
    return replace(kept, left_out={reason: n for reason, n in left_out.items() if n})


def _divided(tree: Tree, columns: Sequence[NDArray[Any]]) -> list[int]:
    """The rows that a tree divides over branches."""
    divided: list[int] = []
    for reached in walk_rows(tree, columns, np.ones(len(columns[0]))):
        if tree.n_children[reached.node] and tree.missing_child[reached.node] == DIVIDES:
            divided += reached.rows[reached.branches < 0].tolist()
    return divided
