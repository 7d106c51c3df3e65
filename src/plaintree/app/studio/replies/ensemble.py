"""An ensemble as a whole: how its trees are grown, the important columns, and a typical tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import number_text, shown_schema
from plaintree.errors import TreeError
from plaintree.tree.predict import row_predictions

from ..messages.views import Ensemble, EnsembleRequest, Fact, Importance
from .held import quiet
from .names import number
from .replay import Work

MOST_ROWS = 5_000
"""Rows that the trees are compared on; of a larger table as many, spaced evenly."""
VOTING = {
    "soft": "mean of the class probabilities of the trees",
    "hard": "majority of the votes of the trees",
}
Columns = tuple[NDArray[Any], ...]


def ensemble(work: Work, request: EnsembleRequest) -> Ensemble:
    """The facts of an ensemble, computed once for its document."""
    del request
    if work.single:
        raise TreeError(
            "the model is a single tree",
            got=work.document.settings.learner,
            hint="choose a learner of many trees, such as forest.",
        )
    found: Ensemble = work.kept_for_tree("ensemble", partial(_ensemble, work))
    return found


def _ensemble(work: Work) -> Ensemble:
    typical, text = _typical(work)
    return Ensemble(
        facts=[Fact(title=title, text=text) for title, text in _facts(work)],
        importances=_importances(work),
        typical=typical,
        typical_text=text,
    )


def _facts(work: Work) -> Iterator[tuple[str, str]]:
    model, trees = work.model, [work.tree(member) for member in range(work.n_members)]
    n_columns = len(trees[0].schema.names)
    yield "Trees", f"{len(trees):,}"
    if getattr(model, "bootstrap", False):
        size = "" if model.max_samples is None else f", max_samples={model.max_samples}"
        yield "Rows of a tree", f"bootstrap sample{size}"
    if hasattr(model, "max_features_"):
        n_tried = model.max_features_
        sampled = f"{n_tried} of {n_columns}, sampled" if n_tried < n_columns else "all"
        yield "Columns tried at a node", sampled
    yield "Conventions", str(trees[0].conventions)
    if not trees[0].schema.classes:
        yield "Prediction", "mean of the trees"
    elif getattr(model, "voting", None) in VOTING:
        yield "Prediction", VOTING[model.voting]
    yield "Leaves of a tree", _range([tree.n_leaves for tree in trees])
    yield "Depth of a tree", _range([tree.depth for tree in trees])


def _range(sizes: list[int]) -> str:
    """Sizes from the least to the greatest, with their mean.

    >>> _range([3, 3]), _range([2, 3])
    ('3', '2 to 3, mean 2.5')
    """
    if min(sizes) == max(sizes):
        return f"{sizes[0]:,}"
    return f"{min(sizes):,} to {max(sizes):,}, mean {number_text(float(np.mean(sizes)))}"


def _importances(work: Work) -> list[Importance]:
    """The importances of all columns, by out-of-bag rows if there are any."""
    names = shown_schema(work.tree().schema).names
    impurity = getattr(work.model, "feature_importances_", None)
    permuted = _permuted(work)
    found = [
        Importance(
            column=name,
            permutation=None if permuted is None else number(permuted[column]),
            impurity=None if impurity is None else number(impurity[column]),
        )
        for column, name in enumerate(names)
    ]
    return sorted(found, key=lambda it: (-(it.permutation or 0.0), -(it.impurity or 0.0)))


def _permuted(work: Work) -> NDArray[np.float64] | None:
    """Breiman's permutation importance, which columns of many values do not distort."""
    if not hasattr(work.model, "oob_score_"):
        return None
    training = work.training
    with quiet():
        lost = work.model.oob_permutation_importance(training.X, training.y).importances_mean
    if training.y.classes:
        return np.asarray(lost)
    return np.asarray(lost / (np.var(np.asarray(training.y, dtype=np.float64)) or 1.0))


# -------------------------------------------------------------------- a typical tree


def _typical(work: Work) -> tuple[int | None, str]:
    """The tree that predicts most rows as the ensemble does; the smallest of several.

    Of numbers, the one whose predictions are nearest on average.
    """
    model, columns = work.model, _some_rows(work)
    if getattr(model, "estimator_weights_", None) is not None or not hasattr(model, "bootstrap"):
        return None, ""
    classes = work.tree().schema.classes
    voting = model.voting if classes else "soft"
    whole = model.trees_.shares(columns, voting)
    together = whole.argmax(axis=1) if classes else whole[:, 0]
    distances = []
    for member in range(work.n_members):
        apart = row_predictions(work.tree(member), columns) - together
        distances.append(float(np.mean(apart != 0 if classes else np.abs(apart))))
    nearest = min(distances)
    alike = [member for member, distance in enumerate(distances) if distance == nearest]
    typical = min(alike, key=lambda member: (work.tree(member).n_nodes, member))
    n_rows = len(columns[0])
    rows = f"{n_rows:,} training rows"
    if classes:
        same = n_rows - round(nearest * n_rows)
        return typical, f"It predicts {same:,} of {rows} as all trees together do, the most."
    mean = number_text(nearest)
    return typical, f"Its predictions for {rows} are nearest to the mean: {mean} apart."


def _some_rows(work: Work) -> Columns:
    """The training rows, or some of very many."""
    columns = work.rows.columns
    n_rows = len(columns[0])
    if n_rows <= MOST_ROWS:
        return tuple(columns)
    some = np.linspace(0, n_rows - 1, MOST_ROWS).astype(np.intp)
    return tuple(column[some] for column in columns)
