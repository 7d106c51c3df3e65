"""Trees as C4.5 Release 8 prints them.

The program prints the tree as it was grown ("Decision Tree:"), and if pruning changed it, the
pruned one ("Simplified Decision Tree:"). Branches that end come before those that do not, so the
order of categories is not printed. Subtrees that would be too wide are broken off, marked
[S1], and printed below. Leaves of a simplified tree show estimated errors instead of those made.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np

from plaintree.checks import check_flag
from plaintree.data.schema import Schema
from plaintree.errors import TreeError
from plaintree.stats.expected_errors import additional_errors, check_confidence
from plaintree.tree.tree import Tree

from .declared import Declared, declared_schema, source_text
from .printed import Answer, Branch, fail, nested, printed_lines, printed_tree, single_answer

_HEADER = re.compile(r"\s*(Simplified )?Decision Tree:\s*")
_SUBTREE = re.compile(r"\s*Subtree \[(S\d+)\]\s*")
_SOFT = re.compile(r"\[[^\]]*,[^\]]*\]\s*:")
_END = ("Tree saved", "Evaluation on", "Trial")

Numbered = list[tuple[int, str]]


def from_c45(
    source: str | Path,
    schema: Declared = None,
    *,
    pruned: bool = True,
    confidence: float = 0.25,
) -> Tree:
    """Import a tree that C4.5 Release 8 printed.

    The printed tree is incomplete: thresholds have six digits, and with more than two classes a
    leaf does not show the classes of its errors (they are divided evenly). ``tree.refit(X, y)``
    adds the class weights of a table.

    Parameters
    ----------
    source : str or Path
        The file with the program's output, or the output itself.
    schema : Schema, str, Path or None, default=None
        The columns, categories and classes, in their order: a :class:`plaintree.data.Schema`, or
        the path of the .names file. None infers them from the tree, in order of appearance.
    pruned : bool, default=True
        Whether to import the simplified tree, if there is one.
    confidence : float, default=0.25
        The program's option -c as a fraction. The leaves of a simplified tree show the errors
        expected at this confidence; the training errors are computed from them.

    Returns
    -------
    Tree
        The tree; its ``conventions`` are None.

    Raises
    ------
    TreeError
        If the text is not a complete tree, or does not fit the schema.

    Examples
    --------
    >>> from plaintree.interop.foreign.c45 import from_c45
    >>> print(from_c45('''Decision Tree:
    ...
    ... outlook = overcast: Play (4.0)
    ... outlook = sunny:
    ... |   humidity <= 75 : Play (2.0)
    ... |   humidity > 75 : Don't Play (3.0)
    ... outlook = rain: Play (5.0/2.0)
    ... '''))
    class: 14 rows (Play: 9, Don't Play: 5)
    ├─ outlook = overcast: Play (4)
    ├─ outlook = sunny (5)
    │  ├─ humidity <= 75: Play (2)
    │  └─ humidity > 75: Don't Play (3)
    └─ outlook = rain: Play (5; Play: 3, Don't Play: 2)
    """
    check_confidence(confidence)
    check_flag("pruned", pruned)
    declared = declared_schema(schema)
    lines = list(enumerate(source_text(source).split("\n"), 1))
    chosen, simplified = _chosen(lines, pruned)
    root = _with_subtrees(chosen, declared)
    errors = partial(_errors_made, confidence=confidence) if simplified else _errors_printed
    return printed_tree(root, declared, errors)


# -------------------------------------------------------------------- sections


def _chosen(lines: Numbered, pruned: bool) -> tuple[Numbered, bool]:
    """The lines of the tree that is wanted, and whether it is a simplified one."""
    heads = [
        (at, bool(found[1]))
        for at, (_, text) in enumerate(lines)
        if (found := _HEADER.fullmatch(text))
    ]
    if not heads:
        return lines, False
    simplified = [at for at, is_simplified in heads if is_simplified]
    wanted = simplified if pruned and simplified else [at for at, s in heads if not s]
    if len(wanted) != 1:
        number = lines[wanted[1] if wanted else heads[0][0]][0]
        happened = "begins one more tree" if wanted else "begins a simplified tree, and no other"
        fail(
            number,
            happened,
            got=f"{len(heads)} trees",
            hint="keep the part of one tree, from its heading on.",
        )
    return _until_end(lines[wanted[0] + 1 :]), bool(simplified and pruned)


def _until_end(lines: Numbered) -> Numbered:
    for at, (_, text) in enumerate(lines):
        if text.startswith(_END) or _HEADER.fullmatch(text):
            return lines[:at]
    return lines


def _with_subtrees(lines: Numbered, declared: Schema | None) -> Branch:
    """The nested branches, those that were broken off put back."""
    sections: dict[str, Numbered] = {"": []}
    name = ""
    for number, text in lines:
        if soft := _SOFT.search(text):
            fail(number, "has a soft threshold (-p), which trees here have not", got=soft[0])
        if found := _SUBTREE.fullmatch(text):
            name = found[1]
            sections[name] = []
        else:
            sections[name].append((number, text))
    if single := _alone(sections[""]):
        return single
    trees = {key: nested(list(printed_lines(part, declared))) for key, part in sections.items()}
    if not trees[""].below:
        raise TreeError(
            "there is no tree in the text",
            got=f"{len(lines)} lines without a condition",
            hint='pass the output of C4.5 below "Decision Tree:".',
        )
    taken: set[str] = set()
    for root in trees.values():
        pending = list(root.below)
        while pending:
            branch = pending.pop()
            pending.extend(branch.below)
            reference = branch.line.subtree if branch.line else None
            if reference is None or branch.line is None:
                continue
            if reference not in trees or reference in taken:
                fail(branch.line.number, "refers to a subtree that is not there", got=reference)
            taken.add(reference)
            branch.below = trees[reference].below
    return trees[""]


def _alone(lines: Numbered) -> Branch | None:
    """Return the leaf of a tree without splits."""
    written = [text for _, text in lines if text.strip()]
    return single_answer(written[0]) if len(written) == 1 else None


# -------------------------------------------------------------------- errors


def _errors_printed(answer: Answer, _: int) -> float:
    return answer.errors


def _errors_made(answer: Answer, n_classes: int, confidence: float) -> float:
    """The training errors of a leaf whose expected errors are printed to one decimal.

    Integers are preferred: rows are divided only for missing values. They are never so many that
    another class would be the majority class.
    """
    weight = answer.weight
    most = weight * (n_classes - 1) / n_classes
    for step in (1.0, 0.05):
        made = np.arange(0.0, most + 1e-9, step)
        gaps = np.abs(made + additional_errors(weight, made, confidence) - answer.errors)
        if gaps.min() <= 0.05 + 1e-9:
            break
    return float(made[gaps.argmin()])
