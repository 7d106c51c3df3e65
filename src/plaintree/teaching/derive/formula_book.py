"""Formulas of single numbers of a tree: ``Formulas`` finds them, ``formula_of`` gives one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plaintree.data.encode import completed_schema, encode
from plaintree.data.rows import Rows
from plaintree.data.schema import Label, Schema
from plaintree.data.table import table_from
from plaintree.data.words import shown_schema
from plaintree.errors import ArgumentTypeError, ParameterError, nearest, not_allowed
from plaintree.tree.address import node_at, node_number, path_of
from plaintree.tree.condition import Condition
from plaintree.tree.condition_data import condition_from_data, condition_to_data
from plaintree.tree.condition_text import condition_from
from plaintree.tree.node import Node
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from .address import MEASURES, OF_SPLITS, Address, Measure
from .cases import Cases
from .definitions import definition
from .equations import Equations
from .formula import Formula
from .notation import check_digits
from .pruning_steps import grown_from
from .solution import check_training, tree_to_derive
from .terms import terms_of
from .workings import Workings


class Formulas:
    """The formulas of the numbers of one tree, with the rows it was grown from.

    Use it where many formulas of a tree are asked for: :func:`plaintree.teaching.formula_of`
    prepares the rows at every call.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator of a single tree, or a Tree that has its conventions.
    X : table
        The training rows, in any form that ``fit`` takes.
    y : sequence of labels or numbers
        The targets of the training rows.
    sample_weight : sequence of float or None, default=None
        The weights that were passed to ``fit``.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> formulas = pt.teaching.Formulas(pt.ID3Classifier().fit(X, y), X, y)
    >>> gain = formulas.of(feature="Outlook", measure="gain")
    >>> for address in gain.addresses():
    ...     print(formulas.at(address))
    H(S) = -5/14 log2 5/14 - 9/14 log2 9/14 ≈ 0.9403 bits
    H(S | Outlook) = 4/14 × H(Outlook = Overcast) + 5/14 × H(Outlook = Rain) + \
