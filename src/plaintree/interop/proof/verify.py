"""The proof: an exported model is run, and must answer as the model itself does.

1. Rows are made on which models would differ first (``proof_rows``), besides those given.
2. The model answers them.
3. A runner (``runners``) lets the exported artefact answer them, some rows at a time.
4. The first difference is an error that shows the row; if there is none, a ``Proof`` tells what was
   compared.
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
from plaintree.errors import ExportError, UnseenCategoryWarning, row_name
from plaintree.progress import CountProgress
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.tree import Tree

from ..members import members_of
from .rows import MOST_ROWS, ProofRows, proof_batches
from .runners import Answers, Runner, runner


@dataclass(frozen=True)
class Proof:
    """What an export and its model were both asked, and answered alike.

    - ``given``, ``made``: how many rows of a table, and how many rows made for the model.
    - ``refused``: how many of all these both refuse, as the model's conventions say.
    - ``with_shares``: whether the class shares were compared, besides the classes.
    - ``left_out``: how many further rows were not asked, by the reason for it.
    """

    given: int
    made: int
    refused: int = 0
    with_shares: bool = True
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows were answered alike."""
        return self.given + self.made

    def and_of(self, rows: ProofRows, with_shares: bool) -> Proof:
        """The proof of further rows besides."""
        left_out = Counter(self.left_out)
        left_out.update(rows.left_out)
        return Proof(
            self.given + rows.n_given,
            self.made + len(rows) - rows.n_given,
            self.refused + sum(rows.refused),
            with_shares if len(rows) else self.with_shares,
            dict(left_out),
        )

    def __str__(self) -> str:
        """The proof in words.

        >>> import plaintree as pt
        >>> print(pt.interop.Proof(14, 50, left_out={"divided": 66}))
        64 rows answered alike, 14 given and 50 made; class shares compared; 66 left out: divided
        """
        said = [f"{self.rows} rows answered alike, {self.given} given and {self.made} made"]
        said += [f"{self.refused} of them refused"] if self.refused else []
        said += ["class shares compared" if self.with_shares else "classes compared, not shares"]
        said += [f"{n} left out: {reason}" for reason, n in self.left_out.items()]
        return "; ".join(said)


@dataclass(eq=False)
class Verification:
    """A table for ``verify=`` of an export that remembers what was compared.

    - ``table``: a table, or True if there is none to give.
    - ``limit``: about how many rows are made for the model, besides those of the table.
    - ``progress``: called with the number of rows compared so far, from time to time.
    - ``proof``: what the last export proved; None before, and where the proof failed.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> check = pt.interop.Verification(X)
    >>> text = pt.export_python(pt.ID3Classifier().fit(X, y), verify=check)
    >>> print(check.proof)
    130 rows answered alike, 14 given and 116 made; class shares compared
    """

    table: Any = True
    limit: int = MOST_ROWS
    progress: CountProgress | None = None
    proof: Proof | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.limit = int(check_number("limit", self.limit, 1, 1e9))


def prove(model: object, artefact: Any, runner_name: str, X: Any = True) -> Proof:
    """Run an artefact on the rows of X and on rows made for the model; ExportError on a mismatch.

    ``X`` is a table, True if there is none to give, or a :class:`Verification`.

    >>> import plaintree as pt
    >>> from plaintree.interop.program.python import export_python
    >>> from plaintree.interop.proof.verify import prove
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> text = export_python(model)
    >>> prove(model, text, "python", X).rows
    130
    >>> prove(model, text.replace("'Yes'", "'yes'"), "python", X)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    plaintree.errors.ExportError: the exported model answers otherwise than the model: 'Yes' is ...
    """
    check = X if isinstance(X, Verification) else Verification(X)
    check.proof = None
    running = runner(runner_name)
    lacking = running.absent()
    if lacking is not None:
        raise ExportError(
            "the export cannot be verified here",
            got=lacking,
            hint="install it, or leave out verify.",
        )
    table = None if check.table is True else check.table
    found = Proof(0, 0)
    with running.started(artefact, members_of(model).schema) as run:
        for batch in proof_batches(model, table, limit=check.limit):
            rows = running.answerable(model, batch) if hasattr(running, "answerable") else batch
            answers = run(rows) if len(rows) else Answers([], None)
            compare(expected_answers(model, rows), answers, rows, running)
            found = found.and_of(rows, answers.shares is not None)
            if check.progress is not None:
                check.progress(found.rows)
    if not found.rows:
        raise _nothing_proved(found)
    check.proof = found
    return found


def _nothing_proved(found: Proof) -> ExportError:
    why = "".join(f"; {n} left out: {reason}" for reason, n in found.left_out.items())
    return ExportError(
        "nothing was proved",
        got=f"no row to be answered{why}",
        hint="give a table with other rows, or leave out verify.",
    )


def expected_answers(model: object, rows: ProofRows) -> Answers:
    """What the model itself answers; None for rows that it refuses."""
    places = rows.answered()
    found, parts = _ask(model, rows.some(places)) if places else ([], np.empty(0))
    if len(places) == len(rows):
        return Answers(found, parts.tolist())
    labels: list[Any] = [None] * len(rows)
    shares: list[list[float]] = [[] for _ in labels]
    for place, label, part in zip(places, found, parts.tolist(), strict=True):
        labels[place], shares[place] = label, part
    return Answers(labels, shares)


def _ask(model: Any, rows: ProofRows) -> tuple[list[Label], NDArray[np.float64]]:
    table = rows.table()
    if not isinstance(model, Tree):
        named = hasattr(model, "feature_names_in_")  # a model without names would warn of them
        X = replace(table, generated_names=not named)
        with warnings.catch_warnings():  # some rows have unseen categories on purpose
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            return np.asarray(model.predict(X)).tolist(), model.predict_proba(X)
    columns = encode(table, model.schema, used=model.used_columns)
    labels = [model.schema.classes[code] for code in class_codes(model, columns).tolist()]
    return labels, class_shares(model, columns)


def compare(expected: Answers, got: Answers, rows: ProofRows, running: Runner) -> None:
    """ExportError for the first row to which the artefact answers something else."""
    if len(got.labels) != len(rows):
        raise ExportError(
            "the exported model does not answer every row",
            got=f"{len(got.labels)} answers to {len(rows)} rows",
        )
    if expected.labels == got.labels and got.shares in (None, expected.shares):
        return
    for i, (right, label) in enumerate(zip(expected.labels, got.labels, strict=True)):
        if not _same_label(right, label):
            raise _mismatch(rows, i, right, label)
        if right is None or got.shares is None or expected.shares is None:
            continue
        if not _same_shares(expected.shares[i], got.shares[i], running.TOLERANCE):
            raise _mismatch(rows, i, expected.shares[i], got.shares[i])


def _same_label(right: Any, label: Any) -> bool:
    if right is None or label is None:
        return right is label
    return bool(right == label) or (isinstance(label, str) and label == str(right))


def _same_shares(right: list[float], shares: list[float], tolerance: float) -> bool:
    return len(right) == len(shares) and all(
        abs(a - b) <= tolerance for a, b in zip(right, shares, strict=True)
    )


def _mismatch(rows: ProofRows, place: int, right: Any, got: Any) -> ExportError:
    row = f"the row {rows.rows[place]!r}"
    if place < rows.n_given:
        row += f", {row_name(rows.numbers[place])} of the table"
    told = "an error" if right is None else repr(right)
    return ExportError(
        f"the exported model answers otherwise than the model: {told} is right",
        got=f"{'an error' if got is None else repr(got)} for {row}",
        hint="this is a fault of the export; do not use it, and report the row and the model.",
    )
