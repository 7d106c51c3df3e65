"""The values of one row: as in its table, as a caller has them, and as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from plaintree.data.schema import Feature, Schema
from plaintree.data.table import Table
from plaintree.data.words import format_value, plain, shown_schema
from plaintree.rules.regions import as_written


@dataclass
class RowValues:
    """One row of a schema: as it was given, and encoded. Features are given by their numbers."""

    schema: Schema
    table: Table
    columns: list[NDArray[Any]]

    @cached_property
    def shown(self) -> Schema:
        """The schema with printable names."""
        return shown_schema(self.schema)

    def is_missing(self, number: int) -> bool:
        """Whether the value of a feature is missing, or was not seen in training."""
        return self.schema.features[number].is_missing(float(self.columns[number][0]))

    def raw(self, number: int) -> Any:
        """The row's value as its table has it: a label or a number, None if missing."""
        name, names = self.schema.names[number], self.table.names
        by_name = name in names and not self.table.generated_names
        if not by_name and len(names) < len(self.schema.names):
            return None  # a column that the model does not use
        column = self.table.columns[names.index(name) if by_name else number]
        value = column.values[0]
        if column.missing[0]:
            return None
        return float(value) if column.kind == "numeric" else column.labels[int(value)]

    def value(self, number: int) -> Any:
        """The row's value as a caller has it; None if missing."""
        feature = self.schema.features[number]
        if self.is_missing(number):
            return self.raw(number)
        if feature.cuts:  # its code says no more than the interval
            return decoded(replace(feature, kind="numeric"), float(self.raw(number)))
        return decoded(feature, float(self.columns[number][0]))

    def text(self, number: int) -> str:
        """The row's value as text."""
        return self.text_of(number, self.value(number))

    def text_of(self, number: int, value: Any) -> str:
        """Any value of a feature as text."""
        feature = self.schema.features[number]
        if value is None:
            return "missing"
        if feature.kind == "numeric" or feature.cuts:
            if not isinstance(value, (int, float)):
                return plain(value)
            return format_value(feature, float(value))
        return plain(value)


def decoded(feature: Feature, encoded: float) -> Any:
    """An encoded value as a caller has it."""
    if feature.kind != "numeric":
        return feature.categories[int(encoded)]
    if feature.unit == "integer" and encoded.is_integer():
        return int(encoded)
    return as_written(feature, encoded)
