"""The bundled course tables: what is in them, and how they are handed out."""

from __future__ import annotations

import dataclasses
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from plaintree import C45Classifier, CARTClassifier, datasets

SHAPES = {
    "tennis": (14, 5),
    "golf": (14, 5),
    "houses": (240, 8),
    "loans": (1200, 16),
    "flu": (7, 4),
    "emails": (10, 6),
    "lisbon_signs": (6, 4),
    "lisbon_letters": (6, 4),
    "and": (4, 3),
    "or": (4, 3),
    "xor": (4, 3),
    "or_and": (8, 4),
}


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_every_table_comes_with_name_description_and_target(
    name: str, shape: tuple[int, int]
) -> None:
    dataset = getattr(datasets, f"load_{name}")()
    assert dataset.frame.shape == shape
    assert dataset.name == name
    assert dataset.description.endswith(".")
    assert dataset.frame.columns[-1] == dataset.target
    n_missing = dataset.frame.null_count().sum_horizontal().item()
    assert n_missing == {"houses": 94, "loans": 419}.get(name, 0)


def test_every_loader_is_listed_and_tested() -> None:
    loaders = {name for name in datasets.__all__ if name.startswith("load_")}
    assert loaders == {f"load_{name}" for name in SHAPES}


def test_a_dataset_unpacks_into_features_and_classes() -> None:
    dataset = datasets.load_golf()
    X, y = dataset
    assert X.equals(dataset.X)
    assert y.equals(dataset.y)
    assert X.columns == ["outlook", "temperature", "humidity", "windy"]
    assert y.name == "play"
    assert repr(dataset) == "<Dataset golf: 14 rows, 4 features, target play>"


def test_a_dataset_is_frozen() -> None:
    dataset = datasets.load_tennis()
    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        dataset.name = "other"  # type: ignore[misc]


def test_columns_have_the_types_a_person_expects() -> None:
    golf, emails = datasets.load_golf().frame, datasets.load_emails().frame
    assert golf.schema["humidity"] == pl.Int64
    assert golf.schema["windy"] == pl.Boolean
    assert set(emails.drop("kind").dtypes) == {pl.Boolean}
    assert datasets.load_xor().frame.schema["x1"] == pl.Int64


def test_houses_are_those_of_the_program_that_makes_them() -> None:
    name = Path(__file__).parents[2] / "tools/houses_table.py"
    program = runpy.run_path(str(name))
    assert program["TABLE"].read_text() == program["table"]()


def test_houses_have_numbers_text_and_missing_values() -> None:
    houses = datasets.load_houses()
    assert houses.y.dtype == pl.Float64
    missing = houses.X.null_count().row(0, named=True)
    assert {name for name, n in missing.items() if n} == {"year", "garden", "heating"}
    flats = houses.frame.filter(pl.col("kind") == "flat")
    assert flats["garden"].null_count() == len(flats) == missing["garden"]


def test_loans_are_those_of_the_program_that_makes_them() -> None:
    name = Path(__file__).parents[2] / "tools/make_loans.py"
    program = runpy.run_path(str(name))
    assert program["TABLE"].read_text() == program["table"]()


def test_loans_have_each_type_and_missing_values() -> None:
    loans = datasets.load_loans()
    assert set(loans.X.dtypes) == {pl.String, pl.Boolean, pl.Date, pl.Int64, pl.Float64}
    missing = loans.X.null_count().row(0, named=True)
    assert {name for name, n in missing.items() if n} == {"employed_since", "income", "savings"}
    assert 0.28 < (loans.y == "yes").mean() < 0.34


def test_a_missing_income_is_informative_and_missing_savings_are_not() -> None:
    frame = datasets.load_loans().frame.with_columns(bad=pl.col("defaulted") == "yes")
    rate = frame["bad"].mean()
    income, savings = (
        frame.filter(pl.col(name).is_null())["bad"].mean() for name in ("income", "savings")
    )
    assert income > rate + 0.1
    assert abs(savings - rate) < 0.05


@pytest.mark.parametrize(
    ("learner", "pruned", "overfitted"),
    [
        (C45Classifier, {}, {"pruning": None}),
        (
            CARTClassifier,
            {"pruning": "cost_complexity", "pruning_options": {"choice": "one_se"}},
            {},
        ),
    ],
)
def test_unpruned_trees_of_loans_overfit_and_pruned_trees_find_the_rule(
    learner: Any, pruned: dict[str, Any], overfitted: dict[str, Any]
) -> None:
    X, y = datasets.load_loans()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    small, large = learner(**pruned), learner(**overfitted)
    cv_small, cv_large = (cross_val_score(m, X, y, cv=folds).mean() for m in (small, large))
    assert large.fit(X, y).score(X, y) - cv_large > 0.08
    assert cv_small > cv_large + 0.03
    tree = small.fit(X, y).tree_
    assert 5 <= tree.size <= 9
    used = {tree.schema.names[column] for column in tree.used_columns()}
    planted = {"late_payments", "guarantor", "debt_ratio", "income", "purpose", "applied"}
    assert used == planted
    assert "postcode" in {large.tree_.schema.names[c] for c in large.tree_.used_columns()}


def test_golf_is_tennis_in_numbers() -> None:
    tennis, golf = datasets.load_tennis(), datasets.load_golf()
    assert golf.frame["outlook"].equals(tennis.frame["Outlook"].str.to_lowercase())
    assert golf.y.equals(tennis.y.str.to_lowercase())
    words, numbers = tennis.frame["Temperature"], golf.frame["temperature"]
    assert numbers.filter(words == "Cool").max() < numbers.filter(words == "Hot").min()


def test_the_sixth_word_of_the_emails_is_left_out_unless_asked_for() -> None:
    assert "algorithm" not in datasets.load_emails().X.columns
    emails = datasets.load_emails(x6=True)
    assert emails.X.columns[5] == "algorithm"
    assert (emails.X["algorithm"] == (emails.y == "Legitimate")).all()


@pytest.mark.parametrize(
    ("name", "classes"),
    [("and", "0001"), ("or", "0111"), ("xor", "0110"), ("or_and", "00010101")],
)
def test_truth_tables_count_upwards(name: str, classes: str) -> None:
    X, y = getattr(datasets, f"load_{name}")()
    assert "".join(map(str, y)) == classes
    rows = ["".join(map(str, row)) for row in X.rows()]
    assert rows == sorted(rows)


def test_importing_the_module_loads_no_frame_library() -> None:
    program = "import sys, plaintree.datasets; print('polars' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
