"""The worked solution of a model: ``derive`` works it out, a ``Derivation`` writes it down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from plaintree.data.encode import completed_schema, encode
from plaintree.data.rows import Rows
from plaintree.data.table import table_from
from plaintree.data.words import plain, shown_schema
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError, not_allowed
from plaintree.rules.extract import rules_of
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from .cases import Cases
from .classify import classified
from .document import (
    SHEET_LINES,
    Answer,
    Block,
    Composed,
    Document,
    Drawing,
    Grid,
    Heading,
    Listing,
    Number,
    Paragraph,
    Space,
    in_answers,
    with_blanks,
)
from .formulas import SCORE, test_name
from .introduction import introduction
from .pruning_steps import Pruned, before_pruning, pruning_of
from .sections import Sections
from .steps import Step, Steps, work_out
from .words import classes_text
from .worksheet import asked_step
from .write_html import to_html
from .write_latex import to_latex
from .write_markdown import to_markdown
from .write_text import to_text

Level = Literal["full", "table", "answer"]

TREES_DRAWN = 12
"""The tree is drawn after every step while it has no more internal nodes than this."""
RULES_LISTED = 60


@dataclass(frozen=True, eq=False)
class Derivation:
    """A worked solution, to be written in one of four notations.

    ``steps`` holds what was worked out at every node; ``document`` what will be written; ``sheet``
    what a worksheet shows instead. ``is_pruned_right``: whether pruning, if there was any, led to
    the tree of the model.
    """

    document: Document
    steps: Steps
    sheet: Document
    is_pruned_right: bool = True
    is_worksheet: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the tree is the one that these figures lead to, but for ties.

        At every node it has the split found here or one that scores the same, or it stops where
        growing stops; leaves predict the majority class; and pruning cuts what it should.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_tennis()
        >>> derive(pt.ID3Classifier().fit(X, y), X, y).agrees
        True
        """
        every = (kind for step in self.steps.by_node.values() for kind in step.differences)
        return self.is_pruned_right and all(kind == "tie" for kind in every)

    def worksheet(self) -> Derivation:
        """The task and the root with blanks, and room for the steps below the root.

        Which steps follow, and which attributes they compare, depends on the answers.
        """
        return replace(self, document=with_blanks(self.sheet), is_worksheet=True)

    def to_text(self, *, digits: int = 4, width: int | None = 80, ascii: bool = False) -> str:
        """Plain text of a width; ``width=None`` is the terminal's."""
        return to_text(self.document, digits=digits, width=width, ascii=ascii)

    def to_markdown(self, *, digits: int = 4) -> str:
        """Markdown with formulas in TeX notation between dollar signs."""
        return to_markdown(self.document, digits=digits)

    def to_latex(self, *, digits: int = 4) -> str:
        """A whole LaTeX document."""
        return to_latex(self.document, digits=digits)

    def to_html(self, *, digits: int = 4) -> str:
        """A whole HTML page with formulas in MathML, and without any script."""
        return to_html(self.document, digits=digits)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        if self.is_worksheet:
            return "<Worksheet of a tree>"
        return f"<Derivation of a tree of {self.steps.tree.size} internal nodes>"


