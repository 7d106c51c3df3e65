"""How long work tells how far it is: it calls a function, and whoever waits draws what he likes."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Nobody asked to see the progress."""
