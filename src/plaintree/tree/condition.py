"""The conditions of nodes: Threshold, Multiway, Equals, Subset, Grouped; and surrogate splits.

A condition routes rows and formats itself, and nothing else does: printing, rules, drawings
and exports all use it. A node's children are numbered from 0 in the order of the condition's
branches; a node may have one more child, for missing values, behind them. A surrogate split routes
rows for which the condition of a node has no branch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import MISSING, Schema
from plaintree.data.words import format_value


class NodeKind(IntEnum):
    """The ``kind`` of a node in a tree's arrays."""

    LEAF = 0
    THRESHOLD = 1
    MULTIWAY = 2
    EQUALS = 3
    SUBSET = 4
    GROUPED = 5


DIVIDES, STOPS = -1, -2
"""The ``missing_child`` of a node that divides rows without a branch over its children, and of one
where they stop: the node itself predicts them."""


@dataclass(frozen=True)
class Condition(ABC):
    """A condition on one feature (its column number) with two or more branches."""

    feature: int

    @property
    @abstractmethod
    def n_branches(self) -> int:
        """How many branches it has, not counting one for missing values."""

    @abstractmethod
    def route(self, column: NDArray[np.generic]) -> NDArray[np.int64]:
        """The branch of every row of an encoded column; MISSING or UNSEEN where none fits."""

    @abstractmethod
    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        """A branch in two words: ("<=", "2.45"), ("=", "sunny"), ("in", "{a, b}")."""

    def describe(self, schema: Schema, branch: int) -> str:
        """Return a branch as text, such as ``outlook = sunny``."""
        name = schema.features[self.feature].name
        if branch == self.n_branches:
            return f"{name} is missing"
        operator, value = self.operator_and_value(schema, branch)
        return f"{name} {operator} {value}"


@dataclass(frozen=True)
class Threshold(Condition):
    """x <= threshold | x > threshold."""

    threshold: float

    @property
    def n_branches(self) -> int:
        return 2

    def route(self, column: NDArray[np.generic]) -> NDArray[np.int64]:
        values = column.astype(np.float64)
        above = (values > self.threshold).astype(np.int64)
        return np.where(np.isnan(values), np.int64(MISSING), above)

    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        value = format_value(schema.features[self.feature], self.threshold)
        return ("<=", ">")[branch], value


@dataclass(frozen=True)
class _CategoryCondition(Condition):
    """What the conditions on categories share: codes below 0 belong to no branch."""

    def route(self, column: NDArray[np.generic]) -> NDArray[np.int64]:
        codes = column.astype(np.int64)
        return np.where(codes < 0, codes, self._branches(codes))

    @abstractmethod
    def _branches(self, codes: NDArray[np.int64]) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class Multiway(_CategoryCondition):
    """One branch per category of the feature."""

    n_categories: int

    @property
    def n_branches(self) -> int:
        return self.n_categories

    def _branches(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        return codes

    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        attribute = schema.features[self.feature]
        return "in" if attribute.cuts else "=", str(attribute.categories[branch])


@dataclass(frozen=True)
class Equals(_CategoryCondition):
    """x = category | x != category."""

    category: int

    @property
    def n_branches(self) -> int:
        return 2

    def _branches(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(codes == self.category, np.int64(0), np.int64(1))

    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        label = str(schema.features[self.feature].categories[self.category])
        return ("=", "!=")[branch], label


@dataclass(frozen=True)
class Subset(_CategoryCondition):
    """x in categories | x not in categories.

    Growing puts the side of less weight into ``categories``, so a category without training rows
    in the node goes with the side of more weight.
    """

    categories: tuple[int, ...]

    @property
    def n_branches(self) -> int:
        return 2

    def _branches(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        inside: NDArray[np.bool_] = np.isin(codes, self.categories)
        return (~inside).astype(np.int64)

    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        labels = schema.features[self.feature].categories
        if len(self.categories) == 1:
            return ("=", "!=")[branch], str(labels[self.categories[0]])
        inside = ", ".join(str(labels[c]) for c in self.categories)
        return ("in", "not in")[branch], f"{{{inside}}}"


@dataclass(frozen=True)
class Grouped(_CategoryCondition):
    """One branch per group of categories: ``groups`` holds the branch of every category.

    -1 stands for a category that the splits above exclude, or that no training row of the node had;
    it counts as missing.
    """

    groups: tuple[int, ...]

    @property
    def n_branches(self) -> int:
        return max(self.groups) + 1

    def categories_of(self, branch: int) -> tuple[int, ...]:
        """The categories that go to a branch."""
        return tuple(code for code, group in enumerate(self.groups) if group == branch)

    def _branches(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self.groups, dtype=np.int64)[np.maximum(codes, 0)]

    def operator_and_value(self, schema: Schema, branch: int) -> tuple[str, str]:
        return Subset(self.feature, self.categories_of(branch)).operator_and_value(schema, 0)


def kind_of(condition: Condition) -> NodeKind:
    """The kind of node that has this condition."""
    return NodeKind[type(condition).__name__.upper()]


@dataclass(frozen=True)
class Surrogate:
    """A split on another feature, for rows that the condition of a node has no branch for.

    ``condition`` is a Threshold, or a Grouped whose groups are branches of the node (-1: the
    category has no side). ``reversed``: values up to the threshold go to branch 1 of the node, not
    to branch 0. ``agreement`` is the fraction of the weight that goes where the condition of the
    node sends it; ``adjusted`` is the agreement relative to sending every row to the larger branch.

    >>> from plaintree.data.schema import Feature, Schema
    >>> schema = Schema((Feature("height", "numeric"), Feature("weight", "numeric")), ("a", "b"))
    >>> surrogate = Surrogate(Threshold(1, 70.0), True, agreement=0.9, adjusted=0.75)
    >>> surrogate.route(np.array([60.0, 80.0, np.nan])).tolist()
    [1, 0, -1]
    >>> surrogate.describe(schema, 0)
    'weight > 70'
    """

    condition: Condition
    reversed: bool = False
    agreement: float = 1.0
    adjusted: float = 1.0

    @property
    def feature(self) -> int:
        """The feature that it splits on."""
        return self.condition.feature

    def route(self, column: NDArray[np.generic]) -> NDArray[np.int64]:
        """The branch of the node for every row of an encoded column; below 0 where it has none."""
        branches = self.condition.route(column)
        return np.where(branches >= 0, 1 - branches, branches) if self.reversed else branches

    def describe(self, schema: Schema, branch: int) -> str:
        """Return what goes to a branch of the node as text, such as ``weight > 70``."""
        return self.condition.describe(schema, 1 - branch if self.reversed else branch)
