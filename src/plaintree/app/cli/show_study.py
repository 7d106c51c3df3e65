"""Grown trees and rule lists as text in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import plaintree as pt
from plaintree.data.words import number_text, plain, shown_schema
from plaintree.rules.extract import by_weight

from .show import Page, count
from .show_quality import show_quality

if TYPE_CHECKING:
    from ..study.files import FileStudy
    from ..study.grow import Study
    from ..study.rules import RuleStudy

NODES_SHOWN = 300
"""A tree with more nodes is folded at the depth down to which it has at most these."""
RULES_SHOWN = 100


def show_study(page: Page, study: Study | FileStudy, *, rules: bool) -> None:
    """The tree, its rules if wanted, its size and its quality."""
    tree = study.model.tree_
    page.heading(f"Tree ({study.learner})")
    show_tree(page, tree)
    if rules:
        page.heading("Rules")
        _show_rules_of_tree(page, tree)
    leaves = f"{tree.n_leaves:,} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    page.print()
    page.print(f"Size: {count(tree.size, 'internal node')}, {leaves}, depth {tree.depth}")
    if not tree.size:
        page.print(f"The tree is a single leaf: it predicts {predicted_text(tree)} for all rows.")
    page.print(f"Conventions: {tree.conventions}")
    show_quality(page, study)


def predicted_text(tree: pt.Tree, node: int = 0) -> str:
    """The prediction of a node as text: a class or a number."""
    numbers = not tree.schema.classes
    return number_text(tree.prediction[node]) if numbers else plain(tree.node(node).label)


def show_tree(page: Page, tree: pt.Tree, **options: Any) -> None:
    """The tree as text; a large one is folded without --all."""
    depth = None
    if not page.everything and tree.n_nodes > NODES_SHOWN:
        depth = int(tree.node_depths[NODES_SHOWN]) - 1  # nodes are numbered level by level
    width = page.columns
    page.verbatim(pt.export_text(tree, max_depth=depth, width=width, ascii=page.ascii, **options))
    if depth is not None:
        page.print()
        page.print(
            f"Folded at depth {depth}: the tree has {tree.n_nodes:,} nodes. "
            "Print it in full with --all."
        )


def _show_rules_of_tree(page: Page, tree: pt.Tree) -> None:
    rules = by_weight(tree)
    shown = rules if page.everything else rules[:RULES_SHOWN]
    schema = shown_schema(tree.schema)
    page.verbatim("\n".join(line for rule in shown for line in rule.lines(schema, page.columns)))
    _note_rules(page, len(rules) - len(shown), "of the tree")


def _note_rules(page: Page, n_left_out: int, which: str) -> None:
    if n_left_out > 0:
        page.print(f"... and {count(n_left_out, 'more rule')} {which}. Print all with --all.")


def show_rules(page: Page, study: RuleStudy) -> None:
    """The rules in their order, their number and their quality."""
    page.heading(f"Rules ({study.learner.method})")
    n_shown = len(study.rules) if page.everything else RULES_SHOWN
    shown = replace(study.rules, rules=study.rules.rules[:n_shown])
    page.verbatim(shown.describe(width=page.columns))
    _note_rules(page, len(study.rules) - n_shown, "before OTHERWISE")
    page.print()
    n_rules, n_dropped = len(study.rules), len(study.rules.dropped)
    dropped = f" ({count(n_dropped, 'rule')} dropped to reduce errors)" if n_dropped else ""
    page.print(f"Size: {count(n_rules, 'rule')}{dropped}")
    page.print(f"Default class: {plain(study.rules.default)}")
    if not n_rules:
        page.print(f"The list has no rules: it predicts {plain(study.rules.default)} for all rows.")
    show_quality(page, study)
