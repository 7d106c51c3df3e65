"""Runners of exported models, one module per program, for the verification of exports.

A runner is a module of this package with

- ``absent() -> str | None``: what is missing on this machine, or None if it can run;
- ``started(artefact, schema)``: a context in which the exported model is compiled or loaded once,
  with a function from ``VerificationRows`` to ``Predictions``, called with some rows at a time;
- ``TOLERANCE``: how far its class probabilities may be from the model's (0: equal to the last bit);
- ``predictable(model, rows)``, only where the program cannot predict every row: the
  ``VerificationRows`` that it can predict, with the number of those left out and the reason.

May import the format that it runs, rules, tree and data. Estimators never enter.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from plaintree.errors import ExportError

if TYPE_CHECKING:
    from pathlib import Path

    from plaintree.data.schema import Schema

    from ..rows import VerificationRows


@dataclass(frozen=True, eq=False)
class Predictions:
    """A label per row, and the class probabilities, or None if the program does not compute them.

    A label of None means that the row was refused. A label may be the model's or its string. If the
    target is numeric, labels are the predicted numbers, and there are no probabilities.
    """

    labels: list[Any]
    probabilities: list[list[float]] | None = None

    @classmethod
    def of(cls, schema: Schema, labels: list[Any], values: list[list[float]]) -> Predictions:
        """The labels and the values of each row: probabilities, or one number that is the label.

        A refused row has no label and no values.
        """
        if schema.classes:
            return cls(labels, values)
        return cls([row[0] if row else None for row in values])


Run = Callable[["VerificationRows"], Predictions]


class Runner(Protocol):
    """The interface of the modules of this package."""

    TOLERANCE: float

    def absent(self) -> str | None:
        """Return what is missing on this machine, or None."""

    def started(self, artefact: Any, schema: Schema) -> AbstractContextManager[Run]:
        """Yield a function that runs the exported model on rows."""


def runner(name: str) -> Runner:
    """Return the runner of that name (the name of its module)."""
    return cast(Runner, import_module(f".{name}", __name__))


def absent_program(*names: str) -> str | None:
    """Return a message about the first program not on the path; None if all are."""
    for name in names:
        if shutil.which(name) is None:
            return f"there is no {name} on the path"
    return None


def run_program(command: list[str], directory: Path, what: str, text: str = "") -> str:
    """Run a program with text as its input; raise ExportError if it fails."""
    done = subprocess.run(
        command, cwd=directory, input=text.encode(), capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise ExportError(f"the exported {what} does not run", got=f"{command[0]}: {said[:2000]}")
    return done.stdout.decode()
