"""The command line that compares learners: `plaintree eval`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.app.cli.options import COMPARED, LEARNERS
from plaintree.evaluation.cross_validation import cross_validate
from tests.support.command_line import GOLF, Outcome, plaintree, rows

SINGLE = "id3,c45,cart,c45rules"


@pytest.fixture
def noisy(file: Any) -> str:
    """The path of a table with three classes, text, gaps and noise."""
    random = np.random.default_rng(0)
    n = 120
    x = random.integers(0, 100, n)
    colour = random.choice(["red", "green", ""], n)
    noise = random.random(n) < 0.15
    y = np.where(noise, "c", np.where((x > 50) | (colour == "red"), "a", "b"))
    return str(file("noisy.csv", rows("x,colour,y", x.tolist(), colour.tolist(), y.tolist())))


def compared(path: str, *options: str) -> Outcome:
    return plaintree("compare", path, "--target", "y", *options)


def test_every_learner_that_can_be_grown_can_be_compared() -> None:
    assert set(LEARNERS) <= set(COMPARED)


@pytest.mark.parametrize("name", COMPARED)
def test_every_learner_has_a_row(noisy: str, name: str) -> None:
    outcome = compared(noisy, "--learners", name, "--cv", "2")
    assert outcome.code == 0
    row = next(line for line in outcome.out.splitlines() if line.startswith(name))
    assert row.split()[-1] in ("splits", "rules", "trees")
    assert row.count("±") >= 2


def test_figures_are_those_of_cross_validation_in_python(noisy: str) -> None:
    X, y = pt.read_table(noisy, "y")
    models: list[Any] = []
    expected = cross_validate(pt.CARTClassifier(), X, y, n_folds=5, seed=3, on_fold=models.append)
    found = compared(noisy, "--learners", "cart", "--cv", "5", "--random-state", "3", "--json").json
    (cart,) = found["learners"]
    assert cart["class"] == "CARTClassifier"
    assert cart["parameters"]["criterion"] == "gini"
    validation = cart["cross_validation"]
    assert validation["accuracies"] == list(expected.accuracies)
    assert validation["mean"] == expected.mean
    assert validation["standard_deviation"] == expected.deviation
    assert validation["balanced_accuracies"] == list(expected.balanced)
    assert validation["balanced_mean"] == pytest.approx(np.mean(expected.balanced))
    assert validation["balanced_standard_deviation"] == pytest.approx(np.std(expected.balanced))
    assert validation["confusion"] == expected.confusion.tolist()
    assert cart["size"]["mean"] == np.mean([model.tree_.size for model in models])
    text = compared(noisy, "--learners", "cart", "--cv", "5", "--random-state", "3").out
    assert f"{100 * expected.mean:.1f}% ± " in text
    assert f"± {100 * expected.deviation:4.1f}%" in text


def test_learners_stand_in_the_order_asked_for_each_once(noisy: str) -> None:
    found = compared(noisy, "--learners", "CART, c4.5,id3,C4.5rules,cart", "--json").json
    assert [part["learner"] for part in found["learners"]] == ["cart", "c45", "id3", "c45rules"]
    means = {part["learner"]: part["cross_validation"]["mean"] for part in found["learners"]}
    assert means[found["best"]] == max(means.values())
    alone = compared(noisy, "--learners", "id3", "--json").json["learners"][0]
    assert alone == found["learners"][2]  # the same folds in any company


def test_sizes_are_of_what_there_is_to_read(noisy: str) -> None:
    found = compared(noisy, "--learners", SINGLE, "--json").json
    units = {part["learner"]: part["size"]["unit"] for part in found["learners"]}
    assert units == {"id3": "splits", "c45": "splits", "cart": "splits", "c45rules": "rules"}


def test_the_seed_decides_everything(noisy: str) -> None:
    options = ("--learners", "c45,boosted,bagged", "--cv", "3")
    assert compared(noisy, *options).out == compared(noisy, *options).out
    assert compared(noisy, *options).out != compared(noisy, *options, "--random-state", "1").out


def test_a_baseline_and_the_folds_are_told(noisy: str) -> None:
    golf = plaintree("compare", GOLF, "--target", "play", "--learners", "c45")
    assert "Baseline accuracy (always yes): 64.3%" in golf.out
    assert "The folds are not stratified: a class has fewer rows than there are folds." in golf.out
    assert "Folds: the same for all learners (random_state 0)" in golf.out
    assert "not stratified" not in compared(noisy, "--learners", "c45", "--cv", "3").out


def test_columns_can_be_left_out_or_read_as_categories(noisy: str) -> None:
    found = compared(
        noisy, "--learners", "id3", "--drop", "colour", "--categorical-feature", "x", "--json"
    ).json
    assert [column["name"] for column in found["table"]["columns"]] == ["x", "y"]
    assert found["learners"][0]["parameters"]["categorical_features"] == ["x"]


def test_what_may_go_wrong_with_the_table_is_told(file: Any) -> None:
    table = rows("name,x,y", [f"n{i}" for i in range(40)], list(range(20)) * 2, list("ab") * 20)
    outcome = compared(str(file("t.csv", table)), "--learners", "cart", "--cv", "2")
    assert "name: row identifier" in outcome.err
    assert "warning" not in outcome.out


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--learners", "c45,forrest"), 2, "Hint: did you mean 'forest'?"),
        (("--learners", "c45,svm"), 2, "Hint: use one of id3, c45, cart, c45rules, forest,"),
        (("--learners", " ,"), 2, "there are no learners to compare"),
        (("--cv", "1"), 2, "--cv"),
        (("--random-state", "-1"), 2, "--random-state"),
        (("--target", "z", "--learners", "c45"), 2, "Got --target z."),
        (("--drop", "colr", "--learners", "c45"), 2, "did you mean 'colour'?"),
    ],
    ids=str,
)
def test_wrong_use_is_told_in_a_line(
    noisy: str, options: tuple[str, ...], code: int, words: str
) -> None:
    outcome = compared(noisy, *options)
    assert outcome.code == code
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_learners_are_checked_before_the_file_is_read() -> None:
    outcome = compared("no_such_file.csv", "--learners", "c54")
    assert "did you mean 'c45'?" in outcome.err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("x,y\n1,a\n", "a single row cannot be divided into folds"),
        ("x,y\n1,a\n2,\n3,b\n", "missing labels"),
        ("x,y\n1,2021-01-01\n2,2021-01-02\n", "Unknown label type: date"),
    ],
)
def test_tables_that_cannot_be_used_are_bad_data(file: Any, table: str, words: str) -> None:
    outcome = compared(str(file("t.csv", table)), "--learners", "c45")
    assert outcome.code == 3
    assert words in outcome.err


def test_output_can_be_ascii() -> None:
    words = ("compare", GOLF, "--target", "play", "--learners", "cart")
    assert "±" in plaintree(*words).out
    outcome = plaintree(*words, charset="ascii")
    assert outcome.code == 0
    assert "+-" in outcome.out
