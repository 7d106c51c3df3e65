"""Everything that reads a model, in one table: it works on every valid model, or refuses it.

Fuzzers call :func:`read_by` with what got through validation. An error of our own is a refusal;
any other exception, a warning of numpy's, or an export that predicts something else is a failure.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.app.study.formulas import export_formulas
from plaintree.data.encode import encode
from plaintree.data.schema import Schema
from plaintree.data.table import table_from
from plaintree.data.typed_rows import schema_of
from plaintree.errors import PlaintreeError, UnseenCategoryWarning
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.interop.verification.rows import VerificationRows, verification_rows
from plaintree.rules.rule_list import RuleList
from plaintree.tree.predict import class_codes, class_shares, predicting_nodes
from plaintree.tree.tree import Tree

Reader = Callable[[Any], Any]
N_ROWS = 30
OWN_FAULT = "this is a fault of the export"
"""The hint of an export that predicts something else: an error of ours, and no refusal."""

# -------------------------------------------------------------------- rows of a model


def rows_of(model: Any) -> VerificationRows:
    """Rows on both sides of some splits, with missing values and unseen categories."""
    rows = verification_rows(model, limit=N_ROWS)
    return rows.some(i for i, refused in enumerate(rows.refused) if not refused)


def table_of(model: Any) -> Any:
    """These rows as a table that the model takes: by names, if it has names."""
    columns = rows_of(model).columns()
    if isinstance(model, Tree | RuleList) or hasattr(model, "feature_names_in_"):
        return columns
    return list(map(list, zip(*columns.values(), strict=True)))


def labels_of(schema: Schema, n: int) -> list[Any]:
    """A class for each row, all classes in turn."""
    return [schema.classes[i % len(schema.classes)] for i in range(n)]


# -------------------------------------------------------------------- what holds of predictions


def predict(model: Any) -> None:
    """Probabilities are finite and sum to 1, and predicted classes and leaves are the model's."""
    X, classes = table_of(model), schema_of(model).classes
    if isinstance(model, Tree):
        columns = encode(table_from(X), model.schema, used=model.used_columns)
        shares, codes = class_shares(model, columns), class_codes(model, columns)
        nodes = predicting_nodes(model, columns)
        assert ((codes >= 0) & (codes < len(classes))).all()
        if not (model.missing_child[model.n_children > 0] < 0).any():
            assert (codes == model.label[nodes]).all()
    else:
        shares, nodes = model.predict_proba(X), np.zeros(0)
        known = {*classes, *map(str, classes)}  # labels of different types become text
        assert set(np.asarray(model.predict(X)).tolist()) <= known
        if hasattr(model, "apply"):
            nodes = model.apply(X)
            model.decision_path(X)
    assert (nodes >= 0).all()
    assert shares.shape[1] == len(classes)
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
    assert np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-9)


def round_trips(model: Any) -> None:
    """Pickled and stored, a model is the same."""
    for again in (pickle.loads(pickle.dumps(model)), from_bytes(to_bytes(model))):
        assert pt.evaluation.diff(model, again).structure is None
        assert to_bytes(again) == to_bytes(model)
        if isinstance(model, Tree):
            assert again.content_hash() == model.content_hash()


def compared_with_itself(model: Any) -> None:
    """A model does not differ from itself, in structure or in its predictions."""
    found = pt.evaluation.diff(model, model, table_of(model))
    assert found.equal, found.to_text()


def explanations(model: Any) -> None:
    """Explanations as text, dictionary and page, for a row of missing values and another one."""
    rows = rows_of(model)
    unknown: list[Any] = [None] * len(rows.schema.names)
    for row in [unknown, *(list(row.values()) for row in rows.rows[:2])]:
        found = pt.explain(model, row)
        found.to_dict()
        assert str(found)


# -------------------------------------------------------------------- pruning and editing


def prune_by_rows(tree: Tree) -> None:
    """The methods of pruning that look at rows."""
    X = table_of(tree)
    y = labels_of(tree.schema, len(next(iter(X.values()))))
    pt.prune(tree, "error_based", X, y)
    pt.prune(tree, "reduced_error", X, y, merge_leaves=True)


def prune_by_counts(tree: Tree) -> None:
    """The methods of pruning that look at the tree alone."""
    for method, options in (
        ("limits", {"max_depth": 1, "significance": 0.05}),
        ("pessimistic", {}),
        ("cost_complexity", {"alpha": 0.5}),
        ("cost_complexity", {"alpha": 0.5, "risk": "impurity", "links": "rpart"}),
        ("mdl", {}),
        ("mdl", {"coding": "sliq"}),
        ("cut", {"nodes": 0}),
    ):
        pt.prune(tree, method, **options)  # type: ignore[arg-type]
    pt.pruning.description_length(tree)
    pt.pruning.pruning_path(tree)


