"""The surrogates of a node as a table with formulas, and where its rows without a branch go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plaintree.data.schema import Schema
from plaintree.stats.exact import Weight
from plaintree.stats.sums import Sums
from plaintree.tree.condition import STOPS, Condition, Grouped, Surrogate

from .cases import Rows
from .document import (
    Answer,
    Block,
    Call,
    Equation,
    Expression,
    Formulas,
    Grid,
    Listing,
    Number,
    Paragraph,
    Part,
    Quotient,
    Ratio,
    Sum,
    in_answers,
    minus,
    plus,
)
from .steps import Step, Steps
from .surrogates import Candidate, Sending, decider
from .terms import Terms, worked
from .words import count_text, numbers_text


@dataclass(frozen=True, eq=False)
class SurrogateBlocks:
    """Writes the surrogates of a step; ``formulas``: whether to show them."""

    steps: Steps
    terms: Terms[Sums]
    formulas: bool

    @property
    def _shown(self) -> Schema:
        return self.terms.shown

    def blocks(self, step: Step) -> Iterator[Block]:
        """The surrogates of the split, and the rows that it has no branch for."""
        condition, sending = step.condition, step.sending
        if condition is None or sending is None:
            return
        if sending.candidates:
            yield Paragraph(in_answers(self._known(condition, sending)))
            yield self._table(condition, sending)
        useful = [c for c in sending.candidates if c.agreed > c.larger]
        if useful and self.formulas:
            yield Formulas(tuple(map(self._adjusted, useful)))
        lines = list(self._sent(step, condition))
        if lines:
            yield Paragraph((Answer(f"Rows without {self._name(condition)}:"),))
            yield Listing(tuple((Answer(line),) for line in lines))

    def _name(self, condition: Condition) -> str:
        return self._shown.names[condition.feature]

    # ---------------------------------------------------------------- the surrogates

    def _known(self, condition: Condition, sending: Sending) -> tuple[Part, ...]:
        """The rows whose branch is known."""
        told = [
            f"{condition.describe(self._shown, branch)} has {count_text(weight)}"
            for branch, weight in enumerate(sending.known)
        ]
        whole = count_text(sum(sending.known))
        what = "rows" if all(weight == 1 for weight in self.steps.cases.weights) else "weight"
        known = f"Surrogates: {what} with a known {self._name(condition)}: {whole}"
        return (f"{known}, of which {' and '.join(told)}.",)

    def _table(self, condition: Condition, sending: Sending) -> Grid:
        words = condition.describe(self._shown, 0)
        header = ("attribute", f"surrogate for {words}", "agreement", "m", "adjusted", "")
        rows = [self._row(condition, candidate) for candidate in sending.candidates]
        return Grid(header, tuple(rows), (False, False, True, True, True, False))

    def _row(self, condition: Condition, candidate: Candidate) -> tuple[Part, ...]:
        name, split = self._shown.names[candidate.feature], candidate.split
        if split is None:
            return (name, "", "", "", "", Answer(candidate.refused))
        agreement, m = self._proportions(candidate)
        cells: list[Part] = [self._surrogate(condition, split), agreement, m]
        cells.append(Number(candidate.adjusted) if candidate.can_be_adjusted else "")
        return (name, *in_answers(cells), Answer(self._note(candidate)))

    def _note(self, candidate: Candidate) -> str:
        if candidate.place:
            return f"surrogate {candidate.place}"
        if candidate.agreed <= candidate.larger:
            return "agrees no more than m"
        return f"at most {self.steps.rules.max_surrogates} are kept"

    def _surrogate(self, condition: Condition, split: Surrogate) -> str:
        """What a surrogate sends to the first branch."""
        groups = split.condition.groups if isinstance(split.condition, Grouped) else (0, 1)
        if 0 in groups and 1 in groups:
            return split.describe(self._shown, 0)
        return f"all to {condition.describe(self._shown, max(groups))}"

    def _proportions(self, candidate: Candidate) -> list[Expression]:
        """The agreement, and m."""
        parts = (candidate.agreed, candidate.larger)
        return [proportion(part, candidate.whole) for part in parts]

    def _adjusted(self, candidate: Candidate) -> Equation:
        """The formula of the adjusted agreement of a surrogate that agrees more than m."""
        assert candidate.split is not None, "it agrees"
        agreement, m = self._proportions(candidate)
        more = Sum((plus(agreement), minus(m)))
        most = Sum((plus(Number(1)), minus(m)))
        wanted = Call("adjusted", candidate.split.describe(self._shown, 0), secret=True)
        return worked(wanted, Quotient(more, most), Number(candidate.adjusted))

    # ---------------------------------------------------------------- the rows

    def _sent(self, step: Step, condition: Condition) -> Iterator[str]:
        """Where the rows without a branch go in the tree, together by what decides it."""
        cases, surrogates = self.steps.cases, self.steps.tree.surrogates(step.node)
        _, lost = cases.routed(step.rows, condition, fill=False)
        groups: dict[tuple[int, int], Rows] = {}
        for row, weight in lost:
            groups.setdefault(decider(cases, surrogates, row), []).append((row, weight))
        for (place, branch), rows in sorted(groups.items(), key=lambda g: g[0][0] % 2**31):
            who = f"{'Row' if len(rows) == 1 else 'Rows'} {numbers_text(rows, cases.weights)}"
            if place < 0:
                them = "it" if len(rows) == 1 else "them"
                yield f"{who}: {self._otherwise(step, condition, them)}."
                continue
            words = surrogates[place].describe(self._shown, branch)
            yield f"{who}: {words}, so to {condition.describe(self._shown, branch)}."

    def _otherwise(self, step: Step, condition: Condition, them: str) -> str:
        """Where rows go that no surrogate knows."""
        child = int(self.steps.tree.missing_child[step.node])
        known = "no surrogate has a value, so " if self.steps.tree.surrogates(step.node) else ""
        if child == STOPS:
            return f"{known}this node predicts {them}"
        if child < 0:
            return f"{known}divided over the branches"
        return f"{known}to the larger branch, {condition.describe(self._shown, child)}"


def proportion(part: Weight, whole: Weight) -> Expression:
    """A part of a weight as it was counted, or as a number where weights are fractions."""
    counted = all(weight.denominator == 1 for weight in (part, whole))
    return Ratio(int(part), int(whole)) if counted else Number(part / whole)
