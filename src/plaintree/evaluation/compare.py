"""Where two models differ: in their trees or rules, and in what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.column import Column
from plaintree.data.encode import encode
from plaintree.data.schema import Feature, Label, Schema
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import format_number, format_value, plain, shown_schema
from plaintree.errors import ArgumentTypeError, row_name
from plaintree.rules.rule import Rule
from plaintree.rules.rule_list import RuleList
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.tree import Tree

SAME_SHARE = 1e-9
"""Class shares this near to each other are equal but for rounding."""

VALUES_SHOWN = 30
"""Values of a row in the text; :meth:`ModelDifference.to_dict` has all of them."""


@dataclass(frozen=True)
class RowDifference:
    """A row that is answered differently: its values and both answers.

    ``row`` is its position in the table, counted from 0; texts count rows from 1.
    """

    row: int
    values: dict[str, Any]
    first: Label
    second: Label


@dataclass(frozen=True)
class ModelDifference:
    """Where two models differ.

    - ``structure``: where their trees or rules differ first, in words; None if they do not.
    - ``n_rows``: how many rows both were asked about; ``n_answers``: how many of them they answer
      differently; ``n_shares``: how many get other class shares; ``largest_gap``: by how much at
      most. All are 0 without rows.
    - ``rows``: the first few rows that are answered differently.
    - ``parts``: what the models are made of, "trees" or "rules".
    """

    structure: str | None
    n_rows: int = 0
    n_answers: int = 0
    n_shares: int = 0
    largest_gap: float = 0.0
    rows: tuple[RowDifference, ...] = ()
    parts: Literal["trees", "rules"] = "trees"

    @property
    def equal(self) -> bool:
        """Whether there is no difference at all."""
        return self.structure is None and self.n_answers == 0 and self.n_shares == 0

    def to_text(self) -> str:
        """The differences in a few lines."""
        lines = [f"{self.parts.capitalize()}: {self.structure or 'the same'}."]
        if self.n_rows:
            lines.append(f"Answers: {_of(self.n_answers, self.n_rows)} differ.")
            lines += [
                f"  {row_name(r.row)}: {r.first} against {r.second} ({_told(r)})" for r in self.rows
            ]
            left_out = self.n_answers - len(self.rows)
            lines += [f"  ... {left_out} more"] if left_out else []
            gap = f", by {format_number(self.largest_gap)} at most" if self.n_shares else ""
            lines.append(f"Class shares: {_of(self.n_shares, self.n_rows)} differ{gap}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain dictionaries, lists and numbers; ``index`` counts from 0."""
        return {
            "equal": self.equal,
            "structure": self.structure,
            "n_rows": self.n_rows,
            "n_answers": self.n_answers,
            "n_shares": self.n_shares,
            "largest_gap": self.largest_gap,
            "rows": [
                {"index": r.row, "values": r.values, "first": r.first, "second": r.second}
                for r in self.rows
            ],
        }

    def __str__(self) -> str:
        return self.to_text()


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} rows"


def _told(difference: RowDifference) -> str:
    """The values of a row, the first of them if there are many."""
    told = [f"{plain(name)} {value}" for name, value in difference.values.items()]
    n_more = len(told) - VALUES_SHOWN
    return ", ".join([*told[:VALUES_SHOWN], *([f"and {n_more} more"] if n_more > 0 else [])])


