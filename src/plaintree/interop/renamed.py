"""A fitted model under other names of its features and classes, as exports write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from plaintree.data.renaming import renamed
from plaintree.data.schema import Schema
from plaintree.data.table import Table
from plaintree.data.target import label_array
from plaintree.rules.rule_list import RuleList
from plaintree.tree.naming import renamed_tree
from plaintree.tree.tree import Tree

from .members import members_of


def renamed_model(model: object, feature_names: Any = None, class_names: Any = None) -> object:
    """Return the model, under other names if some are given.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        What is exported.
    feature_names, class_names
        See :func:`plaintree.data.renaming.renamed`.

    Returns
    -------
    object
        The model itself, a renamed Tree or RuleList, or a view of the estimator whose trees, rules
        and predictions have the new names.
    """
    if feature_names is None and (class_names is None or class_names is True):
        return model
    if isinstance(model, Tree):
        return renamed_tree(model, feature_names, class_names)
    if isinstance(model, RuleList):
        return model.renamed(feature_names, class_names)
    return _Renamed(model, members_of(model).schema, feature_names, class_names)


class _Renamed:
    """A view of an estimator; everything that has no names in it is the estimator's own."""

    def __init__(self, model: Any, schema: Schema, feature_names: Any, class_names: Any) -> None:
        self._model, self._names = model, (feature_names, class_names)
        self._old, self._new = schema, renamed(schema, feature_names, class_names)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._model, name)
        if name == "tree_":
            return renamed_tree(value, *self._names)
        if name == "trees_":
            return _RenamedTrees(value, *self._names)
        return value.renamed(*self._names) if name == "rules_" else value

    def predict(self, table: Table) -> NDArray[Any]:
        """Predict the classes, or the numbers, of a table with the new names."""
        if not self._old.classes:
            return np.asarray(self._model.predict(self._under_old_names(table)))
        codes = {label: code for code, label in enumerate(self._old.classes)}
        predicted = np.asarray(self._model.predict(self._under_old_names(table))).tolist()
        return np.asarray(label_array(self._new.classes)[[codes[label] for label in predicted]])

    def predict_proba(self, table: Table) -> NDArray[np.float64]:
        """Predict the class probabilities of a table with the new names."""
        return np.asarray(self._model.predict_proba(self._under_old_names(table)))

    def _under_old_names(self, table: Table) -> Table:
        named = zip(table.columns, self._old.names, strict=True)
        return replace(table, columns=tuple(replace(c, name=name) for c, name in named))


class _RenamedTrees(Sequence[Tree]):
    """The trees of an ensemble, each renamed when it is read: all at once may not fit memory."""

    def __init__(self, trees: Sequence[Tree], feature_names: Any, class_names: Any) -> None:
        self._trees, self._names = trees, (feature_names, class_names)

    def __len__(self) -> int:
        return len(self._trees)

    @overload
    def __getitem__(self, position: int) -> Tree: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Tree]: ...
    def __getitem__(self, position: int | slice) -> Tree | Sequence[Tree]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        return renamed_tree(self._trees[position], *self._names)
