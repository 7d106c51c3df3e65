"""The rules of a model: one per leaf of its tree, or its own rule list, as objects and as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any, Literal, overload

from plaintree.checks import check_choice
from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.row_forms import frame_of, markdown_table
from plaintree.data.words import line_width, shown_schema
from plaintree.tree.naming import renamed_tree
from plaintree.tree.prediction import spread_of
from plaintree.tree.tree import Tree, tree_of

from .rule import Clause, Rule, joined
from .rule_list import RuleList

if TYPE_CHECKING:
    import polars

Format = Literal["text", "markdown", "frame"]
FORMATS: tuple[Format, ...] = ("text", "markdown", "frame")


def rule_list_of(model: object) -> RuleList | None:
    """Return the rule list that a model predicts with; None if it predicts with trees."""
    rules = getattr(model, "rules_", model)
    return rules if isinstance(rules, RuleList) else None


def rules_of(model_or_tree: object) -> Sequence[Rule]:
    """Return the rules of a model, one per leaf of its tree.

    Rules of a tree are in depth-first order. A row without missing values and unseen categories
    matches exactly one of them. Leaves without training rows are rules of weight 0. A leaf whose
    path contradicts itself is a rule that matches nothing.

    Parameters
    ----------
    model_or_tree : estimator, Tree or RuleList
        A fitted estimator with a ``tree_`` or ``rules_``, a Tree or a RuleList. For an ensemble,
        pass one of its ``trees_``.

    Returns
    -------
    list of Rule or RuleList
        A list with a rule for each leaf. A model that predicts with a rule list
        (:class:`~plaintree.C45RulesClassifier`) gives that list, which also has a default class.

    Raises
    ------
    ArgumentTypeError
        If the model is not fitted, or is an ensemble.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> rules = pt.rules_of(pt.ID3Classifier().fit(X, y))
    >>> len(rules)
    5
    >>> print(rules[0])
    IF Outlook = Overcast THEN Yes   (support 4, confidence 1.00)

    A rule of a numeric target predicts a number:

    >>> model = pt.CARTRegressor(max_depth=1).fit([[1], [2], [8], [9]], [10, 14, 30, 32])
    >>> print(pt.export_rules(model))
    IF x0 <= 5 THEN 12   (support 2, sd 2)
    IF x0 > 5 THEN 31   (support 2, sd 1)
    """
    listed = rule_list_of(model_or_tree)
    return leaf_rules(tree_of(model_or_tree)) if listed is None else listed


def leaf_rules(tree: Tree) -> list[Rule]:
    """Return a rule for each leaf of a tree, depth first."""
    rules = []
    pending: list[tuple[int, tuple[Clause, ...]]] = [(0, ())]
    while pending:
        node, clauses = pending.pop()
        condition = tree.condition(node)
        if condition is None:
            rules.append(_leaf_rule(tree, node, clauses))
            continue
        first = int(tree.first_child[node])
        for branch in range(int(tree.n_children[node]) - 1, -1, -1):
            clause = Clause.of(condition, branch, tree.schema)
            pending.append((first + branch, joined(clauses, clause)))
    return rules


def _leaf_rule(tree: Tree, leaf: int, clauses: tuple[Clause, ...]) -> Rule:
    weight, weights = float(tree.weight[leaf]), tuple(tree.class_weights[leaf].tolist())
    spread, confidence = None, nan
    if tree.schema.classes:
        confidence = weights[tree.label[leaf]] / weight if weight > 0 else 0.0
    else:
        spread = spread_of(tree, leaf)
    return Rule(
        conditions=clauses,
        label=tree.node(leaf).prediction,
        weight=weight,
        confidence=confidence,
        class_weights=weights,
        leaf=leaf,
        schema=tree.schema,
        spread=spread,
    )


# -------------------------------------------------------------------- writing


@overload
def export_rules(
    model_or_tree: object,
    *,
    format: Literal["text", "markdown"] = ...,
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> str: ...
@overload
def export_rules(
    model_or_tree: object,
    *,
    format: Literal["frame"],
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> polars.DataFrame: ...
def export_rules(
    model_or_tree: object,
    *,
    format: Format = "text",
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
) -> str | polars.DataFrame:
    """Write a model as rules, IF ... THEN ..., one per leaf.

    Rules are in the order of the tree's branches; those without training rows come last. Nothing
    is left out or shortened: a long rule is wrapped. A condition applies only to rows whose value
    is not missing.

    Parameters
    ----------
    model_or_tree : estimator, Tree or RuleList
        A fitted estimator with a ``tree_`` or ``rules_``, a Tree or a RuleList. A rule list is
        written in its order.
    format : {"text", "markdown", "frame"}, default="text"
        Text for reading, a table for a document, or a polars DataFrame with the columns rule, if,
        then, support and confidence (rule lists: also estimated_accuracy). For a numeric target,
        the spread replaces confidence: sd, "mean deviation" or "half deviance", by the criterion.
    width : int, default=None
        Columns to wrap text at, at least 40. None uses the width of the terminal, or 100 without
        one.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.

    Returns
    -------
    str or polars.DataFrame
        A DataFrame if the format is "frame".

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(pt.export_rules(model))
    IF Outlook = Overcast THEN Yes   (support 4, confidence 1.00)
    IF Outlook = Rain AND Wind = Strong THEN No   (support 2, confidence 1.00)
    IF Outlook = Rain AND Wind = Weak THEN Yes   (support 3, confidence 1.00)
    IF Outlook = Sunny AND Humidity = High THEN No   (support 3, confidence 1.00)
    IF Outlook = Sunny AND Humidity = Normal THEN Yes   (support 2, confidence 1.00)
    >>> pt.export_rules(model, format="frame").row(1)
    (2, 'Outlook = Rain AND Wind = Strong', 'No', 2.0, 1.0)
    """
    check_choice("format", format, FORMATS)
    listed = rule_list_of(model_or_tree)
    shown: Tree | RuleList
    if listed is None:
        shown = renamed_tree(model_or_tree, feature_names, class_names)
    else:
        shown = listed.renamed(feature_names, class_names)
    if format == "frame":
        return frame_of(rule_rows(shown))
    if format == "markdown":
        return markdown_table(rule_rows(shown))
    if isinstance(shown, RuleList):
        return shown.describe(width=width)
    schema, columns = shown_schema(shown.schema), line_width(width)
    return "\n".join(line for rule in by_weight(shown) for line in rule.lines(schema, columns))


def rule_rows(model_or_tree: object) -> list[dict[str, Any]]:
    """Return rules as rows of a table, in the order and words of :func:`export_rules`.

    Rules of a list that never fire are left out, and its last row is the default.
    """
    listed = rule_list_of(model_or_tree)
    if listed is not None:
        return listed.rows()
    tree = tree_of(model_or_tree)
    shown = shown_schema(tree.schema)
    return [rule.row(number, shown) for number, rule in enumerate(by_weight(tree), 1)]


def by_weight(tree: Tree) -> list[Rule]:
    """Return the rules of a tree for reading: those without training rows come last."""
    return sorted(leaf_rules(tree), key=lambda rule: rule.weight == 0)
