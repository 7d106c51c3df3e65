"""Growing on from a tree: its splits stay, and its leaves are grown by its conventions."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.checks import check_nodes, check_number
from plaintree.stats.impurity import gains
from plaintree.tree.best_first import keep_best
from plaintree.tree.build import PLAIN_GAINS
from plaintree.tree.conventions import criterion_of
from plaintree.tree.cut import below, marked
from plaintree.tree.difference import path_text
from plaintree.tree.edit import recorded
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.tree import ARRAY_DTYPES, Tree

from .altered import by_decision_rule
from .given_tree import GivenTree, Todo

ModelOrTree = TypeVar("ModelOrTree")
Mask = NDArray[np.bool_]
_MOST_DEPTH = 2**31 - 1


def grow_on(
    model_or_tree: ModelOrTree,
    X: Any,
    y: Any,
    *,
    nodes: int | Iterable[int] | None = None,
    sample_weight: Any = None,
    max_depth: int | None = None,
) -> ModelOrTree:
    """Keep the splits of a tree, and grow its leaves as ``fit`` would have grown them.

    The splits may come from ``fit`` or from :meth:`Tree.graft <plaintree.Tree.graft>`. The core
    routes the rows through them and continues at the leaves with everything that growth depends
    on: divided rows, features used above, limits, seeds, and C4.5's averages and thresholds over
    the whole table. So if the splits are those that ``fit`` would choose, the result is the tree
    of ``fit``, to the last bit. Nothing is pruned; see :func:`plaintree.prune`.

    Counts, labels and scores are computed again from the rows. Labels set by hand stay in leaves
    whose rows are the same. The change is recorded in ``edits``.

    Parameters
    ----------
    model_or_tree : Tree or fitted estimator of a single tree
        What is grown on; it stays as it is. A model weights rows by its ``class_weight`` and
        samples features by ``max_features`` and ``random_state``, as in ``fit``. A Tree uses its
        conventions alone.
    X : table of shape (n_samples, n_features)
        The training rows.
    y : array-like of shape (n_samples,)
        Their labels, or their numbers.
    nodes : int or iterable of int, default=None
        The leaves to grow; an internal node stands for all leaves below it. None grows all leaves.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the rows. None gives every row the weight 1.
    max_depth : int, default=None
        The depth limit of the new nodes, counted from the root of the tree. None is the limit of
        the conventions. With ``max_leaf_nodes`` in the conventions, splits that are kept count
        first.

    Returns
    -------
    Tree or estimator
        A Tree for a Tree; for a model, a fitted model of the same class with the new ``tree_``.

    Raises
    ------
    TreeError
        If there is no such node, the tree has no conventions, or the rows do not fit its splits.
    ArgumentTypeError
        If the model is an ensemble or predicts by rules.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> root = pt.ID3Classifier(max_depth=0).fit(X, y).tree_
    >>> by_hand = root.graft(0, "Humidity")
    >>> print(pt.grow_on(by_hand, X, y, max_depth=2))
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Humidity = High (7)
    │  ├─ Outlook = Overcast: Yes (2)
    │  ├─ Outlook = Rain: No (2; No: 1, Yes: 1)
    │  └─ Outlook = Sunny: No (3)
    └─ Humidity = Normal (7)
       ├─ Outlook = Overcast: Yes (2)
       ├─ Outlook = Rain: Yes (3; No: 1, Yes: 2)
       └─ Outlook = Sunny: Yes (2)
    """
    given = GivenTree.of(model_or_tree, X, y, sample_weight)
    before = given.tree
    wanted = _leaves(before, nodes)
    after = _grown(given, wanted, nodes is None, _depth_params(max_depth))
    edit: dict[str, Any] = {"rows": len(given.rows.target)}
    if nodes is not None:
        edit |= {"nodes": check_nodes(nodes)}
        edit |= {"at": [path_text(before, node) for node in edit["nodes"]]}
    if max_depth is not None:
        edit |= {"max_depth": int(max_depth)}
    grown = recorded(before, after, "grow_on", **edit)
    if isinstance(model_or_tree, Tree):
        return cast(ModelOrTree, grown)
    copied = copy(model_or_tree)
    copied.tree_ = grown  # type: ignore[attr-defined]  # as any model that has one
    if hasattr(copied, "_remember_schema"):
        copied._remember_schema(grown.schema)
    return copied


def _depth_params(max_depth: int | None) -> dict[str, int]:
    """The depth limit as the core takes it, if there is one of its own."""
    if max_depth is None:
        return {}
    limit = check_number("max_depth", max_depth, 0, float("inf"))
    return {"max_depth": int(min(limit, _MOST_DEPTH))}


def _leaves(tree: Tree, nodes: int | Iterable[int] | None) -> Mask:
    """The leaves that are to be grown."""
    leaves: Mask = tree.n_children == 0
    if nodes is None:
        return leaves
    mask = marked(tree, check_nodes(nodes))
    return leaves & (mask | below(tree, mask))


def _grown(given: GivenTree, wanted: Mask, is_all: bool, params: dict[str, int]) -> Tree:
    """The tree with its splits and those that are grown at some leaves."""
    before, rules = given.tree, given.conventions
    todo = np.where(before.n_children > 0, Todo.KEEP, Todo.STOP).astype(np.uint8)
    todo[wanted] = Todo.GROW
    arguments = given.arguments(todo, **given.chance, **params)
    with given.asking():
        arrays, n_values = _core.grow(**arguments, grows_new_branches=is_all)
    schema = before.schema.with_value_counts(n_values)
    after = tree_from_core(arrays, schema, rules)
    after = by_decision_rule(after, None if given.altered is None else given.altered.restored)
    new_of = _counterparts(before, after)
    if rules.max_leaf_nodes is not None:
        kept = np.zeros(after.n_nodes, dtype=np.bool_)
        kept[new_of[(before.n_children > 0) & (new_of >= 0)]] = True
        after = keep_best(after, rules.max_leaf_nodes, kept)
        new_of = _counterparts(before, after)
    return _with_kept_values(before, after, new_of)


def _counterparts(before: Tree, after: Tree) -> NDArray[np.int64]:
    """The node of the grown tree for each node of the one before; -1: there is none."""
    new_of = np.full(before.n_nodes, -1, dtype=np.int64)
    new_of[0] = 0
    for node in np.flatnonzero(before.n_children).tolist():  # parents first
        own = int(new_of[node])
        n = min(int(before.n_children[node]), int(after.n_children[own])) if own >= 0 else 0
        old_first, new_first = int(before.first_child[node]), int(after.first_child[own])
        new_of[old_first : old_first + n] = np.arange(new_first, new_first + n)
    return new_of


def _with_kept_values(before: Tree, after: Tree, new_of: NDArray[np.int64]) -> Tree:
    """The grown tree with the scores and labels of before where the rows are the same."""
    old = np.flatnonzero(new_of >= 0)
    new = new_of[old]
    same = np.zeros(after.n_nodes, dtype=np.bool_)
    same[new] = _same_rows(before, old, after, new)
    kept_leaf = same[new] & (after.n_children[new] == 0)
    whole = same.copy()
    np.logical_and.at(whole, after.parent[1:], same[1:])
    kept_split = whole[new] & (before.n_children[old] > 0)
    kept_split &= ~np.isnan(before.score[old])
    changed = {
        name: getattr(after, name).copy() for name in ("label", "prediction", "score", "n_tied")
    }
    for name, where in {
        "label": kept_leaf,
        "prediction": kept_leaf & bool(before.prediction.size),
        "score": kept_split,
        "n_tied": kept_split,
    }.items():
        changed[name][new[where]] = getattr(before, name)[old[where]]
    changed["score"] = _scores(after, changed["score"])
    arrays = {name: getattr(after, name) for name in ARRAY_DTYPES} | changed
    return tree_from_core(arrays, after.schema, after.conventions, before.edits)


def _same_rows(before: Tree, old: NDArray[np.intp], after: Tree, new: NDArray[np.int64]) -> Mask:
    """Whether nodes have the same counts, or numbers, in both trees."""
    same: Mask = before.n_rows[old] == after.n_rows[new]
    if before.schema.classes:
        close = np.isclose(before.class_weights[old], after.class_weights[new], rtol=1e-12, atol=0)
        return same & close.all(axis=1)
    same &= np.isclose(before.weight[old], after.weight[new], rtol=1e-12, atol=0)
    return same & np.isclose(before.impurity[old], after.impurity[new], rtol=1e-9, atol=0)


def _scores(tree: Tree, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores; those that the core does not know are gains, if the criterion is one."""
    rules = tree.conventions
    unknown = np.isnan(scores) & (tree.n_children > 0)
    weighed = rules is not None and any((rules.priors, rules.costs, rules.feature_costs))
    if weighed or not unknown.any() or criterion_of(rules, tree.schema) not in PLAIN_GAINS:
        return scores
    return np.where(unknown, gains(tree.parent, tree.weight, tree.impurity), scores)
