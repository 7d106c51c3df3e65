"""The options about reading a table are the same for all commands, and a model reads by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.data import chunks
from plaintree.interop.model_file import save
from tests.support.command_line import plaintree

CODES = "zip,y\n" + "01234,a\n98101,b\n" * 10
DATES = "d,y\n" + "03/04/2021,a\n05/06/2021,b\n" * 10
GROWING = ("grow", "prune", "rules", "forest --n-estimators 3", "compare --learners c45", "derive")


def wide(text: str) -> str:
    """The message on one line."""
    return " ".join(text.split())


@pytest.mark.parametrize("command", ["inspect", *GROWING])
def test_doubts_are_told_with_the_option(file: Any, command: str) -> None:
    name, *options = command.split()
    outcome = plaintree(name, str(file("a.csv", DATES)), "--target", "y", *options)
    assert outcome.code == 0
    assert "warning: d: all dates fit both orders and are read day-first; otherwise: --dates " in (
        wide(outcome.err)
    )


def test_look_has_doubts_in_json(file: Any) -> None:
    found = plaintree("inspect", str(file("a.csv", CODES)), "--json").json
    assert any("types={'zip': 'number'}" in text for text in found["warnings"])


@pytest.mark.parametrize("command", ["inspect", *GROWING])
def test_options_settle_doubts(file: Any, command: str) -> None:
    name, *options = command.split()
    settled = ["--target", "y", "--type", "zip=text", "--dates", "month-first"]
    table = file("a.csv", "zip,d,y\n" + "01,03/04/2021,a\n1,05/06/2021,b\n" * 10)
    outcome = plaintree(name, str(table), *settled, *options)
    assert outcome.code == 0
    assert "zip:" not in outcome.err
    assert "--dates" not in outcome.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--type", "zpi=text"], "Got --type zpi=text. Hint: did you mean 'zip'?"),
        (["--type", "zip=txt"], "Got --type zip=txt. Hint: did you mean 'text'?"),
        (["--type", "zip"], "Got --type zip. Hint: write NAME=KIND, such as zip=text."),
        (["--dates", "us"], "Got --dates us. Hint: use one of 'day-first', 'month-first'."),
    ],
)
def test_options_that_are_wrong(file: Any, saved: str, given: list[str], told: str) -> None:
    path = str(file("a.csv", CODES))
    for command in (["inspect", path], ["grow", path, "--target", "y"], ["predict", saved, path]):
        outcome = plaintree(*command, *given)
        assert outcome.code == 2
        assert told in wide(outcome.err)


def test_a_value_of_another_kind_is_named(file: Any) -> None:
    outcome = plaintree("inspect", str(file("a.csv", CODES)), "--type", "y=number")
    assert outcome.code == 3
    assert "column 'y' has a value that is not a number. Got 'a' in row 1." in wide(outcome.err)


def model_of(file: Any, tmp_path: Path, text: str, *options: str) -> str:
    path = str(tmp_path / "model.json")
    table = str(file("train.csv", text))
    assert (
        plaintree("grow", table, "--target", "y", "--cv", "0", "--save", path, *options).code == 0
    )
    return path


def predicted(model: str, path: Path, *options: str) -> list[str]:
    outcome = plaintree("predict", model, str(path), *options)
    assert outcome.code == 0, outcome.err
    assert "unseen" not in outcome.err
    assert "not seen in training" not in outcome.err
    return [line.rsplit(",", 1)[-1] for line in outcome.out.splitlines()[1:]]


class TestAModelReadsItsColumns:
    def test_codes_are_text_whatever_else_is_there(self, file: Any, tmp_path: Path) -> None:
        model = model_of(file, tmp_path, CODES)
        assert predicted(model, file("new.csv", "zip\n98101\n01234\n")) == ["b", "a"]
        assert predicted(model, file("new.csv", "zip\n98101\n")) == ["b"]
        assert (
            predicted(model, file("new.csv", "zip\n98101\n1\n01234\n"), "--missing-value", "1")[2]
            == "a"
        )

    @pytest.mark.filterwarnings("default::plaintree.errors.ReadingWarning")
    def test_dates_may_be_written_otherwise(self, file: Any, tmp_path: Path) -> None:
        model = model_of(file, tmp_path, "d,y\n" + "2021-01-31,a\n2021-06-30,b\n" * 10)
        assert predicted(model, file("new.csv", "d\n01/20/2021\n07/20/2021\n")) == ["a", "b"]
        assert predicted(model, file("new.csv", "d\n20.1.2021\n20.7.2021\n")) == ["a", "b"]
        assert predicted(model, file("new.csv", "d\n2021-07-20 10:00\n")) == ["b"]
        new = file("new.csv", "d\n01/12/2021\n")
        assert predicted(model, new, "--dates", "month-first") == ["a"]
        outcome = plaintree("predict", model, str(new))
        assert "read day-first; otherwise: --dates month-first" in wide(outcome.err)

    def test_pieces_agree_on_the_order_of_dates(
        self, file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = model_of(file, tmp_path, "d,y\n" + "2021-01-31,a\n2021-06-30,b\n" * 10)
        monkeypatch.setattr(chunks, "BLOCK", 256)
        unclear, clear = "01/07/2021\n" * 100, "01/20/2021\n" * 100
        assert set(predicted(model, file("a.csv", "d\n" + clear + unclear))) == {"a"}
        outcome = plaintree("predict", model, str(file("b.csv", "d\n" + unclear + clear)))
        assert outcome.code == 3
        assert "Hint: add --dates month-first." in outcome.err

    @pytest.mark.parametrize(
        "spelt", ["true false", "TRUE False", "1 0", "yes NO", "t F", "1.0 0.0"]
    )
    def test_booleans_may_be_spelt_otherwise(self, file: Any, tmp_path: Path, spelt: str) -> None:
        model = model_of(file, tmp_path, "b,y\n" + "true,a\nfalse,b\n" * 10)
        new = file("new.csv", "b\n" + spelt.replace(" ", "\n") + "\n")
        assert predicted(model, new) == ["a", "b"]
        loaded = pt.load(model)
        assert list(loaded.predict(pt.read_table(new))) == ["a", "b"]

    def test_other_commands_read_by_the_model(self, file: Any, tmp_path: Path) -> None:
        model = model_of(file, tmp_path, CODES)
        rows = str(file("new.csv", "zip\n98101\n"))
        assert "'98101'" not in plaintree("explain", model, rows, "--row", "1").err
        assert plaintree("diff", model, model, rows).code == 0
        verified = plaintree("export", model, "--to", "python", "--verify", rows)
        assert verified.code == 0


def test_rows_for_a_table_are_read_as_its_columns(file: Any) -> None:
    table, rows = file("a.csv", CODES), file("new.csv", "zip\n98101\n")
    outcome = plaintree("derive", str(table), "--target", "y", "--rows", str(rows))
    assert outcome.code == 0
    assert "98101" in outcome.out


def test_a_declared_separator_holds_for_prediction(file: Any, tmp_path: Path) -> None:
    model = model_of(file, tmp_path, "sep=;\nx;y\n" + "1,5;a\n2,5;b\n" * 10)
    assert predicted(model, file("new.csv", "sep=;\r\nx;z\r\n1,4;u,v\r\n2,6;w\r\n")) == ["a", "b"]


@pytest.mark.parametrize("name", ["a\0b.csv", "a\ud800.csv", "x" * 5000 + ".csv"])
def test_impossible_paths_are_our_errors(file: Any, saved: str, name: str) -> None:
    table = str(file("a.csv", CODES))
    for words in (
        ["inspect", name],
        ["predict", name, table],
        ["predict", saved, name],
        ["predict", saved, table, "-o", name],
        ["grow", table, "--target", "y", "--save", name],
        ["grow", table, "--target", "y", "--report", name],
        ["export", saved, "--to", "python", "-o", name],
        ["export", saved, "--to", "python", "--verify", name],
        ["derive", table, "--target", "y", "--rows", name],
        ["prune", table, "--target", "y", "--method", "reduced_error", "--validation", name],
        ["check", name],
        ["demo", "--table", name],
    ):
        outcome = plaintree(*words)
        assert outcome.code == 3, words
        assert "cannot be the path of a file" in outcome.err, words


def test_parquet_is_written_with_booleans_of_any_spelling(file: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    frame = pl.DataFrame({"b": [True, False] * 5})
    save(pt.CARTClassifier().fit(frame, ["a", "b"] * 5), model)
    out = tmp_path / "out.parquet"
    new = file("new.csv", "b\n1\nfalse\nmaybe\n")
    assert plaintree("predict", str(model), str(new), "-o", str(out)).code == 0
    assert pl.read_parquet(out)["b"].to_list() == ["True", "False", "maybe"]
    assert json.loads(model.read_text())["model"]


MARKED = "age,x,y\n" + "".join(
    f"{'?' if i % 7 == 0 else i},{'NA' if i == 5 else i},{'a' if i < 20 else 'b'}\n"
    for i in range(40)
)


@pytest.mark.filterwarnings("default::plaintree.errors.ReadingWarning")
class TestMissingValuesOfTraining:
    """A model file keeps the strings that mean a missing value."""

    def saved(self, file: Any, tmp_path: Path) -> tuple[str, str]:
        table, model = str(file("a.csv", MARKED)), str(tmp_path / "m.json")
        marks = ("--missing-value", "NA", "--missing-value", "?")
        grown = plaintree("grow", table, "-t", "y", *marks, "--drop", "age", "--save", model)
        assert grown.code == 0
        return model, table

    @pytest.mark.parametrize(
        "command", ["explain --row 6", "predict", "evaluate", "export --to python --verify"]
    )
    def test_they_need_not_be_repeated(self, file: Any, tmp_path: Path, command: str) -> None:
        model, table = self.saved(file, tmp_path)
        name, *options = command.split()
        outcome = plaintree(name, model, *options, table)
        assert outcome.code == 0
        assert (
            "note: 1 value is read as missing, as in training ('NA', '?'); for other strings, "
            "add --missing-value" in wide(outcome.err)
        )

    def test_others_replace_them(self, file: Any, tmp_path: Path) -> None:
        model, table = self.saved(file, tmp_path)
        outcome = plaintree("predict", model, table, "--missing-value", "none")
        assert outcome.code == 3
        assert "Got 'NA' in row 6" in outcome.err

    def test_nothing_is_said_if_none_occurs(self, file: Any, tmp_path: Path) -> None:
        model, _ = self.saved(file, tmp_path)
        outcome = plaintree("predict", model, str(file("b.csv", "x,y\n1,a\n")))
        assert (outcome.code, outcome.err) == (0, "")

    def test_a_model_keeps_them_when_it_is_loaded_and_saved(
        self, file: Any, tmp_path: Path
    ) -> None:
        model, _ = self.saved(file, tmp_path)
        save(pt.load(model), tmp_path / "again.model")
        assert pt.load(tmp_path / "again.model").training_.missing_values == ("NA", "?")


@pytest.mark.parametrize(
    "command",
    [
        "explain --row 1",
        "predict",
        "predict -o out.jsonl",
        "predict -o out.parquet",
        "evaluate",
        "export --to python --verify",
    ],
)
def test_columns_that_a_model_does_not_use_may_have_any_values(
    file: Any, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    training = MARKED.replace("?", "3").replace("NA", "5")
    model, table = str(tmp_path / "m.json"), str(file("a.csv", training))
    assert plaintree("grow", table, "-t", "y", "--learner", "cart", "--save", model).code == 0
    (used,) = pt.load(model).used_columns()
    other = training.splitlines()
    fields = other[1].split(",")
    fields[1 - used] = "unknown"
    rows = str(file("b.csv", "\n".join([other[0], ",".join(fields), *other[2:]]) + "\n"))
    name, *options = command.split()
    outcome = plaintree(name, model, *options, rows)
    assert outcome.code == 0, outcome.err
