"""Trees of numbers that divide rows over branches, as a RegressionModel.

PMML divides rows in a TreeModel for confidences of classes only. So every node is a derived field
here, the fraction of the row that comes to it:

1. The root has 1. A child has its parent's fraction on the branch that the row takes, 0 on the
   others, and its part of the parent's where no split decides.
2. Where a row ends, its fraction is multiplied by the node's number. The prediction is the sum in
   the order of a walk, divided by the number of trees.

These are the operations of the model in its order, so they round alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ExportError
from plaintree.tree.condition import DIVIDES, STOPS, Condition, Threshold
from plaintree.tree.prediction import predicted_values
from plaintree.tree.tree import Tree

from ..members import Members, division_weights, splits_to
from .fields import Fields
from .markup import Markup

MOST_DEPTH = 100
"""Splits on a path: scorers compute a fraction from its parent's by recursion."""
STAYS = -3
"""The branch of rows that end at an internal node."""


@dataclass(frozen=True)
class Ref:
    """The value of a field."""

    field: str


@dataclass(frozen=True)
class Constant:
    """A constant of a type."""

    value: str
    type_: str = "double"


@dataclass(frozen=True)
class Apply:
    """A function of expressions."""

    function: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Ref | Constant | Apply
ONE, ZERO = Constant("1.0"), Constant("0.0")


def write_divided_model(out: Markup, fields: Fields, members: Members) -> None:
    """Open a RegressionModel element and write all but its end."""
    out.start("RegressionModel", modelName="plaintree", functionName=fields.function)
    fields.write_schema(out, members)
    fields.write_output(out)
    out.start("LocalTransformations")
    prefix = _unused_prefix(fields)
    terms: list[Expression] = []
    for number, tree in enumerate(members.trees):
        terms += _FractionWriter(out, fields, tree, members.stops, f"{prefix}{number}_").write()
    total = Apply("sum", tuple(terms))
    mean = Apply("/", (total, Constant(repr(float(len(members.trees))))))
    _write_field(out, f"{prefix}mean", mean)
    out.end()
    out.start("RegressionTable", intercept="0")
    out.empty("NumericPredictor", name=f"{prefix}mean", coefficient="1")
    out.end()


def _unused_prefix(fields: Fields) -> str:
    """A prefix that no field has."""
    names = (
        *fields.schema.names,
        *(f.name for f in fields.tested),
        fields.target,
        fields.predicted,
    )
    prefix = "part_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


@dataclass(frozen=True, eq=False)
class _FractionWriter:
    """Writes the fractions of a tree's nodes; their names begin with ``prefix``."""

    out: Markup
    fields: Fields
    tree: Tree
    stops: bool
    prefix: str

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weights of nodes, by which rows are divided."""
        return division_weights(self.tree)

    def write(self) -> list[Expression]:
        """Write the fields; return what is added where rows end, in the order of a walk."""
        tree = self.tree
        if tree.depth > MOST_DEPTH:
            raise ExportError(
                "the tree is too deep for the fractions of divided rows in PMML",
                got=f"{tree.depth} splits on a path; at most {MOST_DEPTH}",
                hint="prune the tree, or limit max_depth.",
            )
        numbers, ends = predicted_values(tree)[:, 0].tolist(), []
        for node in tree.walk():
            name, index = f"{self.prefix}{node.index}", node.index
            if index == 0:
                _write_field(self.out, name, ONE)
            else:
                parent = int(tree.parent[index])
                branch = index - int(tree.first_child[parent])
                _write_field(
                    self.out, name, self._fraction(parent, branch, float(self.weights[index]))
                )
            if tree.n_children[index] and not self._may_stay(index):
                continue
            if tree.n_children[index]:
                name += "_stays"
                _write_field(self.out, name, self._fraction(index, STAYS, 0.0))
            ends.append((name, numbers[index]))
        return [Apply("*", (Ref(name), Constant(repr(number)))) for name, number in ends]

    def _may_stay(self, node: int) -> bool:
        missing = int(self.tree.missing_child[node])
        feature = self.fields.schema.features[int(self.tree.feature[node])]
        unseen = self.stops and feature.is_categorical and not feature.cuts
        return unseen or missing == STOPS or (missing == DIVIDES and self._total(node) <= 0)

    def _total(self, node: int) -> float:
        """The weight of a node's children, added in their order."""
        first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        total = 0.0
        for weight in self.weights[first : first + n].tolist():
            total += weight
        return total

    def _fraction(self, node: int, branch: int, weight: float) -> Expression:
        """The fraction on a branch of a node: by the first split that decides, or by none."""
        whole = Ref(f"{self.prefix}{node}")
        fraction = self._undecided(node, branch, weight, whole)
        for place, split in reversed(list(enumerate(splits_to(self.tree, node, branch)))):
            fraction = self._decided(*split, self.stops and place == 0, whole, fraction)
        return fraction

    def _undecided(self, node: int, branch: int, weight: float, whole: Ref) -> Expression:
        missing, total = int(self.tree.missing_child[node]), self._total(node)
        if missing == DIVIDES and total > 0:
            parts = (Apply("*", (whole, Constant(repr(weight)))), Constant(repr(total)))
            return Apply("/", parts) if weight > 0 else ZERO
        ends_here = missing in (STOPS, DIVIDES)
        return whole if branch == (STAYS if ends_here else missing) else ZERO

    def _decided(
        self, condition: Condition, branch: int, stops: bool, whole: Ref, otherwise: Expression
    ) -> Expression:
        """The whole or nothing where a condition has a branch for a row; otherwise another one.

        ``stops``: an unseen category, which is not missing then, leads to those that stay.
        """
        field = self.fields.tested[condition.feature]
        value = Ref(field.name)
        known = Apply("isNotMissing", (value,))
        if not field.categories:
            assert isinstance(condition, Threshold), "numbers have thresholds"
            function = {0: "lessOrEqual", 1: "greaterThan"}.get(branch)
            cut = Constant(repr(condition.threshold))
            own = ZERO if function is None else _if(Apply(function, (value, cut)), whole, ZERO)
            return _if(known, own, otherwise)
        n = len(field.categories)
        routes = condition.route(np.arange(n)).tolist()

        def among(codes: list[int]) -> Expression:
            labels = (Constant(field.categories[code], field.type_) for code in codes)
            return Apply("isIn", (value, *labels))

        inside = [code for code in range(n) if routes[code] == branch]
        decided = [code for code in range(n) if routes[code] >= 0]
        own = _if(among(inside), whole, ZERO) if inside else ZERO
        if stops:
            stray = [code for code in range(n) if routes[code] < 0]
            own = own if branch != STAYS else _if(among(list(range(n))), ZERO, whole)
            own = _if(among(stray), otherwise, own) if stray else own
        else:
            own = _if(among(decided), own, otherwise)
        return _if(known, own, otherwise)


def _if(condition: Expression, yes: Expression, no: Expression) -> Expression:
    return yes if yes == no else Apply("if", (condition, yes, no))


# -------------------------------------------------------------------- writing


def _write_field(out: Markup, name: str, expression: Expression) -> None:
    out.start("DerivedField", name=name, optype="continuous", dataType="double")
    _write(out, expression)
    out.end()


def _write(out: Markup, expression: Expression) -> None:
    """Write an expression; it nests by the surrogates of one node, not by the tree."""
    if isinstance(expression, Ref):
        out.empty("FieldRef", field=expression.field)
    elif isinstance(expression, Constant):
        out.text("Constant", expression.value, dataType=expression.type_)
    else:
        out.start("Apply", function=expression.function)
        for argument in expression.arguments:
            _write(out, argument)
        out.end()
