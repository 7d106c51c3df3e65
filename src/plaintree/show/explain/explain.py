"""The explanation of one prediction: decision path, probabilities or interval, counterfactual.

It needs a tree, an ensemble or a rule list, and a row, nothing else. Its parts: the decision path
(case.py) and the row's values (values.py), the counterfactual (counterfactual.py, goal.py,
distance.py), ensembles (forest.py, vote.py, average.py), rule lists (rules.py, firing.py), and what
is returned (probabilities.py, estimate.py, parts.py, explanation.py).
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
from plaintree.rules.extract import rule_list_of
from plaintree.tree.predict import row_predictions
from plaintree.tree.prediction import NumberRange, spread_of
from plaintree.tree.tree import Tree, tree_of

from .case import Case, averaged, estimated
from .counterfactual import smallest_change
from .explanation import Explanation
from .forest import explain_vote
from .goal import LEAST_CHANGE, Goal, InRange, OtherClass, OtherNumber
from .rules import explain_rules


def explain(
    model_or_tree: object,
    row: Any,
    *,
    immutable: str | Iterable[str] = (),
    scales: Mapping[str, float | timedelta] | None = None,
    confidence: float = 0.95,
    above: float | None = None,
    below: float | None = None,
) -> Explanation:
    """Explain the prediction for one row.

    The explanation has the decision path, the class probabilities with Wilson intervals, and the
    counterfactual: the smallest change of the row that changes the prediction. The counterfactual
    is exact. It changes the fewest features; of equals it is the nearest, then the one whose leaf
    has the most training rows. The distance of a number is a fraction of its scale. Ordered
    categories count steps; other categories, and missing values that are filled in, count 1. For a
    row that missing values divide over branches the search may be too large; the explanation then
    reports that it was given up.

    For a numeric target, the path has the prediction of each node, and the interval is one spread
    of the leaf's training rows on either side of its prediction: a standard deviation, or the mean
    absolute deviation. The counterfactual moves the prediction above or below a number, if one is
    given; otherwise by at least that spread, and at least a tenth of the spread at the root.

    For an ensemble (random forest, bagged or boosted trees), the explanation has the votes, the
    features on the decision paths of the trees, and the path of a typical tree. For a rule list
    (C4.5rules), it has the rule that fires, with its training rows and estimated accuracy, and the
    other rules that the row satisfies. Counterfactuals are for single trees only.

    Parameters
    ----------
    model_or_tree : estimator, Tree or RuleList
        A fitted estimator (a single tree, an ensemble, or a rule list), a Tree or a RuleList.
    row : dict, Series, sequence or table of one row
        Values by column names, a list of values in column order, or a table of one row.
    immutable : str or iterable of str, default=()
        Names of features that the counterfactual must not change. Single trees only.
    scales : dict of str to float or timedelta, default=None
        What counts as a distance of 1, by the names of numeric features. By default, the range of
        the tree's thresholds of the feature and the row's own value. Single trees only.
    confidence : float, default=0.95
        Confidence level of the intervals of class probabilities, between 0 and 1.
    above : float, default=None
        For a numeric target, the counterfactual must predict a greater number. Single trees only.
    below : float, default=None
        For a numeric target, the counterfactual must predict a smaller number; with ``above``, one
        between the two. Single trees only.

    Returns
    -------
    Explanation
        Prints as text; ``to_dict()`` returns it for JSON.

    Raises
    ------
    TableError
        If there is more than one row, or a value is missing that the model does not allow to be.
    ColumnError
        If columns are missing, or ``immutable`` or ``scales`` name none.
    ParameterError
        If options of counterfactuals are given for a model that is not a single tree, or ``above``
        or ``below`` for classes.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> print(pt.explain(pt.C45Classifier().fit(X, y), X[:1]))
    Prediction: no
    Decision path:
      outlook = sunny
      humidity > 75 (it is 85)
    Class probabilities (3 training rows in this leaf):
      no   100%   (44% to 100%)
      yes    0%   (0% to 56%)
    (95% Wilson intervals. They are optimistic: the tree was fitted to these rows.)
    <BLANKLINE>
    Counterfactual: yes with one change (4 training rows in its leaf):
      outlook: overcast instead of sunny
    >>> forest = pt.RandomForestClassifier(100, voting="hard", random_state=0).fit(X, y)
    >>> print(str(pt.explain(forest, X[:1])).splitlines()[0])
    Prediction: no (78 of 100 trees)

    A regression tree, and the smallest change that moves its prediction above 25:

    >>> hours = pt.CARTRegressor().fit([[1], [2], [4], [8], [9]], [10, 12, 20, 30, 31])
    >>> print(pt.explain(hours, [4], above=25))
    Prediction: 20
    Decision path (root: 20.6):
      x0 <= 6 (it is 4): 14
      x0 > 3 (it is 4): 20
    Interval: none, because the spread is 0 (1 training row in this leaf)
    <BLANKLINE>
    Counterfactual: 30, above 25, with one change (1 training row in its leaf):
      x0: 7 instead of 4 (any 6 < x0 <= 8.5 will do)
    """
    deviation = _deviation(confidence)
    options = {"immutable": immutable, "scales": scales, "above": above, "below": below}
    if hasattr(model_or_tree, "trees_") and not hasattr(model_or_tree, "tree_"):
        _refuse_options(options, "an ensemble", "trees_[0], or --tree 0")
        return explain_vote(model_or_tree, one_row(row), confidence, deviation)
    listed = rule_list_of(model_or_tree)
    if listed is not None:
        _refuse_options(options, "a rule list", "that of C45Classifier, for example")
        return explain_rules(listed, one_row(row), confidence, deviation)
    tree = _single_tree(model_or_tree)
    kept, given = _names_in(tree.schema, immutable), _checked_scales(tree.schema, scales)
    case = Case.of(tree, one_row(row))
    features = tree.schema.features
    measures = [case.distance_of(f, f.name in kept, given.get(f.name)) for f in features]
    goal = _goal(case, above, below)
    search = smallest_change(tree, case.columns, measures, goal)
    paths = tuple(case.path(node, fraction, deviation) for node, fraction in case.pieces())
    answer = row_predictions(tree, case.columns)[0].item()
    classes = tree.schema.classes
    return Explanation(
        prediction=classes[answer] if classes else answer,
        probabilities=averaged(paths) if classes else (),
        paths=paths,
        counterfactual=None if search.found is None else case.counterfactual(search.found),
        confidence=confidence,
        weighted=tree.root.weight != tree.root.n_rows,
        immutable=kept,
        search_ended_at=search.ended_at,
        estimate=None if classes else estimated(paths, answer),
        wanted=goal.wanted if isinstance(goal, InRange) else None,
        min_change=goal.min_change if isinstance(goal, OtherNumber) else None,
    )


def _goal(case: Case, above: float | None, below: float | None) -> Goal:
    """What a counterfactual is to predict: as wanted, or clearly something else."""
    tree, given = case.tree, above is not None or below is not None
    answer = row_predictions(tree, case.columns)[0].item()
    if tree.schema.classes:
        if given:
            raise ParameterError(
                f"above and below are for numbers: the target {tree.schema.target!r} has classes",
                got=f"above={above!r}, below={below!r}",
                hint="leave them out; the counterfactual is of another class.",
            )
        return OtherClass(answer)
    if given:
        return InRange(NumberRange.checked(above, below))
    return OtherNumber(answer, max(case.spread(), LEAST_CHANGE * spread_of(tree, 0).distance))


# -------------------------------------------------------------------- parameters


def _single_tree(model_or_tree: object) -> Tree:
    """The tree that a model predicts with."""
    if hasattr(model_or_tree, "estimators_") and not hasattr(model_or_tree, "tree_"):
        raise ArgumentTypeError(
            "an ensemble of other models cannot be explained",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass one of its estimators_.",
        )
    return tree_of(model_or_tree)


def _refuse_options(options: Mapping[str, Any], model: str, tree: str) -> None:
    """Refuse options of counterfactuals for a model that has none."""
    given = next((n for n, value in options.items() if value or isinstance(value, Real)), None)
    if given:
        raise ParameterError(
            f"counterfactuals are for single trees only, and this is {model}",
            got=given,
            hint=f"leave it out, or explain one tree: {tree}.",
        )


def _deviation(confidence: Any) -> float:
    """The number of standard deviations of a normal interval at a confidence level."""
    number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise ParameterError(
            "confidence must be a number between 0 and 1",
            got=f"confidence={confidence!r}",
            hint="use 0.95, for example.",
        )
    return NormalDist().inv_cdf(0.5 + float(confidence) / 2)


def _names_in(schema: Schema, names: str | Iterable[str]) -> tuple[str, ...]:
    """Names of features, in column order."""
    wanted = [names] if isinstance(names, str) else [str(name) for name in names]
    for name in wanted:
        if name not in schema.names:
            raise ColumnError(
                "there is no feature of that name",
                got=repr(name),
                hint=nearest(name, schema.names) or "use the names of the tree's columns.",
            )
    return tuple(name for name in schema.names if name in wanted)


def _checked_scales(
    schema: Schema, scales: Mapping[str, float | timedelta] | None
) -> dict[str, float]:
    """What counts as a distance of 1, in the units of encoded columns."""
    checked = {}
    for name, given in (scales or {}).items():
        feature = schema.features[schema.position(*_names_in(schema, name))]
        temporal = feature.unit in TEMPORAL
        size: Any = given
        if isinstance(given, timedelta) and temporal:
            size = number_of(given)
        elif temporal or isinstance(given, bool) or not isinstance(given, Real):
            size = 0
        if feature.kind != "numeric" or not 0 < size < inf:
            raise ParameterError(
                f"{name!r} cannot be measured by that scale",
                got=repr(given),
                hint="use a number above 0 for numeric features and a timedelta for dates and "
                "times; other features have no scale.",
            )
        checked[feature.name] = float(size)
    return checked
