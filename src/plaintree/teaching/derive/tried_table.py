"""The candidate splits of a column as a table, made column by column: there are very many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plaintree.data.schema import Schema
from plaintree.stats.exact import Counts, Measures
from plaintree.tree.condition import Condition, Threshold
from plaintree.tree.conventions import Conventions

from .document import Column, Columns
from .formulas import SCORES, impurity_name
from .tried import Cuts, Offer, position_of
from .words import count_text

CLASSES_IN_COLUMNS = 6
"""More classes than this are listed in one column."""


def has_many_classes(schema: Schema) -> bool:
    """Whether there are too many classes for a column each."""
    return len(schema.classes) > CLASSES_IN_COLUMNS


@dataclass(frozen=True, eq=False)
class TestsTable:
    """A table of the splits of a column; ``shown`` is the schema with names fit to print."""

    shown: Schema
    rules: Conventions

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
        many = has_many_classes(self.shown)
        classes = "rows" if many else ", ".join(map(str, self.shown.classes))
        first, second = ([branches[side] for branches in parts] for side in (0, 1))
        columns = (
            Column("test", words, numeric=False, answer=not offer.names_given),
            Column(f"if so ({classes})", _weighed(first, unit, summed=many)),
            Column(f"if not ({classes})", _weighed(second, unit, summed=many)),
            *self._figures(measures, by_gain=isinstance(tried, Cuts) and tried.by_gain),
            Column("", _notes(offer, allowed), numeric=False),
        )
        return Columns(columns, more=offer.n_tried - len(tried))

    def _figures(self, measures: Sequence[Measures], *, by_gain: bool) -> Iterator[Column]:
        """Impurity and gain of the splits, and their scores unless only gains are compared."""
        criterion = self.rules.criterion
        yield Column(f"{impurity_name(criterion)} left", [found.after for found in measures])
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


def _weighed(sides: Sequence[Counts], unit: int, *, summed: bool) -> list[str]:
    """The class weights on a side of every split, or only their sums."""
    if summed:
        return [count_text(sum(side), unit) for side in sides]
    if unit == 1:
        return [", ".join(map(count_text, side)) for side in sides]
    return [", ".join([count_text(part, unit) for part in side]) for side in sides]


def _notes(offer: Offer, allowed: Sequence[bool]) -> list[str]:
    """Which split is the best, and which were not allowed."""
    notes = ["" if enough else "too few rows" for enough in allowed]
    if offer.best is not None:
        position = position_of(offer.best, offer.tried)
        if position is not None:
            notes[position] = "best"
    return notes
