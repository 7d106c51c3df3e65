"""The nested trees of cost-complexity pruning (Breiman and others 1984).

Glossary: R(t) is the risk of a node as a leaf, R(T) the sum over a tree's leaves. The tree that
minimises R(T) + alpha x (number of leaves) shrinks as alpha grows, one *weakest link* after
another: the node whose removal costs least risk per leaf saved becomes a leaf. The *link* of a
node (links.py) is the alpha at which it has become one, of its own or with a node above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isinf
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice, check_number
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.tree.cut import cut_nodes
from plaintree.tree.prediction import impurity_masses, loss_of, node_risks
from plaintree.tree.tree import Tree, tree_of

from .cp_table import CpTable
from .links import LINKS, Links
from .losses import node_losses
from .task import ROUNDING, Floats, check_counts

if TYPE_CHECKING:
    import polars

Risk = Literal["error", "impurity"]
Choice = Literal["min", "one_se"]


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested trees that cost-complexity pruning makes of a tree, from large to small.

    Attributes
    ----------
    source : Tree
        The tree that is pruned.
    risk : {"error", "impurity"}
        What is weighed against the number of leaves. With "error" it is the error rate, and alpha
        is Breiman's; with "impurity" the mean impurity of the leaves, and alpha is scikit-learn's
        ``ccp_alpha``. Both are divided by the total training weight. For numbers both are the mean
        loss by the criterion: the mean squared error, the mean absolute error or the mean half
        Poisson deviance.
    method : {"weakest", "rpart"}
        How the links were computed.
    links : ndarray of float64
        The alpha at which each node has become a leaf; infinite in leaves.
    alphas : ndarray of float64
        Tree i is the best for all alphas from ``alphas[i]`` to below ``alphas[i + 1]``; the first
        is 0, or that of the ``cp`` at which the path begins.
    sizes, n_leaves : ndarray of int64
        The numbers of internal nodes and of leaves of each tree.
    risks : ndarray of float64
        The risk of each tree.
    cv_errors, cv_deviations : ndarray of float64 or None
        The cross-validated error of each tree and its standard error, if computed: the error
        rate, or the mean loss of numbers by the criterion.
    """

    source: Tree
    risk: Risk
    method: Links
    links: Floats
    alphas: Floats
    sizes: NDArray[np.int64]
    n_leaves: NDArray[np.int64]
    risks: Floats
    cv_errors: Floats | None = None
    cv_deviations: Floats | None = None

    def __len__(self) -> int:
        return len(self.alphas)

    @property
    def error_name(self) -> str:
        """The name of the cross-validated error: that of the mean loss."""
        return loss_of(self.source).name

    def tree(self, alpha: float) -> Tree:
        """Return the smallest tree that minimises risk + alpha x leaves."""
        return cut_nodes(self.source, self.links <= check_number("alpha", alpha, 0, inf))

    def alpha_of(self, cp: float) -> float:
        """Return the alpha of a complexity parameter: cp x the risk of the root alone.

        A link that equals it but for rounding is at most this alpha.
        """
        return (check_number("cp", cp, 0, 1) + ROUNDING) * float(self.risks[-1])

    def trees(self) -> Iterator[Tree]:
        """Yield all trees, from large to small."""
        return (self.tree(alpha) for alpha in self.alphas.tolist())

    def best_alpha(self, choice: Choice = "one_se") -> float:
        """Return the alpha of the minimum cross-validated error ("min"; of equals the smallest
        tree), or of the smallest tree within one standard error of it ("one_se")."""
        check_choice("choice", choice, get_args(Choice))
        if self.cv_errors is None or self.cv_deviations is None:
            raise ParameterError(
                "the path has not been cross-validated", hint="pass X, y and folds to pruning_path."
            )
        # Equal error counts are equal rates but for rounding.
        lowest = self.cv_errors.min() + ROUNDING
        limit = lowest
        if choice == "one_se":
            best = int(np.flatnonzero(self.cv_errors <= lowest)[-1])
            limit = lowest + self.cv_deviations[best]
        return float(self.alphas[np.flatnonzero(self.cv_errors <= limit)[-1]])

    def cp_table(self) -> CpTable:
        """Return the path as rpart's cp table: in units of the root's risk, small trees first."""
        return CpTable.of(self)

    def to_frame(self) -> polars.DataFrame:
        """Return the path as a polars DataFrame, from large trees to small.

        ``cp`` and ``relative_risk`` are alpha and risk in units of the risk of the root alone, as
        rpart prints them.
        """
        import polars

        unit = float(self.risks[-1]) or 1.0
        columns = {
            "alpha": self.alphas,
            "size": self.sizes,
            "n_leaves": self.n_leaves,
            "risk": self.risks,
            "cp": self.alphas / unit,
            "relative_risk": self.risks / unit,
        }
        if self.cv_errors is not None and self.cv_deviations is not None:
            columns |= {"cv_error": self.cv_errors, "cv_deviation": self.cv_deviations}
        return polars.DataFrame(columns)

    def losses_on(self, rows: Rows, alphas: Floats, *, by: Tree, power: int = 1) -> Floats:
        """The total loss of the trees of several alphas on rows, or of its powers, without making
        them: each node predicts, as a leaf, for an interval of alphas. ``by``: see node_losses."""
        tree, losses = self.source, node_losses(self.source, rows, power=power, by=by)
        until = np.where(tree.n_children > 0, self.links, -inf)
        kept = _sums_by_alpha(alphas, np.full(len(until), -inf), until, losses.stopped)
        return kept + _sums_by_alpha(alphas, *_leaf_interval(tree, self.links), losses.as_leaf)


