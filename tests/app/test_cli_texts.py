"""Columns of CSV that were not meant as they are read: warnings, `--missing-value`, predicting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, plaintree, rows

CLASSES = ["a", "b"] * 10


def inspected(file: Any, header: str, *columns: list[Any], options: tuple[str, ...] = ()) -> str:
    """What `plaintree inspect` prints on standard error."""
    table = str(file("table.csv", rows(f"{header},y", *columns, CLASSES)))
    return plaintree("inspect", table, "--target", "y", *options).err


@pytest.mark.parametrize(
    ("column", "warning"),
    [
        (
            [1.5, "NA"] * 10,
            "x is read as text because of 'NA'; "
            "if they stand for missing values, add --missing-value NA",
        ),
        (
            [*range(18), "none", "?"],
            "x is read as text because of '?', 'none'; "
            "if they stand for missing values, add --missing-value '?' --missing-value none",
        ),
        (
            ["u", "v", "?", "v"] * 5,
            "x contains '?'; if they stand for missing values, add --missing-value '?'",
        ),
        (
            ['"1,250.5"', '"1,300"', '"15%"', '"2,000"'] * 5,
            "x: read as text because of commas or signs in numbers; write them like 1234.5",
        ),
        (
            ["2024-01-01T10:00:00+02:00", "2024-02-01T10:00:00+01:00"] * 10,
            "x: times with a time zone are converted to UTC",
        ),
    ],
)
def test_inspect_and_grow_warn(file: Any, column: list[Any], warning: str) -> None:
    assert inspected(file, "x", column) == f"warning: {warning}\n"
    table = str(file("table.csv", rows("x,y", column, CLASSES)))
    grown = plaintree("grow", table, "--target", "y", "--cv", "0")
    assert grown.err == f"warning: {warning}\n"


@pytest.mark.parametrize(
    "column",
    [
        ["2", "3", "4", "5more"] * 5,
        ["none", "some", "-", "."] * 5,
        ["2024-01-01T10:00:00", "2024-02-01T10:00:00"] * 10,
        [1.5, "", 2.5, ""] * 5,
    ],
)
def test_inspect_keeps_quiet_about_categories(file: Any, column: list[Any]) -> None:
    assert inspected(file, "x", column) == ""


def test_many_columns_are_named_in_one_warning(file: Any) -> None:
    names = [f"x{i}" for i in range(10)]
    said = inspected(file, ",".join(names), *[["u", "?"] * 10] * 10)
    assert "x0 contains '?', x1 contains '?', " in said
    assert "x7 contains '?' and 2 more; if they stand for missing values, add " in said


def test_gaps_can_be_named_wherever_a_table_is_read(file: Any, tmp_path: Path) -> None:
    table = str(file("table.csv", rows("x,y", [1.5, "NA", 2.5, "?"] * 5, CLASSES)))
    gaps = ("--missing-value", "NA", "--missing-value", "?")
    assert inspected(file, "x", [1.5, "NA", 2.5, "?"] * 5, options=gaps) == ""
    model = str(tmp_path / "model.json")
    grown = plaintree("grow", table, "--target", "y", *gaps, "--save", model, "--json").json
    assert grown["schema"]["features"][0]["kind"] == "numeric"
    assert grown["table"]["columns"][0]["n_missing"] == 10
    for command in (
        ("derive", table, "--target", "y"),
        ("prune", table, "--target", "y", "--cv", "2", "--validation", table),
        ("rules", table, "--target", "y", "--cv", "2"),
        ("forest", table, "--target", "y", "--n-estimators", "5"),
        ("compare", table, "--target", "y", "--learners", "c45", "--cv", "2"),
        ("explain", table, "--target", "y", "--row", "1"),
        ("explain", model, table, "--row", "1"),
        ("predict", model, table),
        ("export", model, "--to", "python", "--verify", table),
        ("diff", model, model, table),
    ):
        assert plaintree(*command, *gaps).code == 0, command


def test_predict_keeps_the_texts_of_gaps_and_names_the_option(file: Any, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    save(pt.C45Classifier().fit({"x": [1.5, 2.5] * 4}, ["a", "b"] * 4), model)
    table = str(file("table.csv", "x,z\n NA ,1\n 1.5 , q\n"))
    refused = plaintree("predict", model, table)
    assert refused.code == 3
    assert (
        "Got 'NA' in row 1. Hint: correct it; if it means a missing value, add --missing-value NA."
        in (refused.err)
    )
    answers = plaintree("predict", model, table, "--missing-value", "NA").out.splitlines()
    assert answers[0] == "x,z,prediction"
    assert answers[1].startswith(" NA ,1,")
    assert answers[2] == " 1.5 , q,a"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_predict_reads_fields_as_grow_does(file: Any, tmp_path: Path, separator: str) -> None:
    model = str(tmp_path / "model.json")
    text = Path(GOLF).read_text().replace(",", f"{separator} ").replace("sunny", '"sunny"')
    table = str(file("table.csv", text))
    assert plaintree("grow", table, "--target", "play", "--save", model).code == 0
    X, y = pt.datasets.load_golf()
    expected = pt.C45Classifier().fit(X, y).predict(X)
    answers = plaintree("predict", model, table).out.splitlines()[1:]
    assert [line.rpartition(",")[2] for line in answers] == expected.tolist()


def test_predict_reads_decimal_commas_where_semicolons_separate(file: Any, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    save(pt.C45Classifier().fit({"x": [1.5, 2.5] * 4}, ["a", "b"] * 4), model)
    answers = plaintree("predict", model, str(file("t.csv", "x;z\n1,5;q\n2,500;q\n3;q\n"))).out
    assert [line[-1] for line in answers.splitlines()[1:]] == ["a", "b", "b"]
    refused = plaintree("predict", model, str(file("u.csv", 'x,z\n"2,500",q\n')))
    assert refused.code == 3
    assert "Got '2,500' in row 1" in refused.err


def test_spaces_that_training_knew_are_kept(file: Any, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    save(pt.C45Classifier().fit({"x": [" u", "v "] * 4}, ["a", "b"] * 4), model)
    answers = plaintree("predict", model, str(file("t.csv", "x,z\n u,1\nv ,1\n"))).out
    assert [line[-1] for line in answers.splitlines()[1:]] == ["a", "b"]
