"""A tree by the names of scikit-learn's ``tree_``: for programs that were written for that.

All are views of the arrays that the tree has, and read-only. Sizes, counts and methods hold for
every tree. ``children_left`` and ``children_right`` are defined for binary trees of thresholds only
and raise an error otherwise, because a program that reads them knows no other splits.

Two things differ from scikit-learn. Nodes are numbered level by level, not depth first. In leaves,
``feature`` is -1 and ``threshold`` is NaN, where scikit-learn has -2 in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import TreeError

from .condition import NodeKind

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from plaintree.data.schema import Schema

    from .conventions import Conventions


class SklearnView:
    """The attributes and methods of scikit-learn's trees that a :class:`plaintree.Tree` has."""

    if TYPE_CHECKING:
        schema: Schema
        conventions: Conventions | None
        kind: NDArray[np.int8]
        first_child: NDArray[np.int32]
        n_children: NDArray[np.int32]
        n_rows: NDArray[np.int64]
        weight: NDArray[np.float64]
        class_weights: NDArray[np.float64]
        prediction: NDArray[np.float64]

        @property
        def n_nodes(self) -> int: ...

        @property
        def depth(self) -> int: ...

    # ---------------------------------------------------------------- sizes

    @property
    def node_count(self) -> int:
        """The number of nodes, leaves included: ``n_nodes``."""
        return self.n_nodes

    @property
    def capacity(self) -> int:
        """The number of nodes that the arrays hold: ``n_nodes``."""
        return self.n_nodes

    @property
    def max_depth(self) -> int:
        """The depth of the tree: ``depth``."""
        return self.depth

    @property
    def n_features(self) -> int:
        """The number of features of the table."""
        return len(self.schema.features)

    @property
    def n_outputs(self) -> int:
        """The number of targets: always 1."""
        return 1

    @property
    def n_classes(self) -> NDArray[np.intp]:
        """The number of classes, as an array with one entry."""
        return np.array([len(self.schema.classes)], dtype=np.intp)

    @property
    def max_n_classes(self) -> int:
        """The number of classes."""
        return len(self.schema.classes)

    # ---------------------------------------------------------------- nodes

    @property
    def children_left(self) -> NDArray[np.int64]:
        """The child of each node for values up to the threshold, -1 in leaves."""
        return self._children(0)

    @property
    def children_right(self) -> NDArray[np.int64]:
        """The child of each node for values above the threshold, -1 in leaves."""
        return self._children(1)

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """The number of training rows at each node: ``n_rows``."""
        return self.n_rows

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """The total weight of the training rows at each node: ``weight``."""
        return self.weight

    @property
    def value(self) -> NDArray[np.float64]:
        """The class probabilities at each node, nodes x 1 x classes; or the number it predicts."""
        if not self.schema.classes:
            return self.prediction.reshape(-1, 1, 1)
        totals = self.class_weights.sum(axis=1, keepdims=True)
        shown = np.divide(
            self.class_weights, totals, out=np.zeros_like(self.class_weights), where=totals > 0
        )
        shown.flags.writeable = False
        return np.expand_dims(shown, 1)

    def _children(self, side: int) -> NDArray[np.int64]:
        inner = self.n_children > 0
        binary = (self.kind == NodeKind.THRESHOLD) & (self.n_children == 2)
        if (inner & ~binary).any():
            node = int(np.flatnonzero(inner & ~binary)[0])
            raise TreeError(
                "children_left and children_right are defined for binary splits of numbers only",
                got=f"node {node}, which has {self.n_children[node]} branches "
                f"and splits by {NodeKind(self.kind[node]).name.lower()}",
                hint="use first_child and n_children, or tree.walk().",
            )
        children = np.where(inner, self.first_child + side, -1).astype(np.int64)
        children.flags.writeable = False
        return children

    # ---------------------------------------------------------------- rows

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The node where each row of a table ends.

        Parameters
        ----------
        X : table
            Rows with the features of the schema.

        Returns
        -------
        ndarray of shape (n_rows,)
            The node of each row. A row whose missing values divide it over several leaves counts
            for the one with its largest part.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> pt.ID3Classifier().fit(X, y).tree_.apply(X[:3]).tolist()
        [6, 6, 1]
        """
        from plaintree.data.encode import encode
        from plaintree.data.table import table_from

        from .predict import predicting_nodes

        unseen = self.conventions.unseen if self.conventions else "missing"
        tree: Any = self
        columns = encode(table_from(X), self.schema, unseen=unseen, used=tree.used_columns)
        return predicting_nodes(tree, columns)

    def decision_path(self, X: Any) -> csr_matrix:
        """The nodes that each row goes through, as a sparse matrix of 0 and 1: rows x nodes."""
        from .predict import visited_nodes

        tree: Any = self
        return visited_nodes(tree, self.apply(X))
