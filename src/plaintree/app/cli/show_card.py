"""The facts of a model file written for people in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plaintree.data.words import plain
from plaintree.interop.model_file import ModelCard

from .show import Page, grid_of

LABELS_SHOWN = 12
ATTRIBUTES_SHOWN = 100


def show_card(page: Page, card: ModelCard) -> None:
    """What the model is, what it is from, and what was changed by hand."""
    grid = grid_of("", "")
    grid.show_header = False
    for what, text in _facts(card):
        grid.add_row(what, text)
    page.print(grid)
    _show_attributes(page, card)
    if card.parameters:
        page.heading("Its parameters")
        parameters = grid_of("name", "value")
        for name, value in card.parameters.items():
            parameters.add_row(name, plain(value))
        page.print(parameters)
    if card.edits:
        page.heading("Changed by hand")
        for number, edit in card.edits:
            said = ", ".join(f"{plain(k)} {plain(v)}" for k, v in edit.items())
            page.print(f"tree {number}: {said}")
    page.print()
    page.print("The file is sound.")


def _show_attributes(page: Page, card: ModelCard) -> None:
    """The columns that the model asks for, and what it knows of each."""
    if not card.n_features:
        return
    page.heading("The columns it asks for")
    columns = grid_of("name", "kind", "unit", "categories")
    for attribute in card.schema.features[:ATTRIBUTES_SHOWN]:
        row = (plain(attribute.name), attribute.kind, attribute.unit)
        columns.add_row(*row, _first_few(attribute.categories))
    page.print(columns)
    if card.n_features > ATTRIBUTES_SHOWN:
        page.print(f"and {card.n_features - ATTRIBUTES_SHOWN:,} more (--json has all of them)")


def _first_few(labels: Sequence[object]) -> str:
    left = len(labels) - LABELS_SHOWN
    shown = ", ".join(map(plain, labels[:LABELS_SHOWN]))
    return shown + (f" and {left:,} more" if left > 0 else "")


def _facts(card: ModelCard) -> Iterator[tuple[str, str]]:
    yield "model", card.model
    writer = plain(card.plaintree)
    yield "written by", f"plaintree {writer}, {card.form} form, version {card.version}"
    yield "target", plain(card.target)
    yield "classes", _first_few(card.classes)
    yield "attributes", f"{card.n_features:,}"
    if card.n_trees:
        yield "trees", f"{card.n_trees:,} of {card.n_nodes:,} nodes"
    if card.n_rules:
        yield "rules", f"{card.n_rules:,}"
    for conventions in card.conventions:
        yield "conventions", conventions
    if card.n_rows is not None:
        yield "training table", f"{card.n_rows:,} rows, hash {card.table_hash}"
