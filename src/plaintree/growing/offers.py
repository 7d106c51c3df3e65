"""The splits that the features offer at a node, and the thresholds of one of them, as results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Label
from plaintree.errors import ColumnError, nearest
from plaintree.tree.condition import Condition

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Branch:
    """One branch of a candidate split.

    Attributes
    ----------
    text : str
        The branch as text, such as ``humidity <= 75``.
    n_rows : int
        The number of training rows that would reach it, missing values included. A row that is
        divided counts in each of its branches.
    weight : float
        The sum of their weights.
    class_weights : tuple of float
        The weight of each class, in the order of the classes; empty if the target is numeric.
    mean : float or None
        The mean of a numeric target; None for classes, or without rows.
    """

    text: str
    n_rows: int
    weight: float
    class_weights: tuple[float, ...] = ()
    mean: float | None = None


@dataclass(frozen=True)
class Candidate:
    """The best split of one feature at a node.

    Attributes
    ----------
    feature : str
        The name of the feature.
    condition : Condition or None
        The condition, with the column number of the feature. None if the feature offers none.
    branches : tuple of Branch
        The branches in the order of the condition; the last may be one for missing values.
    score : float
        The value of the criterion, divided by the cost of the feature if it has one. NaN without a
        condition, or if the criterion has no value.
    gain : float
        The decrease of impurity, after the penalty. It is the score, unless the criterion is a
        ratio or the feature has a cost.
    penalty : float
        What C4.5 subtracts from the gain of a threshold; 0 if the conventions have no penalty.
    rank : int or None
        1 for the best; tied splits share a rank. None if the split does not qualify.
    tied : bool
        Whether another feature has the same rank.
    refused : str or None
        The reason why the split does not qualify; None if it does.
    n_missing : int
        The number of rows without a value of the feature.
    missing : str
        Where rows without a value go.
    missing_branch : int or None
        The position of the branch that they go to; None if there is not one.
    p_value : float or None
        The p-value of the split, if the conventions test its significance.
    """

    feature: str
    condition: Condition | None
    branches: tuple[Branch, ...]
    score: float
    gain: float
    penalty: float
    rank: int | None
    tied: bool
    refused: str | None
    n_missing: int
    missing: str
    missing_branch: int | None
    p_value: float | None = None

    @property
    def text(self) -> str:
        """The split as text: the first branch, or the name of the feature if there are more."""
        return (
            self.feature if len(self.branches) > 2 or not self.branches else self.branches[0].text
        )


@dataclass(frozen=True, eq=False)
class Thresholds:
    """All thresholds of a numeric feature at a node, in ascending order.

    Attributes
    ----------
    feature : str
        The name of the feature.
    values : ndarray of float64
        The thresholds, as the conventions report them.
    scores, gains : ndarray of float64
        The score and the gain of each, before C4.5's penalty; NaN by absolute error.
    below : ndarray of float64, shape (n_thresholds, n_classes)
        The weight of each class up to each threshold, imputed rows included. For a numeric target
        the columns are the weight and the mean.
    total : ndarray of float64
        The same of all rows that the thresholds separate.
    refused : tuple of str or None
        For each threshold the reason why the learner may not use it; None if it may.
    best : int or None
        The position of the threshold that the learner would use; None if there is none.
    """

    feature: str
    values: NDArray[np.float64]
    scores: NDArray[np.float64]
    gains: NDArray[np.float64]
    below: NDArray[np.float64]
    total: NDArray[np.float64]
    refused: tuple[str | None, ...]
    best: int | None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """Whether the learner may use each threshold."""
        return np.array([reason is None for reason in self.refused], dtype=np.bool_)

    def to_frame(self) -> polars.DataFrame:
        """Return the thresholds as a polars DataFrame, one row each."""
        import polars

        return polars.DataFrame(
            {
                "threshold": self.values,
                "score": self.scores,
                "gain": self.gains,
                "below": self.below.tolist(),
                "refused": polars.Series(self.refused, dtype=polars.String),
            }
        )

    def __repr__(self) -> str:
        return f"<Thresholds of {self.feature}: {len(self)}, {int(self.allowed.sum())} allowed>"


@dataclass(frozen=True, eq=False)
class Candidates:
    """The splits that the features offer at a node, in the order in which the learner prefers them.

    Iterate over it, or take one by its position or by the name of a feature. ``print`` shows a
    table.

    Attributes
    ----------
    node : int
        The number of the node.
    path : str
        The conditions from the root to the node as text.
    items : tuple of Candidate
        One for each feature that can be tried: first those that qualify, then the others.
    criterion : str
        The name of the criterion.
    classes : tuple of labels
        The classes; empty if the target is numeric.
    n_rows : int
        The number of training rows at the node.
    weight : float
        The sum of their weights.
    class_weights : tuple of float
        The weight of each class.
    mean : float or None
        The mean of a numeric target; None for classes.
    impurity : float
        The impurity of the node.
    min_gain : float or None
        The mean gain of the features, which a split has to reach by C4.5's conventions; None by
        others.
    tie_tolerance : float
        Scores that differ by no more than this are tied.
    margin : float or None
        By how much the best score exceeds the best one of another feature.
    split : Condition or None
        The split that the tree has at the node; None in a leaf.
    stops : str or None
        The reason why the learner would not split the node; None if it would.
    untried : dict
        The features that cannot be tried, each with the reason.
    """

    node: int
    path: str
    items: tuple[Candidate, ...]
    criterion: str
    classes: tuple[Label, ...]
    n_rows: int
    weight: float
    class_weights: tuple[float, ...]
    mean: float | None
    impurity: float
    min_gain: float | None
    tie_tolerance: float
    margin: float | None
    split: Condition | None
    stops: str | None
    untried: dict[str, str]
    _ask: Callable[[str], Thresholds] = field(repr=False)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.items)

    def __getitem__(self, which: int | str) -> Candidate:
        if not isinstance(which, str):
            return self.items[which]
        for item in self.items:
            if item.feature == which:
                return item
        names = [item.feature for item in self.items]
        reason = self.untried.get(which)
        raise ColumnError(
            f"the feature {which!r} is not tried at node {self.node}",
            got=reason or repr(which),
            hint="take another feature." if reason else nearest(which, names) or "check the name.",
        )

    @property
    def best(self) -> Candidate | None:
        """The split that the learner prefers; None if none qualifies."""
        return self.items[0] if self.items and self.items[0].refused is None else None

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that the tree has at the node; None if it has none of them."""
        same = (item for item in self.items if item.condition == self.split is not None)
        return next(same, None)

    def thresholds(self, feature: str) -> Thresholds:
        """Score all thresholds of a numeric feature at the node.

        Parameters
        ----------
        feature : str
            The name of a numeric or ordered feature.

        Returns
        -------
        Thresholds
            The thresholds in ascending order, with scores, class weights below each, and the
            reason why the learner may not use it, if there is one.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_golf()
        >>> found = pt.candidates(pt.C45Classifier().fit(X, y), X, y)
        >>> humidity = found.thresholds("humidity")
        >>> float(humidity.values[humidity.best])
        80.0
        """
        return self._ask(feature)

    def to_frame(self) -> polars.DataFrame:
        """Return the candidates as a polars DataFrame, one row per feature.

        Returns
        -------
        polars.DataFrame
            The columns rank, feature, split (the branches as text), score, gain, penalty, n_rows
            (of each branch), n_missing, tied and refused.
        """
        import polars

        rows = self.items
        columns: dict[str, Any] = {
            "rank": polars.Series([item.rank for item in rows], dtype=polars.Int64),
            "feature": polars.Series([item.feature for item in rows], dtype=polars.String),
            "split": [[branch.text for branch in item.branches] for item in rows],
            "score": polars.Series([item.score for item in rows], dtype=polars.Float64),
            "gain": polars.Series([item.gain for item in rows], dtype=polars.Float64),
            "penalty": polars.Series([item.penalty for item in rows], dtype=polars.Float64),
            "n_rows": [[branch.n_rows for branch in item.branches] for item in rows],
            "n_missing": polars.Series([item.n_missing for item in rows], dtype=polars.Int64),
            "tied": polars.Series([item.tied for item in rows], dtype=polars.Boolean),
            "refused": polars.Series([item.refused for item in rows], dtype=polars.String),
        }
        return polars.DataFrame(columns)

    def __str__(self) -> str:
        from .offers_text import candidates_text

        return candidates_text(self)

    def __repr__(self) -> str:
        best = self.best
        return f"<Candidates at node {self.node}: {len(self)} features, best {best and best.text}>"
