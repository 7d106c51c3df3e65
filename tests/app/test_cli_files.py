"""Tables in files that are read in batches: grow, evaluate and predict."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.app.cli.show_files import LevelLines
from plaintree.app.study.files import target_column
from plaintree.app.study.target_task import task_of_target
from plaintree.data.dataset import Dataset
from plaintree.data.table import table_from
from tests.support.command_line import GOLF, plaintree
from tests.support.dataset_files import mixed_table, split_rows, write_file, write_files

TABLE = mixed_table(2000).with_columns(number=pl.col("few") * 1.5 + pl.col("noise"))
X = TABLE.drop("y", "number")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A pattern of four Parquet files, of which few rows are read at a time."""
    monkeypatch.setattr(Dataset, "batch_rows", 300)
    place = tmp_path / "parts"
    place.mkdir()
    write_files(split_rows(TABLE, 4), place, ".parquet")
    return str(place / "*.parquet")


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = str(tmp_path / "model.json")
    pt.save(pt.CARTClassifier(max_depth=4).fit(X, TABLE["y"]), path)
    return path


# -------------------------------------------------------------------- grow


def test_grow_saves_the_tree_of_the_whole_table(parts: str, tmp_path: Path) -> None:
    saved = str(tmp_path / "m.json")
    words = ("-t", "y", "--drop", "number", "--learner", "cart", "--max-depth", "3")
    outcome = plaintree("grow", parts, *words, "--save", saved)
    assert outcome.code == 0
    expected = pt.CARTClassifier(max_depth=3).fit(X, TABLE["y"])
    assert pt.load(saved).tree_.difference(expected.tree_) is None
    printed = " ".join(outcome.out.split())
    n_wrong = int((expected.predict(X) != TABLE["y"].to_numpy()).sum())
    for text in (
        f"{parts}: 4 files, 2,000 rows, 6 features (4 numeric, 2 categorical), target: y",
        " ".join(pt.export_text(expected).split()),
        f"Training error: {n_wrong} of 2000",
        "Cross-validation: none, because the rows are read in batches",
        "over the encoded rows",
    ):
        assert text in printed
    assert outcome.err == f"wrote {saved}\n"


def test_grow_decides_the_task_and_measures_numbers(parts: str) -> None:
    outcome = plaintree("grow", parts, "-t", "number", "--drop", "y", "--max-depth", "3", "--json")
    assert outcome.code == 0
    expected = pt.CARTRegressor(max_depth=3).fit(X, TABLE["number"])
    whole = plaintree(
        "grow", str(write_file(TABLE, Path(parts).with_name("all.parquet"))),
        "-t", "number", "--drop", "y", "--max-depth", "3", "--json", "--cv", "0",
    )  # fmt: skip
    assert outcome.json["task"] == "regression"
    assert outcome.json["tree"] == whole.json["tree"]
    assert outcome.json["tree"]["leaves"] == expected.tree_.n_leaves
    for key, value in whole.json["training"].items():
        is_text = isinstance(value, str)
        assert outcome.json["training"][key] == (value if is_text else pytest.approx(value)), key
    assert outcome.json["cross_validation"] is None
    assert outcome.json["passes"] >= 1


@pytest.mark.parametrize("extension", [".feather", ".csv.gz"])
def test_one_file_of_these_formats_is_read_in_batches(extension: str, tmp_path: Path) -> None:
    path = write_file(TABLE, tmp_path / f"t{extension}")
    outcome = plaintree("grow", str(path), "-t", "y", "--max-depth", "1")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Cross-validation: none" in outcome.out


def test_options_of_batches_read_any_file_in_batches(tmp_path: Path) -> None:
    path = write_file(TABLE.with_columns(w=1.0), tmp_path / "t.parquet")
    words = ("grow", str(path), "-t", "y", "--max-depth", "2")
    assert "CV accuracy" in plaintree(*words, "--cv", "2").out
    store = tmp_path / "store"
    for options in (
        ("--memory", "2GB"),
        ("--store", str(store)),
        ("--filter", "few > 3 and late"),
        ("--weights", "w"),
        ("--checkpoint", str(tmp_path / "point")),
    ):
        outcome = plaintree(*words, *options)
        assert (outcome.code, outcome.err) == (0, ""), options
        assert "Cross-validation: none" in outcome.out
    n_kept = TABLE.filter(pl.col("few") > 3, pl.col("late")).height
    filtered = " ".join(plaintree(*words, "--filter", "few > 3 and late").out.split())
    assert f"1 file, {n_kept:,} rows" in filtered
    assert (store / "manifest.json").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["store", "t.parquet"]


