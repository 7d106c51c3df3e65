"""Parameters and conventions of version 0.1.0 by the names and values of today."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.interop.model_file.earlier_names import translated, translated_conventions
from plaintree.tree.conventions import C45, CART, Conventions

OLD = {"branch_rule": "every", "min_samples_split": 4, "min_samples_branch": 1.5}


@pytest.mark.parametrize(
    ("old", "today"),
    [
        ({}, Conventions(min_samples_split=4, min_samples_leaf=2)),
        ({"branch_rule": "two"}, Conventions(min_samples_branch=1.5, min_samples_split=4)),
        ({"branch_rule": "two", "min_samples_branch": 2}, Conventions(min_samples_branch=2)),
        ({"min_samples_split": 0, "min_samples_branch": 0}, Conventions()),
        ({"tied_answer": "label"}, Conventions("gini", "subset", tied_label="keep")),
    ],
    ids=str,
)
def test_conventions(old: Any, today: Conventions) -> None:
    if "tied_answer" in old:
        old = {"min_samples_split": 2, "min_samples_branch": 1, **old}
    assert Conventions(**translated_conventions(OLD | old)) == today


def test_conventions_of_today_stay_as_they_are() -> None:
    for rules in (C45, CART, Conventions(min_samples_leaf=0.1)):
        assert Conventions(**translated_conventions(rules.to_json())) == rules


@pytest.mark.parametrize(
    ("model", "old", "today"),
    [
        ("CARTClassifier", {"min_samples_branch": 3}, {"min_samples_leaf": 3}),
        ("C45Classifier", {"min_samples_split": None}, {"min_samples_split": 2}),
        ("C45Classifier", {"cut_choice": "gain"}, {"threshold_choice": "gain"}),
        (
            "DecisionTreeClassifier",
            {"branch_rule": "two", "min_samples_branch": 3, "max_depth": None, "conventions": None},
            {"min_samples_branch": 3, "max_depth": "conventions", "conventions": None},
        ),
        (
            "DecisionTreeClassifier",
            {"branch_rule": None, "min_samples_branch": 3, "conventions": "c4.5r8"},
            {"min_samples_branch": 3, "conventions": "c4.5r8"},
        ),
        (
            "RandomForestClassifier",
            {"min_samples_branch": None, "max_depth": None, "conventions": "rpart"},
            {"min_samples_leaf": "conventions", "max_depth": "conventions", "conventions": "rpart"},
        ),
    ],
    ids=str,
)
def test_parameters(model: str, old: Any, today: Any) -> None:
    assert translated(model, old) == today


def test_none_is_a_value_in_files_of_today() -> None:
    given = {"conventions": "rpart", "max_depth": None, "min_samples_branch": None}
    assert translated("DecisionTreeClassifier", given) == given
