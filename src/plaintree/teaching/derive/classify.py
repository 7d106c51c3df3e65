"""New rows predicted step by step: conditions, division at missing values, prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plaintree.data.encode import encode
from plaintree.data.schema import MISSING, UNSEEN, Schema
from plaintree.data.table import table_from
from plaintree.errors import row_name
from plaintree.tree.condition import Condition, Surrogate
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Visit, walk_row

from .document import (
    SHEET_LINES,
    Answer,
    Block,
    Formulas,
    Heading,
    Listing,
    Paragraph,
    Space,
)
from .introduction import value_text
from .predictions import STEPS_SHOWN, Prediction, Predictions, as_fraction, predictions_of
from .words import count_text


@dataclass(frozen=True)
class Move:
    """A split on a decision path: the fraction of the row that arrives, and where it goes.

    ``targets`` are branches with the part of that fraction; empty where the row stops. If the
    condition has no branch for the row, a ``surrogate`` may have one.
    """

    node: int
    condition: Condition
    share: Fraction
    value: float
    known: bool
    targets: tuple[tuple[int, Fraction], ...]
    surrogate: Surrogate | None = None


@dataclass(frozen=True)
class Passage:
    """The decision path of a row: its moves, its last nodes, and what is added up over these: the
    class probabilities, or the number predicted."""

    moves: tuple[Move, ...]
    ends: tuple[tuple[int, Fraction], ...]
    values: tuple[Fraction, ...]
    prediction: Prediction


def passage(tree: Tree, columns: Sequence[Any], row: int) -> Passage:
    """The decision path of a row of encoded columns."""
    moves: list[Move] = []
    ends: list[tuple[int, Fraction]] = []
    for visit in walk_row(tree, columns, row, number=as_fraction):
        node, share = visit.node, Fraction(visit.share)
        condition = tree.condition(node)
        if condition is not None:
            value = float(columns[condition.feature][row])
            targets = _targets(visit, int(tree.first_child[node]))
            known, place = visit.branch >= 0 and visit.surrogate < 0, visit.surrogate
            decided = tree.surrogates(node)[place] if place >= 0 else None
            moves.append(Move(node, condition, share, value, known, targets, decided))
        if not visit.onward:
            ends.append((node, share))
    told = predictions_of(tree, tree.schema)
    values = told.values(ends)
    return Passage(tuple(moves), tuple(ends), values, told.prediction(ends, values))


def _targets(visit: Visit, first_child: int) -> tuple[tuple[int, Fraction], ...]:
    """The branches that a row takes, with the part of it that each gets."""
    parts = [(child - first_child, Fraction(part)) for child, part in visit.onward]
    total = sum(part for _, part in parts)
    return tuple((branch, part / total) for branch, part in parts)


# -------------------------------------------------------------------- as text


def classified(tree: Tree, shown: Schema, rows: Any, *, worksheet: bool = False) -> Iterator[Block]:
    """New rows (any table) predicted step by step; on a worksheet, space for it."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    table = table_from(rows)
    columns = encode(table, tree.schema, unseen=unseen, used=tree.used_columns)
    told = predictions_of(tree, shown)
    predicted = class_codes(tree, columns).tolist() if shown.classes else None
    yield Heading(2, ("New rows",))
    for row in range(table.n_rows):
        path = passage(tree, columns, row)
        yield Heading(3, (row_name(row).capitalize(),))
        yield Paragraph((_described(shown, columns, row),))
        yield from (Space(SHEET_LINES),) if worksheet else _moves(told, path)
        yield Paragraph(("Prediction: ", Answer(told.text(path.prediction)), "."))
        if predicted is not None and predicted[row] != path.prediction and not worksheet:
            words = f"The model predicts {told.text(predicted[row])}: a tie decided by rounding."
            yield Paragraph((words,), warning=True)


def _described(shown: Schema, columns: Sequence[Any], row: int) -> str:
    told = []
    for attribute, column in zip(shown.features, columns, strict=True):
        value = float(column[row])
        unknown = "a new value" if attribute.is_categorical and value == UNSEEN else "?"
        text = value_text(attribute, value)
        told.append(f"{attribute.name} = {unknown if text == '?' else text}")
    return ", ".join(told) + "."


def _moves(told: Predictions, path: Passage) -> Iterator[Block]:
    items = [_move_words(told.shown, move) for move in path.moves[:STEPS_SHOWN]]
    if len(path.moves) > STEPS_SHOWN:
        items.append(f"... and {len(path.moves) - STEPS_SHOWN} more splits")
    if len(path.ends) == 1:
        items.append(_end_words(told, path.ends[0][0]))
    if items:
        yield Listing(tuple((Answer(item),) for item in items))
    if len(path.ends) > 1:
        ends = [
            (Answer(f"Weight {count_text(share)}: {_end_words(told, node)}"),)
            for node, share in path.ends[:STEPS_SHOWN]
        ]
        yield Paragraph(("The row ends in several leaves:",))
        yield Listing(tuple(ends))
        yield Formulas(tuple(told.equations(path.ends, path.values)))


def _move_words(shown: Schema, move: Move) -> str:
    name = shown.names[move.condition.feature]
    coming = "" if move.share == 1 else f" (weight {count_text(move.share)})"
    if move.known:
        return move.condition.describe(shown, move.targets[0][0]) + coming
    attribute = shown.features[move.condition.feature]
    new = attribute.is_categorical and move.value not in (MISSING,)
    what = f"{name} has a value not seen in training" if new else f"{name} is missing"
    if not move.targets:
        return f"{what}{coming}: the row stops here"
    described = [(move.condition.describe(shown, branch), part) for branch, part in move.targets]
    if move.surrogate is not None:
        words = move.surrogate.describe(shown, move.targets[0][0])
        return f"{what}{coming}: by the surrogate {words}, it goes with {described[0][0]}"
    if len(described) == 1:
        return f"{what}{coming}: it goes with {described[0][0]}"
    parts = ", ".join(f"{count_text(part)} to {words}" for words, part in described)
    return f"{what}{coming}: the row is divided, {parts}"


def _end_words(told: Predictions, node: int) -> str:
    tree, label = told.tree, told.text(told.label(node))
    where = "a leaf" if not tree.n_children[node] else "a node"
    if not tree.weight[node]:
        return f"{where} that had no training rows: {label}"
    return f"{where}: {label} ({told.rows_text(node)})"
