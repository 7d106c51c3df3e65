"""Errors as curves: against the size of a tree, along a pruning path, and of forests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.errors import ArgumentTypeError

from ..picture.palette import ACCENT, CLASS_COLOURS, PALE_INK
from .canvas import axes_for, ink, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plaintree.pruning.curves import OverfittingCurve
    from plaintree.pruning.path import PruningPath

TRAINING, VALIDATION = CLASS_COLOURS[0], CLASS_COLOURS[5]
MOST_TICKS = 9


def plot_overfitting(curve: OverfittingCurve, *, ax: Axes | None = None) -> Axes:
    """Draw errors on training and validation rows against the size of the tree.

    The smallest tree of least validation error is marked.

    Parameters
    ----------
    curve
        What :func:`plaintree.pruning.overfitting_curve` returns.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> from plaintree.show.plot.curves import plot_overfitting
    >>> X, y = pt.datasets.load_tennis()
    >>> curve = pt.pruning.overfitting_curve(pt.ID3Classifier(), X[:10], y[:10], X[10:], y[10:])
    >>> plot_overfitting(curve).get_ylabel()
    'error rate'
    """
    if not hasattr(curve, "validation_errors"):
        raise _not_a("curve", curve, "pass what overfitting_curve returns.")
    axes = axes_for(ax)
    by_depth = curve.by == "depth"
    x = curve.depths if by_depth else curve.sizes
    style: dict[str, Any] = {"marker": "o" if len(x) <= 60 else "", "markersize": 4}
    axes.plot(x, curve.training_errors, color=TRAINING, label="training rows", **style)
    axes.plot(
        x, curve.validation_errors, color=VALIDATION, label="validation rows", ls="--", **style
    )
    best = curve.best
    error = float(curve.validation_errors[best])
    _mark(
        axes, x[best], error, f"chosen: {'depth' if by_depth else 'size'} {x[best]} ({error:.3g})"
    )
    axes.set_xlabel("depth of the tree" if by_depth else "size of the tree (internal nodes)")
    axes.set_ylabel("error rate")
    axes.set_ylim(bottom=0)
    tidy(axes)
    axes.legend(frameon=False, fontsize="small")
    return axes


def plot_pruning(path: PruningPath, *, ax: Axes | None = None) -> Axes:
    """Draw the trees of a pruning path side by side, from large to small, with their errors.

    Below stands the alpha from which on each is the best, above its number of leaves. If the path
    was cross-validated, its error is drawn with one standard error up and down; the least one and
    the smallest tree within one standard error of it are marked.

    Parameters
    ----------
    path
        What :func:`plaintree.pruning.pruning_path` returns.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> from plaintree.show.plot.curves import plot_pruning
    >>> X, y = pt.datasets.load_tennis()
    >>> plot_pruning(pt.pruning.pruning_path(pt.ID3Classifier().fit(X, y))).get_ylabel()
    'error rate'
    """
    if not hasattr(path, "alphas"):
        raise _not_a("path", path, "pass what pruning_path returns.")
    axes = axes_for(ax)
    places = np.arange(len(path))
    training = "training error" if path.risk == "error" else "training impurity"
    axes.plot(places, path.risks, color=TRAINING, marker="o", markersize=4, label=training)
    if path.cv_errors is not None and path.cv_deviations is not None:
        _draw_cross_validation(axes, path)
    ticks = np.unique(np.linspace(0, len(path) - 1, min(len(path), MOST_TICKS)).round().astype(int))
    axes.set_xticks(ticks, [f"{path.alphas[i]:.3g}" for i in ticks], rotation=30, ha="right")
    axes.set_xlabel("alpha")
    axes.set_ylabel("error rate" if path.risk == "error" else "impurity, error rate")
    axes.set_ylim(bottom=0)
    tidy(axes)
    axes.legend(frameon=False, fontsize="small")
    above = axes.secondary_xaxis("top")
    above.set_xticks(ticks, [str(path.n_leaves[i]) for i in ticks])
    above.set_xlabel("leaves")
    above.spines["top"].set_color(PALE_INK)
    return axes


def _draw_cross_validation(ax: Axes, path: PruningPath) -> None:
    """The cross-validated errors, the one-standard-error line, and the two trees it chooses."""
    errors, deviations = path.cv_errors, path.cv_deviations
    assert errors is not None, "the path was cross-validated"
    assert deviations is not None, "the path was cross-validated"
    places = np.arange(len(path))
    ax.errorbar(
        places,
        errors,
        deviations,
        color=VALIDATION,
        marker="s",
        markersize=4,
        capsize=2,
        elinewidth=0.8,
        label="cross-validated error ± 1 SE",
    )
    least, chosen = (
        int(np.flatnonzero(path.alphas == path.best_alpha(choice))[0])
        for choice in ("min", "one_se")
    )
    limit = float(errors[least] + deviations[least])
    ax.axhline(limit, color=ink(), linewidth=0.8, linestyle=":", label="least error + 1 SE")
    ax.plot(
        least,
        errors[least],
        "s",
        markersize=9,
        markerfacecolor="none",
        color=ink(),
        label="least error",
    )
    words = f"chosen by one SE: {path.n_leaves[chosen]} leaves"
    _mark(ax, chosen, float(errors[chosen]), words)


def plot_oob(model_or_study: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the out-of-bag error of a forest against its number of trees, or against M'.

    Parameters
    ----------
    model_or_study
        A fitted forest with out-of-bag scoring (an ``oob_error_curve_``: the error after 1, 2, ...
        trees), or the result of trying several numbers of attributes per node (``max_features``
        and ``error``), whose least error is marked.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from types import SimpleNamespace
    >>> from plaintree.show.plot.curves import plot_oob
    >>> forest = SimpleNamespace(oob_error_curve_=[0.3, 0.25, 0.2])
    >>> plot_oob(forest).get_xlabel()
    'trees'
    """
    curve = getattr(model_or_study, "oob_error_curve_", None)
    if curve is not None:
        axes = axes_for(ax)
        errors = np.asarray(curve, dtype=float)
        axes.plot(np.arange(1, len(errors) + 1), errors, color=TRAINING)
        axes.set_xlabel("trees")
    elif hasattr(model_or_study, "max_features") and hasattr(model_or_study, "error"):
        axes = axes_for(ax)
        tried = np.asarray(model_or_study.max_features)
        errors = np.asarray(model_or_study.error, dtype=float)
        axes.plot(tried, errors, color=TRAINING, marker="o")
        best = int(np.nanargmin(errors))
        _mark(axes, tried[best], float(errors[best]), f"M' = {tried[best]} ({errors[best]:.3g})")
        axes.legend(frameon=False, fontsize="small")
        if len(tried) <= MOST_TICKS:
            axes.set_xticks(tried)
        axes.set_xlabel("attributes tried per node (M')")
    else:
        raise _not_a(
            "forest with out-of-bag errors",
            model_or_study,
            "fit with oob_score=True, or pass what tune_max_features returns.",
        )
    axes.set_ylabel("out-of-bag error")
    axes.set_ylim(0, 1.1 * float(np.nanmax(errors)) or 1.0)
    tidy(axes)
    return axes


def _mark(ax: Axes, x: float, y: float, words: str) -> None:
    """A ring around a point; the legend says what it is, where no curve can run through it."""
    ax.plot(
        x,
        y,
        "o",
        markersize=11,
        markerfacecolor="none",
        markeredgewidth=2,
        color=ACCENT,
        linestyle="",
        label=words,
    )


def _not_a(wanted: str, got: object, hint: str) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"this is no {wanted}", got=f"an object of type {type(got).__name__}", hint=hint
    )
