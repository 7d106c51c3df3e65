"""Models and trees on which every export has to prove itself, and what a proof compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_regressor

import plaintree as pt
from plaintree.data.schema import Feature, Label, Schema
from plaintree.estimators.boost import BoostedTreesClassifier
from plaintree.estimators.forest import BaggedTreesClassifier, RandomForestClassifier
from plaintree.interop.verification.rows import MOST_ROWS
from plaintree.interop.verification.verify import Verification, VerificationResult
from plaintree.tree.condition import DIVIDES, STOPS, Grouped, Surrogate, Threshold
from plaintree.tree.conventions import CART, Conventions
from plaintree.tree.surrogates import surrogate_arrays
from plaintree.tree.tree import Tree
from tests.support.trees import XY_SCHEMA, build


def verified(
    export: Callable[..., Any], model: object, X: Any = True, limit: int = MOST_ROWS, **options: Any
) -> VerificationResult:
    """What an export compares with its model, on the rows of a table and on rows made for it."""
    check = Verification(X, limit)
    export(model, **options, verify=check)
    assert check.result is not None
    return check.result


def rows_for(model: Any, limit: int = MOST_ROWS) -> int:
    """So many rows a proof makes at least: three for each test of the trees, and some at random.

    Where there are more tests than the limit allows for, every tree has the same share of it.
    """
    trees = getattr(model, "trees_", [model])
    tests = max(3, limit // len(trees)) // 3
    return sum(3 * min(tests, tree.size) for tree in trees) + max(20, limit // 10)


HOSTILE = (
    "'; DROP TABLE t; --",
    '"quoted" `grave` [bracket]',
    "line\nbreak\r\ttab",
    "back\\slash \\u0022 \\x41 \\",
    "*/ // /* # --",
    "]]> </script> <b>&amp;",
    "??/ ??' ??- %s %n {0}",
    "${name} $name `${1}`",
    "\u202eright to left\u202c \u05d0\u05d1",
    "emoji \U0001f333 \u2028\u2029 \ufeff",
    "__proto__",
    "SELECT",
    "while",
    "'''\"\"\" @NAME",
    " ",
    "1",
)
"""Names that end strings, comments, tags and templates, or are words of a language."""


def hostile_tree(nul: bool = False) -> Tree:
    """Every hostile name as a column, as a category, and as a class."""
    texts = (*HOSTILE, "nul\0inside", "\0") if nul else HOSTILE
    names = HOSTILE
    last = Feature(names[-1], "categorical", "text", texts)
    numbers = tuple(Feature(name, "numeric") for name in names[:-1])
    schema = Schema((*numbers, last), texts, target=HOSTILE[0])
    spec: Any = (
        last.name,
        {text: [float(i == k) for i in range(len(texts))] for k, text in enumerate(texts)},
        0,
    )
    for k, name in enumerate(names[:-1]):
        leaf = [1.0 + (i == k) for i in range(len(texts))]
        spec = (f"{name} <=", k + 0.1, leaf, spec, 1)
    return build(schema, spec).validate()


def every_kind() -> tuple[dict[str, Any], np.ndarray]:
    """A table of columns of every kind, most with gaps."""
    random = np.random.default_rng(5)
    n = 240
    when = datetime(2024, 2, 28, 22, 0, 0, 123456)

    def with_gaps(values: Any) -> list[Any]:
        return [None if random.random() < 0.1 else value for value in values]

    sizes = with_gaps(random.choice(["S", "M", "L"], n).tolist())
    codes = random.choice([1, 2, 30], n)
    table = {
        "number": with_gaps(random.normal(size=n).round(3).tolist()),
        "single": random.normal(size=n).astype(np.float32),
        "whole": random.integers(-5, 6, n),
        "large": random.integers(2**53 - 4, 2**53 + 5, n),
        "text": with_gaps(random.choice(["a", "b", "c", ""], n).tolist()),
        "flag": random.random(n) < 0.5,
        "size": pd.Series(pd.Categorical(sizes, categories=["S", "M", "L"], ordered=True)),
        "day": with_gaps((when + timedelta(int(d))).date() for d in random.integers(0, 60, n)),
        "moment": with_gaps(
            when + timedelta(microseconds=int(d)) for d in random.integers(0, 2**40, n)
        ),
        "clock": with_gaps(time(int(h), 30, 15, 7) for h in random.integers(0, 24, n)),
        "span": with_gaps(timedelta(seconds=float(s)) for s in random.normal(0, 1e5, n)),
        "code": codes,
        "share": random.choice([0.5, 1.25, 2.0], n),
    }
    y = random.integers(0, 2, n) + np.array([size == "L" for size in sizes]) + (codes == 2)
    return table, y


def models_of_kinds(learner: Callable[..., Any], **options: Any) -> tuple[Any, dict[str, Any]]:
    table, y = every_kind()
    return learner(categorical_features=["code", "share"], **options).fit(table, y), table


LARGE = (-(2**53) - 1, -(2**53), 7, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1)
"""Whole numbers of which doubles confuse some; a proof asks for the one behind the last, too."""


def model_of_large_categories() -> tuple[Any, dict[str, Any]]:
    X = {"id": [*LARGE]}
    return pt.ID3Classifier(categorical_features=["id"]).fit(X, [*"abcdefgh"]), X


GOLF_LEARNERS: dict[str, Any] = {
    "id3": pt.ID3Classifier(),
    "c45": pt.C45Classifier(),
    "cart": pt.CARTClassifier(),
    "rules": pt.C45RulesClassifier(),
    "own branch, stop": pt.CARTClassifier(missing="branch", unseen="stop"),
    "divided, stop": pt.ID3Classifier(missing="fractional", unseen="stop"),
    "errors": pt.ID3Classifier(missing="error", unseen="error"),
    "intervals": pt.ID3Classifier(numeric="intervals", missing="fractional"),
    "grouped": pt.DecisionTreeClassifier(categorical="grouped", missing="fractional"),
    "boosted": BoostedTreesClassifier(n_estimators=4),
    "forest": RandomForestClassifier(n_estimators=5, random_state=0),
    "bagged": BaggedTreesClassifier(
        pt.CARTClassifier(missing="fractional"), 3, voting="soft", random_state=0
    ),
}
"""Every learner and every way to treat gaps and unseen values."""
NUMERIC_LEARNERS: dict[str, Any] = {
    "numbers": pt.CARTRegressor(),
    "medians, own branch, stop": pt.CARTRegressor(
        "absolute_error", missing="branch", unseen="stop"
    ),
    "numbers, divided": pt.CARTRegressor("poisson", missing="fractional"),
    "numbers, divided, stop, multiway": pt.DecisionTreeRegressor(
        missing="fractional", unseen="stop", categorical="multiway"
    ),
    "numbers, grouped": pt.DecisionTreeRegressor(categorical="grouped"),
    "numbers, errors": pt.CARTRegressor(missing="error", unseen="error"),
    "forest of numbers": pt.RandomForestRegressor(6, max_features=1, random_state=0),
    "forest of numbers, divided": pt.RandomForestRegressor(
        5, max_features=1, missing="fractional", unseen="stop", random_state=0
    ),
    "bagged medians": pt.BaggedTreesRegressor(
        pt.CARTRegressor("absolute_error", missing="branch"), 3, random_state=0
    ),
}
"""The same of trees and forests of numbers."""


LEARNERS_OF_STANDARDS: dict[str, Any] = {
    **GOLF_LEARNERS,
    **NUMERIC_LEARNERS,
    "c45, grouped": pt.C45Classifier(categorical="grouped"),
    "filled intervals": pt.ID3Classifier(numeric="intervals"),
    "own branch": pt.DecisionTreeClassifier(missing="branch"),
    "divided, stop, subset": pt.DecisionTreeClassifier(missing="fractional", unseen="stop"),
    "stop, multiway": pt.DecisionTreeClassifier(unseen="stop", categorical="multiway"),
    "stop, one_vs_rest": pt.DecisionTreeClassifier(unseen="stop", categorical="one_vs_rest"),
    "errors, subset": pt.DecisionTreeClassifier(missing="error", unseen="error"),
    "forest, stop": RandomForestClassifier(6, unseen="stop", random_state=0),
    "forest of shares": RandomForestClassifier(6, voting="soft", random_state=0),
    "forest, divided": RandomForestClassifier(7, missing="fractional", random_state=0),
    "boosted stumps": BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=7),
}
"""Besides, what PMML and ONNX have words of their own for."""


def golf_model(name: str) -> tuple[Any, Any]:
    """One of these learners, fitted, and its table."""
    return fitted(name, *pt.datasets.load_golf())


HOURS = (25, 30, 46, 45, 52, 23, 43, 35, 38, 46.1, 48, 52, 44, 30)
"""How many hours golf was played, or tennis, on each of the 14 days."""


def fitted(name: str, X: Any, y: Any) -> tuple[Any, Any]:
    """One of these learners, fitted to a table of 14 days, and the table."""
    learner = clone(LEARNERS_OF_STANDARDS[name])
    return learner.fit(X, HOURS if is_regressor(learner) else y), X


def model_of_moments() -> tuple[Any, pd.DataFrame]:
    """A model of days and spans, and its table."""
    days = pd.date_range("2024-02-27", periods=8)
    X = pd.DataFrame({"day": days, "stay": pd.to_timedelta(range(8), unit="h")})
    return pt.CARTClassifier().fit(X, list("aabbaaba")), X


def tree_of_labels(classes: tuple[Label, Label]) -> Tree:
    """A tree whose categories are numbers, truth values, ordered, and integers beyond doubles."""
    attributes = (
        Feature("i", "categorical", "integer", (-1, 3, 2**40)),
        Feature("f", "categorical", "number", (0.1, 2.5)),
        Feature("b", "categorical", "boolean", (False, True)),
        Feature("big", "categorical", "integer", (2**60, 2**60 + 1)),
        Feature("o", "ordered", "text", ("low", "mid dle", "high")),
    )
    large = ("big =", 2**60, ("o <=", 0.5, [1, 0], [2, 4], 0), [2, 4], 0)
    truth = ("b =", True, [0, 2], [5, 1], 0)
    return build(
        Schema(attributes, classes, "y"),
        ("i in", [3, 2**40], ("f =", 0.1, [3, 1], large, 1), truth, 1),
    )


def with_numbers(tree: Tree, seed: int = 0) -> Tree:
    """The tree with random numbers in place of its classes."""
    numbers = np.random.default_rng(seed).normal(size=tree.n_nodes) * 10.0 ** (seed % 7 - 3)
    conventions = tree.conventions and replace(tree.conventions, criterion="squared_error")
    return replace(
        tree,
        schema=replace(tree.schema, classes=()),
        class_weights=np.empty((tree.n_nodes, 0)),
        label=np.zeros(tree.n_nodes),
        prediction=numbers,
        conventions=conventions,
    )


def with_surrogates(tree: Tree, seed: int, ends: tuple[int, ...] = (STOPS, 0, 1)) -> Tree:
    """The tree with up to three surrogates at its nodes of two branches.

    ``ends`` are what may become of the rows that none of them decides.
    """
    random = np.random.default_rng(seed)
    missing = tree.missing_child.copy()
    of_nodes: list[list[Surrogate]] = [[] for _ in range(tree.n_nodes)]
    for node in np.flatnonzero(tree.n_children == 2).tolist():
        missing[node] = random.choice(ends)
        others = [i for i in range(len(tree.schema.features)) if i != tree.feature[node]]
        for column in random.choice(others, random.integers(0, 4), replace=False).tolist():
            of_nodes[node].append(random_surrogate(tree.schema, column, random))
    return replace(tree, missing_child=missing, **surrogate_arrays(of_nodes))


def large_tree_with_surrogates(*, numbers: bool = False, divides: bool = True) -> Tree:
    """A random tree of dozens of nodes with surrogates; some nodes divide undecided rows."""
    random = np.random.default_rng(7)
    tree = build(XY_SCHEMA, random_spec(random, depth=7))
    tree = tree if divides else with_missing_children(tree, 7)
    tree = with_surrogates(tree, 7, (STOPS, 0, 1, DIVIDES) if divides else (STOPS, 0, 1))
    return with_numbers(tree) if numbers else tree


def random_surrogate(schema: Schema, column: int, random: np.random.Generator) -> Surrogate:
    feature = schema.features[column]
    if not feature.is_categorical:
        cut = random.integers(0, 2) + 0.5 if feature.categories else random.normal()
        return Surrogate(Threshold(column, float(cut)), bool(random.random() < 0.5))
    branches = [0, 1, *random.integers(-1, 2, len(feature.categories) - 2).tolist()]
    return Surrogate(Grouped(column, tuple(random.permutation(branches).tolist())))


def random_tree(
    spec: Any, random: np.random.Generator, conventions: Conventions | None = None
) -> Tree:
    """The tree of a spec, with missing values sent somewhere or divided, node by node."""
    tree = build(XY_SCHEMA, spec)
    children = tree.n_children.astype(np.int64)
    drawn = random.integers(-1, np.maximum(children, 1))
    return replace(
        tree, missing_child=np.where(children > 0, drawn, -1), conventions=conventions
    ).validate()


def with_missing_children(tree: Tree, seed: int, share: float = 1.0) -> Tree:
    """The tree with a branch for missing values at a share of its nodes; the others divide them."""
    random = np.random.default_rng(seed)
    drawn = random.integers(0, np.maximum(tree.n_children, 1))
    takes = (tree.n_children > 0) & (random.random(tree.n_nodes) < share)
    return replace(tree, missing_child=np.where(takes, drawn, -1))


def unseen_conventions() -> tuple[Conventions | None, ...]:
    return (None, CART, replace(CART, unseen="stop"), replace(CART, tied_label="keep"))


@cache
def random_voters(n_trees: int, voting: Any, unseen: Any = "missing") -> RandomForestClassifier:
    """Random trees that vote; a fault of a single one shows in the shares."""
    random = np.random.default_rng(11)
    conventions = replace(CART, unseen=unseen)
    trees = [random_tree(random_spec(random), random, conventions) for _ in range(n_trees)]
    return RandomForestClassifier.from_trees(trees, voting)


def random_spec(random: np.random.Generator, depth: int = 5) -> Any:
    """A spec of random tests, of all kinds."""
    if depth == 0 or random.random() < 0.2:
        return random.integers(0, 4, 2).tolist()

    def below() -> Any:
        return random_spec(random, depth - 1)

    colors = XY_SCHEMA.features[3].categories
    match random.integers(5):
        case 0:
            return ("color", {color: below() for color in colors})
        case 1:
            return ("color =", str(random.choice(colors)), below(), below())
        case 2:
            chosen = random.choice(colors, random.integers(1, 4), replace=False).tolist()
            return ("color in", chosen, below(), below())
        case 3:
            return ("size <=", float(random.integers(0, 2)) + 0.5, below(), below())
        case _:
            return (f"{random.choice(['x', 'y'])} <=", float(random.normal()), below(), below())
