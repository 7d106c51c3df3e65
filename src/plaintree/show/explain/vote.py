"""The vote of an ensemble on one row, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.schema import Label
from plaintree.data.words import cells, plain

from ..numbers import percent
from .probabilities import ClassProbability, probability_lines

FEATURES_SHOWN = 8
"""In text, those that most trees split on. All of them are in the data."""

Method = Literal["hard", "soft", "weighted"]


@dataclass(frozen=True)
class FeatureUse:
    """A feature, and the number of trees that split on it on the row's decision path.

    Attributes
    ----------
    feature : str
        Name of the feature.
    n_trees : int
        Number of trees.
    """

    feature: str
    n_trees: int


@dataclass(frozen=True)
class Trees:
    """The trees of an ensemble on one row: the features that they split on, and a typical one.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    uses : tuple of FeatureUse
        Features on the row's decision paths, those of most trees first.
    typical : int
        Number, in ``trees_``, of the tree whose decision path is shown: of the trees that agree
        with the ensemble (of all trees, if none does), the one whose features on the path are most
        like those of all of them. The measure is the cosine between its features and the counts of
        trees by feature. Of equals, it is the one with the shortest path, then the first. Trees
        agree if they predict the same class, or a number within one standard deviation (over the
        trees) of the mean.
    """

    n_trees: int
    uses: tuple[FeatureUse, ...]
    typical: int

    def use_lines(self) -> Iterator[str]:
        if not self.uses:
            return
        yield f"Features on the decision paths (number of trees, of {self.n_trees}):"
        shown = self.uses[:FEATURES_SHOWN]
        longest = max(cells(plain(use.feature)) for use in shown)
        digits = len(str(shown[0].n_trees))
        for use in shown:
            name = plain(use.feature)
            yield f"  {name}{' ' * (longest - cells(name))}   {use.n_trees:>{digits}}"
        more = len(self.uses) - FEATURES_SHOWN
        if more > 0:
            yield f"  and {more} more {'feature' if more == 1 else 'features'}"
        yield ""

    def no_counterfactual(self) -> str:
        """Why there is no counterfactual, and how to get one."""
        return (
            "Counterfactual: for single trees only; explain this tree "
            f"(trees_[{self.typical}], or --tree {self.typical})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the trees as plain dictionaries, lists and numbers."""
        return {
            "n_trees": self.n_trees,
            "uses": [{"feature": u.feature, "n_trees": u.n_trees} for u in self.uses],
            "typical": self.typical,
        }


@dataclass(frozen=True)
class Vote(Trees):
    """The vote of an ensemble on one row.

    Attributes
    ----------
    method : {"hard", "soft", "weighted"}
        Whether every tree has one vote, gives its class probabilities, or has a vote of its own
        weight (boosting).
    n_trees : int
        Number of trees.
    votes : tuple of int
        Number of trees that predict each class by themselves, in the order of ``classes_``.
    n_agreeing : int
        Number of trees that predict the class of the ensemble.
    uses : tuple of FeatureUse
        Features on the row's decision paths, those of most trees first.
    typical : int
        Number, in ``trees_``, of the tree whose decision path is shown; see
        :class:`plaintree.show.Trees`.
    """

    method: Method
    votes: tuple[int, ...]
    n_agreeing: int

    def lines(
        self, prediction: Label, probabilities: Sequence[ClassProbability], confidence: float
    ) -> Iterator[str]:
        """The vote, the features, and the heading of the path of the typical tree."""
        highest = max(p.probability for p in probabilities)
        yield f"Prediction: {plain(prediction)} ({self._decision(percent(highest))})"
        sources = {"hard": "votes", "soft": "mean over the trees", "weighted": "weighted votes"}
        yield f"Class probabilities ({sources[self.method]}):"
        yield from probability_lines(probabilities)
        yield f"({self._interval_note(confidence)})"
        yield ""
        yield from self.use_lines()
        which = f"those that predict {plain(prediction)}" if self.n_agreeing else "all trees"
        yield f"Decision path of tree {self.typical}, the most typical of {which}:"

    def _decision(self, highest: str) -> str:
        trees = "tree" if self.n_trees == 1 else "trees"
        if self.method == "soft":
            return f"mean probability of {self.n_trees} {trees}: {highest}"
        agreeing = f"{self.n_agreeing} of {self.n_trees} {trees}"
        return f"{agreeing}, {highest} of the weight" if self.method == "weighted" else agreeing

    def _interval_note(self, confidence: float) -> str:
        if self.method == "weighted":
            return (
                "There are no intervals: each tree is grown on the errors of earlier ones, not "
                "sampled like them."
            )
        return (
            f"{100 * confidence:.4g}% Wilson intervals over the trees: how another forest grown "
            "alike may vote, not how often it is correct."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the vote as plain dictionaries, lists and numbers."""
        return {
            "method": self.method,
            "n_trees": self.n_trees,
            "votes": list(self.votes),
            "n_agreeing": self.n_agreeing,
            **super().to_dict(),
        }
