"""What the columns offer at a node, ranked; one split, measured."""

from __future__ import annotations

from dataclasses import replace
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import shown_schema, weight_text
from plaintree.stats.exact import SAME, Counts, Value
from plaintree.stats.sums import ClassWeights
from plaintree.teaching.derive.cases import branch_of
from plaintree.teaching.derive.choice import Choice, asks_average, same_score
from plaintree.teaching.derive.offers import measured
from plaintree.teaching.derive.tried import Offer, Tried
from plaintree.tree.condition import Condition, Threshold
from plaintree.tree.conventions import EPSILON, NO_GAIN
from plaintree.tree.tree import Tree

from ..messages.documents import Split
from ..messages.nodes import (
    BranchFacts,
    CandidateFacts,
    Candidates,
    CandidatesRequest,
    MeasureRequest,
    Untried,
)
from .analysis import Place, deviation_of, place_of
from .editing import condition_of, split_text
from .library import condition_to_data, node_at
from .names import gain_name, impurity_name, number, score_name
from .replay import Work
from .tree_columns import edge_texts

WHY_LEAF = {
    "pure": "All rows have the same target.",
    "empty": "No training row reaches the node.",
    "depth": "The tree has its maximum depth here.",
    "few": "There are too few rows to split.",
    "unused": "No column is left to split on.",
    "refused": "No column offers a split that qualifies.",
    "insignificant": "The best split is not significant.",
    "folded": "The branches would make no fewer training errors, so they are collapsed.",
    "leaves": "The tree has its maximum number of leaves.",
    "stopped": "The learner would split the node.",
}
USED = "the column was split on above"
MISSING = {
    "fractional": "they are divided over the branches",
    "most_common": "they count as the most frequent value",
    "most_common_in_class": "they count as the most frequent value of their class",
    "branch": "they have a branch of their own",
    "surrogate": "surrogate splits send them",
    "error": "they are refused",
}


def candidates(work: Work, request: CandidatesRequest) -> Candidates:
    """The splits that the columns offer at a node, best first, and those that do not qualify."""
    place = place_of(work, request.at)
    tree = work.own_tree()
    node = node_at(tree, request.at)
    choice = place.choice if any(place.counts) else Choice((), None, None, None, ())
    offers, winner = _listed(tree, node, place, choice)
    leaf = place.stop
    sums = place.cases.sums
    known = any(place.counts)
    of_classes = isinstance(sums, ClassWeights)
    return Candidates(
        at=request.at,
        n_rows=len(place.rows),
        weight=float(sums.weight(place.counts)) if known else 0.0,
        class_weights=[float(weight) for weight in place.counts] if of_classes else [],
        prediction=None if of_classes or not known else number(sums.prediction(place.counts)),
        deviation=deviation_of(sums, place.counts),
        impurity=number(sums.impurity(place.counts)) if known else None,
        impurity_name=impurity_name(place.rules.criterion),
        score_name=score_name(place.rules.criterion),
        gain_name=gain_name(place.rules.criterion),
        mean_gain=number(choice.average),
        winner=winner if leaf is None else None,
        why_leaf="" if leaf is None else WHY_LEAF[leaf.reason],
        offers=offers[: request.most],
        untried=_untried(tree, place, choice),
    )


def _listed(
    tree: Tree, node: int, place: Place, choice: Choice
) -> tuple[list[CandidateFacts], int | None]:
    """The offers, best first, then those refused; and the position of the learner's choice."""
    own = tree.condition(node)
    pairs = [(offer, offer.best) for offer in choice.offers if offer.best is not None]
    offered = any(own == best.condition for _, best in pairs)
    fit = sorted(
        (pair for pair in pairs if not pair[0].refused), key=lambda pair: -float(pair[0].score)
    )
    refused = [pair for pair in pairs if pair[0].refused]
    facts = [_facts(tree, place, offer, best, own) for offer, best in (*fit, *refused)]
    winner = next((i for i, pair in enumerate(fit) if pair[0] is choice.winner), None)
    if own is not None and not offered and any(place.counts):
        taken = measured_facts(tree, place, own, own)
        at = next((i for i, it in enumerate(facts) if _is_behind(it, taken)), len(facts))
        facts.insert(at, taken)
        if winner is not None and at <= winner:
            winner += 1
    return facts, winner


