"""How class weights become predictions: priors, costs of misclassification, a decision threshold.

A rule is made for the classes of a tree and the weights of its root; without priors and costs it is
the majority vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .class_costs import cost_matrix, prior_array, threshold_matrix
from .conventions import Conventions

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
ROUNDING = 1e-12
"""Relatively, how far expected costs that are equal on paper may be apart."""


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """The rule of a tree.

    - ``ratios``: by class, the prior over the fraction of the training weight; None: all are 1.
    - ``costs``: actual x predicted, the costs of errors by which a tree is pruned; None: all are 1.
    - ``decisive``: the costs by which classes are predicted, which may be those of a decision
      threshold.
    """

    ratios: Floats | None = None
    costs: Floats | None = None
    decisive: Floats | None = None

    @classmethod
    def of(
        cls, conventions: Conventions | None, classes: Sequence[Any], root_weights: Floats
    ) -> DecisionRule:
        """The rule of conventions for the classes of a table with these weights."""
        if conventions is None:
            return MAJORITY
        ratios = costs = None
        if conventions.priors is not None:
            fractions = root_weights / root_weights.sum()
            priors = prior_array(conventions.priors, classes)
            ratios = np.divide(priors, fractions, out=np.zeros_like(priors), where=fractions > 0)
        if conventions.costs is not None:
            costs = cost_matrix(conventions.costs, classes)
        decisive = costs
        if conventions.decision_threshold is not None:
            decisive = threshold_matrix(conventions.decision_threshold, classes)
        return cls(ratios, costs, decisive)

    @property
    def is_majority(self) -> bool:
        """Whether the class of the largest weight is predicted."""
        return self.ratios is None and self.decisive is None

    def votes(self, class_weights: Floats) -> Floats:
        """Class weights (groups x classes) as they count in probabilities."""
        return class_weights if self.ratios is None else class_weights * self.ratios

    def expected_costs(self, class_weights: Floats) -> Floats:
        """The cost of predicting each class for groups of rows (groups x classes)."""
        votes = self.votes(class_weights)
        if self.decisive is None:
            return np.asarray(votes.sum(axis=1, keepdims=True) - votes)
        return votes @ self.decisive

    def is_cheapest(self, class_weights: Floats) -> NDArray[np.bool_]:
        """Which classes (groups x classes) have the least expected cost."""
        costs = self.expected_costs(class_weights)
        allowed = ROUNDING * self.votes(class_weights).sum(axis=1, keepdims=True)
        return np.asarray(costs <= costs.min(axis=1, keepdims=True) + allowed)

    def classes(self, class_weights: NDArray[Any]) -> Codes:
        """The first class of the least expected cost for each group; the majority without costs."""
        if not self.is_majority:
            return self.labels(class_weights)
        if class_weights.shape[1] == 2:  # argmax of short rows is slow
            return np.asarray(class_weights[:, 1] > class_weights[:, 0], dtype=np.int64)
        return np.asarray(class_weights.argmax(axis=1), dtype=np.int64)

    def labels(self, class_weights: NDArray[Any]) -> Codes:
        """What nodes predict: as ``classes``, but sums of parts of rows tie up to rounding."""
        return np.asarray(self.is_cheapest(class_weights).argmax(axis=1), dtype=np.int64)

    def row_costs(self, predicted: NDArray[Any], actual: NDArray[Any]) -> Floats:
        """The cost of each row by its predicted and its actual class, times the prior's ratio."""
        predicted, actual = predicted.astype(np.int64), actual.astype(np.int64)
        wrong = np.asarray(predicted != actual, dtype=np.float64)
        costs = wrong if self.costs is None else self.costs[actual, predicted]
        return costs if self.ratios is None else costs * self.ratios[actual]

    def risks(self, class_weights: Floats) -> Floats:
        """The least cost of each group if one class is predicted for it, by ``costs``."""
        pruning = DecisionRule(self.ratios, None, self.costs)
        return np.asarray(pruning.expected_costs(class_weights).min(axis=1)).clip(min=0.0)

    def altered(self, class_weights: Floats) -> Floats | None:
        """By class, how much a row counts in scores for one (altered priors); None: all count 1.

        ``class_weights`` are those of all training rows, whose total does not change.
        """
        if self.ratios is None and self.costs is None:
            return None
        loss = 1.0 if self.costs is None else self.costs.sum(axis=1)
        factors = self.votes(np.ones_like(class_weights)) * loss
        total = float(class_weights @ factors)
        factors = factors * (float(class_weights.sum()) / total) if total > 0 else factors
        return None if np.allclose(factors, 1.0, rtol=ROUNDING, atol=0.0) else factors


MAJORITY = DecisionRule()