5/14 × H(Outlook = Sunny) ≈ 4/14 × 0 + 5/14 × 0.9710 + 5/14 × 0.9710 ≈ 0.6935
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        tree, table = tree_to_derive(model), table_from(X)
        tree = replace(tree, schema=completed_schema(tree.schema, table))
        encode(table, tree.schema, unseen="error")  # training rows have no unseen category
        rows, _ = grown_from(model, rows_from(tree, table, y, sample_weight))
        assert tree.conventions is not None, "checked with the tree"
        cases = Cases.of(tree.schema, rows, tree.conventions)
        check_training(tree, rows, cases)
        self._open(tree, cases)

    @classmethod
    def from_cases(cls, tree: Tree, rows: Rows, cases: Cases) -> Formulas:
        """The formulas of a tree whose training rows are prepared: one of several of the same."""
        check_training(tree, rows, cases)
        found = cls.__new__(cls)
        found._open(tree, cases)
        return found

    def _open(self, tree: Tree, cases: Cases) -> None:
        self._workings = Workings(tree, cases, terms_of(cases.sums, shown_schema(tree.schema)))
        self._equations = Equations(self._workings)

    # ---------------------------------------------------------------- what is asked for

    def of(
        self,
        node: int | Node | Sequence[int] = (),
        *,
        measure: Measure = "impurity",
        feature: str | None = None,
        condition: Condition | Mapping[str, Any] | str | None = None,
        branch: int | None = None,
        label: Label | None = None,
        digits: int = 4,
        exact: bool = False,
    ) -> Formula:
        """Return the formula of one number; see :func:`plaintree.teaching.formula_of`."""
        if measure not in MEASURES:
            raise not_allowed("measure", measure, MEASURES)
        path = path_of(self._workings.tree, node_number(self._workings.tree, node))
        split = self._split(path, feature, condition)
        if split is None and (measure in OF_SPLITS or branch is not None):
            split = self._workings.tree.condition(node_number(self._workings.tree, path))
            if split is None:
                raise ParameterError(
                    "the node has no split to measure",
                    got=f"measure={measure!r} of a leaf",
                    hint="name a feature or a condition.",
                )
        code = None if measure != "class_weight" else self._class_code(label)
        address = Address(path, measure, split, branch, code)
        return self.at(address, digits=digits, exact=exact)

    def at(
        self, address: Address | Mapping[str, Any], *, digits: int = 4, exact: bool = False
    ) -> Formula:
        """Return the formula of an address, as :meth:`Formula.addresses` or JSON has it.

        Parameters
        ----------
        address : Address or dict
            The address, or the dictionary that :meth:`Address.to_dict` makes.
        digits : int, default=4
            Digits after the decimal point, from 0 to 15.
        exact : bool, default=False
            Whether fractions are written as such, not rounded.

        Returns
        -------
        Formula
        """
        digits = check_digits(digits)
        if isinstance(address, Mapping):
            return self._of_data(address, digits, exact)
        if not isinstance(address, Address):
            raise ArgumentTypeError(
                "an address must be an Address or a dictionary",
                got=f"an object of type {type(address).__name__}",
                hint="pass an item of Formula.addresses().",
            )
        self._check(address)
        equation = self._equations.equation(address)
        sums, tried = self._workings.cases.sums, None
        if address.split is not None:
            tried, _ = self._workings.measured(address.node, address.split)
        told = definition(address.measure, sums, tried)
        return Formula(address, told, equation, self._workings.tree.schema, digits, exact)

    def _check(self, address: Address) -> None:
        """Refuse an address that a caller has made and that leads nowhere."""
        schema = self._workings.tree.schema
        node_at(self._workings.tree, address.node)
        if address.measure not in MEASURES:
            raise not_allowed("measure", address.measure, MEASURES)
        if address.split is None and (address.measure in OF_SPLITS or address.branch is not None):
            raise ParameterError(
                "the address names no split",
                got=f"measure={address.measure!r}, branch={address.branch!r}",
                hint="give the split, or ask for the formula by Formulas.of.",
            )
        if address.measure == "class_weight" and address.label not in range(len(schema.classes)):
            raise ParameterError(
                "the address names no class of the tree",
                got=f"label={address.label!r}",
                hint=f"use a position from 0 to {len(schema.classes) - 1}.",
            )
        if address.split is not None:
            _check_condition(schema, address.split)

    def _of_data(self, data: Mapping[str, Any], digits: int, exact: bool) -> Formula:
        known = ("node", "measure", "split", "branch", "class")
        unknown = [key for key in data if key not in known]
        if unknown or "node" not in data or "measure" not in data:
            raise ParameterError(
                "the address has an unknown entry" if unknown else "the address is incomplete",
                got=repr(unknown[0] if unknown else dict(data)),
                hint=(nearest(unknown[0], known) if unknown else None)
                or "an address has node, measure and perhaps split, branch and class.",
            )
        return self.of(
            data["node"],
            measure=data["measure"],
            condition=data.get("split"),
            branch=data.get("branch"),
            label=data.get("class"),
            digits=digits,
            exact=exact,
        )

    def _split(self, path: tuple[int, ...], feature: Any, condition: Any) -> Condition | None:
        """The split that is asked for: a condition, or the best one of a feature."""
        schema = self._workings.tree.schema
        if feature is not None and condition is not None:
            raise ParameterError(
                "feature and condition exclude each other",
                got=f"feature={feature!r} and condition={condition!r}",
                hint="a condition names its feature.",
            )
        if isinstance(condition, str):
            return condition_from(schema, condition)
        if isinstance(condition, Mapping):
            return condition_from_data(schema, condition)
        if condition is not None and not isinstance(condition, Condition):
            raise ArgumentTypeError(
                "condition must be a Condition, a dictionary or a string",
                got=f"an object of type {type(condition).__name__}",
                hint='pass text such as "humidity <= 75".',
            )
        if feature is None:
            return condition
        if feature not in schema.names:
            listed = ", ".join(schema.names[:10])
            hint = nearest(feature, schema.names) or f"the features are {listed}."
            raise ParameterError("there is no such feature", got=repr(feature), hint=hint)
        best = self._workings.offer(path, schema.position(feature)).best
        if best is None:
            raise ParameterError(
                f"no split on {feature!r} is possible at the node",
                got=self._workings.offer(path, schema.position(feature)).refused,
                hint="choose another feature, or pass a condition.",
            )
        return best.condition

    def _class_code(self, label: Any) -> int:
        classes = self._workings.tree.schema.classes
        if label is None or label not in classes:
            raise ParameterError(
                "label is not a class of the tree",
                got=f"label={label!r}",
                hint=f"the classes are {', '.join(map(repr, classes[:10]))}."
                if classes
                else "a numeric target has no classes.",
            )
        return classes.index(label)


