"""plot_importances and plot_confusion: what a model uses, and what it mixes up."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.data.schema import Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..picture.node_text import text_width
from ..picture.palette import CLASS_COLOURS, EDGE
from .canvas import LONGEST_TICK, axes_for, figure_of, name_text, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_MATRIX = 12.0
"""The greatest side of a new figure, in inches."""
LETTER, LEAST_LETTERS = 0.72, 5.0
"""How wide a digit is, as a share of its size, with some room; and the least size, in points."""
ROOM_IN_CELLS = 0.8
"""The share of an axis that names side by side may take."""


def plot_importances(model_or_tree: Any, *, top: int = 15, ax: Axes | None = None) -> Axes:
    """Draw how much of the impurity each attribute's tests remove, the greatest share on top.

    Parameters
    ----------
    model_or_tree
        A fitted model with ``feature_importances_``, or a Tree.
    top
        How many attributes to show; what the others have is added up in one bar.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> from plaintree.show.plot.bars import plot_importances
    >>> X, y = pt.datasets.load_tennis()
    >>> ax = plot_importances(pt.ID3Classifier().fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Humidity', 'Wind', 'Outlook', 'Temperature']
    """
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise ParameterError("top is not a number of bars", got=f"top={top!r}", hint="use 1, 2 ...")
    names, shares = _importances(model_or_tree)
    order = np.argsort(-shares, kind="stable")
    labels = [name_text(names[i]) for i in order[:top]]
    heights = shares[order[:top]].tolist()
    colours = [CLASS_COLOURS[0]] * len(labels)
    rest = order[top:]
    if len(rest):
        labels.append(f"{len(rest)} others")
        heights.append(float(shares[rest].sum()))
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
    axes.set_xlabel("share of the impurity removed")
    tidy(axes, grid=False)
    return axes


def _importances(model_or_tree: Any) -> tuple[tuple[str, ...], Any]:
    if isinstance(model_or_tree, Tree):
        return model_or_tree.schema.names, model_or_tree.importances()
    if not hasattr(model_or_tree, "feature_importances_"):
        raise ArgumentTypeError(
            "there are no importances to draw",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass a fitted model or a Tree.",
        )
    shares = np.asarray(model_or_tree.feature_importances_, dtype=float)
    schema = getattr(model_or_tree, "schema_", None)
    if isinstance(schema, Schema):
        return schema.names, shares
    made_up = [f"x{i}" for i in range(len(shares))]
    return tuple(map(str, getattr(model_or_tree, "feature_names_in_", made_up))), shares


def plot_confusion(
    model_or_tree: Any, X: Any, y: Any, *, normalize: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how often each class is taken for which, by scikit-learn's display.

    Parameters
    ----------
    model_or_tree
        A fitted model or a Tree.
    X, y
        Rows and their true classes.
    normalize
        None for counts, or shares of the "true" or "pred" classes or of "all" rows.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> from plaintree.show.plot.bars import plot_confusion
    >>> X, y = pt.datasets.load_tennis()
    >>> plot_confusion(pt.ID3Classifier().fit(X, y), X, y).get_xlabel()
    'Predicted label'
    """
    from sklearn.metrics import confusion_matrix

    if isinstance(model_or_tree, Tree):
        rows = rows_from(model_or_tree, X, y)
        labels: Any = model_or_tree.schema.classes
        truth: Any = np.array(rows.codes)
        answers = class_codes(model_or_tree, rows.columns)
        known = np.arange(len(labels))
    else:
        truth, answers = np.asarray(y), model_or_tree.predict(X)
        known = labels = model_or_tree.classes_
    matrix = confusion_matrix(truth, answers, labels=known, normalize=normalize)
    side = min(1.8 + 0.28 * len(matrix), LARGEST_MATRIX)
    axes = axes_for(ax, (max(4.6, side + 0.6), max(4.0, side)))
    names = [name_text(label, LONGEST_TICK) for label in labels]
    _draw_matrix(axes, matrix, names, ".2f" if normalize else "d")
    return axes


def _draw_matrix(ax: Axes, matrix: Any, names: list[str], digits: str) -> None:
    """The matrix with letters that fit its cells; where none do, colours have to tell."""
    from sklearn.metrics import ConfusionMatrixDisplay

    corners = ax.get_window_extent()
    cell = min(corners.width, corners.height) * 72 / figure_of(ax).dpi / len(matrix)
    longest = max(len(format(value, digits)) for value in matrix.flat)
    letters = min(10.0, cell / (LETTER * longest))
    legible = letters >= LEAST_LETTERS
    ConfusionMatrixDisplay(matrix, display_labels=names).plot(
        ax=ax,
        cmap="Blues",
        include_values=legible,
        colorbar=not legible,
        values_format=digits,
        text_kw={"fontsize": letters},
    )
    step = max(1, ceil(LEAST_LETTERS / cell))
    shown, small = range(0, len(names), step), min(10.0, 0.9 * cell * step)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(shown, [names[i] for i in shown], fontsize=small)
    if sum(map(text_width, names[::step])) * small > ROOM_IN_CELLS * cell * len(names):
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
