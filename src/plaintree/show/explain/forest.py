"""Why many trees together answer one row as they do: every tree is asked, and one is told of."""

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
from .shares import ClassShare
from .vote import Method, Use, Vote


@dataclass(frozen=True)
class _Ballot:
    """What one tree says: its answer, the attributes it tests, and the length of the row's way."""

    answer: int
    tested: frozenset[int]
    n_steps: int


def explain_vote(model: Any, table: Table, confidence: float, deviation: float) -> Explanation:
    """The explanation of the answer that a model's ``trees_`` give to one row together."""
    trees = model.trees_
    first = Case.of(trees[0], table, model.used_columns())
    schema, columns = first.tree.schema, first.columns
    ballots = [_ballot(Case(tree, table, columns)) for tree in trees]
    weights = getattr(model, "estimator_weights_", None)
    method: Method = model.voting if weights is None else "weight"
    if weights is None:
        shares = trees.shares(columns, method)[0]
    else:
        shares = _weighed(ballots, weights.tolist(), len(schema.classes))
    answer = int(shares.argmax())
    typical = _typical(ballots, answer)
    case = Case(trees[typical], table, columns)
    counts = Counter(ballot.answer for ballot in ballots)
    return Explanation(
        answer=schema.classes[answer],
        shares=_voted(schema, shares, len(ballots) if weights is None else None, deviation),
        paths=tuple(case.path(node, share, deviation) for node, share in case.pieces()),
        change=None,
        confidence=confidence,
        weighted=case.tree.root.weight != case.tree.root.n_rows,
        vote=Vote(
            method=method,
            n_trees=len(ballots),
            answers=tuple(counts[code] for code in range(len(schema.classes))),
            n_for=counts[answer],
            uses=_uses(schema, ballots),
            typical=typical,
        ),
    )


def _ballot(case: Case) -> _Ballot:
    end = case.pieces()[0][0]
    answer = int(class_codes(case.tree, case.columns)[0])
    return _Ballot(answer, case.tested(), int(case.tree.node_depths[end]))


def _weighed(
    ballots: Sequence[_Ballot], weights: Sequence[float], n_classes: int
) -> NDArray[np.float64]:
    """The classes' shares of the trees' weights, added up as predicting does."""
    votes, given = np.zeros(n_classes), 0.0
    for ballot, weight in zip(ballots, weights, strict=True):
        votes[ballot.answer] += weight
        given += weight
    return votes / given


def _voted(
    schema: Schema, shares: NDArray[np.float64], n_drawn: int | None, deviation: float
) -> tuple[ClassShare, ...]:
    """The classes' shares; with intervals if so many trees were drawn alike."""
    pairs = zip(schema.classes, shares.tolist(), strict=True)
    if n_drawn is None:
        return tuple(ClassShare(label, share, nan, nan) for label, share in pairs)
    # A mean of shares varies no more than a mean of whole votes: the interval is wide enough.
    return tuple(ClassShare(name, p, *wilson(p, n_drawn, deviation)) for name, p in pairs)


def _uses(schema: Schema, ballots: Sequence[_Ballot]) -> tuple[Use, ...]:
    """The attributes that are tested, those of most trees first, then in column order."""
    counts = Counter(number for ballot in ballots for number in ballot.tested)
    ordered = sorted(counts, key=lambda number: (-counts[number], number))
    return tuple(Use(schema.names[number], counts[number]) for number in ordered)


def _typical(ballots: Sequence[_Ballot], answer: int) -> int:
    """The tree to be told of; see :class:`Vote`."""
    numbers = [i for i, ballot in enumerate(ballots) if ballot.answer == answer]
    numbers = numbers or list(range(len(ballots)))
    counts = Counter(number for i in numbers for number in ballots[i].tested)

    def order(i: int) -> tuple[Fraction, int, int]:
        tested = ballots[i].tested
        # The square of the cosine, but for a factor that is the same for all; exact, so that
        # equals are equal.
        likeness = Fraction(sum(counts[n] for n in tested) ** 2, max(len(tested), 1))
        return -likeness, ballots[i].n_steps, i

    return min(numbers, key=order)
