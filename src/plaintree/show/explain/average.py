"""The predictions of the trees of a forest for one row, where the target is numeric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plaintree.data.words import number_text

from .vote import Trees


@dataclass(frozen=True)
class Average(Trees):
    """The numbers that the trees of a forest predict for one row; the forest predicts their mean.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    sd : float
        Standard deviation of the trees' predictions.
    low : float
        Smallest prediction of a tree.
    high : float
        Largest prediction of a tree.
    uses : tuple of FeatureUse
        Features on the row's decision paths, those of most trees first.
    typical : int
        Number, in ``trees_``, of the tree whose decision path is shown; see
        :class:`plaintree.show.Trees`.
    """

    sd: float
    low: float
    high: float

    def lines(self, prediction: float) -> Iterator[str]:
        """The mean and the spread over the trees, and the heading of the path of a typical tree."""
        trees = "tree" if self.n_trees == 1 else "trees"
        sd, low, high = map(number_text, (self.sd, self.low, self.high))
        yield f"Prediction: {number_text(prediction)} (mean of {self.n_trees} {trees})"
        yield f"Predictions of the trees: {low} to {high}, sd {sd}"
        yield (
            "(The spread over the trees is how much they disagree, not how far targets are from "
            "the prediction.)"
        )
        yield ""
        yield from self.use_lines()
        yield (
            f"Decision path of tree {self.typical}, the most typical of those within one sd of "
            "the mean:"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the predictions as plain dictionaries, lists and numbers."""
        return {"sd": self.sd, "low": self.low, "high": self.high, **super().to_dict()}
