"""Links: the alpha at which each node of a tree becomes a leaf in cost-complexity pruning."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from math import inf
from typing import Literal

import numpy as np

from plaintree.tree.tree import Tree

from .task import Floats

Links = Literal["weakest", "rpart"]
Event = tuple[float, float, float]


def weakest_links(tree: Tree, risk: Floats, start: float = 0.0) -> Floats:
    """The link of every node, given its risk as a leaf, from a start; infinity for leaves.

    From below, each subtree knows at which alphas it loses how many leaves (its events). At a node
    all events have happened if alpha is large enough; they are taken back, the latest first, until
    the alpha at which the node is no worse than its subtree is not before the next. The events
    taken back will never happen: the node is a leaf by then. Every event is taken back once, and
    the shorter list goes into the longer, so a deep tree costs no more than a broad one.
    """
    parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
    risks = risk.tolist()
    links = [inf] * tree.n_nodes
    events: list[list[Event] | None] = [None] * tree.n_nodes  # heaps of (-alpha, leaves, risk)
    below = [0.0] * tree.n_nodes  # the children's risks as leaves
    for node in range(tree.n_nodes - 1, -1, -1):
        heap: list[Event] | None = None
        if n_children[node]:
            heap = events[node] or []
            n_leaves, current = float(n_children[node]), below[node]
            while True:
                saved = n_leaves - 1
                latest = -heap[0][0] if heap else -inf
                link = (risks[node] - current) / saved if saved else (latest if heap else 0.0)
                if (link >= latest and saved) or not heap:
                    break
                _, leaves, worse = heapq.heappop(heap)
                n_leaves, current = n_leaves + leaves, current - worse
            links[node] = max(link, start)
            heapq.heappush(heap, (-links[node], n_leaves - 1, risks[node] - current))
        if node:
            above = parent[node]
            below[above] += risks[node]
            events[above] = _united(events[above], heap)
            events[node] = None
    for node in range(1, tree.n_nodes):
        if n_children[node]:
            links[node] = min(links[node], links[parent[node]])
    return np.array(links)


def _united(one: list[Event] | None, other: list[Event] | None) -> list[Event] | None:
    """Two heaps as one, made of the longer."""
    if not one or not other:
        return one or other
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    for event in shorter:
        heapq.heappush(longer, event)
    return longer


def rpart_links(tree: Tree, risk: Floats, start: float = 0.0) -> Floats:
    """The links as rpart approximates them.

    A node is compared with its subtree after whole children that are weaker have been made leaves;
    parts of a child are not. Links come out too small where such a part goes first. What has
    become a leaf at the start is dropped at once, as rpart does with what is not worth its cp.
    """
    n_children, first = tree.n_children.tolist(), tree.first_child.tolist()
    parent, risks = tree.parent.tolist(), risk.tolist()
    links = [-inf] * tree.n_nodes  # of leaves: they are leaves from the start
    best = list(risks)  # the risk of the subtree that a node above would see
    saves = [0.0] * tree.n_nodes  # its leaves, but one
    for node in range(tree.n_nodes - 1, -1, -1):
        if not n_children[node]:
            continue
        children = range(first[node], first[node] + n_children[node])
        below = sum(best[child] for child in children)
        saved = sum(saves[child] for child in children) + n_children[node] - 1
        for child in sorted(children, key=lambda c: (links[c], -c)):
            if (risks[node] - below) <= links[child] * saved:
                break
            below += risks[child] - best[child]
            saved -= saves[child]
        links[node] = (risks[node] - below) / saved if saved else 0.0
        if links[node] > start:
            best[node], saves[node] = below, saved
    for node in range(tree.n_nodes):
        above = links[parent[node]] if node else inf
        links[node] = min(max(links[node], start), above) if n_children[node] else inf
    return np.array(links)


LINKS: dict[str, Callable[[Tree, Floats, float], Floats]] = {
    "weakest": weakest_links,
    "rpart": rpart_links,
}
"""The ways to find links, by name."""
