"""Conventions of tree growing as data: criterion, kinds of splits, stopping rules, details.

Two textbooks rarely mean the same by "C4.5". What they disagree about is a field of
:class:`Conventions`; an estimator of a tree is a choice of these fields and has no code of its own.
The conventions are stored in the tree and printed with it. Named ones are in profiles.py.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, get_args

from plaintree.errors import ParameterError, not_allowed

from .class_costs import Pairs, checked_costs, checked_feature_costs, checked_priors
from .constraints import (
    Columns,
    Directions,
    Groups,
    Pairing,
    columns_from,
    directions_from,
    groups_from,
    shown,
)
from .limits import check_range, check_samples, rows_of

if TYPE_CHECKING:  # help of the command line reads conventions, and must not import numpy
    from plaintree.data.schema import Schema

ClassCriterion = Literal[
    "information_gain", "gain_ratio", "gain_ratio_conditional", "gini", "error"
]
TargetCriterion = Literal["squared_error", "absolute_error", "poisson"]
Criterion = ClassCriterion | TargetCriterion
Categorical = Literal["multiway", "one_vs_rest", "subset", "grouped"]
Missing = Literal[
    "fractional", "most_common", "most_common_in_class", "branch", "error", "surrogate"
]
Unseen = Literal["missing", "stop", "error"]
TiedLabel = Literal["first", "keep"]
ThresholdRule = Literal["midpoint", "data_value"]
ThresholdChoice = Literal["criterion", "gain"]
SignificanceTest = Literal["adjusted", "chi_square"]
Splitter = Literal["best", "random"]

Kept = Literal["conventions"]
"""A parameter of an estimator that is as the conventions have it."""
KEPT: Kept = "conventions"

# The core has the same two numbers, kEpsilon and kNoGain in src/core/base/params.h.
EPSILON = 1e-3
"""C4.5's one epsilon: of gains, of split information, of training errors."""
NO_GAIN = 1e-9
"""Where splits that gain nothing are refused, a gain must exceed this much rounding."""

CHOICES: dict[str, tuple[str, ...]] = {
    "criterion": (*get_args(ClassCriterion), *get_args(TargetCriterion)),
    "categorical": get_args(Categorical),
    "missing": get_args(Missing),
    "unseen": get_args(Unseen),
    "tied_label": get_args(TiedLabel),
    "threshold": get_args(ThresholdRule),
    "threshold_choice": get_args(ThresholdChoice),
    "significance_test": get_args(SignificanceTest),
    "splitter": get_args(Splitter),
}
CONSTRAINTS = ("monotonic_cst", "forbid", "first", "interaction_cst")
"""The conventions that are about certain columns."""
OF_TARGETS = frozenset(get_args(TargetCriterion))
"""The criteria of numeric targets; the others are of classes."""
RATIOS = frozenset({"gain_ratio", "gain_ratio_conditional"})
"""The criteria that divide the gain by something; the scores of the others are gains."""


_NOT_NEGATIVE = (
    "min_impurity_decrease",
    "numeric_branch_fraction",
    "min_separation",
    "tie_tolerance",
)
_REQUIRED = (*_NOT_NEGATIVE, "min_weight_fraction_leaf", "exhaustive_categories")
_FLAGS = ("zero_gain", "threshold_penalty", "average_gain", "collapse")
_OF_SURROGATES: dict[str, tuple[int, int]] = {
    "max_surrogates": (5, 2**31 - 1),
    "use_surrogate": (2, 2),
    "surrogate_style": (0, 1),
}
"""Conventions of surrogate splits: the default, and the maximum."""


