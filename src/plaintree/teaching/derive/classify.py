"""New rows predicted step by step: conditions, division at missing values, prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plaintree.data.encode import encode
from plaintree.data.schema import MISSING, UNSEEN, Schema
from plaintree.data.table import table_from
from plaintree.data.words import number_text
from plaintree.errors import row_name
from plaintree.stats.exact import Weight
from plaintree.stats.sums import as_written
from plaintree.tree.condition import Condition
from plaintree.tree.predict import class_codes, predicted_numbers
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Visit, walk_row

from .document import (
    SHEET_LINES,
    Answer,
    Block,
    Call,
    Equation,
    Formulas,
    Heading,
    Listing,
    Number,
    Paragraph,
    Product,
    Ratio,
    Space,
    Sum,
    plus,
)
from .introduction import value_text
from .terms import worked
from .words import count_text, rows_text

STEPS_SHOWN = 40
"""If a row is divided over more splits than this, only its leaves are shown."""


@dataclass(frozen=True)
class Move:
    """A split on a decision path: the fraction of the row that arrives, and where it goes.

    ``targets`` are branches with the part of that fraction; empty where the row stops.
    """

    node: int
    condition: Condition
    share: Fraction
    value: float
    known: bool
    targets: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Passage:
    """The decision path of a row: its moves, its last nodes, and what is added up over these: the
    class probabilities, or the number predicted."""

    moves: tuple[Move, ...]
    ends: tuple[tuple[int, Fraction], ...]
    values: tuple[Fraction, ...]
    prediction: Fraction | int


def passage(tree: Tree, columns: Sequence[Any], row: int) -> Passage:
    """The decision path of a row of encoded columns."""
    moves: list[Move] = []
    ends: list[tuple[int, Fraction]] = []
    for visit in walk_row(tree, columns, row, number=_weight):
        node, share = visit.node, Fraction(visit.share)
        condition = tree.condition(node)
        if condition is not None:
            value = float(columns[condition.feature][row])
            targets = _targets(visit, int(tree.first_child[node]))
            moves.append(Move(node, condition, share, value, visit.branch >= 0, targets))
        if not visit.onward:
            ends.append((node, share))
    values = _values(tree, ends)
    prediction = _prediction(tree, ends, values) if tree.schema.classes else values[0]
    return Passage(tuple(moves), tuple(ends), values, prediction)


def _targets(visit: Visit, first_child: int) -> tuple[tuple[int, Fraction], ...]:
    """The branches that a row takes, with the part of it that each gets."""
    parts = [(child - first_child, Fraction(part)) for child, part in visit.onward]
    total = sum(part for _, part in parts)
    return tuple((branch, part / total) for branch, part in parts)


def _weight(weight: float) -> Fraction:
    """A weight of the tree as the fraction it rounds."""
    return Fraction(weight).limit_denominator(10**6)


def class_weights(tree: Tree, node: int) -> tuple[Fraction, ...]:
    """The class weights that a node predicts by; only its label if it had no rows."""
    weights = tuple(_weight(w) for w in tree.class_weights[node].tolist())
    if any(weights):
        return weights
    return tuple(Fraction(int(code == tree.label[node])) for code in range(len(weights)))


def number_of(tree: Tree, node: int) -> Fraction:
    """The number that a node predicts, as the fraction that it rounds."""
    held = float(tree.prediction[node])
    simple = Fraction(held).limit_denominator(10**6)
    return simple if float(simple) == held else Fraction(as_written(held))


def node_values(tree: Tree, node: int) -> tuple[Fraction, ...]:
    """What a node adds for a row that ends in it: class probabilities, or its number."""
    if not tree.schema.classes:
        return (number_of(tree, node),)
    weights = class_weights(tree, node)
    return tuple(weight / sum(weights) for weight in weights)


def _values(tree: Tree, ends: Sequence[tuple[int, Fraction]]) -> tuple[Fraction, ...]:
    parts = [[share * value for value in node_values(tree, node)] for node, share in ends]
    return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))


def _prediction(
    tree: Tree, ends: Sequence[tuple[int, Fraction]], probabilities: Sequence[Fraction]
) -> int:
    """The label of the leaf; for several leaves, the first most probable class."""
    if len(ends) == 1:
        return int(tree.label[ends[0][0]])
    return max(range(len(probabilities)), key=lambda code: (probabilities[code], -code))


# -------------------------------------------------------------------- as text


def classified(tree: Tree, shown: Schema, rows: Any, *, worksheet: bool = False) -> Iterator[Block]:
    """New rows (any table) predicted step by step; on a worksheet, space for it."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    table = table_from(rows)
    columns = encode(table, tree.schema, unseen=unseen, used=tree.used_columns)
    predict = class_codes if tree.schema.classes else predicted_numbers
    predicted = predict(tree, columns).tolist()
    yield Heading(2, ("New rows",))
    for row in range(table.n_rows):
        path = passage(tree, columns, row)
        yield Heading(3, (row_name(row).capitalize(),))
        yield Paragraph((_described(shown, columns, row),))
        yield from (Space(SHEET_LINES),) if worksheet else _moves(tree, shown, path)
        yield Paragraph(("Prediction: ", Answer(_label(shown, path.prediction)), "."))
        if shown.classes and predicted[row] != path.prediction and not worksheet:
            other = shown.classes[predicted[row]]
            words = f"The model predicts {other}: a tie decided by rounding."
            yield Paragraph((words,), warning=True)


