"""Candidate splits: what every feature offers at a node, from one search by the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.errors import ColumnError, ParameterError, nearest
from plaintree.tree.condition import (
    Condition,
    Equals,
    Grouped,
    Multiway,
    NodeKind,
    Subset,
    Threshold,
)
from plaintree.tree.difference import path_text

from .given_tree import GivenTree, Todo, ancestors, one_node
from .offers import Branch, Candidate, Candidates, Thresholds
from .one_tree import min_sizes, total_of

SAME = 1e-12
"""Scores that are equal on paper may differ so much by rounding (src/core/search/choice.h)."""
REFUSALS = (
    "",
    "too few rows in a branch",
    "no gain is left after the penalty",
    "the criterion has no value",
    "the score is below the minimum",
    "the impurity decreases by too little",
    "nothing is gained",
    "the gain is below the average",
    "the split information is almost zero",
)
"""By the numbers of src/core/search/choice.h."""
CUT_REFUSALS = (
    None,
    "too few rows in a branch",
    "the values are too close together",
    "against the direction of the feature (monotonic_cst)",
    "a branch would have a mean of 0",
)
"""By the numbers of src/core/grow/offers.h."""
NOT_FOUND = 1
"""The number of the refusal of a feature that has no split with large enough branches."""
NO_GROUPING = "no grouping has enough rows and a gain"
NO_AVERAGE = 1e6
"""The mean gain that the core reports if no split counts."""
Offer = dict[str, Any]
"""What a feature offers, as the core returns it."""


def candidates(
    model_or_tree: object, X: Any, y: Any, node: int = 0, *, sample_weight: Any = None
) -> Candidates:
    """List the splits that the features offer at a node, ranked as the learner would choose.

    The core searches every feature at the node, as ``fit`` does, with the rows that the splits
    above lead there. So scores, thresholds, tie-breaking and refusals are those of ``fit``. All
    features are tried, even if ``max_features`` would sample some of them.

    Parameters
    ----------
    model_or_tree : Tree or fitted estimator of a single tree
        The tree with the node. A model weights rows by its ``class_weight``; with a Tree, pass
        such weights in ``sample_weight``.
    X : table of shape (n_samples, n_features)
        The training rows.
    y : array-like of shape (n_samples,)
        Their labels, or their numbers.
    node : int, default=0
        The number of the node, such as ``node.index``: an internal node or a leaf.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights that the tree was grown with. None gives every row the weight 1.

    Returns
    -------
    Candidates
        One :class:`~plaintree.growing.Candidate` per feature, the best first; facts of the node.

    Raises
    ------
    TreeError
        If there is no such node, or the tree has no conventions.
    ArgumentTypeError
        If the model is an ensemble or predicts by rules.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> found = pt.candidates(model, X, y, node=3)
    >>> print(found)
    Node 3 at outlook = sunny: 5 rows (no: 3, yes: 2), impurity 0.971
    Criterion: information gain
    rank   score  split                rows by branch
      1   0.9710  humidity <= 77.5     2 | 3
      2   0.4200  temperature <= 77.5  3 | 2
      3   0.0200  windy = False        3 | 2
    The first is ahead by 0.551.
    Not tried:
      outlook: used above, with a branch for each category
    """
    given = GivenTree.of(model_or_tree, X, y, sample_weight)
    return _Probe(given, one_node(given.tree, node)).candidates()


@dataclass(frozen=True, eq=False)
class _Probe:
    """A node whose features are asked for their splits."""

    given: GivenTree
    node: int

    @property
    def schema(self) -> Schema:
        return self.given.tree.schema

    def ask(self, cuts_of: int = -1) -> dict[str, Any]:
        """The core's reply; splits above the node are kept, all other nodes are leaves."""
        todo = np.zeros(self.given.tree.n_nodes, dtype=np.uint8)
        todo[ancestors(self.given.tree, self.node)] = Todo.KEEP
        todo[self.node] = Todo.PROBE
        seed = self.given.chance.get("seed", 0)
        arguments = self.given.arguments(todo, columns_per_node=0, seed=seed, finders=0)
        with self.given.asking():
            return _core.offers_at(**arguments, cuts_of=cuts_of)

    @cached_property
    def reply(self) -> dict[str, Any]:
        """What all features offer."""
        return self.ask()

    def candidates(self) -> Candidates:
        """The candidates in order, and the facts of the node."""
        tree, rules, reply = self.given.tree, self.given.conventions, self.reply
        items = self._ranked()
        weight, class_weights, mean = (
            self._sums(reply["sums"]) if reply["reached"] else (0.0, (), None)
        )
        average = reply["average_gain"]
        return Candidates(
            node=self.node,
            path=path_text(tree, self.node),
            items=items,
            criterion=rules.criterion,
            classes=self.schema.classes,
            n_rows=reply["n_rows"],
            weight=weight,
            class_weights=class_weights,
            mean=mean,
            impurity=reply["impurity"],
            min_gain=None if isnan(average) or average >= NO_AVERAGE else average,
            tie_tolerance=float(rules.tie_tolerance),
            margin=_margin(items),
            split=tree.condition(self.node),
            stops=self._stops(items),
            untried=self._untried(),
            _ask=partial(_thresholds, self),
        )

    # ---------------------------------------------------------------- one candidate

    def _ranked(self) -> tuple[Candidate, ...]:
        """Those that qualify by rank, the learner's choice first, then the others."""
        offers, chosen = self.reply["offers"], self.reply["chosen"]
        refusals = [self._refusal(offer) for offer in offers]
        fit = [i for i, refusal in enumerate(refusals) if refusal is None]
        scores = {i: offers[i]["score"] for i in fit}
        fit.sort(key=lambda i: (i != chosen, -scores[i]))
        ranks = self._ranks([scores[i] for i in fit])
        rest = sorted(set(range(len(offers))) - set(fit), key=lambda i: _last_if_nan(offers[i]))
        shared = {rank for rank in ranks if ranks.count(rank) > 1}
        rank_of = dict(zip(fit, ranks, strict=True))
        return tuple(
            self._candidate(offers[i], rank_of.get(i), rank_of.get(i) in shared, refusals[i])
            for i in [*fit, *rest]
        )

    def _ranks(self, scores: Sequence[float]) -> list[int]:
        """Competition ranks of scores that descend, but for those that are tied with the first."""
        if not scores:
            return []
        best = max(scores)
        unit = self.reply["impurity"] if not self.schema.classes else 1.0
        rounding = SAME * max(unit, best if best < np.inf else unit)
        top = max(self.given.conventions.tie_tolerance * unit, rounding)
        ranks = [1]
        for position, (above, score) in enumerate(pairwise(scores), start=1):
            first = score >= best - top
            same = above == score or abs(above - score) <= rounding
            ranks.append(1 if first else ranks[-1] if same and ranks[-1] > 1 else position + 1)
        return ranks

    def _candidate(
        self, offer: Offer, rank: int | None, tied: bool, refused: str | None
    ) -> Candidate:
        condition = self._condition(offer)
        p_value = offer["p_value"]
        child = int(offer["missing_child"]) if condition else -1
        return Candidate(
            feature=self.schema.names[offer["feature"]],
            condition=condition,
            branches=self._branches(condition, offer) if condition else (),
            score=offer["score"] if offer["score"] > -inf else nan,
            gain=offer["gain"],
            penalty=offer["penalty"],
            rank=rank,
            tied=tied,
            refused=refused,
            n_missing=offer["n_missing"],
            missing=self._missing(condition, child),
            missing_branch=child if child >= 0 else None,
            p_value=None if isnan(p_value) else p_value,
        )

    def _condition(self, offer: Offer) -> Condition | None:
        if offer["refusal"] == NOT_FOUND:
            return None
        column, levels = offer["feature"], tuple(offer["levels"].tolist())
        match NodeKind(offer["kind"]):
            case NodeKind.THRESHOLD:
                return Threshold(column, offer["threshold"])
            case NodeKind.MULTIWAY:
                return Multiway(column, len(self.schema.features[column].categories))
            case NodeKind.EQUALS:
                return Equals(column, levels[0])
            case NodeKind.SUBSET:
                return Subset(column, levels)
            case NodeKind.GROUPED:
                return Grouped(column, levels)
            case _:
                return None

    def _branches(self, condition: Condition, offer: Offer) -> tuple[Branch, ...]:
        described = [
            condition.describe(self.schema, branch) for branch in range(len(offer["branch_rows"]))
        ]
        sums = map(self._sums, offer["branch_sums"])
        return tuple(
            Branch(text, n_rows, *own)
            for text, n_rows, own in zip(
                described, offer["branch_rows"].tolist(), sums, strict=True
            )
        )

    def _sums(self, sums: NDArray[np.float64]) -> tuple[float, tuple[float, ...], float | None]:
        """The weight, the weights of the classes, and the mean of numbers."""
        if not self.schema.classes:
            weight, mean = sums.tolist()
            return weight, (), None if isnan(mean) else mean
        weights = self.given.restored(sums)
        return float(weights.sum()), tuple(weights.tolist()), None

    def _missing(self, condition: Condition | None, child: int) -> str:
        """Where rows without a value go."""
        policy = self.given.conventions.missing
        if condition is None:
            return ""
        if policy == "surrogate":
            rest = "stay" if child < 0 else f"go to {condition.describe(self.schema, child)}"
            return f"by surrogate splits; others {rest}"
        if policy == "most_common_in_class":
            return "to the most common value of their class"
        if child >= 0:
            return f"to {condition.describe(self.schema, child)}"
        return "divided over the branches" if policy == "fractional" else "not allowed"

    # ---------------------------------------------------------------- reasons

    def _refusal(self, offer: Offer) -> str | None:
        """Why the split of a feature does not qualify."""
        reason = REFUSALS[offer["refusal"]]
        demanded, chosen = self.reply["demanded"], self.reply["chosen"]
        if not reason:
            offers = self.reply["offers"]
            other = chosen >= 0 and offers[chosen]["feature"] == demanded != offer["feature"]
            name = self.schema.names[demanded] if other else ""
            return f"nodes of this depth split on {name!r} (first)" if other else None
        return self._without_split(offer) if offer["refusal"] == NOT_FOUND else reason

    def _without_split(self, offer: Offer) -> str:
        """Why a feature has no split at all."""
        rules, n_values = self.given.conventions, offer["n_values"]
        if not self.schema.classes and not self.reply["impurity"] > 0:
            return "all targets are equal"
        measured = offer["kind"] != NodeKind.LEAF  # so there are values, which are not counted
        if not measured and not n_values:
            return "no row has a value"
        if n_values == 1 and not (rules.missing == "branch" and offer["n_missing"]):
            return "all rows have the same value"
        name = self.schema.names[offer["feature"]]
        n_categories = self.schema.category_counts[offer["feature"]]
        if rules.categorical == "grouped" and n_categories > 2 and n_values > 1:
            return NO_GROUPING
        if any(name == entry[0] for entry in rules.monotonic_cst if isinstance(entry, tuple)):
            return "too few rows in a branch, or against monotonic_cst"
        if rules.criterion == "poisson":
            return "a branch would have too few rows or a mean of 0"
        return "too few rows in a branch"

    def _stops(self, items: Sequence[Candidate]) -> str | None:
        """Why the learner would not split the node."""
        reply, rules = self.reply, self.given.conventions
        if not reply["reached"]:
            return "no row reaches the node"
        if (
            np.count_nonzero(reply["sums"]) < 2
            if self.schema.classes
            else not reply["impurity"] > 0
        ):
            return "all rows are of one class" if self.schema.classes else "all targets are equal"
        limit = rules.depth_limit
        if limit is not None and reply["depth"] >= limit:
            return f"the depth limit, {limit}, is reached"
        counted = self.given.rows if self.given.altered is None else self.given.altered
        sizes = min_sizes(rules, len(self.given.rows.target), total_of(counted.weights))
        weight = float(reply["sums"].sum() if self.schema.classes else reply["sums"][0])
        if reply["n_rows"] < sizes["min_split_rows"] or weight < sizes["min_split_weight"]:
            return "too few rows to be split"
        best = items[0] if items and items[0].refused is None else None
        if best is None:
            return "no feature qualifies" if items else "no feature can be tried"
        level = rules.significance
        if level is not None and best.p_value is not None and best.p_value > level:
            return f"the best split is not significant (p = {best.p_value:.3g}, above {level:g})"
        return None

    def _untried(self) -> dict[str, str]:
        """The features that the node may not be split on."""
        if not self.reply["reached"]:
            return dict.fromkeys(self.schema.names, "no row reaches the node")
        tried = {offer["feature"] for offer in self.reply["offers"]}
        tree, rules = self.given.tree, self.given.conventions
        above = ancestors(tree, self.node)
        used = {int(tree.feature[n]) for n in above if tree.kind[n] == NodeKind.MULTIWAY}
        reasons = {}
        for column, name in enumerate(self.schema.names):
            if column in tried:
                continue
            if name in rules.forbid or column in rules.forbid:
                reasons[name] = "forbidden (forbid)"
            elif column in used:
                reasons[name] = "used above, with a branch for each category"
            else:
                reasons[name] = "may not interact with the features above (interaction_cst)"
        return reasons


