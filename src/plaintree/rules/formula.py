"""The logical formula of a class or of a range of numbers: a disjunction of conjunctions.

Glossary. A *term* is one conjunction; the rules of a tree that predict the class, or a number in
the range, are the first terms. They are simplified as boxes (see simplify.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Label, Schema
from plaintree.data.words import cells, line_width
from plaintree.errors import ArgumentTypeError, ParameterError, nearest, not_allowed
from plaintree.tree.naming import renamed_tree
from plaintree.tree.prediction import NumberRange
from plaintree.tree.tree import Tree, tree_of

from .extract import leaf_rules, rule_list_of
from .formula_words import STYLES, Style, numbered
from .regions import Space
from .rule import Clause
from .simplify import simplified


@dataclass(frozen=True)
class Formula:
    """The conditions under which a tree predicts a class, in disjunctive normal form.

    Attributes
    ----------
    label : str, int, float, bool or NumberRange
        The class. For a numeric target, the range of the predictions, with ``above`` and ``below``.
    terms : tuple of tuples of Clause
        The formula holds if one of the terms does; a term holds if all of its clauses do. Without
        terms it never holds; a term without clauses always does.
    schema : Schema
        The schema of the tree.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_or()
    >>> formula = pt.rules.formula_of(pt.ID3Classifier().fit(X, y), True)
    >>> formula.n_conditions, formula.describe("unicode")
    (2, '(x2 > 0.5) ∨ (x1 > 0.5)')
    """

    label: Label | NumberRange
    terms: tuple[tuple[Clause, ...], ...]
    schema: Schema = field(repr=False)

    @property
    def n_conditions(self) -> int:
        """The number of clauses in all terms."""
        return sum(map(len, self.terms))

    def matches(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Return for which rows of encoded columns the formula holds.

        For rows without missing values and unseen categories, these are exactly the rows for which
        the tree predicts the class, or a number in the range. With missing values, they may be
        fewer.

        Parameters
        ----------
        columns : sequence of arrays
            One encoded array per feature of the schema.

        Returns
        -------
        ndarray of bool
            One entry per row.
        """
        matching = np.zeros(len(columns[0]) if columns else 0, dtype=np.bool_)
        for term in self.terms:
            held = np.ones(len(matching), dtype=np.bool_)
            for clause in term:
                held &= clause.matches(columns[clause.feature])
            matching |= held
        return matching

    def describe(self, style: Style = "text", *, width: int | None = None) -> str:
        """Return the formula as text.

        Parameters
        ----------
        style : {"text", "unicode", "latex"}, default="text"
            See :func:`plaintree.export_formula`.
        width : int, default=None
            Columns to wrap at. None writes one line.

        Returns
        -------
        str
            The formula.
        """
        if style not in get_args(Style):
            raise not_allowed("style", style, get_args(Style))
        words = STYLES[style]
        if not self.terms or () in self.terms:
            return words.word("always" if self.terms else "never")
        schema, names = numbered(self.schema)
        terms = [[words.clause(c.describe(schema), names) for c in term] for term in self.terms]
        line = f" {words.either} ".join(words.term(term, len(terms) > 1) for term in terms)
        if width is None or cells(line) <= width:
            return line
        return "\n".join(words.lines(terms, width))

    def __str__(self) -> str:
        return self.describe()


