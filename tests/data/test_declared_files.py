"""ARFF and C4.5 files: columns are as declared, and broken files are told by line."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from plaintree.data.declared_files import read_arff
from plaintree.data.files import read_table
from plaintree.errors import FileError

ARFF = """% A comment
@RELATION 'the weather'
@Attribute outlook {sunny, 'partly cloudy', "it\\'s \\"raining\\""}
@attribute 'air temperature' REAL
@attribute\tdays\tinteger
@attribute note string
@attribute seen date "yyyy-MM-dd HH:mm"
@attribute at date

@DATA
'partly cloudy', 20.5, 3, 'a, b', "2020-01-02 03:04", 2020-01-02T03:04:05
% another
"it's \\"raining\\"",?,?,?,?,?
sunny,-1e3,4,'?',?,?
"""


def _in_quotes(value: str, quote: str) -> tuple[str, str]:
    escaped = value.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
    return f"{quote}{escaped}{quote}", value


ARFF_VALUES = st.one_of(
    st.builds(_in_quotes, st.text("ab,?'\"\\{} \n", max_size=5), st.sampled_from("'\"")),
    st.sampled_from([("?", None), (" 'a b' ", "a b"), ("don't", "don't"), (" c d ", "c d")]),
)
"""How a value is written, and the value."""


class TestARFF:
    def test_columns_are_as_declared(self, file: Any) -> None:
        frame = read_table(file("a.arff", ARFF))
        outlooks = ["sunny", "partly cloudy", 'it\'s "raining"']
        assert frame.schema == {
            "outlook": pl.Enum(outlooks),
            "air temperature": pl.Float64,
            "days": pl.Int64,
            "note": pl.String,
            "seen": pl.Datetime("us"),
            "at": pl.Datetime("us"),
        }
        assert frame.row(0) == (
            "partly cloudy", 20.5, 3, "a, b",
            datetime(2020, 1, 2, 3, 4), datetime(2020, 1, 2, 3, 4, 5),
        )  # fmt: skip
        assert frame.row(1) == (outlooks[2], None, None, None, None, None)
        assert frame.row(2)[:4] == ("sunny", -1000.0, 4, "?")

    def test_rows_without_quotes_are_read_alike(self, file: Any) -> None:
        head = "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\n"
        plain = read_table(file("a.arff", head + "y, 1\n?,?\n x ,2.5\n"))
        quoted = read_table(file("b.arff", head + "'y', 1\n?,?\n x ,2.5\n"))
        assert_frame_equal(plain, quoted)
        assert plain.rows() == [("y", 1.0), (None, None), ("x", 2.5)]

    @given(st.lists(st.tuples(ARFF_VALUES, ARFF_VALUES), min_size=1))
    def test_values_in_quotes_may_hold_anything(self, rows: list[Any]) -> None:
        written = "\n".join(",".join(token for token, _ in row) for row in rows)
        text = f"@attribute a string\n@attribute b string\n@data\n{written}\n"
        assert read_arff(text, "a.arff").rows() == [tuple(value for _, value in r) for r in rows]

    def test_stray_quotes_do_not_change_the_lines_around_them(self, file: Any) -> None:
        head = "@attribute a string\n@attribute b {x,y}\n@data\n"
        frame = read_table(file("a.arff", head + "'p, q',x\n'open,y\n{1 y}\ndon't,?\n"))
        assert frame.rows() == [("p, q", "x"), ("'open", "y"), (None, "y"), ("don't", None)]

    def test_sparse_rows_leave_out_zeros(self, file: Any) -> None:
        head = "@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@attribute c integer\n"
        frame = read_table(file("a.arff", head + "@data\n{1 'y z', 2 7}\n{}\n{0 ?}\n{ 0 1.5 }\n"))
        assert frame.rows() == [(0, "y z", 7), (0, "x", 0), (None, "x", 0), (1.5, "x", 0)]

    @pytest.mark.parametrize("value", ["nan", "inf", "1e300", "9007199254740993"])
    def test_an_integer_is_never_rounded(self, file: Any, value: str) -> None:
        frame = read_table(file("a.arff", f"@attribute a integer\n@data\n{value}\n"))
        expected = int(value) if value.isdigit() else float(value)
        assert str(frame["a"][0]).lower() == str(expected).lower()

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            ("a,b\n1,2\n", "line 1 is not a line of an ARFF header. Got 'a,b'"),
            ("@relation r\n@attribute a real\n", "is not an ARFF file. Got no line @data"),
            ("@relation r\n@attribute a real\n@data\n", "has no rows"),
            ("@attribute a\n@data\n1\n", "line 1: an @attribute needs a name and a type"),
            ("@attribute a relational\n@data\n1\n", "type of 'a' is unknown. Got 'relational'"),
            ("@attribute a {x,x}\n@data\nx\n", "line 1: 'a' declares a value more than once"),
            ("@attribute a {x,y}\n@data\nx\nz\n", "line 4: column 'a' .* Got 'z' instead of one"),
            ("@attribute a real\n@data\n1\n\nq\n", "line 5: column 'a' .* Got 'q' instead of a nu"),
            ("@attribute a real\n@data\n1\n1,2\n", "Got 2 in line 4, but 1 are declared"),
            ("@attribute a string\n@data\n'x'\n'1','2'\n", "Got 2 in line 4, but 1 are declared"),
            ("@attribute a string\n@data\n'x','y'\n'1,2\n", "Got 2 in line 3, but 1 are declared"),
            ("@attribute a string\n@data\n'x'\n'1,2\n'3','4'", "Got 2 in line 4, but 1 are decl"),
            (
                "@attribute a real\n@data\n{3 1}\n",
                "line 3 is not a sparse row. Got position 3, but 1",
            ),
            (
                "@attribute a date 'hh:mm a'\n@data\n'11:30 PM'\n",
                "date format of column 'a' is not",
            ),
            ("@attribute a real\n@data\n{600000000 5}\n", "Got position 600000000, but 1 are decl"),
            ("@attribute a real\n@data\n1\n{foo}\n", "line 4 is not a sparse row. Got something"),
            ("@attribute a real\n@data\n{0 1, foo}\n", "line 3 is not a sparse row"),
            ("@attribute a real\n@data\n{0 1,}\n", "line 3 is not a sparse row"),
            ("@attribute a real\n@data\n{0 1\n", "Got a row without its closing brace"),
            ("@attribute a real\n@data\n{0 1, 0 2}\n", "Got position 0 more than once"),
        ],
    )
    def test_broken_files(self, file: Any, content: str, match: str) -> None:
        with pytest.raises(FileError, match=match):
            read_table(file("a.arff", content))


NAMES = """| Golf, after a well-known table
play, don't play.   | the classes