def derive(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    level: Level = "full",
    rows: Any = None,
    max_rows: int | None = 10,
    worksheet: bool = False,
) -> Derivation:
    """Work out how a tree came about, every number of every step.

    All figures are computed anew from the training rows, with exact fractions and without the
    engine, and compared with what the tree does; where the two differ, the text says so.

    Parameters
    ----------
    model
        A fitted tree classifier, or a Tree that knows its conventions. Of a model that prunes,
        the tree is derived as it was grown, and then its pruning.
    X, y, sample_weight
        The training rows.
    level
        "full" has every formula, "table" the figures in tables, "answer" the choices and the tree.
    rows
        New rows (any table of the same columns) to classify in words.
    max_rows
        Of the tests tried for an attribute, so many of the best are listed; None lists them all.
    worksheet
        Whether to leave blanks for the answers (see also :meth:`Derivation.worksheet`).

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.teaching.derive.solution import derive
    >>> X, y = pt.datasets.load_flu()
    >>> text = derive(pt.ID3Classifier("gain_ratio").fit(X, y), X, y).to_text()
    >>> print(text[text.index("  GainRatio(Headache)"):].split("\\n")[0])
      GainRatio(Headache) ≈ 0.5216 / 0.9852 ≈ 0.5295
    """
    if level not in ("full", "table", "answer"):
        raise not_allowed("level", level, ("full", "table", "answer"))
    _check_max_rows(max_rows)
    tree = _tree_to_derive(model)
    table = table_from(X)
    # A loaded tree does not know the values of columns that it does not test, but tries them here.
    tree = replace(tree, schema=completed_schema(tree.schema, table))
    encode(table, tree.schema, unseen="error")  # training rows have no category that is new
    given = rows_from(tree, table, y, sample_weight)
    grown, training, held_out = before_pruning(model, tree, given)
    _check_training(grown, training)
    assert grown.conventions is not None, "checked with the tree"
    cases = Cases.of(grown.schema, training, grown.conventions)
    steps = work_out(grown, cases, max_rows)
    pruned = pruning_of(model, steps, tree, held_out)
    shown = shown_schema(tree.schema)
    told, asked = (
        () if rows is None else tuple(classified(tree, shown, rows, worksheet=blank))
        for blank in (False, True)
    )
    composer = _Composer(steps, tree, pruned, level, getattr(model, "rules_", None), told, asked)
    title = f"A decision tree for {plain(tree.schema.target)}"
    solution, sheet = (
        Document(title, Composed(blocks)) for blocks in (composer.blocks, composer.sheet)
    )
    found = Derivation(solution, steps, sheet, pruned is None or pruned.agrees)
    return found.worksheet() if worksheet else found


def _check_max_rows(max_rows: Any) -> None:
    whole = isinstance(max_rows, int) and not isinstance(max_rows, bool)
    if max_rows is not None and not (whole and max_rows >= 1):
        raise ParameterError(
            "max_rows is out of range",
            got=f"max_rows={max_rows!r}",
            hint="use a whole number from 1, or None to list everything.",
        )


def _tree_to_derive(model: Any) -> Tree:
    if not hasattr(model, "tree_") and hasattr(model, "n_estimators"):
        raise ArgumentTypeError(
            "a derivation is about one tree, but this model has many",
            got=f"an object of type {type(model).__name__}",
            hint="derive a single tree learner, such as ID3Classifier.",
        )
    tree = tree_of(model)
    rules = tree.conventions
    scores = tree.score[tree.n_children > 0]
    unscored = scores.size and np.isnan(scores).all() and not tree.edits
    if rules is None or unscored:
        raise TreeError(
            "this tree's tests were not chosen by a score, so there is nothing to derive",
            got="a tree without conventions" if rules is None else "tests without a score",
            hint="derive a tree grown by ID3Classifier, C45Classifier, CARTClassifier or "
            "DecisionTreeClassifier.",
        )
    if rules.max_bins is not None:
        raise TreeError(
            "thresholds between bins cannot be derived",
            got=f"a tree grown with max_bins={rules.max_bins}",
            hint="grow it with max_bins=None.",
        )
    return tree


def _check_training(tree: Tree, rows: Rows) -> None:
    weights = np.bincount(rows.codes, rows.known_weights, len(tree.schema.classes))
    if not np.allclose(weights, tree.class_weights[0], rtol=1e-6):
        held = ", ".join(f"{weight:g}" for weight in tree.class_weights[0])
        raise TableError(
            "these are not the rows that the tree was grown from",
            got=f"classes of {', '.join(f'{w:g}' for w in weights)} rows instead of {held}",
            hint="give X, y (and sample_weight) as they were given to fit, or derive "
            "tree.refit(X, y).",
        )


# -------------------------------------------------------------------- putting it together


