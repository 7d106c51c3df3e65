"""The pictures that plaintree draws, each on a small example, as PNG files.

    python examples/gallery.py [FOLDER]

The logical functions and the over-fitting curve are those every course on decision trees shows;
the grid of points is an information-theory course's: the classes are the sign of a function, and
the tree covers each with rectangles.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")  # files only, no window

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris

import plaintree as pt
from plaintree.show.plot.bars import plot_confusion, plot_importances
from plaintree.show.plot.curves import plot_oob, plot_overfitting, plot_pruning
from plaintree.show.plot.regions import plot_regions
from plaintree.show.plot.thresholds import plot_thresholds
from plaintree.show.plot.tree import plot_tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 110


def figure_of(ax: Any) -> Figure:
    """The figure that axes are on."""
    return ax.get_figure()


def tennis_tree() -> Figure:
    """The tree of the 14 days, with the way of the first day marked."""
    X, y = pt.datasets.load_tennis()
    return figure_of(plot_tree(pt.ID3Classifier().fit(X, y), row=X[0]))


def iris_tree() -> Figure:
    """CART on three kinds of iris, folded at depth 3."""
    X, y = _iris()
    return figure_of(plot_tree(pt.CARTClassifier().fit(X, y), max_depth=3))


def logical_functions() -> Figure:
    """The decision boundaries of AND, OR and XOR."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    tables = {
        "AND": pt.datasets.load_and(),
        "OR": pt.datasets.load_or(),
        "XOR": pt.datasets.load_xor(),
    }
    for ax, (name, (X, y)) in zip(axes, tables.items(), strict=True):
        plot_regions(pt.ID3Classifier().fit(X, y), X, y, ax=ax)
        ax.set_title(name)
        if ax is not axes[-1]:
            ax.get_legend().remove()
    return figure


def hyper_rectangles() -> Figure:
    """sign(3 x1^3 x2^3) and sign(-2 cbrt(x1^2) + 4 x2^2), covered with rectangles."""
    axis = np.arange(-20, 21) / 20
    points = np.array([(x1, x2) for x1 in axis for x2 in axis])
    x1, x2 = points.T
    functions = {
        "sign(3 x1³ x2³), 300 points": (np.sign(3 * x1**3 * x2**3), 300),
        "sign(-2 ∛x1² + 4 x2²), 400 points": (np.sign(-2 * np.cbrt(x1**2) + 4 * x2**2), 400),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for ax, (name, (classes, n)) in zip(axes, functions.items(), strict=True):
        drawn = np.random.default_rng(4).choice(len(points), size=n, replace=False)
        table = {"x1": points[drawn, 0], "x2": points[drawn, 1]}
        labels = classes[drawn].astype(int)
        model = pt.ID3Classifier(criterion="gain_ratio").fit(table, labels)
        plot_regions(model, table, labels, ax=ax)
        ax.set_title(name)
    axes[0].get_legend().remove()
    return figure


def boxes() -> Figure:
    """Regions in the space of three attributes of the irises."""
    X, y = _iris()
    shown = ["petal length", "petal width", "sepal length"]
    model = pt.CARTClassifier(min_samples_leaf=2).fit(X[shown], y)
    return figure_of(plot_regions(model, X[shown], y, features=shown))


def categories() -> Figure:
    """Regions along an attribute with categories and a number."""
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    return figure_of(plot_regions(model, X, y, features=["outlook", "humidity"]))


def error_curve() -> Figure:
    """Training and validation error against size: where over-fitting begins."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    noise = np.random.default_rng(0).random(len(y)) < 0.15
    labels = np.where(noise, 1 - y, y)
    train = np.arange(len(y)) % 2 == 0
    curve = pt.pruning.overfitting_curve(
        pt.CARTClassifier(), X[train], labels[train], X[~train], labels[~train]
    )
    return figure_of(plot_overfitting(curve))


def pruning() -> Figure:
    """The path of cost-complexity pruning with cross-validated errors."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    noise = np.random.default_rng(0).random(len(y)) < 0.15
    labels = np.where(noise, 1 - y, y)
    path = pt.pruning.pruning_path(pt.CARTClassifier().fit(X, labels), X, labels, random_state=0)
    return figure_of(plot_pruning(path))


def thresholds() -> Figure:
    """The gain of every cut of the petal's length."""
    X, y = _iris()
    return figure_of(plot_thresholds(pt.ID3Classifier().fit(X, y), X, y, "petal length"))


def importances() -> Figure:
    """What a tree for tumours looks at."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return figure_of(plot_importances(pt.CARTClassifier().fit(X, y), top=8))


def forest_importances() -> Figure:
    """What a forest for tumours looks at: columns that say nearly the same share the work."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = pt.RandomForestClassifier(100, random_state=0).fit(X, y)
    return figure_of(plot_importances(forest, top=8))


def out_of_bag() -> Figure:
    """Out-of-bag errors against the number of trees, and against M'."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    forest = pt.RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
    plot_oob(forest, ax=left)
    plot_oob(pt.tune_max_features(forest, X, y, factor=1.5), ax=right)
    return figure


def confusion() -> Figure:
    """Which irises are taken for which, by a tree grown from the others."""
    X, y = _iris()
    train = np.arange(len(y)) % 2 == 0
    model = pt.CARTClassifier().fit(X[train], y[train])
    return figure_of(plot_confusion(model, X[~train], y[~train]))


def _iris() -> tuple[Any, Any]:
    iris = load_iris(as_frame=True)
    X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    return X, iris.target_names[iris.target]


PICTURES: tuple[Callable[[], Figure], ...] = (
    tennis_tree,
    iris_tree,
    logical_functions,
    hyper_rectangles,
    boxes,
    categories,
    error_curve,
    pruning,
    thresholds,
    importances,
    forest_importances,
    out_of_bag,
    confusion,
)


def main() -> None:
    """Draw all pictures into a folder."""
    parser = argparse.ArgumentParser(description="Draw the gallery's pictures")
    parser.add_argument("folder", nargs="?", default="docs/gallery", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for draw in PICTURES:
        figure = draw()
        figure.savefig(folder / f"{draw.__name__}.png", dpi=DOTS_PER_INCH)
        plt.close(figure)
        print(folder / f"{draw.__name__}.png")


if __name__ == "__main__":
    main()
