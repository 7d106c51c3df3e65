"""Content of a model file in either form: a model taken apart, and put together again.

Only the classes of one fixed table can come out of a file, made by calling them with their
parameters; no name in a file is imported, called or looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from plaintree.data.schema import Schema
from plaintree.data.target import label_array
from plaintree.data.training_record import TrainingRecord
from plaintree.errors import ModelFileError
from plaintree.estimators.registry import LEARNERS
from plaintree.rules.rule_list import RuleList
from plaintree.tree.tree import Tree

from . import fitted
from .earlier_names import translated
from .values import as_object, as_parameter, as_text, refuse, written_parameter

MODELS = ("Tree", "RuleList", *LEARNERS)
"""Classes of objects that a model file may have."""
FIGURES: Mapping[str, Mapping[str, fitted.Codec]] = {
    "BoostedTreesClassifier": fitted.BOOSTED,
    "BaggedTreesClassifier": fitted.BAGGED,
    "RandomForestClassifier": fitted.RANDOM_FOREST,
    "BaggedTreesRegressor": fitted.BAGGED,
    "RandomForestRegressor": fitted.RANDOM_FOREST,
}
"""Fitted attributes of estimators in addition to trees and rules."""


def figures_of(name: str) -> Mapping[str, fitted.Codec]:
    """Return the fitted attributes of a class in addition to trees and rules."""
    return FIGURES.get(name, {})


@dataclass(frozen=True, eq=False)
class Document:
    """A model taken apart; ``figures`` are fitted attributes besides trees and rules."""

    model: str
    schema: Schema
    trees: Sequence[Tree] = ()
    rules: RuleList | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    named_columns: bool = False
    training: TrainingRecord | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> str:
        """The class of the model."""
        return LEARNERS[self.model].holds if self.model in LEARNERS else self.model


# -------------------------------------------------------------------- taking a model apart


def document_of(model: object) -> Document:
    """A fitted model, tree or rule list taken apart."""
    if isinstance(model, Tree):
        return Document("Tree", _written_part(model.schema, model), (model,))
    if isinstance(model, RuleList):
        return Document("RuleList", _written_part(model.schema, rules=model), rules=model)
    if hasattr(model, "to_local"):  # fitted on a cluster: a file holds the ordinary estimator
        model = model.to_local()
    name = type(model).__name__
    if type(model) is not _class_or_none(name):
        raise ModelFileError(
            "a model file cannot store an object of this class",
            got=f"an object of type {name}",
            hint="pass a fitted model of plaintree, a Tree or a RuleList; for your own class, "
            "save its tree_.",
        )
    parts = fitted_part(model, name)
    parameters = {
        key: _written_parameter(value, f"the parameter {key!r}")
        for key, value in model.get_params(deep=False).items()  # type: ignore[attr-defined]
    }
    return Document(
        name,
        parts.schema,
        parts.trees,
        parts.rules,
        parameters,
        hasattr(model, "feature_names_in_"),
        getattr(model, "training_", None),
        {
            key: codec.write(getattr(model, key))
            for key, codec in figures_of(name).items()
            if hasattr(model, key)
        },
    )


def fitted_part(model: Any, name: str) -> Document:
    """The schema, trees and rules of a fitted model of a class of the table, or of one like it."""
    if not hasattr(model, "schema_"):
        raise ModelFileError("the model is not fitted", got=f"{name}", hint="call fit first.")
    _class_attributes(model.schema_)  # values that could not be read again are not written
    holds = LEARNERS[name].holds
    rules = model.rules_ if holds == "rules" else None
    if holds in ("tree", "rules"):
        return Document(
            name, _written_part(model.schema_, model.tree_, rules), (model.tree_,), rules
        )
    return Document(name, _written_part(model.schema_, model), model.trees_)


def _written_part(schema: Schema, trees: Any = None, rules: RuleList | None = None) -> Schema:
    """The schema without the values of columns that neither trees nor rules use."""
    tested = frozenset[int]() if trees is None else trees.used_columns()
    return schema.with_values_of(tested if rules is None else tested | rules.shown_columns())


def storable_class(kind: type) -> str | None:
    """The name of the class of the table that a class is or derives from, if any."""
    for base in kind.__mro__:
        name = str(base.__name__)
        if name in LEARNERS and base is _class_or_none(name):
            return name
    return None


def _class_or_none(name: str) -> Any:
    if name not in LEARNERS:
        return None
    return LEARNERS[name].load()


def _written_parameter(value: Any, where: str) -> Any:
    name = type(value).__name__
    if name in LEARNERS and type(value) is _class_or_none(name):
        inside = value.get_params(deep=False)
        parameters = {k: written_parameter(v, f"{where}, {k!r}") for k, v in inside.items()}
        return {"learner": {"model": name, "parameters": parameters}}
    return written_parameter(value, where)


# -------------------------------------------------------------------- putting it together


def model_from(document: Document, trees: Iterable[Tree]) -> Any:
    """The model of a document that has been read and checked, with its trees."""
    if document.model == "Tree":
        (tree,) = trees
        return tree
    if document.model == "RuleList":
        return document.rules
    model = _class_or_none(document.model)(**parameters_of(document))
    if document.holds == "forest" and document.schema.classes:
        as_text(model.voting, "the parameter 'voting'", ("hard", "soft"))
    for name, value in fitted_attributes(document, trees).items():
        setattr(model, name, value)
    if document.named_columns:
        model.feature_names_in_ = np.array(document.schema.names, dtype=object)
    if document.training is not None:
        model.training_ = document.training
    n_trees = len(getattr(model, "trees_", (None,)))
    for name, value in document.figures.items():
        codec = figures_of(document.model)[name]
        size = fitted.Size(n_trees, len(document.schema.classes))
        setattr(model, name, codec.read(value, f"figures, {name}", size))
    for name, codec in figures_of(document.model).items():
        if codec.needed and name not in document.figures:
            refuse("figures", f"complete (there is no {name!r})", None)
    return model


def fitted_attributes(document: Document, trees: Iterable[Tree]) -> dict[str, Any]:
    """The attributes of a fitted model that come from its schema, trees and rules."""
    attributes: dict[str, Any] = {
        "schema_": document.schema,
        "n_features_in_": len(document.schema.features),
        **_class_attributes(document.schema),
    }
    holders: dict[str, Callable[[], dict[str, Any]]] = {
        "tree": lambda: {"tree_": _only(trees)},
        "rules": lambda: {"tree_": _only(trees), "rules_": document.rules},
        "boosted": lambda: {"trees_": list(trees)},
        "forest": lambda: {"trees_": _forest(trees)},
    }
    return attributes | holders[document.holds]()


def check_task(model: str, schema: Schema) -> None:
    """Refuse a classifier or rules without classes, and a regressor with classes."""
    kind = _class_or_none(model)
    numeric = kind is not None and issubclass(kind, RegressorMixin)
    if model != "Tree" and numeric == bool(schema.classes):
        refuse("the schema", f"that of a {model} ({len(schema.classes)} classes)", None)


def _class_attributes(schema: Schema) -> dict[str, Any]:
    """The classes as an array, if they stay distinct: numpy converts 1 and "1" alike."""
    if not schema.classes:
        return {}
    labels = label_array(schema.classes)
    if len(set(labels.tolist())) < len(schema.classes):
        raise ModelFileError(
            "the classes of the model are not all different as an array",
            got=f"{len(schema.classes)} classes, some equal except for their type or a final NUL",
            hint="name the classes differently.",
        )
    return {"classes_": labels}


def _only(trees: Iterable[Tree]) -> Tree:
    (tree,) = trees
    return tree


def _forest(trees: Iterable[Tree]) -> Any:
    from plaintree.tree.forest import PackedForest

    from .packed_form import PackedTrees

    return trees.forest() if isinstance(trees, PackedTrees) else PackedForest.from_trees(trees)


def parameters_of(document: Document) -> dict[str, Any]:
    """The parameters of a document; one that the file does not have is as by default."""
    if document.model not in LEARNERS:
        return {}
    known = signature(_class_or_none(document.model)).parameters
    found = {}
    for name, value in translated(document.model, document.parameters).items():
        if name not in known:
            refuse("the parameters", f"those of {document.model} (there is {name[:60]!r})", None)
        found[name] = _as_parameter(value, f"the parameter {name!r}")
    return found


def _as_parameter(value: Any, where: str) -> Any:
    if not (isinstance(value, dict) and set(value) == {"learner"}):
        return as_parameter(value, where)
    inside = as_object(value["learner"], where, ("model", "parameters"))
    kind = _class_or_none(as_text(inside["model"], where, LEARNERS))
    parameters = as_object(inside["parameters"], where, allowed=inside["parameters"])
    named = translated(inside["model"], parameters)
    given = as_object(named, where, allowed=signature(kind).parameters)
    return kind(**{name: as_parameter(v, where) for name, v in given.items()})