def formula_of(
    model_or_tree: object,
    label: Label | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    simplify: bool = True,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> Formula:
    """Return the conditions under which a tree predicts a class, or a number in a range.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    label : str, int, float or bool
        A class of ``classes_``, or of ``class_names``. Required for classes.
    above : float, default=None
        For a numeric target: predictions must be greater. At least one of ``above`` and ``below``
        is required.
    below : float, default=None
        For a numeric target: predictions must be smaller.
    simplify : bool, default=True
        Whether to join and shorten terms. False keeps one term for each leaf of the class.
    feature_names : sequence of str, default=None
        Names of the features in column order. None keeps the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True keep the labels.

    Returns
    -------
    Formula
        A disjunction of conjunctions.

    Raises
    ------
    ParameterError
        If the tree has no such class, or a parameter does not fit its target.
    ArgumentTypeError
        If the model does not predict with a single tree.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_or()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(pt.rules.formula_of(model, True, simplify=False))
    (x1 <= 0.5 AND x2 > 0.5) OR (x1 > 0.5)
    >>> print(pt.rules.formula_of(model, True))
    (x2 > 0.5) OR (x1 > 0.5)
    """
    original = _single_tree(model_or_tree)
    tree = renamed_tree(original, feature_names, class_names)
    known, wanted = _wanted(original, tree, label, above, below)
    rules = leaf_rules(tree)
    space = Space(tree.schema, [rule.conditions for rule in rules])
    predicting = [(rule, space.box(rule.conditions)) for rule in rules if wanted[rule.leaf]]
    if not simplify:
        terms = tuple(rule.conditions for rule, box in predicting if box is not None)
        return Formula(known, terms, tree.schema)
    boxes = simplified(tree, space, wanted, [box for _, box in predicting if box is not None])
    return Formula(known, tuple(map(space.clauses, boxes)), tree.schema)


def export_formula(
    model_or_tree: object,
    label: Label | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    style: Style = "text",
    simplify: bool = True,
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> str:
    """Write the conditions under which a tree predicts a class, or a number in a range.

    The formula is a disjunction of conjunctions, as short as joining conditions on one feature
    makes it; "always" or "never" if the tree always or never predicts that. A condition applies
    only to rows whose value is not missing.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    label : str, int, float or bool
        A class of ``classes_``, or of ``class_names``. Required for classes.
    above : float, default=None
        For a numeric target: predictions must be greater. At least one of ``above`` and ``below``
        is required.
    below : float, default=None
        For a numeric target: predictions must be smaller.
    style : {"text", "unicode", "latex"}, default="text"
        "text" (AND, OR), "unicode" (∧, ∨, ≤) or "latex" (for math mode, with amsmath). Letters
        that are not Latin are printed by xelatex and lualatex with a font that has them
        (``\\setmainfont`` of fontspec); pdflatex prints their numbers: [U+4E2D].
    simplify : bool, default=True
        Whether to join and shorten terms. False writes one conjunction per leaf, as in the rules.
    width : int, default=None
        Columns to wrap at, at least 40. None uses the width of the terminal, or 100 without one.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.

    Returns
    -------
    str
        The formula, on several lines if it is wider than ``width``.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(pt.export_formula(model, "No"))
    (Outlook = Rain AND Wind = Strong) OR (Outlook = Sunny AND Humidity = High)
    >>> print(pt.export_formula(model, "No", style="unicode"))
    (Outlook = Rain ∧ Wind = Strong) ∨ (Outlook = Sunny ∧ Humidity = High)
    >>> hours = pt.CARTRegressor().fit([[1], [2], [4], [8], [9]], [10, 10, 20, 30, 31])
    >>> print(pt.export_formula(hours, above=10, below=31))
    3 < x0 <= 8.5
    """
    columns = line_width(width)
    formula = formula_of(
        model_or_tree,
        label,
        above=above,
        below=below,
        simplify=simplify,
        feature_names=feature_names,
        class_names=class_names,
    )
    return formula.describe(style, width=columns)


def _single_tree(model_or_tree: object) -> Tree:
    if rule_list_of(model_or_tree) is not None:
        raise ArgumentTypeError(
            "a formula describes a tree, and this model predicts with a rule list",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="write its rules instead (export_rules, or --to rules).",
        )
    return tree_of(model_or_tree)


def _wanted(
    original: Tree, tree: Tree, label: Label | None, above: float | None, below: float | None
) -> tuple[Label | NumberRange, NDArray[np.bool_]]:
    """The class or the range of a formula, and which nodes predict it."""
    ends = {name: end for name, end in (("above", above), ("below", below)) if end is not None}
    if not tree.schema.classes:
        if label is not None:
            raise ParameterError(
                f"a formula needs a range of numbers: the target {tree.schema.target!r} is numeric",
                got=f"label={label!r}",
                hint="pass above= or below=, or both.",
            )
        numbers = NumberRange.checked(above, below)
        return numbers, numbers.holds(tree.prediction)
    if ends or label is None:
        classes = ", ".join(map(repr, tree.schema.classes[:10]))
        raise ParameterError(
            f"a formula needs a class: the target {tree.schema.target!r} has classes",
            got=", ".join(f"{name}={end!r}" for name, end in ends.items()) or "no label",
            hint=f"the classes are {classes}.",
        )
    position = _position_of(label, original.schema.classes, tree.schema.classes)
    return tree.schema.classes[position], tree.label == position


def _position_of(label: Label, classes: Sequence[Label], class_names: Sequence[Label]) -> int:
    """The position of a class, given by its label or else by the name it is shown by."""
    for known in (classes, class_names):
        if label in known:
            return known.index(label)
    raise ParameterError(
        "the tree has no such class",
        got=f"label={label!r}",
        hint=nearest(label, class_names)
        or f"the classes are {', '.join(map(repr, class_names[:10]))}.",
    )
