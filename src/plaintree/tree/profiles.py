"""Named combinations of conventions: those of programs, articles and lecture notes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from plaintree.errors import ArgumentTypeError, ParameterError, nearest

from .conventions import C45, CART, ID3, Conventions


@dataclass(frozen=True)
class Profile:
    """A named combination of conventions.

    Attributes
    ----------
    name : str
        The name, as ``conventions=`` of an estimator takes it.
    conventions : Conventions
        The conventions.
    about : str
        A description.
    source : str
        The program, article or lecture notes that they are from.
    leaves_out : str
        What the source does beyond them.
    """

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
        "gain ratio among features of at least average gain, thresholds chosen by a penalised gain",
        "Quinlan's program C4.5, Release 8, with its default options",
        "pruning, which comes after growing",
    ),
    Profile(
        "quinlan86",
        replace(ID3, missing="fractional"),
        "information gain, a branch per category, rows with missing values divided over them",
        "Quinlan, Induction of Decision Trees, 1986",
        "windowing, and the chi-square test (use significance=0.01, "
        'significance_test="chi_square"); numeric features, which '
        "the article does not have, are split at a threshold",
    ),
    Profile(
        "cart84",
        CART,
        "Gini index, two branches, any set of categories against the others, no early stop",
        "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984",
        'surrogate splits (use missing="surrogate") and pruning, which comes after growing',
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
            missing="surrogate",
        ),
        "as cart84 with surrogate splits, 20 rows to split and 7 per branch, and every split must "
        "gain something",
        "the R package rpart with its default controls",
        'cp, by which rpart prunes while growing: use pruning="cost_complexity" with its options '
        'cp=0.01 and links="rpart"',
    ),
    Profile(
        "id3",
        ID3,
        "information gain, a branch per category, missing values as the most common value",
        "lecture notes that extend ID3 to numeric features and missing values",
    ),
    Profile(
        "id3_gain_ratio",
        replace(ID3, criterion="gain_ratio"),
        "as id3 with gain ratio, which also chooses thresholds",
        "lecture notes that call this C4.5",
    ),
    Profile(
        "id3_conditional_ratio",
        replace(ID3, criterion="gain_ratio_conditional"),
        "as id3 with gain / H(Y|X), which ranks features as the gain does",
        "lecture notes that define the gain ratio so",
    ),
    Profile(
        "id3_gini",
        replace(ID3, criterion="gini"),
        "as id3 with the Gini index of all branches",
        "lecture notes that use the Gini index with a branch per category",
    ),
    Profile(
        "cart_one_vs_rest",
        replace(CART, criterion="information_gain", categorical="one_vs_rest"),
        "information gain, two branches, one category against all others",
        "lecture notes that define CART so",
    ),
)


def conventions() -> tuple[Profile, ...]:
    """List the named conventions.

    Returns
    -------
    tuple of Profile
        The profiles with their names, descriptions and sources.

    Examples
    --------
    >>> from plaintree.tree.profiles import conventions
    >>> [profile.name for profile in conventions()][:4]
    ['c4.5r8', 'quinlan86', 'cart84', 'rpart']
    >>> print(conventions()[3])  # doctest: +ELLIPSIS
    rpart: as cart84 with surrogate splits, 20 rows to split ... Not included: cp, by which ...
    """
    return PROFILES


def resolve_conventions(name_or_object: str | Conventions) -> Conventions:
    """Return conventions as they are, or those of a name (in lower or upper case).

    >>> resolve_conventions("id3_gini").criterion
    'gini'
    """
    if isinstance(name_or_object, Conventions):
        return name_or_object
    if not isinstance(name_or_object, str):
        raise ArgumentTypeError(
            "conventions must be a name or an object of class Conventions",
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