def _label(shown: Schema, prediction: Fraction | int) -> str:
    """A class or a number."""
    return str(shown.classes[int(prediction)] if shown.classes else number_text(float(prediction)))


def _described(shown: Schema, columns: Sequence[Any], row: int) -> str:
    told = []
    for attribute, column in zip(shown.features, columns, strict=True):
        value = float(column[row])
        unknown = "a new value" if attribute.is_categorical and value == UNSEEN else "?"
        text = value_text(attribute, value)
        told.append(f"{attribute.name} = {unknown if text == '?' else text}")
    return ", ".join(told) + "."


def _moves(tree: Tree, shown: Schema, path: Passage) -> Iterator[Block]:
    items = [_move_words(shown, move) for move in path.moves[:STEPS_SHOWN]]
    if len(path.moves) > STEPS_SHOWN:
        items.append(f"... and {len(path.moves) - STEPS_SHOWN} more splits")
    if len(path.ends) == 1:
        items.append(_end_words(tree, shown, path.ends[0][0]))
    if items:
        yield Listing(tuple((Answer(item),) for item in items))
    if len(path.ends) > 1:
        ends = [
            (Answer(f"Weight {count_text(share)}: {_end_words(tree, shown, node)}"),)
            for node, share in path.ends[:STEPS_SHOWN]
        ]
        yield Paragraph(("The row ends in several leaves:",))
        yield Listing(tuple(ends))
        yield Formulas(tuple(_sums(tree, shown, path)))


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
    if len(described) == 1:
        return f"{what}{coming}: it goes with {described[0][0]}"
    parts = ", ".join(f"{count_text(part)} to {words}" for words, part in described)
    return f"{what}{coming}: the row is divided, {parts}"


def _end_words(tree: Tree, shown: Schema, node: int) -> str:
    where = "a leaf" if not tree.n_children[node] else "a node"
    label = _label(shown, int(tree.label[node]) if shown.classes else number_of(tree, node))
    if not tree.weight[node]:
        return f"{where} that had no training rows: {label}"
    if not shown.classes:
        return f"{where}: {label} ({rows_text(int(tree.n_rows[node]))})"
    weights = class_weights(tree, node)
    told = ", ".join(
        f"{name}: {count_text(weight)}"
        for name, weight in zip(shown.classes, weights, strict=True)
        if weight
    )
    return f"{where}: {label} ({told})"


def _sums(tree: Tree, shown: Schema, path: Passage) -> Iterator[Equation]:
    """The class probabilities, or the numbers, added up over the leaves."""
    if not shown.classes:
        ends = path.ends[:STEPS_SHOWN]
        terms = [
            plus(Product((_ratio(part), Number(number_of(tree, node))))) for node, part in ends
        ]
        wanted = Call("mean", str(shown.target))
        yield worked(wanted, Sum(tuple(terms)), Number(path.values[0]))
        return
    for code, share in enumerate(path.values):
        terms = []
        for node, part in path.ends[:STEPS_SHOWN]:
            weights = class_weights(tree, node)
            if weights[code]:
                top, bottom = _whole(weights[code]), _whole(sum(weights, Fraction(0)))
                terms.append(plus(Product((_ratio(part), Ratio(top, bottom)))))
        parts = (Sum(tuple(terms)),) if terms else ()
        wanted = Call("P", str(shown.classes[code]))
        yield Equation((wanted, *map(Answer, (*parts, Number(share)))))


def _ratio(part: Fraction) -> Ratio | Number:
    return Ratio(part.numerator, part.denominator) if part.denominator <= 10**6 else Number(part)


def _whole(weight: Fraction) -> Weight:
    return weight.numerator if weight.denominator == 1 else weight
