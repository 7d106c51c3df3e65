"""Compiles an exported Java class with javac and runs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plaintree.data.column import object_column
from plaintree.data.schema import Schema

from ...program.java import java_string
from ..rows import VerificationRows
from . import Predictions, Run, absent_program, run_program

TOLERANCE = 0.0


def absent() -> str | None:
    """Whether there are javac and java."""
    return absent_program("javac", "java")


@contextmanager
def started(artefact: tuple[str, str], schema: Schema) -> Iterator[Run]:
    """Compile the class of a name and a source."""
    name, text = artefact
    with TemporaryDirectory() as directory:
        place = Path(directory)
        (place / f"{name}.java").write_text(text, encoding="ascii")
        keys = ", ".join(java_string(a.name) for a in schema.features)
        result = _OF_CLASSES if schema.classes else _OF_NUMBERS
        main = _MAIN.replace("@RESULT", result).replace("@MODEL", name).replace("@KEYS", keys)
        (place / f"Run{name}.java").write_text(main, encoding="ascii")
        small = ["-J-XX:TieredStopAtLevel=1", "-J-Xshare:auto"]
        sources = [f"{name}.java", f"Run{name}.java"]
        run_program(["javac", *small, "-Xlint:all", "-Werror", *sources], place, "Java")
        java = ["java", "-XX:TieredStopAtLevel=1", "-cp", ".", f"Run{name}"]
        yield lambda rows: _predictions(java, place, rows)


def _predictions(java: list[str], place: Path, rows: VerificationRows) -> Predictions:
    """Return the predictions of the class."""
    output = run_program(java, place, "Java", "".join(_lines(rows)))
    labels: list[Any] = []
    values = []
    for line in output.splitlines():
        label, *numbers = line.split()
        labels.append(None if label == "-" else _text(label))
        values.append([float(number) for number in numbers])
    return Predictions.of(rows.schema, labels, values)


def _text(label: str) -> str:
    return bytes.fromhex(label[1:]).decode("utf-16-be", "surrogatepass")


def _lines(rows: VerificationRows) -> list[str]:
    """A line per row: d or i with a number, b a boolean, x a hexadecimal string, - missing."""
    columns = []
    for attribute, values in rows.features():
        if attribute.kind == "numeric" or attribute.cuts:
            numbers = object_column(attribute.name, values).values.tolist()
            columns.append(["-" if n != n else f"d{n!r}" for n in numbers])  # noqa: PLR0124
            continue
        columns.append(["-" if v is None else _word(v) for v in values])
    return [" ".join(fields) + "\n" for fields in zip(*columns, strict=True)]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return f"b{str(value).lower()}"
    if isinstance(value, int | float):
        return f"i{value}" if isinstance(value, int) else f"d{value!r}"
    return "x" + str(value).encode("utf-16-be", "surrogatepass").hex()


_MAIN = r"""
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

public final class Run@MODEL {
    private static Object value(String word) {
        if (word.charAt(0) == '-') return null;
        String rest = word.substring(1);
        if (word.charAt(0) == 'd') return Double.valueOf(rest.replace("inf", "Infinity"));
        if (word.charAt(0) == 'i') {
            BigInteger whole = new BigInteger(rest);
            if (whole.bitLength() > 63) return whole;
            return whole.longValue();
        }
        if (word.charAt(0) == 'b') return Boolean.valueOf(rest);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rest.length(); i += 4)
            text.append((char) Integer.parseInt(rest.substring(i, i + 4), 16));
        return text.toString();
    }

    public static void main(String[] arguments) throws Exception {
        String[] keys = {@KEYS};
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> row = new HashMap<>();
            String[] words = line.split(" ");
            for (int i = 0; i < keys.length; ++i) row.put(keys[i], value(words[i]));
            try {
                @RESULT
            } catch (IllegalArgumentException refused) {
                out.append('-');
            }
            out.append('\n');
        }
        System.out.print(out);
    }
}
"""
_OF_CLASSES = r"""
                String label = @MODEL.predict(row);
                out.append('x');
                for (char c : label.toCharArray()) out.append(String.format("%04x", (int) c));
                for (double part : @MODEL.predictProba(row)) out.append(' ').append(part);
"""
_OF_NUMBERS = r"""
                double number = @MODEL.predict(row);
                out.append("x ").append(number);
"""
