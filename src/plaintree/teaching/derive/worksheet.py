"""The root of a tree on a worksheet: nothing depends on a result.

Each column has a placeholder for its best split, made from the values of the table alone. Its text
is left blank, so the space does not depend on which split is the best.
"""

from __future__ import annotations

from dataclasses import replace

from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold

from .cases import Cases
from .choice import Choice, asks_average
from .document import SHEET_LINES
from .offers import measured, offers_of
from .steps import Step
from .tried import Offer

TESTS_GIVEN = 30
"""The splits of a column are given if they are no more; otherwise a student finds them."""


def asked_step(cases: Cases, root: Step) -> Step:
    """The root with stand-ins for everything that is to be found out."""
    if root.choice is None:
        return root
    columns = [offer.feature for offer in root.choice.offers]
    offers = [
        _stand_in(cases, offer) for offer in offers_of(cases, root.rows, columns, TESTS_GIVEN)
    ]
    winner = next((offer for offer in offers if offer.best is not None), None)
    average = 0 if asks_average(cases.rules) else None
    choice = Choice(tuple(offers), average, winner, None, ())
    return replace(
        root,
        choice=choice,
        condition=None,
        taken=None,
        verdict="same",
        sending=None,
        surrogates="same",
        leaf=None,
        beyond=None,
        counts_differ=False,
    )


def _stand_in(cases: Cases, offer: Offer) -> Offer:
    """The offer of a column, with any split for its best."""
    condition = _any_test(cases, offer)
    best = None if condition is None else measured(cases, cases.everyone, condition)
    if best is None or condition is None:
        return offer  # all values are the same, which the table shows
    tried, n_tried = offer.tried, offer.n_tried
    if isinstance(condition, Subset):  # how many sets are worth a look may depend on the targets
        n_values = len(cases.distinct[offer.feature])
        n_sets = n_values - 1 if cases.sums.has_order else 2**n_values // 2 - 1
        n_tried = max(1, min(SHEET_LINES, n_sets))
        tried = (best,) * n_tried
    elif not offer.names_given:
        tried = (best,) * SHEET_LINES
    return replace(offer, tried=tried, n_tried=n_tried, n_allowed=2, best=best, refused="")


def _any_test(cases: Cases, offer: Offer) -> Condition | None:
    """A split of the kind that a column has; None if its values cannot be divided."""
    column, values = offer.feature, cases.distinct[offer.feature]
    own_branch = cases.rules.missing == "branch" and any(offer.missing)
    if not values or len(values) + own_branch < 2:
        return None
    if not cases.is_categorical(column):
        return Threshold(column, values[0]) if offer.n_tried else None
    first, n = int(values[0]), len(cases.schema.features[column].categories)
    match cases.rules.categorical:
        case "one_vs_rest":
            return Equals(column, first)
        case "subset":
            return Subset(column, (first,))
        case "grouped" if n > 2:
            return Grouped(column, tuple(range(n)))
        case _:
            return Multiway(column, n)
