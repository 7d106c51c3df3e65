"""The formulas of a living report: those of its numbers, and of the numbers in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from plaintree.errors import PlaintreeError

from ..studio.messages.documents import Split
from ..studio.messages.nodes import CandidateFacts, Candidates, Formula, Part
from ..studio.replies.library import node_at

if TYPE_CHECKING:
    from .replies import Replies

MOST_ROWS = 150_000
"""Rows of nodes that formulas are written from."""
EACH = 600
"""What a formula costs besides the rows of its node."""
OTHER_DIGITS = (2, 3, 5, 6)
"""Digits of formulas that a reader may choose besides the usual 4."""
MOST_IN_ALL_DIGITS = 100
"""Reports of more formulas have them in 4 digits only."""
OWN_ROWS = ("weight", "class_weight")
"""Numbers that lead to rows, not to a formula."""


class FormulaReplies:
    """Writes formulas until what they cost is used up; those asked for first come first."""

    def __init__(self, replies: Replies) -> None:
        self.replies = replies
        self.left = MOST_ROWS
        self.written: set[bytes] = set()
        self.inner: deque[dict[str, Any]] = deque()

    def of_node(self, candidates: Candidates) -> None:
        """The impurity of a node, and the score of its own split."""
        self._write(candidates, {"measure": "impurity"})
        for offer in candidates.offers:
            if offer.chosen:
                self._of_offer(candidates, offer)

    def of_offers(self, candidates: Candidates) -> None:
        """The scores of the other splits."""
        for offer in candidates.offers:
            if offer.branches:  # a split without values has no formula
                self._of_offer(candidates, offer)

    def of_the_rest(self) -> None:
        """The numbers in those formulas, and the numbers in these."""
        while self.inner and self.left > 0:
            self._written(self.inner.popleft())

    def in_other_digits(self) -> None:
        """The same formulas in other digits and exact, where there are few of them."""
        written = list(self.replies.by_name.get("formula", ()))
        if len(written) > MOST_IN_ALL_DIGITS:
            return
        for asked, _ in written:
            for digits in OTHER_DIGITS:
                self.replies.add("formula", **asked, digits=digits)
            self.replies.add("formula", **asked, exact=True)

    def _of_offer(self, candidates: Candidates, offer: CandidateFacts) -> None:
        names = {candidates.score_name: "score", candidates.gain_name: "gain"}
        for measure in ("score", "gain")[: len(names)]:
            self._write(candidates, {"measure": measure, "split": offer.split})

    def _write(self, candidates: Candidates, asked: dict[str, Any]) -> None:
        self._written({"at": candidates.at, "member": 0, **asked})

    def _written(self, asked: dict[str, Any]) -> None:
        key = msgspec.json.encode(asked, order="sorted")
        tree = self.replies.work.own_tree()
        cost = EACH + int(tree.n_rows[node_at(tree, asked["at"])])
        if key in self.written or self.left < cost:
            return
        self.left -= cost
        self.written.add(key)
        try:
            formula = self.replies.add("formula", **asked)
        except PlaintreeError:  # a number that has no formula, such as a score of no rows
            return
        self.inner.extend(_asked_by(formula, asked))


def _asked_by(formula: Formula, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the numbers of a formula ask for."""
    for address in _addresses(part for equation in formula.equations for part in equation):
        if address.get("measure") in OWN_ROWS or not isinstance(address.get("measure"), str):
            continue
        found: dict[str, Any] = {"at": address.get("node", asked["at"]), "member": 0}
        if address.get("split") is not None:
            found["split"] = msgspec.convert(address["split"], Split)
        if address.get("branch") is not None:
            found["branch"] = address["branch"]
        yield {**found, "measure": address["measure"]}


def _addresses(parts: Iterable[Part]) -> Iterator[dict[str, Any]]:
    for part in parts:
        if part.address is not None:
            yield part.address
        yield from _addresses(part.parts)
