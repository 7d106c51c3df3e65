"""A document as a model: a fold over its edits, each prefix of them kept by its hash.

So one edit costs one step, and undo none. An edit that does not apply stays in the list with the
reason, and the following ones are tried on the tree before it.
"""

from __future__ import annotations

import hashlib
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.target import comparable
from plaintree.errors import ArgumentTypeError, PlaintreeError, TreeError
from plaintree.estimators.class_weight import class_weighted
from plaintree.progress import Progress
from plaintree.pruning.cross_validation import unpruned_copy
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..messages.documents import Document, Edit
from ..messages.nodes import EditState
from .editing import Editing, applied, described
from .held import Held, Training, quiet, training_key
from .learners import estimator_of, settings_key
from .library import with_tree

Mask = NDArray[np.bool_]
OF_ENSEMBLE = (
    "The trees of an ensemble are grown on samples or weights of the rows, so they are not edited."
)


@dataclass(frozen=True, eq=False)
class State:
    """What a prefix of a document's edits leads to.

    - ``model``: the fitted learner; ``tree``: its tree, None for an ensemble.
    - ``settled``: the leaves that the learner, or pruning, made.
    - ``edits``: what became of each edit.
    """

    key: str
    model: Any
    tree: Tree | None
    settled: Mask
    edits: tuple[EditState, ...] = ()

    @property
    def is_edited(self) -> bool:
        """Whether some edit has changed the tree."""
        return any(not edit.refused for edit in self.edits)


@dataclass(frozen=True, eq=False)
class Work:
    """A document that was replayed on a table."""

    held: Held
    training: Training
    document: Document
    state: State

    @property
    def model(self) -> Any:
        """The fitted estimator, with the tree of the document."""
        tree, model = self.state.tree, self.state.model
        return model if tree is None or model.tree_ is tree else with_tree(model, tree)

    @property
    def single(self) -> bool:
        """Whether there is one tree."""
        return self.state.tree is not None

    @property
    def n_members(self) -> int:
        """The number of trees."""
        return 1 if self.single else len(self.state.model.trees_)

    def tree(self, member: int = 0) -> Tree:
        """A tree: the only one, or one of an ensemble."""
        if not 0 <= member < self.n_members:
            raise TreeError(
                "there is no such tree", got=f"{member}", hint=f"use 0 to {self.n_members - 1}."
            )
        return self.state.tree or self.state.model.trees_[member]

    def own_tree(self) -> Tree:
        """The tree of a learner of single trees; an error for an ensemble."""
        if self.state.tree is None:
            raise TreeError(
                "an ensemble has no single tree to work this out for",
                got=self.document.settings.learner,
                hint="choose a learner of single trees, such as id3, c45 or cart.",
            )
        return self.state.tree

    @property
    def rows(self) -> Rows:
        """The training rows as the learner sees them, encoded and weighted."""
        rows: Rows = self.kept("rows", partial(rows_of, self.training, self.state.model))
        return rows

    def kept(self, what: object, make: Any) -> Any:
        """What depends on the table and the settings alone, computed once."""
        key = (what, training_key(self.document.table), settings_key(self.document.settings))
        return self.held.results.get_or(key, make)

    def kept_for_tree(self, what: object, make: Any) -> Any:
        """What depends on the tree of the document, computed once."""
        return self.held.results.get_or((what, self.state.key), make)


def replayed(held: Held, document: Document, progress: Progress) -> Work:
    """The model of a document, from the longest prefix of its edits that is known."""
    training = held.training(document.table)
    keys = prefix_keys(document)
    known = next((n for n in range(len(keys) - 1, -1, -1) if held.states.get(keys[n])), None)
    if known is None:
        state = _start(training, document, keys[0], progress)
        held.states.put(keys[0], state)
        known = 0
    state = held.states.get(keys[known])
    for n in range(known, len(document.edits)):
        work = Work(held, training, document, state)
        state = _edited(work, document.edits[n], keys[n + 1], progress)
        held.states.put(keys[n + 1], state)
    return Work(held, training, document, state)


