"""All values of a text column decide what it holds; what remains doubtful is said."""

from __future__ import annotations

import tracemalloc
import warnings
from datetime import date, datetime
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import plaintree as pt
from plaintree.data import infer
from plaintree.data.files import read_file
from plaintree.data.strings import ReadOptions
from plaintree.errors import ColumnError, FileError, ParameterError


def column(file: Any, values: str, **options: Any) -> tuple[list[Any], str]:
    """A column of a CSV file as it is read, and the doubts about it."""
    text = "\n".join(["a,b", *(f"{value},1" for value in values.split(" ")), ",1\n"])
    frame, doubts = read_file(file("a.csv", text), ReadOptions(**options))
    return frame["a"].to_list()[:-1], " | ".join(map(str, doubts))


class TestLeadingZeros:
    @pytest.mark.parametrize("values", ["01234 98101", "007 042", "000 113", "0501 0601"])
    def test_codes_of_one_length_stay_text(self, file: Any, values: str) -> None:
        found, doubts = column(file, values)
        assert found == values.split()
        assert doubts == (
            "a: values of one length with leading zeros are kept as text; if they are numbers: "
            "types={'a': 'number'}"
        )

    @pytest.mark.parametrize(
        ("values", "numbers"),
        [("00202 00043 00000", [202, 43, 0]), ("01 1 12", [1, 1, 12]), ("+07 -07", [7, -7])],
    )
    def test_other_numbers_stay_numbers(self, file: Any, values: str, numbers: list[int]) -> None:
        found, doubts = column(file, values)
        assert found == numbers
        assert doubts == (
            "a: values with leading zeros are read as numbers; to keep them as text: "
            "types={'a': 'text'}"
        )

    @pytest.mark.parametrize("values", ["0 10 5", "0.5 00.25", "10 20"])
    def test_without_one_there_is_no_doubt(self, file: Any, values: str) -> None:
        assert column(file, values)[1] == ""

    def test_a_kind_that_is_declared_decides(self, file: Any) -> None:
        assert column(file, "01 1", types={"a": "text"}) == (["01", "1"], "")
        assert column(file, "01234 98101", types={"a": "number"}) == ([1234.0, 98101.0], "")


class TestDates:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ("25/03/2021 01/04/2021", [date(2021, 3, 25), date(2021, 4, 1)]),
            ("04/01/2021 03/25/2021", [date(2021, 4, 1), date(2021, 3, 25)]),
            ("4-1-2021 3-25-2021", [date(2021, 4, 1), date(2021, 3, 25)]),
            ("3.4.2021 1.2.2021", [date(2021, 4, 3), date(2021, 2, 1)]),
            ("03/25/2021T10:30", [datetime(2021, 3, 25, 10, 30)]),
        ],
    )
    def test_the_order_is_decided_by_all_values(
        self, file: Any, values: str, expected: list[Any]
    ) -> None:
        assert column(file, values) == (expected, "")

    def test_if_both_orders_fit_it_is_said(self, file: Any) -> None:
        found, doubts = column(file, "03/04/2021 05/06/2021")
        assert found == [date(2021, 4, 3), date(2021, 6, 5)]
        assert doubts == (
            "a: all dates fit both orders and are read day-first; otherwise: dates='month-first'"
        )

    @pytest.mark.parametrize(("order", "month"), [("day-first", 4), ("month-first", 3)])
    def test_the_order_can_be_given(self, file: Any, order: str, month: int) -> None:
        found, doubts = column(file, "03/04/2021", dates=order)
        assert found[0].month == month
        assert doubts == ""

    def test_an_order_that_does_not_fit_makes_text(self, file: Any) -> None:
        assert column(file, "25/03/2021", dates="month-first")[0] == ["25/03/2021"]

    @pytest.mark.parametrize("values", ["03/25/2021 25/03/2021", "31/02/2021", "13/13/2021"])
    def test_values_that_fit_no_order_are_text(self, file: Any, values: str) -> None:
        assert column(file, values) == (values.split(), "")

    def test_years_of_two_digits_are_those_of_posix(self, file: Any) -> None:
        found, doubts = column(file, "25/12/68 25/12/69 25/12/00 25/12/99")
        assert [day.year for day in found] == [2068, 1969, 2000, 1999]
        assert doubts == "a: years of two digits are read as 1969 to 2068"

    @pytest.mark.parametrize(
        "values",
        [
            "10.12.11 1.2.30",
            "21-03-05",
            "1/2/3",
            "1/2/345",
            "25/12/2021 25/12/21",
            "2021-1-1 21-1-1",
        ],
    )
    def test_other_years_are_not_guessed(self, file: Any, values: str) -> None:
        assert column(file, values) == (values.split(), "")

    def test_a_declared_date_may_have_points_and_a_short_year(self, file: Any) -> None:
        found, _ = column(file, "25.12.68", types={"a": "date"})
        assert found == [date(2068, 12, 25)]


