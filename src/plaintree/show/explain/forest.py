"""Explanations for ensembles: the votes of all trees, and the decision path of a typical one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.data.table import Table
from plaintree.stats.intervals import wilson
from plaintree.tree.predict import class_codes

from .case import Case
from .explanation import Explanation
from .probabilities import ClassProbability
from .vote import FeatureUse, Method, Vote


@dataclass(frozen=True)
class _Ballot:
    """The prediction of one tree, the features on the row's decision path, and its length."""

    prediction: int
    tested: frozenset[int]
    n_steps: int


def explain_vote(model: Any, table: Table, confidence: float, deviation: float) -> Explanation:
    """The explanation of the prediction of an ensemble for one row."""
    trees = model.trees_
    first = Case.of(trees[0], table, model.used_columns())
    schema, columns = first.tree.schema, first.columns
    ballots = [_ballot(Case(tree, table, columns)) for tree in trees]
    weights = getattr(model, "estimator_weights_", None)
    method: Method = model.voting if weights is None else "weighted"
    if weights is None:
        probabilities = trees.shares(columns, method)[0]
    else:
        probabilities = _weighted(ballots, weights.tolist(), len(schema.classes))
    prediction = int(probabilities.argmax())
    typical = _typical(ballots, prediction)
    case = Case(trees[typical], table, columns)
    counts = Counter(ballot.prediction for ballot in ballots)
    n_sampled = len(ballots) if weights is None else None
    return Explanation(
        prediction=schema.classes[prediction],
        probabilities=_with_intervals(schema, probabilities, n_sampled, deviation),
        paths=tuple(case.path(node, fraction, deviation) for node, fraction in case.pieces()),
        counterfactual=None,
        confidence=confidence,
        weighted=case.tree.root.weight != case.tree.root.n_rows,
        vote=Vote(
            method=method,
            n_trees=len(ballots),
            votes=tuple(counts[code] for code in range(len(schema.classes))),
            n_agreeing=counts[prediction],
            uses=_uses(schema, ballots),
            typical=typical,
        ),
    )


def _ballot(case: Case) -> _Ballot:
    end = case.pieces()[0][0]
    prediction = int(class_codes(case.tree, case.columns)[0])
    return _Ballot(prediction, case.tested(), int(case.tree.node_depths[end]))


def _weighted(
    ballots: Sequence[_Ballot], weights: Sequence[float], n_classes: int
) -> NDArray[np.float64]:
    """The classes' fractions of the trees' weights, added up as predicting does."""
    votes, given = np.zeros(n_classes), 0.0
    for ballot, weight in zip(ballots, weights, strict=True):
        votes[ballot.prediction] += weight
        given += weight
    return votes / given


def _with_intervals(
    schema: Schema, probabilities: NDArray[np.float64], n_sampled: int | None, deviation: float
) -> tuple[ClassProbability, ...]:
    """The probabilities, with intervals if this number of trees was sampled alike."""
    pairs = zip(schema.classes, probabilities.tolist(), strict=True)
    if n_sampled is None:
        return tuple(ClassProbability(label, p, nan, nan) for label, p in pairs)
    # A mean of probabilities varies no more than a mean of votes: the interval is wide enough.
    return tuple(ClassProbability(name, p, *wilson(p, n_sampled, deviation)) for name, p in pairs)


def _uses(schema: Schema, ballots: Sequence[_Ballot]) -> tuple[FeatureUse, ...]:
    """The features on the decision paths, those of most trees first, then in column order."""
    counts = Counter(number for ballot in ballots for number in ballot.tested)
    ordered = sorted(counts, key=lambda number: (-counts[number], number))
    return tuple(FeatureUse(schema.names[number], counts[number]) for number in ordered)


def _typical(ballots: Sequence[_Ballot], prediction: int) -> int:
    """The tree whose decision path is shown; see :class:`Vote`."""
    numbers = [i for i, ballot in enumerate(ballots) if ballot.prediction == prediction]
    numbers = numbers or list(range(len(ballots)))
    counts = Counter(number for i in numbers for number in ballots[i].tested)

    def order(i: int) -> tuple[Fraction, int, int]:
        tested = ballots[i].tested
        # The square of the cosine, but for a factor that is the same for all; exact, so that
        # equals are equal.
        likeness = Fraction(sum(counts[n] for n in tested) ** 2, max(len(tested), 1))
        return -likeness, ballots[i].n_steps, i

    return min(numbers, key=order)