outlook:     sunny, overcast,
             rain.
temperature: continuous.
id number:   ignore.
site:        discrete 10.
Wind\\: speed: 1.5, 2\\,5
windy:       true, false.
"""
DATA = """sunny, 85, 1, a, 1.5, false, don't play
| a comment
?, ?, 2, b, 2\\,5, true, play.   | and one more

rain,70.5,3,?,?,?,?
"""


class TestC45:
    @pytest.fixture
    def stem(self, file: Any) -> Path:
        file("golf.names", NAMES)
        file("golf.test", DATA.partition("\n")[0])
        return Path(file("golf.data", DATA)).with_suffix("")

    @pytest.mark.parametrize("suffix", ["", ".names", ".data"])
    def test_is_found_by_either_file_or_the_stem(self, stem: Path, suffix: str) -> None:
        frame = read_table(f"{stem}{suffix}")
        assert frame.schema == {
            "outlook": pl.Enum(["sunny", "overcast", "rain"]),
            "temperature": pl.Float64,
            "site": pl.String,
            "Wind: speed": pl.Enum(["1.5", "2,5"]),
            "windy": pl.Enum(["true", "false"]),
            "class": pl.Enum(["play", "don't play"]),
        }
        assert frame.rows() == [
            ("sunny", 85.0, "a", "1.5", "false", "don't play"),
            (None, None, "b", "2,5", "true", "play"),
            ("rain", 70.5, None, None, None, None),
        ]

    def test_test_data_have_the_same_names(self, stem: Path) -> None:
        assert_frame_equal(read_table(f"{stem}.test"), read_table(stem).head(1))

    def test_the_first_entry_may_name_an_attribute(self, file: Any) -> None:
        file("a.names", "y.\ny: yes, no.\nx: continuous.\n")
        frame = read_table(file("a.data", "no,1\nyes,2\n"))
        assert frame.columns == ["x", "y"]
        assert frame.rows() == [(1.0, "no"), (2.0, "yes")]

    @pytest.mark.parametrize(
        ("names", "data", "match"),
        [
            ("a: continuous.\n", "1,x\n", "does not begin with the classes"),
            ("x, y.\n", "1,x\n", "declares no attributes"),
            ("x, y.\na: .\n", "1,x\n", "is not an attribute. Got 'a:"),
            ("x, y.\na: continuous.\n", "1,x\n1,2,x\n", "Got 3 in line 2, but 2 are declared"),
            ("x, y.\na: continuous.\n", "1,x\n\nq,x\n", "line 3: column 'a' .* Got 'q'"),
            ("x, y.\na: continuous.\n", "1,z\n", "line 1: column 'class' .* Got 'z'"),
        ],
    )
    def test_broken_files(self, file: Any, names: str, data: str, match: str) -> None:
        file("a.names", names)
        with pytest.raises(FileError, match=match):
            read_table(file("a.data", data))

    def test_both_files_are_needed(self, file: Any) -> None:
        with pytest.raises(FileError, match=r"there is no file .*golf\.names"):
            read_table(file("golf.data", DATA))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("@attribute a real\n@attribute a real\n", "more than once.*'a'"),
        ("", "declares no attribute"),
    ],
)
def test_arff_declares_each_attribute_once(file: Any, header: str, message: str) -> None:
    path = file("t.arff", f"@relation r\n{header}@data\n1,2\n")
    with pytest.raises(FileError, match=message):
        read_table(path)
