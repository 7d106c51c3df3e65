"""plot_predictions: predicted against actual numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.data.target import numbers_from
from plaintree.tree.predict import predicted_numbers
from plaintree.tree.task import needs_numbers
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..picture.palette import CLASS_COLOURS, PAPER
from .canvas import axes_for, ink, name_text, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 5000


def plot_predictions(model_or_tree: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the predictions of a numeric target against the actual numbers.

    Points on the diagonal are predicted exactly. A single tree predicts one number per leaf, so its
    points lie on horizontal lines. The legend has the RMSE and R².

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted regressor or a Tree of a numeric target.
    X : table
        Rows with the columns of the training table (of more than 5,000 rows, evenly chosen ones
        are drawn).
    y : array-like
        Their actual numbers.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on. None draws on the current axes if they are empty, otherwise on a new
        figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ParameterError
        If the target has classes; :func:`plaintree.plot_confusion` is for these.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> X, y = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
    >>> ax = pt.plot_predictions(pt.CARTRegressor(max_depth=1).fit(X, y), X, y)
    >>> ax.get_legend().get_texts()[0].get_text()
    'RMSE 0.816, R² 0.993'
    """
    needs_numbers(model_or_tree, "plot_predictions", "use plot_confusion for classes.")
    from sklearn.metrics import r2_score, root_mean_squared_error

    if isinstance(model_or_tree, Tree):
        rows = rows_from(model_or_tree, X, y)
        actual, predicted = rows.target, predicted_numbers(model_or_tree, rows.columns)
        target = model_or_tree.schema.target
    else:
        predicted = np.asarray(model_or_tree.predict(X), dtype=np.float64)
        actual = numbers_from(y, len(predicted)).encoded
        target = getattr(getattr(model_or_tree, "schema_", None), "target", "target")
    r2 = f", R² {r2_score(actual, predicted):.3g}" if len(actual) > 1 else ""
    axes, step = axes_for(ax, (4.8, 4.8)), max(1, -(-len(actual) // MAX_POINTS))
    axes.scatter(
        actual[::step],
        predicted[::step],
        s=36 if len(actual) <= 100 else 12,
        color=CLASS_COLOURS[0],
        edgecolors=PAPER,
        linewidths=0.3,
        alpha=0.7,
        zorder=3,
        label=f"RMSE {root_mean_squared_error(actual, predicted):.3g}{r2}",
    )
    axes.axline((0, 0), slope=1, color=ink(), linewidth=1, linestyle="--", label="exact")
    low, high = min(actual.min(), predicted.min()), max(actual.max(), predicted.max())
    margin = 0.05 * (high - low) or max(abs(low) * 0.1, 0.5)
    for set_limits in (axes.set_xlim, axes.set_ylim):
        set_limits(low - margin, high + margin)
    axes.set_aspect("equal")
    axes.set_xlabel(f"actual {name_text(target)}")
    axes.set_ylabel(f"predicted {name_text(target)}")
    tidy(axes)
    axes.legend(frameon=False, fontsize="small", loc="upper left")
    return axes
