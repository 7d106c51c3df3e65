"""The command line with numeric targets."""

from __future__ import annotations

import csv
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.interop.model_file import load
from tests.support.command_line import GOLF, Outcome, plaintree, rows

HOUSES = str(Path(GOLF).with_name("houses.csv"))
X, Y = pt.read_table(HOUSES, "price")
TASK = "Task: regression (target: 236 distinct numbers)\n"


def of_houses(command: str, *options: str) -> Outcome:
    outcome = plaintree(command, HOUSES, "--target", "price", *options)
    assert outcome.code == 0, outcome.err
    return outcome


def line_of(outcome: Outcome, label: str) -> str:
    return next(line for line in outcome.out.splitlines() if line.startswith(label))


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = str(tmp_path / "prices.json")
    of_houses("grow", "--max-depth", "3", "--cv", "0", "--save", path)
    return path


def test_inspect_describes_the_target_by_its_spread() -> None:
    outcome = of_houses("inspect")
    assert TASK in outcome.out
    assert line_of(outcome, "price:").startswith("price: mean 396.1, sd 166.3, min 121.9, 25% ")
    found = of_houses("inspect", "--json").json
    assert found["task"] == "regression"
    assert found["classes"] is None
    assert found["target_numbers"]["mean"] == pytest.approx(Y.mean())
    assert found["target_numbers"]["upper_quartile"] == pytest.approx(np.quantile(Y, 0.75))


def test_inspect_warns_of_columns_that_are_the_target_in_another_unit(file: Any) -> None:
    random = np.random.default_rng(0)
    y = random.normal(size=200).round(4)
    noise = random.normal(size=200).round(4)
    table = str(file("t.csv", rows("cents,noise,y", (100 * y + 3).tolist(), noise, y.tolist())))
    outcome = plaintree("inspect", table, "--target", "y")
    assert "cents (1.000): a linear function of the target with almost no error" in outcome.err
    assert "leave it out with --drop cents" in outcome.err
    assert "noise (" not in outcome.err


def test_grow_prints_the_tree_and_metrics_of_cross_validation() -> None:
    outcome = of_houses("grow", "--max-depth", "3")
    model = pt.CARTRegressor(max_depth=3)
    expected = cross_validate(model, X, Y, n_folds=10, seed=0)
    assert TASK in outcome.out
    assert "\nTree (cart)\n" in outcome.out
    assert str(model.fit(X, Y).tree_) in outcome.out
    values = f"{expected.mean:.4g} ± {expected.deviation:.4g} (10 folds)"
    assert line_of(outcome, "CV RMSE:") == f"CV RMSE: {values}"
    assert line_of(outcome, "CV R2:") == f"CV R2: {expected.mean_of('r2'):.3f}"
    baseline = np.std(Y.to_numpy())
    assert line_of(outcome, "Baseline") == (
        f"Baseline RMSE (always the mean, 396.1): {baseline:.4g}"
    )


def test_grow_as_json_has_the_folds_of_every_metric() -> None:
    found = of_houses("grow", "--max-depth", "2", "--cv", "5", "--json").json
    expected = cross_validate(pt.CARTRegressor(max_depth=2), X, Y, n_folds=5)
    assert found["task"] == "regression"
    for key, part in found["cross_validation"]["metrics"].items():
        assert part["folds"] == list(expected.scores[key])
        assert part["mean"] == expected.mean_of(key)
        assert part["standard_deviation"] == expected.deviation_of(key)
    leaf = found["tree"]["nodes"][-1]
    assert leaf["prediction"] > 0
    assert "label" not in leaf
    assert found["rules"][0]["then"] > 0


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_every_criterion_of_numbers_can_be_chosen(criterion: str) -> None:
    outcome = of_houses("grow", "--max-depth", "2", "--cv", "0", "--criterion", criterion)
    tree = pt.CARTRegressor(criterion, max_depth=2).fit(X, Y).tree_  # type: ignore[arg-type]
    assert str(tree) in outcome.out
    assert "Training R2: 0." in outcome.out


def test_integers_of_few_values_are_classes_unless_asked_for() -> None:
    rooms = ("grow", HOUSES, "--target", "rooms", "--cv", "0")
    outcome = plaintree(*rooms)
    line = "Task: classification (target: 8 distinct integers); --task regression overrides\n"
    assert line in outcome.out
    assert "\nTree (c45)\n" in outcome.out
    asked = plaintree(*rooms, "--task", "regression")
    assert "\nTask: regression\n" in asked.out
    assert "\nTree (cart)\n" in asked.out


