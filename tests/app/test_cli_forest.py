"""The command line that grows forests: `plaintree forest`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.app.cli.options import FOREST_OPTIONS
from tests.support.command_line import GOLF, Outcome, plaintree, rows


@pytest.fixture
def noisy(file: Any) -> str:
    """The path of a table with three classes, text, gaps, noise, and a column that says nothing."""
    random = np.random.default_rng(0)
    n = 150
    x = random.integers(0, 100, n)
    colour = random.choice(["red", "green", ""], n)
    other = random.integers(0, 100, n)
    noise = random.random(n) < 0.15
    y = np.where(noise, "c", np.where((x > 50) | (colour == "red"), "a", "b"))
    columns = [part.tolist() for part in (x, colour, other, y)]
    return str(file("noisy.csv", rows("x,colour,other,y", *columns)))


def grown(path: str, *options: str) -> Outcome:
    return plaintree("forest", path, "--target", "y", "--n-estimators", "60", *options)


def test_a_forest_is_shown_with_its_error_and_what_it_depends_on(noisy: str) -> None:
    outcome = grown(noisy)
    assert outcome.code == 0
    assert "noisy.csv: 150 rows, 3 features (2 numeric, 1 categorical)" in outcome.out
    assert "\nRandom forest (60 trees, max_features 1 of 3, soft voting)\n" in outcome.out
    assert "\nOOB error: " in outcome.out
    assert "\nOOB error by number of trees: 1: " in outcome.out
    lines = outcome.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    assert [line.split()[0] for line in lines[start + 2 : start + 5]] == ["x", "colour", "other"]
    assert all("±" in line for line in lines[start + 2 : start + 5])
    assert outcome.err == ""


def test_figures_are_those_of_the_estimator(noisy: str) -> None:
    X, y = pt.read_table(noisy, "y")
    model = pt.RandomForestClassifier(60, oob_score=True, random_state=3).fit(X, y)
    permuted = model.oob_permutation_importance(X, y)
    found = grown(noisy, "--random-state", "3", "--json").json
    assert found["out_of_bag"]["error_curve"] == model.oob_error_curve_.tolist()
    assert found["out_of_bag"]["error"] == model.oob_error_curve_[-1]
    assert found["out_of_bag"]["rows"] == 150
    assert found["out_of_bag"]["errors"] == round(150 * model.oob_error_curve_[-1])
    assert found["max_features"] == 1
    assert found["tuning"] is None
    assert found["trees"] == {
        "number": 60,
        "nodes": model.trees_.n_nodes,
        "bytes": model.trees_.nbytes,
    }
    by_name = {part["feature"]: part for part in found["importances"]}
    for i, name in enumerate(("x", "colour", "other")):
        assert by_name[name]["impurity"] == model.feature_importances_[i]
        assert by_name[name]["permutation"] == permuted.importances_mean[i]
        assert by_name[name]["standard_error"] == permuted.importances_error[i]
    means = [part["permutation"] for part in found["importances"]]
    assert means == sorted(means, reverse=True)
    assert found["parameters"]["n_estimators"] == 60
    assert f"({100 * model.oob_error_curve_[-1]:.1f}%)" in grown(noisy, "--random-state", "3").out


def test_the_number_of_columns_can_be_tuned(noisy: str) -> None:
    X, y = pt.read_table(noisy, "y")
    tuning = pt.tune_max_features(pt.RandomForestClassifier(60, random_state=0), X, y)
    found = grown(noisy, "--tune", "oob", "--json").json
    assert found["tuning"] == {
        "max_features": tuning.max_features.tolist(),
        "oob_error": tuning.error.tolist(),
        "best": tuning.best,
    }
    assert found["max_features"] == tuning.best
    text = grown(noisy, "--tune", "oob").out
    chosen = next(line for line in text.splitlines() if line.rstrip().endswith("chosen"))
    assert chosen.split()[0] == str(tuning.best)


@pytest.mark.parametrize(
    ("given", "expected"), [("all", 3), ("2", 2), ("0.5", 1), ("log2", 1), ("1.0", 3), ("sqrt", 1)]
)
def test_the_number_of_columns_can_be_told(noisy: str, given: str, expected: int) -> None:
    assert grown(noisy, "--max-features", given, "--json").json["max_features"] == expected


def test_trees_have_the_options_of_trees(noisy: str) -> None:
    options = ("--criterion", "gain_ratio", "--max-depth", "2", "--missing", "branch")
    found = grown(noisy, *options, "--no-zero-gain", "--voting", "soft", "--json").json
    told = {"criterion": "gain_ratio", "max_depth": 2, "missing": "branch", "zero_gain": False}
    assert found["parameters"].items() >= (told | {"voting": "soft"}).items()
    assert found["trees"]["nodes"] <= 60 * (1 + 3 + 9)


def test_the_options_are_parameters_of_the_learner() -> None:
    parameters = pt.RandomForestClassifier().get_params()
    assert {option.parameter for option in FOREST_OPTIONS} <= parameters.keys()
    assert len({option.flag for option in FOREST_OPTIONS}) == len(FOREST_OPTIONS)


def test_the_seed_decides_everything(noisy: str) -> None:
    assert grown(noisy, "--tune", "oob").out == grown(noisy, "--tune", "oob").out
    assert grown(noisy).out != grown(noisy, "--random-state", "1").out


def test_columns_can_be_left_out_or_read_as_categories(noisy: str) -> None:
    found = grown(noisy, "--drop", "other", "--categorical-feature", "x", "--json").json
    assert sorted(part["feature"] for part in found["importances"]) == ["colour", "x"]
    assert found["parameters"]["categorical_features"] == ["x"]


def test_many_columns_are_cut_short(file: Any) -> None:
    header = ",".join([*(f"c{i}" for i in range(30)), "y"])
    values = np.random.default_rng(0).integers(0, 9, (30, 40)).tolist()
    table = rows(header, *values, list("ab") * 20)
    outcome = plaintree(
        "forest", str(file("t.csv", table)), "--target", "y", "--n-estimators", "40"
    )
    assert "... and 10 more features. Print all with --json." in outcome.out


def test_few_trees_are_told_and_one_has_no_standard_error(noisy: str) -> None:
    outcome = plaintree("forest", noisy, "--target", "y", "--n-estimators", "1")
    assert outcome.code == 0
    assert "rows were in the sample of every tree" in " ".join(outcome.err.split())
    assert ", 150 rows in total\n" in outcome.out
    assert "±" not in outcome.out
    found = plaintree("forest", noisy, "--target", "y", "--n-estimators", "1", "--json").json
    assert {part["standard_error"] for part in found["importances"]} == {None}


def test_a_row_that_is_never_left_out_says_nothing(file: Any) -> None:
    path = str(file("t.csv", "x,y\n1,a\n"))
    outcome = plaintree("forest", path, "--target", "y", "--n-estimators", "3")
    assert outcome.code == 0
    assert "OOB error: unknown (every row is in the sample of every tree)" in outcome.out
    found = plaintree("forest", path, "--target", "y", "--n-estimators", "3", "--json").json
    assert found["out_of_bag"] == {
        "measured_on": "out-of-bag rows",
        "rows": 0,
        "errors": 0,
        "accuracy": None,
        "balanced_accuracy": None,
        "baseline_accuracy": None,
        "majority_class": None,
        "error": None,
        "error_curve": [None, None, None],
        "classes": [],
        "confusion": [],
    }


def test_confusion_and_accuracy_of_noise_are_those_out_of_bag(file: Any) -> None:
    random = np.random.default_rng(0)
    columns = random.random((4, 300)).round(4).tolist()
    table = rows("a,b,c,d,y", *columns, random.choice(["n", "y"], 300, p=[0.6, 0.4]).tolist())
    path = str(file("noise.csv", table))
    found = grown(path, "--json").json["out_of_bag"]
    confusion = np.array(found["confusion"])
    assert found["accuracy"] == pytest.approx(np.trace(confusion) / 300)
    assert found["accuracy"] < 0.7
    recalls = np.diag(confusion) / confusion.sum(axis=1)
    assert found["balanced_accuracy"] == pytest.approx(recalls.mean())
    assert found["baseline_accuracy"] == confusion.sum(axis=1).max() / 300
    text = grown(path).out
    assert f"OOB accuracy: {found['accuracy']:.1%}" in text
    assert f"OOB balanced accuracy: {found['balanced_accuracy']:.1%}" in text
    assert f"Baseline accuracy (always n): {found['baseline_accuracy']:.1%}" in text
    assert "Confusion matrix, out-of-bag rows (rows: actual, columns: predicted)" in text


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--n-estimators", "0"), 2, "--n-estimators"),
        (("--n-estimators", "1000000000"), 3, "would not fit into memory"),
        (("--tune", "cv"), 2, "Got --tune cv."),
        (("--tune", "oob", "--max-features", "2"), 2, "either given or tuned"),
        (("--max-features", "some"), 2, "--max-features must be sqrt, log2, all or a number."),
        (("--max-features", "4"), 2, "Got --max-features 4."),
        (("--max-features", "1.5"), 2, "Got --max-features 1.5."),
        (("--voting", "loud"), 2, "'hard', 'soft'"),
        (("--criterion", "ginny"), 2, "'gini'"),
        (("--missing", "error"), 3, "column 'colour' has missing values"),
        (("--target", "z"), 2, "Got --target z."),
        (("--drop", "colr"), 2, "did you mean 'colour'?"),
        (("--random-state", "-1"), 2, "--random-state"),
    ],
    ids=str,
)
def test_wrong_use_is_told_in_a_line(
    noisy: str, options: tuple[str, ...], code: int, words: str
) -> None:
    outcome = grown(noisy, *options)
    assert outcome.code == code
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_options_are_checked_before_the_file_is_read() -> None:
    outcome = grown("no_such_file.csv", "--voting", "loud")
    assert "'soft'" in outcome.err


@pytest.mark.parametrize(
    ("table", "words"),
    [("x,y\n1,a\n2,\n", "missing labels"), ("x,y\n1,0.5\n2,inf\n3,0.5\n", "Got inf in row 2")],
)
def test_tables_that_cannot_be_used_are_bad_data(file: Any, table: str, words: str) -> None:
    outcome = grown(str(file("t.csv", table)))
    assert outcome.code == 3
    assert words in outcome.err


def test_output_can_be_ascii() -> None:
    words = ("forest", GOLF, "--target", "play", "--n-estimators", "20")
    assert "±" in plaintree(*words).out
    outcome = plaintree(*words, charset="ascii")
    assert outcome.code == 0
    assert "+-" in outcome.out
