"""One edit of a tree: split, cut, label, grow, prune; and an edit as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.words import plain, shown_schema
from plaintree.errors import ParameterError, PlaintreeError
from plaintree.progress import Progress
from plaintree.pruning.methods import METHODS, prune
from plaintree.pruning.names import BY_HAND
from plaintree.tree.condition import Condition, Grouped, Multiway
from plaintree.tree.cut import below, marked
from plaintree.tree.edit import recorded
from plaintree.tree.tree import Tree

from ..messages.documents import (
    CutEdit,
    Edit,
    GrowEdit,
    LabelEdit,
    Path,
    PruneEdit,
    Split,
    SplitEdit,
)
from .held import Held, Training, read_target
from .library import condition_from_data, counted, grown_on, node_at, path_of, path_text
from .splitting import with_split

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Editing:
    """A tree that is to be edited: the model that grew it, its table, and its settled leaves."""

    training: Training
    model: Any
    tree: Tree
    settled: Mask
    rows: Rows
    held: Held
    progress: Progress


def applied(editing: Editing, edit: Edit) -> tuple[Tree, Mask]:
    """The tree after an edit, with its settled leaves; an error if the edit does not apply."""
    match edit:
        case SplitEdit():
            return _split(editing, edit)
        case CutEdit():
            return _cut(editing.tree, editing.settled, node_at(editing.tree, edit.at))
        case LabelEdit():
            tree = editing.tree.relabel(node_at(editing.tree, edit.at), edit.label)
            return tree, editing.settled
        case GrowEdit():
            return _grown(editing, edit)
        case PruneEdit():
            tree = _pruned(editing, edit)
            return tree, np.ones(tree.n_nodes, dtype=np.bool_)


def condition_of(tree: Tree, split: Split) -> Condition:
    """The condition that a split describes, for the schema of a tree."""
    return condition_from_data(tree.schema, split_data(split))


def split_data(split: Split) -> dict[str, Any]:
    """A split as the library reads conditions from data."""
    given = {"cut": split.cut, "is": split.equals, "in": split.subset, "groups": split.groups}
    return {"column": split.column, **{k: v for k, v in given.items() if v is not None}}


def _split(editing: Editing, edit: SplitEdit) -> tuple[Tree, Mask]:
    tree, settled = editing.tree, editing.settled
    node = node_at(tree, edit.at)
    condition = condition_of(tree, edit.split)
    _check_missing(condition, edit.missing)
    if tree.n_children[node]:
        tree, settled = _cut(tree, settled, node)
        node = node_at(tree, edit.at)
    after = counted(editing, with_split(tree, node, condition, edit.missing))
    child, n = int(after.missing_child[node]), int(after.n_children[node])
    shown = shown_schema(tree.schema)
    branches = [condition.describe(shown, branch) for branch in range(n)]
    what = {"node": node, "at": path_text(tree, node), "branches": branches, "missing": child}
    after = recorded(tree, after, "graft", **what)
    first = int(after.first_child[node])
    return after, np.insert(settled, np.full(n, first), False)


def _check_missing(condition: Condition, missing: int | None) -> None:
    if missing is not None and not -2 <= missing <= condition.n_branches:
        raise ParameterError(
            "there is no such branch for missing values",
            got=f"missing={missing}",
            hint=f"use 0 to {condition.n_branches - 1}, {condition.n_branches} for a branch of "
            "their own, -1 to divide rows, or -2 to stop them.",
        )


def _cut(tree: Tree, settled: Mask, node: int) -> tuple[Tree, Mask]:
    """The tree with a leaf in place of a node, which is open again."""
    after = tree.cut(node)
    if after is tree:
        return tree, settled
    mask = marked(tree, node)
    left = settled & ~mask
    return after, left[~below(tree, mask)]


def _grown(editing: Editing, edit: GrowEdit) -> tuple[Tree, Mask]:
    """The tree with a node grown on; below it, leaves of a grown tree are the learner's own."""
    tree, node = editing.tree, node_at(editing.tree, edit.at)
    after = grown_on(editing, node, edit.max_depth)
    mask = marked(tree, node)
    elsewhere = (tree.n_children == 0) & ~editing.settled & ~mask & ~below(tree, mask)
    settled = np.ones(after.n_nodes, dtype=np.bool_)
    if edit.max_depth is not None:
        again = marked(after, node_at(after, edit.at))
        settled = ~(again | below(after, again))
    for leaf in np.flatnonzero(elsewhere).tolist():
        settled[node_at(after, path_of(tree, leaf))] = False
    return after, settled


