"""The command line that answers rows: `plaintree predict`, piece by piece."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data import chunks as batches
from plaintree.data.schema import Feature, Schema
from plaintree.data.typed_rows import typed_rows
from plaintree.errors import ColumnError
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, MODEL, X, Y, plaintree, program


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in pieces of a few rows."""
    monkeypatch.setattr(batches, "BLOCK", 64)
    monkeypatch.setattr(batches, "ROWS", 3)


def frame_of(text: str) -> pl.DataFrame:
    return pl.read_csv(text.encode())


# -------------------------------------------------------------------- answers


@pytest.mark.usefixtures("small_pieces")
def test_columns_come_back_with_the_prediction_behind_them(saved: str) -> None:
    outcome = plaintree("predict", saved, GOLF)
    assert (outcome.code, outcome.err) == (0, "")
    lines, given_lines = outcome.out.splitlines(), Path(GOLF).read_text().splitlines()
    assert [line.rpartition(",")[0] for line in lines] == given_lines
    assert [line.rpartition(",")[2] for line in lines] == ["prediction", *MODEL.predict(X)]


@pytest.mark.usefixtures("small_pieces")
def test_shares_and_paths(saved: str) -> None:
    answers = frame_of(plaintree("predict", saved, GOLF, "--proba", "--path").out)
    assert answers.columns[-4:] == ["prediction", "proba_no", "proba_yes", "path"]
    shares = answers.select("proba_no", "proba_yes").to_numpy()
    assert np.array_equal(shares, MODEL.predict_proba(X))
    assert answers["path"][0] == "outlook = sunny, humidity > 75"


