"""Tables from files: what each format may say, and what is said about broken files."""

from __future__ import annotations

import io
import sys
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from plaintree.data.files import read_table
from plaintree.errors import ColumnError, FileError, ReadingWarning


class TestCSV:
    def test_types_are_inferred_over_the_whole_file(self, file: Any) -> None:
        rows = "".join(f"{i},x,2020-01-{i % 28 + 1:02},true\n" for i in range(500))
        frame = read_table(file("a.csv", f"n,t,d,b\n{rows}1.5,,,\n"))
        assert frame.dtypes == [pl.Float64, pl.String, pl.Date, pl.Boolean]
        assert frame.row(0) == (0.0, "x", date(2020, 1, 1), True)
        assert frame.row(-1) == (1.5, None, None, None)

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ("1 -2 +3", [1, -2, 3]),
            ("1 1e3 -0.5", [1.0, 1000.0, -0.5]),
            ("1 99999999999999999999", ["1", "99999999999999999999"]),
            ("0 10", [0, 10]),
            ("00.5 1", [0.5, 1.0]),
            ("true FALSE True", [True, False, True]),
            ("true false maybe", ["true", "false", "maybe"]),
            ("2020-01-31 1999-12-01", [date(2020, 1, 31), date(1999, 12, 1)]),
            ("2020-01-31 soon", ["2020-01-31", "soon"]),
            ("2020-01-31T10:00:00 2020-02-01T00:00:01.5",
             [datetime(2020, 1, 31, 10), datetime(2020, 2, 1, 0, 0, 1, 500_000)]),
            ("10:00:00 23:59:59", [time(10), time(23, 59, 59)]),
            ("4wd 2wd", ["4wd", "2wd"]),
            ("23:59:60 10:00:00", ["23:59:60", "10:00:00"]),
            ("\u0661\u0662 3", ["\u0661\u0662", "3"]),
            ("1 x", ["1", "x"]),
        ],
    )  # fmt: skip
    def test_a_type_must_hold_every_value(
        self, file: Any, values: str, expected: list[Any]
    ) -> None:
        text = "\n".join(["a,b", *(f"{value},1" for value in values.split()), ",1\n"])
        assert read_table(file("a.csv", text))["a"].to_list() == [*expected, None]

    def test_a_path_with_a_nul_is_an_error_of_ours(self) -> None:
        with pytest.raises(FileError, match="Got embedded null byte"):
            read_table("a\0b.csv")

    def test_only_empty_fields_are_missing(self, file: Any) -> None:
        frame = read_table(file("a.csv", 'a,b\nNA,1\n"",\n?,3\nnull,4\n'))
        assert frame["a"].to_list() == ["NA", None, "?", "null"]
        assert frame["b"].to_list() == [1, None, 3, 4]

    @pytest.mark.parametrize("gaps", ["NA", ("NA",), ["NA", "?"]])
    def test_texts_that_mean_gaps_can_be_named(self, file: Any, gaps: Any) -> None:
        frame = read_table(file("a.csv", "a,b\nNA,?\n 1.5 ,x\n"), missing_values=gaps)
        assert frame["a"].to_list() == [None, 1.5]
        assert frame["b"].to_list() == [None if "?" in gaps else "?", "x"]

    def test_spaces_around_values_and_names_do_not_count(self, file: Any) -> None:
        frame = read_table(file("a.csv", 'a , b,  "c, d"\n1, yes ,"  x, y"\n 2,  ,  "z ""q"""\n'))
        assert frame.to_dicts() == [
            {"a": 1, "b": "yes", "c, d": "x, y"},
            {"a": 2, "b": None, "c, d": 'z "q"'},
        ]

    def test_a_column_without_values_has_no_type(self, file: Any) -> None:
        assert read_table(file("a.csv", "a,b\n1,\n2,\n"))["b"].dtype == pl.Null

    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("name", ["a.csv", "a.txt"])
    def test_the_delimiter_is_guessed(self, file: Any, separator: str, name: str) -> None:
        text = '"a,;\n||b",c\n"x,;\t|y",2\n'.replace('",', f'"{separator}')
        assert read_table(file(name, text)).to_dicts() == [{"a,;\n||b": "x,;\t|y", "c": 2}]

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("p(a|b|c),y\n1,2\n", ["p(a|b|c)", "y"]),
            ("a;b\n1,5;2,5\n", ["a", "b"]),
            ("a\n1\n", ["a"]),
            ("a\n1;2\n", ["a"]),
        ],
    )
    def test_the_delimiter_is_in_the_header_and_below_it(
        self, file: Any, text: str, names: list[str]
    ) -> None:
        assert read_table(file("a.csv", text)).columns == names

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ("1,5 -2,25 3", [1.5, -2.25, 3.0]),
            (",5 +1,000", [0.5, 1.0]),
            ("1.5 2", [1.5, 2.0]),
            ("1.000,5 2,5", ["1.000,5", "2,5"]),
            ("1.500 2,5", ["1.500", "2,5"]),
            ("1,2,3 4,5", ["1,2,3", "4,5"]),
        ],
    )
    def test_commas_are_decimal_where_semicolons_separate(
        self, file: Any, values: str, expected: list[Any]
    ) -> None:
        text = "\n".join(["a;b", *(f"{value};1" for value in values.split()), ";1\n"])
        assert read_table(file("a.csv", text))["a"].to_list() == [*expected, None]

    def test_commas_are_not_decimal_where_they_separate(self, file: Any) -> None:
        assert read_table(file("a.csv", 'a,b\n"1,500",1\n'))["a"].to_list() == ["1,500"]

    def test_tabs_separate_in_tsv(self, file: Any) -> None:
        assert read_table(file("a.TSV", "a\tb\n1,5\t2\n")).row(0) == ("1,5", 2)

    def test_quoted_fields_may_hold_anything(self, file: Any) -> None:
        frame = read_table(file("a.csv", 'a,b\n"x, ""y""\n\nz",1\n\n"",2\n'))
        assert frame.rows() == [('x, "y"\n\nz', 1), (None, 2)]

    @pytest.mark.parametrize(
        "text", ["\ufeffa,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\r1,2", "\n\na,b\n\n1,2\n\n\n"]
    )
    def test_marks_line_ends_and_blank_lines_do_not_matter(self, file: Any, text: str) -> None:
        assert read_table(file("a.csv", text)).to_dicts() == [{"a": 1, "b": 2}]

    def test_a_nameless_column_gets_a_name(self, file: Any) -> None:
        assert read_table(file("a.csv", ",b\n1,2\n")).columns == ["column_1", "b"]

    def test_dash_reads_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n")))
        assert read_table("-").to_dicts() == [{"a": 1, "b": "x"}]

    @pytest.mark.parametrize(("content", "what"), [(b"", "is empty"), (b"a,b\n", "has no rows")])
    def test_standard_input_is_called_so(
        self, monkeypatch: pytest.MonkeyPatch, content: bytes, what: str
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(FileError, match=f"standard input {what}"):
            read_table("-")

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            ("", "is empty"),
            (" \n\n", "is empty"),
            ("a,b\n", "has no rows"),
            ("a,b,a,c,c\n1,2,3,4,5\n", "same name more than once. Got 'a', 'c'"),
            ("a,b\n1,2\n3\n", "Got 1 fields in line 3, but 2 in the header"),
            ("a,b\n1,2\n\n3,4,5\n", "Got 3 fields in line 4, but 2 in the header"),
            ('a,b\n"x\ny",2\n"p,q",3,4\n', "Got 3 fields in line 4"),
            ("a,b\ncaf\xe9,1\n".encode("latin-1"), r"not UTF-8.*byte 0xe9 at position 7 \(line 2"),
            ("a,b\n".encode("utf-16"), "does not match its extension. Got UTF-16 text"),
            (b"\x89PNG\r\n\x1a\n\0\0", "does not match its extension. Got a PNG picture"),
            (b"PK\x03\x04xx", "Got a zip archive or an Excel workbook"),
            (b"a,b\n\0\0\0", "does not match its extension. Got binary data"),
            ("@RELATION x\n@attribute a real\n@data\n1\n", "Got an ARFF file"),
            ('a,b\n"x,1\n', "fields in line|cannot be read as CSV"),
            ("a" * 140_000 + ",b\n1,2\n", "cannot be read as CSV. Got field larger than .* line 1"),
            ('a,b\n1,"' + "x" * 140_000 + "\n", "cannot be read as CSV. Got field larger"),
        ],
    )
    def test_broken_files(self, file: Any, content: str | bytes, match: str) -> None:
        with pytest.raises(FileError, match=match):
            read_table(file("a.csv", content))

    @given(
        st.lists(
            st.tuples(st.none() | st.text("ab,;\"\n' ", min_size=1), st.integers(0, 9)),
            min_size=1,
        )
    )
    def test_what_polars_writes_is_read_back(self, rows: list[Any]) -> None:
        frame = pl.DataFrame(rows, schema={"text": pl.String, "n": pl.Int64}, orient="row")
        stream = io.TextIOWrapper(io.BytesIO(frame.write_csv().encode()))
        bare = [None if text is None else text.strip() or None for text in frame["text"]]
        kind = pl.Null if set(bare) == {None} else pl.String
        frame = frame.with_columns(pl.Series("text", bare, dtype=kind))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", stream)
            assert_frame_equal(read_table("-"), frame)


