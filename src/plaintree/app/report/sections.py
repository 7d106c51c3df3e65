"""The sections of a report, each a heading and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plaintree.data.words import number_text, plain, shown_schema, weight_text
from plaintree.estimators.registry import LEARNERS, TaskName
from plaintree.evaluation.metrics import task_of
from plaintree.rules.extract import by_weight, rule_rows
from plaintree.show.picture.style import Frame
from plaintree.show.picture.svg import svg_of
from plaintree.show.picture.tree_picture import tree_picture
from plaintree.tree.tree import Tree

from .chart import curve_svg
from .findings import Findings
from .markup import bar, breakable, count, figures, left_out, name, noun, paragraph, table, words
from .numbers import numbers_part
from .quality import main_metrics, quality_part
from .subject import Subject

MAX_COLUMNS, MAX_CLASSES, MAX_RULES, MAX_IMPORTANCES = 100, 30, 60, 25
"""Lengths of lists; further items are counted."""
MAX_TREE_WIDTH = 960.0
"""The width of the page; wider trees are folded, so the root is in sight."""


OF_NODES: dict[TaskName, str] = {
    "classification": "the number of training rows of each class, with a bar of their proportions",
    "regression": "its training rows with the number that it predicts for them",
}
RULE_KEYS = ("rule", "if", "then", "support", "estimated_accuracy")
"""What all rules have; the others are the confidence, or the spread of numbers."""
OF_RULES: dict[TaskName, str] = {
    "classification": "confidence the proportion of them that have its class",
    "regression": "and a spread is that of their numbers",
}
QUALITY: dict[TaskName, tuple[str, Callable[[Findings], Iterator[str]]]] = {
    "classification": ("Accuracy and confusion matrix", quality_part),
    "regression": ("RMSE, MAE and R2", numbers_part),
}
"""The heading and the part about quality, by task."""


@dataclass(frozen=True)
class Section:
    """A section of the page; ``anchor`` is the target of links within the page."""

    anchor: str
    heading: str
    body: str


def sections(found: Findings) -> Iterator[Section]:
    """The sections in order, without empty ones."""
    subject = found.subject
    yield Section("data", "Data", "\n".join(_data(found)))
    if subject.tree is not None:
        heading = "Tree" if subject.form == "tree" else "Example tree"
        yield Section("tree", heading, "\n".join(_tree(subject)))
    if subject.form != "trees":
        yield Section("rules", "Rules", "\n".join(_rules(subject)))
    heading, part = QUALITY[subject.task]
    yield Section("quality", heading, "\n".join(part(found)))
    if found.curve is not None:
        error = found.curve.error[0].upper() + found.curve.error[1:]
        yield Section("size", f"{error} against size", "\n".join(_curve(found)))
    importances = "\n".join(_importances(subject))
    if importances:
        yield Section("importances", "Feature importances", importances)
    yield Section("conventions", "Parameters and versions", "\n".join(_conventions(found)))


def default_title(subject: Subject) -> str:
    """The kind of the model and its target."""
    what = "A decision tree"
    if subject.form == "trees":
        known = LEARNERS.get(type(subject.model).__name__)
        is_boosted = known is not None and known.holds == "boosted"
        trees = count(subject.n_trees, "tree")
        what = f"A boosted model of {trees}" if is_boosted else f"A forest of {trees}"
    elif subject.rules is not None:
        what = f"A list of {count(len(subject.rules), 'rule')}"
    return f"{what} for {plain(subject.schema.target)}"


def key_figures(found: Findings) -> str:
    """The most important numbers."""
    subject = found.subject
    counted = [("row", found.n_rows), ("feature", len(found.columns))]
    if found.classes:
        counted.append(("class", len(found.classes)))
    if subject.form == "trees":
        counted.append(("tree", subject.n_trees))
    elif subject.rules is not None:
        counted.append(("rule", len(subject.rules)))
    elif subject.tree is not None:
        counted.append(("leaf", subject.tree.n_leaves))
    pairs = [(noun(n, what), f"{n:,}") for what, n in counted]
    if subject.form == "tree" and subject.tree is not None:
        pairs.append(("depth", str(subject.tree.depth)))
    return figures([*pairs, *main_metrics(found)])


# -------------------------------------------------------------------- the table


def _data(found: Findings) -> Iterator[str]:
    n_missing = sum(column.n_missing for column in found.columns)
    values = found.n_rows * len(found.columns)
    missing = (
        f"{n_missing:,} of {values:,} values are missing" if n_missing else "No missing values"
    )
    yield paragraph(f"{missing}. {_whose_rows(found)}")
    rows = [
        (
            name(column.name),
            words(column.kind),
            _missing(column.n_missing, found.n_rows),
            words(column.values),
        )
        for column in found.columns[:MAX_COLUMNS]
    ]
    yield table(("column", "kind", "missing", "values"), rows, (False, False, True, False))
    yield from left_out(len(found.columns) - MAX_COLUMNS, "column")
    if any(column.n_levels and not column.levels for column in found.columns):
        yield paragraph("Columns that the model does not use are shown without values.", note=True)
    yield from _target(found)


def _target(found: Findings) -> Iterator[str]:
    """The classes, or the mean, standard deviation and quartiles of a numeric target."""
    target = found.subject.schema.target
    if found.spread is not None:
        yield "<h3>Target</h3>"
        values = tuple(map(number_text, found.spread.values()))
        names = ("target", "mean", "sd", "minimum", "25%", "median", "75%", "maximum")
        yield table(names, [(name(target), *values)], (False, *(True for _ in values)))
        return
    yield "<h3>Classes</h3>"
    counted = sorted(found.classes, key=lambda pair: -pair[1])
    most = counted[0][1]
    shown = [
        (name(label), f"{n:,}", f"{n / found.n_rows:.1%}", bar(n / most))
        for label, n in counted[:MAX_CLASSES]
    ]
    header = (target, "rows", "proportion", "")
    yield table(header, shown, (False, True, True, False), kind="bars")
    yield from left_out(len(counted) - MAX_CLASSES, "class")


def _missing(n: int, of: int) -> str:
    return f"{n:,} ({n / of:.1%})" if n else "–"


def _whose_rows(found: Findings) -> str:
    if found.is_training_table is None:
        return "It is not known whether the model was fitted on these rows."
    if found.is_training_table:
        return "The model was fitted on these rows."
    n = found.subject.model.training_.n_rows
    weighted = " If only the weights are different, the metrics below are optimistic."
    return (
        f"These are not the {n:,} rows that the model was fitted on, or their weights are "
        f"different. All metrics below are of this model on the rows given."
        f"{weighted if n == found.n_rows else ''}"
    )


# -------------------------------------------------------------------- the model


def _tree(subject: Subject) -> Iterator[str]:
    tree = subject.tree
    assert tree is not None, "called only if there is one"
    if subject.form == "trees":
        yield paragraph(
            f"The first of {subject.n_trees:,} trees. The model predicts with "
            f"{'the votes' if subject.schema.classes else 'the mean'} of all."
        )
    elif subject.form == "rules":
        yield paragraph(
            "The tree that the rules were made from. The model predicts with the rules."
        )
    elif not tree.size:
        yield paragraph(
            f"The tree is a single leaf: it predicts {_predicted(tree)} for all rows, "
            "whatever their values."
        )
    else:
        yield paragraph(
            f"{count(tree.size, 'internal node')}, {count(tree.n_leaves, 'leaf')}, "
            f"depth {tree.depth}."
        )
    if tree.edits and subject.form == "tree":
        edits = ", ".join(dict.fromkeys(str(edit.get("edit", "change")) for edit in tree.edits))
        yield paragraph(f"The tree was edited by hand after it was grown: {edits}.")
    yield paragraph(
        f"A node shows its split and {OF_NODES[task_of(tree.schema.classes)]}. A branch is wider "
        "if more training rows take it. Nodes that do not fit are folded into one that counts its "
        "leaves.",
        note=True,
    )
    drawing = svg_of(tree_picture(tree, Frame(most_width=MAX_TREE_WIDTH, titles=True)))
    yield f'<figure class="tree" style="margin: 1rem 0">{drawing}</figure>'


def _predicted(tree: Tree) -> str:
    """The prediction of the root."""
    return plain(tree.node(0).label) if tree.schema.classes else number_text(tree.prediction[0])


def _rules(subject: Subject) -> Iterator[str]:
    if subject.rules is not None:
        rows = rule_rows(subject.model)
        n_rules = len(rows)
        alone = f"The list has no rules: it predicts {plain(subject.rules.default)} for all rows."
        first = "A row is predicted by the first rule whose conditions it satisfies."
        yield paragraph(first if len(subject.rules) else alone)
        shown = rows if len(rows) <= MAX_RULES else [*rows[: MAX_RULES - 1], rows[-1]]
    else:
        yield paragraph(
            "One rule per leaf. A row without missing values satisfies exactly one of them."
        )
        shown, n_rules = _largest_rules(subject.tree)
    estimated = subject.rules is not None
    cells = []
    for row in shown:
        number = "" if row["rule"] is None else str(row["rule"])
        then = [breakable(row["if"]), _then(row["then"]), weight_text(row["support"])]
        spread = [key for key in row if key not in RULE_KEYS]
        last = [_rule_number(row, key) for key in spread]
        accuracy = row.get("estimated_accuracy")
        last += ["" if accuracy is None else f"{accuracy:.1%}"] if estimated else []
        cells.append((number, *then, *last))
    header = ["", "if", "then", "support", *spread] + ["estimated accuracy"] * estimated
    numeric = [True, False, False, True, True] + [True] * estimated
    yield table(header, cells, numeric)
    left = n_rules - len(shown)
    which = "" if estimated else ", each with less support than those shown"
    if left > 0:
        yield paragraph(f"... and {count(left, 'more rule')}{which}.", note=True)
    yield paragraph(
        f"Support is the number (or weight) of training rows that a rule covers, "
        f"{OF_RULES[subject.task]}.",
        note=True,
    )


def _largest_rules(tree: Tree | None) -> tuple[list[dict[str, Any]], int]:
    """The rules of the leaves with most rows, in their order, and the number of all rules.

    A large tree has thousands of them, so only those that are shown are formatted.
    """
    assert tree is not None, "a model without a tree has a rule list"
    rules, schema = by_weight(tree), shown_schema(tree.schema)
    largest = sorted(range(len(rules)), key=lambda i: -rules[i].weight)[:MAX_RULES]
    return [rules[i].row(i + 1, schema) for i in sorted(largest)], len(rules)


def _then(prediction: object) -> str:
    return number_text(prediction) if isinstance(prediction, float) else name(prediction)


def _rule_number(row: Mapping[str, Any], key: str) -> str:
    """The confidence of a rule, or the spread of its numbers; there is none without rows."""
    if not row["support"] or row[key] is None:
        return "–"
    return f"{row[key]:.2f}" if key == "confidence" else number_text(row[key])


# -------------------------------------------------------------------- the rest


def _curve(found: Findings) -> Iterator[str]:
    curve = found.curve
    assert curve is not None, "called only if there is one"
    yield paragraph(curve.about)
    if curve.unit != "trees":
        yield paragraph(
            f"The tree is pruned step by step, weakest links first. Where the {curve.error} on "
            "held-out rows rises while that on training rows falls, the tree overfits.",
            note=True,
        )
    yield f'<figure class="chart" style="margin: 1rem 0">{curve_svg(curve)}</figure>'


def _importances(subject: Subject) -> Iterator[str]:
    importances = subject.importances()
    if importances is None or not importances.any():
        return
    order = np.argsort(-importances, kind="stable")
    used = [int(i) for i in order if importances[i] > 0]
    yield paragraph(
        "The impurity decrease of the splits on each column, as a fraction of the total, on "
        "training rows."
    )
    names = subject.schema.names
    rows = [
        (name(names[i]), f"{importances[i]:.1%}", bar(importances[i] / importances[used[0]]))
        for i in used[:MAX_IMPORTANCES]
    ]
    yield table(("column", "importance", ""), rows, (False, True, False), kind="bars")
    yield from left_out(len(used) - MAX_IMPORTANCES, "column")
    unused = len(names) - len(used)
    if unused:
        yield paragraph(f"Without splits: {count(unused, 'column')}.", note=True)


def _conventions(found: Findings) -> Iterator[str]:
    subject = found.subject
    conventions = subject.conventions
    if conventions is not None:
        yield paragraph(f"{type(subject.model).__name__}, conventions {conventions}:")
        yield _pairs_table(conventions.to_json())
    parameters = _own_parameters(subject)
    if parameters:
        yield "<h3>Further parameters</h3>"
        yield _pairs_table({key: repr(value) for key, value in parameters.items()})
    yield "<h3>Versions</h3>"
    yield _pairs_table(found.versions)
    record = getattr(subject.model, "training_", None)
    if record is not None:
        yield paragraph(
            f"Training table: {record.n_rows:,} rows, hash {record.table_hash}.", note=True
        )


def _pairs_table(pairs: Mapping[str, object]) -> str:
    rows = [(name(key), breakable(str(value))) for key, value in pairs.items()]
    return table(("name", "value"), rows, (False, False))


def _own_parameters(subject: Subject) -> dict[str, object]:
    """The estimator's parameters that are not conventions."""
    known = subject.conventions.to_json() if subject.conventions else {}
    return {key: value for key, value in subject.parameters().items() if key not in known}