@pytest.mark.usefixtures("small_pieces")
def test_formats_say_the_same(saved: str, tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv", "a.parquet", "a.jsonl"):
        outcome = plaintree("predict", saved, GOLF, "--proba", "-o", str(tmp_path / name))
        assert (outcome.code, outcome.out) == (0, "")
    parquet = pl.read_parquet(tmp_path / "a.parquet")
    assert parquet.schema["humidity"] == pl.Float64
    assert parquet["prediction"].to_list() == MODEL.predict(X).tolist()
    assert pl.read_csv(tmp_path / "a.csv").equals(pl.read_csv(tmp_path / "a.tsv", separator="\t"))
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert pl.DataFrame(lines).equals(parquet)
    again = plaintree("predict", saved, str(tmp_path / "a.parquet"), "--json").out.splitlines()
    assert [json.loads(line)["prediction_"] for line in again] == MODEL.predict(X).tolist()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(
        [".csv", ".json", ".jsonl", ".parquet", ".tsv"]
    )


@pytest.mark.slow
def test_rows_can_come_from_a_pipe_and_go_into_one(saved: str) -> None:
    done = program("predict", saved, "-", input=Path(GOLF).read_text())
    assert done.returncode == 0
    assert frame_of(done.stdout)["prediction"].to_list() == MODEL.predict(X).tolist()


def test_other_formats_are_read_whole(saved: str, file: Any) -> None:
    arff = file(
        "golf.arff",
        "@relation golf\n@attribute outlook {sunny,rain,overcast}\n@attribute temperature real\n"
        "@attribute humidity real\n@attribute windy {true,false}\n@data\nsunny,85,85,false\n",
    )
    answers = frame_of(plaintree("predict", saved, str(arff)).out)
    assert answers["prediction"].to_list() == ["no"]


@pytest.mark.parametrize("learner", ["forest", "rules", "tree", "list"])
def test_every_kind_of_model_answers(learner: str, tmp_path: Path) -> None:
    rules = pt.C45RulesClassifier().fit(X, Y)
    model: Any = {
        "forest": pt.RandomForestClassifier(5, random_state=0).fit(X, Y),
        "rules": rules,
        "tree": MODEL.tree_,
        "list": rules.rules_,
    }[learner]
    save(model, tmp_path / "model")
    answers = frame_of(plaintree("predict", str(tmp_path / "model"), GOLF, "--proba").out)
    asked = MODEL if learner == "tree" else model
    assert answers["prediction"].to_list() == asked.predict(X).tolist()
    assert np.array_equal(answers["proba_yes"].to_numpy(), asked.predict_proba(X)[:, 1])


def test_paths_of_rules_and_of_many_trees(tmp_path: Path) -> None:
    save(pt.C45RulesClassifier().fit(X, Y), tmp_path / "rules")
    answers = frame_of(plaintree("predict", str(tmp_path / "rules"), GOLF, "--path").out)
    assert answers["path"][0] == "rule 1: outlook = sunny AND humidity > 75"
    assert "default" in answers["path"].to_list()
    save(pt.RandomForestClassifier(5, random_state=0).fit(X, Y), tmp_path / "forest")
    outcome = plaintree("predict", str(tmp_path / "forest"), GOLF, "--path")
    assert outcome.code == 3
    assert "an ensemble has no single decision path" in outcome.err


# -------------------------------------------------------------------- reading


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=12),
            st.text('ab",;\n ', max_size=12),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(11, 60),  # the header takes 11
)
def test_pieces_add_up_to_the_table(table: list[tuple[str, str]], block: int) -> None:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("a", "b"), *table])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BLOCK", block)
        patch.setattr(
            "sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + text.getvalue().encode()))
        )
        pieces = list(batches.read_pieces("-"))
    read = [row for piece in pieces for row in piece.rows.rows()]
    assert read == [(a or None, b or None) for a, b in table]


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" * 100, "the header does not end"),
        (
            "outlook,temperature,humidity,windy\n" + "rain,1,2,true\n" * 9 + "rain,1\n",
            "2 fields in line 11",
        ),
        (
            "outlook,temperature,humidity,windy\n" + "rain,1,2,true\n" * 9 + "rain,1,x,true\n",
            "'x' in row 10",
        ),
        ("outlook,temperature,humidity,windy\n", "the table has no rows"),
        ("outlook,temperature,humidity\nrain,1,2\n", "lacks columns that the model uses"),
        ("a,a\n1,2\n", "the same name more than once"),
        ("", "is empty"),
        ("a,b\n\0", "binary data"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_place(
    saved: str, file: Any, tmp_path: Path, text: str, words: str
) -> None:
    out = tmp_path / "answers.csv"
    out.write_text("old")
    outcome = plaintree("predict", saved, str(file("t.csv", text)), "-o", str(out))
    assert outcome.code == 3
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert out.read_text() == "old"  # nothing is written by halves


@pytest.mark.usefixtures("small_pieces")
def test_wrong_row_of_a_later_piece_of_parquet_is_told(tmp_path: Path) -> None:
    strict = pt.DecisionTreeClassifier(missing="error").fit(X, Y)
    save(strict, tmp_path / "strict.json")
    path, out = tmp_path / "t.parquet", tmp_path / "answers.parquet"
    gap = pl.when(pl.int_range(pl.len()) == 10).then(None).otherwise(pl.col("humidity"))
    X.with_columns(gap.alias("humidity")).write_parquet(path)
    outcome = plaintree("predict", str(tmp_path / "strict.json"), str(path), "-o", str(out))
    assert outcome.code == 3
    assert "the first in row 11." in outcome.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("none.json", GOLF), 3, "there is no file none.json"),
        (("{}n", GOLF), 3, "Hint: did you mean 'golf.json'?"),
        (("-", "-"), 2, "standard input can be read only once"),
        (("/", GOLF), 3, "/ is a directory"),
        ((GOLF, GOLF), 3, "the file is not a model file"),
        (("{}", "none.csv"), 3, "there is no file none.csv"),
        (("{}", GOLF, "-o", "answers.xls"), 2, "the format to write is unknown"),
        (("{}", GOLF, "-o", "/no/folder/a.csv"), 3, "there is no directory /no/folder"),
        (("{}", GOLF, "-o", "/no/folder/a.parquet"), 3, "there is no directory /no/folder"),
    ],
)
def test_wrong_use_is_told(saved: str, arguments: tuple[str, ...], code: int, words: str) -> None:
    outcome = plaintree("predict", *(a.replace("{}", saved) for a in arguments))
    assert outcome.code == code
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_a_quote_that_nobody_closes_does_not_take_in_the_rest_of_the_table(
    saved: str, file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BLOCK", 64)
    monkeypatch.setattr(batches, "LONGEST_RECORD", 512)
    header, first, *others = Path(GOLF).read_text().splitlines()
    lines = [header, first, others[0].replace("sunny", '"sunny'), *(others[1:] * 10)]
    outcome = plaintree("predict", saved, str(file("open.csv", "\n".join(lines))))
    assert outcome.code == 3
    assert "a row of the table does not end. Got '\"sunny" in outcome.err
    assert "is a quote not closed?" in outcome.err


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_told_and_leaves_the_old_answers(
    saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-c", "from plaintree.app.cli import main; main()"]
        done = subprocess.run(
            [*command, "predict", saved, GOLF], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    said = b"error: the predictions could not be written. Got No space left on device.\n"
    assert done.stderr == said
    monkeypatch.setattr(batches, "token_hex", lambda _: "full")
    for name in ("a.csv", "a.parquet"):
        (tmp_path / name).write_text("old")
        (tmp_path / ".plaintree-full.tmp").symlink_to("/dev/full")
        outcome = plaintree("predict", saved, GOLF, "-o", str(tmp_path / name))
        assert (outcome.code, (tmp_path / name).read_text()) == (3, "old")
        assert "the predictions could not be written. Got" in outcome.err
        assert not (tmp_path / ".plaintree-full.tmp").is_symlink()


def test_a_link_stays_a_link(saved: str, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "answers.csv")
    assert plaintree("predict", saved, GOLF, "-o", str(tmp_path / "link.csv")).code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert frame_of((tmp_path / "answers.csv").read_text()).height == len(Y)
    os.mkfifo(tmp_path / "pipe.csv")
    outcome = plaintree("predict", saved, GOLF, "-o", str(tmp_path / "pipe.csv"))
    assert "pipe.csv, which is not a regular file" in outcome.err


# -------------------------------------------------------------------- texts and what they mean


def schema(*attributes: Feature) -> Schema:
    return Schema(attributes, ("no", "yes"))


def test_texts_are_read_as_the_schema_says() -> None:
    learnt = schema(
        Feature("n", "numeric", "integer"),
        Feature("d", "numeric", "date"),
        Feature("m", "numeric", "datetime"),
        Feature("t", "numeric", "time"),
        Feature("b", "categorical", "boolean", (False, True)),
        Feature("c", "categorical", "integer", (1, 2)),
        Feature("s", "categorical", "text", ("1", "x")),
    )
    row = {"s": "1", "c": "01", "b": "TRUE", "t": "12:30:00", "m": "2024-01-02 03:04:05"}
    read = typed_rows(pl.DataFrame({**row, "d": "2024-01-02", "n": "3", "other": "?"}), learnt)
    assert read.columns == ["n", "d", "m", "t", "b", "c", "s"]
    n, d, m, t, b, c, s = read.row(0)
    assert (n, str(d), str(m), str(t)) == (3.0, "2024-01-02", "2024-01-02 03:04:05", "12:30:00")
    assert (b, c, s) == ("True", 1.0, "1")


def test_columns_that_are_no_texts_stay_as_they_are() -> None:
    frame = pl.DataFrame({"n": [1, None]})
    assert typed_rows(frame, schema(Feature("n", "numeric"))).equals(frame)


@pytest.mark.parametrize(
    ("unit", "kind"), [("number", "number"), ("date", "date"), ("time", "time")]
)
def test_text_that_is_none_is_told(unit: Any, kind: str) -> None:
    frame = pl.DataFrame({"x": [None, "soon"]})
    with pytest.raises(ColumnError, match=f"not a {kind}. Got 'soon' in row 9"):
        typed_rows(frame, schema(Feature("x", "numeric", unit)), first_row=7)


@pytest.mark.filterwarnings("default:X has feature names")
def test_a_warning_of_the_model_is_a_line(tmp_path: Path) -> None:
    model, rows = tmp_path / "array.json", tmp_path / "rows.csv"
    save(pt.CARTClassifier().fit(np.array([[1.0, 2.0], [3.0, 0.0]]), ["a", "b"]), model)
    rows.write_text("p,q\n1,2\n3,0\n")
    outcome = plaintree("predict", str(model), str(rows))
    assert outcome.code == 0
    assert outcome.out.split() == ["p,q,prediction", "1,2,a", "3,0,b"]
    told = "X has feature names, but CARTClassifier was fitted without feature names."
    assert outcome.err == f"warning: {told}\n"
