"""Errors of trees on a grid of points, grown from a random sample of them.

    python examples/lecture_grids.py [--draws 100]

An information-theory course grows trees from random points of a 41 x 41 grid and counts the
errors on all 1681 points, once for each size of the training set. One draw is not enough, so this
example makes many and prints the minimum, the median and the maximum number of errors, with the
course's results and those of scikit-learn on the same draws.

- Classes are the sign of a function: -1, 0 and 1. Function 2 is 0 on both axes (81 points),
  function 3 only at the origin.
- Many splits tie on so few points, and the choice decides the rest of the tree. plaintree takes the
  first column, so a row is shown for each order of the columns. scikit-learn takes one at random,
  so its results are over several random states for each draw.
- C4.5, as in Quinlan's program, subtracts a penalty for the number of thresholds from the gain. In
  function 2 no first split gains anything by itself, so it often stops at a single leaf.
- The course's fourth function, read with x2 in place of its undefined y1, has the same signs as
  function 2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.tree import DecisionTreeClassifier

from plaintree import C45Classifier, CARTClassifier, ID3Classifier

Points = NDArray[np.float64]
Classes = NDArray[np.int64]
RANDOM_STATES = range(5)


@dataclass(frozen=True)
class Study:
    """A function, the size of the training set, and the number of errors of the course."""

    name: str
    classify: Callable[[Points], Classes]
    n_training: int
    course_errors: int

    def draw(self, points: Points, seed: int) -> NDArray[np.int64]:
        """Draw the points of the training set."""
        rng = np.random.default_rng(seed)
        return rng.choice(len(points), size=self.n_training, replace=False)


@dataclass(frozen=True)
class Learner:
    """A tree learner by name, and the order of the columns x1 and x2."""

    name: str
    make: Callable[[int], Any]
    """random state -> classifier"""
    columns: tuple[int, int] = (0, 1)
    is_random: bool = False

    def errors(self, points: Points, classes: Classes, training: Classes) -> Iterator[int]:
        """Errors on all points after growing from the training points, per random state."""
        table = points[:, self.columns]
        for state in RANDOM_STATES if self.is_random else (0,):
            model = self.make(state).fit(table[training], classes[training])
            yield int(np.count_nonzero(model.predict(table) != classes))


def grid() -> Points:
    """All points whose coordinates are -1, -0.95, ... 1."""
    axis = np.arange(-20, 21) / 20
    return np.array([(x1, x2) for x1 in axis for x2 in axis])


def function_2(points: Points) -> Classes:
    """sign(3 x1^3 x2^3): the four quadrants, and 0 on the axes."""
    x1, x2 = points.T
    return np.sign(3 * x1**3 * x2**3).astype(np.int64)


def function_3(points: Points) -> Classes:
    """sign(-2 cbrt(x1^2) + 4 x2^2): two curved regions."""
    x1, x2 = points.T
    return np.sign(-2 * np.cbrt(x1**2) + 4 * x2**2).astype(np.int64)


STUDIES = (
    Study("function 2", function_2, 300, 3),
    Study("function 2", function_2, 100, 35),
    Study("function 3", function_3, 400, 26),
    Study("function 3", function_3, 100, 97),
)

LEARNERS = (
    Learner("ID3, information gain", lambda _: ID3Classifier()),
    Learner("ID3, information gain, x2 first", lambda _: ID3Classifier(), columns=(1, 0)),
    Learner("ID3, gain ratio (the course)", lambda _: ID3Classifier(criterion="gain_ratio")),
    Learner("C4.5", lambda _: C45Classifier()),
    Learner("CART, Gini", lambda _: CARTClassifier()),
    Learner("CART, Gini, x2 first", lambda _: CARTClassifier(), columns=(1, 0)),
    Learner(
        "scikit-learn, entropy",
        lambda state: DecisionTreeClassifier(criterion="entropy", random_state=state),
        is_random=True,
    ),
    Learner(
        "scikit-learn, Gini",
        lambda state: DecisionTreeClassifier(random_state=state),
        is_random=True,
    ),
)


def count_errors(study: Study, learner: Learner, draws: int) -> list[int]:
    """The errors of one learner over all draws."""
    points = grid()
    classes = study.classify(points)
    return [
        errors
        for seed in range(draws)
        for errors in learner.errors(points, classes, study.draw(points, seed))
    ]


def error_table(draws: int) -> Table:
    """A row per learner, a column per study, the course's results last."""
    table = Table(title=f"Errors of 1681 points over {draws} draws: least / median / greatest")
    table.add_column("learner", no_wrap=True)
    for study in STUDIES:
        table.add_column(f"{study.name}, N = {study.n_training}", justify="right")
    for learner in LEARNERS:
        counts = [count_errors(study, learner, draws) for study in STUDIES]
        cells = [f"{min(c)} / {np.median(c):g} / {max(c)}" for c in counts]
        table.add_row(learner.name, *cells)
    table.add_section()
    table.add_row("the course, a single draw", *(str(s.course_errors) for s in STUDIES))
    return table


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="Errors of trees grown from points of a grid")
    parser.add_argument("--draws", type=int, default=100, help="training sets (default 100)")
    draws = parser.parse_args().draws
    if draws < 1:
        parser.error("--draws must be at least 1")
    console = Console(width=None if sys.stdout.isatty() else 124)
    console.print(error_table(draws))


if __name__ == "__main__":
    main()
