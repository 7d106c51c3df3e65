"""Pruning: a tree and a method go in, a smaller tree comes out, whatever learner grew it.

:data:`METHODS` is the one table of methods; a method's options are the keywords of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Literal

import numpy as np

from plaintree.checks import check_choice, check_flag, check_random_state
from plaintree.errors import ParameterError, nearest
from plaintree.tree.cut import marked
from plaintree.tree.cut import merge_leaves as merged
from plaintree.tree.prediction import Ties, leaf_labels
from plaintree.tree.tree import Tree, tree_of

from .cost_complexity import cost_complexity
from .limits import limits
from .mdl import mdl
from .pessimistic import pessimistic
from .reduced_error import reduced_error
from .task import Task, check_counts

MethodName = Literal[
    "limits", "reduced_error", "error_based", "pessimistic", "cost_complexity", "mdl", "cut"
]


@dataclass(frozen=True)
class Method:
    """A way of pruning: the function, whether it may be given rows, and whether it needs counts."""

    run: Callable[..., Tree]
    takes_rows: bool = False
    needs_counts: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        parameters = signature(self.run).parameters.values()
        return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def prune(
    model_or_tree: Any,
    method: MethodName,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    merge_leaves: bool = False,
    ties: Ties = "first",
    random_state: int | np.random.RandomState | None = None,
    **options: Any,
) -> Tree:
    """A pruned copy of a tree, or of a fitted model's tree.

    Parameters
    ----------
    method
        What is cut, and the options of each method:

        - ``"limits"``: what growing under a limit would not have grown: ``max_depth``,
          ``min_samples_split``, ``min_samples_branch``, ``min_score``, ``significance``.
        - ``"reduced_error"``: what makes no fewer errors on a validation set X, y than a leaf;
          ``order="bottom_up"`` or ``"greedy"``.
        - ``"error_based"`` (C4.5): what is expected to make no fewer errors, by an upper limit at
          ``confidence=0.25``; X, y are the training rows.
        - ``"pessimistic"`` (Quinlan 1987): what is within one standard error of a leaf.
        - ``"cost_complexity"`` (CART): what is not worth ``alpha`` per leaf; or with
          ``choice="min"`` or ``"one_se"`` alpha is found by cross-validation on the training rows
          X, y (``folds=10`` or a fold number per row; a Tree also needs its ``learner``;
          ``progress`` is called with what is done, how much of it, and how much there is).
          ``risk="error"`` (Breiman, rpart) or ``"impurity"`` (scikit-learn); ``links="rpart"`` is
          rpart's approximation of the weakest links.
        - ``"mdl"``: what takes no fewer bits than a leaf; ``coding="quinlan_rivest"`` or
          ``"sliq"``.
        - ``"cut"``: the subtrees at ``nodes``, a number or several.
    X, y, sample_weight
        Rows to prune with, where the method uses any; encoded by the tree's own schema.
    merge_leaves
        Whether leaves that answer the same class are then merged into their parent.
    ties
        A new leaf answers the majority of its training rows; of equals the "first" class, or one
        at "random", drawn with ``random_state``.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning.prune import prune
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(prune(model, "limits", max_depth=1))
    Play: 14 rows (No 5, Yes 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: Yes (5: No 2, Yes 3)
    └─ Outlook = Sunny: No (5: No 3, Yes 2)
    """
    tree = tree_of(model_or_tree)
    merging = check_flag("merge_leaves", merge_leaves)
    chosen = _method(method, tree, (X, y, sample_weight), options)
    model = None if model_or_tree is tree else model_or_tree
    random = check_random_state(random_state) if ties == "random" else None
    labels = leaf_labels(tree, ties, random)
    task = Task(tree, labels, X, y, sample_weight, model, random_state)
    pruned = chosen.run(task, **options)
    if ties == "random" and pruned.conventions:  # the labels drawn are what is answered
        pruned = replace(pruned, conventions=replace(pruned.conventions, tied_answer="label"))
    return merged(pruned) if merging else pruned


def _method(name: str, tree: Tree, table: tuple[Any, Any, Any], options: dict[str, Any]) -> Method:
    check_choice("method", name, METHODS)
    method = METHODS[name]
    for option, value in options.items():
        if option not in method.options:
            known = f"it has {', '.join(method.options)}." if method.options else "it has none."
            raise ParameterError(
                f"the method {name!r} has no option {option!r}",
                got=f"{option}={value!r}",
                hint=nearest(option, method.options) or known,
            )
    given = [n for n, v in zip(("X", "y", "sample_weight"), table, strict=True) if v is not None]
    if given and not method.takes_rows:
        raise ParameterError(
            f"the method {name!r} looks at the tree alone",
            got=" and ".join(given),
            hint='leave them out, or use "reduced_error" to prune with a validation set.',
        )
    if method.needs_counts:
        check_counts(tree, f"the method {name!r}")
    return method


def _error_based(task: Task, *, confidence: float = 0.25) -> Tree:
    """C4.5's pruning, which lives in the engine."""
    from .error_based import prune_error_based

    rows = task.rows("the training rows")
    return prune_error_based(task.tree, rows.columns, rows.codes, rows.weights, confidence)


def _cut(task: Task, *, nodes: int | Iterable[int] | None = None) -> Tree:
    """By hand."""
    if nodes is None:
        raise ParameterError("no node to cut is given", hint="give nodes=3, say, or several.")
    return task.cut(marked(task.tree, nodes))


METHODS: dict[str, Method] = {
    "limits": Method(limits),
    "reduced_error": Method(reduced_error, takes_rows=True),
    "error_based": Method(_error_based, takes_rows=True),
    "pessimistic": Method(pessimistic),
    "cost_complexity": Method(cost_complexity, takes_rows=True),
    "mdl": Method(mdl),
    "cut": Method(_cut, needs_counts=False),
}
"""The methods by name."""