def prefix_keys(document: Document) -> list[str]:
    """The hashes of all prefixes of the edits; notes (``why``) do not count."""
    head = repr(training_key(document.table)).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(head + settings_key(document.settings))
    keys = [digest.hexdigest()]
    for edit in document.edits:
        plain = copy(edit)
        plain.why = ""
        digest.update(msgspec.json.encode(plain, order="sorted") + b"\n")
        keys.append(digest.hexdigest())
    return keys


def rows_of(training: Training, model: Any) -> Rows:
    """The training rows, encoded by the schema of a fitted model and weighted by its classes."""
    tree = getattr(model, "tree_", None) or model.trees_[0]
    rows = rows_from(tree, training.X, training.y)
    weight = getattr(model, "class_weight", None)
    if weight is None or not tree.schema.classes:
        return rows
    return replace(rows, weights=comparable(class_weighted(rows, tree.schema, weight)))


# -------------------------------------------------------------------- the start


def _start(training: Training, document: Document, key: str, progress: Progress) -> State:
    estimator = estimator_of(document.settings, training.task)
    progress("growing", 0, None)
    with quiet():
        if hasattr(estimator, "n_estimators"):
            estimator.fit(training.X, training.y, progress=progress)
            return State(key, estimator, None, np.empty(0, dtype=np.bool_))
        if document.settings.start == "open":
            estimator = _lone_root(estimator, training)
        else:
            estimator.fit(training.X, training.y)
    tree: Tree = estimator.tree_
    settled = np.full(tree.n_nodes, document.settings.start == "grown")
    return State(key, estimator, tree, settled)


def _lone_root(estimator: Any, training: Training) -> Any:
    """The estimator, fitted as a single leaf whose conventions let it grow."""
    growing = unpruned_copy(estimator)
    if growing.get_params().get("ccp_alpha"):
        growing.set_params(ccp_alpha=0.0)
    limit = growing._conventions().max_depth
    given = growing.max_depth
    growing.set_params(max_depth=0).fit(training.X, training.y)
    growing.set_params(max_depth=given)
    conventions = replace(growing.tree_.conventions, max_depth=limit)
    growing.tree_ = replace(growing.tree_, conventions=conventions)
    return growing


# -------------------------------------------------------------------- edits


def _edited(work: Work, edit: Edit, key: str, progress: Progress) -> State:
    """The state after one more edit, which is the same if the edit does not apply."""
    state = work.state
    if state.tree is None:
        return _refused(state, edit, key, OF_ENSEMBLE)
    editing = Editing(
        work.training, work.model, state.tree, state.settled, work.rows, work.held, progress
    )
    text = described(state.tree, edit)
    try:
        with quiet():
            tree, settled = applied(editing, edit)
    except (PlaintreeError, ArgumentTypeError) as error:
        return _refused(state, edit, key, reason_of(error))
    done = EditState(text=text, n_nodes_before=state.tree.n_nodes, n_nodes_after=tree.n_nodes)
    return State(key, state.model, tree, settled, (*state.edits, done))


def _refused(state: State, edit: Edit, key: str, reason: str) -> State:
    n_nodes = 0 if state.tree is None else state.tree.n_nodes
    done = EditState(
        text=described(state.tree, edit),
        n_nodes_before=n_nodes,
        n_nodes_after=n_nodes,
        refused=reason,
    )
    return replace(state, key=key, edits=(*state.edits, done))


def reason_of(error: PlaintreeError) -> str:
    """Why an edit does not apply, as one sentence and a hint."""
    got = f" ({error.got.rstrip('.')})" if error.got else ""
    hint = f" {error.hint[:1].upper()}{error.hint[1:]}" if error.hint else ""
    happened = error.happened.rstrip(".")
    return f"{happened[:1].upper()}{happened[1:]}{got}.{hint}"
