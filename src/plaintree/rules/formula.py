"""The logical formula of a class: a disjunction of conjunctions of conditions.

Glossary. A *term* is one conjunction; the rules of a tree that predict the class are the first
terms. Terms are simplified as boxes (see regions.py), in these steps:

1. *join*: terms that differ in one feature become one term, if their union on it is an interval or
   a set again (x <= 3, or 3 < x <= 5: x <= 5);
2. *widen*: a condition, or one end of an interval, is left out if the tree predicts the class
   whether it holds or not (x > 3 in: x <= 3, or x > 3 and y = a). It is checked on the tree: the
   wider term must not reach a leaf of another class;
3. join again, and leave out terms that the others cover.

Every step shortens the formula, and none changes its meaning.
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
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of

from .extract import leaf_rules, rule_list_of
from .formula_words import STYLES, Style, numbered
from .regions import Axis, Box, Line, Side, Space
from .rule import Clause

MAX_STEPS = 300_000
"""The number of nodes visited to widen the terms of a formula, about a second. Remaining terms
stay as they are: a formula with so many terms is not for reading."""

MAX_CELLS = 200
"""The number of parts of a term that are examined to find out whether other terms cover it."""


@dataclass(frozen=True)
class Formula:
    """The conditions under which a tree predicts a class, in disjunctive normal form.

    Attributes
    ----------
    label : str, int, float or bool
        The class.
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

    label: Label
    terms: tuple[tuple[Clause, ...], ...]
    schema: Schema = field(repr=False)

    @property
    def n_conditions(self) -> int:
        """The number of clauses in all terms."""
        return sum(map(len, self.terms))

    def matches(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Return for which rows of encoded columns the formula holds.

        For rows without missing values and unseen categories, these are exactly the rows for which
        the tree predicts the class. With missing values, they may be fewer.

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
    label: Label,
    *,
    simplify: bool = True,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> Formula:
    """Return the conditions under which a tree predicts a class.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    label : str, int, float or bool
        A class of ``classes_``, or of ``class_names``.
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
        If the tree has no such class.
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
    needs_classes(model_or_tree, "a formula")
    original = _single_tree(model_or_tree)
    tree = renamed_tree(original, feature_names, class_names)
    position = _position_of(label, original.schema.classes, tree.schema.classes)
    known = tree.schema.classes[position]
    rules = leaf_rules(tree)
    space = Space(tree.schema, [rule.conditions for rule in rules])
    predicting = [(rule, space.box(rule.conditions)) for rule in rules if rule.label == known]
    if not simplify:
        terms = tuple(rule.conditions for rule, box in predicting if box is not None)
        return Formula(known, terms, tree.schema)
    boxes = _joined(space, [box for _, box in predicting if box is not None])
    walk = _Walk(tree, space, position)
    widened = [walk.widened(box) for box in boxes]
    if widened != boxes:
        boxes = _without_covered(space, _joined(space, widened))
    return Formula(known, tuple(map(space.clauses, boxes)), tree.schema)


def export_formula(
    model_or_tree: object,
    label: Label,
    *,
    style: Style = "text",
    simplify: bool = True,
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> str:
    """Write the conditions under which a tree predicts a class as a formula.

    It is a disjunction of conjunctions, as short as joining conditions on one feature makes it;
    "always" or "never" if the tree always or never predicts the class. A condition applies only to
    rows whose value is not missing.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    label : str, int, float or bool
        A class of ``classes_``, or of ``class_names``.
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
    """
    needs_classes(model_or_tree, "a formula")
    columns = line_width(width)
    formula = formula_of(
        model_or_tree,
        label,
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


# -------------------------------------------------------------------- joining terms


def _joined(space: Space, boxes: list[Box]) -> list[Box]:
    """The boxes, with those joined that differ in one feature only, until none do."""
    before = -1
    while before != len(boxes):
        before = len(boxes)
        for feature in sorted({a for box in boxes for a in box}):
            boxes = _joined_along(space.axes[feature], feature, boxes)
    return boxes


def _joined_along(axis: Axis, feature: int, boxes: list[Box]) -> list[Box]:
    alike: dict[frozenset[tuple[int, Side]], list[Box]] = {}
    for box in boxes:
        others = frozenset((a, side) for a, side in box.items() if a != feature)
        alike.setdefault(others, []).append(box)
    joined: list[Box] = []
    for group in alike.values():
        sides = axis.union([box.get(feature, axis.whole) for box in group])
        if len(sides) == len(group):
            joined += group
        elif sides == [axis.whole]:
            joined.append(_without(group[0], feature))
        else:
            joined += [box | {feature: side} for box, side in zip(group, sides, strict=False)]
    return joined


def _without(box: Box, feature: int) -> Box:
    return {a: side for a, side in box.items() if a != feature}


def _without_covered(space: Space, boxes: list[Box]) -> list[Box]:
    """The boxes without those that others cover, the longest examined first."""
    kept = dict(enumerate(boxes))
    steps = MAX_STEPS
    for number in sorted(kept, key=lambda n: -len(boxes[n])):
        steps -= len(kept)
        if steps < 0:
            break
        box = kept.pop(number)
        near = [other for other in kept.values() if space.common(box, other) is not None]
        part = space.uncovered(near, space.everything | box, max_cells=MAX_CELLS)
        if part is not None:
            kept[number] = box
    return [boxes[number] for number in sorted(kept)]


# -------------------------------------------------------------------- widening terms


class _Walk:
    """Finds the leaves of a tree that boxes reach; ``steps`` nodes can be visited."""

    def __init__(self, tree: Tree, space: Space, label: int) -> None:
        self.space = space
        self.steps = MAX_STEPS
        self.other_class = (tree.label != label).tolist()
        self.feature = tree.feature.tolist()
        self.first_child = tree.first_child.tolist()
        self.branches = [_branches(tree, node, space) for node in range(tree.n_nodes)]
        self.lost = [_lost(space, *node) for node in zip(self.feature, self.branches, strict=True)]

    def widened(self, box: Box) -> Box:
        """The box without conditions, then without ends of intervals, that can be left out."""
        for feature in tuple(box):
            wider = _without(box, feature)
            box = box if self._reaches_other_class(wider) else wider
        for feature, (begin, end) in self._intervals(box):
            last = self.space.axes[feature].known[1]
            for longer in ((0, end), (begin, last)) if begin > 0 and end < last else ():
                wider = box | {feature: longer}
                box = box if self._reaches_other_class(wider) else wider
        return box

    def _intervals(self, box: Box) -> list[tuple[int, Side]]:
        lines = ((a, side) for a, side in box.items() if isinstance(self.space.axes[a], Line))
        return [(a, side) for a, side in lines if side != self.space.axes[a].missing]

    def _reaches_other_class(self, box: Box) -> bool:
        """Whether the tree may predict another class in the box (or the search is too long)."""
        pending = [(0, box)]
        while pending:
            node, box = pending.pop()
            branches, feature = self.branches[node], self.feature[node]
            self.steps -= 1 + len(branches)
            if self.steps < 0 or (not branches and self.other_class[node]):
                return True
            if not branches:
                continue
            axis = self.space.axes[feature]
            inside = box.get(feature, axis.whole)
            if any(axis.meet(inside, side) for side in self.lost[node]):
                return True  # missing values without a branch, for example: no rule covers them
            for number, side in enumerate(branches):
                met = None if side is None else axis.meet(inside, side)
                if met is not None:
                    pending.append((self.first_child[node] + number, box | {feature: met}))
        return False


def _branches(tree: Tree, node: int, space: Space) -> list[Side | None]:
    """The sides of a node's branches; None for one that no value takes, none in a leaf."""
    condition = tree.condition(node)
    if condition is None:
        return []
    axis = space.axes[condition.feature]
    clauses = (
        Clause.of(condition, branch, tree.schema) for branch in range(int(tree.n_children[node]))
    )
    return [axis.side(clause) for clause in clauses]


def _lost(space: Space, feature: int, branches: list[Side | None]) -> list[Side]:
    """The values that no branch takes."""
    taken = [side for side in branches if side is not None]
    return space.axes[feature].rest(space.axes[feature].whole, taken) if branches else []
