"""Data-quality warnings of a table, each with the parameter that would settle it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

LISTED = 8
"""Names that are listed; the others are counted."""

Remedy = Callable[[str, tuple[str, ...]], str]
"""Writes a parameter and its values, as the reader would give them."""


@dataclass(frozen=True)
class Doubt:
    """A warning about a table.

    Parameters
    ----------
    text : str
        The warning, up to the remedy.
    parameter : str, default=""
        The parameter of :func:`plaintree.read_table` or of a task that settles it, if there is one.
    values : tuple of str, default=()
        Values of the parameter.
    rest : str, default=""
        The warning behind the remedy.
    is_note : bool, default=False
        Whether it is for information only.

    Examples
    --------
    >>> str(Doubt("often means missing: ? in x; if so: ", "missing_values", ("?",)))
    "often means missing: ? in x; if so: missing_values=['?']"
    """

    text: str
    parameter: str = ""
    values: tuple[str, ...] = ()
    rest: str = ""
    is_note: bool = False

    def written(self, remedy: Remedy) -> str:
        """Format the whole warning, with the remedy written by a function."""
        settled = remedy(self.parameter, self.values) if self.parameter else ""
        return f"{self.text}{settled}{self.rest}"

    def __str__(self) -> str:
        return self.written(_in_python)


def _in_python(parameter: str, values: tuple[str, ...]) -> str:
    """Format a parameter with its values as an argument of a function.

    >>> _in_python("types", ("zip=text",)), _in_python("dates", ("month-first",))
    ("types={'zip': 'text'}", "dates='month-first'")
    """
    if not values:
        return parameter
    if parameter == "types":
        return f"types={dict(value.rsplit('=', 1) for value in values)}"
    if parameter == "dates":
        return f"dates={values[0]!r}"
    return f"{parameter}={list(values)}"


def listed(names: Iterable[str]) -> str:
    """Format the first names, and the number of the others."""
    found = list(names)
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(found[:LISTED]) + more
