"""The predictions that a counterfactual may have: another class, another number, or a range."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.prediction import NumberRange
from plaintree.tree.tree import Tree

Mask = NDArray[np.bool_]
LEAST_CHANGE = 0.1
"""The minimum change of a number by default, as a fraction of the spread at the root."""


class Goal(ABC):
    """The predictions (class codes or numbers) that a change of a row is to have."""

    @abstractmethod
    def reached(self, answers: NDArray[Any]) -> Mask:
        """Which predictions are wanted."""

    def by_mixing(self, tree: Tree) -> Mask:
        """The nodes that do not predict what is wanted, but of which a mixture may."""
        return np.zeros(tree.n_nodes, dtype=np.bool_)


@dataclass(frozen=True)
class OtherClass(Goal):
    """Any class but one."""

    code: int

    def reached(self, answers: NDArray[Any]) -> Mask:
        return np.asarray(answers != self.code)

    def by_mixing(self, tree: Tree) -> Mask:
        """Nodes with a tie: a mixture may decide it otherwise."""
        weights = tree.class_weights
        return np.asarray((weights == weights.max(axis=1, keepdims=True)).sum(axis=1) > 1)


@dataclass(frozen=True)
class ThisClass(OtherClass):
    """One class, by its code."""

    def reached(self, answers: NDArray[Any]) -> Mask:
        return np.asarray(answers == self.code)


@dataclass(frozen=True)
class OtherNumber(Goal):
    """Any number that differs from one by a minimum, and at all."""

    number: float
    min_change: float

    def reached(self, answers: NDArray[Any]) -> Mask:
        change = np.abs(answers - self.number)
        return np.asarray((change >= self.min_change) & (change > 0))


@dataclass(frozen=True)
class InRange(Goal):
    """A number in a range."""

    wanted: NumberRange

    def reached(self, answers: NDArray[Any]) -> Mask:
        return self.wanted.holds(answers)

    def by_mixing(self, tree: Tree) -> Mask:
        """All nodes, if the mean of a smaller and a greater number may lie between the ends."""
        between = self.wanted.above is not None and self.wanted.below is not None
        return np.full(tree.n_nodes, between)
