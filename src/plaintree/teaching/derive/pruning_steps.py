"""The decisions of pruning at each node of a grown tree, computed again.

A method is a function from a :class:`Pruner` to a :class:`Ledger`: its values in a table, and
the nodes it prunes. Error-based pruning, which also moves branches, has a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.pruning.mdl import node_bits
from plaintree.stats.exact import SAME, Value, times
from plaintree.stats.expected_errors import deviation
from plaintree.tree.cut import cut_nodes, merge_leaves
from plaintree.tree.limits import rows_of
from plaintree.tree.significance import p_values
from plaintree.tree.tree import Tree

from .choice import p_value
from .classify import passage
from .error_based_steps import prune_by_estimates, same_tests
from .pruned import Ledger, Pruned
from .steps import Steps
from .weakest_links import Pruner, alpha_of_size, subtree, weakest_links


def before_pruning(model: Any, tree: Tree, rows: Rows) -> tuple[Tree, Rows, Rows | None]:
    """The tree as a model grew it before it pruned, on which rows, and those it held out."""
    method, _ = _method_of(model)
    if method is None:
        return tree, rows, None
    rows, held_out = grown_from(model, rows)
    return model._grow(tree.schema, rows, tree.conventions), rows, held_out


def grown_from(model: Any, rows: Rows) -> tuple[Rows, Rows | None]:
    """The rows that a model grew its tree from, and those that it held out for pruning."""
    method, _ = _method_of(model)
    if method is None:
        return rows, None
    if method == "reduced_error" and model._options_of_pruning().get("random_state", 0) is None:
        raise ParameterError(
            "the rows held out for pruning are not known, so it cannot be derived",
            got="a model pruned by reduced error with random_state=None",
            hint='fit it with pruning_options={"random_state": 0}, say.',
        )
    grown, held_out = model._divided(rows)
    return grown, held_out


def _method_of(model: Any) -> tuple[str | None, dict[str, Any]]:
    """How a model prunes, and the options; None if it does not."""
    method = None if isinstance(model, Tree) else getattr(model, "pruning", None)
    if method is not None:
        return method, model._options_of_pruning()
    alpha = None if isinstance(model, Tree) else getattr(model, "ccp_alpha", None)
    return ("cost_complexity", {"alpha": alpha, "risk": "impurity"}) if alpha else (None, {})


def pruning_of(model: Any, steps: Steps, final: Tree, held_out: Rows | None) -> Pruned | None:
    """The pruning of a model; None if it does not prune."""
    method, options = _method_of(model)
    if method is None:
        return None
    mine, ledger = None, LEDGERS[method](Pruner(steps, options, held_out, final))
    if ledger.tests is not None:
        same_splits = ledger.tests == same_tests(final)
    else:
        mask = np.zeros(steps.tree.n_nodes, dtype=np.bool_)
        mask[list(ledger.cut)] = True
        mine = cut_nodes(steps.tree, mask)
        if options.get("merge_leaves"):
            mine = merge_leaves(mine)
            ledger.note += " Leaves with the same prediction were then merged."
        same_splits = same_tests(mine) == same_tests(final)
    return Pruned(method, ledger, steps, final, same_splits, mine if same_splits else None)


# -------------------------------------------------------------------- bottom-up


def _from_below(
    pruner: Pruner, ledger: Ledger, as_leaf: Callable[[int], Value], own: Callable[[int], Value]
) -> None:
    """Every node against the best that is left below it: the leaf wins if it is no worse."""
    best: dict[int, Value] = {}
    slack = SAME * float(max(map(as_leaf, range(pruner.tree.n_nodes))))
    for node in range(pruner.tree.n_nodes - 1, -1, -1):
        leaf = as_leaf(node)
        if not pruner.children(node):
            best[node] = leaf
            continue
        below = own(node) + sum(best[child] for child in pruner.children(node))
        cuts = leaf <= below + slack
        best[node] = leaf if cuts else below
        ledger.lines.append((node, (leaf, below), "prune" if cuts else "keep"))
        if cuts:
            ledger.cut.add(node)


def _reduced_error(pruner: Pruner) -> Ledger:
    assert pruner.held_out is not None, "this method holds rows out"
    as_leaf, stopped = _validation_errors(pruner, pruner.held_out)
    n, losses = len(pruner.held_out.target), pruner.losses
    about = (
        f"{n} rows were held out. Bottom-up, a subtree is pruned if a leaf in its place has "
        f"no more {losses} on them."
    )
    ledger = Ledger(about, (f"{losses} as a leaf", f"{losses} as a subtree"))
    if pruner.options.get("order") == "greedy":
        ledger.about = (
            f"{n} rows were held out. The node whose pruning removes the most {losses} on them is "
            f"pruned, repeatedly, until pruning any node adds {losses}."
        )
        _greedy(pruner, ledger, as_leaf, stopped)
    else:
        _from_below(pruner, ledger, as_leaf.__getitem__, stopped.__getitem__)
    return ledger


def _validation_errors(pruner: Pruner, rows: Rows) -> tuple[list[Value], list[Value]]:
    """The losses of held-out rows at every node as a leaf, by weight; and of those that stop in it
    anyway, as it stands."""
    tree, parent = pruner.tree, pruner.tree.parent.tolist()
    labels = [pruner.label(node) for node in range(tree.n_nodes)]
    as_leaf: list[Value] = [0] * tree.n_nodes
    stopped: list[Value] = [0] * tree.n_nodes
    weights = rows.known_weights.tolist()
    loss = pruner.steps.cases.sums.loss
    for row, target in enumerate(rows.target.tolist()):
        whole = Fraction(repr(weights[row]))
        for end, share in passage(tree, rows.columns, row).ends:
            weight = whole * share
            stopped[end] += times(weight, loss(target, labels[end]))
            node = end
            while node >= 0:
                as_leaf[node] += times(weight, loss(target, labels[node]))
                node = parent[node]
    return as_leaf, stopped


def _greedy(pruner: Pruner, ledger: Ledger, as_leaf: list[Value], stopped: list[Value]) -> None:
    tree, alive = pruner.tree, set(pruner.inner)
    harm = SAME * float(max(as_leaf))
    while alive:
        now: dict[int, Value] = {}
        for node in range(tree.n_nodes - 1, -1, -1):
            below = [now[child] for child in pruner.children(node)] if node in alive else []
            now[node] = stopped[node] + sum(below) if node in alive else as_leaf[node]
        best = min(alive, key=lambda node: (as_leaf[node] - now[node], -node))
        if as_leaf[best] - now[best] > harm:
            break
        ledger.lines.append((best, (as_leaf[best], now[best]), "prune"))
        ledger.cut.add(best)
        alive -= subtree(pruner, best)


def _mdl(pruner: Pruner) -> Ledger:
    coding = pruner.options.get("coding", "quinlan_rivest")
    nodes, exceptions = node_bits(pruner.tree, coding)
    leaf, test = (nodes.as_leaf + exceptions).tolist(), nodes.as_test.tolist()
    about = (
        "Bottom-up, a subtree is pruned if a leaf with its exceptions takes no more bits than the "
        f"subtree with its own (coding: {coding.replace('_', ' and ')})."
    )
    ledger = Ledger(about, ("bits as a leaf", "bits as a subtree"))
    _from_below(pruner, ledger, leaf.__getitem__, test.__getitem__)
    return ledger


# -------------------------------------------------------------------- all nodes at once


def _pessimistic(pruner: Pruner) -> Ledger:
    about = (
        "Half an error is added for every leaf. A subtree is pruned if the corrected errors of a "
        "leaf in its place are within one standard error of its own."
    )
    header = ("rows", "leaf", "subtree", "standard error")
    ledger = Ledger(about, header)
    corrected: dict[int, Value] = {}
    for node in range(pruner.tree.n_nodes - 1, -1, -1):
        own = pruner.errors(node) + Fraction(1, 2)
        corrected[node] = own
        if not pruner.children(node):
            continue
        below = sum(corrected[child] for child in pruner.children(node))
        corrected[node] = below
        weight = pruner.weight(node)
        deviation = sqrt(max(0.0, float(below * (weight - below) / max(weight, 1))))
        cuts = float(own) <= float(below) + deviation + SAME
        ledger.lines.append((node, (weight, own, below, deviation), "prune" if cuts else "keep"))
        if cuts:
            ledger.cut.add(node)
    ledger.lines.reverse()
    return ledger


def _limits(pruner: Pruner) -> Ledger:
    given = {name: limit for name, limit in pruner.options.items() if limit is not None}
    for name in ("min_samples_split", "min_samples_leaf"):
        if name in given:
            given[name] = rows_of(name, given[name], round(_counted(pruner, 0)))
    columns = {
        "max_depth": "depth",
        "min_samples_split": "rows",
        "min_samples_leaf": "smallest branch",
        "min_samples_branch": "second branch",
        "min_score": "score",
        "significance": "adjusted p" if _test_of(pruner) == "adjusted" else "chi-square p",
    }
    asked = [name for name in columns if name in given]
    limits = ", ".join(f"{name}={given[name]}" for name in asked)
    about = f"Nodes beyond these limits are pruned: {limits}."
    ledger = Ledger(about, tuple(columns[name] for name in asked))
    for node in reversed(pruner.inner):
        figures = {name: _limited(pruner, node, name) for name in asked}
        low = ("min_samples_split", "min_samples_leaf", "min_samples_branch", "min_score")
        beyond = any(
            figure < given[name]
            if name in low
            else figure >= given[name]
            if name == "max_depth"
            else figure > given[name]
            for name, figure in figures.items()
        )
        ledger.lines.append((node, tuple(figures.values()), "prune" if beyond else "keep"))
        if beyond:
            ledger.cut.add(node)
    return ledger


def _test_of(pruner: Pruner) -> str:
    """The significance test of the pruning, or else that of growing."""
    return str(pruner.options.get("significance_test") or pruner.steps.rules.significance_test)


def _limited(pruner: Pruner, node: int, limit: str) -> Value:
    """The value of a node that a limit applies to."""
    step = pruner.steps.by_node[node]
    assert step.taken is not None, "an internal node has a split"
    if limit == "max_depth":
        return step.depth
    if limit == "min_samples_split":
        return _counted(pruner, node)
    if limit == "min_score":
        return step.taken.measures.score
    if limit == "significance":
        if _test_of(pruner) == "chi_square":
            return p_value(step.taken)
        return float(p_values(pruner.steps.tree)[node])
    assert step.condition is not None, "an internal node has a split"
    branches = list(pruner.children(node))[: step.condition.n_branches]
    if limit == "min_samples_leaf":
        return min(size for child in branches if (size := _counted(pruner, child)))
    weights = sorted(map(pruner.weight, branches))
    return weights[-2] if len(weights) > 1 else 0


def _counted(pruner: Pruner, node: int) -> Value:
    """The rows of a node, or their weight where rows are divided."""
    if pruner.steps.rules.counts_weights:
        return pruner.weight(node)
    return len(pruner.steps.by_node[node].rows)


def _cut(pruner: Pruner) -> Ledger:
    nodes = pruner.options.get("nodes", ())
    wanted = [nodes] if isinstance(nodes, int) else list(nodes)
    ledger = Ledger("These nodes were cut by hand.", ())
    ledger.lines = [(int(node), (), "cut") for node in wanted]
    ledger.cut = {int(node) for node in wanted}
    return ledger


# -------------------------------------------------------------------- cost and complexity


def _cost_complexity(pruner: Pruner) -> Ledger:
    options, tree = pruner.options, pruner.tree
    risk = options.get("risk", "error")
    about = (
        "The weakest link is the node whose pruning adds the least risk per leaf saved, alpha = "
        "(risk as a leaf - risk of the subtree) / (leaves of the subtree - 1), as fractions of "
        "all rows. It is pruned, repeatedly."
    )
    header = ("alpha", "as a leaf", "as a subtree", "leaves")
    ledger = Ledger(about, header, details=(pruner.risk_words(risk),))
    links = list(weakest_links(pruner, risk))
    alpha, cp = options.get("alpha"), options.get("cp")
    if cp is not None:
        alpha = cp * float(pruner.risk(0, risk)) / float(pruner.weight(0))
        ledger.note = (
            f"With cp = {cp:g}, alpha is {cp:g} times the risk of the root, {alpha:.6g}; links up "
            "to this value are pruned."
        )
    elif alpha is None:
        # Cross-validation chose a tree of the path: the one of the final size.
        kept = tree.size - pruner.final.size
        alpha = alpha_of_size(links, kept)
        ledger.note = (
            f"Alpha was chosen by cross-validation ({options.get('choice')}); links up to "
            f"{alpha:.6g} were pruned."
        )
    else:
        ledger.note = f"With alpha = {alpha:g}, links up to this value are pruned."
    slack = SAME * pruner.steps.cases.yardstick(pruner.steps.by_node[0].rows)
    for node, link, figures, _ in links:
        cuts = float(link) <= float(alpha) + slack
        ledger.lines.append((node, (link, *figures), "prune" if cuts else "keep"))
        if cuts:
            ledger.cut.add(node)
    return ledger


def _error_based(pruner: Pruner) -> Ledger:
    confidence = float(pruner.options.get("confidence", 0.25))
    about = (
        "Bottom-up, the expected errors on new rows are compared: e errors among N rows are "
        f"replaced by the upper confidence limit of their number, at {confidence:g}."
    )
    details = (
        f"Without errors, the limit is N (1 - {confidence:g}^(1/N)).",
        "From one error on, it is N (c + z^2/2 + z sqrt(c (1 - c/N) + z^2/4)) / (N + z^2), with "
        f"c = e + 0.5 and z = {deviation(confidence):.4g}; where c reaches N, e + 0.67 (N - e). "
        "Between none and one, it is interpolated.",
        "The expected errors of a subtree are those of its leaves together.",
        "A leaf wins if its expected errors are no more than those of the subtree and of the "
        "largest branch in its place (a tenth of an error more is allowed).",
        "Otherwise the largest branch replaces the node and takes all its rows, if its expected "
        "errors are no more than those of the subtree; it is then pruned in turn.",
    )
    header = ("N", "e", "as a leaf", "as a subtree", "as its largest branch")
    ledger = Ledger(about, header, details=details)
    ledger.lines, ledger.tests = prune_by_estimates(pruner.tree, pruner.steps.cases, confidence)
    return ledger


LEDGERS: dict[str, Callable[[Pruner], Ledger]] = {
    "limits": _limits,
    "reduced_error": _reduced_error,
    "error_based": _error_based,
    "pessimistic": _pessimistic,
    "cost_complexity": _cost_complexity,
    "mdl": _mdl,
    "cut": _cut,
}
"""The derivation of every pruning method."""
