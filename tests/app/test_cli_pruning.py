"""The command line about pruning and rules: `grow --pruning`, `prune`, `rules`."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.cli.options import LEARNERS, PRUNING_METHODS
from plaintree.evaluation.quality import quality_of
from plaintree.pruning.methods import METHODS
from tests.support.command_line import GOLF, plaintree, rows

NEEDED = {"limits": ("--pruning-option", "max_depth=2")}
"""What a method cannot do without."""


def noisy_table(seed: int, n_rows: int = 120) -> str:
    """A class that follows x and colour, but for every sixth row, where a coin decides."""
    draw = random.Random(seed)
    x = [draw.randrange(100) for _ in range(n_rows)]
    z = [round(draw.random(), 3) for _ in range(n_rows)]
    colour = [draw.choice(["red", "green", "blue"]) for _ in range(n_rows)]
    clean = ["a" if xi > 50 or c == "red" else "b" for xi, c in zip(x, colour, strict=True)]
    y = [draw.choice("ab") if draw.random() < 1 / 6 else label for label in clean]
    return rows("x,z,colour,y", x, z, colour, y)


@pytest.fixture
def noisy(file: Any) -> str:
    """The path of a noisy table."""
    return str(file("noisy.csv", noisy_table(1)))


@pytest.fixture
def other(file: Any) -> str:
    """The path of another table of the same kind."""
    return str(file("other.csv", noisy_table(2)))


def test_the_methods_offered_are_all_that_need_no_nodes_named() -> None:
    assert set(PRUNING_METHODS) == set(METHODS) - {"cut"}


# -------------------------------------------------------------------- grow --pruning


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("method", PRUNING_METHODS)
def test_grow_prunes_by_every_method_with_every_learner(
    noisy: str, learner: str, method: str
) -> None:
    arguments = ("grow", noisy, "--target", "y", "--learner", learner, "--cv", "0", "--json")
    full = plaintree(*arguments, "--pruning", "none").json
    pruned = plaintree(*arguments, "--pruning", method, *NEEDED.get(method, ())).json
    assert full["parameters"]["pruning"] is None
    assert pruned["parameters"]["pruning"] == method
    assert pruned["tree"]["splits"] <= full["tree"]["splits"]


def test_grow_prunes_as_the_learner_in_python_does(noisy: str) -> None:
    X, y = pt.read_table(noisy, "y")
    model = pt.CARTClassifier(pruning="limits", pruning_options={"min_samples_split": 20}).fit(X, y)
    options = ("--pruning", "limits", "--pruning-option", "min_samples_split=20")
    outcome = plaintree("grow", noisy, "--target", "y", "--learner", "cart", *options)
    assert pt.export_text(model, width=100) in outcome.out


def test_grow_without_prune_leaves_the_learner_its_own_way(noisy: str) -> None:
    for learner, own in (("c45", "error_based"), ("id3", None), ("cart", None)):
        arguments = ("grow", noisy, "--target", "y", "--learner", learner, "--cv", "0", "--json")
        assert plaintree(*arguments).json["parameters"]["pruning"] == own


@pytest.mark.parametrize("learner", LEARNERS)
def test_less_confidence_prunes_more_however_it_is_given(noisy: str, learner: str) -> None:
    arguments = ("grow", noisy, "--target", "y", "--learner", learner, "--cv", "0", "--json")

    def size(*options: str) -> int:
        study = plaintree(*arguments, "--pruning", "error_based", *options).json
        return int(study["tree"]["splits"])

    assert size("--confidence", "0.001") < size("--confidence", "1")
    assert size("--pruning-option", "confidence=0.001") == size("--confidence", "0.001")


@pytest.mark.parametrize("method", ["reduced_error", "cost_complexity"])
def test_what_is_left_to_chance_depends_on_the_seed_only(noisy: str, method: str) -> None:
    arguments = (
        "grow",
        noisy,
        "--target",
        "y",
        "--pruning",
        method,
        "--cv",
        "0",
        "--learner",
        "id3",
    )
    assert plaintree(*arguments).out == plaintree(*arguments).out
    if method == "reduced_error":  # which holds out other rows
        assert (
            len({plaintree(*arguments, "--random-state", str(seed)).out for seed in range(5)}) > 1
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--pruning", "mdk"), "Got --pruning mdk. Hint: did you mean 'mdl'?"),
        (("--pruning", "cut"), "Hint: use one of limits, reduced_error, error_based, "),
        (
            ("--pruning", "mdl", "--pruning-option", "codin=sliq"),
            "did you mean 'coding'? It has cod",
        ),
        (
            ("--pruning", "mdl", "--pruning-option", "x=1"),
            "Hint: it has coding, merge_leaves, ties.",
        ),
        (("--pruning", "mdl", "--pruning-option", "coding"), "Got --pruning-option coding."),
        (
            ("--pruning", "mdl", "--pruning-option", "coding=zip"),
            "use one of 'quinlan_rivest', 'sliq'",
        ),
        (("--pruning", "mdl", "--pruning-option", "merge_leaves=yes"), "either true or false"),
        (
            ("--pruning", "mdl", "--pruning-option", "ties=often"),
            "Hint: use one of 'first', 'random'.",
        ),
        (("--pruning", "mdl", "--confidence", "0.1"), "the method mdl has no option confidence."),
        (
            ("--pruning", "limits"),
            "Hint: add --pruning-option max_depth=3, for example; it has max_depth, ",
        ),
        (
            ("--pruning", "limits", "--pruning-option", "max_depth=deep"),
            "Got --pruning-option max_depth=deep.",
        ),
        (
            ("--pruning", "cost_complexity", "--pruning-option", "alpha=-1"),
            "alpha is out of range.",
        ),
        (
            ("--pruning", "cost_complexity", "--pruning-option", "links=[1]"),
            "Got --pruning-option links=[1].",
        ),
        (
            ("--pruning", "cost_complexity", "--pruning-option", "learner=x"),
            "has no option learner",
        ),
        (
            ("--pruning", "reduced_error", "--pruning-option", "validation_fraction=a"),
            "out of range",
        ),
        (("--pruning", "reduced_error", "--pruning-option", "validation_fraction=1"), "held out"),
        (
            ("--pruning", "none", "--confidence", "0.1"),
            "Hint: choose a method with --pruning: limits,",
        ),
        (("--learner", "cart", "--confidence", "0.1"), "the learner does not prune"),
        (("--confidence", "2"), "confidence is out of range."),
        (("--learner", "id3", "--pruning", "error_based", "--confidence", "2"), "out of range."),
    ],
)
def test_wrong_pruning_is_told_with_exit_code_2(options: tuple[str, ...], words: str) -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--cv", "0", *options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert words in outcome.err


# -------------------------------------------------------------------- prune


def test_prune_shows_the_path_the_pruned_tree_and_both_sizes(noisy: str, other: str) -> None:
    outcome = plaintree("prune", noisy, "--target", "y", "--learner", "cart", "--validation", other)
    X, y = pt.read_table(noisy, "y")
    model = pt.CARTClassifier().fit(X, y)
    path = pt.pruning.pruning_path(model, X, y, random_state=0)
    pruned = path.tree(path.best_alpha("one_se"))
    assert outcome.code == 0
    assert outcome.err == ""
    assert pt.export_text(pruned, width=100, show_conventions=True) in outcome.out
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert "alpha leaves training error CV error (10 folds) choice" in lines
    assert any(line.startswith(f"0 {path.n_leaves[0]} 0.0%") for line in lines)
    assert sum(line.endswith(("minimum", "1 SE")) and line[0].isdigit() for line in lines) in (1, 2)
    assert f"leaves {model.tree_.n_leaves} {pruned.n_leaves}" in lines
    (training,) = (line for line in lines if line.startswith("training error "))
    assert training.startswith("training error 0 of 120 (0.0%) ")
    assert any(line.startswith("validation error ") for line in lines)
    for rows_name, table in (("training rows", noisy), ("validation rows", other)):
        X, y = pt.read_table(table, "y")
        found = []
        for tree in (model.tree_, pruned):
            fitted = pt.CARTClassifier().fit(*pt.read_table(noisy, "y"))
            fitted.tree_ = tree
            found.append(quality_of(y.to_list(), fitted.predict(X).tolist(), rows_name))
        name = rows_name.removesuffix(" rows")
        accuracies = " ".join(f"{100 * q.accuracy:.1f}%" for q in found)
        balanced = " ".join(f"{100 * q.balanced_accuracy:.1f}%" for q in found)
        baseline = f"(always {found[0].majority_class}): {100 * found[0].baseline:.1f}%"
        assert f"{name} accuracy {accuracies}" in lines
        assert f"{name} balanced accuracy {balanced}" in lines
        assert f"Baseline accuracy on {rows_name} {baseline}" in lines


def test_prune_json_holds_the_whole_path_and_both_trees(noisy: str, other: str) -> None:
    arguments = ("prune", noisy, "--target", "y", "--learner", "cart", "--json")
    study = plaintree(*arguments, "--validation", other).json
    X, y = pt.read_table(noisy, "y")
    X_other, y_other = pt.read_table(other, "y")
    model = pt.CARTClassifier().fit(X, y)
    path = pt.pruning.pruning_path(model, X, y, random_state=0)
    assert [tree["alpha"] for tree in study["path"]["trees"]] == path.alphas.tolist()
    assert path.cv_errors is not None
    assert [tree["cv_error"] for tree in study["path"]["trees"]] == path.cv_errors.tolist()
    choices = {choice: path.best_alpha(choice) for choice in ("min", "one_se")}
    assert study["path"]["choices"] == choices
    pruned = path.tree(choices["one_se"])
    assert (study["method"], study["options"]["choice"]) == ("cost_complexity", "one_se")
    assert study["grown"]["splits"] == model.tree_.size
    assert len(study["pruned"]["nodes"]) == pruned.n_nodes
    model.tree_ = pruned
    n_wrong = sum(a != b for a, b in zip(model.predict(X_other), y_other, strict=True))
    assert study["validation"]["errors_after"] == n_wrong
    assert study["validation"]["accuracy_after"] == pytest.approx(1 - n_wrong / len(y_other))
    assert study["validation"]["measured_on"] == "validation rows"
    assert study["training"]["errors_before"] == 0
    assert study["training"]["balanced_accuracy_before"] == 1
    assert study["training"]["baseline_accuracy"] == pytest.approx(
        max(y.to_list().count(label) for label in set(y)) / len(y)
    )
    assert study["conventions"] == pt.tree.Conventions.named("cart84").to_json()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("method", PRUNING_METHODS)
def test_prune_does_every_method_for_every_learner(
    noisy: str, other: str, learner: str, method: str
) -> None:
    arguments = ("prune", noisy, "--target", "y", "--learner", learner, "--method", method)
    options = ("--cv", "3", "--validation", other, *NEEDED.get(method, ()))
    study = plaintree(*arguments, *options, "--json").json
    assert study["pruned"]["splits"] <= study["grown"]["splits"]
    assert study["parameters"]["pruning"] is None
    if method == "reduced_error":
        validation = study["validation"]
        assert validation["errors_after"] <= validation["errors_before"]
        assert "chose the pruned tree" in plaintree(*arguments, *options).out
    if method == "mdl":
        assert study["bits"]["after"] <= study["bits"]["before"]


def test_prune_with_a_given_alpha_needs_no_folds(noisy: str) -> None:
    arguments = ("prune", noisy, "--target", "y", "--cv", "0", "--pruning-option", "alpha=0.05")
    outcome = plaintree(*arguments)
    assert outcome.code == 0
    assert "cost_complexity, alpha=0.05" in outcome.out
    assert "fold" not in outcome.out
    assert plaintree(*arguments, "--json").json["path"]["choices"] == {}


@pytest.mark.parametrize("target", ["y", "x"])
def test_prune_by_cp_is_relative_to_the_risk_of_the_root(noisy: str, target: str) -> None:
    arguments = ("prune", noisy, "--target", target, "--learner", "cart", "--cp", "0.05")
    arguments += ("--cv", "0", "--task", "regression" if target == "x" else "classification")
    study = plaintree(*arguments, "--json").json
    trees = study["path"]["trees"]
    expected = next(tree for tree in reversed(trees) if tree["cp"] <= 0.05)
    assert 0 < study["pruned"]["splits"] == expected["size"] < study["grown"]["splits"]
    assert "cost_complexity, cp=0.05" in plaintree(*arguments).out


def test_prune_by_impurity_shows_impurities(noisy: str) -> None:
    options = ("--pruning-option", "risk=impurity", "--pruning-option", "choice=min")
    assert "impurity" in plaintree("prune", noisy, "--target", "y", *options).out


def test_a_long_path_is_shown_in_part_with_its_choices(file: Any) -> None:
    table = str(file("large.csv", noisy_table(3, 1500)))
    options = ("--learner", "cart", "--pruning-option", "risk=impurity", "--cv", "2")
    outcome = plaintree("prune", table, "--target", "y", *options)
    assert "trees shown. Print all with --json." in outcome.out
    listed = outcome.out[: outcome.out.index("trees shown")]
    assert listed.count("minimum") == listed.count("1 SE") == 1


def test_prune_leaves_dropped_columns_out_of_both_tables(noisy: str, other: str) -> None:
    arguments = ("prune", noisy, "--target", "y", "--drop", "z", "--validation", other, "--json")
    names = [a["name"] for a in plaintree(*arguments).json["schema"]["features"]]
    assert names == ["x", "colour"]


def test_prune_of_a_single_row_is_a_leaf(file: Any) -> None:
    outcome = plaintree("prune", str(file("one.csv", "x,y\n1,a\n")), "--target", "y")
    assert outcome.code == 0
    assert "always a" in outcome.out


@pytest.mark.parametrize("alpha", ["inf", "Infinity", "1e999"])
def test_an_infinite_alpha_leaves_the_root(alpha: str) -> None:
    arguments = ("prune", GOLF, "--target", "play", "--pruning-option", f"alpha={alpha}", "--json")
    outcome = plaintree(*arguments)
    assert outcome.code == 0
    assert outcome.json["pruned"]["leaves"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "mdk"), "Got --method mdk. Hint: did you mean 'mdl'?"),
        (("--method", "none"), "there is no such pruning method."),
        (("--method", "limits"), "the method limits needs a limit."),
        (("--method", "reduced_error"), "Hint: add --validation FILE;"),
        (("--method", "mdl", "--pruning-option", "alpha=1"), "Hint: it has coding, "),
        (("--pruning-option", "folds=3"), "the method cost_complexity has no option folds."),
        (("--pruning-option", "choice=best"), "Hint: use one of 'min', 'one_se'."),
        (
            ("--pruning-option", "choice=min", "--pruning-option", "alpha=1"),
            "either given or chosen",
        ),
        (("--cp", "0.1", "--pruning-option", "alpha=1"), "alpha=1 and cp=0.1. Hint: leave out all"),
        (("--cp", "2"), "--cp is out of range. Got --cp 2. Hint: use a number from 0 to 1."),
        (("--method", "mdl", "--cp", "0.1"), "the method mdl has no option cp. Got --cp 0.1."),
        (("--cv", "0"), "alpha cannot be chosen without cross-validation. Got --cv 0."),
        (("--cv", "1"), "--cv must be 0"),
        (("--learner", "c54"), "Hint: did you mean 'c45'?"),
        (("--pruning", "mdl"), "--pruning"),
    ],
)
def test_wrong_use_of_prune_is_told_with_exit_code_2(options: tuple[str, ...], words: str) -> None:
    outcome = plaintree("prune", GOLF, "--target", "play", *options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("x,z,colour\n1,2,red\n", "has no column 'y'."),
        ("x,z,y\n1,2,a\n", "colour"),
        ("x,z,colour,y\n1,2,red,c\n", "Got 'c' in row 1."),
        ("x,z,colour,y\n1,2,red,\n", "missing labels"),
        ("x,z,colour,y\n", "has no rows"),
    ],
)
def test_a_validation_table_that_does_not_fit_is_bad_data(
    noisy: str, file: Any, table: str, words: str
) -> None:
    validation = ("--validation", str(file("bad.csv", table)))
    for method in ("cost_complexity", "reduced_error"):
        outcome = plaintree("prune", noisy, "--target", "y", "--method", method, *validation)
        assert outcome.code == 3
        assert outcome.out == ""
        assert words in outcome.err


# -------------------------------------------------------------------- rules


@pytest.mark.parametrize("method", ["c4.5rules", "course"])
def test_rules_shows_the_rules_and_how_good_they_are(noisy: str, method: str) -> None:
    outcome = plaintree("rules", noisy, "--target", "y", "--method", method, "--cv", "3")
    model = pt.C45RulesClassifier(method=method).fit(*pt.read_table(noisy, "y"))  # type: ignore[arg-type]
    assert outcome.code == 0
    assert outcome.err == ""
    assert model.rules_.describe(width=100) in outcome.out
    assert "estimated accuracy" in outcome.out
    assert f"Default class: {model.rules_.default}\n" in outcome.out
    assert "\nTraining error: " in outcome.out
    assert re.search(r"^CV accuracy: .* \(3 folds\)$", outcome.out, re.MULTILINE)
    assert "Confusion matrix, 3-fold cross-validation" in outcome.out


def test_rules_json_says_the_same_as_the_learner_in_python(noisy: str) -> None:
    arguments = (
        "rules",
        noisy,
        "--target",
        "y",
        "--confidence",
        "0.1",
        "--min-samples-branch",
        "4",
    )
    study = plaintree(*arguments, "--cv", "3", "--json").json
    X, y = pt.read_table(noisy, "y")
    model = pt.C45RulesClassifier(confidence=0.1, min_samples_branch=4).fit(X, y)
    assert [r["then"] for r in study["rules"]] == [r.label for r in model.rules_.rules]
    accuracies = [r.accuracy for r in model.rules_.rules]
    assert [r["estimated_accuracy"] for r in study["rules"]] == accuracies
    assert [r["support"] for r in study["rules"]] == [r.weight for r in model.rules_.rules]
    assert study["default"] == model.rules_.default
    assert study["training"]["errors"] == sum(
        a != b for a, b in zip(model.predict(X), y, strict=True)
    )
    assert sum(map(sum, study["cross_validation"]["confusion"])) == 120
    assert (study["parameters"]["confidence"], study["parameters"]["method"]) == (0.1, "c4.5rules")


def test_rules_without_folds_and_columns(noisy: str) -> None:
    options = ("--cv", "0", "--drop", "z", "--categorical-feature", "x", "--json")
    study = plaintree("rules", noisy, "--target", "y", *options).json
    assert study["cross_validation"] is None
    kinds = {a["name"]: a["kind"] for a in study["schema"]["features"]}
    assert kinds == {"x": "categorical", "colour": "categorical"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "cours"), "Hint: use one of 'c4.5rules', 'course'."),
        (("--confidence", "0"), "confidence is out of range."),
        (("--confidence", "sure"), "'--confidence'"),
        (("--min-samples-branch", "-1"), "out of range."),
        (("--cv", "1"), "--cv must be 0"),
        (("--drop", "wind"), "Hint: did you mean 'windy'?"),
        (("--learner", "cart"), "--learner"),
    ],
)
def test_wrong_use_of_rules_is_told_with_exit_code_2(options: tuple[str, ...], words: str) -> None:
    outcome = plaintree("rules", GOLF, "--target", "play", *options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert words in outcome.err


def test_rules_of_a_missing_file_and_of_missing_labels_are_bad_data(file: Any) -> None:
    gaps = str(file("gaps.csv", "x,y\n1,a\n2,\n"))
    for table, words in (("nowhere.csv", "there is no file"), (gaps, "missing labels")):
        outcome = plaintree("rules", table, "--target", "y")
        assert outcome.code == 3
        assert words in outcome.err


# -------------------------------------------------------------------- terminals


@pytest.mark.parametrize("command", ["prune", "rules"])
def test_new_commands_fit_sixty_columns(noisy: str, other: str, command: str) -> None:
    more = ("--validation", other) if command == "prune" else ()
    outcome = plaintree(command, noisy, "--target", "y", "--width", "60", *more)
    assert outcome.code == 0
    assert max(map(len, outcome.out.splitlines())) <= 60


@pytest.mark.parametrize("command", ["prune", "rules"])
def test_new_commands_repeat_the_warnings_of_inspect(file: Any, command: str) -> None:
    columns = (list(range(40)), ["u", "v"] * 20, ["a", "b"] * 20)
    table = str(file("table.csv", rows("id,x,y", *columns)))
    assert "leave it out with --drop id" in plaintree(command, table, "--target", "y").err


@pytest.mark.slow
@pytest.mark.parametrize(("command", "result"), [("prune", "pruned"), ("rules", "default")])
def test_progress_is_shown_on_a_terminal_and_nowhere_else(
    noisy: str, tmp_path: Path, command: str, result: str
) -> None:
    """Bars go to standard error, so that standard output is one JSON object all the same."""
    terminal, side = os.openpty()
    call = "from plaintree.app.cli import main; main()"
    arguments = [command, noisy, "--target", "y", "--cv", "3", "--json"]
    with (tmp_path / "out.json").open("w") as out:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        program = [sys.executable, "-c", call, *arguments]
        done = subprocess.run(program, stdout=out, stderr=side, check=False, env=environment)
    os.close(side)
    drawn = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert "cross-validating" in drawn
    assert json.loads((tmp_path / "out.json").read_text())[result]
