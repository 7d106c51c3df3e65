"""C4.5rules: a tree as a short rule list, as Quinlan's program or as textbooks make it.

Every leaf of the unpruned tree is a rule. A rule is generalised by leaving out conditions, one at a
time, as long as its pessimistic error does not grow. Then the rules of each class are selected by
description length (subset.py) and ordered, and those that cause more errors than they avoid are
dropped. Until the end, the clauses of a rule are single conditions of the tree, not yet merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.schema import Schema
from plaintree.data.table import table_from
from plaintree.data.target import labels_from
from plaintree.errors import TableError, nearest
from plaintree.progress import Progress, no_progress
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of

from .candidates import (
    MAX_ERROR,
    Candidate,
    Method,
    Options,
    candidate_rules,
    features_with_sets,
)
from .cover import TrainingRows, Words, count, unpacked
from .rule import Clause, Rule, joined
from .rule_list import RuleList
from .subset import ClassRules, CLibraryRandom, RuleCode, best_subset


def simplify_rules(
    model_or_tree: object,
    X: Any,
    y: Any,
    *,
    method: Method = "c4.5rules",
    confidence: float = 0.25,
    random_state: int = 1,
    progress: Progress | None = None,
) -> RuleList:
    """Turn a tree into an ordered rule list, as C4.5rules does.

    The list is simpler than the tree and often more accurate.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree. It should not be pruned: the rules are.
    X : table
        The training table.
    y : array-like
        Its labels; every row counts once.
    method : {"c4.5rules", "course"}, default="c4.5rules"
        "c4.5rules" follows Quinlan's program. "course" is the version of textbooks: leave out
        conditions while that improves the estimated accuracy of a rule, sort the rules by it, and
        take the most frequent class of the rows that no rule covers as the default.
    confidence : float, default=0.25
        Confidence level of the pessimistic estimate, as in pruning. Smaller values make shorter
        rules.
    random_state : int, default=1
        Seed of the search for a subset of more than ten rules; 1 is that of the program.
    progress : callable, default=None
        Called with the name of the step, the work done so far, and the total.

    Returns
    -------
    RuleList
        The rules in order, with a default class.

    Raises
    ------
    TableError
        If y has a label that is not a class of the tree.
    ParameterError
        If the target is numeric.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> tree = pt.C45Classifier(pruning=None).fit(X, y).tree_
    >>> print(pt.rules.simplify_rules(tree, X, y).describe(width=90))
    1. IF outlook = sunny AND humidity > 75
       THEN no   (estimated accuracy 63.0%, support 3, confidence 1.00)
    2. IF outlook = rain AND windy = True
       THEN no   (estimated accuracy 50.0%, support 2, confidence 1.00)
    3. IF outlook = overcast THEN yes   (estimated accuracy 70.7%, support 4, confidence 1.00)
    4. IF outlook = rain AND windy = False
       THEN yes   (estimated accuracy 63.0%, support 3, confidence 1.00)
    OTHERWISE yes   (support 2)
    """
    tree = tree_of(model_or_tree)
    needs_classes(tree, "C4.5rules, which drops conditions by the errors of classes,")
    table = table_from(X)
    codes, labels = labels_from(y, table.n_rows)
    columns = encode(table, tree.schema)
    return rules_from_rows(
        tree,
        columns,
        _known_classes(codes, labels, tree.schema),
        Options(method, confidence, random_state),
        progress or no_progress,
    )


def _known_classes(
    codes: NDArray[np.int32], labels: Sequence[Any], schema: Schema
) -> NDArray[np.int32]:
    """Class codes of a table as positions in the schema's classes."""
    position = {label: i for i, label in enumerate(schema.classes)}
    for label in labels:
        if label not in position:
            raise TableError(
                "y has a label that is not a class of the tree",
                got=repr(label),
                hint=nearest(label, schema.classes)
                or f"the classes are {', '.join(map(repr, schema.classes[:5]))}.",
            )
    return np.array([position[label] for label in labels], dtype=np.int32)[codes]


def rules_from_rows(
    tree: Tree,
    columns: Sequence[NDArray[Any]],
    classes: NDArray[np.int32],
    options: Options,
    progress: Progress = no_progress,
) -> RuleList:
    """:func:`simplify_rules` of encoded columns and class codes."""
    rows = TrainingRows(columns, classes, len(tree.schema.classes))
    candidates = candidate_rules(tree, rows, options, progress)
    if options.method == "course":
        ordered = sorted(candidates, key=lambda rule: rule.error)
        return _finished(tree.schema, rows, ordered, default_class(rows, ordered), ordered)
    chosen = _chosen(tree, rows, candidates, options.random_state, progress)
    ordered = ordered_by_class(rows, chosen)
    default = default_class(rows, ordered)
    useful = without_harmful(rows, ordered, default)
    finished = _finished(tree.schema, rows, ordered, default, useful)
    return replace(finished, min_accuracy=1 - MAX_ERROR)


# -------------------------------------------------------------------- choice and order


