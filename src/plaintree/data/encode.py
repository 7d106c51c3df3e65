"""Encoding: the schema that training finds, and new tables encoded by it.

Growing and predicting read encoded columns. Numeric and ordered features: float32 or
float64, NaN where a value is missing, possibly a strided view of the caller's array. Categorical
features: contiguous int32 positions in the feature's categories, MISSING where a value is
missing, UNSEEN for a category that the schema does not have. Only distinct labels are looked up
one by one; rows are mapped by array operations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaintree.errors import ColumnError, nearest, not_allowed, row_name

from .categorical_features import CategoricalFeatures, chosen_columns
from .column import Column, boolean_of
from .schema import MISSING, UNSEEN, Feature, Label, Schema, Unit
from .table import Table, made_up_names
from .timestamps import TEMPORAL, TIMESTAMPS, duration_of, timestamps_of

Encoded = list[NDArray[Any]]
UsedColumns = Callable[[], Collection[int]]
"""The numbers of the columns that a model uses. Called only where a table lacks others."""

# -------------------------------------------------------------------- training


def learn_schema(
    table: Table,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
    target: str = "class",
    classes: Sequence[Label] = (),
) -> tuple[Schema, Encoded]:
    """The schema of a training table, and its encoded columns.

    ``categorical_features`` lists further columns whose numbers are categories.

    >>> from plaintree.data.table import table_from
    >>> table = table_from({"outlook": ["sunny", "rainy", None]})
    >>> learn_schema(table, classes=("no", "yes"))[0].features[0].categories
    ('rainy', 'sunny')
    """
    chosen = chosen_columns(table, categorical_features)
    features: list[Feature] = []
    encoded: Encoded = []
    for number, column in enumerate(table.columns):
        if column.kind == "categorical" or number in chosen:
            codes, labels = categories_of(column)
            unit = "text" if column.unit in TEMPORAL else column.unit
            features.append(Feature(column.name, "categorical", unit, labels, (), _zoned(column)))
            encoded.append(np.ascontiguousarray(codes, dtype=np.int32))
        else:
            features.append(
                Feature(column.name, column.kind, column.unit, column.labels, (), _zoned(column))
            )
            encoded.append(column.values)
    return Schema(tuple(features), tuple(classes), target), encoded


def _zoned(column: Column) -> bool | None:
    return column.zoned if column.unit == "datetime" else None


def categories_of(column: Column) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """Any column as codes and labels; numbers become their distinct values, sorted."""
    if column.kind == "categorical":
        return column.values, column.labels
    missing = column.missing
    if column.kind == "ordered":
        return np.where(missing, MISSING, column.values).astype(np.int32), column.labels
    codes = np.full(len(column.values), MISSING, dtype=np.int32)
    distinct, codes[~missing] = np.unique(column.exact[~missing], return_inverse=True)
    return codes, _labels_of_numbers(distinct, column.unit)


def _labels_of_numbers(distinct: NDArray[Any], unit: Unit) -> tuple[Label, ...]:
    """Convert numbers to labels: integers if integral, strings for timestamps and durations."""
    if unit in TIMESTAMPS:
        precision: Literal["D", "us"] = "D" if unit == "date" else "us"
        return tuple(np.datetime_as_string(timestamps_of(distinct), unit=precision).tolist())
    if unit in TEMPORAL:
        return tuple(str(duration_of(value)) for value in distinct.tolist())
    values = distinct.tolist()
    if all(isinstance(value, int) or value.is_integer() for value in values):
        return tuple(map(int, values))
    return tuple(values)


# -------------------------------------------------------------------- prediction


def encode(
    table: Table, schema: Schema, *, unseen: str = "missing", used: UsedColumns | None = None
) -> Encoded:
    """The table's columns in the schema's order and codes.

    A category that the schema does not have becomes UNSEEN, or with ``unseen="error"`` an error.
    Columns that are not ``used`` may be absent, or have values of any type; by default all are
    used.
    """
    if unseen not in ("missing", "stop", "error"):
        raise not_allowed("unseen", unseen, ("missing", "stop", "error"))
    features, strict = schema.features, set(range(len(schema.features)))
    if unseen != "error":
        strict = set()
    elif used is not None:
        strict = set(used())
    encoded = []
    for i, column in enumerate(matched_columns(table, schema, used)):
        try:
            encoded.append(_encoded(column, features[i], i in strict))
        except ColumnError:
            if used is None or i in used():
                raise
            encoded.append(_encoded(_absent(features[i], table.n_rows), features[i], False))
    return encoded


def encode_columns(
    table: Table, schema: Schema, columns: Collection[int], *, unseen: str = "missing"
) -> dict[int, NDArray[Any]]:
    """Some of the table's columns by their numbers in the schema, in its codes.

    Only these are read, so a few columns of a wide table cost little; the others may be absent.
    """
    matched, strict = matched_columns(table, schema, lambda: columns), unseen == "error"
    return {i: _encoded(matched[i], schema.features[i], strict) for i in columns}


def completed_schema(schema: Schema, table: Table) -> Schema:
    """The schema with the categories that a table has where the schema has none.

    Model files have the categories of the columns that a model uses. On the training table this
    gives the others again.
    """
    if all(a.categories or not a.is_categorical for a in schema.features):
        return schema
    columns = matched_columns(table, schema, None)
    pairs = zip(schema.features, columns, strict=True)
    return replace(schema, features=tuple(_with_categories(a, c) for a, c in pairs))


def _with_categories(feature: Feature, column: Column) -> Feature:
    if feature.kind == "numeric" or feature.categories:
        return feature
    return replace(feature, categories=categories_of(column)[1])


def _encoded(column: Column, feature: Feature, strict: bool) -> NDArray[Any]:
    _check_time_zone(column, feature)
    if feature.cuts:
        return interval_codes(_encoded_numbers(column, feature), feature.cuts)
    if feature.kind == "numeric":
        return _encoded_numbers(column, feature)
    return _encoded_categories(column, feature, strict)


def interval_codes(values: NDArray[Any], cuts: ArrayLike) -> NDArray[np.int32]:
    """Return the interval between cut points of each number; MISSING for a missing value."""
    numbers = np.asarray(values, dtype=np.float64)
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), numbers, side="left")
    return np.where(np.isnan(numbers), MISSING, codes).astype(np.int32)


def matched_columns(table: Table, schema: Schema, used: UsedColumns | None) -> tuple[Column, ...]:
    """The columns in the schema's order: by name, or by position where one side has no names."""
    if table.names == schema.names:
        return table.columns
    made_up = schema.names == made_up_names(len(schema.names))
    if table.generated_names or (made_up and not set(table.names) & set(schema.names)):
        if len(table.columns) == len(schema.features):
            return table.columns
        raise ColumnError(
            f"X has {len(table.columns)} features, but the model is expecting "
            f"{len(schema.features)} features as input",
            hint="pass the columns that the model was fitted on, in their order"
            + ("." if made_up else f": {some_names(schema.names)}."),
        )
    present = set(table.names)
    absent = [i for i, name in enumerate(schema.names) if name not in present]
    needed = set(absent if used is None else used()) if absent else set()
    lacking = [schema.names[i] for i in absent if i in needed]
    extra = [name for name in table.names if name not in set(schema.names)]
    if lacking:
        raise ColumnError(
            "the table lacks columns that the model was fitted on"
            if used is None
            else "the table lacks columns that the model uses",
            got=f"no {some_names(lacking)}" + (f", but also {some_names(extra)}" if extra else ""),
            hint=nearest(lacking[0], extra)
            or f"pass every column that the model {'was fitted on' if used is None else 'uses'}.",
        )
    if extra:
        raise ColumnError(
            "the table has columns that the model was not fitted on",
            got=some_names(extra),
            hint="drop them before predicting.",
        )
    return _by_name(table, schema)


