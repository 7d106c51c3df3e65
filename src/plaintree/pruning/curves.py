"""Pruning paths and overfitting curves: errors against the size of the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import DEFAULT_SEED, check_choice, check_number
from plaintree.progress import Progress
from plaintree.tree.cut import Mask
from plaintree.tree.prediction import loss_of
from plaintree.tree.row_batches import any_rows
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from .cross_validation import cross_validated, regrow_by, unpruned_copy
from .limits import counted_rows
from .links import Links
from .nested import NestedTrees
from .path import PruningPath, Risk, path_of, root_risk

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
By = Literal["size", "alpha", "depth", "min_samples"]


def pruning_path(
    model_or_tree: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    risk: Risk = "error",
    links: Links = "weakest",
    cp: float = 0.0,
    folds: Any = 10,
    learner: Any = None,
    random_state: int | None = DEFAULT_SEED,
    progress: Progress | None = None,
) -> PruningPath:
    """Compute the nested trees of cost-complexity pruning, and cross-validate them.

    Parameters
    ----------
    model_or_tree : Tree or fitted estimator of a single tree
        What is pruned.
    X : table, default=None
        The features of the training rows. With X and y, the error of each tree is cross-validated.
    y : array-like, default=None
        Their labels, or their numbers.
    sample_weight : array-like, default=None
        Their weights.
    risk : {"error", "impurity"}, default="error"
        What is weighed against the number of leaves: the error rate (Breiman, rpart), or the
        impurity (scikit-learn). For numbers both are the mean loss by the criterion.
    links : {"weakest", "rpart"}, default="weakest"
        The weakest links as Breiman defines them, or rpart's approximation.
    cp : float, default=0.0
        The complexity parameter at which the path begins, relative to the risk of the root; rpart
        begins at 0.01. Splits that are not worth it are pruned from all trees.
    folds : int or array-like, default=10
        The number of folds, or the fold number of each row.
    learner : estimator, default=None
        Grows the trees of the folds; needed if a Tree is passed instead of a model.
    random_state : int or None, default=0
        Seed of the shuffling of rows into folds. None shuffles again at every call.
    progress : callable, default=None
        Progress callback.

    Returns
    -------
    PruningPath
        The alphas, sizes and risks of the trees, from large to small.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning.curves import pruning_path
    >>> X, y = pt.datasets.load_tennis()
    >>> path = pruning_path(pt.ID3Classifier().fit(X, y))
    >>> path.alphas.round(3).tolist(), path.n_leaves.tolist()
    ([0.0, 0.089], [5, 1])
    >>> print(path.cp_table())
    Play: 14 rows, error rate of the root 0.35714
    <BLANKLINE>
      cp  n_splits  relative_error
    0.25         0         1.00000
       0         4         0.00000
    """
    tree = tree_of(model_or_tree)
    start = check_number("cp", cp, 0, 1) * root_risk(tree, risk)
    path = path_of(tree, risk, links, start)
    if X is None and y is None and sample_weight is None:
        return path
    rows = rows_from(tree, X, y, sample_weight)
    grower = model_or_tree if learner is None else learner
    regrow = regrow_by(grower, X, y, rows.weights)
    return cross_validated(
        path, rows, regrow, folds=folds, random_state=random_state, progress=progress
    )


@dataclass(frozen=True, eq=False)
class OverfittingCurve:
    """Training and validation errors of a sequence of nested trees, from small to large.

    Attributes
    ----------
    by : {"size", "alpha", "depth", "min_samples"}
        The limit that makes the sequence.
    values : ndarray of float64
        The value of that limit for each tree.
    sizes, n_leaves, depths : ndarray of int64
        The numbers of internal nodes and of leaves, and the depth of each tree.
    training_errors, validation_errors : ndarray of float64
        The error rates; for numbers the RMSE, or the mean loss by the criterion.
    error_name : str
        The name of the errors, such as "error rate" or "RMSE".
    """

    by: By
    values: Floats
    sizes: NDArray[np.int64]
    n_leaves: NDArray[np.int64]
    depths: NDArray[np.int64]
    training_errors: Floats
    validation_errors: Floats
    error_name: str = "error rate"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def best(self) -> int:
        """The position of the smallest tree with the minimum validation error."""
        return int(np.argmin(self.validation_errors))

    def to_frame(self) -> polars.DataFrame:
        """Return the curve as a polars DataFrame, one row per tree."""
        import polars

        return polars.DataFrame(
            {
                "value": self.values,
                "size": self.sizes,
                "n_leaves": self.n_leaves,
                "depth": self.depths,
                "training_error": self.training_errors,
                "validation_error": self.validation_errors,
            }
        )


def overfitting_curve(
    model: Any,
    X: Any,
    y: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    *,
    by: By = "size",
    sample_weight: Any = None,
    max_trees: int = 200,
) -> OverfittingCurve:
    """Compute training and validation errors against the size of the tree.

    A copy of the model is fitted to X, y without pruning (a Tree is taken as it is) and pruned to
    a single leaf, step by step.

    Parameters
    ----------
    model : Tree or estimator of a single tree
        What grows the tree, or the tree.
    X : table or dataset
        The features of the training rows, or a dataset (:func:`plaintree.open_dataset`).
    y : array-like
        Their labels, or their numbers. None for a dataset.
    X_val : table or dataset
        The features of the validation rows, or a dataset.
    y_val : array-like
        Their labels, or their numbers. None for a dataset.
    by : {"size", "alpha", "depth", "min_samples"}, default="size"
        The limit: "size" removes the weakest link by impurity first, "alpha" by training error;
        "depth" limits ``max_depth``, and "min_samples" ``min_samples_split``.
    sample_weight : array-like, default=None
        The weights of the training rows.
    max_trees : int, default=200
        The maximum number of trees; of a longer sequence so many are taken, evenly spaced.

    Returns
    -------
    OverfittingCurve
        The errors, from small trees to large.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning.curves import overfitting_curve
    >>> X, y = pt.datasets.load_tennis()
    >>> curve = overfitting_curve(pt.ID3Classifier(), X[:10], y[:10], X[10:], y[10:], by="depth")
    >>> curve.sizes.tolist(), curve.training_errors.tolist()
    ([0, 1, 3], [0.4, 0.2, 0.0])
    """
    check_choice("by", by, _SEQUENCES)
    check_number("max_trees", max_trees, 2, np.inf)
    tree = _grown(model, X, y, sample_weight)
    training = any_rows(tree, X, y, sample_weight)
    validation = any_rows(tree, X_val, y_val)
    values, masks = _SEQUENCES[by](tree)
    chosen = np.unique(np.linspace(0, len(values) - 1, int(min(max_trees, len(values)))).round())
    positions = chosen.astype(int).tolist()
    nested, loss = NestedTrees.of(tree, [masks(i) for i in positions]), loss_of(tree)
    return OverfittingCurve(
        by=by,
        values=values[positions],
        sizes=nested.sizes,
        n_leaves=nested.n_leaves,
        depths=nested.depths,
        training_errors=loss.error(nested.mean_losses(training)),
        validation_errors=loss.error(nested.mean_losses(validation)),
        error_name=loss.error_name,
    )


def _grown(model: Any, X: Any, y: Any, sample_weight: Any) -> Tree:
    if isinstance(model, Tree):
        return model
    weighing = {} if sample_weight is None else {"sample_weight": sample_weight}
    return tree_of(unpruned_copy(model).fit(X, y, **weighing))


# -------------------------------------------------------------------- sequences, small to large

Sequence = tuple[Floats, Callable[[int], Mask]]
"""The value of each tree, and a function from its position to the nodes to cut."""


def _by_size(tree: Tree) -> Sequence:
    path = path_of(tree, "impurity")
    steps = _with_whole_tree(path)
    inner = np.sort(path.links[tree.n_children > 0])
    sizes = tree.size - np.searchsorted(inner, steps, "right")
    return sizes.astype(np.float64), lambda i: path.links <= steps[i]


def _by_alpha(tree: Tree) -> Sequence:
    path = path_of(tree, "error")
    steps = path.alphas[::-1]
    return steps, lambda i: path.links <= steps[i]


def _with_whole_tree(path: PruningPath) -> Floats:
    """The path's alphas, largest first, and one below 0 if at 0 something is cut already."""
    whole = [-1.0] if path.sizes[0] < path.source.size else []
    return np.concatenate([path.alphas[::-1], whole])


def _by_depth(tree: Tree) -> Sequence:
    depths = np.arange(tree.depth + 1, dtype=np.float64)
    return depths, lambda i: np.asarray(tree.node_depths >= depths[i])


def _by_min_samples(tree: Tree) -> Sequence:
    rows = counted_rows(tree)
    steps = np.concatenate([[rows[0] + 1], np.unique(rows[tree.n_children > 0])[::-1]])
    return steps, lambda i: np.asarray(rows < steps[i])


_SEQUENCES: dict[str, Callable[[Tree], Sequence]] = {
    "size": _by_size,
    "alpha": _by_alpha,
    "depth": _by_depth,
    "min_samples": _by_min_samples,
}