def diff(
    a: Any, b: Any, X: Any = None, *, n_examples: int = 5, tolerance: float = 0.0
) -> ModelDifference:
    """Where two models differ, in their trees or rules and, on a table's rows, in their answers.

    Parameters
    ----------
    a, b
        Trees, lists of rules, or fitted models of this library.
    X
        A table that both can answer; without one only the trees or rules are compared.
    n_examples
        How many of the rows that are answered differently are shown.
    tolerance
        How far, relatively, thresholds and class weights of equal models may be apart.

    Returns
    -------
    A :class:`ModelDifference`.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.evaluation.compare import diff
    >>> X, y = pt.datasets.load_tennis()
    >>> grown = pt.ID3Classifier().fit(X, y).tree_
    >>> print(diff(grown, grown.cut(3), X, n_examples=1))
    Trees: at Outlook = Sunny: Humidity against leaf No.
    Answers: 2 of 14 rows differ.
      row 9: Yes against No (Outlook Sunny, Temperature Cool, Humidity Normal, Wind Weak)
      ... 1 more
    Class shares: 5 of 14 rows differ, by 0.6 at most.
    """
    most = int(check_number("n_examples", n_examples, 0, float("inf")))
    check_number("tolerance", tolerance, 0, 1)
    structure = _structure(a, b, tolerance)
    parts: Literal["trees", "rules"] = "rules" if {_kind(a), _kind(b)} == {"rules"} else "trees"
    if X is None:
        return ModelDifference(structure, parts=parts)
    table = table_from(X)
    first, second = _Answers.of(a, X), _Answers.of(b, X)
    gaps = _share_gaps(first, second)
    pairs = zip(first.labels, second.labels, strict=True)
    others = np.flatnonzero([not _same(one, other) for one, other in pairs])
    return ModelDifference(
        structure,
        n_rows=table.n_rows,
        n_answers=len(others),
        n_shares=int(np.count_nonzero(gaps > SAME_SHARE)),
        largest_gap=float(gaps.max()) if gaps.size else 0.0,
        rows=tuple(
            RowDifference(row, _values(table, row), first.labels[row], second.labels[row])
            for row in others[:most].tolist()
        ),
        parts=parts,
    )


# -------------------------------------------------------------------- structure


def _structure(a: Any, b: Any, tolerance: float) -> str | None:
    if _kind(a) != _kind(b):
        return f"{_kind(a)} against {_kind(b)}"
    if _kind(a) == "rules":
        return _of_rules(_rules(a), _rules(b), tolerance)
    mine, other = _trees(a), _trees(b)
    if len(mine) != len(other):
        return f"{len(mine)} trees against {len(other)}"
    for number, (tree, another) in enumerate(zip(mine, other, strict=True)):
        found = tree.difference(another, tolerance=tolerance)
        if found is not None:
            return found if len(mine) == 1 else f"tree {number}, {found}"
    votes = [np.asarray(getattr(model, "estimator_weights_", ())) for model in (a, b)]
    if not np.allclose(votes[0], votes[1], rtol=tolerance or 1e-12):
        return "the weights of the trees' votes"
    if getattr(a, "voting", None) != getattr(b, "voting", None):
        return f"voting by {a.voting} against {b.voting}"
    return None


def _kind(model: Any) -> str:
    """What a model is: trees of any learner are compared as trees."""
    if isinstance(_rules(model), RuleList):
        return "rules"
    if isinstance(getattr(model, "tree_", model), Tree):
        return "a tree"
    if hasattr(model, "estimator_weights_"):
        return "weighted trees"
    if hasattr(model, "trees_"):
        return "a forest"
    raise ArgumentTypeError(
        "there is no model to compare",
        got=f"an object of type {type(model).__name__}",
        hint="give trees, lists of rules, or fitted models; from_sklearn reads scikit-learn's.",
    )


def _trees(model: Any) -> Sequence[Tree]:
    single = getattr(model, "tree_", model)
    if isinstance(single, Tree):
        return (single,)
    trees: Sequence[Tree] = model.trees_
    return trees


def _rules(model: Any) -> Any:
    """The list of rules of a model that has one; any other model as it is."""
    return getattr(model, "rules_", model)


# -------------------------------------------------------------------- rules


def _of_rules(mine: RuleList, other: RuleList, tolerance: float) -> str | None:
    """Where two lists of rules differ first."""
    for number, (rule, another) in enumerate(zip(mine.rules, other.rules, strict=False), 1):
        found = _of_rule(rule, another, tolerance)
        if found is None and _fires(mine, rule) != _fires(other, another):
            found = "which only one of them ever uses"
        if found is not None:
            return f"rule {number}, {found}"
    if len(mine) != len(other):
        return f"{len(mine)} rules against {len(other)}"
    if not _same(mine.default, other.default):
        return f"otherwise {plain(mine.default)} against {plain(other.default)}"
    same = _near(mine.default_weights, other.default_weights, tolerance)
    return None if same else "the class weights where no rule fires"


