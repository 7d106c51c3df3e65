"""Costs of errors on the command line: accuracy and mean cost side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import plaintree as pt
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.evaluation.quality import quality_of
from tests.support.command_line import GOLF, Outcome, plaintree

X, Y = pt.read_table(GOLF, "play")
COST = ("--cost", "no,yes=5")
COSTS = {("no", "yes"): 5.0}


def of_golf(command: str, *options: str) -> Outcome:
    outcome = plaintree(command, GOLF, "--target", "play", *options)
    assert outcome.code == 0, outcome.err
    return outcome


def test_mean_cost_is_that_of_the_confusion_matrix() -> None:
    found = quality_of(["no", "no", "no", "yes"], ["no", "yes", "yes", "no"], "rows given", COSTS)
    assert found.mean_cost == (5 + 5 + 1) / 4
    assert found.cheapest == ("no", 1 / 4)
    assert [metric.key for metric in found.metrics][-1] == "mean_cost"


def test_without_costs_the_mean_cost_is_the_error_rate_and_not_a_metric() -> None:
    found = quality_of(["no", "no", "yes"], ["no", "yes", "yes"], "rows given")
    assert found.mean_cost == pytest.approx(1 - found.accuracy)
    assert "mean_cost" not in found.values
    assert "mean_cost" not in found.to_json()


def test_cross_validation_measures_the_costs_of_the_estimator() -> None:
    model = pt.CARTClassifier(costs=COSTS)
    found = cross_validate(model, X, Y, n_folds=5)
    assert found.quality.values["mean_cost"] == found.quality.mean_cost  # type: ignore[union-attr]
    sizes = [3, 3, 3, 3, 2]
    total = np.dot(found.scores["mean_cost"], sizes)
    assert total == pytest.approx(14 * found.quality.values["mean_cost"])
    assert "mean_cost" not in cross_validate(pt.CARTClassifier(), X, Y, n_folds=5).scores


def test_grow_prints_accuracy_and_mean_cost() -> None:
    outcome = of_golf("grow", "--learner", "cart", "--cv", "5", *COST)
    found = cross_validate(pt.CARTClassifier(costs=COSTS), X, Y, n_folds=5)
    assert f"CV accuracy: {100 * found.mean:.1f}%" in outcome.out
    assert f"CV mean cost: {found.mean_of('mean_cost'):.3f}\n" in outcome.out
    assert "Baseline mean cost (always no): 0.643\n" in outcome.out
    as_json = of_golf("grow", "--learner", "cart", "--cv", "5", *COST, "--json").json
    assert as_json["cross_validation"]["mean_costs"] == list(found.scores["mean_cost"])


def test_compare_ranks_by_the_mean_cost() -> None:
    found = of_golf("compare", "--cv", "3", "--learners", "id3,c45,cart", *COST).out
    assert "CV mean cost" in found
    as_json = of_golf("compare", "--cv", "3", "--learners", "id3,c45,cart", *COST, "--json").json
    by_name = {part["learner"]: part for part in as_json["learners"]}
    means = {n: part["cross_validation"]["mean_cost_mean"] for n, part in by_name.items()}
    assert as_json["best"] == min(means, key=lambda name: means[name])
    assert "costs" in by_name["cart"]["parameters"]


def test_evaluate_and_prune_count_the_costs_of_the_model(tmp_path: Path) -> None:
    path = str(tmp_path / "golf.json")
    of_golf("grow", "--learner", "cart", "--max-depth", "1", *COST, "--save", path)
    outcome = plaintree("evaluate", path, GOLF)
    predicted = pt.CARTClassifier(max_depth=1, costs=COSTS).fit(X, Y).predict(X)
    expected = quality_of(list(Y), predicted.tolist(), "rows given", COSTS)
    assert f"Mean cost: {expected.mean_cost:.3f}\n" in outcome.out
    assert plaintree("evaluate", path, GOLF, "--json").json["mean_cost"] == expected.mean_cost
    pruned = of_golf("prune", "--learner", "cart", "--cv", "3", *COST)
    assert "training mean cost" in pruned.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cost", "no=5"), "Got --cost no=5. Hint: write --cost ACTUAL,PREDICTED=NUMBER."),
        (("--cost", "nou,yes=5"), "Got 'nou'. Hint: did you mean 'no'?"),
        (("--cost", "no,yes=much"), "--cost needs two classes and a number"),
    ],
)
def test_wrong_costs_are_told(options: tuple[str, str], words: str) -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--learner", "cart", *options)
    assert outcome.code == 2
    assert words in outcome.err


def test_costs_need_classes() -> None:
    houses = str(Path(GOLF).with_name("houses.csv"))
    outcome = plaintree("compare", houses, "--target", "price", "--learners", "cart", *COST)
    assert outcome.code == 2
    assert "costs of errors need classes, and the task is regression" in outcome.err
