"""Addresses of numbers: of which group of rows, or of which split, a number is which measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from plaintree.data.schema import Schema
from plaintree.tree.condition import Condition
from plaintree.tree.condition_data import condition_to_data

GroupMeasure = Literal[
    "impurity", "weight", "class_weight", "centre", "deviation", "sum", "sum_of_squares"
]
"""Measures of a group of rows: a node, the rows of it whose value is known, or a branch."""

SplitMeasure = Literal[
    "score", "gain", "remainder", "known_remainder", "split_information", "missing_weight"
]
"""Measures of a split."""

Measure = GroupMeasure | SplitMeasure | Literal["average_gain"]
OF_GROUPS: tuple[str, ...] = get_args(GroupMeasure)
OF_SPLITS: tuple[str, ...] = get_args(SplitMeasure)
MEASURES: tuple[str, ...] = (*OF_GROUPS, *OF_SPLITS, "average_gain")


@dataclass(frozen=True)
class Address:
    """The address of a number in a formula, as :func:`plaintree.teaching.formula_of` gives it.

    Parameters
    ----------
    node : tuple of int
        The node: branch numbers from the root.
    measure : str
        What the number is: a measure of a group of rows or of a split.
    split : Condition or None, default=None
        The split. Without one, the group is the node. With a split and without a branch, it is the
        rows of the node whose value is known.
    branch : int or None, default=None
        The branch of the split whose rows are the group.
    label : int or None, default=None
        The position of the class of a "class_weight".

    Examples
    --------
    >>> Address((2, 0), "impurity").node
    (2, 0)
    """

    node: tuple[int, ...]
    measure: Measure
    split: Condition | None = None
    branch: int | None = None
    label: int | None = None

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Return the address as JSON can hold it; entries that are None are left out."""
        data: dict[str, Any] = {"node": list(self.node), "measure": self.measure}
        if self.split is not None:
            data["split"] = condition_to_data(schema, self.split)
        if self.branch is not None:
            data["branch"] = self.branch
        if self.label is not None:
            data["class"] = schema.classes[self.label]
        return data


@dataclass(frozen=True)
class RowGroup:
    """A group of rows that numbers are measures of; without a node, numbers have no address."""

    node: tuple[int, ...] | None = None
    split: Condition | None = None
    at: int | None = None

    def address(self, measure: Measure, label: int | None = None) -> Address | None:
        """The address of a measure of the group."""
        if self.node is None:
            return None
        return Address(self.node, measure, self.split, self.at, label)

    def branch(self, number: int) -> RowGroup:
        """A branch of the split."""
        return self if self.node is None else replace(self, at=number)

    @property
    def whole(self) -> RowGroup:
        """The node."""
        return RowGroup(self.node)

    def weights(self, n_classes: int) -> tuple[Address | None, ...]:
        """The addresses of the weight of the group and of each class."""
        if self.node is None:
            return ()
        classes = (self.address("class_weight", code) for code in range(n_classes))
        return self.address("weight"), *classes


NOWHERE = RowGroup()
"""The group of numbers without an address."""
