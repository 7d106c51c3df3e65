"""The thresholds of a living report: those of the splits that it shows, thinned where many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..studio.messages.nodes import Candidates, Cuts
from ..studio.replies.library import node_at

if TYPE_CHECKING:
    from .replies import Replies

MOST_ROWS = 250_000
"""Rows of nodes that thresholds are scored from."""
EACH = 1_500
"""What the thresholds of a column cost besides the rows of the node."""
MOST_THRESHOLDS = 100
"""Thresholds of a column at a node: of each stretch of them the best."""
DIGITS = 9
"""Significant digits of scores, more than the page shows; the others do not compress."""


def add_thresholds(replies: Replies, known: Sequence[Candidates]) -> None:
    """Keep the thresholds of numeric columns; those of the splits in the tree come first."""
    left = MOST_ROWS
    tree = replies.work.own_tree()
    offers = [(node, offer) for node in known for offer in node.offers]
    for node, offer in sorted(offers, key=lambda each: not each[1].chosen):
        if offer.split.cut is None:  # a category, or a column whose values are not in the report
            continue
        left -= EACH + int(tree.n_rows[node_at(tree, node.at)])
        if left < 0:
            return
        asked = {"at": node.at, "member": 0, "column": offer.split.column}
        found = thinned(replies.replied("cuts", **asked))
        if not replies.rows:
            found.values, found.labels = [], []
        replies.by_name.setdefault("cuts", []).append((asked, found))


def thinned(cuts: Cuts) -> Cuts:
    """A copy with at most ``MOST_THRESHOLDS``, which keep the best one and the peaks.

    >>> found = Cuts(column="x", thresholds=[*range(300)], texts=["?"] * 300, scores=[*range(300)],
    ...     below=[[1.0]] * 300, total=[2.0], allowed=[True] * 300, refused=[""] * 300, best=299,
    ...     n_thresholds=300, score_name="gain", bins=[], counts=[], values=[], labels=[])
    >>> fewer = thinned(found)
    >>> fewer.thresholds[:2], fewer.thresholds[-1], fewer.best, fewer.n_thresholds
    ([2, 5], 299, 99, 300)
    """
    kept = _kept(cuts)
    places = kept.tolist()
    return Cuts(
        column=cuts.column,
        thresholds=[cuts.thresholds[place] for place in places],
        texts=[cuts.texts[place] for place in places],
        scores=[rounded(cuts.scores[place]) for place in places],
        below=[cuts.below[place] for place in places],
        total=cuts.total,
        allowed=[cuts.allowed[place] for place in places],
        refused=[cuts.refused[place] for place in places],
        best=None if cuts.best is None else int(np.searchsorted(kept, cuts.best)),
        n_thresholds=cuts.n_thresholds,
        score_name=cuts.score_name,
        bins=[rounded(edge) or 0.0 for edge in cuts.bins],
        counts=cuts.counts,
        values=cuts.values,
        labels=cuts.labels,
    )


def rounded(number: float | None) -> float | None:
    """A number with the digits that are shown.

    >>> rounded(2 / 3)
    0.666666667
    """
    return None if number is None else float(f"{number:.{DIGITS}g}")


def _kept(cuts: Cuts) -> NDArray[np.intp]:
    n = len(cuts.thresholds)
    if n <= MOST_THRESHOLDS:
        return np.arange(n)
    scores = np.array([-np.inf if score is None else score for score in cuts.scores], np.float64)
    known = scores[np.isfinite(scores)]
    if len(known):  # one that is allowed comes before all others of its stretch
        scores[~np.array(cuts.allowed, dtype=np.bool_)] -= np.ptp(known) + 1
    if cuts.best is not None:
        scores[cuts.best] = np.inf
    stretches = np.array_split(np.arange(n), MOST_THRESHOLDS)
    return np.array([stretch[scores[stretch].argmax()] for stretch in stretches])
