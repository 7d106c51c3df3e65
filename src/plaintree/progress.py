"""Progress callbacks for long operations."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""
CountProgress = Callable[[int], None]
"""Called with how much is done, where there is one thing to do: trees grown, rows predicted."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Nobody asked to see the progress."""
