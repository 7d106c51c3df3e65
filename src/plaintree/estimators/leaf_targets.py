"""Training targets in the leaves of a forest, and quantiles from them (Meinshausen 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from plaintree.checks import check_number
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.tree.forest import Floats, Sampling
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.tree import Tree

ROUNDING = 1e-12
"""How far a sum of weights may be off."""


@dataclass(frozen=True, eq=False)
class LeafTargets:
    """The training rows in each leaf of a forest.

    - ``targets``: the targets of the training rows, ascending.
    - ``weights``: nodes of all trees x rows, the fraction of the leaf's weight that a row has.
    - ``begins``: the number of the first node of each tree.
    """

    targets: Floats
    weights: csr_matrix
    begins: NDArray[np.int64]

    @classmethod
    def of(
        cls, trees: Sequence[Tree], rows: Rows, sampling: Sampling, n_threads: int
    ) -> LeafTargets:
        """The rows in the sample of each tree, in the leaves where they end."""
        used = np.flatnonzero(rows.known_weights > 0)
        order = np.argsort(rows.target[used], kind="stable")
        used = used[order]
        columns = [column[used] for column in rows.columns]
        parts = []
        for number, tree in enumerate(trees):
            drawn = sampling.draw(number, len(used))[order]
            places = np.flatnonzero(drawn)
            nodes = predicting_nodes(tree, [c[places] for c in columns], n_threads=n_threads)
            weights = drawn[places] * rows.known_weights[used[places]]
            total = np.bincount(nodes, weights, minlength=tree.n_nodes)
            parts.append(
                csr_matrix(
                    (weights / total[nodes], (nodes, places)), shape=(tree.n_nodes, len(used))
                )
            )
        begins = np.cumsum([0, *(tree.n_nodes for tree in trees)])[:-1]
        return cls(rows.target[used], csr_matrix(vstack(parts)), begins)

    def quantiles(self, nodes: NDArray[np.int32], levels: Floats) -> Floats:
        """Rows x levels, from the node of each tree (rows x trees) where each row ends.

        A quantile is the smallest target whose cumulative weight reaches the level.
        """
        n_rows, n_trees = nodes.shape
        reached = (nodes + self.begins).ravel()
        begins = np.arange(0, n_rows * n_trees + 1, n_trees)
        mean = np.full(n_rows * n_trees, 1 / n_trees)
        shape = (n_rows, self.weights.shape[0])
        weights = csr_matrix(csr_matrix((mean, reached, begins), shape=shape) @ self.weights)
        weights.sort_indices()
        found = np.empty((n_rows, len(levels)))
        for row in range(n_rows):
            inside = slice(weights.indptr[row], weights.indptr[row + 1])
            sums = np.cumsum(weights.data[inside])
            places = np.searchsorted(sums, levels * sums[-1] - ROUNDING)
            found[row] = self.targets[weights.indices[inside][places]]
        return found


def checked_levels(quantiles: Any) -> Floats:
    """The parameter ``quantiles``: numbers from 0 to 1."""
    levels = [quantiles] if np.ndim(quantiles) == 0 else list(quantiles)
    if not levels:
        raise ParameterError(
            "quantiles is empty", got=f"quantiles={quantiles!r}", hint="use [0.1, 0.5, 0.9]."
        )
    return np.array([check_number("quantiles", level, 0, 1) for level in levels])
