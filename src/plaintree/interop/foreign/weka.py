"""Trees as Weka's J48 prints them."""

from __future__ import annotations

import re
from pathlib import Path

from plaintree.errors import TreeError
from plaintree.tree.tree import Tree

from .declared import Declared, declared_schema, source_text
from .printed import nested, printed_lines, printed_tree, single_answer

_HEADER = re.compile(r"J48 (un)?pruned tree\s*")
_LEAVES = re.compile(r"Number of Leaves\s*:\s*(\d+)\s*")
_SIZE = re.compile(r"Size of the tree\s*:\s*(\d+)\s*")


def from_weka(source: str | Path, schema: Declared = None, *, target: str | None = None) -> Tree:
    """Import a tree that Weka's J48 printed, pruned or not.

    The printed tree is incomplete: thresholds have six decimals, and with more than two classes a
    leaf does not show the classes of its errors (they are divided evenly). ``tree.refit(X, y)``
    adds the class weights of a table.

    Parameters
    ----------
    source : str or Path
        The file with Weka's output, or the output itself; other output around the tree is ignored.
    schema : Schema, str, Path or None, default=None
        The columns, categories and classes, in their order: a :class:`plaintree.data.Schema`, or
        the path of the .arff file. None infers them from the tree, in order of appearance; binary
        splits of categories need a schema.
    target : str or None, default=None
        The class attribute of the .arff file; None is the last one.

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
    >>> from plaintree.interop.foreign.weka import from_weka
    >>> print(from_weka('''outlook = sunny
    ... |   humidity <= 75: yes (2.0)
    ... |   humidity > 75: no (3.0)
    ... outlook = overcast: yes (4.0)
    ... outlook = rainy: yes (5.0/2.0)
    ... '''))
    class: 14 rows (yes: 9, no: 5)
    ├─ outlook = sunny (5)
    │  ├─ humidity <= 75: yes (2)
    │  └─ humidity > 75: no (3)
    ├─ outlook = overcast: yes (4)
    └─ outlook = rainy: yes (5; yes: 3, no: 2)
    """
    declared = declared_schema(schema, target)
    text = source_text(source)
    lines = _tree_lines(text.split("\n"))
    written = [line for _, line in lines if line.strip()]
    if not written:
        raise TreeError(
            "there is no tree in the text", got="no line of one", hint="pass the output of J48."
        )
    root = single_answer(written[0]) if len(written) == 1 else None
    root = root or nested(list(printed_lines(lines, declared)))
    tree = printed_tree(root, declared, lambda answer, _: answer.errors)
    _check_counts(text, tree)
    return tree


def _tree_lines(lines: list[str]) -> list[tuple[int, str]]:
    """The numbered lines between the heading, if there is one, and the number of leaves."""
    heads = [at for at, line in enumerate(lines) if _HEADER.fullmatch(line)]
    if len(heads) > 1:
        raise TreeError(
            f"line {heads[1] + 1} of the printed tree begins one more tree",
            got=f"{len(heads)} trees",
            hint="keep the part of one tree, from its heading on.",
        )
    begin = heads[0] + 1 if heads else 0
    if heads and begin < len(lines) and not lines[begin].strip("- "):
        begin += 1
    ends = [at for at, line in enumerate(lines) if at >= begin and _LEAVES.fullmatch(line)]
    end = ends[0] if ends else len(lines)
    return [(at + 1, lines[at].rstrip("\r")) for at in range(begin, end)]


def _check_counts(text: str, tree: Tree) -> None:
    """Raise an error if the printed size differs from the tree: lines may have been lost."""
    for pattern, found in ((_LEAVES, tree.n_leaves), (_SIZE, tree.n_nodes)):
        said = [match for line in text.split("\n") if (match := pattern.fullmatch(line.strip()))]
        if said and int(said[0][1]) != found:
            raise TreeError(
                "the printed tree is not complete",
                got=f"{found}, but the printed size is {said[0][0].strip()!r}",
                hint="pass all lines of the tree.",
            )
