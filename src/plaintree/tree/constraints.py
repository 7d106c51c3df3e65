"""Constraints on columns: monotonic, forbidden and first ones, and groups that may interact.

Conventions keep them as they were given, by names or positions of columns. ``of_columns`` resolves
them for a table, to names, when the table is read; a fitted tree has names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from plaintree.errors import ColumnError, ParameterError, nearest

if TYPE_CHECKING:  # help of the command line reads conventions, and must not import numpy
    from plaintree.data.schema import Schema

    from .conventions import Conventions

ColumnName = str | int
"""A column by its name or its position from 0."""
Directions = tuple[tuple[ColumnName, int], ...] | tuple[int, ...]
"""The direction of some columns, or of all in their order: 1 rising, -1 falling, 0 either."""
Columns = tuple[ColumnName, ...]
Groups = tuple[Columns, ...]
Pairing = Literal["pairs", "no_interactions"]
MonotonicCst = Mapping[str, int] | Mapping[int, int] | Sequence[int] | None
"""Directions as estimators take them."""
ColumnList = ColumnName | Sequence[ColumnName] | None
InteractionCst = Sequence[Sequence[ColumnName]] | Pairing | None
NAMES_SHOWN = 10

# -------------------------------------------------------------------- as they are given


def directions_from(given: Any) -> Directions:
    """The value of ``monotonic_cst`` as a tuple: of pairs from a mapping, else of numbers.

    >>> directions_from({"income": 1}), directions_from([0, -1]), directions_from(None)
    ((('income', 1),), (0, -1), ())
    """
    if given is None:
        return ()
    if isinstance(given, Mapping):
        entries: list[Any] = list(given.items())
    else:
        entries = [_plain(entry) for entry in _listed("monotonic_cst", given)]
    if any(isinstance(entry, list | tuple) for entry in entries):
        pairs = tuple((_column("monotonic_cst", name), _plain(sign)) for name, sign in entries)
        _check_directions([sign for _, sign in pairs])
        return tuple((name, int(sign)) for name, sign in pairs)
    _check_directions(entries)
    return tuple(int(sign) for sign in entries)


def columns_from(parameter: str, given: Any) -> Columns:
    """The value of ``forbid`` or ``first`` as a tuple: a column, or several of them.

    >>> columns_from("first", "age"), columns_from("forbid", ["age", 2]), columns_from("first", ())
    (('age',), ('age', 2), ())
    """
    if given is None:
        return ()
    entries = [given] if isinstance(given, str | int) else _listed(parameter, given)
    return tuple(_column(parameter, entry) for entry in entries)


def groups_from(given: Any) -> Groups | Pairing:
    """The value of ``interaction_cst`` as a tuple of groups.

    >>> groups_from([["age", "income"], [2]]), groups_from("pairs")
    ((('age', 'income'), (2,)), 'pairs')
    """
    if given is None:
        return ()
    if isinstance(given, str):
        if given in ("pairs", "no_interactions"):
            return given  # type: ignore[return-value]
        raise ParameterError(
            "interaction_cst is not a list of groups of columns",
            got=f"interaction_cst={given!r}",
            hint='use [["age", "income"], ["zone"]], "pairs" or "no_interactions".',
        )
    groups = _listed("interaction_cst", given)
    return tuple(columns_from("interaction_cst", group) for group in groups)


def _listed(parameter: str, given: Any) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise ParameterError(
            f"{parameter} is not a list of columns",
            got=f"an object of type {type(given).__name__}",
            hint='use names or positions of columns, such as ["income"].',
        ) from None


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _column(parameter: str, given: Any) -> ColumnName:
    column = _plain(given)
    if isinstance(column, bool) or not isinstance(column, str | int):
        raise ParameterError(
            f"{parameter} has an entry that is not a column",
            got=repr(given),
            hint="use names of columns, or their positions from 0.",
        )
    return column


def _check_directions(signs: list[Any]) -> None:
    if any(isinstance(s, bool) or s not in (-1, 0, 1) for s in signs):
        found = ", ".join(str(sign) for sign in dict.fromkeys(signs))
        raise ParameterError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got [{found}]",
            hint="use 1 for a rising prediction, -1 for a falling one, 0 for no constraint; by "
            'name: {"income": 1}.',
        )


# -------------------------------------------------------------------- for a table


def of_columns(conventions: Conventions, schema: Schema) -> Conventions:
    """The conventions with every constraint by the names of a table's columns.

    Raises ``ColumnError`` for a column that the table does not have, and ``ParameterError`` for a
    constraint that it cannot have.
    """
    c = conventions
    if not (c.monotonic_cst or c.forbid or c.first or c.interaction_cst):
        return conventions
    signs = _signs(c.monotonic_cst, schema)
    if signs:
        _check_ordered(schema, signs)
        _check_branches(c, schema)
    forbid = _names("forbid", c.forbid, schema)
    if len(forbid) == len(schema.features):
        raise ParameterError(
            "forbid lists every column", got=f"{len(forbid)} columns", hint="leave one to split on."
        )
    first = _names("first", c.first, schema)
    for name in first:
        if name in forbid:
            raise ParameterError(
                "first has a column that forbid has as well",
                got=repr(name),
                hint="leave it out of one of them.",
            )
    groups = _groups(c.interaction_cst, schema)
    return replace(
        c, monotonic_cst=tuple(signs.items()), forbid=forbid, first=first, interaction_cst=groups
    )


def directions_of(given: MonotonicCst, schema: Schema) -> dict[str, int]:
    """The features with a direction, by name; errors as of :func:`of_columns`."""
    signs = _signs(directions_from(given), schema)
    if signs:
        _check_ordered(schema, signs)
    return signs


def _signs(given: Directions, schema: Schema) -> dict[str, int]:
    """The columns with a direction, in the table's order."""
    names = schema.names
    if given and not isinstance(given[0], tuple):
        if len(given) != len(names):
            raise ParameterError(
                f"monotonic_cst has shape {len(given)} but the input data X has {len(names)} "
                "features.",
                hint="give a number for each column, or a mapping from some of them.",
            )
        pairs = dict(zip(names, given, strict=True))
    else:
        pairs = {_name("monotonic_cst", column, schema): sign for column, sign in given}  # type: ignore[misc]
    return {name: pairs[name] for name in names if pairs.get(name)}


