"""Pruning of a tree, or of the tree of a fitted model, by any of the methods.

:data:`METHODS` is the one table of methods; a method's options are the keywords of its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np

from plaintree.checks import DEFAULT_SEED, check_choice, check_flag, check_random_state
from plaintree.data.rows import Rows
from plaintree.data.table import is_dataset
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, nearest
from plaintree.tree.condition import DIVIDES
from plaintree.tree.cut import marked
from plaintree.tree.cut import merge_leaves as merged
from plaintree.tree.prediction import Ties, leaf_labels, rule_of
from plaintree.tree.row_batches import AnyRows, any_rows
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of

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
    may be given. ``adds_up``: whether rows may come in batches, because it adds up their losses.
    ``used_with``: options that are used only if another one is given, by name.
    """

    run: Callable[..., Tree]
    rows_for: str | None = None
    needs_counts: bool = True
    of_classes: bool = False
    grows_again: bool = False
    adds_up: bool = False
    used_with: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        parameters = signature(self.run).parameters.values()
        own = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        return (*own, "learner") if self.grows_again else own

    def uses_rows(self, options: Mapping[str, Any]) -> bool:
        """Whether it looks at rows, with these options."""
        if self.grows_again:
            given = (options.get("alpha"), options.get("cp"))
            return options.get("choice") is not None and given == (None, None)
        return self.rows_for is not None


ModelOrTree = TypeVar("ModelOrTree")
SHARED_OPTIONS = frozenset({"merge_leaves", "ties", "random_state"})
"""The options of every method."""


def prune(
    model_or_tree: ModelOrTree,
    method: MethodName,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    merge_leaves: bool = False,
    ties: Ties = "first",
    random_state: int | np.random.RandomState | None = DEFAULT_SEED,
    **options: Any,
) -> ModelOrTree:
    """Return a pruned copy of a tree, or of a fitted model.

    Parameters
    ----------
    model_or_tree : Tree or fitted estimator of a single tree
        What is pruned. It stays as it is.
    method : {"limits", "reduced_error", "error_based", "pessimistic", "cost_complexity", "mdl", \
            "cut"}
        What is pruned, and the options of each method:

        - ``"limits"``: what growing under a limit would not have grown: ``max_depth``,
          ``min_samples_split``, ``min_samples_leaf``, ``min_samples_branch`` (C4.5's rule),
          ``min_score``, ``significance`` (with ``significance_test``: "adjusted" or "chi_square").
        - ``"reduced_error"``: what makes no fewer errors on a validation set X, y than a leaf, or
          for numbers has no lower loss by the criterion; ``order="bottom_up"`` or ``"greedy"``.
        - ``"error_based"`` (C4.5): what is expected to make no fewer errors, by an upper limit at
          ``confidence=0.25``; X, y are the training rows.
        - ``"pessimistic"`` (Quinlan 1987): what is within one standard error of a leaf.
        - ``"cost_complexity"`` (CART): what is not worth ``alpha`` per leaf (scikit-learn's
          ``ccp_alpha``), or ``cp`` times the risk of the root (rpart's ``cp``); or with
          ``choice="min"`` or ``"one_se"`` alpha is found by cross-validation on the training rows
          X, y (``folds=10`` or a fold number per row; a Tree also needs its ``learner``, an
          estimator; ``progress`` is a callback).
          ``risk="error"`` (Breiman, rpart) or ``"impurity"`` (scikit-learn), which are the same
          for numbers; ``links="rpart"`` is rpart's approximation of the weakest links.
        - ``"mdl"``: what takes no fewer bits than a leaf; ``coding="quinlan_rivest"`` or
          ``"sliq"``.
        - ``"cut"``: the subtrees at ``nodes``, a number or several.
    X : table or dataset, default=None
        The features of rows to prune with, for methods that use any. ``"reduced_error"`` also takes
        a dataset (:func:`plaintree.open_dataset`), which has its target and its weights.
    y : array-like, default=None
        Their labels, or their numbers.
    sample_weight : array-like, default=None
        Their weights.
    merge_leaves : bool, default=False
        Whether leaves that predict the same class are then merged into their parent.
    ties : {"first", "random"}, default="first"
        The label of a new leaf is the majority class of its training rows; if classes tie, the
        first of them, or one drawn at random.
    random_state : int, RandomState or None, default=0
        Seed of what is drawn at random: folds and tied labels. None draws again at every call.
    **options : Any
        The options of the method. Unknown and unused options raise an error.

    Returns
    -------
    Tree or estimator
        A Tree for a Tree; for a model, a fitted model of the same class with the pruned ``tree_``.

    Raises
    ------
    ParameterError
        If the method does not exist, or an option does not exist or would not be used.
    ArgumentTypeError
        If the model is an ensemble or predicts by rules: pass one of its trees.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.pruning.methods import prune
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> pruned = prune(model, "limits", max_depth=1)
    >>> pruned.predict(X[:2]).tolist()
    ['No', 'No']
    >>> print(pruned.tree_)
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: Yes (5; No: 2, Yes: 3)
    └─ Outlook = Sunny: No (5; No: 3, Yes: 2)
    """
    tree = _prunable(model_or_tree)
    check_flag("merge_leaves", merge_leaves)
    chosen = check_options(method, options)
    _refuse_rows(method, options, X=X, y=y, sample_weight=sample_weight)
    _check_counts(method, tree)
    rows: AnyRows | None = None
    regrow = None
    if chosen.uses_rows(options):
        rows = _rows_of(method, tree, X, y, sample_weight)
        learner = options.get("learner")
        if isinstance(rows, Rows):
            regrow = regrow_by(model_or_tree if learner is None else learner, X, y, rows.weights)
    options |= {"merge_leaves": merge_leaves, "ties": ties, "random_state": random_state}
    smaller = pruned(tree, method, rows, regrow, options)
    if isinstance(model_or_tree, Tree):
        return cast(ModelOrTree, smaller)
    copied = copy(model_or_tree)
    copied.tree_ = smaller  # type: ignore[attr-defined]  # as any model that has one
    return copied


