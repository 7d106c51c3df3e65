"""How a tree is grown, as data: the criterion, the conditions, the stop rules, the fine print.

Two textbooks rarely mean the same by "C4.5". What they disagree about is a field of
:class:`Conventions`; a learner is a choice of these fields and no code of its own. The
conventions are stored in the tree and printed with it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal, get_args

from plaintree.errors import ArgumentTypeError, ParameterError, nearest, not_allowed

Criterion = Literal["information_gain", "gain_ratio", "gain_ratio_conditional", "gini", "error"]
Categorical = Literal["multiway", "one_vs_rest", "subset", "grouped"]
Missing = Literal["fractional", "most_common", "most_common_in_class", "branch", "error"]
Unseen = Literal["missing", "stop", "error"]
TiedAnswer = Literal["first", "label"]
ThresholdRule = Literal["midpoint", "data_value"]
CutChoice = Literal["criterion", "gain"]
SignificanceTest = Literal["adjusted", "chi_square"]

# The core has the same two numbers, kEpsilon and kNoGain in src/core/base/params.h.
EPSILON = 1e-3
"""C4.5's one epsilon: of gains, of split information, of training errors."""
NO_GAIN = 1e-9
"""Where splits that gain nothing are refused, a gain must exceed this much rounding."""

CHOICES: dict[str, tuple[str, ...]] = {
    "criterion": get_args(Criterion),
    "categorical": get_args(Categorical),
    "missing": get_args(Missing),
    "unseen": get_args(Unseen),
    "tied_answer": get_args(TiedAnswer),
    "threshold": get_args(ThresholdRule),
    "cut_choice": get_args(CutChoice),
    "significance_test": get_args(SignificanceTest),
}
RATIOS = frozenset({"gain_ratio", "gain_ratio_conditional"})
"""The criteria that divide the gain by something else; the scores of the others are gains."""


_REQUIRED = (
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "numeric_branch_share",
    "least_gap",
    "tie_tolerance",
    "exhaustive_categories",
)
_FLAGS = ("zero_gain", "threshold_penalty", "average_gain", "collapse")


