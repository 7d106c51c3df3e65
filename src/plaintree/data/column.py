"""One column of a table, read from a numpy array or Python objects.

Values from frame libraries, files and the caller's lists all pass through the functions here, so
one place decides what is a missing value, a number, a date or a category.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import PlaintreeError, TableError

from .schema import Feature, Kind, Label, Unit
from .timestamps import TEMPORAL, number_of, numbers_of

EXACT = 2**53
"""Below this, different integers are different float64 values."""
TRUE = ("true", "t", "yes", "y", "on", "1", "1.0")
FALSE = ("false", "f", "no", "n", "off", "0", "0.0")
"""The usual spellings of booleans, for a column that is known to be boolean."""

_FRACTIONS = (float, np.floating, Decimal, Fraction)
_GAP_TYPES = ("NoneType", "NAType", "NaTType")
NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
_FAMILIES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str,), "text"),
    ((bool, np.bool_), "boolean"),
    ((timedelta, np.timedelta64), "duration"),  # before integers: numpy derives it from them
    ((int, np.integer), "integer"),
    (_FRACTIONS, "number"),
    ((datetime, np.datetime64), "datetime"),  # before dates: datetime derives from date
    ((date,), "date"),
    ((time,), "time"),
    ((complex, np.complexfloating), "complex"),
    (NESTED, "nested"),
    ((bytes, bytearray, memoryview), "binary"),
)


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    Numeric and ordered: ``values`` are float32 or float64 with NaN where a value is missing, and
    may be a strided or read-only view of the caller's array. Categorical: ``values`` are int32
    positions in ``labels``, -1 where a value is missing. Labels are the caller's declared
    categories in their order, or else the values found, sorted. ``integers`` are there where
    ``values`` are integers that may be too large for a float64: the numbers themselves, and
    anything where one is missing. As categories and classes they stay distinct. ``declared``:
    the labels are known beforehand, so a part of the column has all of them. ``mixed``: the types
    of the values, where a column of Python objects had to be turned into text because of them.
    ``zoned``: the values are datetimes of a time zone.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    unit: Unit = "number"
    labels: tuple[Label, ...] = ()
    integers: NDArray[Any] | None = None
    declared: bool = True
    mixed: tuple[str, ...] = ()
    zoned: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """The rows without a value."""
        return Feature(self.name, self.kind).missing(self.values)

    @property
    def exact(self) -> NDArray[Any]:
        """The numbers that distinguish categories: the integers, if there are any."""
        return self.values if self.integers is None else self.integers

    def take(self, rows: NDArray[Any]) -> Column:
        """Some rows, by number or by mask; labels found in the data shrink to those left.

        >>> text_column("outlook", np.array([0, 1, 2]), ["sunny", "rainy", "dull"]).take(
        ...     np.array([2, 0])
        ... ).labels
        ('dull', 'sunny')
        """
        values = self.values[rows]
        integers = None if self.integers is None else self.integers[rows]
        if self.declared or self.kind != "categorical":
            return replace(self, values=values, integers=integers)
        left = np.bincount(values[values >= 0], minlength=len(self.labels)) > 0
        rank = np.append(np.cumsum(left, dtype=np.int32) - 1, -1).astype(np.int32)  # last: code -1
        labels = tuple(compress(self.labels, left.tolist()))
        return replace(self, values=rank[values], labels=labels, integers=integers)


def complex_data(where: str) -> TableError:
    return TableError(
        "Complex data not supported",
        got=f"complex numbers in {where}",
        hint="split them into columns of real and imaginary parts.",
    )


def unusable(name: str, what: str) -> TableError:
    return TableError(
        f"column {name!r} cannot be used",
        got=what,
        hint="drop the column, or turn it into numbers, text or categories first.",
    )


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn exceptions raised by the caller's own objects into an error about them."""
    try:
        yield
    except (PlaintreeError, MemoryError, Warning):
        raise
    except Exception as error:
        raise TableError(
            f"{what} cannot be read",
            got=f"{type(error).__name__} from one of its values",
            hint="turn the values into numbers, text or categories first.",
        ) from error


def boolean_of(label: Label) -> bool | None:
    """The boolean that a label spells, if it does.

    >>> boolean_of("TRUE"), boolean_of(0), boolean_of("maybe")
    (True, False, None)
    """
    spelt = str(label).lower()
    return True if spelt in TRUE else False if spelt in FALSE else None


