"""Reduced-error pruning (Quinlan 1987): whatever does not help on a validation set is cut.

The errors of numbers are their losses by the criterion, such as squared errors.

Bottom-up, every node is judged against the best that is left below it; the result is the smallest
of the pruned trees that make the fewest errors. The courses' greedy version cuts the node whose
removal improves most, anywhere in the tree, and goes on until every removal worsens. The two
mostly agree. Where they do not, the greedy tree is smaller and makes more errors: a node high up
may improve more than any single node below it, though not more than all of them together.
"""

from __future__ import annotations

import heapq
from typing import Literal

import numpy as np

from plaintree.checks import check_choice
from plaintree.tree.cut import Mask
from plaintree.tree.tree import Tree

from .losses import node_losses
from .task import ROUNDING, Floats, Task, cheaper_as_leaves, subtree_sums


def reduced_error(task: Task, *, order: Literal["bottom_up", "greedy"] = "bottom_up") -> Tree:
    """Cut what makes no fewer errors than a leaf on the validation rows."""
    check_choice("order", order, ("bottom_up", "greedy"))
    losses = node_losses(task.tree, task.any_rows, task.labels)
    if order == "bottom_up":
        return task.cut(cheaper_as_leaves(task.tree, losses.as_leaf, losses.stopped)[0])
    return task.cut(_greedy(task.tree, losses.as_leaf, losses.stopped))


def _greedy(tree: Tree, as_leaf: Floats, stopped: Floats) -> Mask:
    """The nodes to cut, best improvement first; of equals the one furthest down.

    An improvement only ever shrinks while nodes below are cut, so an outdated entry of the queue
    is simply put back where it belongs when it comes up.
    """
    inner = tree.n_children > 0
    below = subtree_sums(tree, np.where(inner, stopped, as_leaf)).tolist()
    leaf, parent = as_leaf.tolist(), tree.parent.tolist()
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    harm = ROUNDING * float(as_leaf.max())  # improvements below -harm are no rounding
    queue = [(leaf[node] - below[node], -node) for node in np.flatnonzero(inner).tolist()]
    heapq.heapify(queue)
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    gone = cut.tolist()
    while queue:
        worsening, negative = heapq.heappop(queue)
        node = -negative
        if worsening > harm:
            break
        if gone[node]:
            continue
        now = leaf[node] - below[node]
        if now > worsening:
            heapq.heappush(queue, (now, negative))
            continue
        cut[node] = True
        above = node
        while above >= 0 and now:
            below[above] += now
            above = parent[above]
        pending = [node]
        while pending:
            dropped = pending.pop()
            gone[dropped] = True
            children = range(first[dropped], first[dropped] + count[dropped])
            pending.extend(child for child in children if not gone[child])
    return cut
