"""The two-class problems of the Caruana table, and how each is divided for a repetition.

Every problem is a real table: scikit-learn's own, and those that lie beside the project if they
do. Tables of more than two classes are made two-class as the paper made them: one class against
the rest, or half of the classes against the other half.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold, train_test_split

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
TRAINING_SHARE = 2 / 3
SEED = 20060625

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """A table with a question of two answers."""

    name: str
    positive: str
    """What the positive class is, in words."""
    load: Callable[[], tuple[pd.DataFrame, Flags]]
    beside: bool = False
    """Whether the table lies beside the project, and so may be absent."""
    stand_in: bool = False
    """Whether it is small or asks much the same as another one: only for want of better tables."""


@dataclass(frozen=True)
class Sizes:
    """How much of a table is used."""

    training_rows: int
    test_rows: int
    folds: int
    """The training rows are divided into so many parts; each in turn is held out to calibrate."""


@dataclass(frozen=True)
class Division:
    """A table divided for one repetition: rows to fit, to calibrate and select, to test."""

    table: pd.DataFrame
    flags: Flags
    fit: Rows
    held_out: Rows
    test: Rows


def from_bunch(
    load: Callable[..., Any], is_positive: Callable[[NDArray[Any]], Flags]
) -> tuple[pd.DataFrame, Flags]:
    """One of scikit-learn's tables; the answer is computed from its target."""
    bunch = load(as_frame=True)
    return bunch.data, is_positive(bunch.target.to_numpy())


def from_file(name: str, *positive: str) -> tuple[pd.DataFrame, Flags]:
    """A table beside the project: text stays text and gaps stay gaps."""
    about = json.loads((SHARED / f"{name}.json").read_text(encoding="utf-8"))
    text = [column for column, kind in about["kinds"].items() if kind == "categorical"]
    frame = pd.read_csv(
        SHARED / f"{name}.csv",
        dtype=dict.fromkeys([*text, about["target"]], "str"),
        keep_default_na=False,
        na_values=[""],
    )
    flags = frame[about["target"]].isin(positive).to_numpy(bool)
    return frame[list(about["kinds"])], flags


def _bundled() -> list[Problem]:
    digits = partial(from_bunch, datasets.load_digits)
    wine = partial(from_bunch, datasets.load_wine, lambda kind: kind == 1)
    iris = partial(from_bunch, datasets.load_iris, lambda kind: kind == 1)
    progress = partial(from_bunch, datasets.load_diabetes, lambda y: y > np.median(y))
    tumour = partial(from_bunch, datasets.load_breast_cancer, lambda kind: kind == 0)
    return [
        Problem("breast_cancer", "malignant", tumour),
        Problem("digits.p1", "8 against the rest", partial(digits, lambda digit: digit == 8)),
        Problem("digits.p2", "0-4 against 5-9", partial(digits, lambda digit: digit <= 4)),
        Problem(
            "digits.p3", "3 against the rest", partial(digits, lambda d: d == 3), stand_in=True
        ),
        Problem("digits.p4", "odd", partial(digits, lambda d: d % 2 == 1), stand_in=True),
        Problem("wine", "the largest class against the rest", wine, stand_in=True),
        Problem("iris", "versicolor against the rest", iris, stand_in=True),
        Problem("progression", "above the median", progress, stand_in=True),
    ]


def _beside(name: str, words: str, *positive: str) -> Problem:
    return Problem(name, words, partial(from_file, name, *positive), beside=True)


PROBLEMS: Mapping[str, Problem] = {
    problem.name: problem
    for problem in (
        *_bundled(),
        _beside("adult", "income above 50K", ">50K"),
        _beside("nursery", "priority against the rest", "priority"),
        _beside("phoneme", "the smaller class, c1", "c1"),
        _beside(
            "hypothyroid",
            "any illness",
            *(f"{k}_hypothyroid" for k in ("compensated", "primary", "secondary")),
        ),
        _beside(
            "segment",
            "brickface, cement, foliage, grass against the rest",
            "brickface",
            "cement",
            "foliage",
            "grass",
        ),
        _beside("car", "acceptable or better", "acc", "good", "vgood"),
        _beside("titanic", "survived", "yes"),
        _beside("credit_g", "bad", "bad"),
        _beside("tic_tac_toe", "x has won", "positive"),
        _beside("diabetes", "tested positive", "tested_positive"),
    )
}
"""Every problem by name."""


def available() -> list[str]:
    """The problems of a run: stand-ins only if no tables lie beside the project."""
    found = {p.name for p in PROBLEMS.values() if p.beside and is_there(p.name)}
    return [
        p.name
        for p in PROBLEMS.values()
        if p.name in found or not (p.beside or (found and p.stand_in))
    ]


def is_there(name: str) -> bool:
    """Whether a problem's table can be loaded."""
    return not PROBLEMS[name].beside or (SHARED / f"{name}.csv").is_file()


@cache
def load(name: str) -> tuple[pd.DataFrame, Flags]:
    """A problem's table, read once in a process."""
    return PROBLEMS[name].load()


def divide(name: str, sizes: Sizes, repetition: int) -> Division:
    """The rows of one repetition.

    As in the paper the test rows are the same in every repetition, and the training rows are
    divided into parts of which each in turn is held out. Shares of the classes are kept.
    """
    table, flags = load(name)
    n_training = min(sizes.training_rows, round(TRAINING_SHARE * len(table)))
    training, test = train_test_split(
        np.arange(len(table)),
        train_size=n_training,
        test_size=min(sizes.test_rows, len(table) - n_training),
        stratify=flags,
        random_state=SEED,
    )
    folds = StratifiedKFold(sizes.folds, shuffle=True, random_state=SEED)
    fit, held_out = list(folds.split(training, flags[training]))[repetition]
    return Division(table, flags, training[fit], training[held_out], test)
