"""The facts of a model file written for people in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ..model_file import ModelCard
from ..wording import plain
from .show import Page, grid_of

CLASSES_SHOWN = 12


def show_card(page: Page, card: ModelCard) -> None:
    """What the model is, what it is from, and what was changed by hand."""
    grid = grid_of("", "")
    grid.show_header = False
    for what, text in _facts(card):
        grid.add_row(what, text)
    page.print(grid)
    if card.parameters:
        page.heading("Its parameters")
        parameters = grid_of("name", "value")
        for name, value in card.parameters.items():
            parameters.add_row(name, plain(value))
        page.print(parameters)
    if card.edits:
        page.heading("Changed by hand")
        for number, edit in card.edits:
            page.print(f"tree {number}: {', '.join(f'{k} {v}' for k, v in edit.items())}")
    page.print()
    page.print("The file is sound.")


def _facts(card: ModelCard) -> Iterator[tuple[str, str]]:
    yield "model", card.model
    yield "written by", f"plaintree {card.plaintree}, {card.form} form, version {card.version}"
    yield "target", plain(card.target)
    shown = ", ".join(map(plain, card.classes[:CLASSES_SHOWN]))
    left = len(card.classes) - CLASSES_SHOWN
    yield "classes", shown + (f" and {left} more" if left > 0 else "")
    yield "attributes", f"{card.n_attributes:,}"
    if card.n_trees:
        yield "trees", f"{card.n_trees:,} of {card.n_nodes:,} nodes"
    if card.n_rules:
        yield "rules", f"{card.n_rules:,}"
    for conventions in card.conventions:
        yield "conventions", conventions
    if card.n_rows is not None:
        yield "training table", f"{card.n_rows:,} rows, hash {card.table_hash}"
