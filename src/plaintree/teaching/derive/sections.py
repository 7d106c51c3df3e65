"""One node of a tree as a section of the document: rows, candidates, choice, branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Value
from plaintree.tree.condition import Multiway

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
from .formulas import SCORE, SCORES, TestFormulas, impurity_equation, impurity_name, test_name
from .introduction import value_text
from .remarks import Remarks
from .steps import Step, Steps
from .tried import Cuts, Offer, Tried
from .tried_table import TestsTable, has_many_classes
from .words import Paths, classes_text, count_text, numbers_text, rows_text

BRANCHES_LISTED = 30


@dataclass(frozen=True, eq=False)
class Sections:
    """Writes the sections of a tree's steps; ``shown`` is the schema with names fit to print.

    ``numbers`` has the number of each section by node; ``formulas``: whether to show them.
    """

    steps: Steps
    shown: Schema
    numbers: dict[int, int]
    formulas: bool

    @cached_property
    def remarks(self) -> Remarks:
        """The sentences about leaves and differences."""
        return Remarks(self.steps, self.shown)

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
        if step.counts_differ:
            yield self.remarks.counts(step)
        wanted = Call(impurity_name(self.criterion), "S")
        yield Formulas((impurity_equation(wanted, step.counts, self.criterion),))
        if step.choice is not None:
            yield from self._candidates(step, step.choice)
        yield from self._decision(step)
        if step.condition is not None:
            yield Listing(tuple((Answer(line),) for line in self._branches(step)))

    def _title(self, step: Step) -> tuple[Part, ...]:
        number = f"Step {self.numbers[step.node]}: "
        path = self.paths.text(step.node)
        return (number, Answer(path)) if path else (f"{number}the root",)

    def _who(self, step: Step) -> tuple[Part, ...]:
        cases, weight = self.steps.cases, sum(step.counts)
        said = rows_text(len(step.rows))
        if weight != len(step.rows):
            said += f" of weight {count_text(weight)}"
        everyone = len(step.rows) == len(cases.everyone)
        who = "" if everyone else f" ({numbers_text(step.rows, cases.weights)})"
        classes = Answer(classes_text(step.counts, self.shown))
        counted = said if everyone else Answer(f"{said}{who}")
        return ("S: ", counted, ". Classes: ", classes, ".")

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
        yield Formulas(formulas.equations(), formulas.on_worksheets())

    def _formulas(self, step: Step, offer: Offer, best: Tried) -> TestFormulas:
        weight, searched = sum(step.counts), offer.searched
        return TestFormulas(
            best, self.shown, self.criterion, offer.n_allowed, weight, searched=searched
        )

    def _missing_text(self, offer: Offer) -> str:
        attribute = self.shown.features[offer.feature]
        missing = f"Missing values: {classes_text(offer.missing, self.shown)}."
        if None in offer.fillers:
            return f"{missing} Treated as {value_text(attribute, offer.fillers[None])}."
        told = [
            f"{self.shown.classes[code]}: {value_text(attribute, value)}"
            for code, value in offer.fillers.items()
            if code is not None
        ]
        return f"{missing} Treated, by class, as {', '.join(told)}." if told else missing

    def _value_grid(self, tried: Tried, names: Sequence[Part]) -> Grid:
        """A table of branch x class weights; many classes are listed in one column."""
        rows: list[tuple[Part, ...]] = []
        unit = tried.scale.unit
        branches = zip(tried.parts, tried.sizes, tried.impurities, strict=True)
        for name, (counts, size, value) in zip(names, branches, strict=True):
            weights: list[Part] = [Answer(count_text(count, unit)) for count in counts]
            if self._many_classes:
                weights = [Answer(classes_text(counts, self.shown, unit))]
            left = Answer(Number(value) if size else "")
            rows.append((name, *weights, Answer(count_text(size, unit)), left))
        classes = ["classes"] if self._many_classes else list(map(str, self.shown.classes))
        header = ("branch", *classes, "rows", impurity_name(self.criterion))
        numeric = (False, *(not self._many_classes for _ in classes), True, True)
        kept = tuple(rows[:BRANCHES_LISTED])
        return Grid(header, kept, numeric, more=len(rows) - len(kept))

    @cached_property
    def _many_classes(self) -> bool:
        return has_many_classes(self.shown)

    @cached_property
    def _tests(self) -> TestsTable:
        return TestsTable(self.shown, self.steps.rules)

    # ---------------------------------------------------------------- all columns in one table

    def _values(self, choice: Choice) -> Iterator[Grid]:
        """The branches of the best split of every column, in one table."""
        rows: list[tuple[Part, ...]] = []
        more = 0
        for offer in choice.offers:
            if offer.best is None:
                continue
            names = TestFormulas(offer.best, self.shown, self.criterion).branch_names
            grid = self._value_grid(offer.best, in_answers(names) if offer.searched else names)
            rows.extend(grid.rows)
            header, numeric, more = grid.header, grid.numeric, more + grid.more
        if rows:
            yield Grid(header, tuple(rows), numeric, more=more)

    def _comparison(self, step: Step, choice: Choice) -> Grid:
        measure = impurity_name(self.criterion)
        header = ["attribute", f"{measure} left", "Gain", *SCORES.get(self.criterion, ())]
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
            label, why = self.shown.classes[step.label], self.remarks.why(step, step.leaf)
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
                counted = f"{rows_text(len(child.rows))}, {classes_text(child.counts, self.shown)}"
                yield f"{words}: {counted}; see step {number}."
            else:
                yield f"{words}: {self.remarks.end_words(child)}."