def _check_condition(schema: Schema, condition: Condition) -> None:
    """Refuse a condition on a column that the schema does not have, or on another kind."""
    if not 0 <= condition.feature < len(schema.features):
        raise ParameterError(
            "the condition is on a column that the tree does not have",
            got=f"column {condition.feature} of {len(schema.features)}",
            hint=f"use a column from 0 to {len(schema.features) - 1}.",
        )
    condition_from_data(schema, condition_to_data(schema, condition))


def formula_of(
    model: Any,
    X: Any,
    y: Any,
    node: int | Node | Sequence[int] = (),
    *,
    measure: Measure = "impurity",
    feature: str | None = None,
    condition: Condition | Mapping[str, Any] | str | None = None,
    branch: int | None = None,
    label: Label | None = None,
    sample_weight: Any = None,
    digits: int = 4,
    exact: bool = False,
) -> Formula:
    """Return the formula of one number at a node of a tree: definition, numbers, result.

    Numbers are computed again from the training rows, as in :func:`plaintree.derive`. A number
    that is the result of another formula has its address, so each can be followed down to counts
    of rows: pass it to :meth:`Formulas.at`.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator of a single tree, or a Tree that has its conventions.
    X : table
        The training rows, in any form that ``fit`` takes.
    y : sequence of labels or numbers
        The targets of the training rows.
    node : int, Node or sequence of int, default=()
        The node: its number, or the branch numbers from the root.
    measure : str, default="impurity"
        Of a group of rows: "impurity", "weight", "class_weight"; for a numeric target "centre"
        (the mean or median), "deviation" (such as the sum of squared errors), "sum",
        "sum_of_squares". Of a split: "score" (by the criterion), "gain", "remainder" (the impurity
        left), "known_remainder", "split_information", "missing_weight". Of a node of C4.5:
        "average_gain".
    feature : str or None, default=None
        Measure the best split of this feature. Without feature and condition, the split of the
        tree is measured where one is needed.
    condition : Condition, dict, str or None, default=None
        Measure this split; a dictionary as :func:`plaintree.tree.condition_from_data` takes it, or
        text such as "humidity <= 75".
    branch : int or None, default=None
        Measure the rows of this branch of the split, not all rows of the node.
    label : label or None, default=None
        The class of a "class_weight".
    sample_weight : sequence of float or None, default=None
        The weights that were passed to ``fit``.
    digits : int, default=4
        Digits after the decimal point, from 0 to 15.
    exact : bool, default=False
        Whether fractions are written as such, not rounded. Logarithms are always rounded.

    Returns
    -------
    Formula

    Raises
    ------
    TableError
        If X and y are not the rows that the tree was grown from.
    TreeError
        If there is no such node, or the conventions of the tree are not those of a derivation.
    ParameterError
        If the number does not exist, such as the gain of a leaf.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(pt.teaching.formula_of(model, X, y))
    H(S) = -5/14 log2 5/14 - 9/14 log2 9/14 ≈ 0.9403 bits
    >>> gini = pt.ID3Classifier("gini").fit(X, y)
    >>> print(pt.teaching.formula_of(gini, X, y, feature="Wind", measure="remainder", exact=True))
    Gini(S | Wind) = 6/14 × Gini(Wind = Strong) + 8/14 × Gini(Wind = Weak) = 6/14 × 1/2 + \
8/14 × 3/8 = 3/7
    """
    return Formulas(model, X, y, sample_weight).of(
        node,
        measure=measure,
        feature=feature,
        condition=condition,
        branch=branch,
        label=label,
        digits=digits,
        exact=exact,
    )