@dataclass(frozen=True)
class Conventions:
    """Every choice that decides which tree grows from a table.

    Parameters
    ----------
    criterion : {"information_gain", "gain_ratio", "gain_ratio_conditional", "gini", "error"}, \
            default="gini"
        The score of a split.
    categorical : {"multiway", "one_vs_rest", "subset", "grouped"}, default="subset"
        How categorical features are split: one branch per category, one category against the rest,
        a subset against the rest, or one branch per group of categories (option -s of C4.5).
    missing : {"fractional", "most_common", "most_common_in_class", "branch", "error", \
            "surrogate"}, default="most_common"
        Where rows with a missing value go: divided over all branches (C4.5), with the most common
        value of the node or of their class, into a branch of their own, an error, or where splits
        on other features send them that agree with the split (CART). The scores of surrogate
        splits' nodes are of the rows whose value is known.
    max_surrogates : int, default=5
        The maximum number of surrogate splits of a node. With 0, rows with a missing value stop at
        the node.
    use_surrogate : {0, 1, 2}, default=2
        What surrogates do: 0, rows with a missing value stop at the node, which predicts them; 1,
        they go by the first surrogate that knows them, and stop if none does; 2, they then go with
        the side of more weight, and stop if both weigh the same.
    surrogate_style : {0, 1}, default=0
        What the agreement of a surrogate is a fraction of: 0, the weight of all rows whose value of
        the split feature is known; 1, of those whose value of both features is known.
    unseen : {"missing", "stop", "error"}, default="missing"
        How to treat categories not seen in training: as missing values, as rows that stop at the
        node, or as an error. Ordered categories are missing where others would stop.
    tied_label : {"first", "keep"}, default="first"
        The label of a pruned node whose classes tie: the first of them, or the one that it had or
        that was drawn at random.
    max_depth : int or None, default=None
        The maximum depth of the tree.
    max_leaf_nodes : int or None, default=None
        The maximum number of leaves. The tree is grown best first: the leaf whose split decreases
        the total impurity most is split next.
    min_samples_split : int or float, default=2
        The minimum number of rows to split a node. An int counts rows, whatever their weights, and
        a float is a fraction of all training rows, as in scikit-learn. Rows of weight 0 count for
        fractions only. In a bootstrap sample a row counts as often as it was drawn. Under
        ``missing="fractional"``, which divides rows, they count with their weights.
    min_samples_leaf : int or float, default=1
        The minimum number of rows in every branch of a split, counted in the same way. A branch of
        missing values needs no minimum.
    min_samples_branch : float or None, default=None
        C4.5's rule instead of ``min_samples_leaf``: at least two branches of a split need this
        weight, and a node twice as much to be split.
    min_score : float or None, default=None
        The minimum score of a split.
    min_weight_fraction_leaf : float, default=0.0
        The minimum fraction of the total weight in every branch of a split.
    min_impurity_decrease : float, default=0.0
        The minimum gain of a split, times the node's fraction of the total weight.
    significance : float or None, default=None
        The maximum p-value of a split.
    significance_test : {"adjusted", "chi_square"}, default="adjusted"
        How the p-value is computed. "adjusted" allows for the choice among all thresholds or sets
        of categories of a feature, and among the features: on noise a node is split with at most
        that probability. "chi_square" is the test of the split alone, as in textbooks.
    zero_gain : bool, default=True
        Whether a split that gains nothing may be chosen.
    threshold : {"midpoint", "data_value"}, default="midpoint"
        The threshold between two neighbouring values: their midpoint, or the largest training
        value not above it (C4.5).
    threshold_choice : {"criterion", "gain"}, default="criterion"
        What the threshold of a numeric feature is chosen by: the criterion, or always the
        information gain (C4.5).
    threshold_penalty : bool, default=False
        Whether log2(number of thresholds) / weight is subtracted from the gain of a threshold
        (C4.5 R8).
    average_gain : bool, default=False
        Whether gain ratio chooses only among features of at least average gain (C4.5).
    numeric_branch_fraction : float, default=0.0
        Each side of a threshold needs this fraction of the mean class weight, up to 25 rows (C4.5).
    min_separation : float, default=0.0
        Neighbouring values nearer than this are not separated.
    tie_tolerance : float, default=1e-12
        Features whose scores are within this of the best tie; the first of them is chosen.
    collapse : bool, default=False
        Whether a node whose branches make no fewer training errors becomes a leaf (C4.5).
    max_bins : int or None, default=None
        The maximum number of bins of a numeric feature, which have about as many rows each. None is
        exact: every distinct value is a possible threshold.
    exhaustive_categories : int, default=10
        With subsets and more than two classes, every subset is tried up to this many categories.
        Above, categories are ordered by the proportion of each class in turn.
    priors : dict or None, default=None
        The prior probability of each class, instead of its fraction of the rows. They count in
        scores, in predictions and in class probabilities.
    costs : dict or None, default=None
        The costs of errors by (actual, predicted) class; pairs left out cost 1. A node predicts the
        class of the least expected cost. In scores a class counts in proportion to the sum of its
        costs.
    feature_costs : dict or None, default=None
        Costs of features by name; others cost 1. Scores are divided by the cost of their feature.
    decision_threshold : float or None, default=None
        The second of two classes is predicted where its probability is above this. Growing and
        pruning are as without it.
    splitter : {"best", "random"}, default="best"
        Whether each feature offers its best split, or a random one: a threshold drawn uniformly
        between the least and the greatest value in the node, or a random set of its categories.
        The best of what the features offer is chosen. Many-way and grouped splits are not drawn,
        nor sets of categories by absolute error.
    monotonic_cst : dict, sequence of int or None, default=()
        The direction of the prediction by feature: 1 if it may only rise, -1 if it may only fall,
        0 if it is free. For two classes it is the probability of the second one.
    forbid : sequence of str or int, default=()
        Features that no node splits on. They stay in the schema.
    first : str, int or sequence of them, default=()
        The feature that the root splits on, that of the nodes below it, and so on. A node in which
        its feature offers no split chooses among all features.
    interaction_cst : sequence of sequences, {"pairs", "no_interactions"} or None, default=()
        Groups of features; the features on a path are all in one of the groups. Features in no
        group form one more.

    Examples
    --------
    >>> print(Conventions(criterion="information_gain", categorical="multiway", max_depth=3))
    id3, but max_depth=3
    """

    criterion: Criterion = "gini"
    categorical: Categorical = "subset"
    missing: Missing = "most_common"
    unseen: Unseen = "missing"
    tied_label: TiedLabel = "first"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_samples_branch: float | None = None
    min_score: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    significance: float | None = None
    significance_test: SignificanceTest = "adjusted"
    zero_gain: bool = True
    threshold: ThresholdRule = "midpoint"
    threshold_choice: ThresholdChoice = "criterion"
    threshold_penalty: bool = False
    average_gain: bool = False
    numeric_branch_fraction: float = 0.0
    min_separation: float = 0.0
    tie_tolerance: float = 1e-12
    collapse: bool = False
    max_bins: int | None = None
    exhaustive_categories: int = 10
    max_surrogates: int = 5
    use_surrogate: int = 2
    surrogate_style: int = 0
    priors: Pairs | None = None
    costs: Pairs | None = None
    feature_costs: Pairs | None = None
    decision_threshold: float | None = None
    splitter: Splitter = "best"
    monotonic_cst: Directions = ()
    forbid: Columns = ()
    first: Columns = ()
    interaction_cst: Groups | Pairing = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "priors", checked_priors(self.priors))
        object.__setattr__(self, "costs", checked_costs(self.costs))
        object.__setattr__(self, "feature_costs", checked_feature_costs(self.feature_costs))
        object.__setattr__(self, "monotonic_cst", directions_from(self.monotonic_cst))
        for name in ("forbid", "first"):
            object.__setattr__(self, name, columns_from(name, getattr(self, name)))
        object.__setattr__(self, "interaction_cst", groups_from(self.interaction_cst))
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise not_allowed(name, getattr(self, name), allowed)
        check_range("max_depth", self.max_depth, least=0, most=2**31 - 1)
        check_range("max_leaf_nodes", self.max_leaf_nodes, least=2)
        check_samples("min_samples_split", self.min_samples_split)
        check_samples("min_samples_leaf", self.min_samples_leaf)
        check_range("min_samples_branch", self.min_samples_branch, least=0)
        check_range("significance", self.significance, least=0, most=1)
        check_range("min_weight_fraction_leaf", self.min_weight_fraction_leaf, least=0, most=0.5)
        self._check_branch_rules()
        self._check_surrogates()
        self._check_decision()
        check_range("max_bins", self.max_bins, least=2, most=65536)
        check_range("exhaustive_categories", self.exhaustive_categories, least=2, most=20)
        check_range("min_score", self.min_score, least=-math.inf)
        for name in (
            "min_impurity_decrease",
            "numeric_branch_fraction",
            "min_separation",
            "tie_tolerance",
        ):
            check_range(name, getattr(self, name), least=0)
        for name in _REQUIRED:
            if getattr(self, name) is None:
                raise ParameterError(f"{name} is None", got=f"{name}=None", hint="use a number.")
        for name in ("max_depth", "max_leaf_nodes", "max_bins", "exhaustive_categories"):
            value = getattr(self, name)
            if value is not None and value != int(value):
                raise ParameterError(
                    f"{name} must be an integer", got=f"{name}={value!r}", hint="use an int."
                )
        for name in _FLAGS:
            if getattr(self, name) not in (True, False):
                raise not_allowed(name, getattr(self, name), (True, False))

    def _check_branch_rules(self) -> None:
        every = {"min_samples_leaf": 1, "min_weight_fraction_leaf": 0}
        given = {name: getattr(self, name) for name in every if getattr(self, name) != every[name]}
        if self.min_samples_branch is not None and given:
            name, value = next(iter(given.items()))
            raise ParameterError(
                f"{name} is about every branch of a split, and min_samples_branch about two",
                got=f"{name}={value!r} and min_samples_branch={self.min_samples_branch!r}",
                hint=f"use one of them: min_samples_branch=None with {name}.",
            )

    def _check_surrogates(self) -> None:
        for name, (default, most) in _OF_SURROGATES.items():
            value = getattr(self, name)
            is_int = isinstance(value, Integral) and not isinstance(value, bool)
            if not is_int or not 0 <= int(value) <= most:
                raise ParameterError(
                    f"{name} must be an int from 0 to {most}", got=f"{name}={value!r}"
                )
            if value != default and self.missing != "surrogate":
                raise ParameterError(
                    f"{name} is about surrogate splits, which are not asked for",
                    got=f"{name}={value!r} and missing={self.missing!r}",
                    hint=f'set missing="surrogate", or leave out {name}.',
                )
        if self.missing == "surrogate" and self.categorical in ("multiway", "grouped"):
            raise ParameterError(
                "surrogate splits need splits with two branches",
                got=f'missing="surrogate" and categorical={self.categorical!r}',
                hint='use categorical="subset", or another value of missing.',
            )

    def _check_decision(self) -> None:
        if self.decision_threshold is None:
            return
        check_range("decision_threshold", self.decision_threshold, least=0, most=1)
        if self.costs is not None:
            raise ParameterError(
                "costs and decision_threshold both decide which class is predicted",
                got=f"decision_threshold={self.decision_threshold!r} and costs",
                hint="use one of them.",
            )

    def for_rows(self, n_rows: int) -> Conventions:
        """Return these conventions with fractions of so many training rows as numbers of rows.

        >>> Conventions(min_samples_leaf=0.1).for_rows(25).min_samples_leaf
        3
        """
        split = rows_of("min_samples_split", self.min_samples_split, n_rows)
        leaf = rows_of("min_samples_leaf", self.min_samples_leaf, n_rows)
        return replace(self, min_samples_split=split, min_samples_leaf=leaf)

    @property
    def depth_limit(self) -> int | None:
        """The depth that a tree may have: so many leaves allow one branch of so many splits less
        one.

        >>> Conventions(max_leaf_nodes=4, max_depth=10).depth_limit
        3
        """
        limits = [self.max_depth, self.max_leaf_nodes and self.max_leaf_nodes - 1]
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def counts_weights(self) -> bool:
        """Whether ``min_samples_split`` and ``min_samples_leaf`` are about weights, not rows."""
        return self.missing == "fractional"

    def to_json(self) -> dict[str, Any]:
        """Return the conventions as a dictionary; the significance test only where there is one."""
        fields_of = asdict(self)
        if self.significance is None and self.significance_test == "adjusted":
            del fields_of["significance_test"]
        for name in ("min_weight_fraction_leaf", "min_impurity_decrease", "max_leaf_nodes"):
            if not fields_of[name]:  # as in files of the versions before them
                del fields_of[name]
        for name in ("priors", "costs", "feature_costs", "decision_threshold"):
            if fields_of[name] is None:
                del fields_of[name]
        for name in _OF_SURROGATES if self.missing != "surrogate" else ():
            del fields_of[name]
        if self.splitter == "best":
            del fields_of["splitter"]
        for name in CONSTRAINTS:
            if not fields_of[name]:
                del fields_of[name]
        return fields_of

    @classmethod
    def named(cls, name: str) -> Conventions:
        """Return the conventions of a name; :func:`plaintree.conventions` lists the names.

        >>> Conventions.named("c4.5r8").threshold
        'data_value'
        """
        from .profiles import resolve_conventions

        return resolve_conventions(name)

    def __str__(self) -> str:
        """Return the nearest named profile, and in what these conventions differ from it."""
        from .profiles import PROFILES

        changes = [(p.name, self.differences_from(p.conventions)) for p in PROFILES]
        name, differences = min(changes, key=lambda change: len(change[1]))
        words = ", ".join(f"{k}={_as_text(k, mine)}" for k, (mine, _) in differences.items())
        return f"{name}, but {words}" if words else name

    def differences_from(self, other: Conventions) -> dict[str, tuple[Any, Any]]:
        """Return the fields in which two conventions differ, each with both values."""
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


ID3 = Conventions(criterion="information_gain", categorical="multiway")
C45 = Conventions(
    criterion="gain_ratio",
    categorical="multiway",
    missing="fractional",
    min_samples_branch=2,
    threshold="data_value",
    threshold_choice="gain",
    threshold_penalty=True,
    average_gain=True,
    numeric_branch_fraction=0.1,
    min_separation=1e-5,
    tie_tolerance=0.0,
    collapse=True,
)
CART = Conventions(criterion="gini", categorical="subset")


def _as_text(name: str, value: Any) -> str:
    """The value of a field in the text of conventions."""
    if name in CONSTRAINTS:
        return f"({shown(name, value)})"
    return str(dict(value) if isinstance(value, tuple) else value)


def criterion_of(conventions: Conventions | None, schema: Schema) -> Criterion:
    """The criterion of a tree; without conventions Gini, or squared error of numbers."""
    if conventions is not None:
        return conventions.criterion
    return "gini" if schema.classes else "squared_error"
