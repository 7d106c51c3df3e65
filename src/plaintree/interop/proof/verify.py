"""The proof: an exported model is run, and must answer as the model itself does.

1. Rows are made on which models would differ first (``proof_rows``), besides those given.
2. The model answers them.
3. A runner (``runners``) lets the exported artefact answer them.
4. The first difference is an error that shows the row; if there is none, a ``Proof`` tells what was
   compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.encode import encode
from plaintree.data.schema import Label
from plaintree.data.table import table_from
from plaintree.errors import ExportError, UnseenCategoryWarning
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.tree import Tree

from .rows import MOST_ROWS, ProofRows, proof_rows
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

    def __str__(self) -> str:
        """The proof in words.

        >>> import plaintree as pt
        >>> print(pt.Proof(14, 50, left_out={"divided": 66}))
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
    - ``proof``: what the last export proved; None before, and where the proof failed.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> check = pt.Verification(X)
    >>> text = pt.export_python(pt.ID3Classifier().fit(X, y), verify=check)
    >>> print(check.proof)
    130 rows answered alike, 14 given and 116 made; class shares compared
    """

    table: Any = True
    limit: int = MOST_ROWS
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
    rows = proof_rows(model, table, limit=check.limit)
    if hasattr(running, "answerable"):
        rows = running.answerable(model, rows)
    if len(rows) == 0:
        raise _nothing_proved(rows)
    got = running.run(artefact, rows)
    compare(expected_answers(model, rows), got, rows, running)
    check.proof = Proof(
        rows.n_given,
        len(rows) - rows.n_given,
        sum(rows.refused),
        got.shares is not None,
        rows.left_out,
    )
    return check.proof


def _nothing_proved(rows: ProofRows) -> ExportError:
    why = "".join(f"; {n} left out: {reason}" for reason, n in rows.left_out.items())
    return ExportError(
        "nothing was proved",
        got=f"no row to be answered{why}",
        hint="give a table with other rows, or leave out verify.",
    )


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
        named = hasattr(model, "feature_names_in_")  # a model without names would warn of them
        X = table if named else list(map(list, zip(*table.values(), strict=True)))
        with warnings.catch_warnings():  # some rows have unseen categories on purpose
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            return np.asarray(model.predict(X)).tolist(), model.predict_proba(X)
    columns = encode(table_from(table), model.schema, used=model.used_columns)
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
