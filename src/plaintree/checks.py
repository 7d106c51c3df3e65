"""Validation of parameters, before any work is done."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plaintree.errors import (
    ArgumentTypeError,
    DirectoryError,
    FileError,
    ParameterError,
    not_allowed,
)

DEFAULT_SEED = 0
"""Seed of all random numbers of a single tree, so one table gives one tree."""

_IMPOSSIBLE = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
"""Errors of the system about the name itself, not about the file."""


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Raise an error unless the value is one of the allowed strings."""
    known = tuple(allowed)
    if not isinstance(value, str) or value not in known:
        raise not_allowed(name, value, known)


def check_flag(name: str, value: Any) -> bool:
    """Return a boolean parameter; strings and numbers raise an error."""
    if not isinstance(value, bool | np.bool_):
        raise not_allowed(name, value, (True, False))
    return bool(value)


def check_path(path: Any) -> Path:
    """Return a valid path, given as a string or a path; the file need not exist."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(name, str) or not name:
        raise ArgumentTypeError(
            "this is not the path of a file",
            got=repr(path) if isinstance(path, str) else f"an object of type {type(path).__name__}",
            hint="pass a string or a pathlib.Path.",
        )
    try:
        os.lstat(name)
    except (OSError, ValueError) as error:  # ValueError: a NUL, or half of a pair of characters
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, ValueError) or error.errno in _IMPOSSIBLE:
            shown = ascii(name if len(name) <= 80 else name[:77] + "...")
            raise FileError(
                f"{shown} cannot be the path of a file",
                got=reason,
                hint="correct the path.",
            ) from error
    return Path(name)


def check_replaceable(path: Path, what: str) -> None:
    """Raise an error if a path has something that writing a file must not replace."""
    if path.exists() and not path.is_file():
        kind = DirectoryError if path.is_dir() else FileError
        raise kind(
            f"{what} could not be written",
            got=f"{path}, which is {'a directory' if path.is_dir() else 'not a regular file'}",
            hint="pass the path of a file.",
        )


def check_nodes(nodes: Any) -> list[int]:
    """Return the numbers of one node or several; other values raise an error."""
    several = isinstance(nodes, Iterable) and not isinstance(nodes, str | bytes)
    wanted = list(nodes) if several else [nodes]
    for node in wanted:
        if not isinstance(node, int | np.integer) or isinstance(node, bool):
            raise ArgumentTypeError(
                "nodes must be given by their numbers",
                got=f"nodes={nodes!r}",
                hint="pass an integer, such as node.index, or several.",
            )
    return [int(node) for node in wanted]


def check_number(name: str, value: Any, low: float, high: float, *, above: bool = False) -> float:
    """Return a parameter as a float; raise an error if it is not a number or out of range."""
    number = isinstance(value, int | float | np.integer | np.floating)
    number = number and not isinstance(value, bool) and _fits_float(value)
    inside = number and (low < value if above else low <= value) and value <= high
    if not inside:
        bounds = f"above {low:.10g}" if above else f"from {low:.10g}"
        upwards = "upwards" if high == float("inf") else f"{'and up ' * above}to {high:.10g}"
        raise ParameterError(
            f"{name} is out of range",
            got=f"{name}={value!r}",
            hint=f"use a number {bounds} {upwards}.",
        )
    return float(value)


def _fits_float(value: Any) -> bool:
    """Whether a number is not too large for a float64."""
    try:
        float(value)
    except OverflowError:
        return False
    return True


def check_random_state(random_state: Any) -> Any:
    """Return scikit-learn's generator for a seed, a generator or None."""
    from sklearn.utils import check_random_state as generator_of

    try:
        return generator_of(random_state)
    except ValueError:
        raise ParameterError(
            "random_state is not a seed",
            got=f"random_state={random_state!r}",
            hint="use an integer from 0, a RandomState, or None for a random seed.",
        ) from None


def only_one(names: Sequence[str], values: Sequence[object], hint: str) -> None:
    """Raise an error unless exactly one of several parameters is given."""
    given = [name for name, value in zip(names, values, strict=True) if value is not None]
    if len(given) != 1:
        raise ParameterError(
            f"exactly one of {', '.join(names[:-1])} and {names[-1]} must be given",
            got=" and ".join(given) if given else "none of them",
            hint=hint,
        )


_UNITS = {"": 1, "B": 1} | {
    prefix + end: base**power
    for power, prefix in enumerate("KMGT", 1)
    for end, base in (("", 1000), ("B", 1000), ("IB", 1024))
}


LEAST_MEMORY = 10**6
"""Bytes that an amount of memory may be, at least: fewer lack their unit."""


def bytes_of(name: str, value: Any) -> int | None:
    """The number of bytes that a parameter gives, as an integer or as in "2 GB"; None for None.

    >>> bytes_of("memory_limit", "1.5 GB"), bytes_of("memory_limit", "512MiB")
    (1500000000, 536870912)
    """
    if value is None:
        return None
    amount, unit = value, ""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", value)
        amount, unit = (float(match[1]), match[2].upper()) if match else (0, "")
    is_number = isinstance(amount, int | float | np.integer) and not isinstance(amount, bool)
    if not is_number or unit not in _UNITS or not 0 < amount < 2**60:
        raise ParameterError(
            f"{name} is not an amount of memory",
            got=f"{name}={value!r}",
            hint='use a number of bytes, or a string such as "2 GB" or "500 MB".',
        )
    if amount * _UNITS[unit] < LEAST_MEMORY:
        raise ParameterError(
            f"{name} is less than 1 MB",
            got=f"{name}={value!r}",
            hint=f'a number alone is in bytes: write a unit, as in {name}="2GB".',
        )
    return int(amount * _UNITS[unit])
