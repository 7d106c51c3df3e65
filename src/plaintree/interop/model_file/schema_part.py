"""Schemas in model files: writing, reading and validation."""

from __future__ import annotations

from typing import Any, get_args

from plaintree.data.schema import Feature, Kind, Label, Schema, Unit
from plaintree.data.schema_check import check_schema

from .values import (
    as_any_number,
    as_flag,
    as_label,
    as_list,
    as_object,
    as_text,
    as_whole,
    written_label,
    written_number,
)

_KEYS = ("name", "kind", "unit")


def written_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as plain values; categories and cut points only if there are some."""
    written = {
        "target": str(schema.target),
        "classes": [written_label(label, "a class") for label in schema.classes],
        "attributes": [_written_attribute(attribute) for attribute in schema.features],
    }
    as_schema(written)  # values that could not be read again are not written
    return written


def _written_attribute(attribute: Feature) -> dict[str, Any]:
    written: dict[str, Any] = {"name": str(attribute.name), "kind": attribute.kind}
    written["unit"] = attribute.unit
    if attribute.categories:
        where = f"a category of {attribute.name!r}"
        written["categories"] = [written_label(label, where) for label in attribute.categories]
    if attribute.cuts:
        written["cuts"] = [written_number(float(cut)) for cut in attribute.cuts]
    if attribute.zoned is not None:
        written["zoned"] = attribute.zoned
    if attribute.n_values:
        written["n_values"] = attribute.n_values
    return written


def as_schema(value: Any) -> Schema:
    """The inverse of :func:`written_schema`."""
    data = as_object(value, "the schema", ("target", "classes", "attributes"))
    classes = _labels(data["classes"], "the classes")
    given = as_list(data["attributes"], "the attributes")
    attributes = tuple(_attribute(a, f"attribute {i}") for i, a in enumerate(given))
    schema = Schema(attributes, classes, as_text(data["target"], "the target's name"))
    check_schema(schema)
    return schema


def _attribute(value: Any, where: str) -> Feature:
    data = as_object(value, where, _KEYS, ("categories", "cuts", "zoned", "n_values"))
    name = as_text(data["name"], f"{where}, name")
    kind: Any = as_text(data["kind"], f"{where}, kind", get_args(Kind))
    unit: Any = as_text(data["unit"], f"{where}, unit", get_args(Unit))
    categories = _labels(data.get("categories", []), f"{where}, categories")
    given = as_list(data.get("cuts", []), f"{where}, cuts")
    cuts = tuple(as_any_number(cut, f"{where}, cuts") for cut in given)
    zoned = as_flag(data["zoned"], f"{where}, zoned") if "zoned" in data else None
    n_values = as_whole(data.get("n_values", 0), f"{where}, n_values", 0)
    return Feature(name, kind, unit, categories, cuts, zoned, n_values)


def _labels(value: Any, where: str) -> tuple[Label, ...]:
    return tuple(as_label(label, where) for label in as_list(value, where))
