"""Weka's J48 with reduced-error pruning (-R -N 3), on real tables: size, leaves and errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from plaintree import DecisionTreeClassifier
from tests.support.reference_tables import class_codes, golden, load, names_in, needs_shared
from tests.support.weka import JavaRandom, held_out, j48_r, shuffled, stratified


def test_the_random_numbers_are_those_of_java() -> None:
    random = JavaRandom(42)
    assert [random.below(10) for _ in range(6)] == [0, 3, 8, 4, 0, 5]
    assert JavaRandom(0).below(2**31) == 1569741360


def n_wrong(model: DecisionTreeClassifier, X: pd.DataFrame, y: np.ndarray) -> int:
    return int(np.count_nonzero(model.predict(X) != y))


@needs_shared
@pytest.mark.parametrize("name", names_in("weka"))
def test_size_leaves_and_errors_of_the_whole_table(name: str) -> None:
    X, y = load(name)
    model, run = j48_r(X, y, class_codes(name)), golden("weka", name)["runs"]["J48_R"]
    found = (model.tree_.n_nodes, model.tree_.n_leaves, n_wrong(model, X, y))
    assert found == (run["size"], run["leaves"], run["train"]["incorrect"])


VALIDATED = [n for n in names_in("weka") if golden("weka", n)["runs"]["J48_R"].get("cv")]


@needs_shared
@pytest.mark.parametrize("name", VALIDATED)
def test_errors_in_ten_folds(name: str) -> None:
    X, y = load(name)
    codes, random = class_codes(name), JavaRandom(1)
    order, wrong = stratified(shuffled(range(len(y)), random), codes, 10), 0
    for fold in range(10):
        training, test = held_out(order, 10, fold)
        training = shuffled(training, random)
        model = j48_r(X.iloc[training], y[training], codes[training])
        wrong += n_wrong(model, X.iloc[test], y[test])
    assert wrong == golden("weka", name)["runs"]["J48_R"]["cv"]["incorrect"]
