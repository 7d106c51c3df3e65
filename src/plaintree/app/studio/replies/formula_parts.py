"""How one number comes about: its formula in parts, each number in it with an address."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from plaintree.teaching import Formulas

from ..messages.nodes import Formula, FormulaRequest, Part
from .analysis import cases_of
from .editing import split_data
from .held import quiet
from .library import node_at
from .replay import Work

TERMS = {"+": "plus", "-": "minus"}
LOGARITHMS = {"2": "log2", "e": "ln"}


def formula(work: Work, request: FormulaRequest) -> Formula:
    """The formula of a number of a node, of a split there, or of one of its branches."""
    node_at(work.own_tree(), request.at)
    with quiet():
        book = work.kept_for_tree("formulas", partial(_book, work))
        found = book.of(
            request.at,
            measure=request.measure,
            condition=None if request.split is None else split_data(request.split),
            branch=request.branch,
            label=request.label,
            digits=request.digits,
            exact=request.exact,
        )
    written = found.to_dict()
    return Formula(
        title=written["definition"],
        equations=[list(_sides(written))],
        note=written["note"] or "",
        latex=written["latex"],
        text=written["text"],
    )


def _book(work: Work) -> Formulas:
    return Formulas.from_cases(work.own_tree(), work.rows, cases_of(work))


def _sides(written: dict[str, Any]) -> Iterator[Part]:
    """The sides of the equation with the relations between them, and the unit of the result."""
    for side in written["parts"]:
        if side["relation"] is not None:
            yield Part(kind="relation", text=side["relation"])
        yield _part(side)
    if written["unit"]:
        yield Part(kind="unit", text=written["unit"])


def _part(data: dict[str, Any]) -> Part:
    kind = data["kind"]
    if kind == "term":
        kind = TERMS[data["sign"]]
    elif kind == "log":
        kind = LOGARITHMS[data["base"]]
    return Part(
        kind=kind,
        text=data["text"],
        parts=[_part(child) for child in data["children"]],
        address=data.get("address"),
    )
