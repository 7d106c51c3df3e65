"""Compiles exported C with gcc and runs it; categories go through the source's own lookup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plaintree.data.column import object_column
from plaintree.data.schema import Schema

from ...program.c import CSource
from ..rows import VerificationRows
from . import Predictions, Run, absent_program, run_program

TOLERANCE = 0.0
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-overlength-strings"]


def absent() -> str | None:
    """Whether there is a gcc."""
    return absent_program("gcc")


@contextmanager
def started(artefact: CSource, schema: Schema) -> Iterator[Run]:
    """The source, compiled."""
    with TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "model.c").write_text(artefact + _main(artefact, schema), encoding="utf-8")
        run_program(["gcc", *FLAGS, "model.c", "-o", "model"], place, "C")
        yield lambda rows: _predictions(place, rows)


def _predictions(place: Path, rows: VerificationRows) -> Predictions:
    """Return the predictions of the program."""
    output = run_program([str(place / "model")], place, "C", "".join(_lines(rows)))
    labels: list[Any] = []
    values = []
    for line in output.splitlines():
        name, *numbers = line.split()
        values.append([float.fromhex(number) for number in numbers])
        labels.append(
            bytes.fromhex(name[1:]).decode("utf-8", "surrogatepass") if name != "-" else None
        )
    return Predictions.of(rows.schema, labels, values)


def _lines(rows: VerificationRows) -> list[str]:
    """A line per row: numbers, categories in hexadecimal after an x, - for missing."""
    columns = []
    for attribute, values in rows.features():
        if attribute.categories and not attribute.cuts:
            columns.append(["-" if v is None else f"x{_hex(v)}" for v in values])
        else:
            numbers = object_column(attribute.name, values).values.tolist()
            columns.append(["nan" if n != n else float(n).hex() for n in numbers])  # noqa: PLR0124
    return [" ".join(fields) + "\n" for fields in zip(*columns, strict=True)]


def _hex(value: object) -> str:
    return str(value).encode("utf-8", "surrogatepass").hex()


def _main(source: CSource, schema: Schema) -> str:
    name = source.name
    reading = []
    for column, (attribute, field) in enumerate(zip(schema.features, source.fields, strict=True)):
        categorical = bool(attribute.categories and not attribute.cuts)
        call = f"read_category({column})" if categorical else "strtod(word, NULL)"
        reading += ['if (scanf("%1048575s", word) != 1) return 0;', f"row.{field} = {call};"]
    result = _OF_CLASSES if schema.classes else _OF_NUMBERS
    return (
        _MAIN.replace("@RESULT", result)
        .replace("@NAME", name)
        .replace("@UPPER", name.upper())
        .replace("@READING", "\n        ".join(reading))
    )


_MAIN = r"""
#include <stdio.h>
#include <stdlib.h>

static char word[1048576], text[524288];

int read_category(int column);
int read_category(int column) {
    size_t n = 0;
    const char *at = word + 1;
    if (word[0] == '-') return -1;
    for (; at[0] && at[1]; at += 2) {
        char pair[3];
        pair[0] = at[0];
        pair[1] = at[1];
        pair[2] = 0;
        text[n++] = (char)strtol(pair, NULL, 16);
    }
    return @NAME_category(column, text, n);
}

int main(void) {
    @NAME_row row;
    for (;;) {
        @READING
        @RESULT
    }
}
"""
_OF_CLASSES = r"""
        double probabilities[@UPPER_N_CLASSES];
        int label = @NAME_predict_proba(&row, probabilities), i;
        if (label != @NAME_predict(&row)) return 1;
        if (label < 0) { puts("-"); continue; }
        putchar('x');
        for (i = 0; i < @NAME_class_lengths[label]; ++i)
            printf("%02x", (unsigned char)@NAME_classes[label][i]);
        for (i = 0; i < @UPPER_N_CLASSES; ++i) printf(" %a", probabilities[i]);
        putchar('\n');
"""
_OF_NUMBERS = r"""
        double number = @NAME_predict(&row);
        if (number != number) puts("-");
        else printf("x %a\n", number);
"""
