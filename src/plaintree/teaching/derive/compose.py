"""The blocks of a derivation in their order: task, steps, tree, pruning, rules, new rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.words import shown_schema
from plaintree.rules.extract import rules_of
from plaintree.stats.sums import Sums
from plaintree.tree.tree import Tree

from .document import (
    SHEET_LINES,
    Answer,
    Block,
    Drawing,
    Grid,
    Heading,
    Listing,
    Number,
    Paragraph,
    Space,
    in_answers,
)
from .formulas import SCORE, test_name
from .introduction import introduction
from .pruned import Pruned
from .sections import Sections
from .steps import Step, Steps
from .terms import Terms, terms_of
from .training_error import training_error
from .worksheet import asked_step

Level = Literal["full", "table", "summary"]

TREES_DRAWN = 12
"""The tree is drawn after every step while it has no more internal nodes than this."""
RULES_LISTED = 60


@dataclass(frozen=True, eq=False)
class Composer:
    """The blocks of a solution and of its worksheet."""

    steps: Steps
    final: Tree
    pruned: Pruned | None
    level: Level
    rule_list: Any
    new_rows: tuple[Block, ...]
    rows_asked: tuple[Block, ...]

    def blocks(self) -> Iterator[Block]:
        """The whole solution."""
        terms = self._terms
        yield from introduction(self.steps.cases, terms, table=self.level != "summary")
        sections = self._sections()
        if self.level == "summary":
            yield from self._summary(sections)
        else:
            yield from self._all_sections(sections)
        yield Heading(2, ("The tree",))
        yield Drawing(self.steps.tree)
        yield from sections.remarks.summary()
        if self.pruned is not None:
            yield from self.pruned.blocks(terms)
        yield from training_error(self.steps.cases, self.final, terms)
        yield from _rules(self.final, self.rule_list)
        yield from self.new_rows

    def sheet(self) -> Iterator[Block]:
        """The task, the root, and headings for the rest: nothing that depends on a result."""
        terms = self._terms
        yield from introduction(self.steps.cases, terms, table=self.level != "summary")
        root = asked_step(self.steps.cases, self.steps.by_node[0])
        if self.level != "summary" and root.choice is not None:
            yield from self._sections().section(root)
            yield Space(SHEET_LINES)
        yield Heading(2, ("Further steps",))
        words = "Do the same for the rows of every branch, until each branch ends in a leaf."
        yield Paragraph((words,))
        yield Space(SHEET_LINES)
        pruning = () if self.pruned is None else tuple(self.pruned.task())
        measured = tuple(training_error(self.steps.cases, self.final, terms))
        rules = Heading(2, ("Rules",))
        tasks = [(Heading(2, ("The tree",)),), pruning, measured, (rules,)]
        for task in filter(None, tasks):
            yield from task
            yield Space(SHEET_LINES)
        yield from self.rows_asked

    @property
    def _terms(self) -> Terms[Sums]:
        return terms_of(self.steps.cases.sums, shown_schema(self.steps.schema))

    def _sections(self) -> Sections:
        chosen = [s for s in self.steps.in_order if s.choice is not None]
        return Sections(
            steps=self.steps,
            terms=self._terms,
            numbers={step.node: number for number, step in enumerate(chosen, 1)},
            formulas=self.level == "full",
        )

    def _all_sections(self, sections: Sections) -> Iterator[Block]:
        tree = self.steps.tree
        open_nodes = {step.node for step in self.steps.in_order if step.condition is not None}
        draws = 1 < len(open_nodes) <= TREES_DRAWN and self.level == "full"
        if not sections.numbers:
            words = sections.remarks.end_words(self.steps.by_node[0])
            yield Heading(2, ("The root",))
            yield Paragraph((Answer(f"{words}."),))
        for node in sections.numbers:
            step = self.steps.by_node[node]
            yield from sections.section(step)
            if step.condition is None:
                continue
            open_nodes.discard(node)
            if draws and open_nodes:
                yield Paragraph(("The tree so far:",))
                yield Drawing(tree.cut(open_nodes))

    def _summary(self, sections: Sections) -> Iterator[Block]:
        """All choices in one table."""
        rows = [self._summed_up(sections, self.steps.by_node[node]) for node in sections.numbers]
        score = SCORE.get(self.steps.rules.criterion, "Gain")
        header = ("step", "rows with", "rows", sections.terms.column, "split", score)
        if rows:
            yield Heading(2, ("The chosen splits",))
            yield Grid(header, tuple(rows), (True, False, True, False, False, True))

    def _summed_up(self, sections: Sections, step: Step) -> tuple[Any, ...]:
        shown = sections.shown
        path = sections.paths.text(step.node) or "(all)"
        test = "a leaf" if step.split is None else test_name(step.split, shown)
        score = Answer(Number(step.taken.measures.score)) if step.taken else ""
        counted = sections.terms.group_text(step.counts)
        number = str(sections.numbers[step.node])
        cells = in_answers((path, str(len(step.rows)), counted, test))
        return (number, *cells, score)


def _rules(tree: Tree, rule_list: Any) -> Iterator[Block]:
    yield Heading(2, ("Rules",))
    if rule_list is not None:
        lines = str(rule_list.describe(width=100_000)).split("\n")
    else:
        every = sorted(rules_of(tree), key=lambda rule: rule.weight == 0)
        lines = [rule.describe() for rule in every]
    kept = lines[:RULES_LISTED]
    yield Listing(tuple((Answer(line),) for line in kept))
    if len(lines) > len(kept):
        yield Paragraph((f"... and {len(lines) - len(kept)} more",))