def test_integers_of_many_values_are_numbers_unless_asked_for(file: Any) -> None:
    table = str(file("t.csv", rows("x,y", list(range(60)), list(range(60)))))
    outcome = plaintree("grow", table, "--target", "y", "--cv", "0")
    line = "Task: regression (target: 60 distinct integers); --task classification overrides\n"
    assert line in outcome.out
    for option in (("--task", "classification"), ("--learner", "c45"), ("--criterion", "gini")):
        cart = ("--learner", "cart") * (option[0] == "--criterion")
        asked = plaintree("grow", table, "--target", "y", "--cv", "0", *option, *cart)
        assert "Training error:" in asked.out
        assert "CARTRegressor" not in asked.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--learner", "id3"), "Got --learner id3 and --target price. Hint: leave out --learner"),
        (("--learner", "c4.5", "--task", "regression"), "Hint: use --learner cart."),
        (("--task", "classification"), "price has numbers with fractions. Got --task classificat"),
        (("--criterion", "gini", "--learner", "cart"), "Hint: leave out --criterion gini"),
        (("--class-weight", "balanced"), "no option --class-weight for a numeric target"),
        (("--task", "regresion"), "Got --task regresion."),
        (("--target", "pirce"), "Got --target pirce. Hint: did you mean 'price'?"),
        (("--target", "district", "--task", "regression"), "district is text. Got --task regres"),
        (("--target", "district", "--criterion", "poisson"), "leave out --criterion poisson"),
    ],
)
def test_wrong_use_is_told_by_what_was_typed(options: tuple[str, ...], words: str) -> None:
    outcome = plaintree("grow", HOUSES, "--target", "price", *options)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("command", ["grow", "forest", "compare", "prune"])
@pytest.mark.parametrize(
    ("value", "words"),
    [("", "Got nan in row 2."), ("inf", "Got inf in row 2."), ("-inf", "Got -inf in row 2.")],
)
def test_targets_that_are_not_finite_are_told_by_their_row(
    file: Any, command: str, value: str, words: str
) -> None:
    table = str(file("t.csv", f"x,y\n1,0.5\n2,{value}\n3,1.5\n"))
    outcome = plaintree(command, table, "--target", "y")
    assert outcome.code == 3
    assert words in outcome.err


def test_negative_targets_have_no_poisson_deviance(file: Any) -> None:
    table = str(file("t.csv", "x,y\n1,0.5\n2,-1\n3,1.5\n"))
    outcome = plaintree("grow", table, "--target", "y", "--criterion", "poisson")
    assert outcome.code == 3
    assert "criterion 'poisson' needs targets from 0 upwards" in outcome.err


def test_forest_prints_out_of_bag_metrics_and_their_curve() -> None:
    outcome = of_houses("forest", "--n-estimators", "50")
    model = pt.RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, Y)
    assert line_of(outcome, "OOB R2:") == f"OOB R2: {model.oob_score_:.3f}"
    errors = [sqrt(model.oob_error_curve_[n - 1]) for n in (10, 30)]
    assert f", 10: {errors[0]:.4g}, 30: {errors[1]:.4g}\n" in outcome.out
    assert "Random forest (50 trees, max_features 7 of 7)\n" in outcome.out
    changed = model.oob_permutation_importance(X, Y)
    area = X.columns.index("area")
    increase = changed.importances_mean[area] / np.var(Y.to_numpy())
    assert line_of(outcome, "area").split()[1] == f"{increase:.3f}"
    found = of_houses("forest", "--n-estimators", "50", "--json").json
    assert found["out_of_bag"]["mean_squared_error"] == pytest.approx(model.oob_error_curve_[-1])
    assert found["importances"][0]["permutation"] == pytest.approx(changed.importances_mean[area])


def test_forest_tunes_max_features_by_out_of_bag_rmse() -> None:
    outcome = of_houses("forest", "--n-estimators", "30", "--tune", "oob")
    tuning = pt.tune_max_features(pt.RandomForestRegressor(30, random_state=0), X, Y)
    assert "max_features   OOB RMSE" in outcome.out
    chosen = next(line for line in outcome.out.splitlines() if "chosen" in line).split()
    assert chosen == [str(tuning.best), f"{sqrt(tuning.error.min()):.4g}", "chosen"]


def test_a_regression_forest_has_no_votes() -> None:
    outcome = plaintree("forest", HOUSES, "--target", "price", "--voting", "soft")
    assert outcome.code == 2
    assert "Got --voting soft. Hint: leave out --voting soft." in outcome.err


def test_compare_ranks_by_the_lowest_rmse() -> None:
    found = of_houses("compare", "--cv", "3", "--json").json
    by_name = {part["learner"]: part["cross_validation"] for part in found["learners"]}
    assert list(by_name) == ["cart", "forest"]
    means = {name: part["metrics"]["rmse"]["mean"] for name, part in by_name.items()}
    assert found["best"] == min(means, key=lambda name: means[name])
    assert means["cart"] == cross_validate(pt.CARTRegressor(), X, Y, n_folds=3).mean
    text = of_houses("compare", "--cv", "3", "--learners", "cart,bagged").out
    assert "CV RMSE" in text
    assert "CV R2" in text
    assert "stratified" not in text