@dataclass(frozen=True, eq=False)
class _Composer:
    steps: Steps
    final: Tree
    pruned: Pruned | None
    level: Level
    rule_list: Any
    new_rows: tuple[Block, ...]
    rows_asked: tuple[Block, ...]

    def blocks(self) -> Iterator[Block]:
        shown = shown_schema(self.steps.schema)
        yield from introduction(self.steps.cases, shown, table=self.level != "answer")
        sections = self._sections()
        if self.level == "answer":
            yield from self._summary(sections)
        else:
            yield from self._all_sections(sections)
        yield Heading(2, ("The tree",))
        yield Drawing(self.steps.tree)
        yield from sections.remarks.summary()
        if self.pruned is not None:
            yield from self.pruned.blocks(shown)
        yield from _rules(self.final, self.rule_list)
        yield from self.new_rows

    def sheet(self) -> Iterator[Block]:
        """What is given, the root, and headings for the rest: nothing that depends on answers."""
        shown = shown_schema(self.steps.schema)
        yield from introduction(self.steps.cases, shown, table=self.level != "answer")
        root = asked_step(self.steps.cases, self.steps.by_node[0])
        if self.level != "answer" and root.choice is not None:
            yield from self._sections().section(root)
            yield Space(SHEET_LINES)
        yield Heading(2, ("Further steps",))
        words = "Do the same for the rows of every branch, until each branch ends in a leaf."
        yield Paragraph((words,))
        yield Space(SHEET_LINES)
        pruning = () if self.pruned is None else tuple(self.pruned.task())
        tasks = [(Heading(2, ("The tree",)),), pruning, (Heading(2, ("Rules",)),)]
        for task in filter(None, tasks):
            yield from task
            yield Space(SHEET_LINES)
        yield from self.rows_asked

    def _sections(self) -> Sections:
        told = [s for s in self.steps.in_order if s.choice is not None]
        return Sections(
            steps=self.steps,
            shown=shown_schema(self.steps.schema),
            numbers={step.node: number for number, step in enumerate(told, 1)},
            formulas=self.level == "full",
        )

    def _all_sections(self, sections: Sections) -> Iterator[Block]:
        tree = self.steps.tree
        open_nodes = {step.node for step in self.steps.in_order if step.condition is not None}
        draws = 1 < len(open_nodes) <= TREES_DRAWN and self.level == "full"
        if not sections.numbers:
            words = sections.remarks.end_words(self.steps.by_node[0])
            yield Heading(2, ("The root",))
            yield Paragraph((Answer(f"{words}."),))
        for node in sections.numbers:
            step = self.steps.by_node[node]
            yield from sections.section(step)
            if step.condition is None:
                continue
            open_nodes.discard(node)
            if draws and open_nodes:
                yield Paragraph(("The tree so far:",))
                yield Drawing(tree.cut(open_nodes))

    def _summary(self, sections: Sections) -> Iterator[Block]:
        """All choices in one table."""
        rows = [self._summed_up(sections, self.steps.by_node[node]) for node in sections.numbers]
        score = SCORE.get(self.steps.rules.criterion, "Gain")
        header = ("step", "rows with", "rows", "classes", "test", score)
        if rows:
            yield Heading(2, ("The choices",))
            yield Grid(header, tuple(rows), (True, False, True, False, False, True))

    def _summed_up(self, sections: Sections, step: Step) -> tuple[Any, ...]:
        shown = sections.shown
        path = sections.paths.text(step.node) or "(all)"
        test = "a leaf" if step.condition is None else test_name(step.condition, shown)
        score = Answer(Number(step.taken.measures.score)) if step.taken else ""
        counted = classes_text(step.counts, shown)
        number = str(sections.numbers[step.node])
        told = in_answers((path, str(len(step.rows)), counted, test))
        return (number, *told, score)


def _rules(tree: Tree, rule_list: Any) -> Iterator[Block]:
    yield Heading(2, ("Rules",))
    if rule_list is not None:
        lines = str(rule_list.describe(width=100_000)).split("\n")
    else:
        every = sorted(rules_of(tree), key=lambda rule: rule.weight == 0)
        lines = [rule.describe() for rule in every]
    kept = lines[:RULES_LISTED]
    yield Listing(tuple((Answer(line),) for line in kept))
    if len(lines) > len(kept):
        yield Paragraph((f"... and {len(lines) - len(kept)} more",))
