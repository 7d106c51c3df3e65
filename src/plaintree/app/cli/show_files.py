"""Trees grown from files as text in a terminal, and the progress of growing them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from rich.console import Console

from plaintree.data.words import plain
from plaintree.growing.counts import SURVEYING
from plaintree.progress import Progress, no_progress

from .messages import is_quiet, without_color
from .show import Page, count, show_task
from .show_study import show_study

if TYPE_CHECKING:
    from ..study.files import FileStudy

_KINDS = ("numeric", "ordered", "categorical")


def show_file_study(page: Page, study: FileStudy, *, rules: bool) -> None:
    """The table, the tree, its quality on the rows it was grown from, and the effort."""
    features = study.schema.features
    kinds = [f"{n} {kind}" for kind in _KINDS if (n := sum(f.kind == kind for f in features))]
    parts = [
        f"{study.source}: {count(len(study.dataset.files), 'file')}",
        count(study.n_rows, "row"),
        f"{count(len(features), 'feature')} ({', '.join(kinds)})",
        f"target: {plain(str(study.dataset.target))}",
    ]
    page.print(", ".join(parts))
    show_task(page, study.decided)
    show_study(page, study, rules=rules)
    page.print("Cross-validation: none, because the rows are read in batches")
    passes = f"{study.n_passes} {'pass' if study.n_passes == 1 else 'passes'}"
    page.print(f"Time: {study.seconds:.1f} s, with {passes} over the encoded rows")


@contextmanager
def level_progress() -> Iterator[Progress]:
    """A progress callback that draws one line if standard error is a terminal."""
    if is_quiet() or not sys.stderr.isatty():
        yield no_progress
        return
    console = Console(stderr=True, no_color=without_color())
    with console.status("reading") as status:
        lines = LevelLines()
        yield lambda *step: status.update(lines.line(*step))


class LevelLines:
    """What is shown of the progress: the stage, how far it is, rows a second.

    >>> lines = LevelLines()
    >>> lines.line("surveying rows", 500_000, 2_000_000, now=1.0)
    'surveying rows: 25%'
    >>> lines.line("level 1, 2 open nodes", 3, None, now=2.0)
    'level 1, 2 open nodes, 3 passes'
    >>> lines.line("level 2, 4 open nodes", 5, None, now=6.0)
    'level 2, 4 open nodes, 5 passes, 1,000,000 rows/s'
    """

    def __init__(self) -> None:
        self._n_rows = 0
        self._first: tuple[int, float] | None = None

    def line(self, stage: str, done: int, total: int | None, now: float | None = None) -> str:
        """The line for a step."""
        now = perf_counter() if now is None else now
        if not stage.startswith("level "):
            if stage == SURVEYING:
                self._n_rows = total or 0
            return f"{stage}: {100 * done // total}%" if total else f"{stage}: {done:,}"
        passes = f"{stage}, {done} {'pass' if done == 1 else 'passes'}"
        if self._first is None:
            self._first = done, now
        before, begin = self._first
        if done == before or now <= begin:
            return passes
        return f"{passes}, {self._n_rows * (done - before) / (now - begin):,.0f} rows/s"
