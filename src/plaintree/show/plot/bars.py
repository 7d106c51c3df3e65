"""plot_importances and plot_confusion: feature importances and confusion matrices."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.data.renaming import ClassNames, FeatureNames, renamed
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.tree.predict import class_codes
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..picture.node_text import text_width
from ..picture.palette import CLASS_COLOURS, EDGE
from .canvas import LONGEST_TICK, axes_for, figure_of, name_text, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_MATRIX = 12.0
"""The maximum side of a new figure, in inches."""
LETTER, MIN_LETTERS = 0.72, 5.0
"""The width of a digit, as a fraction of its size, with some space; the minimum size in points."""
ROOM_IN_CELLS = 0.8
"""The fraction of an axis that names side by side may take."""


def plot_importances(
    model_or_tree: Any,
    *,
    top: int = 15,
    feature_names: FeatureNames = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the feature importances as bars, the most important feature on top.

    The importance of a feature is its proportion of the impurity decrease by all splits.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with ``feature_importances_``, or a Tree.
    top : int, default=15
        Number of features to show; the sum of the others is one more bar.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
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
    >>> X, y = pt.datasets.load_tennis()
    >>> ax = pt.plot_importances(pt.ID3Classifier().fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Humidity', 'Wind', 'Outlook', 'Temperature']
    """
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise ParameterError("top must be an integer >= 1", got=f"top={top!r}")
    names, importances = _importances(model_or_tree)
    names = renamed(Schema(tuple(Feature(n, "numeric") for n in names), ()), feature_names).names
    order = np.argsort(-importances, kind="stable")
    labels = [name_text(names[i]) for i in order[:top]]
    heights = importances[order[:top]].tolist()
    colours = [CLASS_COLOURS[0]] * len(labels)
    rest = order[top:]
    if len(rest):
        labels.append(f"{len(rest)} others")
        heights.append(float(importances[rest].sum()))
        colours.append(EDGE)
    axes = axes_for(ax, (6.0, 0.9 + 0.28 * len(labels)))
    places = range(len(labels) - 1, -1, -1)
    axes.barh(places, heights, color=colours, height=0.7)
    axes.set_yticks(places, labels)
    for place, height in zip(places, heights, strict=True):
        axes.annotate(
            f"{height:.1%}",
            (height, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    axes.set_xlim(0, 1.15 * max([*heights, 1e-9]))
    axes.set_xlabel("importance (proportion of the impurity decrease)")
    tidy(axes, grid=False)
    return axes


def _importances(model_or_tree: Any) -> tuple[tuple[str, ...], Any]:
    if isinstance(model_or_tree, Tree):
        return model_or_tree.schema.names, model_or_tree.importances()
    if not hasattr(model_or_tree, "feature_importances_"):
        raise ArgumentTypeError(
            "there are no feature importances to draw",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass a fitted estimator or a Tree.",
        )
    importances = np.asarray(model_or_tree.feature_importances_, dtype=float)
    schema = getattr(model_or_tree, "schema_", None)
    if isinstance(schema, Schema):
        return schema.names, importances
    made_up = [f"x{i}" for i in range(len(importances))]
    return tuple(map(str, getattr(model_or_tree, "feature_names_in_", made_up))), importances


def plot_confusion(
    model_or_tree: Any,
    X: Any,
    y: Any,
    *,
    normalize: str | None = None,
    class_names: ClassNames = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the confusion matrix, with scikit-learn's display.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator or a Tree.
    X : table
        Rows with the columns of the training table.
    y : array-like
        Their true classes.
    normalize : {"true", "pred", "all"}, default=None
        Show proportions of the true classes, of the predicted classes or of all rows. None shows
        counts.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.
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
    >>> X, y = pt.datasets.load_tennis()
    >>> pt.plot_confusion(pt.ID3Classifier().fit(X, y), X, y).get_xlabel()
    'Predicted label'
    """
    needs_classes(model_or_tree, "plot_confusion", hint="use plot_predictions for numbers.")
    from sklearn.metrics import confusion_matrix

    if isinstance(model_or_tree, Tree):
        rows = rows_from(model_or_tree, X, y)
        labels: Any = model_or_tree.schema.classes
        truth: Any = np.array(rows.codes)
        predicted = class_codes(model_or_tree, rows.columns)
        known = np.arange(len(labels))
    else:
        truth, predicted = np.asarray(y), model_or_tree.predict(X)
        known = labels = model_or_tree.classes_
    matrix = confusion_matrix(truth, predicted, labels=known, normalize=normalize)
    side = min(1.8 + 0.28 * len(matrix), LARGEST_MATRIX)
    axes = axes_for(ax, (max(4.6, side + 0.6), max(4.0, side)))
    shown = renamed(Schema((), tuple(labels)), None, class_names).classes
    names = [name_text(label, LONGEST_TICK) for label in shown]
    _draw_matrix(axes, matrix, names, ".2f" if normalize else "d")
    return axes


def _draw_matrix(ax: Axes, matrix: Any, names: list[str], digits: str) -> None:
    """The matrix with letters that fit its cells, or else with a colour bar."""
    from sklearn.metrics import ConfusionMatrixDisplay

    corners = ax.get_window_extent()
    cell = min(corners.width, corners.height) * 72 / figure_of(ax).dpi / len(matrix)
    longest = max(len(format(value, digits)) for value in matrix.flat)
    letters = min(10.0, cell / (LETTER * longest))
    legible = letters >= MIN_LETTERS
    ConfusionMatrixDisplay(matrix, display_labels=names).plot(
        ax=ax,
        cmap="Blues",
        include_values=legible,
        colorbar=not legible,
        values_format=digits,
        text_kw={"fontsize": letters},
    )
    step = max(1, ceil(MIN_LETTERS / cell))
    shown, small = range(0, len(names), step), min(10.0, 0.9 * cell * step)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(shown, [names[i] for i in shown], fontsize=small)
    if sum(map(text_width, names[::step])) * small > ROOM_IN_CELLS * cell * len(names):
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
