"""Progress callbacks for long operations.

Every parameter ``progress=`` takes a function with the same three arguments, or None:

- ``stage`` (str): what is being done, such as "growing trees";
- ``done`` (int): how much of it is done;
- ``total`` (int or None): how much there is to do; None if that is not known.

It is called from time to time and at the end of each stage, always in the caller's thread. Its
return value is ignored, and an exception that it raises ends the operation.

Growing a tree on a dataset has the stages "reading types" (CSV only), "surveying rows" and
"encoding rows", which count rows, and a stage for each level, such as "level 3, 8 open nodes". In
these, ``done`` is the number of passes over the encoded rows. Forests grow some trees at once, as
in "level 3, 99 open nodes of trees 1 to 32", and count those that are done in "growing trees".

Examples
--------
>>> import plaintree as pt
>>> X, y = pt.datasets.load_tennis()
>>> def report(stage, done, total):
...     if done == total:
...         print(f"{stage}: {done} of {total}")
>>> forest = pt.RandomForestClassifier(10, n_jobs=1).fit(X, y, progress=report)
growing trees: 10 of 10
"""

from __future__ import annotations

import sys
from typing import Protocol

__all__ = ["Progress"]


class Progress(Protocol):
    """A function that is called with the progress of an operation."""

    def __call__(self, stage: str, done: int, total: int | None, /) -> None:
        """Report that ``done`` of ``total`` parts of a stage are done."""


def no_progress(_stage: str, _done: int, _total: int | None) -> None:
    """Ignore the progress."""


def reporter(progress: Progress | None, verbose: int = 0) -> Progress:
    """Return the function to call for a ``progress`` and a ``verbose`` parameter.

    With ``verbose=1``, about ten lines are printed to standard error for each stage; with 2 or
    more, every step.
    """
    if not verbose:
        return progress or no_progress
    tenths: dict[str, int] = {}

    def report(stage: str, done: int, total: int | None, /) -> None:
        if progress is not None:
            progress(stage, done, total)
        tenth = 10 * done // max(total or 1, 1)
        if verbose > 1 or done == total or tenth > tenths.get(stage, 0):
            tenths[stage] = tenth
            of_total = "" if total is None else f" of {total:,}"
            print(f"{stage}: {done:,}{of_total}", file=sys.stderr, flush=True)

    return report