def _last_if_nan(offer: Offer) -> tuple[bool, float]:
    return isnan(offer["score"]), -offer["score"]


def _margin(items: Sequence[Candidate]) -> float | None:
    fit = [item.score for item in items if item.refused is None]
    if len(fit) < 2:
        return None
    second = max(fit[1:])
    return 0.0 if fit[0] == second else fit[0] - second


def _thresholds(probe: _Probe, feature: str) -> Thresholds:
    """All thresholds of a feature at the node."""
    schema = probe.schema
    if feature not in schema.names:
        raise ColumnError(
            "the table has no such feature",
            got=repr(feature),
            hint=nearest(feature, schema.names) or "check the name.",
        )
    column = schema.position(feature)
    if schema.features[column].is_categorical:
        raise ParameterError(
            "a categorical feature has no thresholds",
            got=f"feature={feature!r}",
            hint="use a numeric or an ordered feature.",
        )
    reply = probe.ask(column)
    classes = bool(schema.classes)
    refused = tuple(CUT_REFUSALS[number] for number in reply["refusals"].tolist())
    restored = probe.given.restored if classes else np.asarray
    own = [o["threshold"] for o in probe.reply["offers"] if o["feature"] == column]
    where = np.flatnonzero(np.isin(reply["thresholds"], own))
    return Thresholds(
        feature,
        reply["thresholds"],
        reply["scores"],
        reply["gains"],
        restored(reply["below"]),
        restored(reply["all"]),
        refused,
        int(where[0]) if len(where) else None,
    )
