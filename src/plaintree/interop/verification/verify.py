"""Verification of exports: an exported model is run and its predictions are compared.

1. Rows are generated on which a wrong export would differ first (rows.py), in addition to those of
   the caller's table.
2. The model predicts them.
3. A runner (runners/) runs the exported model on them, in batches.
4. The first difference raises an error that shows the row. Without one, a ``VerificationResult``
   states what was compared.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.encode import encode
from plaintree.data.schema import Label
from plaintree.errors import ExportError, UnseenCategoryWarning, report_request, row_name
from plaintree.progress import Progress
from plaintree.tree.predict import class_codes, class_shares, predicted_numbers
from plaintree.tree.tree import Tree

from ..members import members_of
from .rows import MOST_ROWS, VerificationRows, verification_batches
from .runners import Predictions, Runner, runner


@dataclass(frozen=True)
class VerificationResult:
    """Rows on which an export and its model made the same predictions.

    Attributes
    ----------
    n_given : int
        Rows of the caller's table.
    n_generated : int
        Rows generated for the model.
    n_refused : int
        Rows, of all these, for which both the export and the model raise an error, as the model's
        conventions demand.
    with_probabilities : bool
        Whether class probabilities were compared, not only predicted classes.
    left_out : mapping of str to int
        Number of further rows that were not compared, by reason.
    numbers : bool
        Whether the predictions are numbers, compared exactly.

    Examples
    --------
    >>> from plaintree.interop import VerificationResult
    >>> print(VerificationResult(14, 50, left_out={"divided": 66}))
    64 rows predicted alike (14 given, 50 generated); probabilities compared; 66 left out: divided
    """

    n_given: int
    n_generated: int
    n_refused: int = 0
    with_probabilities: bool = True
    left_out: Mapping[str, int] = field(default_factory=dict)
    numbers: bool = False

    @property
    def n_rows(self) -> int:
        """Number of rows that were compared."""
        return self.n_given + self.n_generated

    def and_of(self, rows: VerificationRows, with_probabilities: bool) -> VerificationResult:
        """Return the result with further rows added."""
        left_out = Counter(self.left_out)
        left_out.update(rows.left_out)
        return VerificationResult(
            self.n_given + rows.n_given,
            self.n_generated + len(rows) - rows.n_given,
            self.n_refused + sum(rows.refused),
            with_probabilities if len(rows) else self.with_probabilities,
            dict(left_out),
            self.numbers,
        )

    def __str__(self) -> str:
        counts = f"{self.n_given} given, {self.n_generated} generated"
        parts = [f"{self.n_rows} rows predicted alike ({counts})"]
        parts += [f"{self.n_refused} of them refused by both"] if self.n_refused else []
        compared = "probabilities" if self.with_probabilities else "classes, not probabilities,"
        parts += [f"{'numbers' if self.numbers else compared} compared"]
        parts += [f"{n} left out: {reason}" for reason, n in self.left_out.items()]
        return "; ".join(parts)


@dataclass(eq=False)
class Verification:
    """Options for ``verify=`` of an export, and the result of the last verification.

    Parameters
    ----------
    table : table or True, default=True
        Rows to compare, in addition to generated ones; True generates rows only.
    limit : int, default=1000
        Approximate number of rows that are generated for the model.
    progress : callable or None, default=None
        Called as described in :mod:`plaintree.progress`, with the number of rows compared so far;
        the total is None.

    Attributes
    ----------
    result : VerificationResult or None
        What the last export compared. None before the first export, and after a failed one.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> check = pt.interop.Verification(X)
    >>> text = pt.export_python(pt.ID3Classifier().fit(X, y), verify=check)
    >>> print(check.result)
    130 rows predicted alike (14 given, 116 generated); probabilities compared
    """

    table: Any = True
    limit: int = MOST_ROWS
    progress: Progress | None = None
    result: VerificationResult | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.limit = int(check_number("limit", self.limit, 1, 1e9))


def verify_export(
    model: object, artefact: Any, runner_name: str, X: Any = True
) -> VerificationResult:
    """Run an exported model and compare it with the model; raise ExportError on a difference.

    Parameters
    ----------
    model : fitted estimator, Tree or RuleList
        The model that was exported.
    artefact : object
        The exported model, as its runner takes it.
    runner_name : str
        The module in runners/ that runs it.
    X : table, True or Verification, default=True
        Rows to compare in addition to generated ones; True generates rows only.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.program.python import export_python
    >>> from plaintree.interop.verification.verify import verify_export
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> text = export_python(model)
    >>> verify_export(model, text, "python", X).n_rows
    130
    >>> verify_export(model, text.replace("'Yes'", "'yes'"), "python", X)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    plaintree.errors.ExportError: the exported model predicts 'yes' where the model ...
    """
    check = X if isinstance(X, Verification) else Verification(X)
    check.result = None
    running = runner(runner_name)
    lacking = running.absent()
    if lacking is not None:
        raise ExportError(
            "the export cannot be verified here",
            got=lacking,
            hint="install it, or leave out verify.",
        )
    table = None if check.table is True else check.table
    schema = members_of(model).schema
    found = VerificationResult(0, 0, numbers=not schema.classes)
    with running.started(artefact, schema) as run:
        for batch in verification_batches(model, table, limit=check.limit):
            rows = running.predictable(model, batch) if hasattr(running, "predictable") else batch
            predicted = run(rows) if len(rows) else Predictions([], None)
            compare(expected_predictions(model, rows), predicted, rows, running)
            found = found.and_of(rows, predicted.probabilities is not None)
            if check.progress is not None:
                check.progress("verifying rows", found.n_rows, None)
    if not found.n_rows:
        raise _nothing_verified(found)
    check.result = found
    return found


def _nothing_verified(found: VerificationResult) -> ExportError:
    why = "".join(f"; {n} left out: {reason}" for reason, n in found.left_out.items())
    return ExportError(
        "nothing could be verified",
        got=f"no row to compare{why}",
        hint="pass a table with other rows, or leave out verify.",
    )


def expected_predictions(model: object, rows: VerificationRows) -> Predictions:
    """Return the model's own predictions; None for rows that it refuses."""
    places = rows.accepted()
    found, parts = _predicted(model, rows.some(places)) if places else ([], np.empty(0))
    if len(places) == len(rows):
        return Predictions(found, parts.tolist())
    labels: list[Any] = [None] * len(rows)
    probabilities: list[list[float]] = [[] for _ in labels]
    for place, label, part in zip(places, found, parts.tolist(), strict=True):
        labels[place], probabilities[place] = label, part
    return Predictions(labels, probabilities)


