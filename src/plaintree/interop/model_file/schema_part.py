"""A schema as a part of a model file, and checked on its way back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, get_args

from plaintree.data.schema import Feature, Kind, Label, Schema, Unit
from plaintree.errors import ModelFileError

from .values import (
    as_any_number,
    as_flag,
    as_label,
    as_list,
    as_object,
    as_text,
    refuse,
    written_label,
    written_number,
)

_KEYS = ("name", "kind", "unit")


def written_schema(schema: Schema) -> dict[str, Any]:
    """The schema as plain values; categories and cuts only where there are some."""
    written = {
        "target": str(schema.target),
        "classes": [written_label(label, "a class") for label in schema.classes],
        "attributes": [_written_attribute(attribute) for attribute in schema.features],
    }
    as_schema(written)  # what cannot be read again is not written
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
    return written


def as_schema(value: Any) -> Schema:
    """The inverse of :func:`written_schema`."""
    data = as_object(value, "the schema", ("target", "classes", "attributes"))
    classes = _labels(data["classes"], "the classes")
    if not classes:
        refuse("the list of classes", "a list of at least one", None)
    given = as_list(data["attributes"], "the attributes")
    attributes = tuple(_attribute(a, f"attribute {i}") for i, a in enumerate(given))
    _refuse_twice([a.name for a in attributes], "the attributes' names")
    return Schema(attributes, classes, as_text(data["target"], "the target's name"))


def _attribute(value: Any, where: str) -> Feature:
    data = as_object(value, where, _KEYS, ("categories", "cuts", "zoned"))
    name = as_text(data["name"], f"{where}, name")
    kind: Any = as_text(data["kind"], f"{where}, kind", get_args(Kind))
    unit: Any = as_text(data["unit"], f"{where}, unit", get_args(Unit))
    categories = _labels(data.get("categories", []), f"{where}, categories")
    given = as_list(data.get("cuts", []), f"{where}, cuts")
    cuts = tuple(as_any_number(cut, f"{where}, cuts") for cut in given)
    if kind == "numeric" and categories:
        refuse(f"{where}, categories", "left out (it is numeric)", data["categories"])
    if cuts and (kind != "categorical" or len(categories) != len(cuts) + 1):
        refuse(f"{where}, cuts", "a list of the ends of its categories", data["cuts"])
    if not all(low < high for low, high in pairwise(cuts)) or any(map(math.isnan, cuts)):
        refuse(f"{where}, cuts", "a list of numbers in ascending order", data["cuts"])
    zoned = as_flag(data["zoned"], f"{where}, zoned") if "zoned" in data else None
    return Feature(name, kind, unit, categories, cuts, zoned)


def _labels(value: Any, where: str) -> tuple[Label, ...]:
    labels = tuple(as_label(label, where) for label in as_list(value, where))
    _refuse_twice(labels, where)
    return labels


def _refuse_twice(values: Sequence[object], where: str) -> None:
    if len(set(values)) < len(values):
        seen: set[object] = set()
        twice = next(v for v in values if v in seen or seen.add(v))  # type: ignore[func-returns-value]
        raise ModelFileError(f"{where} are not all different", got=f"{str(twice)[:60]!r} twice")
