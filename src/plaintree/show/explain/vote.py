"""The vote of many trees on one row as data, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.schema import Label
from plaintree.data.words import cells, plain

from ..numbers import percent
from .shares import ClassShare, share_lines

ATTRIBUTES_SHOWN = 8
"""In text; those that most trees test. All of them are in the data."""

Method = Literal["hard", "soft", "weight"]


@dataclass(frozen=True)
class Use:
    """An attribute, and how many trees test it on the row's way."""

    feature: str
    n_trees: int


@dataclass(frozen=True)
class Vote:
    """How trees come to one answer.

    - ``method``: every tree has one vote ("hard"), gives its class shares ("soft"), or
      has a vote of its own "weight" (boosting);
    - ``n_trees``: all of them; ``answers``: how many answer each class by themselves, in the
      schema's order; ``n_for``: how many answer as they do together;
    - ``uses``: the attributes tested on the row's way, those of most trees first;
    - ``typical``: the number, in ``trees_``, of the tree whose path is told. Of the trees that
      answer as all do together (of all trees, if none does), it is the one whose tests on the
      row's way are most like all of theirs: the cosine between the attributes it tests and the
      counts of trees that test each is greatest. Of equals it is the one with the shortest path,
      then the first.
    """

    method: Method
    n_trees: int
    answers: tuple[int, ...]
    n_for: int
    uses: tuple[Use, ...]
    typical: int

    def lines(
        self, answer: Label, shares: Sequence[ClassShare], confidence: float
    ) -> Iterator[str]:
        """The vote, what the trees test, and the words before the path of the typical tree."""
        share = max(share.share for share in shares)
        yield f"The answer is {plain(answer)}: {self._decision(percent(share))}."
        yield from share_lines(shares)
        yield f"({self._meaning(confidence)})"
        yield ""
        yield from self._use_lines()
        which = f"those that say {plain(answer)}" if self.n_for else "all"
        yield f"Tree {self.typical} is typical of {which}: its tests are most like the others'."

    def _decision(self, share: str) -> str:
        trees = "tree" if self.n_trees == 1 else "trees"
        if self.method == "soft":
            return f"the {self.n_trees} {trees} give it {share} on average"
        said = f"{self.n_for} of {self.n_trees} {trees} say{'s' if self.n_for == 1 else ''} so"
        return f"{said}, with {share} of the weight" if self.method == "weight" else said

    def _meaning(self, confidence: float) -> str:
        if self.method == "weight":
            return (
                "Shares of the trees' weights. Each tree is grown on the errors of those before, "
                "not drawn like them, so that the vote has no interval."
            )
        return (
            f"{100 * confidence:.4g}% Wilson intervals, with the trees as the number drawn: how "
            "another forest grown like this one may vote, not how often it is right."
        )

    def _use_lines(self) -> Iterator[str]:
        if not self.uses:
            return
        trees = "tree tests" if self.n_trees == 1 else "trees test"
        yield f"On the row's way, so many of the {self.n_trees} {trees}:"
        shown = self.uses[:ATTRIBUTES_SHOWN]
        longest = max(cells(plain(use.feature)) for use in shown)
        digits = len(str(shown[0].n_trees))
        for use in shown:
            name = plain(use.feature)
            yield f"  {name}{' ' * (longest - cells(name))}   {use.n_trees:>{digits}}"
        more = len(self.uses) - ATTRIBUTES_SHOWN
        if more > 0:
            yield f"  and {more} {'attribute' if more == 1 else 'attributes'} more"
        yield ""

    def no_change(self) -> str:
        """Why no smallest change is told, and where there is one."""
        return (
            "The smallest change that alters the answer is found for single trees only: explain "
            f"this tree by itself (trees_[{self.typical}], or --tree {self.typical})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The vote as plain dictionaries, lists and numbers."""
        return {
            "method": self.method,
            "n_trees": self.n_trees,
            "answers": list(self.answers),
            "n_for": self.n_for,
            "uses": [{"feature": u.feature, "n_trees": u.n_trees} for u in self.uses],
            "typical": self.typical,
        }