# -------------------------------------------------------------------- columns of arrays


def without_mask(array: Any) -> NDArray[Any]:
    """An array whose masked entries are NaN, NaT or None."""
    if not np.ma.isMA(array):
        return np.asarray(array)
    if array.dtype.kind in "iu" and not are_large(array.ravel()):
        array = array.astype(np.float64)
    if array.dtype.kind in "fmM":
        nothing = np.nan if array.dtype.kind == "f" else np.array("NaT", array.dtype)
        return np.asarray(array.filled(nothing))
    objects = array.data.astype(object)
    objects[np.ma.getmaskarray(array)] = None
    return np.asarray(objects)


def numpy_column(name: str, values: NDArray[Any]) -> Column:
    dtype = values.dtype
    match dtype.kind:
        case "f":
            plain = np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
            return Column(name, "numeric", values.astype(plain, copy=False))
        case "i" | "u":
            return integer_column(name, values)
        case "b":
            return Column(name, "categorical", values.astype(np.int32), "boolean", (False, True))
        case "M" | "m":
            if dtype.kind == "m":
                return Column(name, "numeric", numbers_of(values), "duration")
            days = np.datetime_data(dtype)[0] in ("Y", "M", "W", "D")
            return Column(name, "numeric", numbers_of(values), "date" if days else "datetime")
        case "c":
            raise complex_data(f"column {name!r}")
        case "S" | "V":
            raise unusable(name, "binary data" if dtype.kind == "S" else "structured data")
    return object_column(name, values.tolist())


def are_large(integers: Any) -> bool:
    """Whether float64 may confuse some of these integers with their neighbours."""
    return bool(len(integers)) and not -EXACT < integers.min() <= integers.max() < EXACT


