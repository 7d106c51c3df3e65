"""How a grown tree was pruned, as a section of the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from plaintree.stats.exact import Value
from plaintree.stats.sums import Sums
from plaintree.tree.tree import Tree

from .document import Answer, Block, Drawing, Grid, Heading, Listing, Number, Paragraph, Part
from .error_based_steps import same_tests
from .held import held
from .steps import Steps
from .terms import Terms
from .words import Paths

MAX_LINES = 60


@dataclass
class Ledger:
    """The result of a method: a table (node, values, decision) and the nodes it prunes."""

    about: str
    header: tuple[str, ...]
    lines: list[tuple[int, tuple[Value | str, ...], str]] = field(default_factory=list)
    cut: set[int] = field(default_factory=set)
    tests: list[Any] | None = None
    note: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Pruned:
    """How a grown tree was pruned; ``pruned`` is what these values give, if its splits are those of
    the model's tree."""

    method: str
    ledger: Ledger
    steps: Steps
    final: Tree
    same_splits: bool
    pruned: Tree | None = None

    def task(self) -> Iterator[Block]:
        """What is compared, without a result."""
        yield Heading(2, (f"Pruning: {self.method.replace('_', ' ')}",))
        yield Paragraph((self.ledger.about,))
        if self.ledger.details:
            yield Listing(tuple((line,) for line in self.ledger.details))

    def blocks(self, terms: Terms[Sums]) -> Iterator[Block]:
        """The section about pruning."""
        ledger, tree = self.ledger, self.steps.tree
        yield from self.task()
        rows, paths = [], Paths(tree, terms.shown)
        for node, figures, decision in ledger.lines[:MAX_LINES]:
            where = paths.text(node) or "(the root)"
            cells: list[Part] = [
                figure if isinstance(figure, str) else Answer(Number(figure)) for figure in figures
            ]
            rows.append((Answer(where), *cells, Answer(decision)))
        if rows:
            numeric = (False, *(True for _ in ledger.header), False)
            more = len(ledger.lines) - len(rows)
            yield Grid(("node", *ledger.header, "decision"), tuple(rows), numeric, more=more)
        if ledger.note:
            yield Paragraph((ledger.note,))
        same = same_tests(self.final) == same_tests(tree)
        yield Paragraph((Answer("Nothing is pruned:" if same else "The pruned tree:"),))
        yield Drawing(self.final)
        if not self.same_splits:
            words = "The tree of the model was pruned differently from these values."
            yield Paragraph((words,), warning=True)
        if self.relabelled:
            leaves = "leaf" if self.relabelled == 1 else "leaves"
            do = "does" if self.relabelled == 1 else "do"
            words = f"{self.relabelled} {leaves} of the model's tree {do} not predict"
            yield Paragraph((f"{words} {terms.typical} of its rows.",), warning=True)

    @property
    def agrees(self) -> bool:
        """Whether these values lead to the tree of the model."""
        return self.same_splits and not self.relabelled

    @property
    def relabelled(self) -> int:
        """How many leaves of the model's tree predict something else than growing gives them."""
        return held(self.final, self.steps.cases.sums).relabelled(self.pruned)
