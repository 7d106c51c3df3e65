"""What a living report replies to: requests of the page, with the replies of the studio.

What replies cost is counted in rows, not in seconds: the same table and model give the same file
on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from plaintree.evaluation.quality import GIVEN, TRAINING
from plaintree.progress import no_progress

from ..studio.messages import REQUESTS
from ..studio.messages.documents import Reply, Split
from ..studio.messages.nodes import CandidateFacts, Candidates
from ..studio.replies.library import path_of
from ..studio.replies.quality_view import LEARNER, Predicted, folds_of_learner, model_on
from ..studio.replies.replay import Work
from ..studio.replies.reply import reply
from .findings import Findings
from .formulas import FormulaReplies
from .held import is_followed, used_names
from .held_out import HeldOut, predicted_folds
from .thresholds import add_thresholds, rounded

MOST_NODES = 400
"""Inner nodes whose splits are in the report."""
MOST_STEPS = 100
"""Nodes of a tree that is presented step by step."""
MOST_VALUES = 2_000_000
"""Values (rows of nodes by columns) that splits are found from."""
MOST_MEMBER_NODES = 20_000
"""Nodes of an ensemble, whose first trees are shown."""
MOST_RULES = 20_000
MOST_ROWS = 5_000
"""Rows of a table that are in the report, if they are asked for."""
MOST_REGIONS = 60
"""Nodes whose regions are in the report, if rows are asked for."""
Asked = tuple[dict[str, Any], Reply]


@dataclass(frozen=True, eq=False)
class Replies:
    """The replies by the name of the message, each with its request."""

    found: Findings
    work: Work
    rows: bool = False
    by_name: dict[str, list[Asked]] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    """Splits as text that are not shown, and their columns."""

    @classmethod
    def of(cls, found: Findings, work: Work, *, rows: bool) -> Replies:
        """All replies of a report; those about single rows only if they are asked for."""
        replies = cls(found, work, rows and found.n_rows <= MOST_ROWS)
        replies._trees()
        if is_followed(found, work):
            replies._nodes()
        replies._rules()
        replies._pruning()
        replies._quality()
        if replies.rows:
            replies._of_rows()
        return replies

    def add(self, name: str, **asked: Any) -> Any:
        """Reply to a message, and keep the reply."""
        kept = self.replied(name, **asked)
        self.by_name.setdefault(name, []).append((asked, kept))
        return kept

    def replied(self, name: str, **asked: Any) -> Any:
        """The reply to a message, as the studio gives it."""
        request, _ = REQUESTS[name]
        asking = request(document=self.work.document, **asked)
        return reply(self.work.held, name, asking, no_progress)

    # ---------------------------------------------------------------- the tree

    def _trees(self) -> None:
        left = MOST_MEMBER_NODES
        for member in range(self.work.n_members):
            left -= self.work.tree(member).n_nodes
            if member and left < 0:
                break
            columns = self.add("tree", member=member)
            for name in ("impurity", "score", "deviation"):
                setattr(columns, name, [*map(rounded, getattr(columns, name))])
            columns.facts.editable = is_followed(self.found, self.work)
            if not self.found.is_training_table:
                columns.facts.measure = columns.facts.measure.replace("training", "given")
        if self.work.n_members > 1 and self.found.is_training_table:
            self.add("ensemble")

    def _nodes(self) -> None:
        """The splits of nodes, of those with most rows first, and formulas of their numbers."""
        known = list(self._candidates())
        formulas = FormulaReplies(self)
        for candidates in known:
            formulas.of_node(candidates)
        for candidates in known:
            formulas.of_offers(candidates)
        formulas.of_the_rest()
        formulas.in_other_digits()
        add_thresholds(self, known)
        tree = self.work.own_tree()
        if len(known) == np.count_nonzero(tree.n_children) and tree.n_nodes <= MOST_STEPS:
            steps = self.add("steps")
            for stage in steps.steps:
                stage.split = self.hidden.get(stage.split, stage.split)
                for text, column in self.hidden.items():
                    stage.text = stage.text.replace(text, column)

    def _candidates(self) -> Iterator[Candidates]:
        tree, n_columns = self.work.own_tree(), len(self.found.subject.schema.names)
        inner = np.flatnonzero(tree.n_children)
        nodes = inner[np.argsort(-tree.n_rows[inner], kind="stable")][:MOST_NODES]
        if not len(inner):
            nodes = np.array([0])
        public = None if self.rows else used_names(self.found)
        left = MOST_VALUES
        for node in nodes.tolist():
            left -= int(tree.n_rows[node]) * n_columns
            if node and left < 0:
                break
            found = self.add("candidates", at=list(path_of(tree, node)), member=0)
            if public is not None:
                for offer in found.offers:
                    if offer.split.column not in public:
                        self.hidden[offer.text] = offer.column
                        hide_values(offer)
            yield found

    # ---------------------------------------------------------------- the whole model

    def _rules(self) -> None:
        rules = self.found.subject.rules
        if rules is not None:  # the model's own, as the studio keeps those that it simplifies to
            self.work.kept_for_tree(("rules", "c4.5rules"), lambda: rules)
            self.add("rules", form="c45rules", member=0)
        if self.work.tree().n_leaves <= MOST_RULES:
            for rule in self.add("rules", form="leaves", member=0).rules:
                for name in ("support", "confidence", "low", "high"):
                    setattr(rule, name, rounded(getattr(rule, name)))

    def _pruning(self) -> None:
        """The error while the tree is pruned; of ensembles and of other rows there is none."""
        if not is_followed(self.found, self.work):
            return
        folds = self.found.validation
        n_folds = 0 if folds is None else folds.n_folds
        curve = self.replied("pruning", method="cost_complexity", n_folds=n_folds)
        self.by_name["pruning"] = [({"method": "cost_complexity"}, curve)]

    def _quality(self) -> None:
        """The least biased one first."""
        found, work = self.found, self.work
        if found.out_of_bag is not None and found.out_of_bag.n_rows:
            self._measured("oob", None)
        if found.validation is not None:
            held_out = found.held_out or predicted_folds(found)
            self._measured("cross_validation", _cross_validated(found, held_out))
        on = TRAINING if found.is_training_table else GIVEN
        training = work.training
        self._measured("training", model_on(work, training.X, training.y, on))

    def _measured(self, rows: str, predicted: Predicted | None) -> None:
        if predicted is not None:
            key = ("quality", rows, 10, None)
            self.work.kept_for_tree(key, lambda: predicted)
        quality = self.add("quality", rows=rows)
        if not self.rows:
            quality.confusion_rows = []

    # ---------------------------------------------------------------- rows, if they are asked for

    def _of_rows(self) -> None:
        whole = {"table": self.work.document.table, "at": [], "start": 0, "stop": MOST_ROWS}
        start, parts = 0, []
        while start < self.found.n_rows:
            asked = {**whole, "start": start, "stop": start + 1_000}
            parts.append(self.replied("cells", **asked))
            start += 1_000
        first = parts[0]
        for part in parts[1:]:
            for name in ("rows", "cells", "classes", "weights", "visits"):
                getattr(first, name).extend(getattr(part, name))
        self.by_name["cells"] = [({}, first)]
        tree = self.work.tree()
        if len(self.found.table.names) < 2:
            return
        largest = np.argsort(-tree.n_rows, kind="stable")[:MOST_REGIONS]
        for node in largest.tolist():
            regions = self.add("regions", at=list(path_of(tree, node)), member=0)
            regions.columns = [regions.x.column, regions.y.column]


def _cross_validated(found: Findings, held_out: HeldOut) -> Predicted:
    """The predictions of the folds, measured as the static report measures them."""
    folds = found.validation
    assert folds is not None, "called only if there are folds"
    return Predicted(
        folds_of_learner(folds.n_folds, found.validated.remark),
        LEARNER,
        np.asarray(found.target),
        held_out.labels,
        held_out.probabilities,
        tuple(found.target.classes),
        folds,
    )


def hide_values(offer: CandidateFacts) -> None:
    """Leave a split of a column that the model does not use its score, but not its values."""
    offer.split = Split(column=offer.split.column)
    offer.text, offer.branches = offer.column, []


def encoded(data: dict[str, Any]) -> bytes:
    """The data of a report as JSON, also where names are not valid Unicode."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(data)).encode()