def edits(tree: Tree) -> None:
    """Changes by hand, and counts of other rows."""
    tree.relabel(tree.n_nodes - 1, tree.schema.classes[0]).merge_leaves().validate()
    X = table_of(tree)
    tree.refit(X, labels_of(tree.schema, len(next(iter(X.values())))))


def facts(tree: Tree) -> None:
    """What a tree reports about itself."""
    importances = tree.importances()
    assert np.isfinite(importances).all()
    assert repr(tree)
    assert all(repr(node) and node.counts for node in tree.walk())


def forest_of_one(tree: Tree) -> None:
    """A packed forest gives back its tree, and predicts like it."""
    forest = pt.RandomForestClassifier.from_trees([tree])
    assert tree.difference(forest.trees_[0]) is None


# -------------------------------------------------------------------- drawing and reports


def plots(tree: Tree) -> None:
    """Drawings by matplotlib, written to memory."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("Agg")
    for draw in (pt.plot_tree, pt.plot_regions, pt.plot_importances):
        figure = Figure()
        draw(tree, ax=figure.add_subplot())
        figure.savefig(BytesIO())


def report(model: Any) -> None:
    """A report on a model, and on rows made for it."""
    X = table_of(model)
    n_rows = len(X) if isinstance(X, list) else len(next(iter(X.values())))
    with TemporaryDirectory() as directory:
        path = Path(directory, "report.html")
        pt.report(model, X, labels_of(schema_of(model), n_rows), path, cv=None)
        assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def sql(model: Any) -> None:
    """All dialects, with and without probabilities."""
    for dialect in ("duckdb", "sqlite", "postgres"):
        pt.export_sql(model, dialect=dialect, proba=dialect == "duckdb")


# -------------------------------------------------------------------- the tables

OF_ANY: dict[str, Reader] = {
    "predict": predict,
    "round trips": round_trips,
    "diff": compared_with_itself,
    "explain": explanations,
    "sql": sql,
    "c": pt.export_c,
    "java": pt.export_java,
    "javascript": pt.export_javascript,
    "python": pt.export_python,
    "pmml": pt.export_pmml,
    "onnx": pt.export_onnx,
}
"""What reads every kind of model."""
OF_RULES: dict[str, Reader] = {"rules": pt.export_rules, "formula": export_formulas}
OF_TREES: dict[str, Reader] = {
    **OF_RULES,
    "text": pt.export_text,
    "p-values": lambda tree: pt.export_text(tree, show_p_values=True, show_conventions=True),
    "listing": lambda tree: pt.export_text(tree, style="listing", ascii=True),
    "svg": pt.export_svg,
    "dot": pt.export_dot,
    "mermaid": pt.export_mermaid,
    "tikz": pt.export_tikz,
    "formulas in LaTeX": lambda tree: export_formulas(tree, format="latex"),
    "prune by counts": prune_by_counts,
    "prune by rows": prune_by_rows,
    "edits": edits,
    "facts": facts,
    "forest": forest_of_one,
}
SLOW: dict[str, Reader] = {
    "plots": plots,
    "report": report,
    "verified Python": lambda model: pt.export_python(
        model, verify=pt.interop.Verification(limit=N_ROWS)
    ),
    "verified ONNX": lambda model: pt.export_onnx(
        model, verify=pt.interop.Verification(limit=N_ROWS)
    ),
    "verified DuckDB": lambda model: pt.export_sql(
        model, dialect="duckdb", verify=pt.interop.Verification(limit=N_ROWS)
    ),
}
"""What takes more than a few milliseconds."""


def readers_of(model: Any, *, slow: bool = False) -> dict[str, Reader]:
    """The readers of a tree, of a list of rules, or of a fitted model."""
    found = dict(OF_ANY)
    if isinstance(getattr(model, "tree_", model), Tree):
        found |= {
            name: lambda model, read=read: read(getattr(model, "tree_", model))
            for name, read in OF_TREES.items()
        }
    elif hasattr(model, "trees_"):
        found |= {
            f"{name} of the first tree": lambda model, read=read: read(model.trees_[0])
            for name, read in OF_TREES.items()
        }
    if hasattr(getattr(model, "rules_", model), "default_weights"):
        found |= OF_RULES
    if slow:
        found |= {
            name: read
            for name, read in SLOW.items()
            if name != "plots" or isinstance(getattr(model, "tree_", model), Tree)
        }
    return found


def read_by(model: Any, names: Iterable[str] | None = None) -> list[str]:
    """Call readers by their names, or all that are quick; the names of those that refuse."""
    readers, refused = readers_of(model, slow=names is not None), []
    for name in names or readers:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", UnseenCategoryWarning)
                readers[name](model)
        except PlaintreeError as error:
            if OWN_FAULT in str(error):
                raise AssertionError(f"{name}: {error}") from error
            refused.append(name)
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
    return refused
