"""The choice of the split of a node: which columns qualify, the winner, the runner-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

from plaintree import _core
from plaintree.stats.exact import SAME, Counts, Value
from plaintree.tree.condition import kind_of
from plaintree.tree.conventions import EPSILON, NO_GAIN, Conventions

from .cases import Cases, Rows
from .offers import offers_of
from .tried import Offer, Tried


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns' offers at a node, in column order, and what follows from them.

    - ``average``: the mean gain that qualifies, if the conventions use it.
    - ``winner``, ``runner_up``: None if there is none; ``tied``: other columns that score the same.
    - ``p_value``: of the winner's split, by the significance test of the conventions.
    """

    offers: tuple[Offer, ...]
    average: Value | None
    winner: Offer | None
    runner_up: Offer | None
    tied: tuple[Offer, ...]
    p_value: float | None = None

    @property
    def margin(self) -> Value | None:
        """By how much the winner is ahead."""
        if self.winner is None or self.runner_up is None:
            return None
        first, second = self.winner.score, self.runner_up.score
        return 0 if first == second else first - second

    def offer(self, attribute: int) -> Offer | None:
        """What a column offers."""
        return next((o for o in self.offers if o.feature == attribute), None)


def choose(cases: Cases, rows: Rows, used: frozenset[int], most_tried: int | None = 1) -> Choice:
    """Try every allowed column and choose; keep at most so many splits of each."""
    rules = cases.rules
    columns = [c for c in range(len(cases.columns)) if c not in used]
    offers = offers_of(cases, rows, columns, most_tried)
    average = _average_gain(cases, offers) if asks_average(rules) else None
    fraction, yardstick = cases.fraction_of(rows), cases.yardstick(rows)
    offers = [_judged(offer, average, fraction, rules, yardstick) for offer in offers]
    fit = [offer for offer in offers if not offer.refused]
    tolerance = max(rules.tie_tolerance, SAME) * yardstick
    if not fit:
        return Choice(tuple(offers), average, None, None, ())
    best = max(offer.score for offer in fit)
    winner, *tied = [offer for offer in fit if same_score(offer.score, best, tolerance)]
    others = [offer for offer in fit if offer is not winner]
    runner_up = max(others, key=_ranked, default=None)
    reached = None if rules.significance is None else _p_by(cases, len(columns), winner)
    return Choice(tuple(offers), average, winner, runner_up, tuple(tied), reached)


def same_score(one: Value, other: Value, tolerance: float = SAME) -> bool:
    """Whether two scores are equal but for rounding."""
    return one == other or abs(float(one) - float(other)) <= tolerance


def _ranked(offer: Offer) -> float:
    return float(offer.score)


def is_significant(choice: Choice, rules: Conventions) -> bool:
    """Whether the winner's split reaches the significance level, if there is one."""
    if choice.p_value is None or rules.significance is None:
        return True
    return choice.p_value <= rules.significance


def asks_average(rules: Conventions) -> bool:
    """Whether only columns of at least average gain qualify."""
    return rules.average_gain and rules.criterion == "gain_ratio"


def averaged(cases: Cases, offers: Sequence[Offer]) -> list[Offer]:
    """The offers whose mean gain is C4.5's average: without attributes that have very many
    categories, unless all have."""
    weight = sum(cases.weights)
    sizes = cases.schema.category_counts
    many = [size > 0 and 10 * size >= 3 * weight for size in sizes]
    return [
        offer
        for offer in offers
        if offer.best is not None
        and not offer.refused
        and (all(many) or not many[offer.feature])
        and offer.gain > -EPSILON
    ]


def _average_gain(cases: Cases, offers: Sequence[Offer]) -> Value | None:
    gains = [offer.gain for offer in averaged(cases, offers)]
    return sum(gains) / len(gains) if gains else None


def _judged(
    offer: Offer, average: Value | None, fraction: float, rules: Conventions, yardstick: float
) -> Offer:
    """The offer, refused if it does not qualify at a node with this fraction of all weight."""
    if offer.refused or offer.best is None:
        return offer
    refused, found, slack = "", offer.best.measures, SAME * yardstick
    least, decrease = rules.min_score, rules.min_impurity_decrease
    if isnan(found.score):
        refused = "the criterion has no value"
    elif least is not None and found.score < least - slack:
        refused = "the score is below the minimum"
    elif decrease and found.gain * fraction < decrease - slack:
        refused = "the impurity decreases by too little"
    elif found.gain <= (-EPSILON if rules.zero_gain else NO_GAIN) * yardstick:
        refused = "nothing is gained"
    elif asks_average(rules):
        if average is None or found.gain < average - EPSILON - SAME:
            refused = "the gain is below the average"
        elif found.split_info <= EPSILON:
            refused = "the split information is almost zero"
    return replace(offer, refused=refused)


def _p_by(cases: Cases, n_columns: int, winner: Offer) -> float:
    """The p-value of the winner's split by the significance test of the conventions."""
    if cases.rules.significance_test == "chi_square" or winner.best is None:
        return p_value(winner.best)
    table = [float(weight) for branch in winner.best.branches for weight in branch]
    n_categories = cases.schema.category_counts[winner.feature]
    n_values = n_categories or len(cases.distinct[winner.feature])
    kind = kind_of(winner.best.condition)
    return _core.adjusted_p(table, len(cases.schema.classes), kind, n_values, n_columns)


def p_value(tried: Tried | None) -> float:
    """The p-value of the chi-square test of independence of branch and class.

    Two by two, Yates's correction is applied where a count below five is expected.
    """
    from scipy.stats import chi2

    observed: list[Counts] = [b for b in tried.branches if sum(b) > 0] if tried else []
    by_class = [sum(column) for column in zip(*observed, strict=True)]
    degrees = (len(observed) - 1) * (sum(weight > 0 for weight in by_class) - 1)
    if degrees <= 0:
        return 1.0
    total = float(sum(by_class))
    cells = [
        (float(seen), float(sum(branch)) * float(of_class) / total)
        for branch in observed
        for seen, of_class in zip(branch, by_class, strict=True)
        if of_class
    ]
    small = degrees == 1 and min(expected for _, expected in cells) < 5
    half = 0.5 if small else 0.0
    statistic = sum(
        max(0.0, abs(seen - expected) - half) ** 2 / expected for seen, expected in cells
    )
    return float(chi2.sf(statistic, degrees))
