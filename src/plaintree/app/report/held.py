"""The model of a report as the studio holds one: a table, a document, and the fitted tree.

So the figures of the living report are the replies of the studio, computed by the same functions.
Imports msgspec, an optional dependency: only modules that ``living.py`` loads import this one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.column import Column
from plaintree.data.encode import encode
from plaintree.data.table import Table
from plaintree.data.words import plain
from plaintree.estimators.registry import LEARNERS
from plaintree.tree.predict import class_shares, row_predictions
from plaintree.tree.tree import Tree

from ..studio.messages.documents import Document, Settings, TableReference
from ..studio.messages.tables import Hello, HelloRequest, LearnerFacts, TableFacts
from ..studio.replies.held import Held, Training, training_key
from ..studio.replies.learners import learner_facts
from ..studio.replies.reading import Opened, table_hash
from ..studio.replies.replay import State, Work, prefix_keys
from ..studio.replies.tables import facts_of_column, hello
from ..study.grow import Source
from .findings import Findings

KEY = "report"


def can_be_held(found: Findings) -> bool:
    """Whether there is a tree, and the rows have no class that it does not know."""
    subject = found.subject
    return subject.tree is not None and set(found.target.classes) <= set(subject.schema.classes)


def work_of(found: Findings) -> Work:
    """The findings of a report as a document that has been replayed: nothing is grown again."""
    subject, held = found.subject, Held()
    training = _training(found)
    held.hold(training.opened)
    document = _document(found, training)
    held.trainings.put(training_key(document.table), training)
    model: Any = subject.model
    if isinstance(model, Tree):
        model = _AsModel(model).namespace()
    tree = None if subject.form == "trees" else subject.tree
    settled = np.ones(0 if tree is None else tree.n_nodes, dtype=np.bool_)
    state = State(prefix_keys(document)[0], model, tree, settled)
    held.states.put(state.key, state)
    return Work(held, training, document, state)


def is_followed(found: Findings, work: Work) -> bool:
    """Whether the learner's choices can be followed: a single tree, grown on exactly these rows."""
    if not found.is_training_table or found.subject.form != "tree":
        return False
    return work.own_tree().conventions is not None


@dataclass(frozen=True, eq=False)
class _AsModel:
    """A tree with the methods of an estimator."""

    tree: Tree

    def namespace(self) -> SimpleNamespace:
        return SimpleNamespace(
            tree_=self.tree, predict=self.predict, predict_proba=self.predict_proba
        )

    def predict(self, X: Table) -> NDArray[Any]:
        predicted = row_predictions(self.tree, self._encoded(X))
        classes = np.array(self.tree.schema.classes)
        return classes[predicted] if len(classes) else np.asarray(predicted)

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        return np.asarray(class_shares(self.tree, self._encoded(X)))

    def _encoded(self, X: Table) -> Any:
        conventions = self.tree.conventions
        unseen = "missing" if conventions is None else conventions.unseen
        return encode(X, self.tree.schema, unseen=unseen, used=self.tree.used_columns)


# -------------------------------------------------------------------- the table


def _training(found: Findings) -> Training:
    X, y = found.table, found.target
    target = plain(found.subject.schema.target)
    while target in X.names:  # the target of an array has no name of its own
        target += "'"
    if y.classes:
        column = Column(target, "categorical", y.encoded, labels=tuple(y.classes))
    else:
        column = Column(target, "numeric", np.asarray(y))
    table = replace(X, columns=(*X.columns, column))
    opened = Opened(KEY, KEY, None, table, (), table_hash(table), target)
    return Training(opened, Source(KEY, None, table, target), found.subject.task, X, y)


def _document(found: Findings, training: Training) -> Document:
    reference = TableReference(
        key=KEY,
        hash=training.opened.hash,
        name=KEY,
        target=training.target,
        task=found.subject.task,
    )
    return Document(table=reference, settings=Settings(learner=_short(found)))


def _short(found: Findings) -> str:
    known = LEARNERS.get(type(found.subject.model).__name__)
    return "tree" if known is None or known.short is None else known.short


def hello_of(found: Findings) -> Hello:
    """What the page begins with: the learner of the model, and the colours of classes."""
    subject, short = found.subject, _short(found)
    known = {(it.short, it.task): it.title for it in learner_facts()}
    facts = LearnerFacts(
        short=short,
        title=known.get((short, subject.task), type(subject.model).__name__),
        summary="",
        task=subject.task,
        single=subject.form != "trees",
        parameters=[],
        pruning=[],
    )
    greeting = hello(Held(), HelloRequest())
    greeting.learners, greeting.examples, greeting.exports = [facts], [], []
    return greeting


def table_of(found: Findings, work: Work, *, rows: bool) -> TableFacts:
    """The facts of the table; without rows, no values of columns that the model does not use."""
    training = work.training
    public = used_names(found) | {training.target}
    columns = []
    for column in training.opened.table.columns:
        facts = facts_of_column(column)
        if not rows and column.name not in public:
            facts.values, facts.mean = [], None
        columns.append(facts)
    classes = list(training.y.classes)
    counts = np.bincount(training.y.encoded, minlength=len(classes)) if classes else np.empty(0)
    return TableFacts(
        key=KEY,
        hash=training.opened.hash,
        name=KEY,
        n_rows=found.n_rows,
        target=training.target,
        task=found.subject.task,
        columns=columns,
        drop=[],
        recipe=training.opened.recipe,
        is_text=False,
        classes=classes,
        class_counts=counts.astype(int).tolist(),
        findings=[],
    )


def used_names(found: Findings) -> set[str]:
    """The names of the columns that the model uses."""
    names = found.subject.schema.names
    return {names[number] for number in found.subject.model.used_columns()}
