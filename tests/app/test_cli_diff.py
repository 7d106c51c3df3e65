"""The command line that compares models: `plaintree diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, plaintree

X, Y = pt.read_table(GOLF, "play")
MODEL = pt.C45Classifier().fit(X, Y)


@pytest.fixture
def model(tmp_path: Path) -> Any:
    """A function that saves a model and gives its path."""

    def write(name: str, kept: Any) -> str:
        save(kept, tmp_path / name)
        return str(tmp_path / name)

    return write


def test_equal_models_are_equal_and_exit_0(model: Any) -> None:
    a, b = model("a", MODEL), model("b", pt.C45Classifier().fit(X[::-1], Y[::-1]))
    outcome = plaintree("diff", a, b, GOLF)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[:2] == ["Trees: the same.", "Predictions: 0 of 14 rows differ."]


def test_difference_is_told_and_exits_1(model: Any) -> None:
    a, b = model("a", MODEL), model("b", MODEL.tree_.cut(3))
    without = plaintree("diff", a, b)
    assert without.code == 1
    assert without.out == f"Trees: {MODEL.tree_.difference(MODEL.tree_.cut(3))}.\n"
    outcome = plaintree("diff", a, b, GOLF, "--n-examples", "1")
    assert outcome.code == 1
    assert (
        outcome.out
        == pt.evaluation.diff(MODEL, MODEL.tree_.cut(3), X, n_examples=1).to_text() + "\n"
    )


def test_json_has_all_of_it(model: Any) -> None:
    a, b = model("a", MODEL), model("b", pt.RandomForestClassifier(3, random_state=0).fit(X, Y))
    outcome = plaintree("diff", a, b, GOLF, "--json")
    assert outcome.code == 1
    assert outcome.json["structure"] == "a tree against a forest"
    assert outcome.json["equal"] is False
    assert outcome.json["n_rows"] == 14


def test_text_counts_rows_from_1_and_json_gives_the_index(model: Any) -> None:
    a, b = model("a", MODEL), model("b", MODEL.tree_.cut(3))
    first = plaintree("diff", a, b, GOLF, "--json").json["rows"][0]
    assert "row" not in first
    assert f"\n  row {first['index'] + 1}: " in plaintree("diff", a, b, GOLF).out
    assert X.row(first["index"], named=True) == first["values"]


def test_thresholds_may_be_apart_if_told_so(model: Any) -> None:
    moved = X.with_columns(X["humidity"] + 0.001)
    a, b = model("a", MODEL), model("b", pt.C45Classifier().fit(moved, Y))
    assert plaintree("diff", a, b).code == 1
    assert plaintree("diff", a, b, "--tolerance", "0.001").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("{}", "none"), 3, "there is no file none"),
        (("{}", GOLF), 3, "the file is not a model file"),
        (("{}", "{}", "none.csv"), 3, "there is no file none.csv"),
        (("{}", "{}", GOLF, "--tolerance", "2"), 2, "tolerance"),
    ],
)
def test_wrong_use_is_told(model: Any, arguments: tuple[str, ...], code: int, words: str) -> None:
    path = model("a", MODEL)
    outcome = plaintree("diff", *(argument.replace("{}", path) for argument in arguments))
    assert outcome.code == code
    assert words in outcome.err
    assert "Traceback" not in outcome.err
