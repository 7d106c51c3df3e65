"""plot_thresholds: the score of every threshold of a numeric feature at a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.schema import Feature
from plaintree.data.words import format_value
from plaintree.errors import ColumnError, ParameterError, nearest, not_allowed
from plaintree.rules.rule import Clause
from plaintree.stats.impurity import weighted_entropies, weighted_impurities
from plaintree.stats.midpoints import midpoints
from plaintree.stats.prefixes import prefix_impurities
from plaintree.tree.conventions import CHOICES, OF_TARGETS, criterion_of
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from ..picture.palette import ACCENT, EDGE, class_colour
from .canvas import MARKERS, axes_for, class_legend, ink, mark_values, name_text, tidy

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
MAX_POINTS = 2000
_SCORE_NAMES = {
    "gini": "decrease of the Gini impurity",
    "error": "decrease of the error rate",
    "squared_error": "decrease of the variance",
    "absolute_error": "decrease of the mean absolute deviation",
    "poisson": "decrease of the half deviance",
}


def plot_thresholds(
    model_or_tree: object,
    X: Any,
    y: Any,
    feature: str,
    *,
    node: int = 0,
    criterion: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the score of each threshold of a numeric feature at a node.

    The best threshold is marked, and that of the node if it splits on the feature. The score is the
    criterion by its definition, without penalties, minimum numbers of rows and missing values.
    Rows with a missing value on the decision path to the node, or of the feature, are left out.
    The rows of a numeric target are drawn as points, with an axis of their own.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    X : table
        The training rows.
    y : array-like
        Their classes or numbers.
    feature : str
        Name of a numeric feature, or of one with ordered categories.
    node : int, default=0
        Number of the node; 0 is the root.
    criterion : str, default=None
        A criterion of :class:`~plaintree.DecisionTreeClassifier`, or for numbers of
        :class:`~plaintree.DecisionTreeRegressor`. None takes that of the tree.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on. None draws on the current axes if they are empty, otherwise on a new
        figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> pt.plot_thresholds(model, X, y, "humidity").get_ylabel()
    'information gain'
    """
    tree = tree_of(model_or_tree)
    tree.node(node)  # raises an error if there is no such node
    number = _numeric_column(tree, feature)
    measure = _criterion(tree, criterion)
    rows = rows_at(tree, rows_from(tree, X, y), node)
    thresholds, scores = threshold_scores(rows, number, len(tree.schema.classes), measure)
    axes, column = axes_for(ax), tree.schema.features[number]
    marks: list[Artist] = [_draw_scores(axes, column, thresholds, scores)]
    if tree.feature[node] == number:
        own = float(tree.threshold[node])
        label = f"threshold of the node: {name_text(format_value(column, own))}"
        marks.append(axes.axvline(own, color=ink(), linestyle="--", linewidth=1, label=label))
    if tree.schema.classes:
        present = _draw_rows(axes, rows, number)
        class_legend(axes, tree.schema.classes, present, also=marks, loc="best")
    else:
        marks.append(_draw_numbers(axes, rows, number, tree.schema.target))
        axes.legend(handles=marks, framealpha=0.9, edgecolor="none", fontsize="small")
    axes.set_xlabel(name_text(feature))
    axes.set_ylabel(_SCORE_NAMES.get(measure, measure.replace("_", " ")))
    mark_values(axes.xaxis, column)
    # The rows of classes are drawn below zero, where there are no scores.
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= axes.get_ylim()[1]])
    tidy(axes)
    return axes


def _criterion(tree: Tree, given: str | None) -> str:
    """The criterion that is drawn; it must be one of the tree's task."""
    numeric = not tree.schema.classes
    allowed = [c for c in CHOICES["criterion"] if (c in OF_TARGETS) == numeric]
    if given is None and tree.conventions is None:
        return "squared_error" if numeric else "information_gain"
    criterion = given or criterion_of(tree.conventions, tree.schema)
    if criterion not in allowed:
        raise not_allowed("criterion", criterion, allowed)
    return criterion


def _numeric_column(tree: Tree, feature: str) -> int:
    schema = tree.schema
    if feature not in schema.names:
        raise ColumnError(
            "the tree has no feature of that name",
            got=repr(feature),
            hint=nearest(feature, schema.names) or "use a name of its schema.",
        )
    number = schema.position(feature)
    if schema.features[number].is_categorical:
        raise ParameterError(
            "only numbers and ordered categories have thresholds",
            got=f"{feature!r}, which is categorical",
            hint="pass the name of a numeric feature.",
        )
    return number


def rows_at(tree: Tree, rows: Rows, node: int) -> Rows:
    """The rows that reach a node by values that are not missing."""
    inside = np.ones(len(rows.target), dtype=np.bool_)
    while node > 0:
        above = int(tree.parent[node])
        condition = tree.condition(above)
        assert condition is not None, "a parent has a condition"
        clause = Clause.of(condition, node - int(tree.first_child[above]), tree.schema)
        inside &= clause.matches(rows.columns[clause.feature])
        node = above
    return rows[inside]