def _is_behind(facts: CandidateFacts, taken: CandidateFacts) -> bool:
    if facts.refused or taken.refused:
        return bool(facts.refused)
    return (facts.score or 0.0) < (taken.score or 0.0)


def _untried(tree: Tree, place: Place, choice: Choice) -> list[Untried]:
    names = shown_schema(tree.schema).names
    offered = {offer.feature: offer for offer in choice.offers}
    reasons = {}
    for column in range(len(names)):
        if column in place.used:
            reasons[column] = USED
        elif column not in offered:
            reasons[column] = "no training row reaches the node"
        elif offered[column].best is None:
            reasons[column] = offered[column].refused
    return [Untried(column=names[c], reason=why) for c, why in reasons.items()]


# -------------------------------------------------------------------- one candidate


def measure(work: Work, request: MeasureRequest) -> CandidateFacts:
    """One split, measured at a node like any other."""
    tree = work.own_tree()
    place = place_of(work, request.at)
    condition = condition_of(tree, request.split)
    own = tree.condition(node_at(tree, request.at))
    return measured_facts(tree, place, condition, own)


def measured_facts(
    tree: Tree, place: Place, condition: Condition, own: Condition | None
) -> CandidateFacts:
    """The facts of any split at a node."""
    offer = place.choice.offer(condition.feature) if any(place.counts) else None
    if offer is not None and offer.best is not None and offer.best.condition == condition:
        return _facts(tree, place, offer, offer.best, own)
    tried = measured(place.cases, place.rows, condition)
    if tried is None:
        return _unmeasured(tree, condition, own)
    if place.rules.threshold_penalty and isinstance(condition, Threshold):
        n_cuts = offer.n_allowed if offer is not None else 0
        weight = float(place.cases.sums.weight(place.counts))
        tried = replace(tried, penalty=log2(n_cuts) / weight if n_cuts else 0.0)
    found = Offer(
        condition.feature,
        (tried,),
        1 if offer is None else offer.n_tried,
        0 if offer is None else offer.n_allowed,
        tried,
        () if offer is None else offer.missing,
        {} if offer is None else offer.fillers,
        _objection(place, tried, offer),
    )
    return _facts(tree, place, found, tried, own)


def _objection(place: Place, tried: Tried, offer: Offer | None) -> str:
    """Why the learner may not choose a split, whatever it scores; empty if it may."""
    if tried.condition.feature in place.used:
        return USED
    if not tried.allowed:
        return "too few rows in a branch"
    if offer is None or offer.best is None:
        return offer.refused if offer is not None else ""
    if type(offer.best.condition) is not type(tried.condition):
        return "it is not a split that these conventions try"
    yardstick = place.cases.yardstick(place.rows)
    gain, least = tried.measures.gain, -EPSILON if place.rules.zero_gain else NO_GAIN
    if gain <= least * yardstick:
        return "nothing is gained"
    average = place.choice.average
    if asks_average(place.rules) and average is not None and gain < average - EPSILON - SAME:
        return "the gain is below the average"
    return ""


def _unmeasured(tree: Tree, condition: Condition, own: Condition | None) -> CandidateFacts:
    """The facts of a split for which no row has a value."""
    nothing = [0.0] * len(tree.schema.classes)
    branches = [
        BranchFacts(text=text, n_rows=0, weight=0.0, class_weights=nothing, label=-1)
        for text in edge_texts(tree, condition)
    ]
    return CandidateFacts(
        split=split_of(tree, condition),
        column=shown_schema(tree.schema).names[condition.feature],
        text=split_text(tree, condition),
        rank=0,
        tied=False,
        score=None,
        gain=None,
        penalty=None,
        n_cuts=0,
        branches=branches,
        n_missing=0.0,
        missing="",
        refused="no row has a value",
        chosen=condition == own,
    )


