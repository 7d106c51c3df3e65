"""Two documents about one table: the first difference, and the rows predicted differently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import prediction_text
from plaintree.errors import PlaintreeError, TreeError
from plaintree.evaluation import rows_predicted_differently
from plaintree.evaluation.compare import SAME_PROBABILITY
from plaintree.progress import Progress

from ..messages.documents import Split
from ..messages.nodes import CandidateFacts, MeasureRequest
from ..messages.views import ComparedSplit, CompareRequest, Comparison
from .candidates import measure, split_of
from .held import Held, quiet
from .library import first_difference, node_at
from .replay import Work, replayed
from .tree_columns import columns_of

MOST_ROWS = 1_000


def compare(held: Held, request: CompareRequest, progress: Progress) -> Comparison:
    """Compare the models of two documents."""
    here, there = (replayed(held, it, progress) for it in (request.document, request.other))
    if here.training.target != there.training.target or here.training.task != there.training.task:
        raise TreeError(
            "the two documents predict different targets",
            got=f"{here.training.target} and {there.training.target}",
            hint="choose the same target and task.",
        )
    found = None
    if here.single and there.single:
        found = first_difference(here.own_tree(), there.own_tree())
    rows = _rows_that_differ(here, there)
    listed = rows[:MOST_ROWS]
    text = "" if found is None else found.text
    if not (here.single and there.single):
        text = "Ensembles are compared by their predictions."
    return Comparison(
        same=found is None and here.single == there.single and not len(rows),
        text=text,
        at=None if found is None or found.path is None else list(found.path),
        splits=[] if found is None or found.path is None else _splits(here, there, found.path),
        here=columns_of(here),
        there=columns_of(there),
        n_differ=len(rows),
        rows=listed.tolist(),
        predicted_here=_predicted(here, listed),
        predicted_there=_predicted(there, listed),
    )


def _splits(here: Work, there: Work, path: tuple[int, ...]) -> list[ComparedSplit]:
    """The split of each tree at a node, measured by the conventions of both."""
    at, splits = list(path), list[Split]()
    for tree in (here.own_tree(), there.own_tree()):
        condition = tree.condition(node_at(tree, at))
        if condition is not None and split_of(tree, condition) not in splits:
            splits.append(split_of(tree, condition))
    try:
        return [
            ComparedSplit(here=_measured(here, at, split), there=_measured(there, at, split))
            for split in splits
        ]
    except PlaintreeError:  # a column that the other has not, or does not split like this
        return []


def _measured(work: Work, at: list[int], split: Split) -> CandidateFacts:
    return measure(work, MeasureRequest(document=work.document, at=at, split=split))


def _predicted(work: Work, rows: NDArray[np.int64]) -> list[str]:
    """The predictions for some rows, as text."""
    if not len(rows):
        return []
    with quiet():
        found = work.model.predict(work.training.X.take(rows)).tolist()
    return [prediction_text(work.tree().schema, label) for label in found]


def _rows_that_differ(here: Work, there: Work) -> NDArray[np.int64]:
    """The rows that two models predict differently; each sees the columns of its document."""
    one, other = here.training.X, there.training.X
    with quiet():
        if one.names == other.names:
            return rows_predicted_differently(here.model, there.model, one)
        predicted = np.asarray(here.model.predict(one)), np.asarray(there.model.predict(other))
    if here.training.task == "classification":
        return np.flatnonzero(predicted[0] != predicted[1]).astype(np.int64)
    same = np.isclose(*predicted, rtol=SAME_PROBABILITY, atol=0)
    return np.flatnonzero(~same).astype(np.int64)
