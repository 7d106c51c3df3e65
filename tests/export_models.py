"""Models and trees on which every export has to prove itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import plaintree as pt
from plaintree.boost import BoostedTreesClassifier
from plaintree.convention import CART, Conventions
from plaintree.forest import BaggedTreesClassifier, RandomForestClassifier
from plaintree.schema import Attribute, Schema
from plaintree.tree import Tree
from trees import XY_SCHEMA, build

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
    last = Attribute(names[-1], "categorical", "text", texts)
    numbers = tuple(Attribute(name, "numeric") for name in names[:-1])
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
        n_estimators=3, voting="probability", missing="fractional", random_state=0
    ),
}
"""Every learner and every way to treat gaps and unseen values."""


def golf_model(name: str) -> tuple[Any, Any]:
    """One of these learners, fitted, and its table."""
    X, y = pt.datasets.load_golf()
    return clone(GOLF_LEARNERS[name]).fit(X, y), X


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


def unseen_conventions() -> tuple[Conventions | None, ...]:
    return (None, CART, replace(CART, unseen="stop"), replace(CART, tied_answer="label"))


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

    colors = XY_SCHEMA.attributes[3].categories
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
