"""Error curves: against the size of a tree, along a pruning path, and of forests."""

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
MAX_TICKS = 9


def plot_overfitting(curve: OverfittingCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the errors on training and validation rows against the size of the tree.

    The smallest tree with the minimum validation error is marked.

    Parameters
    ----------
    curve : OverfittingCurve
        The result of :func:`plaintree.pruning.overfitting_curve`.
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
    >>> curve = pt.pruning.overfitting_curve(pt.ID3Classifier(), X[:10], y[:10], X[10:], y[10:])
    >>> pt.plot_overfitting(curve).get_ylabel()
    'error rate'
    """
    if not hasattr(curve, "validation_errors"):
        raise _not_a("n overfitting curve", curve, "pass the result of overfitting_curve.")
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
    axes.set_ylabel(curve.error_name)
    axes.set_ylim(bottom=0)
    tidy(axes)
    axes.legend(frameon=False, fontsize="small")
    return axes


def plot_pruning(path: PruningPath, *, ax: Axes | None = None) -> Axes:
    """Draw the errors of the trees of a pruning path, from large to small.

    The lower axis has the alpha from which on each tree is the best, the upper one its number of
    leaves. If the path was cross-validated, its error is drawn with one standard error up and down;
    the minimum and the smallest tree within one standard error of it are marked.

    Parameters
    ----------
    path : PruningPath
        The result of :func:`plaintree.pruning.pruning_path`.
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
    >>> pt.plot_pruning(pt.pruning.pruning_path(pt.ID3Classifier().fit(X, y))).get_ylabel()
    'error rate'
    """
    if not hasattr(path, "alphas"):
        raise _not_a(" pruning path", path, "pass the result of pruning_path.")
    axes = axes_for(ax)
    places = np.arange(len(path))
    training = "training error" if path.risk == "error" else "training impurity"
    axes.plot(places, path.risks, color=TRAINING, marker="o", markersize=4, label=training)
    if path.cv_errors is not None and path.cv_deviations is not None:
        _draw_cross_validation(axes, path)
    ticks = np.unique(np.linspace(0, len(path) - 1, min(len(path), MAX_TICKS)).round().astype(int))
    axes.set_xticks(ticks, [f"{path.alphas[i]:.3g}" for i in ticks], rotation=30, ha="right")
    axes.set_xlabel("alpha")
    axes.set_ylabel(path.error_name if path.risk == "error" else f"impurity, {path.error_name}")
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
    ax.axhline(limit, color=ink(), linewidth=0.8, linestyle=":", label="min error + 1 SE")
    ax.plot(
        least,
        errors[least],
        "s",
        markersize=9,
        markerfacecolor="none",
        color=ink(),
        label="min error",
    )
    words = f"chosen by one SE: {path.n_leaves[chosen]} leaves"
    _mark(ax, chosen, float(errors[chosen]), words)


def plot_oob(model_or_study: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the out-of-bag error against the number of trees or ``max_features``.

    Parameters
    ----------
    model_or_study : estimator or MaxFeaturesTuning
        A forest fitted with ``oob_score=True``, whose ``oob_error_curve_`` is the error after 1, 2,
        ... trees; or the result of :func:`plaintree.tune_max_features`, whose minimum is marked.
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
    >>> forest = pt.RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    >>> pt.plot_oob(forest).get_xlabel()
    'number of trees'
    """
    curve = getattr(model_or_study, "oob_error_curve_", None)
    if curve is not None:
        axes = axes_for(ax)
        errors = np.asarray(curve, dtype=float)
        axes.plot(np.arange(1, len(errors) + 1), errors, color=TRAINING)
        axes.set_xlabel("number of trees")
    elif hasattr(model_or_study, "max_features") and hasattr(model_or_study, "error"):
        axes = axes_for(ax)
        tried = np.asarray(model_or_study.max_features)
        errors = np.asarray(model_or_study.error, dtype=float)
        axes.plot(tried, errors, color=TRAINING, marker="o")
        best = int(np.nanargmin(errors))
        _mark(
            axes,
            tried[best],
            float(errors[best]),
            f"max_features = {tried[best]} ({errors[best]:.3g})",
        )
        axes.legend(frameon=False, fontsize="small")
        if len(tried) <= MAX_TICKS:
            axes.set_xticks(tried)
        axes.set_xlabel("features tried per node (max_features)")
    else:
        raise _not_a(
            " forest with out-of-bag errors",
            model_or_study,
            "fit with oob_score=True, or pass the result of tune_max_features.",
        )
    axes.set_ylabel("out-of-bag error")
    axes.set_ylim(0, 1.1 * float(np.nanmax(errors)) or 1.0)
    tidy(axes)
    return axes


def _mark(ax: Axes, x: float, y: float, words: str) -> None:
    """A ring around a point, explained in the legend, where no curve runs through the text."""
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
        f"this is not a{wanted}", got=f"an object of type {type(got).__name__}", hint=hint
    )