def split_of(tree: Tree, condition: Condition) -> Split:
    """A condition as the page sends splits."""
    data = condition_to_data(tree.schema, condition)
    renamed = {"is": "equals", "in": "subset"}
    given: dict[str, Any] = {renamed.get(name, name): value for name, value in data.items()}
    return Split(**given)


def _facts(
    tree: Tree, place: Place, offer: Offer, best: Tried, own: Condition | None
) -> CandidateFacts:
    found = best.measures
    ranks = [] if offer.refused else _better(place, found.score)
    n_missing = float(place.cases.sums.weight(offer.missing)) if offer.missing else 0.0
    return CandidateFacts(
        split=split_of(tree, best.condition),
        column=shown_schema(tree.schema).names[best.condition.feature],
        text=split_text(tree, best.condition),
        rank=0 if offer.refused else 1 + sum(rank == 1 for rank in ranks),
        tied=sum(rank == 0 for rank in ranks) > 1,
        score=number(found.score),
        gain=number(found.gain),
        penalty=number(best.penalty) if best.penalty else None,
        n_cuts=offer.n_tried,
        branches=_branches(tree, place, offer, best),
        n_missing=n_missing,
        missing=_missing_text(place, n_missing),
        refused=offer.refused,
        chosen=best.condition == own,
    )


def _better(place: Place, score: Value) -> list[int]:
    """By column that qualifies: 1 if its score is better, 0 if it is tied, -1 if it is worse."""
    tolerance = max(place.rules.tie_tolerance, SAME) * place.cases.yardstick(place.rows)
    found = []
    for offer in place.choice.offers:
        if offer.refused:
            continue
        if same_score(offer.score, score, tolerance):
            found.append(0)
        else:
            found.append(1 if offer.score > score else -1)
    return found


def _missing_text(place: Place, n_missing: float) -> str:
    if not n_missing:
        return ""
    one = n_missing == 1
    fate = MISSING[place.rules.missing]
    fate = fate.replace("they are", "it is").replace("they", "it") if one else fate
    fate = fate.replace("it count ", "it counts ").replace("it have", "it has")
    return f"{weight_text(n_missing)} row{' has' if one else 's have'} no value: {fate}"


# -------------------------------------------------------------------- branches


def _branches(tree: Tree, place: Place, offer: Offer, tried: Tried) -> list[BranchFacts]:
    """The branches as they count in the score."""
    texts = edge_texts(tree, tried.condition, len(tried.parts))
    rows = _rows_by_branch(place, offer, tried)
    pairs = zip(texts, tried.branches, rows, strict=True)
    return [_branch(place, text, counts, n) for text, counts, n in pairs]


def _branch(place: Place, text: str, counts: Counts, n_rows: int) -> BranchFacts:
    sums = place.cases.sums
    of_classes = isinstance(sums, ClassWeights)
    known = bool(sums.weight(counts)) if any(counts) else False
    predicted = sums.prediction(counts) if known else None
    return BranchFacts(
        text=text,
        n_rows=n_rows,
        weight=float(sums.weight(counts)) if known else 0.0,
        class_weights=[float(weight) for weight in counts] if of_classes else [],
        label=int(predicted) if of_classes and predicted is not None else -1,
        prediction=None if of_classes or predicted is None else number(predicted),
        deviation=deviation_of(sums, counts),
    )


def _rows_by_branch(place: Place, offer: Offer, tried: Tried) -> list[int]:
    """How many rows count in each branch: those with a value, known or filled in."""
    condition, cases = tried.condition, place.cases
    column: NDArray[Any] = np.array(cases.columns[condition.feature])[place.positions]
    branches = condition.route(column)
    lost = np.flatnonzero(branches < 0)
    if len(lost) and offer.fillers:
        filled = {code: branch_of(condition, value) for code, value in offer.fillers.items()}
        codes = cases.all_codes[place.positions[lost]].tolist()
        branches[lost] = [filled.get(code, filled.get(None, -1)) for code in codes]
    counts: list[int] = np.bincount(branches[branches >= 0], minlength=len(tried.parts)).tolist()
    if len(tried.parts) > condition.n_branches and place.rules.missing == "branch":
        counts[condition.n_branches] = int((branches < 0).sum())
    return counts[: len(tried.parts)]
