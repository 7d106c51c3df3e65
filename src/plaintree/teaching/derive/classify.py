"""New rows sent down a tree, step by step: the tests, the shares at gaps, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plaintree.data.encode import encode
from plaintree.data.schema import MISSING, UNSEEN, Schema
from plaintree.data.table import table_from
from plaintree.errors import row_name
from plaintree.stats.exact import Weight
from plaintree.tree.condition import Condition
from plaintree.tree.predict import class_codes
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
from .words import count_text

STEPS_TOLD = 40
"""Of a row divided over more tests than this, only the leaves are told."""


@dataclass(frozen=True)
class Move:
    """A test on a row's way: the share of the row that comes, and where it goes.

    ``targets`` are branches with the part of that share each takes; none where the row stops.
    """

    node: int
    condition: Condition
    share: Fraction
    value: float
    known: bool
    targets: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Passage:
    """A row's way through a tree: its moves, and the nodes that answer, with their shares."""

    moves: tuple[Move, ...]
    ends: tuple[tuple[int, Fraction], ...]
    shares: tuple[Fraction, ...]
    answer: int


def passage(tree: Tree, columns: Sequence[Any], row: int) -> Passage:
    """The way of a row of encoded columns."""
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
    shares = _shares(tree, ends)
    return Passage(tuple(moves), tuple(ends), shares, _answer(tree, ends, shares))


def _targets(visit: Visit, first_child: int) -> tuple[tuple[int, Fraction], ...]:
    """The branches that a row takes, with the part of it that each gets."""
    parts = [(child - first_child, Fraction(part)) for child, part in visit.onward]
    total = sum(part for _, part in parts)
    return tuple((branch, part / total) for branch, part in parts)


def _weight(weight: float) -> Fraction:
    """A weight of the tree as the fraction it rounds."""
    return Fraction(weight).limit_denominator(10**6)


def class_weights(tree: Tree, node: int) -> tuple[Fraction, ...]:
    """The class weights that a node answers with; its label alone where it had no rows."""
    weights = tuple(_weight(w) for w in tree.class_weights[node].tolist())
    if any(weights):
        return weights
    return tuple(Fraction(int(code == tree.label[node])) for code in range(len(weights)))


def _shares(tree: Tree, ends: Sequence[tuple[int, Fraction]]) -> tuple[Fraction, ...]:
    sums = [Fraction(0)] * len(tree.schema.classes)
    for node, share in ends:
        weights = class_weights(tree, node)
        total = sum(weights)
        for code, weight in enumerate(weights):
            sums[code] += share * weight / total
    return tuple(sums)


def _answer(tree: Tree, ends: Sequence[tuple[int, Fraction]], shares: Sequence[Fraction]) -> int:
    """The label of the one leaf reached; of several, the first class of the greatest share."""
    if len(ends) == 1:
        return int(tree.label[ends[0][0]])
    return max(range(len(shares)), key=lambda code: (shares[code], -code))


# -------------------------------------------------------------------- in words


def classified(tree: Tree, shown: Schema, rows: Any, *, worksheet: bool = False) -> Iterator[Block]:
    """New rows (any table) classified in words; on a worksheet, room for that."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    table = table_from(rows)
    columns = encode(table, tree.schema, unseen=unseen, used=tree.used_columns)
    answers = class_codes(tree, columns).tolist()
    yield Heading(2, ("New rows",))
    for row in range(table.n_rows):
        way = passage(tree, columns, row)
        yield Heading(3, (row_name(row).capitalize(),))
        yield Paragraph((_described(shown, columns, row),))
        yield from (Space(SHEET_LINES),) if worksheet else _told(tree, shown, way)
        label = str(shown.classes[way.answer])
        yield Paragraph(("The answer: ", Answer(label), "."))
        if answers[row] != way.answer and not worksheet:
            other = shown.classes[answers[row]]
            words = f"The model itself answers {other}: a tie that rounding decided."
            yield Paragraph((words,), warning=True)


def _described(shown: Schema, columns: Sequence[Any], row: int) -> str:
    told = []
    for attribute, column in zip(shown.features, columns, strict=True):
        value = float(column[row])
        unknown = "a new value" if attribute.is_categorical and value == UNSEEN else "?"
        text = value_text(attribute, value)
        told.append(f"{attribute.name} = {unknown if text == '?' else text}")
    return ", ".join(told) + "."


def _told(tree: Tree, shown: Schema, way: Passage) -> Iterator[Block]:
    items = [_move_words(shown, move) for move in way.moves[:STEPS_TOLD]]
    if len(way.moves) > STEPS_TOLD:
        items.append(f"... and {len(way.moves) - STEPS_TOLD} more tests")
    if len(way.ends) == 1:
        items.append(_end_words(tree, shown, way.ends[0][0]))
    if items:
        yield Listing(tuple((Answer(item),) for item in items))
    if len(way.ends) > 1:
        ends = [
            (Answer(f"Weight {count_text(share)}: {_end_words(tree, shown, node)}"),)
            for node, share in way.ends[:STEPS_TOLD]
        ]
        yield Paragraph(("The row ends in several leaves:",))
        yield Listing(tuple(ends))
        yield Formulas(tuple(_sums(tree, shown, way)))


def _move_words(shown: Schema, move: Move) -> str:
    name = shown.names[move.condition.feature]
    coming = "" if move.share == 1 else f" (weight {count_text(move.share)})"
    if move.known:
        return move.condition.describe(shown, move.targets[0][0]) + coming
    attribute = shown.features[move.condition.feature]
    new = attribute.is_categorical and move.value not in (MISSING,)
    what = f"{name} has a value that training did not have" if new else f"{name} is missing"
    if not move.targets:
        return f"{what}{coming}: the row stops here"
    described = [(move.condition.describe(shown, branch), part) for branch, part in move.targets]
    if len(described) == 1:
        return f"{what}{coming}: it goes with {described[0][0]}"
    parts = ", ".join(f"{count_text(part)} to {words}" for words, part in described)
    return f"{what}{coming}: the row is divided, {parts}"


def _end_words(tree: Tree, shown: Schema, node: int) -> str:
    where = "a leaf" if not tree.n_children[node] else "a node"
    label = shown.classes[int(tree.label[node])]
    weights = class_weights(tree, node)
    if not tree.weight[node]:
        return f"{where} that had no training rows: {label}"
    told = ", ".join(
        f"{name} {count_text(weight)}"
        for name, weight in zip(shown.classes, weights, strict=True)
        if weight
    )
    return f"{where}: {label} ({told})"


def _sums(tree: Tree, shown: Schema, way: Passage) -> Iterator[Equation]:
    """The shares of the classes, added up over the leaves."""
    for code, share in enumerate(way.shares):
        terms = []
        for node, part in way.ends[:STEPS_TOLD]:
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
