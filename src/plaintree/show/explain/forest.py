"""Explanations for ensembles: votes or numbers of all trees, and the path of a typical one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Label, Schema
from plaintree.data.table import Table
from plaintree.stats.intervals import wilson
from plaintree.tree.predict import row_predictions

from .average import Average
from .case import Case
from .estimate import Estimate
from .explanation import Explanation
from .probabilities import ClassProbability
from .vote import FeatureUse, Method, Vote


@dataclass(frozen=True)
class _Ballot:
    """The prediction of one tree, the features on the row's decision path, and its length."""

    prediction: float
    tested: frozenset[int]
    n_steps: int


def explain_vote(model: Any, table: Table, confidence: float, deviation: float) -> Explanation:
    """The explanation of the prediction of an ensemble for one row."""
    trees = model.trees_
    first = Case.of(trees[0], table, model.used_columns())
    schema, columns = first.tree.schema, first.columns
    ballots = [_ballot(Case(tree, table, columns)) for tree in trees]
    if not schema.classes:
        mean = float(trees.shares(columns, "soft")[0, 0])
        average = _average(schema, ballots, mean)
        typical = Case(trees[average.typical], table, columns)
        return _explanation(
            typical, deviation, mean, confidence=confidence, vote=average, estimate=Estimate(mean)
        )
    weights = getattr(model, "estimator_weights_", None)
    method: Method = model.voting if weights is None else "weighted"
    if weights is None:
        probabilities = trees.shares(columns, method)[0]
    else:
        probabilities = _weighted(ballots, weights.tolist(), len(schema.classes))
    prediction = int(probabilities.argmax())
    agreeing = [i for i, ballot in enumerate(ballots) if ballot.prediction == prediction]
    counts = Counter(ballot.prediction for ballot in ballots)
    vote = Vote(
        method=method,
        n_trees=len(ballots),
        votes=tuple(counts[code] for code in range(len(schema.classes))),
        n_agreeing=counts[prediction],
        uses=_uses(schema, ballots),
        typical=_typical(ballots, agreeing),
    )
    n_sampled = len(ballots) if weights is None else None
    return _explanation(
        Case(trees[vote.typical], table, columns),
        deviation,
        schema.classes[prediction],
        probabilities=_with_intervals(schema, probabilities, n_sampled, deviation),
        confidence=confidence,
        vote=vote,
    )


def _explanation(
    case: Case,
    deviation: float,
    prediction: Label,
    *,
    probabilities: tuple[ClassProbability, ...] = (),
    **known: Any,
) -> Explanation:
    """The explanation of an ensemble, with the paths of its typical tree."""
    return Explanation(
        prediction=prediction,
        probabilities=probabilities,
        paths=tuple(case.path(node, fraction, deviation) for node, fraction in case.pieces()),
        counterfactual=None,
        weighted=case.tree.root.weight != case.tree.root.n_rows,
        **known,
    )


def _ballot(case: Case) -> _Ballot:
    end = case.pieces()[0][0]
    prediction = row_predictions(case.tree, case.columns)[0].item()
    return _Ballot(prediction, case.tested(), int(case.tree.node_depths[end]))


def _average(schema: Schema, ballots: Sequence[_Ballot], mean: float) -> Average:
    """The numbers that the trees predict."""
    numbers = np.array([ballot.prediction for ballot in ballots])
    sd = float(numbers.std())
    near = np.flatnonzero(np.abs(numbers - mean) <= sd * (1 + 1e-9)).tolist()
    return Average(
        n_trees=len(ballots),
        sd=sd,
        low=float(numbers.min()),
        high=float(numbers.max()),
        uses=_uses(schema, ballots),
        typical=_typical(ballots, near),
    )


def _weighted(
    ballots: Sequence[_Ballot], weights: Sequence[float], n_classes: int
) -> NDArray[np.float64]:
    """The classes' fractions of the trees' weights, added up as predicting does."""
    votes, given = np.zeros(n_classes), 0.0
    for ballot, weight in zip(ballots, weights, strict=True):
        votes[int(ballot.prediction)] += weight
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


def _typical(ballots: Sequence[_Ballot], agreeing: list[int]) -> int:
    """The tree whose decision path is shown; see :class:`Trees`."""
    numbers = agreeing or list(range(len(ballots)))
    counts = Counter(number for i in numbers for number in ballots[i].tested)

    def order(i: int) -> tuple[Fraction, int, int]:
        tested = ballots[i].tested
        # The square of the cosine, but for a factor that is the same for all; exact, so that
        # equals are equal.
        likeness = Fraction(sum(counts[n] for n in tested) ** 2, max(len(tested), 1))
        return -likeness, ballots[i].n_steps, i

    return min(numbers, key=order)
