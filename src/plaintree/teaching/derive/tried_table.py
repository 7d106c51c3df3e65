"""The candidate splits of a column as a table, made column by column: there are very many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Measures
from plaintree.stats.sums import Sums
from plaintree.tree.condition import Condition, Threshold
from plaintree.tree.conventions import Conventions

from .document import Column, Columns
from .formulas import SCORES
from .terms import Terms
from .tried import Cuts, Offer, position_of


@dataclass(frozen=True, eq=False)
class TestsTable:
    """A table of the splits of a column, in the terms of the criterion."""

    terms: Terms[Sums]
    rules: Conventions

    @property
    def shown(self) -> Schema:
        """With names fit to print."""
        return self.terms.shown

    def of(self, offer: Offer) -> Columns:
        """Every candidate split of a column, or the best of them, in their order."""
        tried = offer.tried
        if isinstance(tried, Cuts):
            parts, allowed, unit = tried.parts, tried.allowed, tried.scale.unit
            words = [self._cut_words(tried.column, threshold) for threshold in tried.thresholds]
            measures = tried.measures(parts)
        else:
            parts, allowed = [t.parts for t in tried], [t.allowed for t in tried]
            words, measures = [self.words(t.condition) for t in tried], [t.measures for t in tried]
            unit = tried[0].scale.unit
        text, of = self.terms.side_text, self.terms.in_brackets
        first, second = ([text(branches[side], unit) for branches in parts] for side in (0, 1))
        columns = (
            Column("test", words, numeric=False, answer=not offer.names_given),
            Column(f"if so ({of})", first),
            Column(f"if not ({of})", second),
            *self._figures(measures, by_gain=isinstance(tried, Cuts) and tried.by_gain),
            Column("", _notes(offer, allowed), numeric=False),
        )
        return Columns(columns, more=offer.n_tried - len(tried))

    def _figures(self, measures: Sequence[Measures], *, by_gain: bool) -> Iterator[Column]:
        """Impurity and gain of the splits, and their scores unless only gains are compared."""
        criterion = self.rules.criterion
        yield Column(f"{self.terms.impurity} left", [found.after for found in measures])
        yield Column("Gain", [found.gain for found in measures])
        if by_gain:
            return
        *split_info, score = SCORES.get(criterion, ("",))
        for title in split_info:
            yield Column(title, [found.split_info for found in measures])
        if score:
            yield Column(score, [found.score for found in measures])

    def words(self, condition: Condition) -> str:
        """A split without its column."""
        if isinstance(condition, Threshold):
            return self._cut_words(condition.feature, condition.threshold)
        operator, value = condition.operator_and_value(self.shown, 0)
        return f"{operator} {value}"

    def _cut_words(self, column: int, threshold: float) -> str:
        """The same for a threshold. Nodes try the same ones again, so the text is kept."""
        words = self._known.get((column, threshold))
        if words is None:
            operator, value = Threshold(column, threshold).operator_and_value(self.shown, 0)
            words = self._known[column, threshold] = f"{operator} {value}"
        return words

    @cached_property
    def _known(self) -> dict[tuple[int, float], str]:
        return {}


def _notes(offer: Offer, allowed: Sequence[bool]) -> list[str]:
    """Which split is the best, and which were not allowed."""
    notes = ["" if enough else "too few rows" for enough in allowed]
    if offer.best is not None:
        position = position_of(offer.best, offer.tried)
        if position is not None:
            notes[position] = "best"
    return notes