def integer_column(
    name: str, integers: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> Column:
    """Make a column of integers; ``missing`` marks the rows without a value."""
    values = integers.astype(np.float64)
    if missing is not None:
        values[missing] = np.nan
    return Column(name, "numeric", values, "integer", integers=integers)


def declared_column(
    name: str, codes: NDArray[Any], categories: Iterable[Any], ordered: bool
) -> Column:
    """A column whose categories the caller declared; their order is kept."""
    plain = (c.item() if isinstance(c, np.generic) else c for c in categories)
    labels = tuple(c if isinstance(c, (str, int, float)) else str(c) for c in plain)
    if len(set(labels)) < len(labels):
        raise TableError(
            f"column {name!r} has different categories with the same string",
            got=next(repr(label) for label in labels if labels.count(label) > 1),
            hint="give the categories distinct names.",
        )
    types = set(map(type, labels))
    unit: Unit = "boolean" if types == {bool} else "integer" if types == {int} else "text"
    if not ordered:
        return Column(name, "categorical", codes.astype(np.int32), unit, labels)
    return Column(name, "ordered", np.where(codes < 0, np.nan, codes * 1.0), unit, labels)


def text_column(name: str, codes: NDArray[Any], labels: list[str]) -> Column:
    """A text column from labels in order of appearance; -1 is missing."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last entry is for code -1
    rank[order] = np.arange(len(labels), dtype=np.int32)
    found = tuple(labels[i] for i in order)
    return Column(name, "categorical", rank[codes], "text", found, declared=False)


# -------------------------------------------------------------------- columns of Python objects


def object_column(name: str, values: list[Any]) -> Column:
    """Make a column of Python objects, of their common type; a mixture is text."""
    types = set(map(type, values))
    if types == {int} and (array := np.asarray(values)).dtype.kind in "iu":
        return integer_column(name, array)
    missing = _missing(values, types)
    if missing.any():
        types = set(map(type, compress(values, (~missing).tolist())))
    families = {_family(t) for t in types}
    if "complex" in families:
        raise complex_data(f"column {name!r}")
    if families & {"nested", "binary"}:
        found = sorted(t.__name__ for t in types if _family(t) in ("nested", "binary"))
        raise unusable(name, f"values of type {', '.join(found)}")
    if families == {"boolean"}:
        codes = _converted(values, missing, int, -1).astype(np.int32)
        return Column(name, "categorical", codes, "boolean", (False, True))
    if families <= {"integer", "number"}:
        return _column_of_numbers(name, values, missing, whole=families == {"integer"})
    if families <= {"date", "datetime"} or families in ({"time"}, {"duration"}):
        unit: Unit = "datetime" if len(families) > 1 else _unit_of(*families)
        numbers = _converted(values, missing, number_of, np.nan)
        return Column(name, "numeric", numbers, unit, zoned=_are_zoned(name, values, missing))
    texts: list[str | None] = values
    if types != {str} or missing.any():
        # A str that is more than a str (a member of an enumeration, say) counts as its string.
        texts = [
            None if absent else str.__str__(v) if isinstance(v, str) else str(v)
            for v, absent in zip(values, missing.tolist(), strict=True)
        ]
    mixed = tuple(sorted(t.__name__ for t in types)) if len(families) > 1 else ()
    if mixed:
        _refuse_same_text(name, values, texts)
    found_texts = sorted({text for text in texts if text is not None})
    positions: dict[str | None, int] = {text: i for i, text in enumerate(found_texts)}
    positions[None] = -1
    codes = np.fromiter(map(positions.__getitem__, texts), np.int32, len(texts))
    labels = tuple(found_texts)
    return Column(name, "categorical", codes, "text", labels, declared=False, mixed=mixed)


def _are_zoned(name: str, values: list[Any], missing: NDArray[np.bool_]) -> bool:
    """Whether datetimes have a time zone; a mixture would be compared as if all were of UTC."""
    zones = {
        getattr(value, "tzinfo", None) is not None
        for value in compress(values, (~missing).tolist())
        if not isinstance(value, (time, timedelta))
    }
    if len(zones) > 1:
        raise TableError(
            f"column {name!r} mixes timestamps with and without a time zone",
            hint="use a time zone in all of them, or in none.",
        )
    return zones == {True}


def _refuse_same_text(name: str, values: list[Any], texts: list[str | None]) -> None:
    """Raise an error if values of different types, such as 1 and "1", have the same string."""
    types: dict[str, type] = {}
    for value, text in zip(values, texts, strict=True):
        if text is not None and _family(types.setdefault(text, type(value))) != _family(
            type(value)
        ):
            raise TableError(
                f"column {name!r} has different values with the same string",
                got=f"{text} as {types[text].__name__} and as {type(value).__name__}",
                hint="turn the column into one type, as with astype(str).",
            )


def _column_of_numbers(
    name: str, values: list[Any], missing: NDArray[np.bool_], *, whole: bool
) -> Column:
    try:
        numbers = _converted(values, missing, float, np.nan)
    except OverflowError as error:
        raise unusable(name, "an integer too large for a float64") from error
    if not whole:
        return Column(name, "numeric", numbers)
    integers = None
    if are_large(numbers[~missing]):  # compared as objects, which is slow
        pairs = zip(values, missing.tolist(), strict=True)
        integers = np.array([0 if absent else int(v) for v, absent in pairs], dtype=object)
    return Column(name, "numeric", numbers, "integer", integers=integers)


def _missing(values: list[Any], types: set[type]) -> NDArray[np.bool_]:
    """Mark the objects, of these types, that are missing: None, NaN, NA and NaT."""
    suspects = (*_FRACTIONS, np.datetime64, np.timedelta64)
    if not any(t.__name__ in _GAP_TYPES or issubclass(t, suspects) for t in types):
        return np.zeros(len(values), dtype=np.bool_)
    missing = (
        type(v).__name__ in _GAP_TYPES or (isinstance(v, suspects) and _is_nan(v)) for v in values
    )
    return np.fromiter(missing, np.bool_, len(values))


def _is_nan(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signalling NaN is an error
    return bool(value != value)  # noqa: PLR0124 (only NaN and NaT differ from themselves)


def _family(kind_of_object: type) -> str:
    for types, family in _FAMILIES:
        if issubclass(kind_of_object, types):
            return family
    return "text"


def _unit_of(family: str) -> Unit:
    return next(unit for unit in TEMPORAL if unit == family)


def _converted(
    values: list[Any], missing: NDArray[np.bool_], convert: Any, filler: float
) -> NDArray[np.float64]:
    pairs = zip(values, missing.tolist(), strict=True)
    return np.array([filler if absent else convert(v) for v, absent in pairs], dtype=np.float64)