def _chosen(
    tree: Tree,
    rows: TrainingRows,
    candidates: list[Candidate],
    seed: int,
    progress: Progress,
) -> list[Candidate]:
    """The rules of each class whose description is shortest."""
    code = RuleCode(tree.schema, rows.columns, features_with_sets(tree))
    draw, chosen, n_classes = CLibraryRandom(int(seed)), [], len(tree.schema.classes)
    for label in range(n_classes):
        progress("choosing rules", label, n_classes)
        rules = [rule for rule in candidates if rule.label == label]
        if rules:
            search = ClassRules(
                covers=np.stack([rule.fires for rule in rules]),
                rule_bits=np.array([code.rule_bits(rule.clauses) for rule in rules]),
                positive=rows.of_class[label],
                n_rows=rows.n_rows,
            )
            chosen += [rules[i] for i in np.flatnonzero(best_subset(search, draw))]
    progress("choosing rules", n_classes, n_classes)
    return chosen


def ordered_by_class(rows: TrainingRows, rules: list[Candidate]) -> list[Candidate]:
    """The class with the fewest false positives among the uncovered rows first, then the next.

    Within a class the rule with the lowest estimated error comes first.
    """
    ordered: list[Candidate] = []
    uncovered = rows.everything
    waiting = list(range(len(rows.of_class)))
    fires = [_fired_by_any(rows, [r for r in rules if r.label == label]) for label in waiting]
    while waiting:
        false = [int(count(fires[c] & uncovered & ~rows.of_class[c])) for c in waiting]
        label = waiting.pop(int(np.argmin(false)))
        uncovered = uncovered & ~fires[label]
        ordered += sorted((r for r in rules if r.label == label), key=lambda rule: rule.error)
    return ordered


def _fired_by_any(rows: TrainingRows, rules: list[Candidate]) -> Words:
    union = np.zeros_like(rows.everything)
    for rule in rules:
        union |= rule.fires
    return union


def default_class(rows: TrainingRows, rules: list[Candidate]) -> int:
    """The class with most rows that no rule covers; then the more frequent, then the first."""
    uncovered = count(rows.of_class & ~_fired_by_any(rows, rules)).tolist()
    classes = range(len(uncovered))
    return max(classes, key=lambda c: (uncovered[c], int(rows.class_counts[c])))


def without_harmful(rows: TrainingRows, ordered: list[Candidate], default: int) -> list[Candidate]:
    """The rules without those that cause more errors than they avoid, dropped one at a time.

    A rule avoids an error in a row if it is correct and the prediction without it, by the next
    rule that fires or the default, is not. It causes one if it is the other way round.
    """
    labels = np.array([*(rule.label for rule in ordered), default, default])
    n_rules = len(ordered)
    fires = np.ones((rows.n_rows, n_rules + 2), dtype=np.bool_)  # the default always fires
    for position, rule in enumerate(ordered):
        fires[:, position] = unpacked(rule.fires, rows.n_rows)
    kept = np.ones(n_rules, dtype=np.bool_)
    first, second = _first_two(fires)
    while True:
        correct, instead = labels[first] == rows.classes, labels[second]
        avoided = correct & (instead != rows.classes)
        caused = ~correct & (instead == rows.classes)
        balance = np.bincount(first, avoided, n_rules + 2) - np.bincount(first, caused, n_rules + 2)
        harmful = np.flatnonzero(balance[:n_rules] < 0)
        if not harmful.size:
            return [rule for rule, keep in zip(ordered, kept, strict=True) if keep]
        dropped = harmful[0]
        kept[dropped], fires[:, dropped] = False, False
        changed = np.flatnonzero((first == dropped) | (second == dropped))
        first[changed], second[changed] = _first_two(fires[changed])


def _first_two(fires: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first rule that fires for each row, and the next one."""
    first, each = np.argmax(fires, axis=1), np.arange(len(fires))
    fires[each, first] = False
    second = np.argmax(fires, axis=1)
    fires[each, first] = True
    return first, second


# -------------------------------------------------------------------- the list


def _finished(
    schema: Schema,
    rows: TrainingRows,
    ordered: list[Candidate],
    default: int,
    useful: list[Candidate],
) -> RuleList:
    """The rule list of the remaining rules; the others are ``dropped``."""
    uncovered = count(rows.of_class & ~_fired_by_any(rows, useful))
    return RuleList(
        schema=schema,
        rules=tuple(_rule(schema, rows, rule) for rule in useful),
        default=schema.classes[default],
        default_weights=tuple(map(float, uncovered.tolist())),
        dropped=tuple(_rule(schema, rows, rule) for rule in ordered if rule not in useful),
    )


def _rule(schema: Schema, rows: TrainingRows, candidate: Candidate) -> Rule:
    merged: tuple[Clause, ...] = ()
    for clause in candidate.clauses:
        merged = joined(merged, clause)
    weights = count(rows.of_class & rows.covered(candidate.clauses)).tolist()
    total = sum(weights)
    return Rule(
        conditions=merged,
        label=schema.classes[candidate.label],
        weight=float(total),
        confidence=weights[candidate.label] / total if total else 0.0,
        class_weights=tuple(map(float, weights)),
        leaf=candidate.leaf,
        schema=schema,
        accuracy=1 - candidate.error,
        number=candidate.number,
    )
