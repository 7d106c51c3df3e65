"""One node of a tree as a section of the document: rows, candidates, choice, branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Value
from plaintree.stats.sums import Sums
from plaintree.tree.condition import Multiway, Subset

from .choice import Choice, same_score
from .document import (
    Answer,
    Block,
    Call,
    Formulas,
    Grid,
    Heading,
    Listing,
    Number,
    Paragraph,
    Part,
    in_answers,
)
from .formulas import SCORE, SCORES, TestFormulas, test_name
from .introduction import rows_table, value_text
from .offers import categories_in_order
from .remarks import Remarks
from .steps import Step, Steps
from .surrogate_table import SurrogateBlocks
from .terms import Terms
from .tried import Cuts, Offer, Tried
from .tried_table import TestsTable
from .words import Paths, count_text, numbers_text, rows_text

BRANCHES_LISTED = 30
ASIDE = (
    "The categories of the branch {} have half a row or less each. Their impurity counts as 0, and "
    "the split information leaves them out."
)


@dataclass(frozen=True, eq=False)
class Sections:
    """Writes the sections of a tree's steps in the terms of the criterion.

    ``numbers`` has the number of each section by node; ``formulas``: whether to show them.
    """

    steps: Steps
    terms: Terms[Sums]
    numbers: dict[int, int]
    formulas: bool

    @cached_property
    def remarks(self) -> Remarks:
        """The sentences about leaves and differences."""
        return Remarks(self.steps, self.terms)

    @property
    def shown(self) -> Schema:
        """The schema with names fit to print."""
        return self.terms.shown

    @property
    def paths(self) -> Paths:
        """The paths to the nodes as text."""
        return self.remarks.paths

    @property
    def criterion(self) -> str:
        return self.steps.rules.criterion

    # ---------------------------------------------------------------- a section

    def section(self, step: Step) -> Iterator[Block]:
        """Everything about a node."""
        yield Heading(2, self._title(step))
        yield Paragraph(self._who(step))
        if self.terms.lists_rows and step.node:
            yield rows_table(self.steps.cases, self.terms, step.rows)
        if step.counts_differ:
            yield self.remarks.counts(step)
        wanted = Call(self.terms.impurity, "S")
        yield Formulas(tuple(self.terms.impurity_equations(wanted, step.counts)))
        if step.choice is not None:
            yield from self._candidates(step, step.choice)
        yield from self._decision(step)
        yield from SurrogateBlocks(self.steps, self.terms, self.formulas).blocks(step)
        if step.condition is not None:
            yield Listing(tuple((Answer(line),) for line in self._branches(step)))

    def _title(self, step: Step) -> tuple[Part, ...]:
        number = f"Step {self.numbers[step.node]}: "
        path = self.paths.text(step.node)
        return (number, Answer(path)) if path else (f"{number}the root",)

    def _who(self, step: Step) -> tuple[Part, ...]:
        cases, weight = self.steps.cases, self.terms.sums.weight(step.counts)
        said = rows_text(len(step.rows))
        if weight != len(step.rows):
            said += f" of weight {count_text(weight)}"
        everyone = len(step.rows) == len(cases.everyone)
        who = "" if everyone else f" ({numbers_text(step.rows, cases.weights)})"
        counted = said if everyone else Answer(f"{said}{who}")
        if self.terms.lists_rows:
            return ("S: ", counted, ".")
        return ("S: ", counted, ". Classes: ", Answer(self.terms.group_text(step.counts)), ".")

    # ---------------------------------------------------------------- candidates

    def _candidates(self, step: Step, choice: Choice) -> Iterator[Block]:
        if self.formulas:
            for offer in choice.offers:
                yield Heading(3, (self.shown.names[offer.feature],))
                yield from self._offer(step, offer)
            if len(choice.offers) > 1:
                yield Heading(3, ("Comparison",))
        else:
            yield from self._values(choice)
        if choice.offers and (len(choice.offers) > 1 or not self.formulas):
            yield self._comparison(step, choice)
        if choice.average is not None:
            average = Answer(Number(choice.average))
            yield Paragraph(("The average gain is ", average, "."))

    def _offer(self, step: Step, offer: Offer) -> Iterator[Block]:
        if any(offer.missing):
            yield Paragraph((Answer(self._missing_text(offer)),))
        several = offer.n_tried > 1 or (offer.n_tried == 1 and isinstance(offer.tried, Cuts))
        if several:
            yield from self._order(step, offer)
            yield self._tests.of(offer)
        best = offer.best
        if best is None:
            yield Paragraph((Answer(f"No split is possible: {offer.refused}."),))
            return
        formulas = self._formulas(step, offer, best)
        if several:
            only = offer.n_allowed == 1
            said = f"The {'only possible split' if only else 'best of them'} is {formulas.name}"
            yield Paragraph((Answer(f"{said}:"),))
        names: list[Part] = list(formulas.branch_names)
        names = list(in_answers(names)) if formulas.searched else names
        yield self._value_grid(best, names)
        if best.has_aside:
            yield Paragraph((Answer(ASIDE.format(formulas.branch_names[best.aside])),))
        yield Formulas(formulas.equations(), formulas.on_worksheets())

    def _order(self, step: Step, offer: Offer) -> Iterator[Paragraph]:
        """The order of the categories whose cuts are the candidates, and why these are enough."""
        sums, best = self.terms.sums, offer.best
        if best is None or not isinstance(best.condition, Subset) or not sums.has_order:
            return
        ordered = categories_in_order(self.steps.cases, step.rows, offer.feature)
        if len(ordered) < 3:
            return
        names = self.shown.features[offer.feature].categories
        told = ", ".join(f"{names[code]} ({self.terms.rank_text(rank)})" for code, rank in ordered)
        yield Paragraph((f"Categories by {self.terms.order}: ", Answer(told), "."))
        few = len(ordered) <= self.steps.rules.exhaustive_categories
        limited = few and self._some_are_refused
        others = " Where such a cut is not allowed, other subsets are tried as well."
        yield Paragraph((self.terms.why_ordered + (others if limited else ""),))

    @cached_property
    def _some_are_refused(self) -> bool:
        """Whether a category may have too few rows, or targets, to be a branch by itself."""
        cases, sums = self.steps.cases, self.terms.sums
        refuses = cases.min_rows_of_branch > 1 or cases.min_weight_of_branch > 0
        nothing = not sums.allows(sums.of([(0, 1)]))
        return sums.tries_every and (refuses or nothing)

    def _formulas(self, step: Step, offer: Offer, best: Tried) -> TestFormulas:
        weight, searched = self.terms.sums.weight(step.counts), offer.searched
        return TestFormulas(best, self.terms, offer.n_allowed, weight, searched=searched)

    def _missing_text(self, offer: Offer) -> str:
        attribute = self.shown.features[offer.feature]
        missing = f"Missing values: {self.terms.missing_text(offer.missing)}."
        if None in offer.fillers:
            return f"{missing} Treated as {value_text(attribute, offer.fillers[None])}."
        told = [
            f"{self.shown.classes[code]}: {value_text(attribute, value)}"
            for code, value in offer.fillers.items()
            if code is not None
        ]
        return f"{missing} Treated, by class, as {', '.join(told)}." if told else missing

    def _value_grid(self, tried: Tried, names: Sequence[Part]) -> Grid:
        """A table of the branches with their sums and impurities."""
        rows: list[tuple[Part, ...]] = []
        for name, counts in zip(names, tried.parts, strict=True):
            cells = self.terms.cells(counts, tried.scale.unit)
            rows.append((name, *in_answers(cells)))
        columns = self.terms.columns
        header = ("branch", *(column.title for column in columns))
        numeric = (False, *(column.numeric for column in columns))
        kept = tuple(rows[:BRANCHES_LISTED])
        return Grid(header, kept, numeric, more=len(rows) - len(kept))

    @cached_property
    def _tests(self) -> TestsTable:
        return TestsTable(self.terms, self.steps.rules)

    # ---------------------------------------------------------------- all columns in one table

    def _values(self, choice: Choice) -> Iterator[Grid]:
        """The branches of the best split of every column, in one table."""
        rows: list[tuple[Part, ...]] = []
        more = 0
        for offer in choice.offers:
            if offer.best is None:
                continue
            names = TestFormulas(offer.best, self.terms).branch_names
            grid = self._value_grid(offer.best, in_answers(names) if offer.searched else names)
            rows.extend(grid.rows)
            header, numeric, more = grid.header, grid.numeric, more + grid.more
        if rows:
            yield Grid(header, tuple(rows), numeric, more=more)

    def _comparison(self, step: Step, choice: Choice) -> Grid:
        header = [
            "attribute",
            f"{self.terms.impurity} left",
            "Gain",
            *SCORES.get(self.criterion, ()),
        ]
        named = any(
            o.best is not None and not isinstance(o.best.condition, Multiway) for o in choice.offers
        )
        if named:
            header.insert(1, "best split")
        notes = [self._note(step, choice, offer) for offer in choice.offers]
        pairs = zip(choice.offers, notes, strict=True)
        rows = [self._compared(offer, note, named=named) for offer, note in pairs]
        numeric = [False, *([False] if named else [])]
        numeric += [True] * (len(header) - len(numeric))
        return Grid((*header, ""), tuple(rows), (*numeric, False))

    def _note(self, step: Step, choice: Choice, offer: Offer) -> str:
        """The note of a column: why it cannot be chosen, that it is the best, or the tree's."""
        notes = [offer.refused] if offer.refused else []
        followed = step.condition is not None and step.verdict == "same" and step.beyond is None
        if offer is choice.winner:
            notes.append("chosen" if followed else "best")
        elif offer in choice.tied:
            notes.append("tied")
        other = offer is not choice.winner and offer.best is not None
        if other and offer.best is step.taken:
            notes.append("in the tree")
        return ", ".join(notes)

    def _compared(self, offer: Offer, note: str, *, named: bool) -> tuple[Part, ...]:
        cells: list[Part] = [self.shown.names[offer.feature]]
        n_scores = len(SCORES.get(self.criterion, ()))
        if offer.best is None:
            cells += [""] * (2 + n_scores + named)
            return (*cells, Answer(note))
        found = offer.best.measures
        scores: list[Value] = [found.split_info, found.score]
        figures: list[Value] = [found.after, found.gain, *scores[2 - n_scores :]]
        if named:
            many = isinstance(offer.best.condition, Multiway)
            cells.append("" if many else Answer(self._tests.words(offer.best.condition)))
        cells += [Answer(Number(figure)) for figure in figures]
        return (*cells, Answer(note))

    # ---------------------------------------------------------------- the choice

    def _decision(self, step: Step) -> Iterator[Block]:
        choice = step.choice
        if choice is not None and choice.winner is not None:
            yield Paragraph(tuple(self._winner(choice, choice.winner)))
        if step.leaf is not None and step.leaf.reason != "stopped":
            label, why = self.terms.label_text(step.label), self.remarks.why(step, step.leaf)
            yield Paragraph(in_answers((f"So this is a leaf, which predicts {label}: {why}.",)))
        yield from self.remarks.below_choice(step)

    def _winner(self, choice: Choice, winner: Offer) -> Iterator[Part]:
        assert winner.best is not None, "a winner has a split"
        score = "ratio" if self.criterion in SCORE else "gain"
        name = self.shown.names[winner.feature]
        test = test_name(winner.best.condition, self.shown)
        told = name if test == name else f"{name}, by {test}"
        qualified = any(o.refused and o.best is not None for o in choice.offers)
        among = " of those that qualify" if qualified else ""
        if choice.tied:
            others = " and ".join(self.shown.names[o.feature] for o in choice.tied)
            equal = all(same_score(o.score, winner.score) for o in choice.tied)
            within = "" if equal else f" within the tolerance of {self.steps.rules.tie_tolerance:g}"
            yield Answer(f"{name} ties with {others}{within} at a {score} of ")
            yield Answer(Number(winner.score))
            yield Answer(f"; the first column wins: {told}.")
            return
        comma = "," if told != name else ""
        yield Answer(f"{told}{comma} has the greatest {score}{among}, ")
        yield Answer(Number(winner.score))
        if choice.runner_up is None or choice.margin is None:
            yield Answer("; there is no other." if not among else "; no other qualifies.")
            return
        yield Answer(f". The runner-up is {self.shown.names[choice.runner_up.feature]} with ")
        yield Answer(Number(choice.runner_up.score))
        yield Answer(", a margin of ")
        yield Answer(Number(choice.margin))
        yield Answer(".")

    # ---------------------------------------------------------------- branches

    def _branches(self, step: Step) -> Iterator[str]:
        tree, condition = self.steps.tree, step.condition
        assert condition is not None, "a leaf has no branches"
        first = int(tree.first_child[step.node])
        for branch in range(int(tree.n_children[step.node])):
            child = self.steps.by_node[first + branch]
            words = condition.describe(self.shown, branch)
            number = self.numbers.get(child.node)
            if number is not None:
                counted = f"{rows_text(len(child.rows))}, {self.terms.group_text(child.counts)}"
                yield f"{words}: {counted}; see step {number}."
            else:
                yield f"{words}: {self.remarks.end_words(child)}."
