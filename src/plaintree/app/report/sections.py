"""The parts of a report, each a heading and some HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from plaintree.data.words import plain, weight_text
from plaintree.rules.extract import rule_rows
from plaintree.show.picture.style import Frame
from plaintree.show.picture.svg import svg_of
from plaintree.show.picture.tree_picture import tree_picture

from .chart import curve_svg
from .findings import Findings, Subject
from .markup import bar, breakable, count, figures, left_out, name, noun, paragraph, table, words
from .quality import accuracies, quality_part

MOST_COLUMNS, MOST_CLASSES, MOST_RULES, MOST_IMPORTANCES = 100, 30, 60, 25
"""Of longer lists so many are shown, and the rest counted."""
WIDEST_TREE = 960.0
"""Of a drawing, as wide as the page, so that the root is in sight; the rest is folded."""


@dataclass(frozen=True)
class Section:
    """A part of the page; ``anchor`` is what links within the page lead to."""

    anchor: str
    heading: str
    body: str


def sections(found: Findings) -> Iterator[Section]:
    """The parts that there is something to say in, in order."""
    subject = found.subject
    yield Section("data", "The data", "\n".join(_data(found)))
    if subject.tree is not None:
        heading = "The tree" if subject.form == "tree" else "A tree"
        yield Section("tree", heading, "\n".join(_tree(subject)))
    if subject.form != "trees":
        yield Section("rules", "The rules", "\n".join(_rules(subject)))
    yield Section("quality", "How good it is", "\n".join(quality_part(found)))
    if found.curve is not None:
        yield Section("size", "Errors against size", "\n".join(_curve(found)))
    importances = "\n".join(_importances(subject))
    if importances:
        yield Section("importances", "Importances", importances)
    yield Section("conventions", "How it was made", "\n".join(_conventions(found)))


def default_title(subject: Subject) -> str:
    """What the model is, and what for."""
    what = "A decision tree"
    if subject.form == "trees":
        what = f"A forest of {count(subject.n_trees, 'tree')}"
    elif subject.rules is not None:
        what = f"A list of {count(len(subject.rules), 'rule')}"
    return f"{what} for {plain(subject.schema.target)}"


def key_figures(found: Findings) -> str:
    """What to see first."""
    subject = found.subject
    counted = [("row", found.n_rows), ("attribute", len(found.columns))]
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
    return figures([*pairs, *accuracies(found)])


# -------------------------------------------------------------------- the table


def _data(found: Findings) -> Iterator[str]:
    gaps = sum(column.n_missing for column in found.columns)
    values = found.n_rows * len(found.columns)
    lacking = f"{gaps:,} of {values:,} values are missing" if gaps else "No values are missing"
    yield paragraph(f"{lacking}. {_whose_rows(found)}")
    rows = [
        (
            name(column.name),
            words(column.kind),
            _gaps(column.n_missing, found.n_rows),
            words(column.values),
        )
        for column in found.columns[:MOST_COLUMNS]
    ]
    yield table(("column", "kind", "gaps", "values"), rows, (False, False, True, False))
    yield from left_out(len(found.columns) - MOST_COLUMNS, "column")
    yield "<h3>The classes</h3>"
    counted = sorted(found.classes, key=lambda pair: -pair[1])
    most = counted[0][1]
    shown = [
        (name(label), f"{n:,}", f"{n / found.n_rows:.1%}", bar(n / most))
        for label, n in counted[:MOST_CLASSES]
    ]
    header = (found.subject.schema.target, "rows", "share", "")
    yield table(header, shown, (False, True, True, False), kind="bars")
    yield from left_out(len(counted) - MOST_CLASSES, "class")


def _gaps(n: int, of: int) -> str:
    return f"{n:,} ({n / of:.1%})" if n else "–"


def _whose_rows(found: Findings) -> str:
    if found.is_training_table is None:
        return "Whether the model was fitted on these rows is not known."
    if found.is_training_table:
        return "The model was fitted on these rows."
    n = found.subject.model.training_.n_rows
    weighted = (
        " If only their weights are different, the model has seen them and the values below are "
        "optimistic."
    )
    return (
        f"These are not the rows that the model was fitted on ({n:,} of them), or their weights "
        f"were others. All values below are of this model on the rows given."
        f"{weighted if n == found.n_rows else ''}"
    )


# -------------------------------------------------------------------- the model


def _tree(subject: Subject) -> Iterator[str]:
    tree = subject.tree
    assert tree is not None, "asked for only where there is one"
    if subject.form == "trees":
        yield paragraph(
            f"The first of {subject.n_trees:,} trees, as an example; the answer is the vote of all."
        )
    elif subject.form == "rules":
        yield paragraph("The tree that the rules were made from. The rules answer, not the tree.")
    elif not tree.size:
        yield paragraph(
            f"The tree is a single leaf: it predicts {plain(tree.node(0).label)} for all rows, "
            "whatever their values."
        )
    else:
        yield paragraph(
            f"{count(tree.size, 'test')} (internal nodes), {count(tree.n_leaves, 'leaf')}, "
            f"depth {tree.depth}."
        )
    if tree.edits and subject.form == "tree":
        edits = ", ".join(dict.fromkeys(str(edit.get("edit", "change")) for edit in tree.edits))
        yield paragraph(f"The tree was edited by hand after it was grown: {edits}.")
    yield paragraph(
        "A node shows its test, the training rows by class, and a bar of the classes. Branches "
        "are the wider, the more rows take them. What does not fit is folded into a node that "
        "counts its leaves.",
        note=True,
    )
    drawing = svg_of(tree_picture(tree, Frame(most_width=WIDEST_TREE, titles=True)))
    yield f'<figure class="tree" style="margin: 1rem 0">{drawing}</figure>'


def _rules(subject: Subject) -> Iterator[str]:
    rows = rule_rows(subject.model)
    if subject.rules is not None:
        alone = f"The list has no rules: it predicts {plain(subject.rules.default)} for all rows."
        first = "The first rule whose conditions a row satisfies answers it."
        yield paragraph(first if len(subject.rules) else alone)
        shown = rows if len(rows) <= MOST_RULES else [*rows[: MOST_RULES - 1], rows[-1]]
    else:
        yield paragraph(
            "One rule per leaf; a row without gaps satisfies the conditions of one of them."
        )
        heaviest = sorted(rows, key=lambda row: -row["support"])[:MOST_RULES]
        shown = sorted(heaviest, key=lambda row: int(row["rule"]))
    estimated = subject.rules is not None
    cells = []
    for row in shown:
        number = "" if row["rule"] is None else str(row["rule"])
        then = [breakable(row["if"]), name(row["then"]), weight_text(row["support"])]
        last = [f"{row['confidence']:.2f}" if row["support"] else "–"]
        accuracy = row.get("estimated_accuracy")
        last += ["" if accuracy is None else f"{accuracy:.1%}"] if estimated else []
        cells.append((number, *then, *last))
    header = ["", "if", "then", "support", "confidence"] + ["estimated accuracy"] * estimated
    numeric = [True, False, False, True, True] + [True] * estimated
    yield table(header, cells, numeric)
    left = len(rows) - len(shown)
    which = "" if estimated else ", each about fewer training rows than those shown"
    if left > 0:
        yield paragraph(f"... and {count(left, 'more rule')}{which}.", note=True)
    yield paragraph(
        "Support is the number (or weight) of training rows that a rule is about, confidence the "
        "share of them that have its class.",
        note=True,
    )


# -------------------------------------------------------------------- the rest


def _curve(found: Findings) -> Iterator[str]:
    curve = found.curve
    assert curve is not None, "asked for only where there is one"
    yield paragraph(curve.about)
    if curve.unit != "trees":
        yield paragraph(
            "The whole tree is cut down step by step, weakest branches first. Where errors on "
            "held-out rows rise again while those on training rows fall, the tree over-fits.",
            note=True,
        )
    yield f'<figure class="chart" style="margin: 1rem 0">{curve_svg(curve)}</figure>'


def _importances(subject: Subject) -> Iterator[str]:
    shares = subject.importances()
    if shares is None or not shares.any():
        return
    order = np.argsort(-shares, kind="stable")
    used = [int(i) for i in order if shares[i] > 0]
    yield paragraph("How much impurity the tests of each column remove, as shares of the whole.")
    names = subject.schema.names
    rows = [
        (name(names[i]), f"{shares[i]:.1%}", bar(shares[i] / shares[used[0]]))
        for i in used[:MOST_IMPORTANCES]
    ]
    yield table(("column", "share", ""), rows, (False, True, False), kind="bars")
    yield from left_out(len(used) - MOST_IMPORTANCES, "column")
    unused = len(names) - len(used)
    if unused:
        yield paragraph(f"Not tested at all: {count(unused, 'column')}.", note=True)


def _conventions(found: Findings) -> Iterator[str]:
    subject = found.subject
    conventions = subject.conventions
    if conventions is not None:
        yield paragraph(f"{type(subject.model).__name__} by the conventions {conventions}:")
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
    """The learner's parameters that are not conventions, which stand above."""
    known = subject.conventions.to_json() if subject.conventions else {}
    return {key: value for key, value in subject.parameters().items() if key not in known}