class TestDeclaredKinds:
    @pytest.mark.parametrize(
        ("kind", "values", "expected"),
        [
            ("text", "1 2", ["1", "2"]),
            ("number", "1 2", [1.0, 2.0]),
            ("integer", "01 2", [1, 2]),
            ("boolean", "yes No T f 1 0 ON off TRUE", [True, False] * 4 + [True]),
            ("date", "2021-01-02", [date(2021, 1, 2)]),
            ("datetime", "2021-01-02", [datetime(2021, 1, 2)]),
        ],
    )
    def test_are_followed(self, file: Any, kind: str, values: str, expected: list[Any]) -> None:
        assert column(file, values, types={"a": kind})[0] == expected

    @pytest.mark.parametrize("kind", ["number", "integer", "boolean", "date", "datetime", "time"])
    def test_a_value_of_another_kind_is_named(self, file: Any, kind: str) -> None:
        with pytest.raises(ColumnError, match=r"column 'a' .* Got 'x' in row 1"):
            column(file, "x 2021-01-01", types={"a": kind})

    def test_a_column_that_is_not_there_is_an_error(self, file: Any) -> None:
        with pytest.raises(ParameterError, match=r"types=zpi=text\. Hint: did you mean 'zip'"):
            pt.read_table(file("a.csv", "zip,y\n1,2\n"), types={"zpi": "text"})

    def test_an_unknown_kind_is_an_error(self, file: Any) -> None:
        with pytest.raises(ParameterError, match=r"types=a=txt\. Hint: did you mean 'text'"):
            column(file, "1", types={"a": "txt"})
        with pytest.raises(ParameterError, match="not a mapping"):
            column(file, "1", types=["a"])
        with pytest.raises(ParameterError, match=r"dates='first'.*'day-first', 'month-first'"):
            column(file, "1", dates="first")

    def test_columns_of_parquet_can_be_declared(self, tmp_path: Any) -> None:
        path = tmp_path / "a.parquet"
        pl.DataFrame({"a": [7, 8], "d": ["03/04/2021", None]}).write_parquet(path)
        frame = pt.read_table(path, types={"a": "text", "d": "date"}, dates="month-first")
        assert frame.rows() == [("7", date(2021, 3, 4)), ("8", None)]


def test_python_is_warned_of_doubts(file: Any) -> None:
    with pytest.warns(pt.errors.ReadingWarning, match="dates='month-first'"):
        pt.read_table(file("a.csv", "a,b\n03/04/2021,1\n"))


def test_wide_tables_are_read_as_narrow_ones(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    values = ["1 x ", "2.5,1e3", "true,FALSE", "a b,c", "007,042", "1,x", ",", "2020-01-01,", ",5"]
    values += ["9007199254740993,1", "1,123456789012345678901", "03/25/2021,03/26/2021", "NA,3"]
    rows = list(
        zip(*(value.split(",") if "," in value else ["1", "x"] for value in values), strict=True)
    )
    text = "\n".join(";".join(row) for row in [[f"c{i}" for i in range(len(values))], *rows])
    path, options = file("a.csv", text + "\n"), ReadOptions(missing_values=("NA",))
    together, doubts = read_file(path, options)
    monkeypatch.setattr(infer, "STACK", 1)
    alone, others = read_file(path, options)
    assert_frame_equal(together, alone)
    assert list(map(str, doubts)) == list(map(str, others))


def test_memory_is_a_small_multiple_of_a_long_field(file: Any) -> None:
    path = file("a.csv", 'a,b\n"' + 'x, ""y""\n\n' * 100_000 + '",1\n z, "2"\n')
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert pt.read_table(path).shape == (2, 2)
        assert tracemalloc.get_traced_memory()[1] < 60 * path.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("first", "name"), [("sep=;", "a.csv"), ('"SEP=;"', "a.csv"), ("sep=;", "a.tsv")]
)
def test_a_first_line_may_declare_the_separator(file: Any, first: str, name: str) -> None:
    assert pt.read_table(file(name, f"{first}\r\na;b\r\n1,5;x,y\r\n")).row(0) == (1.5, "x,y")


def test_lines_are_counted_with_the_one_that_declares_the_separator(file: Any) -> None:
    with pytest.raises(FileError, match="1 fields in line 4"):
        pt.read_table(file("a.csv", "sep=:\na:b\n1:2\n3\n"))


def test_a_separator_that_is_no_ascii_is_refused(file: Any) -> None:
    with pytest.raises(FileError, match="declares a separator"):
        pt.read_table(file("a.csv", "sep=§\na§b\n"))
