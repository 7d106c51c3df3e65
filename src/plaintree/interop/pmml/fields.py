"""Fields of a PMML document: columns, the target, intervals of numbers, and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING

from plaintree.data.schema import Feature, Label, Schema
from plaintree.data.timestamps import TEMPORAL
from plaintree.errors import ExportError

from ..members import Members, label_type, unique_name
from .markup import Markup

if TYPE_CHECKING:
    from plaintree.rules.rule_list import RuleList

_MOST_INTEGER = 2**31 - 1
"""Scorers keep PMML's integers in 32 bits."""
_SINCE = {
    "date": "microseconds since 1970-01-01",
    "datetime": "microseconds since 1970-01-01",
    "time": "microseconds since midnight",
    "duration": "microseconds",
}


def data_type(labels: Sequence[Label]) -> str:
    """PMML's type for some labels."""
    kind = label_type(labels)
    if kind == "integer" and any(abs(int(label)) > _MOST_INTEGER for label in labels):
        return "double"
    return {"text": "string", "integer": "integer", "real": "double", "boolean": "boolean"}[kind]


def label_text(label: Label, type_: str) -> str:
    """A label as PMML writes it."""
    if type_ == "boolean":
        return "true" if label else "false"
    return repr(float(label)) if type_ == "double" else str(label)


@dataclass(frozen=True)
class Field:
    """The field of a feature in predicates, its type, and the strings of its categories."""

    name: str
    type_: str
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """The names of all fields of a document; none is given twice.

    ``tested`` are the fields that predicates name: the columns, but of a column that was put into
    intervals, a derived field with the number of the interval.
    """

    schema: Schema
    tested: tuple[Field, ...]
    target: str
    target_type: str
    predicted: str
    confidence: str
    probabilities: tuple[str, ...]

    @classmethod
    def of(cls, schema: Schema) -> Fields:
        """Names for the fields of a schema."""
        taken = set(schema.names)
        if "" in taken:
            raise ExportError(
                "a field of PMML needs a name, and a column has none",
                hint="name the column before fitting.",
            )
        type_ = data_type(schema.classes) if schema.classes else "double"
        labels = [label_text(label, type_) for label in schema.classes]
        return cls(
            schema=schema,
            tested=tuple(_tested(attribute, taken) for attribute in schema.features),
            target=unique_name(schema.target or "class", taken),
            target_type=type_,
            predicted=unique_name(f"predicted_{schema.target}", taken),
            confidence=unique_name("confidence", taken),
            probabilities=tuple(unique_name(f"probability_{text}", taken) for text in labels),
        )

    @cached_property
    def classes(self) -> list[str]:
        """The class labels as PMML writes them."""
        return [label_text(label, self.target_type) for label in self.schema.classes]

    @property
    def function(self) -> str:
        """PMML's word for the task."""
        return "classification" if self.schema.classes else "regression"

    @property
    def target_optype(self) -> str:
        """PMML's kind of the target."""
        return "categorical" if self.schema.classes else "continuous"

    @cached_property
    def columns(self) -> list[str]:
        """The types of the columns."""
        pairs = zip(self.schema.features, self.tested, strict=True)
        return ["double" if attribute.cuts else field.type_ for attribute, field in pairs]

    # ---------------------------------------------------------------- writing

    def write_dictionary(self, out: Markup) -> None:
        """The columns and the target with their values, and the intervals."""
        out.start("DataDictionary", numberOfFields=len(self.schema.features) + 1)
        for attribute in self.schema.features:
            _write_column(out, attribute)
        out.start(
            "DataField", name=self.target, optype=self.target_optype, dataType=self.target_type
        )
        for label in self.classes:
            out.empty("Value", value=label)
        out.end()
        out.end()
        pairs = list(zip(self.schema.features, self.tested, strict=True))
        if any(attribute.cuts for attribute, _ in pairs):
            out.start("TransformationDictionary")
            for attribute, field in pairs:
                if attribute.cuts:
                    _write_intervals(out, attribute, field)
            out.end()

    def write_schema(self, out: Markup, model: Members | RuleList) -> None:
        """Which fields come in, and how missing and unknown values are treated."""
        out.start("MiningSchema")
        out.empty("MiningField", name=self.target, usageType="target")
        for attribute in self.schema.features:
            out.empty("MiningField", name=attribute.name, **_treatment(attribute, model))
        out.end()

    def write_output(self, out: Markup, *, probabilities: bool = True) -> None:
        """Write the prediction, and the class probabilities or only the confidence."""
        out.start("Output")
        out.empty(
            "OutputField",
            name=self.predicted,
            optype=self.target_optype,
            dataType=self.target_type,
            feature="predictedValue",
        )
        number = {"optype": "continuous", "dataType": "double"}
        if probabilities:
            for name, label in zip(self.probabilities, self.classes, strict=True):
                out.empty("OutputField", name=name, **number, feature="probability", value=label)
        else:
            out.empty("OutputField", name=self.confidence, **number, feature="confidence")
        out.end()


def _tested(attribute: Feature, taken: set[str]) -> Field:
    if attribute.cuts:
        numbers = tuple(str(i) for i in range(len(attribute.categories)))
        return Field(unique_name(f"interval_{attribute.name}", taken), "string", numbers)
    if attribute.kind == "numeric":
        return Field(attribute.name, "double", ())
    type_ = data_type(attribute.categories)
    return Field(
        attribute.name, type_, tuple(label_text(label, type_) for label in attribute.categories)
    )


def _write_column(out: Markup, attribute: Feature) -> None:
    if attribute.kind == "numeric" or attribute.cuts:
        shown = _SINCE[attribute.unit] if attribute.unit in TEMPORAL else None
        out.empty(
            "DataField",
            name=attribute.name,
            displayName=shown and f"{attribute.name} ({shown})",
            optype="continuous",
            dataType="double",
        )
        return
    type_ = data_type(attribute.categories)
    optype = "ordinal" if attribute.kind == "ordered" else "categorical"
    out.start("DataField", name=attribute.name, optype=optype, dataType=type_)
    for label in attribute.categories:
        out.empty("Value", value=label_text(label, type_))
    out.end()


def _write_intervals(out: Markup, attribute: Feature, field: Field) -> None:
    out.start("DerivedField", name=field.name, optype="categorical", dataType="string")
    out.start("Discretize", field=attribute.name)
    ends = [-inf, *attribute.cuts, inf]
    for number, low, high in zip(field.categories, ends[:-1], ends[1:], strict=True):
        if low == inf:  # nothing lies behind infinity
            continue
        out.start("DiscretizeBin", binValue=number)
        left, right = (repr(float(end)) if isfinite(end) else None for end in (low, high))
        out.empty("Interval", closure="openClosed", leftMargin=left, rightMargin=right)
        out.end()
    out.end()
    out.end()


def _treatment(attribute: Feature, model: Members | RuleList) -> dict[str, str]:
    """Return PMML's treatment of missing values and of categories not seen in training."""
    if not isinstance(model, Members):
        return {"invalidValueTreatment": "asIs"}  # no condition is satisfied by such a value
    conventions = model.conventions
    unseen = conventions.unseen if conventions else "missing"
    treatment = {"missing": "asMissing", "stop": "asIs", "error": "returnInvalid"}[unseen]
    if unseen == "stop" and attribute.kind == "ordered":
        treatment = "asMissing"
    words = {"invalidValueTreatment": treatment}
    if conventions and conventions.missing == "error" and unseen != "missing":
        words["missingValueTreatment"] = "returnInvalid"
    return words
