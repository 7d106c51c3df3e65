"""The proof: an exported model is run, and must answer as the model itself does.

1. Rows are made on which models would differ first (``proof_rows``), besides those given.
2. The model answers them.
3. A runner (``runners``) lets the exported artefact answer them.
4. The first difference is an error that shows the row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..encode import encode
from ..errors import ExportError
from ..predict import class_codes, class_shares
from ..schema import Label
from ..table import table_from
from ..tree import Tree
from .proof_rows import MOST_ROWS, ProofRows, proof_rows
from .runners import Answers, Runner, runner


def prove(
    model: object, artefact: Any, runner_name: str, X: Any = None, *, limit: int = MOST_ROWS
) -> None:
    """Run an artefact on the rows of X and on rows made for the model; ExportError on a mismatch.

    ``X`` is a table, or True if there is none to give; ``limit`` is how many rows are made.

    >>> import plaintree as pt
    >>> from plaintree.export.program.python import export_python
    >>> from plaintree.export.verify import prove
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> text = export_python(model)
    >>> prove(model, text, "python", X)
    >>> prove(model, text.replace("'Yes'", "'yes'"), "python", X)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    plaintree.errors.ExportError: the exported model answers otherwise than the model: 'Yes' is ...
    """
    running = runner(runner_name)
    lacking = running.absent()
    if lacking is not None:
        raise ExportError(
            "the export cannot be verified here",
            got=lacking,
            hint="install it, or leave out verify.",
        )
    rows = proof_rows(model, None if X is True else X, limit=limit)
    if len(rows) == 0:
        raise ExportError(
            "nothing was proved",
            got="no row to be answered",
            hint="give a table with rows, or a limit above zero.",
        )
    compare(expected_answers(model, rows), running.run(artefact, rows), rows, running)


def expected_answers(model: object, rows: ProofRows) -> Answers:
    """What the model itself answers; None for rows that it refuses."""
    answered = [not refused for refused in rows.refused]
    labels: list[Any] = [None] * len(rows)
    shares: list[list[float]] = [[] for _ in labels]
    if any(answered):
        found, parts = _ask(model, rows.columns(only_answered=True))
        places = np.flatnonzero(answered).tolist()
        for place, label, part in zip(places, found, parts.tolist(), strict=True):
            labels[place], shares[place] = label, part
    return Answers(labels, shares)


def _ask(model: Any, table: dict[str, list[Any]]) -> tuple[list[Label], NDArray[np.float64]]:
    if not isinstance(model, Tree):
        return np.asarray(model.predict(table)).tolist(), model.predict_proba(table)
    columns = encode(table_from(table), model.schema)
    labels = [model.schema.classes[code] for code in class_codes(model, columns).tolist()]
    return labels, class_shares(model, columns)


def compare(expected: Answers, got: Answers, rows: ProofRows, running: Runner) -> None:
    """ExportError for the first row to which the artefact answers something else."""
    if len(got.labels) != len(rows):
        raise ExportError(
            "the exported model does not answer every row",
            got=f"{len(got.labels)} answers to {len(rows)} rows",
        )
    for i, (right, label) in enumerate(zip(expected.labels, got.labels, strict=True)):
        if not _same_label(right, label):
            raise _mismatch(rows.rows[i], right, label)
        if right is None or got.shares is None or expected.shares is None:
            continue
        if not _same_shares(expected.shares[i], got.shares[i], running.TOLERANCE):
            raise _mismatch(rows.rows[i], expected.shares[i], got.shares[i])


def _same_label(right: Any, label: Any) -> bool:
    if right is None or label is None:
        return right is label
    return bool(right == label) or (isinstance(label, str) and label == str(right))


def _same_shares(right: list[float], shares: list[float], tolerance: float) -> bool:
    return len(right) == len(shares) and all(
        abs(a - b) <= tolerance for a, b in zip(right, shares, strict=True)
    )


def _mismatch(row: dict[str, Any], right: Any, got: Any) -> ExportError:
    told = "an error" if right is None else repr(right)
    return ExportError(
        f"the exported model answers otherwise than the model: {told} is right",
        got=f"{'an error' if got is None else repr(got)} for the row {row!r}",
        hint="this is a fault of the export; do not use it, and report the row and the model.",
    )