def test_learners_of_classes_are_not_compared_on_numbers() -> None:
    outcome = plaintree("compare", HOUSES, "--target", "price", "--learners", "cart,c45")
    assert outcome.code == 2
    assert "Hint: leave out --learners cart,c45 to predict the numbers" in outcome.err


def test_evaluate_prints_metrics_and_names_the_rows_with_large_errors(saved: str) -> None:
    outcome = plaintree("evaluate", saved, HOUSES)
    assert outcome.code == 0
    assert "the model was trained on these rows" in outcome.err
    predicted, actual = load(saved).predict(X), Y.to_numpy()
    mae = np.abs(actual - predicted).mean()
    assert line_of(outcome, "MAE:").startswith(f"MAE: {mae:.4g} (95% interval: ")
    worst = int(np.argmax(np.abs(actual - predicted)))
    after = outcome.out.split("Largest errors\n")[1].splitlines()[2].split()
    assert after[0] == str(worst + 1)
    assert float(after[3]) == pytest.approx((actual - predicted)[worst], rel=1e-3)


def test_evaluate_leaves_out_rows_without_a_number_and_keeps_the_others_numbers(
    saved: str, file: Any
) -> None:
    with open(HOUSES, newline="") as table:
        header, *lines = csv.reader(table)
    lines[0][-1] = ""
    lines[9][-1] = "99999"
    given = str(file("part.csv", "\n".join(",".join(line) for line in (header, *lines)) + "\n"))
    outcome = plaintree("evaluate", saved, given, "--json")
    assert "price: left out 1 rows without a number" in outcome.err
    found = outcome.json
    assert found["rows"] == 239
    assert found["rows_without_number"] == 1
    assert found["largest_errors"][0]["index"] == 9
    assert found["is_training_table"] is False


def test_prune_prints_the_path_in_the_loss_of_the_criterion() -> None:
    outcome = of_houses("prune", "--cv", "5")
    assert "CV mean squared error (5 folds)" in outcome.out
    assert "training RMSE" in outcome.out
    assert "Baseline RMSE on training rows (always the mean, 396.1)" in outcome.out


def test_prune_saves_a_model_that_grows_the_pruned_tree(tmp_path: Path) -> None:
    path = str(tmp_path / "pruned.json")
    of_houses("prune", "--cv", "5", "--save", path)
    pruned = load(path)
    again = pt.CARTRegressor(ccp_alpha=pruned.ccp_alpha).fit(X, Y)
    assert pruned.tree_.size < pt.CARTRegressor().fit(X, Y).tree_.size
    assert again.tree_.difference(pruned.tree_) is None


def test_predict_and_diff_know_numbers(saved: str, tmp_path: Path) -> None:
    outcome = plaintree("predict", saved, HOUSES, "--path")
    lines = list(csv.DictReader(outcome.out.splitlines()))
    assert [float(line["prediction"]) for line in lines] == load(saved).predict(X).tolist()
    assert "area" in lines[0]["path"]
    refused = plaintree("predict", saved, HOUSES, "--proba")
    assert refused.code == 2
    assert "needs classes" in refused.err
    other = str(tmp_path / "small.json")
    of_houses("grow", "--max-depth", "2", "--cv", "0", "--save", other)
    apart = plaintree("diff", saved, other, HOUSES)
    assert apart.code == 1
    assert "rows differ, by at most" in apart.out


def test_rules_need_classes() -> None:
    outcome = plaintree("rules", HOUSES, "--target", "price")
    assert outcome.code == 2
    assert "Hint: plaintree grow predicts the numbers" in outcome.err


@pytest.mark.parametrize("command", ["inspect", "grow", "forest", "compare", "prune"])
@pytest.mark.parametrize("width", [60, 100])
def test_output_fits_the_width(command: str, width: int) -> None:
    outcome = of_houses(command, "--width", str(width), *["--cv", "3"] * (command == "compare"))
    tree_and_table = [line for line in outcome.out.splitlines() if len(line) > width]
    assert tree_and_table == []


def test_demo_writes_the_table_of_houses(tmp_path: Path) -> None:
    table = tmp_path / "houses.csv"
    assert plaintree("demo", "houses", "--table", str(table)).code == 0
    assert table.read_text() == Path(HOUSES).read_text()
    assert "Task: regression" in plaintree("demo", "houses").out
    refused = plaintree("demo", "house")
    assert refused.code == 2
    assert "did you mean 'houses'?" in refused.err