class TestParquet:
    def test_is_read_as_it_was_written(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"a": [1, None], "b": ["x", "y"], "c": [date(2020, 1, 1), None]})
        frame.write_parquet(tmp_path / "a.parquet")
        assert_frame_equal(read_table(tmp_path / "a.parquet"), frame)

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            (
                "a,b\n1,2\n",
                r'does not match its extension.*Hint: if it is CSV, rename .* format="csv"',
            ),
            (b"PAR1 and no more", "is a damaged Parquet file"),
        ],
    )
    def test_broken_files(self, file: Any, content: str | bytes, match: str) -> None:
        with pytest.raises(FileError, match=match):
            read_table(file("a.parquet", content))


class TestTheFileItself:
    def test_a_target_is_taken_out(self, file: Any) -> None:
        X, y = read_table(file("a.csv", "a,play,b\n1,no,2\n3,,4\n"), "play")
        assert X.columns == ["a", "b"]
        assert y.to_list() == ["no", None]

    def test_a_missing_target_gets_a_hint(self, file: Any) -> None:
        with pytest.raises(ColumnError, match=r"target='plya'\. Hint: did you mean 'play'"):
            read_table(file("a.csv", "a,play\n1,no\n"), "plya")
        with pytest.raises(ColumnError, match=r"Hint: the columns are 'a', 'play'"):
            read_table(file("a.csv", "a,play\n1,no\n"), "zzz")

    def test_a_suffix_can_be_said(self, file: Any) -> None:
        path = file("table.txt", "a\tb\n1\t2\n")
        assert read_table(path, format="tsv").row(0) == (1, 2)
        assert read_table(path, format=".tsv").row(0) == (1, 2)

    def test_a_workbook_is_to_be_saved_as_csv(self, file: Any) -> None:
        for name, content in (("a.xlsx", "a\n1\n"), ("a.csv", b"PK\x03\x04xx")):
            with pytest.raises(FileError, match=r"Excel workbook.*Hint: save the sheet"):
                read_table(file(name, content))

    @pytest.mark.parametrize("name", ["a.sql", "a"])
    def test_unknown_suffixes_are_an_error(self, file: Any, name: str) -> None:
        with pytest.raises(FileError, match=r"format of .* is unknown.*\.csv, \.tsv, \.txt, "):
            read_table(file(name, "a\n1\n"))

    def test_a_missing_file_gets_a_hint(self, file: Any) -> None:
        path = file("weather.csv", "a\n1\n")
        with pytest.raises(FileError, match=r"there is no file .*did you mean 'weather\.csv'"):
            read_table(path.with_name("wether.csv"))
        with pytest.raises(FileNotFoundError, match=r"there is no file .*check the directory"):
            read_table(path.parent / "nowhere" / "a.csv")

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").mkdir()
        with pytest.raises(IsADirectoryError, match="cannot be read"):
            read_table(tmp_path / "a.csv")


class TestNumbersWithWords:
    """Numbers that are read as text because of a few words are a warning."""

    TEXT = "age,y\n" + "".join(f"{i},a\n" for i in range(12)) + "NA,b\n?,b\n"

    def test_the_warning_has_the_option(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text(self.TEXT)
        words = r"age is read as text because of '\?', 'NA'; .* add missing_values=\['\?', 'NA'\]"
        with pytest.warns(ReadingWarning, match=words):
            read_table(tmp_path / "a.csv", "y")

    @pytest.mark.parametrize(
        "options", [{"missing_values": ["NA", "?"]}, {"types": {"age": "text"}}]
    )
    def test_the_options_settle_it(self, tmp_path: Path, options: dict[str, Any]) -> None:
        (tmp_path / "a.csv").write_text(self.TEXT)
        X, _ = read_table(tmp_path / "a.csv", "y", **options)
        assert X["age"].dtype.is_numeric() == ("missing_values" in options)
