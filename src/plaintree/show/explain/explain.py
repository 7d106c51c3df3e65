"""Why a model answers one row as it does, how sure that is, and what would change it.

Needs a tree, trees that vote or a list of rules, and a row, nothing else. Its parts: the row's way
down (case.py) and its values (values.py), the smallest change (counterfactual.py), many trees
(forest.py, vote.py), lists of rules (rules.py, firing.py), and the writing of it all (shares.py,
explanation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from math import inf
from numbers import Real
from statistics import NormalDist
from typing import Any

from plaintree.data.one_row import one_row
from plaintree.data.schema import Schema
from plaintree.data.timestamps import TEMPORAL, number_of
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError, nearest
from plaintree.rules.rule_list import RuleList
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree, tree_of

from .case import Case, averaged
from .counterfactual import smallest_change
from .explanation import Explanation
from .forest import explain_vote
from .rules import explain_rules


def explain(
    model_or_tree: object,
    row: Any,
    *,
    frozen: str | Iterable[str] = (),
    scales: Mapping[str, float | timedelta] | None = None,
    confidence: float = 0.95,
) -> Explanation:
    """Explain the answer to one row: the tests it passes, the class shares, the smallest change.

    The smallest change that alters the answer is exact: it changes the fewest attributes, and of
    equals is the nearest. A number's distance is a share of its scale, by default the span of the
    tree's thresholds of that attribute and the row's own value; ordered categories count steps,
    other categories and values filled in count 1. Of changes equally small, the one whose leaf has
    the most training rows is told. (A row that missing values divide over branches has so many
    possible changes that the search may have to give up; the explanation then says so.)

    Of many trees that vote (random forests, bagged and boosted trees), the explanation tells the
    vote, which attributes the trees test on the row's way, and the way down the tree that is
    typical of those that give the answer. Of a list of rules (C4.5rules), it tells the rule that
    fires, with the training rows that satisfy it and its estimated accuracy, and the rules that the
    row satisfies as well. The smallest change is found for single trees only: explain one of
    ``trees_``, or ``tree_``, for that.

    Parameters
    ----------
    model_or_tree
        A fitted model with one tree (anything with a ``tree_``), with many (``trees_``) or with a
        list of rules (``rules_``); or a Tree or RuleList.
    row
        A dict or series by column names, a list of values in column order, or a table of one row.
    frozen
        (One tree.) The names of attributes that may not change.
    scales
        (One tree.) What counts as a distance of 1, by the names of numeric attributes.
    confidence
        Of the Wilson intervals around the class shares.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> print(pt.explain(pt.C45Classifier().fit(X, y), X[:1]))
    The answer is no, because
      outlook = sunny
      humidity > 75 (it is 85)
    Of 3 training rows there:
      no   100%   (44% to 100%)
      yes    0%   (0% to 56%)
    (95% Wilson intervals; the tree was fitted to these rows, so they flatter it.)
    <BLANKLINE>
    The answer would be yes (4 training rows there) with one change:
      outlook: overcast instead of sunny
    >>> forest = pt.RandomForestClassifier(100, voting="hard", random_state=0).fit(X, y)
    >>> print(str(pt.explain(forest, X[:1])).splitlines()[0])
    The answer is no: 80 of 100 trees say so.
    """
    deviation = _deviation(confidence)
    if hasattr(model_or_tree, "trees_") and not hasattr(model_or_tree, "tree_"):
        _refuse_changes(frozen, scales, "this model has many", "trees_[0], or --tree 0")
        return explain_vote(model_or_tree, one_row(row), confidence, deviation)
    listed = getattr(model_or_tree, "rules_", model_or_tree)
    if isinstance(listed, RuleList):
        _refuse_changes(frozen, scales, "this is a list of rules", "that of C45Classifier, say")
        return explain_rules(listed, one_row(row), confidence, deviation)
    tree = _one_tree(model_or_tree)
    kept, measures = _names_in(tree.schema, frozen), _checked_scales(tree.schema, scales)
    case = Case.of(tree, one_row(row))
    rulers = [case.ruler(a, a.name in kept, measures.get(a.name)) for a in tree.schema.features]
    search = smallest_change(tree, case.columns, rulers)
    paths = tuple(case.path(node, share, deviation) for node, share in case.pieces())
    return Explanation(
        answer=tree.schema.classes[int(class_codes(tree, case.columns)[0])],
        shares=averaged(paths),
        paths=paths,
        change=None if search.found is None else case.change(search.found),
        confidence=confidence,
        weighted=tree.root.weight != tree.root.n_rows,
        frozen=kept,
        search_ended_at=search.ended_at,
    )


# -------------------------------------------------------------------- what is asked


def _one_tree(model_or_tree: object) -> Tree:
    """The one tree that a model answers by."""
    if hasattr(model_or_tree, "estimators_") and not hasattr(model_or_tree, "tree_"):
        raise ArgumentTypeError(
            "this model answers by many models; only one can be explained",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass one of its estimators_.",
        )
    return tree_of(model_or_tree)


def _refuse_changes(frozen: object, scales: object, but: str, tree: str) -> None:
    """What is about the smallest change is of no use where none is looked for."""
    given = next((n for n, value in (("frozen", frozen), ("scales", scales)) if value), None)
    if given:
        raise ParameterError(
            f"the smallest change is found for single trees only, and {but}",
            got=given,
            hint=f"leave it out, or explain one tree: {tree}.",
        )


def _deviation(confidence: Any) -> float:
    """How many standard deviations a normal distribution's interval of a confidence reaches."""
    number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise ParameterError(
            "confidence is out of range",
            got=f"confidence={confidence!r}",
            hint="use a number between 0 and 1, such as 0.95.",
        )
    return NormalDist().inv_cdf(0.5 + float(confidence) / 2)


def _names_in(schema: Schema, names: str | Iterable[str]) -> tuple[str, ...]:
    """Names of attributes, in column order."""
    wanted = [names] if isinstance(names, str) else [str(name) for name in names]
    for name in wanted:
        if name not in schema.names:
            raise ColumnError(
                "there is no attribute of that name",
                got=repr(name),
                hint=nearest(name, schema.names) or "use the names of the tree's columns.",
            )
    return tuple(name for name in schema.names if name in wanted)


def _checked_scales(
    schema: Schema, scales: Mapping[str, float | timedelta] | None
) -> dict[str, float]:
    """What counts as a distance of 1, in the units that columns are encoded in."""
    checked = {}
    for name, given in (scales or {}).items():
        attribute = schema.features[schema.position(*_names_in(schema, name))]
        temporal = attribute.unit in TEMPORAL
        size: Any = given
        if isinstance(given, timedelta) and temporal:
            size = number_of(given)
        elif temporal or isinstance(given, bool) or not isinstance(given, Real):
            size = 0
        if attribute.kind != "numeric" or not 0 < size < inf:
            raise ParameterError(
                f"{name!r} cannot be measured by that scale",
                got=repr(given),
                hint="give numeric columns a number above 0 (columns of dates and times a "
                "timedelta), and other columns none.",
            )
        checked[attribute.name] = float(size)
    return checked