@dataclass(frozen=True)
class Conventions:
    """Every choice that decides which tree grows from a table.

    What is tested, and how well it does:

    - ``criterion``: the score of a candidate test.
    - ``categorical``: one branch per category, one category against the rest, a subset against
      the rest, or one branch per group of categories (C4.5's -s).
    - ``cut_choice``: the threshold of a numeric attribute is the one with the best "criterion",
      or the one with the best "gain" whatever the criterion (C4.5).
    - ``threshold``: reported as the "midpoint" of the two neighbouring values, or as the largest
      training value not above it ("data_value", C4.5).
    - ``threshold_penalty``: C4.5 R8's log2(number of cuts) / weight, taken off the gain.
    - ``average_gain``: under gain ratio only attributes of at least average gain qualify (C4.5).
    - ``least_gap``: neighbouring values nearer than this are not cut apart.
    - ``tie_tolerance``: attributes whose scores are within this of the best tie; the first one of
      them is chosen.
    - ``zero_gain``: whether a test that gains nothing may be chosen.

    When growing stops:

    - ``max_depth``, ``min_score``;
      ``min_impurity_decrease``: the gain of the chosen split times the node's fraction of all
      training weight must be at least this;
      ``significance``: the p-value of the chosen split must not exceed this level.
    - ``significance_test``: "adjusted" counts in that the split was chosen among all thresholds
      or sets of categories of its column, and among the columns: on noise a node is split with
      at most that probability. "chi_square" is the textbooks' test of the split by itself.
    - ``min_samples_split``: a node needs so many rows to be split; ``min_samples_leaf``: every
      branch of a split needs so many. As in scikit-learn, an int counts rows, whatever their
      weights, and a float is a fraction of all training rows. Rows of weight 0 are not there, and a
      row of a bootstrap sample counts as often as it was drawn. Under ``missing="fractional"`` rows
      are divided, so they count with their weights. A branch of missing values needs no minimum.
    - ``min_weight_fraction_leaf``: every branch needs this fraction of the weight of all rows.
    - ``min_samples_branch``: C4.5's rule instead of the last two. At least two branches need so
      much weight, and a node twice as much. None switches it off.
    - ``numeric_branch_share``: C4.5 raises the minimum for numeric attributes to this share of the
      known weight per class, but never above 25; 0 switches it off.
    - ``collapse``: a node whose branches make no fewer training errors becomes a leaf (C4.5).

    Gaps:

    - ``missing``: what happens to a row whose tested value is missing.
    - ``unseen``: what happens at prediction to a category that training did not have. Among
      ordered categories it is missing where it would "stop".

    - ``tied_answer``: whether pruning labels a node of tied classes with the "first" of them, or
      keeps the "label" that it had or has drawn at random. A leaf predicts its label.

    - ``max_bins``: numeric attributes are cut into at most this many bins first, of about as many
      rows each, whatever the rows' weights; None is exact.
    - ``exhaustive_categories``: with subsets and more than two classes, every partition is tried
      up to this many categories; above, categories are ordered by the share of each class in turn.
    """

    criterion: Criterion = "gini"
    categorical: Categorical = "subset"
    missing: Missing = "most_common"
    unseen: Unseen = "missing"
    tied_answer: TiedAnswer = "first"
    max_depth: int | None = None
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
    cut_choice: CutChoice = "criterion"
    threshold_penalty: bool = False
    average_gain: bool = False
    numeric_branch_share: float = 0.0
    least_gap: float = 0.0
    tie_tolerance: float = 1e-12
    collapse: bool = False
    max_bins: int | None = None
    exhaustive_categories: int = 10

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise not_allowed(name, getattr(self, name), allowed)
        _check_range("max_depth", self.max_depth, least=0, most=2**31 - 1)
        check_samples("min_samples_split", self.min_samples_split)
        check_samples("min_samples_leaf", self.min_samples_leaf)
        _check_range("min_samples_branch", self.min_samples_branch, least=0)
        _check_range("significance", self.significance, least=0, most=1)
        _check_range("min_weight_fraction_leaf", self.min_weight_fraction_leaf, least=0, most=0.5)
        self._check_branch_rules()
        _check_range("max_bins", self.max_bins, least=2, most=65536)
        _check_range("exhaustive_categories", self.exhaustive_categories, least=2, most=20)
        _check_range("min_score", self.min_score, least=-math.inf)
        for name in ("min_impurity_decrease", "numeric_branch_share", "least_gap", "tie_tolerance"):
            _check_range(name, getattr(self, name), least=0)
        for name in _REQUIRED:
            if getattr(self, name) is None:
                raise ParameterError(f"{name} is None", got=f"{name}=None", hint="give a number.")
        for name in ("max_depth", "max_bins", "exhaustive_categories"):
            value = getattr(self, name)
            if value is not None and value != int(value):
                raise ParameterError(
                    f"{name} is not a whole number", got=f"{name}={value!r}", hint="use one."
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

    def for_rows(self, n_rows: int) -> Conventions:
        """Return these conventions with fractions of so many training rows as numbers of rows.

        >>> Conventions(min_samples_leaf=0.1).for_rows(25).min_samples_leaf
        3
        """
        split = rows_of("min_samples_split", self.min_samples_split, n_rows)
        leaf = rows_of("min_samples_leaf", self.min_samples_leaf, n_rows)
        return replace(self, min_samples_split=split, min_samples_leaf=leaf)

    @property
    def counts_weights(self) -> bool:
        """Whether ``min_samples_split`` and ``min_samples_leaf`` are about weights, not rows."""
        return self.missing == "fractional"

    def to_json(self) -> dict[str, Any]:
        """The conventions as a plain dictionary; the test only where there is one."""
        fields_of = asdict(self)
        if self.significance is None and self.significance_test == "adjusted":
            del fields_of["significance_test"]
        for name in ("min_weight_fraction_leaf", "min_impurity_decrease"):
            if not fields_of[name]:  # as in files of the versions before them
                del fields_of[name]
        return fields_of

    @classmethod
    def named(cls, name: str) -> Conventions:
        """The conventions of that name; :func:`conventions` lists the names.

        >>> Conventions.named("c4.5r8").threshold
        'data_value'
        """
        return resolve_conventions(name)

    def __str__(self) -> str:
        """The nearest named profile, and in what these conventions differ from it.

        >>> print(Conventions(criterion="information_gain", categorical="multiway", max_depth=3))
        id3, but max_depth=3
        """
        changes = [(p.name, self.differences_from(p.conventions)) for p in PROFILES]
        name, differences = min(changes, key=lambda change: len(change[1]))
        words = ", ".join(f"{field}={mine}" for field, (mine, _) in differences.items())
        return f"{name}, but {words}" if words else name

    def differences_from(self, other: Conventions) -> dict[str, tuple[Any, Any]]:
        """The fields in which two conventions differ, each with both values."""
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


_FEWEST_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1}


def check_samples(name: str, value: Any) -> None:
    """Raise an error unless a minimum number of rows is an int, or a fraction, as in scikit-learn.

    All rows may be needed for a split, but not for a leaf.
    """
    fewest = _FEWEST_ROWS[name]
    if isinstance(value, Integral) and not isinstance(value, bool):
        valid = int(value) >= fewest
    else:
        is_float = isinstance(value, Real) and not isinstance(value, Integral)
        valid = is_float and 0 < float(value) <= 1 and (float(value) < 1 or fewest == 2)
    if not valid:
        end = "]" if fewest == 2 else ")"
        raise ParameterError(
            f"{name} must be an int >= {fewest} or a float in (0, 1{end}", got=f"{name}={value!r}"
        )


def rows_of(name: str, value: float, n_rows: int) -> int:
    """Return a minimum number of rows, given as a number or as a fraction of so many rows."""
    if isinstance(value, Integral):
        return int(value)
    return max(_FEWEST_ROWS[name], math.ceil(value * n_rows))


