"""The command line that evaluates a saved model on a table: `plaintree evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, Y, plaintree, rows

HEADER = "x,colour,y"


def noisy_rows(seed: int, n: int = 200) -> str:
    """A table whose classes depend on x and colour, with noise."""
    random = np.random.default_rng(seed)
    x, colour = random.random(n).round(3), random.choice(["red", "green", "blue"], n)
    y = np.where((x > 0.5) ^ (random.random(n) < 0.2), "yes", "no")
    return rows(HEADER, x.tolist(), colour.tolist(), y.tolist())


@pytest.fixture
def new(file: Any) -> str:
    """A table of rows that were not used in training."""
    return str(file("new.csv", noisy_rows(2)))


@pytest.fixture
def model(file: Any, tmp_path: Path) -> str:
    """A CART tree in a file."""
    path = str(tmp_path / "model.json")
    X, y = pt.read_table(str(file("old.csv", noisy_rows(1))), "y")
    save(pt.CARTClassifier(max_depth=3).fit(X, y), path)
    return path


def test_metrics_are_shown_with_the_baseline_next_to_the_accuracy(model: str, new: str) -> None:
    outcome = plaintree("evaluate", model, new)
    assert (outcome.code, outcome.err) == (0, "")
    found = plaintree("evaluate", model, new, "--json").json
    low, high = found["accuracy_interval"]["low"], found["accuracy_interval"]["high"]
    probabilities = found["probabilities"]
    assert outcome.out.splitlines()[:11] == [
        "new.csv: CARTClassifier, target: y",
        "",
        "Rows: 200",
        f"Errors: {found['errors']} of 200 ({found['errors'] / 2:.1f}%)",
        f"Accuracy: {found['accuracy']:.1%} (95% interval: {low:.1%} to {high:.1%})",
        f"Baseline accuracy (always {found['majority_class']}): {found['baseline_accuracy']:.1%}",
        f"Balanced accuracy: {found['balanced_accuracy']:.1%}",
        f"AUC: {probabilities['auc']:.3f}",
        f"Brier score: {probabilities['brier']:.3f}",
        f"Log loss: {probabilities['log_loss']:.3f}",
        f"Expected calibration error: {probabilities['calibration_error']:.1%}",
    ]
    for heading in (
        "Metrics by class",
        "Confusion matrix, new.csv (rows: actual, columns: predicted)",
        "Calibration (probability of the predicted class)",
    ):
        assert f"\n{heading}\n" in outcome.out


def test_json_has_the_values_of_the_model_in_python(model: str, new: str) -> None:
    found = plaintree("evaluate", model, new, "--json").json
    X, y = pt.read_table(new, "y")
    fitted = pt.load(model)
    assert found["accuracy"] == pytest.approx(fitted.score(X, y))
    assert 0.6 < found["accuracy"] < 0.95
    assert found["rows"] == sum(map(sum, found["confusion"])) == 200
    assert [part["label"] for part in found["by_class"]] == found["classes"] == ["no", "yes"]
    assert sum(part["support"] for part in found["by_class"]) == 200
    assert sum(part["rows"] for part in found["probabilities"]["calibration"]) == 200
    assert found["is_training_table"] is False


@pytest.mark.parametrize("kind", ["forest", "rules", "boosted", "tree", "list"])
def test_every_kind_of_model_can_be_evaluated(kind: str, file: Any, tmp_path: Path) -> None:
    X, y = pt.read_table(str(file("old.csv", noisy_rows(1))), "y")
    rule_model = pt.C45RulesClassifier().fit(X, y)
    fitted: Any = {
        "forest": pt.RandomForestClassifier(5, random_state=0),
        "rules": rule_model,
        "boosted": pt.BoostedTreesClassifier(n_estimators=3, random_state=0),
        "tree": pt.CARTClassifier(max_depth=2).fit(X, y).tree_,
        "list": rule_model.rules_,
    }[kind]
    save(fitted.fit(X, y) if kind in ("forest", "boosted") else fitted, tmp_path / "model")
    new = str(file("new.csv", noisy_rows(2)))
    found = plaintree("evaluate", str(tmp_path / "model"), new, "--json").json
    assert found["accuracy"] > found["baseline_accuracy"]


def test_training_rows_are_recognised(file: Any, model: str) -> None:
    outcome = plaintree("evaluate", model, str(file("same.csv", noisy_rows(1))))
    assert outcome.code == 0
    assert "the model was trained on these rows, so the values are optimistic" in outcome.err


def test_rows_without_a_class_are_left_out_and_counted(model: str, file: Any) -> None:
    table = str(file("new.csv", noisy_rows(2) + "0.5,red,\n0.7,blue,\n"))
    outcome = plaintree("evaluate", model, table)
    assert "Rows: 200\n" in outcome.out
    assert outcome.err == "warning: y: left out 2 rows without a class\n"


def test_classes_that_the_model_does_not_have_count_as_errors(model: str, file: Any) -> None:
    table = str(file("new.csv", noisy_rows(2) + "0.5,red,maybe\n"))
    outcome = plaintree("evaluate", model, table)
    assert "Rows: 201\n" in outcome.out
    assert "warning: y: the model does not have the classes maybe; their rows count" in outcome.err
    found = plaintree("evaluate", model, table, "--json").json
    assert found["probabilities"]["rows"] == 200


@pytest.mark.parametrize(
    ("classes", "written", "accuracy"),
    [
        ([0, 1], ["0", "1"], 1.0),
        ([0, 1], ["0.0", "1.0"], 1.0),
        ([False, True], ["no", "yes"], 1.0),
        (["1", "x"], ["1", "1"], 0.5),
        (["01", "02"], ["01", "02"], 1.0),
    ],
)
def test_classes_are_read_as_those_of_the_model(
    classes: list[Any], written: list[str], accuracy: float, file: Any, tmp_path: Path
) -> None:
    fitted = pt.CARTClassifier().fit({"x": [1.5, 2.5] * 4}, classes * 4)
    save(fitted, tmp_path / "model")
    table = str(file("new.csv", rows("x,class", [1.5, 2.5], written)))
    found = plaintree("evaluate", str(tmp_path / "model"), table, "-t", "class", "--json").json
    assert found["accuracy"] == accuracy


def test_the_target_may_have_another_name(model: str, file: Any) -> None:
    table = str(file("new.csv", noisy_rows(2).replace(HEADER, "x,colour,outcome")))
    assert plaintree("evaluate", model, table, "-t", "outcome").code == 0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("-t", "colur"), 2, "Got --target colur. Hint: did you mean 'colour'?"),
        (("--interval", "95"), 2, "--interval must be between 0 and 1. Got --interval 95."),
        (("-j", "0"), 2, "Got --jobs 0."),
    ],
)
def test_usage_errors(
    model: str, new: str, options: tuple[str, ...], code: int, words: str
) -> None:
    outcome = plaintree("evaluate", model, new, *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert words in outcome.err


def test_a_table_in_the_place_of_the_model_is_recognised(model: str, new: str) -> None:
    outcome = plaintree("evaluate", new, model)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"but a table by its name. Got {new}. Hint: name the model first;" in outcome.err


def test_a_table_without_classes_is_bad_data(model: str, file: Any) -> None:
    outcome = plaintree("evaluate", model, str(file("new.csv", f"{HEADER}\n0.5,red,\n")))
    assert (outcome.code, outcome.out) == (3, "")
    assert "no row has a class" in outcome.err


def test_output_fits_narrow_terminals(model: str, new: str) -> None:
    outcome = plaintree("evaluate", model, new, "--width", "60")
    assert max(map(len, outcome.out.splitlines())) <= 60


def test_the_majority_of_golf_is_its_baseline(tmp_path: Path) -> None:
    save(pt.C45Classifier().fit(*pt.read_table(GOLF, "play")), tmp_path / "golf.json")
    found = plaintree("evaluate", str(tmp_path / "golf.json"), GOLF, "--json").json
    assert found["baseline_accuracy"] == pytest.approx(Y.to_list().count("yes") / 14)
