"""Values of a model file, both ways: plain JSON out, and strictly checked values in.

JSON distinguishes strings, true, 1 and 1.0, but has no NaN and no infinity: as numbers of a tree
these are ``null``, ``"inf"`` and ``"-inf"``. Every reader gets the place (``where``) of its value
in the file, and raises ModelFileError with the place, the expected and the actual value.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Label
from plaintree.errors import ModelFileError

from .earlier_names import EARLIER_FIELDS, translated_conventions

LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**64 - 1
MOST_DEPTH = 16
"""Maximum depth of lists and objects inside a parameter or an edit."""
_SPECIAL = {None: math.nan, "inf": math.inf, "-inf": -math.inf}


def refuse(where: str, wanted: str, value: object) -> NoReturn:
    """Raise the error for a value that is not valid at its place."""
    shown = repr(value) if isinstance(value, bool | int | float | str | None) else ""
    shown = f": {shown[:60]}" + ("..." if len(shown) > 60 else "") if shown else ""
    raise ModelFileError(
        f"{where} is not {wanted}",
        got=f"{_kind_of(value)}{shown}",
        hint="the file was changed or damaged after it was written.",
    )


def _kind_of(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")


# -------------------------------------------------------------------- single values


def as_object(
    value: Any, where: str, needed: Collection[str] = (), allowed: Collection[str] = ()
) -> dict[str, Any]:
    """An object with all the needed keys and no others but the allowed ones."""
    if not isinstance(value, dict):
        refuse(where, "an object", value)
    for key in needed:
        if key not in value:
            refuse(where, f"complete (it has no {key!r})", value)
    for key in value:
        if key not in needed and key not in allowed:
            refuse(where, f"made of known parts (it has {key[:60]!r})", value)
    return value


def as_list(value: Any, where: str, length: int | None = None) -> list[Any]:
    """A list, of a length if one is given."""
    if not isinstance(value, list):
        refuse(where, "a list", value)
    if length is not None and len(value) != length:
        refuse(where, f"a list of {length} (it has {len(value)})", value)
    return value


def as_text(value: Any, where: str, choices: Collection[str] | None = None) -> str:
    """Read a string, one of a few if these are given."""
    if not isinstance(value, str):
        refuse(where, "a string", value)
    if choices is not None and value not in choices:
        refuse(where, f"one of {', '.join(choices)}", value)
    return value


def as_flag(value: Any, where: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        refuse(where, "true or false", value)
    return value


def as_whole(value: Any, where: str, least: int = 0, most: int = 2**53) -> int:
    """Read an integer within bounds."""
    if type(value) is not int or not least <= value <= most:
        refuse(where, f"an integer from {least} to {most}", value)
    return value


def as_number(value: Any, where: str) -> float:
    """Read a finite number that is at least 0."""
    number = as_any_number(value, where)
    if not 0 <= number < math.inf:
        refuse(where, "a finite number from 0 upwards", value)
    return number


def as_any_number(value: Any, where: str) -> float:
    """A number of a tree: also null for NaN, "inf" and "-inf"."""
    if isinstance(value, str | None):
        if value not in _SPECIAL:
            refuse(where, "a number", value)
        return _SPECIAL[value]
    return _as_float(value, where)


def _as_float(value: Any, where: str) -> float:
    if type(value) not in (int, float):
        refuse(where, "a number", value)
    if not -1e300 < value < 1e300 and type(value) is int:
        refuse(where, "a number that fits a float64", None)
    return float(value)


def written_number(number: float) -> float | str | None:
    """A number of a tree as JSON has it; the inverse of :func:`as_any_number`."""
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else "inf" if number > 0 else "-inf"


# -------------------------------------------------------------------- labels


def written_label(label: object, where: str) -> Any:
    """Write a class or category as JSON: string, boolean, integer or float."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, str):
        return str(plain)
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, int) and LEAST_WHOLE <= plain <= MOST_WHOLE:
        return plain
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else {"float": written_number(plain)}
    raise ModelFileError(
        f"{where} is a label that a model file cannot store",
        got=f"{str(label)[:60]!r} of type {type(label).__name__}",
        hint="use strings, integers, floats or booleans.",
    )


def as_label(value: Any, where: str) -> Label:
    """The inverse of :func:`written_label`."""
    if isinstance(value, dict):
        as_object(value, where, ("float",))
        return as_any_number(value["float"], where)
    if type(value) is int:
        return as_whole(value, where, LEAST_WHOLE, MOST_WHOLE)
    if type(value) is float:
        return _as_float(value, where)
    if isinstance(value, str | bool):
        return value
    refuse(where, "a label", value)