def _fires(listed: RuleList, rule: Rule) -> bool:
    return rule.accuracy is None or rule.accuracy >= listed.least_accuracy


def _of_rule(rule: Rule, another: Rule, tolerance: float) -> str | None:
    asked, also = _asked(rule), _asked(another)
    ends, other_ends = _ends(rule), _ends(another)
    if asked != also:
        return f"{_words(rule)} against {_words(another)}"
    if not _near(ends, other_ends, tolerance):
        return f"{_words(rule)}: thresholds {ends} against {other_ends}"
    if not _same(rule.label, another.label):
        return f"{plain(rule.label)} against {plain(another.label)}"
    if not _near(rule.class_weights, another.class_weights, tolerance):
        return f"class weights {rule.class_weights} against {another.class_weights}"
    return None


def _asked(rule: Rule) -> list[tuple[Any, ...]]:
    """What a rule asks for, but for the numbers at the ends of intervals."""
    told = []
    for clause in rule.conditions:
        attribute = rule.schema.features[clause.feature]
        ends = (clause.low is not None, clause.high is not None)
        labels = None if clause.allowed is None else [attribute.categories[c] for c in clause.codes]
        told.append((attribute.name, clause.is_missing, ends, labels))
    return told


def _ends(rule: Rule) -> tuple[float, ...]:
    both = [end for clause in rule.conditions for end in (clause.low, clause.high)]
    return tuple(end for end in both if end is not None)


def _words(rule: Rule) -> str:
    shown = shown_schema(rule.schema)
    return " AND ".join(clause.describe(shown) for clause in rule.conditions) or "no condition"


def _near(ours: Sequence[float], others: Sequence[float], tolerance: float) -> bool:
    pairs = zip(ours, others, strict=False)
    return len(ours) == len(others) and all(isclose(x, y, rel_tol=tolerance) for x, y in pairs)


# -------------------------------------------------------------------- answers


@dataclass(frozen=True, eq=False)
class _Answers:
    """What a model says about every row: a label, and the share of every class, by its text."""

    labels: list[Label]
    classes: list[str]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, model: Any, X: Any) -> _Answers:
        if isinstance(model, Tree):
            columns = encode(
                table_from(X), model.schema, unseen=_unseen(model), used=model.used_columns
            )
            codes = class_codes(model, columns)
            schema: Schema = model.schema
            labels = [schema.classes[code] for code in codes.tolist()]
            return cls(labels, list(map(str, schema.classes)), class_shares(model, columns))
        labels = np.asarray(model.predict(X)).tolist()
        listed = isinstance(model, RuleList)
        classes = list(model.schema.classes) if listed else np.asarray(model.classes_).tolist()
        return cls(labels, list(map(str, classes)), np.asarray(model.predict_proba(X)))

    def share_of(self, name: str) -> NDArray[np.float64]:
        """The share of one class in every row; 0 for a class that the model does not know."""
        if name not in self.classes:
            return np.zeros(len(self.shares))
        return np.asarray(self.shares[:, self.classes.index(name)])


def _unseen(tree: Tree) -> str:
    return tree.conventions.unseen if tree.conventions else "missing"


def _same(one: Label, other: Label) -> bool:
    """Labels are the same if they are equal, or read the same: 1 and "1"."""
    return one == other or str(one) == str(other)


def _share_gaps(first: _Answers, second: _Answers) -> NDArray[np.float64]:
    """The largest gap between the shares of a class, for every row."""
    classes = dict.fromkeys([*first.classes, *second.classes])
    apart = [np.abs(first.share_of(name) - second.share_of(name)) for name in classes]
    return np.asarray(np.max(apart, axis=0))


def _values(table: Table, row: int) -> dict[str, Any]:
    """A row's values by name; None where one is missing."""
    return {column.name: _value(column, column.values[row].item()) for column in table.columns}


def _value(column: Column, value: float) -> Any:
    attribute = Feature(column.name, column.kind, column.unit)
    if attribute.is_missing(value):
        return None
    if column.labels:
        return column.labels[int(value)]
    if column.unit in TEMPORAL:
        return format_value(attribute, value)
    return int(value) if value.is_integer() else value
