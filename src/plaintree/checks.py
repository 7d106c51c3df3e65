"""Checks of parameters: a wrong one is told in words before any work is done."""

from __future__ import annotations

import errno
import os
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
"""Seeds whatever a single tree draws at random, so that one table gives one tree."""

_IMPOSSIBLE = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
"""Errors of the system about the name itself, not about what is or is not there."""


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """An error unless the value is one of a few words; a list or an array is none."""
    known = tuple(allowed)
    if not isinstance(value, str) or value not in known:
        raise not_allowed(name, value, known)


def check_flag(name: str, value: Any) -> bool:
    """A parameter as a truth value; words and numbers, which are true as well, are none."""
    if not isinstance(value, bool | np.bool_):
        raise not_allowed(name, value, (True, False))
    return bool(value)


def check_path(path: Any) -> Path:
    """A path that a file may have, given as a string or a path; whether it exists is not asked."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(name, str) or not name:
        raise ArgumentTypeError(
            "this is not the name of a file",
            got=repr(path) if isinstance(path, str) else f"an object of type {type(path).__name__}",
            hint="give a string or a pathlib.Path.",
        )
    try:
        os.lstat(name)
    except (OSError, ValueError) as error:  # ValueError: a NUL, or half of a pair of characters
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, ValueError) or error.errno in _IMPOSSIBLE:
            shown = ascii(name if len(name) <= 80 else name[:77] + "...")
            raise FileError(
                f"{shown} cannot be the name of a file",
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
            hint="give the path of a file.",
        )


def check_nodes(nodes: Any) -> list[int]:
    """The numbers of one node or of several; anything else is an error."""
    several = isinstance(nodes, Iterable) and not isinstance(nodes, str | bytes)
    wanted = list(nodes) if several else [nodes]
    for node in wanted:
        if not isinstance(node, int | np.integer) or isinstance(node, bool):
            raise ArgumentTypeError(
                "nodes are not given by their numbers",
                got=f"nodes={nodes!r}",
                hint="give a whole number, such as node.index, or several.",
            )
    return [int(node) for node in wanted]


def check_number(name: str, value: Any, least: float, most: float, *, above: bool = False) -> float:
    """A parameter as a float, or an error if it is none or out of its range."""
    number = isinstance(value, int | float | np.integer | np.floating)
    number = number and not isinstance(value, bool) and _fits_float(value)
    inside = number and (least < value if above else least <= value) and value <= most
    if not inside:
        bounds = f"above {least:.10g}" if above else f"from {least:.10g}"
        upwards = "upwards" if most == float("inf") else f"{'and up ' * above}to {most:.10g}"
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
    """A seed, a generator or None as the generator that scikit-learn makes of it."""
    from sklearn.utils import check_random_state as generator_of

    try:
        return generator_of(random_state)
    except ValueError:
        raise ParameterError(
            "random_state is not a seed",
            got=f"random_state={random_state!r}",
            hint="use a whole number from 0, a RandomState, or None for chance.",
        ) from None


def only_one(names: Sequence[str], values: Sequence[object], hint: str) -> None:
    """An error unless exactly one of several parameters is given."""
    given = [name for name, value in zip(names, values, strict=True) if value is not None]
    if len(given) != 1:
        raise ParameterError(
            f"exactly one of {' and '.join(names)} must be given",
            got=" and ".join(given) if given else "none of them",
            hint=hint,
        )