def threshold_scores(
    rows: Rows, number: int, n_classes: int, criterion: str
) -> tuple[Floats, Floats]:
    """The midpoints between neighbouring values, and the score of each of these thresholds."""
    column = rows.columns[number].astype(np.float64)
    known = np.flatnonzero(~np.isnan(column))
    order = known[np.argsort(column[known], kind="stable")]
    values, weights = column[order], rows.known_weights[order]
    ends = np.flatnonzero(np.diff(values) > 0)
    if not len(ends):
        raise ParameterError(
            "there is no threshold: all rows of the node have the same value",
            got=f"{len(known)} rows with a value",
            hint="choose another feature or node.",
        )
    if criterion in OF_TARGETS:
        scores = _scores_of_numbers(rows.target[order], weights, ends, criterion)
    else:
        counts = np.zeros((len(order), n_classes))
        counts[np.arange(len(order)), rows.codes[order]] = weights
        sums = counts.cumsum(axis=0)
        scores = _scores(sums[ends], sums[-1] - sums[ends], criterion)
    return midpoints(values[ends], values[ends + 1]), scores


def _scores_of_numbers(
    numbers: Floats, weights: Floats, ends: NDArray[np.intp], criterion: str
) -> Floats:
    """The scores of thresholds behind some of the sorted rows; NaN where a side is not allowed."""
    low = prefix_impurities(numbers, weights, criterion)
    high = prefix_impurities(numbers[::-1], weights[::-1], criterion)[::-1]
    scores = (low[-1] - low[ends] - high[ends + 1]) / weights.sum()
    if not np.isfinite(scores).any():
        raise ParameterError(
            "no threshold has targets above 0 on both sides, which Poisson deviance needs",
            got=f"{len(ends)} thresholds",
            hint="choose another feature, node or criterion.",
        )
    return np.where(np.isfinite(scores), scores, np.nan)


def _scores(low: Floats, high: Floats, criterion: str) -> Floats:
    """The scores of thresholds, from the class weights on both sides of each."""
    weight = float((low[0] + high[0]).sum())
    left = (weighted_impurities(low, criterion) + weighted_impurities(high, criterion)) / weight
    gain: Floats = weighted_impurities(low + high, criterion) / weight - left
    if criterion == "gain_ratio":
        sides = np.stack([low.sum(axis=1), high.sum(axis=1)], axis=1)
        gain = gain * weight / weighted_entropies(sides)
    elif criterion == "gain_ratio_conditional":
        with np.errstate(divide="ignore"):
            gain = np.where(left > 0, gain / left, np.inf)
    return gain


# -------------------------------------------------------------------- drawing


def _draw_scores(ax: Axes, column: Feature, thresholds: Floats, scores: Floats) -> Artist:
    """Draw the curve of scores; return the mark of the best one."""
    finite = np.where(np.isfinite(scores), scores, np.nan)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    few = len(thresholds) <= 100
    ax.plot(thresholds, finite, color=class_colour(0), marker="o" if few else "", markersize=4)
    best = int(np.argmax(scores))
    height = float(finite[best]) if np.isfinite(scores[best]) else float(np.nanmax(finite))
    (ring,) = ax.plot(
        thresholds[best],
        height,
        "o",
        markersize=11,
        markerfacecolor="none",
        markeredgewidth=2,
        color=ACCENT,
        label=f"best threshold: {name_text(format_value(column, float(thresholds[best])))}",
    )
    ax.set_ylim(min(0.0, float(np.nanmin(finite))) - 0.18 * height, 1.12 * height or 1.0)
    return ring


def _draw_numbers(ax: Axes, rows: Rows, number: int, target: str) -> Artist:
    """The rows behind the curve, with an axis of their own for the target; return their mark."""
    values, step = rows.columns[number].astype(np.float64), max(1, len(rows.target) // MAX_POINTS)
    behind = ax.twinx()
    (points,) = behind.plot(
        values[::step],
        rows.target[::step],
        MARKERS[0],
        markersize=4,
        alpha=0.6,
        color=EDGE,
        label=f"{name_text(target)} of the rows",
    )
    behind.set_ylabel(name_text(target))
    behind.spines["top"].set_visible(False)
    ax.set_zorder(behind.get_zorder() + 1)
    ax.patch.set_visible(False)
    return points


def _draw_rows(ax: Axes, rows: Rows, number: int) -> list[int]:
    """The rows below the curve, on a line for each class; these are returned."""
    values = rows.columns[number].astype(np.float64)
    classes: list[int] = np.unique(rows.codes).tolist()
    step = max(1, len(values) // MAX_POINTS)
    for place, code in enumerate(classes):
        here = values[::step][rows.codes[::step] == code]
        height = 0.02 + 0.1 * (place + 0.5) / len(classes)
        ax.plot(
            here,
            np.full(len(here), height),
            MARKERS[code % len(MARKERS)],
            markersize=4,
            alpha=0.7,
            color=class_colour(code),
            transform=ax.get_xaxis_transform(),
        )
    return classes