def _check_ordered(schema: Schema, signs: Mapping[str, int]) -> None:
    if len(schema.classes) > 2:
        raise ParameterError(
            "Monotonicity constraints are not supported with multiclass classification",
            got=f"{len(schema.classes)} classes",
            hint="constrain a target of two classes, or a numeric one.",
        )
    for feature in schema.features:
        if feature.name in signs and feature.is_categorical:
            raise ParameterError(
                f"monotonic_cst names the column {feature.name!r}, whose categories have no order",
                got=f"{len(feature.categories)} categories",
                hint="give an ordered category, or numbers.",
            )


def _check_branches(conventions: Conventions, schema: Schema) -> None:
    categorical = any(feature.is_categorical for feature in schema.features)
    empty_branches = conventions.missing == "branch" or (
        categorical and conventions.categorical in ("multiway", "grouped")
    )
    if schema.classes and empty_branches:
        raise ParameterError(
            "monotonic_cst needs splits whose branches all have rows: a branch without rows "
            "predicts its label with probability 1",
            got=f"categorical={conventions.categorical!r}, missing={conventions.missing!r}",
            hint='use categorical="subset" and missing="most_common".',
        )


def _groups(given: Groups | Pairing, schema: Schema) -> Groups:
    """The groups by names; columns in none of them form one more, as in scikit-learn."""
    names = schema.names
    if given == "no_interactions":
        return tuple((name,) for name in names)
    if given == "pairs":
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        return tuple(pairs) or tuple((name,) for name in names)
    groups = [_names("interaction_cst", group, schema) for group in given]
    left = tuple(n for n in names if groups and not any(n in group for group in groups))
    return (*groups, left) if left else tuple(groups)


def _names(parameter: str, columns: Iterable[Any], schema: Schema) -> tuple[str, ...]:
    found = [_name(parameter, column, schema) for column in columns]
    return tuple(found if parameter == "first" else dict.fromkeys(found))


def _name(parameter: str, column: ColumnName, schema: Schema) -> str:
    names = schema.names
    if isinstance(column, str):
        if column in names:
            return column
        shown = ", ".join(map(repr, names[:NAMES_SHOWN]))
        raise ColumnError(
            f"{parameter} names a column that the table does not have",
            got=repr(column),
            hint=nearest(column, names) or f"the columns are {shown}.",
        )
    if not 0 <= column < len(names):
        raise ColumnError(
            f"{parameter} has a position that is not in the table",
            got=f"{column}, where the table has {len(names)} columns",
            hint=f"use integers from 0 to {len(names) - 1}, or the names of columns.",
        )
    return names[column]


# -------------------------------------------------------------------- for the core


def by_position(conventions: Conventions, schema: Schema) -> dict[str, Any]:
    """The constraints as the core takes them: by positions of columns.

    The tree of a forest may see a part of the columns, some of them several times; it leaves out
    what is about others.
    """
    c = conventions if _has_names(conventions) else of_columns(conventions, schema)
    places: dict[str, list[int]] = {}
    for place, name in enumerate(schema.names):
        places.setdefault(name, []).append(place)
    signs = dict(c.monotonic_cst)  # type: ignore[arg-type]
    return {
        "monotonic": [signs.get(name, 0) for name in schema.names] if signs else [],
        "forbidden": _places(c.forbid, places),
        "first": [places[name][0] for name in c.first if name in places],
        "interactions": [_places(group, places) for group in c.interaction_cst],
    }


def _has_names(c: Conventions) -> bool:
    """Whether ``of_columns`` has resolved these conventions."""
    listed = (*c.forbid, *c.first, *(name for group in c.interaction_cst for name in group))
    pairs = all(isinstance(entry, tuple) for entry in c.monotonic_cst)
    signed = [entry[0] for entry in c.monotonic_cst] if pairs else [0]  # type: ignore[index]
    whole = not isinstance(c.interaction_cst, str)
    return whole and all(isinstance(name, str) for name in (*listed, *signed))


def _places(names: Iterable[Any], places: Mapping[str, list[int]]) -> list[int]:
    return [place for name in names for place in places.get(name, ())]


# -------------------------------------------------------------------- as text


def shown(name: str, value: Any) -> str:
    """A constraint in the text of conventions.

    >>> shown("monotonic_cst", (("income", 1), ("age", -1))), shown("forbid", ("zone", "age"))
    ('income: +1, age: -1', 'zone, age')
    """
    if name == "monotonic_cst":
        return ", ".join(f"{column}: {sign:+d}" for column, sign in value)
    if name == "interaction_cst" and not isinstance(value, str):
        return "; ".join(", ".join(map(str, group)) for group in value)
    return ", ".join(map(str, value))
