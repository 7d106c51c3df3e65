"""A model card as text in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plaintree.data.words import plain
from plaintree.interop.model_file import ModelCard

from .show import Page, grid_of

LABELS_SHOWN = 12
FEATURES_SHOWN = 100


def show_card(page: Page, card: ModelCard) -> None:
    """The model, its training table, its columns, parameters and edits."""
    grid = grid_of("", "")
    grid.show_header = False
    for what, text in _facts(card):
        grid.add_row(what, text)
    page.print(grid)
    _show_columns(page, card)
    if card.parameters:
        page.heading("Parameters")
        parameters = grid_of("name", "value")
        for name, value in card.parameters.items():
            parameters.add_row(name, plain(value))
        page.print(parameters)
    if card.edits:
        page.heading("Edits by hand")
        for number, edit in card.edits:
            shown = ", ".join(f"{plain(k)} {plain(v)}" for k, v in edit.items())
            page.print(f"tree {number}: {shown}")
    page.print()
    page.print("The file is valid.")


def _show_columns(page: Page, card: ModelCard) -> None:
    """The columns of the training table, with their categories."""
    if not card.n_features:
        return
    page.heading("Columns")
    columns = grid_of("name", "kind", "unit", "categories")
    for feature in card.schema.features[:FEATURES_SHOWN]:
        row = (plain(feature.name), feature.kind, feature.unit)
        columns.add_row(*row, _first_few(feature.categories))
    page.print(columns)
    if card.n_features > FEATURES_SHOWN:
        page.print(f"... and {card.n_features - FEATURES_SHOWN:,} more. Print all with --json.")


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
    yield "features", f"{card.n_features:,}"
    if card.n_trees:
        yield "trees", f"{card.n_trees:,} ({card.n_nodes:,} nodes)"
    if card.n_rules:
        yield "rules", f"{card.n_rules:,}"
    for conventions in card.conventions:
        yield "conventions", conventions
    if card.n_rows is not None:
        yield "training table", f"{card.n_rows:,} rows, hash {card.table_hash}"
