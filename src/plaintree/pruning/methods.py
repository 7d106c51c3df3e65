"""Pruning: a tree and a method go in, a smaller tree comes out, whatever learner grew it.

:data:`METHODS` is the one table of methods; a method's options are the keywords of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from plaintree.checks import DEFAULT_SEED, check_choice, check_flag, check_random_state
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError, TableError, nearest
from plaintree.tree.cut import marked
from plaintree.tree.cut import merge_leaves as merged
from plaintree.tree.prediction import Ties, leaf_labels
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from .cost_complexity import cost_complexity
from .cross_validation import regrow_by
from .limits import limits
from .mdl import mdl
from .names import MethodName
from .pessimistic import pessimistic
from .reduced_error import reduced_error
from .task import Regrow, Task, check_counts


@dataclass(frozen=True)
class Method:
    """A way of pruning: the function, what it uses rows for, and whether it needs counts.

    ``grows_again``: whether its rows are for growing other trees, to choose by. Then a learner
    may be given.
    """

    run: Callable[..., Tree]
    rows_for: str | None = None
    needs_counts: bool = True
    grows_again: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        parameters = signature(self.run).parameters.values()
        own = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        return (*own, "learner") if self.grows_again else own

    def uses_rows(self, options: Mapping[str, Any]) -> bool:
        """Whether it looks at rows, with these options."""
        if self.grows_again:
            return options.get("choice") is not None and options.get("alpha") is None
        return self.rows_for is not None


def prune(
    model_or_tree: Any,
    method: MethodName,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    merge_leaves: bool = False,
    ties: Ties = "first",
    random_state: int | np.random.RandomState | None = DEFAULT_SEED,
    **options: Any,
) -> Tree:
    """A pruned copy of a tree, or of a fitted model's tree.

    Parameters
    ----------
    method
        What is cut, and the options of each method:

        - ``"limits"``: what growing under a limit would not have grown: ``max_depth``,
          ``min_samples_split``, ``min_samples_leaf``, ``min_samples_branch`` (C4.5's rule),
          ``min_score``, ``significance`` (with ``significance_test``: "adjusted" or "chi_square").
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
    random_state
        Seeds what is drawn at random: folds and tied answers. None draws new ones at every call.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning.methods import prune
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> print(prune(model, "limits", max_depth=1))
    Play: 14 rows (No 5, Yes 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: Yes (5: No 2, Yes 3)
    └─ Outlook = Sunny: No (5: No 3, Yes 2)
    """
    tree = tree_of(model_or_tree)
    check_flag("merge_leaves", merge_leaves)
    chosen = _method(method, options)
    _refuse_rows(method, X=X, y=y, sample_weight=sample_weight)
    _check_counts(method, tree)
    rows, regrow = None, None
    if chosen.uses_rows(options):
        rows = _rows_of(chosen, tree, X, y, sample_weight)
        learner = options.get("learner")
        regrow = regrow_by(model_or_tree if learner is None else learner, X, y, rows.weights)
    options |= {"merge_leaves": merge_leaves, "ties": ties, "random_state": random_state}
    return pruned(tree, method, rows, regrow, options)


def pruned(
    tree: Tree,
    method: MethodName,
    rows: Rows | None = None,
    regrow: Regrow | None = None,
    options: Mapping[str, Any] | None = None,
) -> Tree:
    """The tree pruned by a method, which is told its own options and those of :func:`prune`.

    ``rows`` are encoded by the tree's schema; ``regrow`` is for methods that grow other trees on
    some of them.
    """
    own = dict(options or {})
    merging = check_flag("merge_leaves", own.pop("merge_leaves", False))
    ties, random_state = own.pop("ties", "first"), own.pop("random_state", DEFAULT_SEED)
    chosen = _method(method, own)
    own.pop("learner", None)  # has become ``regrow``
    _check_counts(method, tree)
    random = check_random_state(random_state) if ties == "random" else None
    labels = leaf_labels(tree, ties, random)
    smaller = chosen.run(Task(tree, labels, rows, regrow, random_state), **own)
    if ties == "random" and smaller.conventions:  # the labels drawn are what is answered
        smaller = replace(smaller, conventions=replace(smaller.conventions, tied_label="keep"))
    return merged(smaller) if merging else smaller


def _method(name: str, options: Mapping[str, Any]) -> Method:
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
    return method


def _check_counts(name: str, tree: Tree) -> None:
    if METHODS[name].needs_counts:
        check_counts(tree, f"the method {name!r}")


def _refuse_rows(name: str, **table: Any) -> None:
    """Rows that the method does not look at are an error."""
    given = [part for part, value in table.items() if value is not None]
    if given and METHODS[name].rows_for is None:
        raise ParameterError(
            f"the method {name!r} looks at the tree alone",
            got=" and ".join(given),
            hint='leave them out, or use "reduced_error" to prune with a validation set.',
        )


def _rows_of(method: Method, tree: Tree, X: Any, y: Any, sample_weight: Any) -> Rows:
    """The rows given for a method that uses them."""
    if X is None or y is None:
        raise TableError(
            f"there are no rows to prune with: this method needs {method.rows_for}",
            got=f"{'no X' if X is None else 'X'} and {'no y' if y is None else 'y'}",
            hint="give X and y.",
        )
    return rows_from(tree, X, y, sample_weight)


def _error_based(task: Task, *, confidence: float = 0.25) -> Tree:
    """C4.5's pruning, which lives in the engine."""
    from .error_based import prune_error_based

    rows = task.known_rows
    return prune_error_based(task.tree, rows.columns, rows.codes, rows.weights, confidence)


def _cut(task: Task, *, nodes: int | Iterable[int] | None = None) -> Tree:
    """By hand."""
    if nodes is None:
        raise ParameterError("no node to cut is given", hint="give nodes=3, say, or several.")
    return task.cut(marked(task.tree, nodes))


METHODS: dict[str, Method] = {
    "limits": Method(limits),
    "reduced_error": Method(reduced_error, "a validation set"),
    "error_based": Method(_error_based, "the training rows"),
    "pessimistic": Method(pessimistic),
    "cost_complexity": Method(
        cost_complexity,
        "the training rows, to choose alpha by cross-validation",
        grows_again=True,
    ),
    "mdl": Method(mdl),
    "cut": Method(_cut, needs_counts=False),
}
"""The methods by name."""
