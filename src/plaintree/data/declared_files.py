"""Files that declare their columns: ARFF, and C4.5's pair of .names and .data.

Their lines are split into columns of strings, which are then converted as declared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from plaintree.errors import FileError

# -------------------------------------------------------------------- declared columns


@dataclass(frozen=True)
class _Field:
    """A column as an ARFF or C4.5 file declares it; ``form`` is the format of a date."""

    name: str
    kind: Literal["numeric", "integer", "nominal", "text", "date", "ignore"]
    values: tuple[str, ...] = ()
    form: str = ""


@dataclass(frozen=True)
class _Rows:
    """Data lines split into columns of strings, None where missing, with their line numbers."""

    path: str
    numbers: Sequence[int]
    columns: Sequence[pl.Series]

    def typed(self, fields: Sequence[_Field]) -> pl.DataFrame:
        """The frame with every column as it was declared."""
        pairs = zip(fields, self.columns, strict=True)
        return pl.DataFrame({f.name: self._cast(f, s) for f, s in pairs if f.kind != "ignore"})

    def _cast(self, field: _Field, text: pl.Series) -> pl.Series:
        match field.kind:
            case "numeric" | "integer":
                typed, expected = text.cast(pl.Float64, strict=False), "a number"
            case "nominal":
                typed = text.cast(pl.Enum(field.values), strict=False)
                expected = f"one of {', '.join(field.values[:8])}"
            case "date":
                typed = self._dates(field, text)
                expected = "a date in the declared format"
            case _:
                return text
        wrong = (typed.is_null() & text.is_not_null()).arg_true()
        if wrong.len():
            row = wrong[0]
            raise FileError(
                f"{self.path}, line {self.numbers[row]}: column {field.name!r} holds what it does "
                "not declare",
                got=f"{text[row]!r} instead of {expected}",
            )
        if field.kind != "integer":
            return typed
        whole = text.cast(pl.Int64, strict=False)  # not as floats, which would merge neighbours
        return whole if whole.null_count() == text.null_count() else typed

    def _dates(self, field: _Field, text: pl.Series) -> pl.Series:
        try:
            return text.str.to_datetime(field.form, time_unit="us", strict=False)
        except pl.exceptions.PolarsError as error:
            raise FileError(
                f"{self.path}: the date format of column {field.name!r} is not supported",
                got=str(error).partition("\n")[0],
                hint="declare a format with year, month and day, such as yyyy-MM-dd HH:mm.",
            ) from error


def _cut_at_commas(path: str, lines: list[tuple[int, str]], n_fields: int) -> _Rows:
    numbers = [number for number, _ in lines]
    text = pl.Series(values=[line for _, line in lines], dtype=pl.String)
    counts = text.str.count_matches(",", literal=True)
    wrong = (counts != n_fields - 1).arg_true()
    if wrong.len():
        raise _wrong_length(path, numbers[wrong[0]], int(counts[wrong[0]]) + 1, n_fields)
    parts = text.str.split_exact(",", n_fields - 1).struct.unnest().get_columns()
    stripped = [part.str.strip_chars() for part in parts]
    return _Rows(path, numbers, [part.set(part.is_in(["?", ""]), None) for part in stripped])


def _wrong_length(path: str, number: int, got: int, expected: int) -> FileError:
    return FileError(
        f"a row of {path} has the wrong number of values",
        got=f"{got} in line {number}, but {expected} are declared",
    )


# -------------------------------------------------------------------- ARFF

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(?:,|$)")
_SPARSE = re.compile(rf"\s*([0-9]+)\s+({_QUOTED}|[^\s,'\"][^,]*?)\s*(?:,\s*(?=[0-9])|$)")
# A value and its comma: in quotes, or beginning with something else than a quote, or nothing.
_REGULAR_VALUE = rf"""\s*(?:(?:{_QUOTED})\s*|[^,'"\s][^,]*)?,"""
_REGULAR_LINE = rf"^(?:{_REGULAR_VALUE})+$"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_DATE_PARTS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%3f",
    "Z": "%z",
}


def read_arff(text: str, path: str) -> pl.DataFrame:
    """Parse the text of an ARFF file into a table."""
    fields: list[_Field] = []
    lines = [(i, line.strip()) for i, line in enumerate(text.split("\n"), 1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("%")]
    for at, (number, line) in enumerate(lines):
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            _check_declared(fields, path)
            return _arff_rows(path, lines[at + 1 :], fields).typed(fields)
        if keyword == "@attribute":
            fields.append(_arff_field(line, f"{path}, line {number}"))
        elif keyword != "@relation":
            raise FileError(
                f"{path}, line {number} is not a line of an ARFF header", got=repr(line)
            )
    raise FileError(f"{path} is not an ARFF file", got="no line @data")


def _check_declared(fields: Sequence[_Field], path: str) -> None:
    names = [field.name for field in fields]
    if not names:
        raise FileError(f"{path} declares no attribute", hint="an @attribute line is needed.")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise FileError(
            f"{path} declares an attribute more than once",
            got=", ".join(map(repr, repeated)),
            hint="rename or drop the repeated ones.",
        )


def _arff_field(line: str, where: str) -> _Field:
    parts = _ATTRIBUTE.match(line)
    if not parts:
        raise FileError(f"{where}: an @attribute needs a name and a type", got=repr(line))
    name, declared = _unquoted(parts[1]) or "?", parts[2]
    if declared.startswith("{"):
        inside = declared[1 : declared.rfind("}")]
        values = tuple("?" if v is None else v for v in _split_quoted(inside))
        if len(set(values)) < len(values):
            raise FileError(f"{where}: {name!r} declares a value more than once", got=declared)
        return _Field(name, "nominal", values)
    keyword, *rest = declared.split(None, 1)
    match keyword.lower():
        case "numeric" | "real":
            return _Field(name, "numeric")
        case "integer":
            return _Field(name, "integer")
        case "string":
            return _Field(name, "text")
        case "date":
            return _Field(name, "date", form=_date_format(_unquoted("".join(rest).strip()) or ""))
    raise FileError(
        f"{where}: the type of {name!r} is unknown",
        got=repr(declared),
        hint="known are numeric, real, integer, string, date and {value, ...}.",
    )


def _date_format(java: str) -> str:
    """ARFF writes dates as Java does: yyyy-MM-dd'T'HH:mm:ss."""
    parts = re.findall(r"'([^']*)'|([A-Za-z])(\2*)|(.)", java or "yyyy-MM-dd'T'HH:mm:ss")
    return "".join(q or o or _DATE_PARTS.get(a + b, a + b) for q, a, b, o in parts)


def _unquoted(token: str) -> str | None:
    """Return the string of a token; None for an unquoted question mark."""
    if token in ("?", ""):
        return None
    if len(token) > 1 and token[0] in "'\"" and token[-1] == token[0]:
        return _unescaped(token[1:-1])
    return token


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text)


def _split_quoted(line: str) -> list[str | None]:
    """The values of a line; commas within quotes do not separate."""
    values: list[str | None] = []
    at = 0
    while at <= len(line):
        token = _VALUE.match(line, at)
        assert token  # an unquoted value may be anything up to the next comma
        values.append(_unquoted(token[1]))
        at = token.end() if token[0].endswith(",") else len(line) + 1
    return values


def _arff_rows(path: str, lines: list[tuple[int, str]], fields: Sequence[_Field]) -> _Rows:
    """Split regular lines at once, the others (sparse, or with stray quotes) one by one.

    300,000 rows x 8 values in quotes: 1.1 s at once, 8 s one by one.
    """
    numbers, text = [number for number, _ in lines], [line for _, line in lines]
    if not any(re.search(r"""^{|['"]""", line) for line in text):
        return _cut_at_commas(path, lines, len(fields))
    ended = pl.Series(values=text, dtype=pl.String) + ","
    regular = ended.str.contains(_REGULAR_LINE) & ~ended.str.starts_with("{")
    at_once = ended.filter(regular).str.extract_all(_REGULAR_VALUE)
    others, one_by_one = (~regular).arg_true(), []
    for row in others.to_list():
        where = f"{path}, line {numbers[row]}"
        sparse = text[row].startswith("{")
        one_by_one.append(
            _sparse_row(text[row], fields, where) if sparse else _split_quoted(text[row])
        )

    order = pl.concat([regular.arg_true(), others]).arg_sort()
    counts = [at_once.list.len(), pl.Series(values=map(len, one_by_one), dtype=pl.UInt32)]
    lengths = pl.concat(counts).gather(order)
    wrong = (lengths != len(fields)).arg_true()
    if wrong.len():
        raise _wrong_length(path, numbers[wrong[0]], lengths[wrong[0]], len(fields))
    columns = []
    for i in range(len(fields)):
        exact = pl.Series(values=[row[i] for row in one_by_one], dtype=pl.String)
        columns.append(pl.concat([_values_of(at_once.list.get(i)), exact]).gather(order))
    return _Rows(path, numbers, columns)


def _values_of(cut: pl.Series) -> pl.Series:
    """Apply :func:`_unquoted` to every token of a column; each still ends with its comma."""
    token = cut.str.strip_suffix(",").str.strip_chars()
    quoted = token.str.contains("^['\"]")
    values = token.str.head(-1).str.slice(1).zip_with(quoted, token)
    escaped = (quoted & values.str.contains("\\", literal=True)).arg_true()
    distinct = values.gather(escaped).unique().to_list()
    meant = values.gather(escaped).replace(distinct, [_unescaped(value) for value in distinct])
    values = values.scatter(escaped, meant)
    return values.set(~quoted & values.is_in(["?", ""]), None)


def _sparse_row(line: str, fields: Sequence[_Field], where: str) -> list[str | None]:
    """A row that gives only some values: the others are 0, or the first declared value."""
    defaults = {"numeric": "0", "integer": "0"}
    row = [f.values[0] if f.values else defaults.get(f.kind) for f in fields]
    inside, given = line[1:-1].strip(), set()
    if not line.endswith("}"):
        raise _not_sparse(where, line, "a row without its closing brace")
    at = 0
    while at < len(inside):
        pair = _SPARSE.match(inside, at)
        if not pair:
            raise _not_sparse(where, line, "something else than a position and a value")
        position = int(pair[1]) if len(pair[1]) < 10 else len(row)
        if position >= len(row):
            raise _not_sparse(where, line, f"position {pair[1]}, but {len(row)} are declared")
        if position in given:
            raise _not_sparse(where, line, f"position {position} more than once")
        given.add(position)
        row[position] = _unquoted(pair[2])
        at = pair.end()
    return row


def _not_sparse(where: str, line: str, what: str) -> FileError:
    return FileError(
        f"{where} is not a sparse row",
        got=f"{what}: {line[:60]!r}",
        hint="write {POSITION VALUE, POSITION VALUE}; positions count from 0.",
    )


# -------------------------------------------------------------------- C4.5

_PROTECTED = (
    0xF0000  # escaped letters are private code points meanwhile, so they are not taken for syntax
)


def _protect(text: str) -> str:
    return re.sub(r"\\([ -~])", lambda m: chr(_PROTECTED + ord(m[1])), text)


def _reveal(text: str) -> str:
    return re.sub("[\U000f0020-\U000f007e]", lambda m: chr(ord(m[0]) - _PROTECTED), text)


def read_c45(names: str, data: str, names_path: str, path: str) -> pl.DataFrame:
    """Parse a .names and a .data file into a table, with the classes in a last column "class"."""
    classes, fields = _c45_names(names, names_path)
    by_name = {field.name: field for field in fields}
    if len(classes) == 1 and classes[0] in by_name:  # the first entry may name an attribute
        target = by_name[classes[0]]
        order = [f.name for f in fields if f is not target and f.kind != "ignore"]
        order.append(target.name)
    else:
        target = _Field("class_" if "class" in by_name else "class", "nominal", classes)
        fields = [*fields, target]
        order = [f.name for f in fields if f.kind != "ignore"]
    stripped = (re.sub(r"\|.*", "", line).strip() for line in _protect(data).split("\n"))
    lines = [(i, line.removesuffix(".")) for i, line in enumerate(stripped, 1) if line]
    rows = _cut_at_commas(path, lines, len(fields))
    if "\\" in data:
        columns = [pl.Series([v and _reveal(v) for v in c], dtype=pl.String) for c in rows.columns]
        rows = _Rows(path, rows.numbers, columns)
    return rows.typed(fields).select(order)


def _c45_names(text: str, path: str) -> tuple[tuple[str, ...], list[_Field]]:
    """The classes and the attributes. An entry ends with a full stop or where the next begins."""
    entries: list[str] = []
    for part in re.split(r"\.(?=\s|$)", re.sub(r"\|.*", "", _protect(text))):
        fresh = True
        for line in filter(None, map(str.strip, part.split("\n"))):
            if fresh or ":" in line:
                entries.append(line)
            else:
                entries[-1] += " " + line
            fresh = False
    if not entries or ":" in entries[0]:
        raise FileError(f"{path} does not begin with the classes", hint="write: yes, no.")
    classes = _c45_values(entries[0])
    fields = [_c45_field(entry, path) for entry in entries[1:]]
    if not fields:
        raise FileError(f"{path} declares no attributes", hint="write: temperature: continuous.")
    return classes, fields


def _c45_values(text: str) -> tuple[str, ...]:
    found = (_reveal(" ".join(value.split())) for value in text.split(","))
    return tuple(dict.fromkeys(value for value in found if value))


def _c45_field(entry: str, path: str) -> _Field:
    name, colon, declared = entry.partition(":")
    name, values = _reveal(" ".join(name.split())), _c45_values(declared)
    if not colon or not values:
        raise FileError(
            f"an entry of {path} is not an attribute",
            got=repr(_reveal(entry)),
            hint="write NAME: continuous. or NAME: value, value.",
        )
    keyword = values[0].lower()
    if len(values) > 1:
        return _Field(name, "nominal", values)
    if keyword in ("continuous", "ignore"):
        return _Field(name, "numeric" if keyword == "continuous" else "ignore")
    if re.fullmatch(r"discrete(\s+\d+)?", keyword):
        return _Field(name, "text")
    return _Field(name, "nominal", values)
