"""SQL in three dialects: names, strings, numbers, timestamps, and conditions on a column.

- A string, however hostile, is one literal; a name is one quoted name. In sqlite names are quoted
  by grave accents, because a name in double quotes that no column has counts as a string there.
- Numbers read back as the same double. sqlite rounds many numbers of more than 15 digits wrongly,
  so these are written as an integer and a power of two.
- NaN is a number greater than all others in duckdb and postgres; it is distinguished if needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isinf, nextafter
from typing import Literal

from plaintree.data.schema import Feature, Label
from plaintree.data.timestamps import DAY, TEMPORAL, timestamp_of
from plaintree.errors import ExportError

from ..members import EXACT_INTEGER, label_type
from .writing import number_text

DialectName = Literal["sqlite", "duckdb", "postgres"]
DIALECTS: tuple[DialectName, ...] = ("sqlite", "duckdb", "postgres")
MOST_BYTES = 63
"""Of a longer name, postgres keeps the first so many bytes."""
_SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
"""Every table of postgres has these already."""
_POWER = 2**59
"""The greatest power of two whose digits sqlite reads all."""


@dataclass(frozen=True)
class Dialect:
    """Literals and conditions of one database."""

    name: DialectName

    # ---------------------------------------------------------------- names and literals

    def identifier(self, name: str) -> str:
        """A quoted name."""
        self._check(name, "a name")
        if not name or "\0" in name:
            raise ExportError(
                "SQL cannot express this name",
                got=repr(name),
                hint="rename the column before fitting.",
            )
        quote = "`" if self.name == "sqlite" else '"'
        return quote + name.replace(quote, quote * 2) + quote

    def kept(self, name: str) -> str:
        """Return the form of a column's name that the database compares."""
        written = name.encode("utf-8", "surrogatepass")
        if self.name != "postgres":  # small and capital letters of ASCII are the same
            return written.lower().decode("utf-8", "surrogatepass")
        return written[:MOST_BYTES].decode("utf-8", "ignore")

    def new_name(self, wanted: str, taken: set[str]) -> str:
        """A name that no column has, in whatever letters; it is taken from now on."""
        plain = wanted.replace("\0", "_")  # which no name of SQL contains
        name, marks = plain, ""
        while self.kept(name).casefold() in taken:
            marks += "_"
            name = plain + marks
            if len(name.encode("utf-8", "surrogatepass")) > MOST_BYTES and self.name == "postgres":
                name = self.kept(plain)[: -len(marks)] + marks
        taken.add(self.kept(name).casefold())
        return name

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse names that one table of the database cannot have together."""
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(self.kept(name), name)
            if other != name:
                raise ExportError(
                    f"two columns have the same name in {self.name}",
                    got=f"{other!r} and {name!r}",
                    hint="rename one of them before fitting.",
                )
            if self.name == "postgres" and name in _SYSTEM_COLUMNS:
                raise ExportError(
                    "postgres has a column of this name in every table",
                    got=repr(name),
                    hint="rename the column before fitting.",
                )

    def text(self, text: str) -> str:
        """Write a string literal."""
        self._check(text, "a string")
        if "\0" in text:
            if self.name == "postgres":
                raise ExportError(
                    "postgres does not allow the character NUL in strings",
                    got=repr(text),
                    hint="rename the category or class before fitting.",
                )
            char = "char(0)" if self.name == "sqlite" else "chr(0)"
            joined = f" || {char} || ".join(map(self.text, text.split("\0")))
            return f"({joined})"
        quoted = text.replace("'", "''")
        if self.name == "postgres" and "\\" in text:  # safe whatever the server's settings are
            doubled = quoted.replace("\\", "\\\\")
            return f"E'{doubled}'"
        return f"'{quoted}'"

    def _check(self, text: str, what: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ExportError(
                f"{what} is not valid Unicode, which SQL needs", got=ascii(text)
            ) from error

    def number(self, value: float) -> str:
        """A literal of the very same double."""
        if self.name != "sqlite":
            return f"'{number_text(value, 'Infinity')}'::float8"
        if isinf(value):
            return "9e999" if value > 0 else "-9e999"
        return repr(value) if _reads_back(value) else _as_fraction(value)

    def label(self, value: Label, labels: Sequence[Label]) -> str:
        """A literal of one of several labels, which decide on its type together."""
        kind = label_type(labels)
        if kind == "text":
            return self.text(str(value))
        if kind == "boolean":
            return str(int(value)) if self.name == "sqlite" else str(bool(value)).upper()
        return str(value) if kind == "integer" else self.number(float(value))

    def timestamp(self, attribute: Feature, threshold: float, node: str) -> str:
        """Write a timestamp or duration as a literal."""
        step = floor(threshold)
        if attribute.unit == "duration":
            return str(step) if self.name == "sqlite" else f"INTERVAL '{step} microseconds'"
        timestamp = timestamp_of(threshold)
        if timestamp is None or (attribute.unit == "time" and not 0 <= step < DAY):
            raise ExportError(
                f"{node} compares with a {attribute.unit} that SQL cannot express",
                got=f"{threshold!r} microseconds",
            )
        # As a string, a timestamp without its final zeros is a prefix, and so not after it.
        if attribute.unit == "time":
            clock = timestamp.time().isoformat(timespec="microseconds")
            return f"'{clock}'" if self.name == "sqlite" else f"TIME '{clock}'"
        shown = timestamp.isoformat(sep=" ", timespec="microseconds")
        return f"'{shown}'" if self.name == "sqlite" else f"TIMESTAMP '{shown}'"

    # ---------------------------------------------------------------- conditions on a column

    def column(self, attribute: Feature) -> str:
        return self.identifier(attribute.name)

    def at_most(self, attribute: Feature, threshold: float, node: str) -> str:
        """x <= t: never true where x is missing."""
        if self._is_endless(attribute, threshold):
            return self._known_if(attribute, threshold > 0)
        return (
            f"{self._compared(attribute, threshold)} <= {self._limit(attribute, threshold, node)}"
        )

    def above(self, attribute: Feature, threshold: float, node: str) -> str:
        """x > t: never true where x is missing."""
        if self._is_endless(attribute, threshold):
            return self._known_if(attribute, threshold < 0)
        left = self._compared(attribute, threshold)
        if self.name != "sqlite" and attribute.unit not in TEMPORAL:
            left = f"NULLIF({left}, 'NaN'::float8)"
        return f"{left} > {self._limit(attribute, threshold, node)}"

    def _is_endless(self, attribute: Feature, threshold: float) -> bool:
        """Whether all dates, times or durations are on one side of a threshold."""
        return attribute.unit in TEMPORAL and isinf(threshold)

    def _known_if(self, attribute: Feature, holds: bool) -> str:
        return f"{self.column(attribute)} IS NOT NULL" if holds else "1 = 0"

    def _compared(self, attribute: Feature, threshold: float) -> str:
        column = self.column(attribute)
        # sqlite compares large integers exactly, where the model rounds them to doubles first.
        large = self.name == "sqlite" and abs(threshold) >= EXACT_INTEGER
        return f"CAST({column} AS REAL)" if large and attribute.unit not in TEMPORAL else column

    def _limit(self, attribute: Feature, threshold: float, node: str) -> str:
        if attribute.unit in TEMPORAL:
            return self.timestamp(attribute, threshold, node)
        return self.number(threshold)

    def among(self, attribute: Feature, codes: Iterable[int], node: str) -> str | None:
        """Write whether x is one of some categories or intervals, by codes; None: never."""
        chosen = sorted(codes)
        if not chosen:
            return None
        if attribute.cuts:
            return self._in_intervals(attribute, chosen, node)
        labels = [self.label(attribute.categories[c], attribute.categories) for c in chosen]
        column = self.column(attribute)
        return (
            f"{column} = {labels[0]}" if len(labels) == 1 else f"{column} IN ({', '.join(labels)})"
        )

    def _in_intervals(self, attribute: Feature, codes: list[int], node: str) -> str:
        """Neighbouring intervals are one: low < x AND x <= high."""
        starts = [c for c in codes if c - 1 not in codes]
        ends = [c for c in codes if c + 1 not in codes]
        cuts = attribute.cuts
        parts = []
        for first, last in zip(starts, ends, strict=True):
            sides = [self.above(attribute, cuts[first - 1], node)] if first > 0 else []
            sides += [self.at_most(attribute, cuts[last], node)] if last < len(cuts) else []
            parts.append(" AND ".join(sides) or f"NOT {self.missing(attribute)}")
        return parts[0] if len(parts) == 1 else "(" + " OR ".join(f"({p})" for p in parts) + ")"

    def missing(self, attribute: Feature) -> str:
        """Whether x is missing; of ordered categories also whether it is unseen."""
        column = self.column(attribute)
        if attribute.kind == "ordered":
            return f"({column} IS NULL OR NOT {self.known(attribute)})"
        plain = attribute.kind == "numeric" or bool(attribute.cuts)
        if self.name == "sqlite" or not plain or attribute.unit in TEMPORAL:
            return f"({column} IS NULL)"
        return f"({column} IS NULL OR {column} = 'NaN'::float8)"

    def not_among(self, attribute: Feature, codes: Iterable[int]) -> str:
        """Write whether x is missing, or not one of some categories or intervals."""
        missing, matched = self.missing(attribute), self.among(attribute, codes, "")
        return (
            missing if attribute.kind == "numeric" else f"{missing} OR NOT ({matched or '1 = 0'})"
        )

    def known(self, attribute: Feature) -> str:
        """Whether x is one of all categories."""
        everything = self.among(attribute, range(len(attribute.categories)), "")
        return f"({everything or '1 = 0'})"


def select_with(steps: Sequence[str], chosen: str, source: str) -> str:
    """A subquery of some steps, each of which may build on those before."""
    joined = ",\n".join(steps)
    return f"(WITH {joined}\nSELECT {chosen} FROM {source})"


def _reads_back(value: float) -> bool:
    """Whether any sqlite reads the shortest string of a double as that double.

    So it is if the digits and the power of ten are exact as doubles (one rounding then gives the
    right result), and if the result is not so near to the middle of two doubles that rounding
    first to more bits would lead astray.
    """
    digits, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    power = int(exponent or 0) - len(part)
    significand = int(whole + part)
    while power < 0 and significand and significand % 10 == 0:
        significand, power = significand // 10, power + 1
    if significand >= EXACT_INTEGER or not -22 <= power <= 22:
        return False
    exact = Fraction(significand) * Fraction(10) ** power
    error = abs(exact - Fraction(abs(value)))
    half_step = abs(Fraction(_next_to(value)) - Fraction(value)) / 2
    return error < half_step * Fraction(1023, 1024)


def _next_to(value: float) -> float:
    """The nearest other double, towards zero."""
    return nextafter(value, 0.0) if value else nextafter(0.0, 1.0)


def _as_fraction(value: float) -> str:
    """Write a double as an integer times or divided by powers of two, without rounding."""
    top, bottom = value.as_integer_ratio()
    twos = 0
    while abs(top) >= EXACT_INTEGER:  # a large double has zeros at the end
        top, twos = top // 2, twos + 1
    text = str(top)
    for power, sign in ((2**twos, "*"), (bottom, "/")):
        rest = power
        while rest > 1:
            step = min(rest, _POWER)
            text += f" {sign} {step}.0"
            rest //= step
    return f"({text})" if text != str(top) else f"{top}.0"
