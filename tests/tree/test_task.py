"""What reads classes refuses numeric targets with one error that names the target."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.evaluation.compare import diff


def run_command(*arguments: str) -> str:
    """What a command prints, errors included."""
    command = [sys.executable, "-m", "plaintree", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


X = np.arange(12.0)[:, None]
Y = np.arange(12.0) ** 2
MODEL = pt.CARTRegressor(max_depth=3).fit(X, Y)
GUARDED = {
    "plot_confusion": lambda model: pt.plot_confusion(model, X, Y),
    "p-values": lambda model: pt.export_text(model, show_p_values=True),
    "significance": lambda model: pt.prune(model, "limits", significance=0.05),
    **{
        method: lambda model, method=method: pt.prune(model, method, X=X, y=Y)
        for method in ("error_based",)
    },
    **{
        method: lambda model, method=method: pt.prune(model, method)
        for method in ("pessimistic", "mdl")
    },
}


@pytest.mark.parametrize("model", [MODEL, MODEL.tree_], ids=["estimator", "tree"])
@pytest.mark.parametrize("name", GUARDED)
def test_functions_of_classes_name_the_numeric_target(name, model):
    with pytest.raises(ParameterError, match="needs classes, and the target 'target' is numeric"):
        GUARDED[name](model)


def test_an_estimator_that_is_not_fitted_is_refused_by_its_class():
    with pytest.raises(ParameterError, match="needs classes, and CARTRegressor predicts numbers"):
        pt.plot_confusion(pt.CARTRegressor(), X, Y)


def test_differences_of_predicted_numbers_are_counted():
    other = pt.CARTRegressor(max_depth=1).fit(X, Y)
    for a, b in ((MODEL, other), (MODEL.tree_, other.tree_)):
        assert "12 of 12 rows differ" in str(diff(a, b, X)).replace("\n", " ")


@pytest.mark.parametrize("method", ["cost_complexity", "limits", "cut"])
def test_pruning_by_size_works_for_numbers(method):
    options = {
        "cost_complexity": {"alpha": 1e9, "risk": "impurity"},
        "limits": {"max_depth": 0},
        "cut": {"nodes": 0},
    }
    assert pt.prune(MODEL.tree_, method, **options[method]).n_nodes == 1


def test_the_risk_of_numbers_is_the_loss_of_the_criterion():
    by_error, by_impurity = (
        pt.pruning.pruning_path(MODEL, risk=risk) for risk in ("error", "impurity")
    )
    assert by_error.alphas.tolist() == by_impurity.alphas.tolist()
    assert by_error.risks[-1] == pytest.approx(Y.var())


@pytest.mark.parametrize("command", ["predict --proba"])
def test_commands_of_classes_name_the_numeric_target(command, tmp_path):
    model, table = tmp_path / "model.json", tmp_path / "table.csv"
    pt.save(pt.CARTRegressor().fit({"a": [1.0, 2.0]}, [3.0, 4.0]), model)
    table.write_text("a,target\n1,3\n2,4\n")
    name, *options = command.split()
    done = run_command(name, str(model), str(table), *options)
    assert "needs classes, and the target 'target' is numeric" in done


@pytest.mark.parametrize("part", ["estimator", "tree"])
def test_the_command_line_predicts_numbers(part, tmp_path):
    model, table = tmp_path / "model.json", tmp_path / "table.csv"
    fitted = pt.CARTRegressor().fit({"a": [1.0, 2.0]}, [3.0, 4.0])
    pt.save(fitted if part == "estimator" else fitted.tree_, model)
    table.write_text("a\n1\n2\n")
    assert run_command("predict", str(model), str(table)).split() == [
        "a,prediction",
        "1,3.0",
        "2,4.0",
    ]
