"""The nested trees of cost-complexity pruning (Breiman and others 1984).

Glossary: R(t) is the risk of a node as a leaf, R(T) the sum over a tree's leaves. The tree that
minimises R(T) + alpha x (number of leaves) shrinks as alpha grows, one *weakest link* after
another: the node whose removal costs least risk per leaf saved becomes a leaf. The *link* of a
node (links.py) is the alpha at which it has become one, of its own or with a node above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice, check_number
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.tree.cut import cut_nodes
from plaintree.tree.prediction import node_risks
from plaintree.tree.tree import Tree
from plaintree.tree.walk import ended_weights

from .links import LINKS, Links
from .task import ROUNDING, Floats, check_counts, subtree_sums

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
        ``ccp_alpha``. Both are fractions of the total training weight.
    method : {"weakest", "rpart"}
        How the links were computed.
    links : ndarray of float64
        The alpha at which each node has become a leaf; infinite in leaves.
    alphas : ndarray of float64
        Tree i is the best for all alphas from ``alphas[i]`` to below ``alphas[i + 1]``; 0 first.
    sizes, n_leaves : ndarray of int64
        The numbers of internal nodes and of leaves of each tree.
    risks : ndarray of float64
        The risk of each tree.
    cv_errors, cv_deviations : ndarray of float64 or None
        The cross-validated error rate of each tree and its standard error, if computed.
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

    def tree(self, alpha: float) -> Tree:
        """Return the smallest tree that minimises risk + alpha x leaves."""
        return cut_nodes(self.source, self.links <= check_number("alpha", alpha, 0, inf))

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

    def errors_on(self, rows: Rows, alphas: Floats) -> Floats:
        """The weight of the rows that the trees of several alphas misclassify, without making
        them: each node predicts, as a leaf, for an interval of alphas."""
        tree, everyone = self.source, np.arange(self.source.n_nodes)
        ended = ended_weights(tree, rows)
        reached = subtree_sums(tree, ended)
        as_leaf = reached.sum(axis=1) - reached[everyone, tree.label]
        stopped = ended.sum(axis=1) - ended[everyone, tree.label]
        inner = tree.n_children > 0
        until = np.where(inner, self.links, -inf)
        kept = _sums_by_alpha(alphas, np.full(len(until), -inf), until, stopped)
        return kept + _sums_by_alpha(alphas, *_leaf_interval(tree, self.links), as_leaf)


def path_of(tree: Tree, risk: Risk = "error", links: Links = "weakest") -> PruningPath:
    """The pruning path of a tree."""
    check_counts(tree, "a pruning path")
    check_choice("risk", risk, get_args(Risk))
    check_choice("links", links, LINKS)
    as_leaf = node_risks(tree) if risk == "error" else tree.weight * tree.impurity
    total = float(tree.weight[0])
    raw_links = LINKS[links](tree, as_leaf)
    link, alphas = _joined(raw_links, ROUNDING * max(float(as_leaf[0]), 1e-300))
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


def _joined(links: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """The links with those that differ by rounding made equal, and the distinct ones; 0 first."""
    distinct, position = np.unique(links, return_inverse=True)
    finite = np.concatenate([[0.0], distinct[np.isfinite(distinct)]])
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
