"""feature_names and class_names, as users of scikit-learn give them, wherever a model is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.datasets import load_iris

import plaintree as pt
from plaintree import CARTClassifier as DecisionTreeClassifier
from plaintree import export_text, plot_tree
from plaintree.errors import ArgumentTypeError, ParameterError
from tests.support.figures import figures_are_closed, plt

__all__ = ["figures_are_closed"]

iris = load_iris()
X, y = iris.data, iris.target
NAMES: dict[str, Any] = {"feature_names": iris.feature_names, "class_names": iris.target_names}


def test_a_script_for_scikit_learn_runs_with_another_import() -> None:
    clf = DecisionTreeClassifier(max_depth=3).fit(X, y)
    figure = plt.figure(figsize=(20, 10))
    plot_tree(
        clf,
        feature_names=iris.feature_names,
        class_names=iris.target_names,
        filled=True,
        rounded=True,
        impurity=True,
        proportion=False,
        node_ids=False,
        precision=3,
        fontsize=10,
        max_depth=2,
        ax=None,
    )
    assert len(figure.axes) == len(plt.get_fignums()) == 1
    text = export_text(
        clf,
        feature_names=list(iris.feature_names),
        class_names=list(iris.target_names),
        max_depth=10,
        spacing=3,
        decimals=2,
        show_weights=True,
    )
    assert text.splitlines()[1] == "├─ petal length (cm) <= 2.45: setosa (50)"


SHOWN: dict[str, Callable[..., str]] = {
    "text": pt.export_text,
    "listing": lambda model, **names: pt.export_text(model, style="listing", **names),
    "dot": pt.export_dot,
    "mermaid": lambda model, **names: pt.export_mermaid(model, **names).replace("#95;", "_"),
    "svg": pt.export_svg,
    "tikz": pt.export_tikz,
    "rules": pt.export_rules,
    "markdown": lambda model, **names: pt.export_rules(model, format="markdown", **names).replace(
        "\\", ""
    ),
    "frame": lambda model, **names: str(pt.export_rules(model, format="frame", **names).rows()),
    "formula": lambda model, **names: "virginica " + pt.export_formula(model, 2, **names),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_names_are_shown_in_place_of_those_of_the_model(kind: str) -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    names = {"feature_names": list("abcd"), "class_names": iris.target_names}
    renamed = SHOWN[kind](model, **names)
    assert "virginica" in renamed
    assert "x3" not in renamed
    assert SHOWN[kind](model, class_names=True) == SHOWN[kind](model)
    with pytest.raises(ParameterError, match="Got 2 names for 4 features"):
        SHOWN[kind](model, feature_names=["a", "b"])


def test_a_formula_takes_a_label_or_the_name_of_a_class() -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    formula = pt.export_formula(model, 0, **NAMES)
    assert formula == "petal length (cm) <= 2.45"
    assert pt.export_formula(model, "setosa", **NAMES) == formula
    swapped = pt.rules.formula_of(model, 0, class_names=[1, 0, 2])  # labels come before names
    assert swapped.label == 1
    with pytest.raises(ParameterError, match=r"no such class.*did you mean 'setosa'"):
        pt.export_formula(model, "setoza", **NAMES)


def test_rule_lists_are_renamed() -> None:
    text = pt.export_rules(pt.C45RulesClassifier().fit(X, y), width=100, **NAMES)
    assert text.splitlines()[0].startswith("1. IF petal width (cm) <= 0.6 THEN setosa")
    assert text.splitlines()[-1].startswith("OTHERWISE setosa")


def test_rounded_thresholds_are_for_show() -> None:
    model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.3456]], [0, 1])
    assert "x0 <= 1.67:" in export_text(model, decimals=2)
    assert "x0 <= 2:" in export_text(model, decimals=0)
    assert model.tree_.root.condition.threshold == 1.6728
    with pytest.raises(ParameterError, match="decimals must be an integer from 0 to 15"):
        export_text(model, decimals=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(("spacing", "lead"), [(1, "├"), (2, "├ "), (3, "├─ "), (5, "├─── ")])
def test_spacing_is_the_width_of_a_level(spacing: int, lead: str) -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    lines = export_text(model, spacing=spacing).splitlines()
    assert lines[1].startswith(f"{lead}x2 <= ")
    assert lines[-2].startswith(" " * spacing + lead + "x3")


@pytest.mark.parametrize(
    "show", [plot_tree, export_text, pt.export_svg, pt.export_dot, pt.rules_of, pt.export_rules]
)
def test_a_forest_is_refused_with_a_hint(show: Callable[..., Any]) -> None:
    forest = pt.RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ArgumentTypeError, match=r"trees_\[0\]"):
        show(forest)
    assert show(forest.trees_[0])