def _by_name(table: Table, schema: Schema) -> tuple[Column, ...]:
    columns = {column.name: column for column in table.columns}
    return tuple(columns.get(a.name) or _absent(a, table.n_rows) for a in schema.features)


def _absent(feature: Feature, n_rows: int) -> Column:
    """A column that the model does not use: nothing is known of it."""
    if feature.kind == "categorical" and not feature.cuts:
        codes = np.full(n_rows, MISSING, dtype=np.int32)
        return Column(feature.name, "categorical", codes, feature.unit, feature.categories)
    values = np.full(n_rows, np.nan)
    return Column(feature.name, "numeric", values, feature.unit)


def some_names(names: Sequence[str]) -> str:
    rest = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(repr, names[:5])) + rest


def _encoded_numbers(column: Column, feature: Feature) -> NDArray[Any]:
    if column.kind == "numeric":
        _check_units(column, feature)
        return column.values
    if all(
        not isinstance(label, str) for label in column.labels
    ):  # booleans, numbers, missing values
        numbers = np.array([*map(float, column.labels), np.nan])  # the last entry is for -1
        return numbers[categories_of(column)[0]]
    codes, labels = categories_of(column)
    first = _first_row_with(codes, [not _reads_as_number(label) for label in labels])
    if first is None:
        first = int(np.argmax(codes >= 0))
    if codes[first] < 0:  # declared categories, but every value is missing
        return np.full(len(codes), np.nan)
    raise ColumnError(
        f"column {feature.name!r} has text, but was numeric when the model was fitted",
        got=f"{labels[codes[first]]!r} in {row_name(first)}",
        hint="convert the column to numbers, and leave other values empty.",
    )


