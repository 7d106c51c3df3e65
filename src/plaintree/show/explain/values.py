"""The values of one row: as its table has them, as a caller has them, and in words."""

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
    """One row of a schema: as it was given, and encoded. Attributes are named by their numbers."""

    schema: Schema
    table: Table
    columns: list[NDArray[Any]]

    @cached_property
    def shown(self) -> Schema:
        """The schema with names fit to print."""
        return shown_schema(self.schema)

    def is_missing(self, number: int) -> bool:
        """Whether the row has no value of an attribute that its schema knows."""
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
        attribute = self.schema.features[number]
        if self.is_missing(number):
            return self.raw(number)
        if attribute.cuts:  # its code says no more than the interval
            return decoded(replace(attribute, kind="numeric"), float(self.raw(number)))
        return decoded(attribute, float(self.columns[number][0]))

    def text(self, number: int) -> str:
        """The row's value in words."""
        return self.text_of(number, self.value(number))

    def text_of(self, number: int, value: Any) -> str:
        """Any value of an attribute in words."""
        attribute = self.schema.features[number]
        if value is None:
            return "missing"
        if attribute.kind == "numeric" or attribute.cuts:
            if not isinstance(value, (int, float)):
                return plain(value)
            return format_value(attribute, float(value))
        return plain(value)


def decoded(attribute: Feature, encoded: float) -> Any:
    """An encoded value as a caller has it."""
    if attribute.kind != "numeric":
        return attribute.categories[int(encoded)]
    if attribute.unit == "integer" and encoded.is_integer():
        return int(encoded)
    return as_written(attribute, encoded)