def _prunable(model_or_tree: object) -> Tree:
    """The tree that is pruned; a model that does not predict by it is refused."""
    if hasattr(model_or_tree, "rules_"):
        raise ArgumentTypeError(
            "this model predicts by rules, so pruning its tree would not change it",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="prune its tree, model.tree_, or fit it with another confidence.",
        )
    return tree_of(model_or_tree)


def pruned(
    tree: Tree,
    method: MethodName,
    rows: AnyRows | None = None,
    regrow: Regrow | None = None,
    options: Mapping[str, Any] | None = None,
) -> Tree:
    """Return the tree pruned by a method, with its own options and those of :func:`prune`.

    ``rows`` are encoded by the tree's schema; ``regrow`` is for methods that grow other trees on
    some of them.
    """
    own = dict(options or {})
    merging = check_flag("merge_leaves", own.pop("merge_leaves", False))
    ties, random_state = own.pop("ties", "first"), own.pop("random_state", DEFAULT_SEED)
    chosen = check_options(method, own)
    own.pop("learner", None)  # has become ``regrow``
    _check_counts(method, tree)
    random = check_random_state(random_state) if ties == "random" else None
    labels = leaf_labels(tree, ties, random)
    smaller = chosen.run(Task(tree, labels, rows, regrow, random_state), **own)
    if ties == "random" and smaller.conventions:  # the labels drawn are what is predicted
        smaller = replace(smaller, conventions=replace(smaller.conventions, tied_label="keep"))
    return merged(smaller) if merging else smaller


def check_options(name: str, options: Mapping[str, Any]) -> Method:
    """The method of a name; options that it does not have or would not use are errors."""
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
        other = method.used_with.get(option)
        if value is not None and other is not None and options.get(other) is None:
            raise ParameterError(
                f"the option {option!r} of the method {name!r} is used only with {other!r}",
                got=f"{option}={value!r} without {other}",
                hint=f"give {other} as well, or leave {option} out.",
            )
    return method


def _check_counts(name: str, tree: Tree) -> None:
    if METHODS[name].of_classes:
        needs_classes(tree, f"the method {name!r}")
        _refuse_costs(name, tree)
    if name == "error_based" and tree.missing_child.min() < DIVIDES:
        raise ParameterError(
            "error-based pruning needs every row of a node in one of its branches",
            got=f"node {int(tree.missing_child.argmin())}, where rows with a missing value stop",
            hint='use "cost_complexity", or another value of missing.',
        )
    if METHODS[name].needs_counts:
        check_counts(tree, f"the method {name!r}")


def _refuse_costs(name: str, tree: Tree) -> None:
    """Methods that count errors have no use for other costs."""
    rule = rule_of(tree)
    if rule.ratios is not None or rule.costs is not None:
        raise ParameterError(
            f"the method {name!r} counts errors, and this tree has priors or costs",
            got=f"method={name!r}",
            hint='use "cost_complexity" or "reduced_error".',
        )


def _refuse_rows(name: str, options: Mapping[str, Any], **table: Any) -> None:
    """Rows that the method does not use are an error."""
    given = [part for part, value in table.items() if value is not None]
    if not given or METHODS[name].uses_rows(options):
        return
    alone = METHODS[name].rows_for is None
    raise ParameterError(
        f"the method {name!r} uses {'the tree' if alone else 'these options'} alone, no rows",
        got=" and ".join(given),
        hint='leave them out, or use "reduced_error" to prune with a validation set.',
    )


def _rows_of(name: str, tree: Tree, X: Any, y: Any, sample_weight: Any) -> AnyRows:
    """The rows given for a method that uses them."""
    method = METHODS[name]
    if is_dataset(X):
        if not method.adds_up:
            raise ParameterError(
                f"the method {name!r} needs its rows in memory: {method.rows_for}",
                got=repr(X),
                hint='pass X and y, or use "reduced_error", which reads a dataset in batches.',
            )
        return any_rows(tree, X, y, sample_weight)
    if X is None or y is None:
        raise TableError(
            f"there are no rows to prune with: this method needs {method.rows_for}",
            got=f"{'no X' if X is None else 'X'} and {'no y' if y is None else 'y'}",
            hint="give X and y.",
        )
    return any_rows(tree, X, y, sample_weight)


def _error_based(task: Task, *, confidence: float = 0.25) -> Tree:
    """C4.5's pruning, which is in the core."""
    from .error_based import prune_error_based

    rows = task.known_rows
    return prune_error_based(task.tree, rows.columns, rows.codes, rows.weights, confidence)


def _cut(task: Task, *, nodes: int | Iterable[int] | None = None) -> Tree:
    """By hand."""
    if nodes is None:
        raise ParameterError("no node to cut is given", hint="give nodes=3, say, or several.")
    return task.cut(marked(task.tree, nodes))


METHODS: dict[str, Method] = {
    "limits": Method(limits, used_with={"significance_test": "significance"}),
    "reduced_error": Method(reduced_error, "a validation set", adds_up=True),
    "error_based": Method(_error_based, "the training rows", of_classes=True),
    "pessimistic": Method(pessimistic, of_classes=True),
    "cost_complexity": Method(
        cost_complexity,
        "the training rows, to choose alpha by cross-validation",
        grows_again=True,
        used_with={"folds": "choice", "learner": "choice"},
    ),
    "mdl": Method(mdl, of_classes=True),
    "cut": Method(_cut, needs_counts=False),
}
"""The methods by name."""