def path_of(
    tree: Tree, risk: Risk = "error", links: Links = "weakest", start: float = 0.0
) -> PruningPath:
    """The pruning path of a tree, from where an alpha has pruned it."""
    check_counts(tree, "a pruning path")
    check_choice("risk", risk, get_args(Risk))
    check_choice("links", links, LINKS)
    as_leaf, total = _risks(tree, risk), float(tree.weight[0])
    raw_links, tolerance = LINKS[links](tree, as_leaf, start * total), ROUNDING * float(as_leaf[0])
    link, alphas = _joined(raw_links, start * total, max(tolerance, 1e-300))
    low, high = _leaf_interval(tree, link)
    n_leaves = _sums_by_alpha(alphas, low, high, np.ones(tree.n_nodes))
    inner = tree.n_children > 0
    return PruningPath(
        source=tree,
        risk=risk,
        method=links,
        links=link / total,
        alphas=alphas / total,
        sizes=np.count_nonzero(inner) - np.searchsorted(np.sort(link[inner]), alphas, "right"),
        n_leaves=n_leaves.round().astype(np.int64),
        risks=_sums_by_alpha(alphas, low, high, as_leaf).clip(min=0.0) / total,
    )


def node_alphas(tree: Any, *, risk: Risk = "error", links: Links = "weakest") -> list[float | None]:
    """Return the alpha at which each node falls when a tree is pruned by cost-complexity.

    These are the ``links`` of a :class:`PruningPath`, as JSON can hold them.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The tree.
    risk : {"error", "impurity"}, default="error"
        What is weighed against the number of leaves.
    links : {"weakest", "rpart"}, default="weakest"
        How the links are computed.

    Returns
    -------
    list of float or None
        For each inner node, the smallest alpha at which it is a leaf, or a node above it is.
        None for leaves: they go with the node above them.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning import node_alphas
    >>> X, y = pt.datasets.load_tennis()
    >>> [a and round(a, 3) for a in node_alphas(pt.ID3Classifier().fit(X, y))]
    [0.089, None, 0.089, 0.089, None, None, None, None]
    """
    found = path_of(tree_of(tree), risk, links).links.tolist()
    return [None if isinf(alpha) else alpha for alpha in found]


def _risks(tree: Tree, risk: Risk) -> Floats:
    return node_risks(tree) if risk == "error" else impurity_masses(tree)


def root_risk(tree: Tree, risk: Risk = "error") -> float:
    """The risk of the root alone, per weight: the unit of cp."""
    check_counts(tree, "a pruning path")
    check_choice("risk", risk, get_args(Risk))
    return float(_risks(tree, risk)[0] / tree.weight[0])


def _joined(links: Floats, start: float, tolerance: float) -> tuple[Floats, Floats]:
    """The links with those that differ by rounding made equal, and the start with all others."""
    distinct, position = np.unique(links, return_inverse=True)
    finite = np.concatenate([[start], distinct[np.isfinite(distinct)]])
    starts = np.concatenate([[True], np.diff(finite) > tolerance])
    values = finite[np.maximum.accumulate(np.where(starts, np.arange(len(finite)), 0))]
    joined = np.append(values[1:], inf)[np.minimum(position, len(values) - 1)]
    return joined, finite[starts]


def _leaf_interval(tree: Tree, links: Floats) -> tuple[Floats, Floats]:
    """From which alpha, and to below which, every node is a leaf."""
    low = np.where(tree.n_children > 0, links, -inf)
    high = np.concatenate([[inf], links[tree.parent[1:]]])
    return low, high


def _sums_by_alpha(alphas: Floats, low: Floats, high: Floats, values: Floats) -> Floats:
    """For each alpha, the sum of the values whose interval it is in: low <= alpha < high, but an
    interval up to infinity includes it."""
    changes = np.zeros(len(alphas) + 1)
    used = low < high
    np.add.at(changes, np.searchsorted(alphas, low[used], "left"), values[used])
    ends = np.where(high == inf, len(alphas), np.searchsorted(alphas, high, "left"))
    np.subtract.at(changes, ends[used], values[used])
    return np.cumsum(changes)[:-1]
