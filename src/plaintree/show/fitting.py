"""Lines that fit a width: names are shortened first, then a line is wrapped between words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plaintree.data.words import cells, wrapped

SET_LINES = 6
"""The maximum number of lines for a set of categories."""
FAIR_NAME, MIN_NAME = 20, 12
"""Names are not shortened below these columns: the counts, or the whole line, are wrapped."""


class Signs(NamedTuple):
    """The characters that lines are drawn with."""

    branch: str
    last: str
    past: str
    more: str


SPACING = 3


def signs(spacing: int = SPACING, ascii: bool = False) -> Signs:
    """The characters of lines that are indented by so many columns a level.

    >>> signs().branch, signs(5).last, signs(2, ascii=True).branch
    ('├─ ', '└─── ', '| ')
    """
    branch, last, line, past = "|`-|" if ascii else "├└─│"
    link = (line * (spacing - 2) + " ")[: spacing - 1]
    more = "..." if ascii else "…"
    return Signs(branch + link, last + link, past.ljust(spacing), more)


class Words(NamedTuple):
    """A line before it is fitted; only names may be shortened."""

    name: str
    operator: str
    values: Sequence[str]
    in_braces: bool
    no_rows: bool
    label: str
    notes: Sequence[str]


@dataclass(frozen=True)
class Fitting:
    """The width of lines, and the characters they are drawn with."""

    width: int
    signs: Signs

    def fitted(self, lead: str, below: str, words: Words) -> Iterator[str]:
        """A line, with its names shortened and wrapped if it is too long."""
        colon, notes = ":" if words.label else "", " ".join(words.notes)
        value = ", ".join(words.values)
        value = f"{{{value}}}" if words.in_braces else value
        condition = f"{words.operator} {value}{colon}" if value else words.operator + colon
        text = " ".join(part for part in (words.name, condition, words.label, notes) if part)
        if len(lead) + cells(text) <= self.width:
            yield lead + text
            return
        rest = below + "  "
        room = self.width - max(len(lead), len(rest))
        if words.in_braces:
            cap = max(MIN_NAME, room // 3)
            listed = self._listed(words, room, cap)
        else:
            names = (words.name, value, words.label)
            left = room - cells(text) + sum(map(cells, names))
            cap = _common_cap(names, left)
            if cap < FAIR_NAME:  # the notes go on a line of their own, which gives names more room
                cap = max(MIN_NAME, _common_cap(names, left + cells(notes)))
            listed = [self.short(value, cap)] if value else []
        tokens = [self.short(words.name, cap), words.operator, *listed]
        tokens[-1] += colon
        tokens += [self.short(words.label, cap)] if words.label else []
        tokens += [notes] if cells(notes) <= room else words.notes
        yield from self.wrapped(lead, rest, tokens)

    def _listed(self, words: Words, room: int, cap: int) -> list[str]:
        """The categories of a set as words to wrap; of a long set, the rest is counted."""
        values, more = words.values, self.signs.more
        if words.no_rows:
            return [f"{{{len(values)} more categories}}"]
        space = room * SET_LINES
        if words.operator == "not in":  # the same set was listed for the first branch
            space = room - min(cap, cells(words.name)) - len(" not in { ... 1000 more}: ")
        shown: list[str] = []
        for value in values:
            short = self.short(value, cap)
            space -= cells(short) + 2
            if space < 0 and len(values) - len(shown) > 1 and shown:
                break
            shown.append(f"{short},")
        left_out = len(values) - len(shown)
        shown += [f"{more} {left_out} more,"] if left_out else []
        shown[0] = "{" + shown[0]
        shown[-1] = shown[-1].removesuffix(",") + "}"
        return shown

    def short(self, text: str, columns: int) -> str:
        """A string of at most this number of columns."""
        if cells(text) <= columns:
            return text
        kept, left = [], columns - len(self.signs.more)
        for character in text:
            left -= cells(character)
            if left < 0:
                break
            kept.append(character)
        return "".join(kept) + self.signs.more

    def wrapped(self, lead: str, rest: str, words: Sequence[str]) -> Iterator[str]:
        """Words on as many lines as they need, none of them wider than the width."""
        room = self.width - max(len(lead), len(rest))
        return wrapped([self.short(word, room) for word in words], self.width, lead, rest)


def _common_cap(texts: Sequence[str], room: int) -> int:
    """The length to which the longest strings must be shortened for all to fit."""
    sizes = sorted(cells(text) for text in texts)
    for position, size in enumerate(sizes):
        each = room // (len(sizes) - position)
        if size > each:
            return each
        room -= size
    return sizes[-1]
