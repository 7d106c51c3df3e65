"""Datasets: tables in files that are read in batches."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.data.dataset import Dataset
from plaintree.data.file_pieces import pieces_of_files
from plaintree.errors import (
    ColumnError,
    FileError,
    MissingFileError,
    ParameterError,
    ReadingWarning,
    TableError,
)
from plaintree.growing.sources.chunks import DatasetParts
from tests.support.dataset_files import mixed_table, split_rows, write_file, write_files


def rows_of(data: pt.data.Dataset) -> pl.DataFrame:
    return pl.concat(list(data.batches()), how="vertical_relaxed")


def written(directory: Path, **texts: str) -> list[str]:
    """Files of CSV, in the order given."""
    paths = []
    for name, text in texts.items():
        paths.append(str(directory / f"{name}.csv"))
        Path(paths[-1]).write_text(text)
    return paths


# ---------------------------------------------------------------- which files


def test_files_of_a_pattern_are_sorted_and_those_of_a_list_keep_their_order(
    tmp_path: Path,
) -> None:
    paths = write_files(split_rows(mixed_table(50), 4), tmp_path, ".parquet")
    for pattern in (str(tmp_path / "*.parquet"), tmp_path):
        assert pt.open_dataset(pattern, "y").files == tuple(paths)
    assert pt.open_dataset(paths[::-1], "y").files == tuple(paths[::-1])


def test_a_directory_is_searched_and_files_of_programs_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    table = mixed_table(20)
    wanted = [str(write_file(table, tmp_path / name)) for name in ("a.csv", "b/c.parquet")]
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part.csv").write_text("broken")
    (tmp_path / "notes.md").write_text("notes")
    assert pt.open_dataset(tmp_path, "y").files == tuple(wanted)


def test_the_name_of_an_existing_file_is_not_a_pattern(tmp_path: Path) -> None:
    for extension in (".parquet", ".feather", ".csv"):
        path = write_file(mixed_table(20), tmp_path / f"a[1]{extension}")
        write_file(mixed_table(30), tmp_path / f"a1{extension}")
        assert len(pt.open_dataset(path, "y")) == 20


def test_directories_give_columns(tmp_path: Path) -> None:
    for year, month, land in ((2023, "01", "pt"), (2024, "12", "s%20e")):
        place = tmp_path / f"year={year}" / f"month={month}" / f"land={land}"
        place.mkdir(parents=True)
        pl.DataFrame({"x": [1.0], "y": ["no"]}).write_parquet(place / "a.parquet")
    data = pt.open_dataset(tmp_path, "y")
    assert data.columns == ("x", "year", "month", "land")
    assert rows_of(data).drop("x", "y").rows() == [(2023, 1, "pt"), (2024, 12, "s e")]


def test_directories_name_missing_values_and_dates(tmp_path: Path) -> None:
    for day in ("2024-02-01", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.csv").write_text("x,y\n1,no\n")
    days = rows_of(pt.open_dataset(tmp_path, "y"))["day"]
    assert days.dtype == pl.Date
    assert days.null_count() == 1


def test_files_below_different_partition_directories_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    write_file(mixed_table(20), tmp_path / "year=2024" / "a.csv")
    write_file(mixed_table(20), tmp_path / "b.csv")
    with pytest.raises(
        FileError, match=r"partition columns.*none in .*b\.csv, but 'year' in .*a\.csv"
    ):
        pt.open_dataset(tmp_path, "y")


def test_paths_without_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no file matches .*\*\.parquet"):
        pt.open_dataset(tmp_path / "*.parquet", "y")
    with pytest.raises(MissingFileError, match="has no files of a known format"):
        pt.open_dataset(tmp_path, "y")
    with pytest.raises(MissingFileError, match=r"there is no file .*absent\.csv"):
        pt.open_dataset(tmp_path / "absent.csv", "y")
    with pytest.raises(MissingFileError, match="paths names no files"):
        pt.open_dataset([], "y")
    with pytest.raises(TypeError, match="does not name files"):
        pt.open_dataset(3, "y")  # type: ignore[arg-type]
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(FileError, match=r"the format of .*a\.xlsx is unknown"):
        pt.open_dataset(tmp_path / "a.xlsx", "y")


def test_directories_above_those_that_are_given_add_no_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "exp=1" / "year=2024"
    place.mkdir(parents=True)
    write_file(pl.DataFrame({"x": [1], "y": ["no"]}), place / "a.csv")
    for path in (place, place / "a.csv", place / "*.csv", [place / "a.csv"]):
        assert pt.open_dataset(path, "y").columns == ("x",)
    for path in (tmp_path / "exp=1", tmp_path / "exp=1" / "*" / "a.csv"):
        assert pt.open_dataset(path, "y").columns == ("x", "year")
    assert pt.open_dataset(tmp_path / "**" / "*.csv", "y").columns == ("x", "exp", "year")
    monkeypatch.chdir(tmp_path / "exp=1")
    for name in (".", "year=*/*.csv", "./*/a.csv"):
        assert pt.open_dataset(name, "y").columns == ("x", "year")


@pytest.mark.parametrize("extension", [".csv", ".parquet"])
def test_a_column_that_a_directory_names_as_well_is_an_error(
    tmp_path: Path, extension: str
) -> None:
    (tmp_path / "few=3").mkdir()
    path = write_file(mixed_table(20), tmp_path / "few=3" / f"a{extension}")
    wanted = rf"'few' is in a file, and its directory names it as well.*few=3 above {path}"
    with pytest.raises(ColumnError, match=wanted):
        pt.open_dataset(tmp_path, "y")
    with pytest.raises(ColumnError, match=wanted):
        list(pieces_of_files(tmp_path))
    assert "few" in pt.open_dataset(path, "y").columns


@pytest.mark.parametrize("as_other", ["polars", "pandas", "pyarrow", "dict"])
def test_a_frame_in_memory_is_to_be_fitted_directly(as_other: str) -> None:
    table = mixed_table(20)
    frame: Any = table
    if as_other != "polars":
        pytest.importorskip("pyarrow")
        methods = {"pandas": table.to_pandas, "pyarrow": table.to_arrow, "dict": table.to_dict}
        frame = methods[as_other]()
    with pytest.raises(TypeError, match=r"this one is in memory.*pass it to fit directly.*lazy"):
        pt.open_dataset(frame, "y")


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv", ".tsv", ".csv.gz"])
def test_batches_are_the_rows_of_all_files_in_order(tmp_path: Path, extension: str) -> None:
    table = mixed_table(1000).with_columns(pl.col("x").fill_nan(None))
    write_files(split_rows(table, 4), tmp_path, extension)
    data = pt.open_dataset(str(tmp_path / f"part-*{extension}"), "y")
    found = rows_of(data)
    assert found.columns == table.columns
    assert found.with_columns(pl.col("x").cast(pl.Float32)).equals(table)
    assert len(data) == data.n_rows == 1000
    assert pl.concat(list(data.batches(100))).equals(found)
    assert max(len(batch) for batch in data.batches(100)) == 100


def test_repr_names_files_target_and_features(tmp_path: Path) -> None:
    paths = write_files(split_rows(mixed_table(50), 3), tmp_path, ".parquet")
    shown = repr(pt.open_dataset(paths, "y"))
    assert shown.startswith(f"<Dataset of 3 files, {paths[0]!r} to {paths[2]!r}")
    assert shown.endswith("target 'y', 6 features>")


def test_columns_choose_features_and_their_order(tmp_path: Path) -> None:
    path = write_file(mixed_table(50), tmp_path / "a.parquet")
    data = pt.open_dataset(path, "y", columns=["noise", "x"], weights="few")
    assert rows_of(data).columns == ["noise", "x", "y", "few"]
    with pytest.raises(ColumnError, match="'y' is a feature and also the target"):
        pt.open_dataset(path, "y", columns=["y"])
    with pytest.raises(ColumnError, match=r"have no column 'nois'.*did you mean 'noise'"):
        pt.open_dataset(path, "y", columns=["nois"])
    with pytest.raises(ParameterError, match="columns is not a list of names"):
        pt.open_dataset(path, "y", columns="x")


@pytest.mark.parametrize("extension", [".parquet", ".csv"])
def test_filter_chooses_rows_by_an_expression_or_sql(tmp_path: Path, extension: str) -> None:
    table = mixed_table(500).with_columns(pl.col("x").fill_nan(None))
    paths = write_files(split_rows(table, 3), tmp_path, extension)
    wanted = table.filter(pl.col("few") > 3).select("noise", "y")
    for condition in (pl.col("few") > 3, "few > 3"):
        data = pt.open_dataset(paths, "y", columns=["noise"], filter=condition)
        assert rows_of(data).equals(wanted)
        assert len(data) == wanted.height


def test_filter_may_use_partition_columns(tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        (tmp_path / f"year={year}" / "a.csv").write_text(f"x,y\n{year},no\n")
    data = pt.open_dataset(tmp_path, "y", filter="year = 2024", columns=["x"])
    assert rows_of(data)["x"].to_list() == [2024]


def test_filters_that_are_not_conditions_of_a_row_are_errors(tmp_path: Path) -> None:
    path = write_file(mixed_table(50), tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match="filter is not a condition"):
        pt.open_dataset(path, "y", filter=pl.col("noise") + 1)
    with pytest.raises(ParameterError, match="filter is not a condition"):
        pt.open_dataset(path, "y", filter=3)
    with pytest.raises(ParameterError, match="filter cannot be used"):
        pt.open_dataset(path, "y", filter="noise >")
    with pytest.raises(ColumnError, match="no column 'nose'"):
        pt.open_dataset(path, "y", filter="nose > 1")
    with pytest.raises(ParameterError, match="does not decide each row by its own values"):
        list(pt.open_dataset(path, "y", filter=pl.col("noise") > pl.col("noise").mean()).batches())


# ---------------------------------------------------------------- types of CSV


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "", "3"],
        ["1", "2", "3.5", "4"],
        ["1", "2", "3", "abc"],
        ["01", "02", "10", "33"],
        ["01", "2", "3", "4"],
        ["00000", "00202", "00043", "00001"],
        ["9007199254740993", "1", "2", "3"],
        ["99999999999999999999", "1", "2", "3"],
        ["99999999999999999999", "1", "2", "0.5"],
        ["true", "False", "TRUE", ""],
        ["true", "yes", "no", "true"],
        ["2024-01-02", "2024-01-03", "2024-12-01", ""],
        ["2024-01-02", "2024-01-03", "2024/12/01", ""],
        ["2024-01-02 10:00", "2024-01-03 11:30", "2024-12-01 23:59", ""],
        ["2024-01-02", "2024-01-03", "2024-01-02 10:00", ""],
        ["03/04/2021", "05/06/2021", "03/25/2021", "01/01/2021"],
        ["03/04/2021", "25/06/2021", "03/05/2021", "01/01/2021"],
        ["03/04/2021", "25/06/2021", "03/25/2021", "01/01/2021"],
        ["3/4/21", "5/6/21", "7/8/21", "9/9/21"],
        ["10:30", "11:45", "23:59", "00:00"],
        ["", "", "", ""],
        ["", "", "1", ""],
        [" a", "b ", "a", ""],
        ["inf", "1", "-inf", "nan"],
        ["1e5", "2", "3", "4"],
        ["+1", "-2", "3", "4"],
        ["2021", "2021-03-01", "2022", "2023"],
    ],
)
@pytest.mark.parametrize("n_files", [1, 2, 4])
@pytest.mark.filterwarnings("ignore::plaintree.errors.ReadingWarning")
def test_types_of_csv_are_those_of_all_files_together(
    tmp_path: Path, values: list[str], n_files: int
) -> None:
    lines = [f"{value},no" for value in values]
    whole, parts = tmp_path / "whole.csv", []
    whole.write_text("\n".join(["v,y", *lines, ""]))
    size = len(lines) // n_files
    for i in range(n_files):
        parts.append(tmp_path / f"part-{i}.csv")
        parts[-1].write_text("\n".join(["v,y", *lines[i * size : (i + 1) * size], ""]))
    found = pl.concat(list(pt.open_dataset(parts, "y").batches()))
    assert found["v"].dtype == pt.read_table(whole)["v"].dtype
    assert found.equals(pt.read_table(whole))


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path: Path) -> None:
    paths = written(tmp_path, a="v;y\n1,5;no\n2;no\n", b="v;y\n3;no\n", c="v,y\n0.25,no\n")
    assert rows_of(pt.open_dataset(paths, "y"))["v"].to_list() == [1.5, 2.0, 3.0, 0.25]


def test_a_word_among_numbers_of_a_later_file_is_reported(tmp_path: Path) -> None:
    numbers = "\n".join(f"{i},no" for i in range(20))
    paths = written(tmp_path, a=f"v,y\n{numbers}\n", b=f"v,y\n{numbers}\nabc,no\n")
    data = DatasetParts(pt.open_dataset(paths, "y"))
    with pytest.warns(ReadingWarning, match="v is read as text because of 'abc'"):
        survey = data.survey(data.reading)
    assert survey.columns[0].kind == "categorical"
    read = DatasetParts(pt.open_dataset(paths, "y", missing_values="abc"))
    assert read.survey(read.reading).columns[0].unit == "integer"


@pytest.mark.parametrize("turned", [False, True])
def test_numbers_in_one_file_and_text_in_another_are_reported(tmp_path: Path, turned: bool) -> None:
    numbers = "\n".join(f"{i},{i % 3}.5,a{i},no" for i in range(50))
    words = "\n".join(f"high,low,{i},yes" for i in range(50))
    paths = written(tmp_path, a=f"v,w,c,y\n{numbers}\n", b=f"v,w,c,y\n{words}\n")
    paths = paths[::-1] if turned else paths
    data = DatasetParts(pt.open_dataset(paths, "y"))
    with pytest.warns(ReadingWarning) as found:
        survey = data.survey(data.reading)
    assert [column.kind for column in survey.columns] == ["categorical"] * 3
    texts = sorted(str(warning.message) for warning in found)
    assert len(texts) == 2
    assert re.search(r"^c: .*numbers in .*b\.csv but text such as 'a0' in .*a\.csv", texts[0])
    assert re.search(r"^v, w: .*numbers in .*a\.csv but text such as 'high' in .*b\.csv", texts[1])
    assert texts[1].endswith("if that is meant, add types={'v': 'text', 'w': 'text'}")
    meant = pt.open_dataset(paths, "y", types=dict.fromkeys("vwc", "text"))
    assert rows_of(meant).height == 100


def test_text_that_every_file_has_is_not_reported(tmp_path: Path) -> None:
    paths = written(tmp_path, a="v,y\n1,no\nb,no\n", b="v,y\nc,no\n2,no\n", c="v,y\n,no\n")
    data = DatasetParts(pt.open_dataset(paths, "y"))
    assert data.survey(data.reading).columns[0].kind == "categorical"


def test_declared_types_are_kept_and_wrong_values_are_named(tmp_path: Path) -> None:
    paths = written(tmp_path, a="zip,v,y\n123,1,no\n", b="zip,v,y\n456,x,no\n")
    assert rows_of(pt.open_dataset(paths, "y", types={"zip": "text"}))["zip"].dtype == pl.String
    with pytest.raises(ColumnError, match=r"'v' has a value that is not a number.*'x' in row 1"):
        list(pt.open_dataset(paths, "y", types={"v": "number"}).batches())


def test_declared_types_of_other_columns_are_errors(tmp_path: Path) -> None:
    paths = written(tmp_path, a="zip,y\n01,no\n", b="zip,y\n02,yes\n")
    with pytest.raises(ParameterError, match=r"no such column.*types=zap=number.*mean 'zip'"):
        pt.open_dataset(paths, "y", types={"zap": "number"})
    path = write_file(mixed_table(20), tmp_path / "a.parquet")
    with pytest.raises(ParameterError, match=r"types is for columns of CSV files, and 'few' has"):
        pt.open_dataset(path, "y", types={"few": "text"})


def test_files_in_other_encodings_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for text, line in (("x,y\n1,caf\xe9\n", 2), ("caf\xe9,y\n1,a\n", 1)):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(FileError, match=rf"not UTF-8.*0xe9 in line {line}.*in Latin-1"):
            list(pt.open_dataset(path, "y").batches())


def test_a_file_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    paths = written(tmp_path, a="v,y\n1,no\n", b="v,y\n", c="v,y\n2,yes\n")
    assert rows_of(pt.open_dataset(paths, "y"))["v"].to_list() == [1, 2]


def test_zstandard_is_read(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="reads .zst")
    path = tmp_path / "a.csv.zst"
    path.write_bytes(pa.Codec("zstd").compress(b"v,y\n1,no\n", asbytes=True))
    assert rows_of(pt.open_dataset(path, "y"))["v"].to_list() == [1]


# ---------------------------------------------------------------- damage and drift


def test_a_column_that_a_file_lacks_is_an_error_with_both_files(tmp_path: Path) -> None:
    for extension in (".parquet", ".csv"):
        a = write_file(mixed_table(20), tmp_path / f"a{extension}")
        b = write_file(mixed_table(20).drop("few"), tmp_path / f"b{extension}")
        for paths in ([a, b], [b, a]):
            with pytest.raises(ColumnError, match=r"'few' is not in all .*'few' in .*a\..*b\."):
                pt.open_dataset(paths, "y")
        assert len(pt.open_dataset([a, b], "y", columns=["x"])) == 40


def test_a_column_of_another_type_is_an_error_with_both_files(tmp_path: Path) -> None:
    a = write_file(mixed_table(20), tmp_path / "a.parquet")
    b = write_file(mixed_table(20).cast({"few": pl.String}), tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"'few' is not of one type.*a\.parquet.*b\.parquet"):
        pt.open_dataset([a, b], "y")
    c = write_file(mixed_table(20).cast({"few": pl.Float32}), tmp_path / "c.parquet")
    d = write_file(mixed_table(20).with_columns(few=None), tmp_path / "d.parquet")
    assert len(pt.open_dataset([a, c, d], "y")) == 60


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv.gz"])
def test_damaged_files_are_named(tmp_path: Path, extension: str) -> None:
    path = write_file(mixed_table(2000), tmp_path / f"a{extension}")
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"something else"):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match=r"a\.(parquet|feather|csv\.gz)"):
            list(pt.open_dataset(path, "y").batches())


def test_damage_inside_a_file_is_named(tmp_path: Path) -> None:
    path = write_file(mixed_table(20_000), tmp_path / "a.parquet")
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 4 : len(raw) // 2] = os.urandom(len(raw) // 2 - len(raw) // 4)
    path.write_bytes(raw)
    with pytest.raises(FileError, match=r"a\.parquet"):
        list(pt.open_dataset(path, "y").batches())


def test_an_empty_file_of_csv_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(FileError, match=r"a\.csv\.gz is empty"):
        pt.open_dataset(tmp_path / "a.csv.gz", "y")


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv"])
def test_files_that_vanish_or_change_are_named(tmp_path: Path, extension: str) -> None:
    path = write_file(mixed_table(50), tmp_path / f"a{extension}")
    data = pt.open_dataset(path, "y")
    os.utime(path, (1, 1))
    with pytest.raises(FileError, match=r"a\.\w+ changed while it was used"):
        list(data.batches())
    data = pt.open_dataset(path, "y")
    write_file(mixed_table(60), path)
    with pytest.raises(FileError, match=r"a\.\w+ changed while it was used.*bytes; it had"):
        list(data.batches())
    data = pt.open_dataset(path, "y")
    path.unlink()
    with pytest.raises(MissingFileError, match="there is no file"):
        list(data.batches())


def test_an_amount_of_memory_is_a_number_with_a_unit(tmp_path: Path) -> None:
    path = write_file(mixed_table(50), tmp_path / "a.parquet")
    for given, wanted in (("2GB", 2_000_000_000), ("500 MB", 500_000_000), (2**30, 2**30)):
        assert pt.open_dataset(path, "y", memory_limit=given).memory_limit == wanted
    for wrong in ("much", "2 XB", 0, True, -1):
        with pytest.raises(ParameterError, match="memory_limit is not an amount of memory"):
            pt.open_dataset(path, "y", memory_limit=wrong)


# ---------------------------------------------------------------- rows in errors


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv"])
@pytest.mark.parametrize("condition", [None, "x % 2 = 0"])
def test_rows_are_named_by_their_numbers_in_the_file(
    tmp_path: Path, extension: str, condition: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 100)
    labels = ["a", "b"] * 500
    labels[790:793] = [None] * 3  # type: ignore[list-item]
    table = pl.DataFrame({"x": range(1000), "y": labels})
    path = write_file(table, tmp_path / f"a{extension}")
    data = pt.open_dataset(path, "y", filter=condition)
    others = r"1 more row \(row 793\)" if condition else r"2 more rows \(row 792, row 793\)"
    wanted = rf"missing labels \(in .*\)\. Got no label in row 791 and {others}"
    with pytest.raises(TableError, match=wanted):
        pt.CARTClassifier().fit(data)
    model = pt.CARTClassifier().fit(table.select("x")[:700], table["y"][:700])
    with pytest.raises(TableError, match=wanted):
        model.score(data)


def test_weights_are_named_by_their_column_and_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 100)
    table = pl.DataFrame({"x": range(500), "w": [1.0] * 321 + [-1.0] + [1.0] * 178, "y": 1})
    path = write_file(table.with_columns(c=pl.lit("a")), tmp_path / "a.parquet")
    with pytest.raises(TableError, match=r"column 'w' of weights has entries.* -1.0 in row 322"):
        pt.CARTClassifier().fit(pt.open_dataset(path, "y", weights="w"))
    with pytest.raises(TableError, match=r"'c' of weights.* Got a column of type String"):
        pt.CARTClassifier().fit(pt.open_dataset(path, "y", weights="c"))


def test_categories_that_training_did_not_have_are_named_by_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dataset, "batch_rows", 100)
    table = pl.DataFrame({"c": ["a", "b"] * 200, "y": [0, 1] * 200})
    model = pt.CARTClassifier(unseen="error").fit(table.select("c"), table["y"])
    other = table.with_columns(c=pl.Series(["a"] * 333 + ["z"] + ["a"] * 66))
    path = write_file(other, tmp_path / "a.parquet")
    with pytest.raises(ColumnError, match="'z' in row 334"):
        model.predict(pt.open_dataset(path))