def _check_range(
    name: str, value: float | None, *, least: float, most: float = float("inf")
) -> None:
    if value is None:
        return
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and least <= value <= most:
        return
    upwards = "upwards" if most == math.inf else f"to {most:.10g}"
    bounds = "" if least == -math.inf else f" from {least:g} {upwards}"
    raise ParameterError(
        f"{name} is out of range", got=f"{name}={value!r}", hint=f"use a number{bounds}."
    )


ID3 = Conventions(criterion="information_gain", categorical="multiway")
C45 = Conventions(
    criterion="gain_ratio",
    categorical="multiway",
    missing="fractional",
    min_samples_branch=2,
    threshold="data_value",
    cut_choice="gain",
    threshold_penalty=True,
    average_gain=True,
    numeric_branch_share=0.1,
    least_gap=1e-5,
    tie_tolerance=0.0,
    collapse=True,
)
CART = Conventions(criterion="gini", categorical="subset")

# -------------------------------------------------------------------- named profiles


@dataclass(frozen=True)
class Profile:
    """Conventions with a name: in a sentence, where they are from, and what they leave out."""

    name: str
    conventions: Conventions
    about: str
    source: str
    leaves_out: str = ""

    def __str__(self) -> str:
        left_out = f" Not included: {self.leaves_out}." if self.leaves_out else ""
        return f"{self.name}: {self.about}. From {self.source}.{left_out}"


PROFILES = (
    Profile(
        "c4.5r8",
        C45,
        "gain ratio among attributes of average gain, cuts chosen by a gain with a penalty",
        "Quinlan's program C4.5, Release 8, with its default options",
        "pruning, which comes after growing",
    ),
    Profile(
        "quinlan86",
        replace(ID3, missing="fractional"),
        "information gain, a branch per category, rows with gaps divided over the branches",
        "Quinlan, Induction of Decision Trees, 1986",
        "windows, and the chi-square test (use significance=0.01, "
        'significance_test="chi_square"); numeric attributes, which '
        "the article does not have, are cut in two",
    ),
    Profile(
        "cart84",
        CART,
        "Gini index, two branches, any set of categories against the others, no early stop",
        "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984",
        "surrogate tests for gaps (the most common value is taken), priors, costs, and pruning",
    ),
    Profile(
        "rpart",
        replace(
            CART,
            min_samples_split=20,
            min_samples_leaf=7,
            max_depth=30,
            zero_gain=False,
            exhaustive_categories=20,
        ),
        "as cart84 with 20 rows to split and 7 per branch, and every split must gain something",
        "the R package rpart with its default controls",
        "cp, which prunes while growing, and surrogate tests for gaps",
    ),
    Profile(
        "id3",
        ID3,
        "information gain, a branch per category, numbers cut in two, gaps as the commonest value",
        "courses that extend ID3 to numbers and gaps",
    ),
    Profile(
        "id3_gain_ratio",
        replace(ID3, criterion="gain_ratio"),
        "as id3 with gain ratio, which also chooses the cut of a number",
        "courses that call this C4.5",
    ),
    Profile(
        "id3_conditional_ratio",
        replace(ID3, criterion="gain_ratio_conditional"),
        "as id3 with gain / H(Y|X), which ranks attributes as the gain does",
        "courses that define the gain ratio so",
    ),
    Profile(
        "id3_gini",
        replace(ID3, criterion="gini"),
        "as id3 with the Gini index of all branches",
        "courses that use the Gini index with a branch per category",
    ),
    Profile(
        "cart_one_vs_rest",
        replace(CART, criterion="information_gain", categorical="one_vs_rest"),
        "information gain, two branches, one category against all others",
        "courses that define CART so",
    ),
)


def conventions() -> tuple[Profile, ...]:
    """The conventions that have a name, with a sentence each.

    Examples
    --------
    >>> from plaintree.tree.conventions import conventions
    >>> [profile.name for profile in conventions()][:4]
    ['c4.5r8', 'quinlan86', 'cart84', 'rpart']
    >>> print(conventions()[3])  # doctest: +ELLIPSIS
    rpart: as cart84 with 20 rows to split and 7 per branch, ... Not included: cp, which prunes ...
    """
    return PROFILES


def resolve_conventions(name_or_object: str | Conventions) -> Conventions:
    """Conventions as they are, or those of a name (in small or capital letters).

    >>> resolve_conventions("id3_gini").criterion
    'gini'
    """
    if isinstance(name_or_object, Conventions):
        return name_or_object
    if not isinstance(name_or_object, str):
        raise ArgumentTypeError(
            "conventions are neither a name nor an object of class Conventions",
            got=f"an object of type {type(name_or_object).__name__}",
            hint=_known_names(),
        )
    for profile in PROFILES:
        if profile.name == name_or_object.lower():
            return profile.conventions
    near = nearest(name_or_object.lower(), [profile.name for profile in PROFILES])
    raise ParameterError(
        "there are no conventions of that name",
        got=repr(name_or_object),
        hint=f"{near} {_known_names().capitalize()}" if near else _known_names(),
    )


def _known_names() -> str:
    return f"the names are {', '.join(repr(profile.name) for profile in PROFILES)}."