# -------------------------------------------------------------------- arrays


def whole_array(values: Sequence[Any], where: str, dtype: type[np.generic]) -> NDArray[Any]:
    """Read integers that all fit a type, as an array."""
    bounds: Any = np.iinfo(np.dtype(dtype))
    if set(map(type, values)) - {int} or (
        values and not bounds.min <= min(values) <= max(values) <= bounds.max
    ):
        for position, value in enumerate(values):
            as_whole(value, f"{where}, entry {position}", int(bounds.min), int(bounds.max))
    return np.array(values, dtype=dtype)


def float_array(values: Sequence[Any], where: str) -> NDArray[np.float64]:
    """Numbers of a tree (see :func:`as_any_number`) as an array."""
    if set(map(type, values)) - {float}:
        values = [as_any_number(v, f"{where}, entry {i}") for i, v in enumerate(values)]
    return np.array(values, dtype=np.float64)


# -------------------------------------------------------------------- parameters and edits


def written_parameter(value: Any, where: str, depth: int = 0) -> Any:
    """Write a parameter as JSON; a value of another type is an object with its type."""
    from plaintree.tree.conventions import Conventions

    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return None if plain is None else written_label(plain, where)
    if depth < MOST_DEPTH:
        if isinstance(plain, Conventions):
            return {"conventions": written_parameter(plain.to_json(), where, depth + 1)["object"]}
        if isinstance(plain, list | tuple):
            written = [written_parameter(v, where, depth + 1) for v in plain]
            return written if isinstance(plain, list) else {"tuple": written}
        if isinstance(plain, Mapping):
            items = {k: written_parameter(v, where, depth + 1) for k, v in plain.items()}
            if all(isinstance(key, str) for key in items):
                return {"object": {str(key): item for key, item in items.items()}}
            return {"items": [[_written_key(key, where), item] for key, item in items.items()]}
    raise ModelFileError(
        f"{where} has a value that a model file cannot store",
        got=f"an object of type {type(value).__name__}",
        hint="set it to a number, a string, a list or None before saving; a seed is an integer.",
    )


def as_parameter(value: Any, where: str, depth: int = 0) -> Any:
    """The inverse of :func:`written_parameter`."""
    if depth > MOST_DEPTH:
        refuse(where, "nested less deeply", value)
    if isinstance(value, list):
        return [as_parameter(v, where, depth + 1) for v in value]
    if not isinstance(value, dict):
        return None if value is None else as_label(value, where)
    if set(value) == {"tuple"}:
        return tuple(as_parameter(as_list(value["tuple"], where), where, depth + 1))
    if set(value) == {"object"}:
        items = as_object(value["object"], where, allowed=value["object"])
        return {key: as_parameter(v, where, depth + 1) for key, v in items.items()}
    if set(value) == {"items"}:
        pairs = [as_list(pair, where, 2) for pair in as_list(value["items"], where)]
        return {_as_key(key, where): as_parameter(v, where, depth + 1) for key, v in pairs}
    if set(value) == {"conventions"}:
        return as_conventions(value["conventions"], where)
    return as_label(value, where)


def _written_key(key: Any, where: str) -> Any:
    """A key of a dictionary: a label, or a tuple of labels."""
    if isinstance(key, tuple):
        return {"tuple": [written_label(label, where) for label in key]}
    return written_label(key, where)


def _as_key(key: Any, where: str) -> Any:
    """The inverse of :func:`_written_key`."""
    if isinstance(key, dict) and set(key) == {"tuple"}:
        return tuple(as_label(label, where) for label in as_list(key["tuple"], where))
    return as_label(key, where)


def as_conventions(value: Any, where: str) -> Any:
    """Conventions; a field that the file does not have is as by default.

    A level without the test is from a version that had only one test.
    """
    from dataclasses import fields

    from plaintree.tree.conventions import Conventions

    allowed = {f.name for f in fields(Conventions)} | EARLIER_FIELDS
    given = as_object(value, where, allowed=allowed)
    named = {name: as_parameter(v, f"{where}, {name}") for name, v in given.items()}
    named = translated_conventions(named)
    if named.get("significance") is not None:
        named.setdefault("significance_test", "chi_square")
    return Conventions(**named)