def _predicted(model: Any, rows: VerificationRows) -> tuple[list[Label], NDArray[np.float64]]:
    table = rows.table()
    if not isinstance(model, Tree):
        named = hasattr(model, "feature_names_in_")  # a model without names would warn of them
        X = replace(table, generated_names=not named)
        with warnings.catch_warnings():  # some rows have unseen categories on purpose
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            labels = np.asarray(model.predict(X)).tolist()
            if members_of(model).schema.classes:
                return labels, model.predict_proba(X)
            return labels, np.empty((len(labels), 0))
    columns = encode(table, model.schema, used=model.used_columns)
    if not model.schema.classes:
        return predicted_numbers(model, columns).tolist(), np.empty((len(columns[0]), 0))
    labels = [model.schema.classes[code] for code in class_codes(model, columns).tolist()]
    return labels, class_shares(model, columns)


def compare(
    expected: Predictions, got: Predictions, rows: VerificationRows, running: Runner
) -> None:
    """Raise ExportError for the first row that the exported model predicts differently."""
    if len(got.labels) != len(rows):
        raise ExportError(
            "the exported model does not predict every row",
            got=f"{len(got.labels)} predictions for {len(rows)} rows",
        )
    if expected.labels == got.labels and got.probabilities in (None, expected.probabilities):
        return
    for i, (right, label) in enumerate(zip(expected.labels, got.labels, strict=True)):
        if not _same_label(right, label):
            raise _mismatch(rows, i, right, label)
        if right is None or got.probabilities is None or expected.probabilities is None:
            continue
        known, found = expected.probabilities[i], got.probabilities[i]
        if not _same_probabilities(known, found, running.TOLERANCE):
            raise _mismatch(rows, i, known, found)


def _same_label(right: Any, label: Any) -> bool:
    if right is None or label is None:
        return right is label
    return bool(right == label) or (isinstance(label, str) and label == str(right))


def _same_probabilities(right: list[float], found: list[float], tolerance: float) -> bool:
    return len(right) == len(found) and all(
        abs(a - b) <= tolerance for a, b in zip(right, found, strict=True)
    )


def _mismatch(rows: VerificationRows, place: int, right: Any, got: Any) -> ExportError:
    row = f"the row {rows.rows[place]!r}"
    if place < rows.n_given:
        row += f", {row_name(rows.numbers[place])} of the table"
    found, expected = (
        "raises an error" if value is None else f"predicts {value!r}" for value in (got, right)
    )
    return ExportError(
        f"the exported model {found} where the model {expected}",
        got=row,
        hint=f"do not use the export. This is a bug in plaintree; {report_request()}",
    )