def _pruned(editing: Editing, edit: PruneEdit) -> Tree:
    if edit.method == BY_HAND or edit.method not in METHODS:
        known = [name for name in METHODS if name != BY_HAND]
        raise ParameterError(
            "there is no such pruning method",
            got=repr(edit.method),
            hint=f"use one of {', '.join(known)}.",
        )
    options = dict(edit.options)
    for name in ("progress", "learner"):
        if name in options:
            raise ParameterError(f"{name} cannot be given here", got=repr(name))
    rows = _pruning_rows(editing, edit.method, options)
    if "choice" in options:
        options["progress"] = editing.progress
    method: Any = edit.method
    after: Tree = prune(editing.model, method, *rows, **options).tree_
    if after.content_hash() == editing.tree.content_hash():
        return editing.tree
    return recorded(editing.tree, after, "prune", method=edit.method, options=dict(edit.options))


def _pruning_rows(editing: Editing, method: str, options: dict[str, Any]) -> tuple[Any, ...]:
    """The rows that a method needs: those of training, or of a test table."""
    training = editing.training
    if method == "reduced_error":
        test = editing.held.test(options.pop("test", None), training.opened.recipe)
        y = read_target(test.column(training.target), training.task)
        return test.table.without([training.target, *training_drop(training)]), y
    if not METHODS[method].uses_rows(options):
        return ()
    weights = () if editing.rows.weights is None else (editing.rows.weights,)
    return (training.X, training.y, *weights)


def training_drop(training: Training) -> list[str]:
    """The columns of the table that are left out."""
    kept = {*training.X.names, training.target}
    return [name for name in training.opened.table.names if name not in kept]


# -------------------------------------------------------------------- as text


def described(tree: Tree | None, edit: Edit) -> str:
    """An edit as text for the history, such as "Split at the root: outlook"."""
    match edit:
        case SplitEdit():
            return f"Split {_place(tree, edit.at)}: {_split_text(tree, edit.split)}"
        case CutEdit():
            return f"Cut {_place(tree, edit.at)}"
        case LabelEdit():
            return f"Label {_place(tree, edit.at)}: {plain(edit.label)}"
        case GrowEdit():
            levels = "" if edit.max_depth is None else f", at most {edit.max_depth} levels"
            return f"Grow {_place(tree, edit.at)}{levels}"
        case PruneEdit():
            return _pruning_text(edit)


def _pruning_text(edit: PruneEdit) -> str:
    """A pruning step as a sentence, such as "Prune by cost complexity with alpha 0.0893"."""
    method = plain(edit.method).replace("_", " ")
    given = " and ".join(
        f"{plain(name).replace('_', ' ')} {_short(value)}" for name, value in edit.options.items()
    )
    return f"Prune by {method}" + (f" with {given}" if given else "")


def _short(value: Any) -> str:
    """A setting with at most four significant digits."""
    return f"{value:.4g}" if isinstance(value, float) else plain(value)


def _place(tree: Tree | None, at: Path) -> str:
    """Where an edit is made: the path as text, or as numbers if it leads nowhere."""
    try:
        if tree is not None:
            return path_text(tree, node_at(tree, at))
    except PlaintreeError:
        pass
    return f"at {'/'.join(map(str, at)) or 'the root'}"


def _split_text(tree: Tree | None, split: Split) -> str:
    try:
        if tree is not None:
            return split_text(tree, condition_of(tree, split))
    except PlaintreeError:
        pass
    return plain(split.column)


def split_text(tree: Tree, condition: Condition) -> str:
    """A split as text: the column, or the condition of its first branch."""
    shown = shown_schema(tree.schema)
    if isinstance(condition, Multiway | Grouped):
        return shown.names[condition.feature]
    return condition.describe(shown, 0)
