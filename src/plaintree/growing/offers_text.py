"""Candidate splits as a table of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from plaintree.data.words import cells, number_text, plain, weight_text, wrapped

if TYPE_CHECKING:
    from .offers import Candidate, Candidates

WIDTH = 78
LONGEST_SPLIT = 30
MOST_BRANCHES = 4


def candidates_text(found: Candidates) -> str:
    """The candidates as a table of at most 78 columns; longer names are cut."""
    return "\n".join(_lines(found))


def _lines(found: Candidates) -> Iterator[str]:
    yield from wrapped(_node_words(found), WIDTH, rest="  ")
    criterion = found.criterion.replace("_", " ")
    least = f"; a gain of at least {found.min_gain:.4g} is needed" if found.min_gain else ""
    yield f"Criterion: {criterion}{least}"
    if found.stops:
        yield from wrapped(["Not split:", *found.stops.split()], WIDTH, rest="  ")
    fit = [item for item in found if item.refused is None]
    if fit:
        yield from _table(found, fit)
    yield from _reasons(
        "Do not qualify:", [(i.feature, i.refused or "") for i in found if i.refused]
    )
    yield from _reasons("Not tried:", list(found.untried.items()))


def _node_words(found: Candidates) -> Iterator[str]:
    yield f"Node {found.node}"
    yield from f"{found.path}: {found.n_rows} rows".split()
    if found.classes:
        counts = zip(found.classes, found.class_weights, strict=False)
        shown = [f"{plain(label)}: {weight_text(weight)}" for label, weight in counts if weight]
        yield from f"({', '.join(shown)}),".split()
    elif found.mean is not None:
        yield from f"(mean {number_text(found.mean)}),".split()
    yield from f"impurity {found.impurity:.4g}".split()


def _table(found: Candidates, fit: list[Candidate]) -> Iterator[str]:
    by_gain = any(item.gain != item.score for item in fit)
    header = ["rank", "score", *(["gain"] if by_gain else []), "split", "rows by branch"]
    table = [header]
    for item in fit:
        mark = "=" if item.tied else " "
        gain = [f"{item.gain:.4f}"] if by_gain else []
        table.append(
            [f"{item.rank}{mark}", f"{item.score:.4f}", *gain, _split_text(item), _row_text(item)]
        )
    widths = [max(cells(row[i]) for row in table) for i in range(len(header) - 1)]
    n_numbers = len(header) - 2
    for row in table:
        padded = [
            cell.rjust(width) if i < n_numbers else cell + " " * (width - cells(cell))
            for i, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        yield "  ".join([*padded, row[-1]])
    if found.margin is not None and not fit[0].tied:
        yield f"The first is ahead by {found.margin:.4g}."


def _split_text(item: Candidate) -> str:
    text = item.text if item.text.isprintable() else plain(item.text)
    return text if len(text) <= LONGEST_SPLIT else f"{text[: LONGEST_SPLIT - 3]}..."


def _row_text(item: Candidate) -> str:
    rows = [str(branch.n_rows) for branch in item.branches]
    if len(rows) > MOST_BRANCHES + 1:
        rows = [*rows[:MOST_BRANCHES], f"... ({len(rows)} branches)"]
    missing = f" ({item.n_missing} missing)" if item.n_missing else ""
    return " | ".join(rows) + missing


def _reasons(title: str, pairs: list[tuple[str, str]]) -> Iterator[str]:
    if not pairs:
        return
    yield title
    for feature, reason in pairs:
        yield from wrapped(f"{plain(feature)}: {reason}".split(), WIDTH, lead="  ", rest="    ")
