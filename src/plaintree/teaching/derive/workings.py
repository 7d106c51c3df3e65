"""The groups of rows and the splits that numbers in formulas are measures of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from plaintree.errors import ParameterError
from plaintree.stats.exact import Counts, added
from plaintree.stats.sums import Sums
from plaintree.tree.condition import Condition
from plaintree.tree.tree import Tree

from .address import Address, RowGroup
from .cases import Cases
from .formulas import TestFormulas
from .offers import measured, offer_of
from .steps import Arrived, arrived_at, penalised
from .terms import Terms
from .tried import Offer, Tried

Path = tuple[int, ...]


class GroupRows(NamedTuple):
    """A group of rows: its sums in parts of a unit, and its name in formulas."""

    counts: Counts
    unit: int
    name: str


@dataclass(frozen=True, eq=False)
class Workings:
    """A tree with its training rows; what has been found of a node is kept."""

    tree: Tree
    cases: Cases
    terms: Terms[Sums]
    _arrived: dict[Path, Arrived] = field(default_factory=dict)
    _counts: dict[Path, Counts] = field(default_factory=dict)
    _tried: dict[tuple[Path, Condition], tuple[Tried, int]] = field(default_factory=dict)
    _offers: dict[tuple[Path, int], Offer] = field(default_factory=dict)

    def at(self, path: Path) -> Arrived:
        """A node with its rows."""
        if path not in self._arrived:
            self._arrived[path] = arrived_at(self.tree, self.cases, path)
        return self._arrived[path]

    def counts(self, path: Path) -> Counts:
        """What the rows of a node are summed up to."""
        if path not in self._counts:
            self._counts[path] = self.cases.counts(self.at(path).rows)
        return self._counts[path]

    def offer(self, path: Path, column: int) -> Offer:
        """What a column offers at a node."""
        if (path, column) not in self._offers:
            rows = self.at(path).rows
            self._offers[path, column] = offer_of(self.cases, rows, column, 1)
        return self._offers[path, column]

    def measured(self, path: Path, condition: Condition) -> tuple[Tried, int]:
        """A split measured at a node, and the number of thresholds it was chosen from."""
        if (path, condition) not in self._tried:
            offer, rows = self.offer(path, condition.feature), self.at(path).rows
            found = offer.best
            if found is None or found.condition != condition:
                found = penalised(self.cases, rows, measured(self.cases, rows, condition), offer)
            if found is None:
                name = self.tree.schema.names[condition.feature]
                raise ParameterError(
                    "the split cannot be measured",
                    got=f"a node whose rows have no value of {name!r}",
                    hint="choose another feature.",
                )
            self._tried[path, condition] = found, offer.n_allowed
        return self._tried[path, condition]

    def tests(self, address: Address) -> TestFormulas:
        """The formulas of the split of an address."""
        assert address.split is not None, "checked with the address"
        tried, n_cuts = self.measured(address.node, address.split)
        weight = self.counts(address.node)
        group = RowGroup(address.node, address.split)
        return TestFormulas(tried, self.terms, n_cuts, self.cases.sums.weight(weight), of=group)

    def rows(self, address: Address) -> GroupRows:
        """The group of rows of an address: a node, rows with a value, or a branch."""
        if address.split is None:
            return GroupRows(self.counts(address.node), 1, "S")
        tests = self.tests(address)
        parts, unit = tests.tried.parts, tests.tried.scale.unit
        if address.branch is None:
            return GroupRows(added(parts), unit, tests.rows_name)
        whole = isinstance(address.branch, int) and not isinstance(address.branch, bool)
        if not whole or not 0 <= address.branch < len(parts):
            raise ParameterError(
                "the split has no such branch",
                got=f"branch={address.branch!r}",
                hint=f"use an integer from 0 to {len(parts) - 1}.",
            )
        return GroupRows(parts[address.branch], unit, tests.branch_names[address.branch])