def _check_units(column: Column, feature: Feature) -> None:
    """Raise an error if dates and plain numbers are mixed; both are floats here."""
    got, wanted = column.unit, feature.unit
    alike = got == wanted or (got in TIMESTAMPS and wanted in TIMESTAMPS)
    if alike or (got not in TEMPORAL and wanted not in TEMPORAL) or column.missing.all():
        return
    raise ColumnError(
        f"column {feature.name!r} is of another type than when the model was fitted",
        got=f"values of unit {got!r} instead of {wanted!r}",
        hint="pass the column as it was in training.",
    )


def _check_time_zone(column: Column, feature: Feature) -> None:
    """Timestamps with and without a time zone cannot be compared: the hours between are unknown."""
    wanted = False if feature.unit == "date" else feature.zoned
    if column.unit not in TIMESTAMPS or wanted in (None, column.zoned) or column.missing.all():
        return
    raise ColumnError(
        f"column {feature.name!r} has timestamps "
        + ("without a time zone, but had one" if wanted else "with a time zone, but had none")
        + " when the model was fitted",
        hint="convert the column to the time zone of training"
        + ("." if wanted else ", and remove the time zone."),
    )


def _reads_as_number(label: Label) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _first_row_with(codes: NDArray[Any], wrong: Sequence[bool]) -> int | None:
    """The first row whose label is marked wrong, if any."""
    rows = np.flatnonzero(np.array([*wrong, False])[codes])
    return int(rows[0]) if rows.size else None


def _encoded_categories(column: Column, feature: Feature, strict: bool) -> NDArray[Any]:
    codes, labels = categories_of(column)
    if labels != feature.categories:
        _refuse_codes_of_order(column, feature)
        lookup = known_positions(labels, column.unit, feature)
        if strict:
            first = _first_row_with(codes, (lookup[:-1] == UNSEEN).tolist())
            if first is not None:
                raise ColumnError(
                    f"column {feature.name!r} has a category not seen in training",
                    got=f"{labels[codes[first]]!r} in {row_name(first)}",
                    hint=nearest(labels[codes[first]], feature.categories)
                    or 'correct it, or use unseen="missing".',
                )
        codes = lookup[codes]
    if feature.kind == "ordered":
        return np.where(codes < 0, np.nan, codes.astype(np.float64))
    return np.ascontiguousarray(codes, dtype=np.int32)


def _refuse_codes_of_order(column: Column, feature: Feature) -> None:
    """An error about numbers where the ordered categories are words: positions, probably."""
    words = bool(feature.categories) and all(
        isinstance(c, str) and not _reads_as_number(c) for c in feature.categories
    )
    if feature.kind != "ordered" or column.kind != "numeric" or column.missing.all() or not words:
        return
    raise ColumnError(
        f"column {feature.name!r} has numbers, but had ordered categories in training",
        got=f"{column.values[~column.missing][0]!s}; the categories are "
        + some_names(tuple(map(str, feature.categories))),
        hint="pass the categories, not their positions.",
    )


def _other_spelling(moment: str, unit: Unit) -> str:
    """A date as the datetime of its midnight, a datetime as the day that it lies in.

    >>> _other_spelling("2020-01-02", "date")
    '2020-01-02T00:00:00.000000'
    >>> _other_spelling("2020-01-02T12:30:00.000000", "datetime")
    '2020-01-02'
    """
    return f"{moment}T00:00:00.000000" if unit == "date" else moment.partition("T")[0]


def known_positions(labels: Sequence[Label], unit: Unit, feature: Feature) -> NDArray[np.int32]:
    """The category of every label of a column, UNSEEN where the feature does not have it."""
    lookup = _positions(labels, feature.categories)
    if feature.unit == "boolean":
        spelt = map(boolean_of, labels)
        meant = [b if a is None else a for a, b in zip(spelt, labels, strict=True)]
        lookup = np.where(lookup == UNSEEN, _positions(meant, feature.categories), lookup)
    if unit in TIMESTAMPS:
        others = [_other_spelling(str(label), unit) for label in labels]
        lookup = np.where(lookup == UNSEEN, _positions(others, feature.categories), lookup)
    return lookup


def _positions(labels: Sequence[Label], categories: Sequence[Label]) -> NDArray[np.int32]:
    """Find the category of every label, by equality, then by string ("1" and 1 are the same).

    The array has one entry more than there are labels: the last is for code -1, a missing value.
    """
    exact = {category: i for i, category in enumerate(categories)}
    by_text = {str(category): i for i, category in enumerate(categories)}
    found = [exact.get(label, by_text.get(str(label), UNSEEN)) for label in labels]
    return np.array([*found, MISSING], dtype=np.int32)
