"""How sure is a split? The chi-square test of a node's branches against the classes.

Pearson's test. Where expected counts are below five it finds too much; in two-by-two tables, which
have an exact remedy at hand, Yates's continuity correction takes half a row off every difference
then. In larger tables with such counts the p-value is a rough guide, as every textbook warns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plaintree import _core

from .tree import Tree


def p_values(tree: Tree) -> NDArray[np.float64]:
    """The p-value of every node's split; 0 in leaves.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> p_values(pt.ID3Classifier().fit(X, y).tree_).round(3).tolist()
    [0.17, 0.0, 0.192, 0.192, 0.0, 0.0, 0.0, 0.0]
    """
    p = np.zeros(tree.n_nodes)
    n_classes = len(tree.schema.classes)
    for node in np.flatnonzero(tree.n_children).tolist():
        first = int(tree.first_child[node])
        table = tree.class_weights[first : first + int(tree.n_children[node])]
        p[node] = _core.chi_square_p(table.ravel().tolist(), n_classes)
    return p