def test_rules_and_strings_for_missing_values_are_kept(tmp_path: Path) -> None:
    text = Path(GOLF).read_text().replace("overcast", "?")
    (tmp_path / "golf.csv").write_text(text)
    saved = str(tmp_path / "m.json")
    words = ("grow", str(tmp_path / "golf.csv"), "--memory", "1GB", "-t", "play")
    outcome = plaintree(*words, "--missing-value", "?", "--rules", "--save", saved)
    assert outcome.code == 0
    assert "\nRules\n" in outcome.out
    assert pt.load(saved).training_.missing_values == ("?",)


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (("-t", "z"), 2, "no such column. Got --target z."),
        (("-t", "y", "--drop", "numbr"), 2, "Got --drop numbr. Hint: did you mean 'number'?"),
        (("-t", "y", "--categorical-feature", "fex"), 2, "Got --categorical-feature fex."),
        (("-t", "y", "--weights", "noisy"), 2, "Got --weights noisy. Hint: did you mean 'noise'?"),
        (("-t", "y", "--filter", "fex > 1"), 2, "Got --filter fex. Hint: did you mean 'few'?"),
        (("-t", "y", "--filter", "few >"), 2, "error: --filter cannot be used"),
        (("-t", "y", "--memory", "2XB"), 2, "--memory is not an amount of memory. Got --memory 2X"),
        (("-t", "y", "--memory", "2MB"), 3, "--memory is too small for this table. Got --memory 2"),
        (("-t", "y", "--memory", "2"), 2, "less than 1 MB. Got --memory 2. Hint: a number alone"),
        (("-t", "y", "--memory", "2", "GB"), 2, "without a space, as in --memory 2GB."),
        (("-t", "y", "--filter", "few"), 2, 'a value, as in "year > 2020".'),
        (("-t", "y", "--filter", "few < 0"), 3, "the table has no rows"),
        (("-t", "y", "--cv", "5"), 2, "--cv needs the rows in memory"),
        (("-t", "y", "--report", "r.html"), 2, "--report needs the rows in memory"),
        (("-t", "y", "--store", "/dev/null/x"), 3, "cannot be written"),
        (("-t", "text", "--task", "regression"), 2, "regression needs a numeric target"),
    ],
)
def test_wrong_options_are_errors(
    parts: str, options: tuple[str, ...], code: int, text: str
) -> None:
    outcome = plaintree("grow", parts, *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert text in outcome.err


def test_wrong_files_are_errors(parts: str, tmp_path: Path) -> None:
    words = ("-t", "y")
    outcome = plaintree("grow", str(tmp_path / "*.parq"), *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: no file matches" in outcome.err
    outcome = plaintree("grow", str(tmp_path / "part"), *words)
    assert outcome.code == 3
    assert f"there is no file {tmp_path}/part. " in outcome.err
    assert "did you mean 'parts'?" in outcome.err
    damaged = Path(parts).with_name("part-02.parquet")
    damaged.write_bytes(damaged.read_bytes()[:-8])
    outcome = plaintree("grow", parts, *words)
    assert outcome.code == 3
    assert f"error: {damaged} is damaged" in outcome.err
    outcome = plaintree("grow", "-", "--memory", "1GB", *words, stdin="x,y\n1,no\n")
    assert outcome.code == 2
    assert "standard input can be read only once" in outcome.err


def test_a_pattern_that_the_shell_expands_is_told_to_be_put_in_quotes(parts: str) -> None:
    files = sorted(map(str, Path(parts).parent.glob("*.parquet")))
    outcome = plaintree("grow", *files, "-t", "y")
    assert outcome.code == 2
    assert "Put a pattern in quotes, as in 'data/*.parquet'." in outcome.err
    assert "quotes" not in plaintree("check", "a.json", "b.json").err


def test_a_file_that_may_not_fit_memory_is_told_of_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(TABLE, tmp_path / "t.parquet")
    words = ("grow", str(path), "-t", "y", "--max-depth", "1", "--cv", "0")
    assert "--memory" not in plaintree(*words).err
    monkeypatch.setattr("plaintree.memory.available_bytes", lambda: 4 * path.stat().st_size - 4)
    assert "hint: --memory SIZE, such as --memory 2GB" in plaintree(*words).err


def test_other_commands_name_those_that_read_several_files(parts: str) -> None:
    for command in ("inspect", "prune", "forest", "compare", "rules"):
        outcome = plaintree(command, parts, "-t", "y")
        assert outcome.code == 3
        assert "reads a single file" in outcome.err


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_but_the_checkpoint(tmp_path: Path) -> None:
    table = mixed_table(300_000)
    (tmp_path / "data").mkdir()
    write_files(split_rows(table, 3), tmp_path / "data", ".parquet")
    scratch, work = tmp_path / "scratch", tmp_path / "work"
    scratch.mkdir()
    work.mkdir()
    command = [
        *(sys.executable, "-m", "plaintree", "grow", str(tmp_path / "data"), "-t", "y"),
        *("--learner", "cart", "--save", "m.json", "--checkpoint", "point"),
    ]
    running = subprocess.Popen(
        command, cwd=work, env={**os.environ, "TMPDIR": str(scratch)}, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not (work / "point").exists() and time.monotonic() < deadline and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"interrupted" in err
    assert b"note: the same command continues from point." in err
    assert list(scratch.iterdir()) == []
    assert [path.name for path in work.iterdir()] == ["point"]


# -------------------------------------------------------------------- the task


@pytest.mark.parametrize("name", ["y", "few", "number", "late", "x", "day"])
def test_the_task_is_that_of_the_whole_column(name: str, parts: str) -> None:
    dataset = pt.open_dataset(parts, name)
    column, has_more = target_column(dataset)
    whole = table_from(TABLE.select(name)).columns[0]
    found, expected = task_of_target(column), task_of_target(whole)
    assert (found.name, found.other) == (expected.name, expected.other)
    assert has_more == (name in ("x", "number"))
    assert has_more or found.reason == expected.reason


# -------------------------------------------------------------------- evaluate


def test_evaluate_measures_files_as_one_table(parts: str, model: str, tmp_path: Path) -> None:
    whole = str(write_file(TABLE, tmp_path / "all.parquet"))
    found, expected = (plaintree("evaluate", model, path, "--json") for path in (parts, whole))
    assert found.code == 0
    different = {"source", "measured_on", "is_training_table", "probabilities"}
    for key in expected.json.keys() - different:
        assert found.json[key] == expected.json[key], key
    for key, value in expected.json["probabilities"].items():
        got = found.json["probabilities"][key]
        if key == "calibration":
            assert got == [pytest.approx(part, rel=1e-9) for part in value]
        else:
            assert got == pytest.approx(value, rel=1e-9)
    assert found.json["measured_on"] == parts


def test_evaluate_measures_numbers_and_names_rows_of_the_whole_table(
    parts: str, tmp_path: Path
) -> None:
    saved = str(tmp_path / "m.json")
    pt.save(pt.CARTRegressor(max_depth=3).fit(X, TABLE["number"]), saved)
    whole = str(write_file(TABLE, tmp_path / "all.parquet"))
    found, expected = (plaintree("evaluate", saved, path, "--json") for path in (parts, whole))
    different = {"source", "measured_on", "is_training_table", "intervals"}
    for key in expected.json.keys() - different:
        value = expected.json[key]
        is_number = isinstance(value, float)
        assert found.json[key] == (pytest.approx(value, abs=1e-12) if is_number else value), key
    for key, interval in expected.json["intervals"].items():
        assert found.json["intervals"][key] == pytest.approx(interval)
    assert "Largest errors" in plaintree("evaluate", saved, parts).out


def test_rows_without_a_class_and_unknown_classes_are_told(model: str, tmp_path: Path) -> None:
    odd = pl.Series(["maybe", None, *TABLE["y"][2:]])
    write_files(split_rows(TABLE.with_columns(y=odd), 2), tmp_path, ".csv")
    outcome = plaintree("evaluate", model, str(tmp_path / "*.csv"))
    assert outcome.code == 0
    assert "y: left out 1 rows without a class" in outcome.err
    assert "the model does not have the classes maybe" in outcome.err
    assert "Rows: 1,999" in outcome.out


def test_labels_in_csv_are_read_as_in_training(tmp_path: Path) -> None:
    saved = str(tmp_path / "m.json")
    labels = ["1" if late else "0" for late in TABLE["late"]]
    pt.save(pt.CARTClassifier(max_depth=2).fit(X.drop("late"), labels), saved)
    table = X.drop("late").with_columns(target=pl.Series(labels))
    write_files(split_rows(table, 2), tmp_path, ".csv")
    words = ("evaluate", saved, str(tmp_path / "*.csv"), "-t", "target", "--json")
    assert plaintree(*words).json["classes"] == ["0", "1"]


def test_every_kind_of_model_is_evaluated(parts: str, tmp_path: Path) -> None:
    rules = pt.C45RulesClassifier(min_samples_branch=100).fit(X, TABLE["y"])
    forest = pt.RandomForestClassifier(3).fit(X, TABLE["y"])
    whole, saved = str(write_file(TABLE, tmp_path / "all.parquet")), str(tmp_path / "m.json")
    for fitted in (rules, rules.rules_, rules.tree_, forest):
        pt.save(fitted, saved)
        found, expected = (plaintree("evaluate", saved, rows, "--json") for rows in (parts, whole))
        assert found.json["confusion"] == expected.json["confusion"]


def test_a_wrong_target_of_evaluate_is_an_error(parts: str, model: str) -> None:
    outcome = plaintree("evaluate", model, parts, "-t", "yy")
    assert (outcome.code, outcome.out) == (2, "")
    assert "Got --target yy. Hint: did you mean 'y'?" in outcome.err
    outcome = plaintree("evaluate", model, parts, "--interval", "3")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--interval must be between 0 and 1" in outcome.err


# -------------------------------------------------------------------- predict


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv", ".csv.gz"])
def test_predict_writes_the_rows_of_all_files(extension: str, model: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_files(split_rows(TABLE, 3), tmp_path / "in", extension)
    out = tmp_path / "out.parquet"
    outcome = plaintree("predict", model, str(tmp_path / "in"), "-o", str(out))
    assert (outcome.code, outcome.err) == (0, f"wrote {out}\n")
    written = pl.read_parquet(out)
    assert written.columns == [*TABLE.columns, "prediction"]
    assert written["prediction"].to_list() == pt.load(model).predict(X).tolist()
    assert written["number"].cast(pl.Float64).to_list() == TABLE["number"].to_list()


def test_columns_of_directories_are_features_and_are_written(tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"in/year={year}").mkdir(parents=True)
        (tmp_path / f"in/year={year}/a.csv").write_text("x,y\n1,a\n2,a\n")
    fitted = pt.CARTClassifier().fit({"year": [2023, 2024]}, ["old", "new"])
    pt.save(fitted, tmp_path / "m.json")
    outcome = plaintree("predict", str(tmp_path / "m.json"), str(tmp_path / "in"))
    assert outcome.out.splitlines() == [
        "x,y,year,prediction", "1,a,2023,old", "2,a,2023,old", "1,a,2024,new", "2,a,2024,new",
    ]  # fmt: skip


def test_nothing_is_written_if_a_later_file_is_wrong(model: str, tmp_path: Path) -> None:
    place = tmp_path / "in"
    place.mkdir()
    write_files(split_rows(TABLE, 3), place, ".csv")
    text = (place / "part-02.csv").read_text().splitlines()
    text[3] = text[3].replace(text[3].split(",")[0], "many", 1)
    (place / "part-02.csv").write_text("\n".join(text))
    outcome = plaintree("predict", model, str(place), "-o", str(tmp_path / "out.csv"))
    assert outcome.code == 3
    assert "part-02.csv" in outcome.err
    assert "'many'" in outcome.err
    assert "row 3" in outcome.err
    (place / "part-02.csv").write_text("x,y\n1,2\n")
    outcome = plaintree("predict", model, str(place), "-o", str(tmp_path / "out.csv"))
    assert outcome.code == 3
    assert "the files have different columns. Got 'few': String in" in outcome.err
    assert {path.name for path in tmp_path.iterdir()} == {"in", "model.json"}


def test_damaged_files_are_errors_of_predict(model: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x,few\n1,2\n" * 9)[:-9])
    outcome = plaintree("predict", model, str(tmp_path / "a.csv.gz"))
    assert outcome.code == 3
    assert "a.csv.gz is damaged" in outcome.err
    (tmp_path / "b.arrow").write_text("none")
    outcome = plaintree("predict", model, str(tmp_path / "b.arrow"))
    assert outcome.code == 3
    assert "b.arrow is not an Arrow file" in outcome.err


# -------------------------------------------------------------------- progress


def test_the_line_of_progress_has_the_level_and_the_speed() -> None:
    lines = LevelLines()
    steps: list[tuple[Any, ...]] = [
        ("reading types", 1_000_000, None, 0.0),
        ("surveying rows", 500_000, 4_000_000, 1.0),
        ("encoding rows", 4_000_000, 4_000_000, 2.0),
        ("level 0, 1 open node", 1, None, 3.0),
        ("level 3, 8 open nodes", 9, None, 5.0),
    ]
    assert [lines.line(*step) for step in steps] == [
        "reading types: 1,000,000",
        "surveying rows: 12%",
        "encoding rows: 100%",
        "level 0, 1 open node, 1 pass",
        "level 3, 8 open nodes, 9 passes, 16,000,000 rows/s",
    ]
