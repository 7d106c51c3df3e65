"""What the columns offer at a node, ranked; one split, measured."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import Any

import numpy as np

from plaintree.data.words import shown_schema
from plaintree.stats.exact import SAME
from plaintree.stats.sums import ClassWeights
from plaintree.teaching.derive.surrogates import grown_branches
from plaintree.tree.condition import DIVIDES, Condition, Equals, Grouped, Subset, Threshold
from plaintree.tree.conventions import criterion_of
from plaintree.tree.prediction import rule_of
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
from .analysis import deviation_of, is_followed, offers_of, place_of, reached_by
from .editing import condition_of, split_text
from .library import Offer, Offers, condition_to_data, node_at, way_to
from .missing_values import destination, missing_text
from .names import deviation, gain_name, impurity_name, number, score_name
from .one_split import Group, NodeSums, OneSplit
from .open_leaves import would_split
from .replay import Work
from .tree_columns import edge_texts

USED = "the column was split on above"
COLLAPSED = "The branches would make no fewer training errors, so they are collapsed."


def candidates(work: Work, request: CandidatesRequest) -> Candidates:
    """The splits that the columns offer at a node, best first, and those that do not qualify."""
    tree, at = work.own_tree(), request.at
    found = offers_of(work, at)
    criterion = criterion_of(tree.conventions, tree.schema)
    numeric = not tree.schema.classes
    offers = _listed(work, at, found)
    why_leaf = _why_leaf(work, at, found)
    fit = found.best is not None and not why_leaf
    chosen = found.best.feature if found.best is not None else None
    shown = None if chosen is None else _shown_name(tree, chosen)
    winner = next((i for i, it in enumerate(offers) if it.column == shown and it.rank == 1), None)
    return Candidates(
        at=at,
        n_rows=found.n_rows,
        weight=found.weight,
        class_weights=list(found.class_weights),
        prediction=number(found.mean),
        deviation=deviation(criterion, found.impurity, found.mean) if numeric else None,
        impurity=number(found.impurity),
        impurity_name=impurity_name(criterion),
        score_name=score_name(criterion),
        gain_name=gain_name(criterion),
        mean_gain=number(found.min_gain),
        winner=winner if fit else None,
        tie_break=_tie_break(tree, found) if fit else "",
        why_leaf=why_leaf,
        offers=offers[: request.most],
        untried=_untried(tree, found),
    )


def _why_leaf(work: Work, at: list[int], found: Offers) -> str:
    """Why the learner would not split a node; empty if it would."""
    if found.stops is not None:
        return f"{found.stops[:1].upper()}{found.stops[1:].rstrip('.')}."
    tree = work.own_tree()
    rules, node = tree.conventions, node_at(tree, at)
    if rules is None or not rules.collapse or tree.n_children[node]:
        return ""
    stays = work.kept(("collapsed", way_to(tree, at)), lambda: not would_split(work, [node]))
    return COLLAPSED if stays else ""


def _tie_break(tree: Tree, found: Offers) -> str:
    """What decides for the learner's choice among splits that are tied with it; empty if none."""
    tied = [tree.schema.position(offer.feature) for offer in found if offer.rank == 1]
    best = found.best
    if len(tied) < 2 or best is None:
        return ""
    first = tree.schema.position(best.feature) == min(tied)
    return "first column" if first else ""


def _shown_name(tree: Tree, name: str) -> str:
    return shown_schema(tree.schema).names[tree.schema.position(name)]


def _listed(work: Work, at: list[int], found: Offers) -> list[CandidateFacts]:
    """The offers in the order of the library, and the tree's own split if it is none of them."""
    tree = work.own_tree()
    own = tree.condition(node_at(tree, at))
    counts = _cut_counts(work, at, found)
    facts = [
        _facts(work, at, offer, counts[offer.feature])
        for offer in found
        if offer.condition is not None
    ]
    if own is None or any(it.chosen for it in facts) or not found.n_rows:
        return facts
    taken = measured_facts(work, at, own)
    place = next((i for i, it in enumerate(facts) if _is_behind(it, taken)), len(facts))
    return [*facts[:place], taken, *facts[place:]]


def _is_behind(facts: CandidateFacts, taken: CandidateFacts) -> bool:
    if facts.refused or taken.refused:
        return bool(facts.refused)
    return (facts.score or 0.0) < (taken.score or 0.0)


def _untried(tree: Tree, found: Offers) -> list[Untried]:
    offered = {offer.feature: offer.refused or "" for offer in found if offer.condition is None}
    names = {**found.untried, **offered}
    return [Untried(column=_shown_name(tree, name), reason=why) for name, why in names.items()]


def _cut_counts(work: Work, at: list[int], found: Offers) -> dict[str, int]:
    """How many splits of each column there are: thresholds between values, or categories."""
    way = way_to(work.own_tree(), at)
    counts: dict[str, int] = work.kept(("cut counts", way), partial(_counted, work, at, found))
    return counts


def _counted(work: Work, at: list[int], found: Offers) -> dict[str, int]:
    tree, reached = work.own_tree(), reached_by(work, at).positions
    counts = {}
    for offer in found:
        column = tree.schema.position(offer.feature)
        values = work.rows.columns[column][reached]
        known = values[~tree.schema.features[column].missing(values)]
        n_values = len(np.unique(known))
        match offer.condition:
            case Threshold():
                counts[offer.feature] = max(n_values - 1, 0)
            case Equals():
                counts[offer.feature] = n_values if n_values > 2 else 1
            case _:
                counts[offer.feature] = 1
    return counts


# -------------------------------------------------------------------- one offer


def _facts(work: Work, at: list[int], offer: Offer, n_cuts: int) -> CandidateFacts:
    tree, condition = work.own_tree(), offer.condition
    assert condition is not None, "columns without a split are listed elsewhere"
    return CandidateFacts(
        split=split_of(tree, condition),
        column=_shown_name(tree, offer.feature),
        text=split_text(tree, condition),
        rank=offer.rank or 0,
        tied=offer.tied,
        score=number(offer.score),
        gain=number(offer.gain),
        penalty=number(offer.penalty) if offer.penalty else None,
        n_cuts=n_cuts,
        branches=_branches(work, at, offer),
        n_missing=float(offer.n_missing),
        missing=_missing_text(tree, offer),
        refused=offer.refused or "",
        chosen=condition == tree.condition(node_at(tree, at)),
    )


def split_of(tree: Tree, condition: Condition) -> Split:
    """A condition as the page sends splits."""
    data = condition_to_data(tree.schema, condition)
    renamed = {"is": "equals", "in": "subset"}
    given: dict[str, Any] = {renamed.get(name, name): value for name, value in data.items()}
    return Split(**given)


def _missing_text(tree: Tree, offer: Offer) -> str:
    assert offer.condition is not None, "columns without a split send no rows on"
    child = DIVIDES if offer.missing_branch is None else offer.missing_branch
    weights = [branch.weight for branch in offer.branches]
    goes = destination(tree, offer.condition, child, weights, float(offer.n_missing))
    return missing_text(float(offer.n_missing), goes)


def _branches(work: Work, at: list[int], offer: Offer) -> list[BranchFacts]:
    """The branches with all rows that would reach them."""
    tree, condition = work.own_tree(), offer.condition
    assert condition is not None, "columns without a split have no branches"
    texts = edge_texts(tree, condition, len(offer.branches))
    spreads = _spreads(work, at, condition, len(texts))
    values = _values(tree, condition, len(texts))
    return [
        BranchFacts(
            text=text,
            n_rows=branch.n_rows,
            weight=branch.weight,
            class_weights=list(branch.class_weights),
            label=_label(tree, branch.class_weights),
            prediction=number(branch.mean),
            deviation=spread,
            values=inside,
        )
        for text, branch, spread, inside in zip(texts, offer.branches, spreads, values, strict=True)
    ]


def _values(tree: Tree, condition: Condition, n: int) -> list[list[str]]:
    """By branch, the categories that go there; none unless the split groups them."""
    sides: list[list[str]] = [[] for _ in range(n)]
    if isinstance(condition, Subset | Grouped):
        names = shown_schema(tree.schema).features[condition.feature].categories
        branches = condition.route(np.arange(len(names))).tolist()
        for name, branch in zip(names, branches, strict=True):
            if branch >= 0:
                sides[branch].append(str(name))
    return sides


def _spreads(work: Work, at: list[int], condition: Condition, n: int) -> list[float | None]:
    """How far numeric targets are from their branch's prediction; none of classes.

    There is none either where the conventions are not those of the worked solution.
    """
    tree = work.own_tree()
    if tree.schema.classes or not is_followed(tree.conventions):
        return [None] * n
    node = NodeSums.of(work, at)
    groups = node.groups(condition)
    if groups is None or len(groups) != n:
        return [None] * n
    return [deviation_of(node.sums, group.counts) for group in groups]


def _label(tree: Tree, class_weights: Any) -> int:
    """The class that rows of these weights predict; -1 without any."""
    weights = np.array([list(class_weights)], dtype=np.float64)
    return int(rule_of(tree).labels(weights)[0]) if weights.any() else -1


# -------------------------------------------------------------------- one split


def measure(work: Work, request: MeasureRequest) -> CandidateFacts:
    """One split, measured at a node like any other."""
    condition = condition_of(work.own_tree(), request.split)
    return measured_facts(work, request.at, condition)


def measured_facts(work: Work, at: list[int], condition: Condition) -> CandidateFacts:
    """The facts of any split at a node."""
    tree = work.own_tree()
    own = tree.condition(node_at(tree, at))
    found = offers_of(work, at)
    name = tree.schema.names[condition.feature]
    offer = next((it for it in found if it.feature == name), None)
    if offer is not None and offer.condition == condition:
        return _facts(work, at, offer, _cut_counts(work, at, found)[name])
    node = NodeSums.of(work, at)
    penalty = offer.penalty if offer is not None and isinstance(condition, Threshold) else 0.0
    tried = node.measured(condition, penalty)
    if tried is None:
        return _unmeasured(tree, condition, own)
    score, gain = float(tried.measures.score), float(tried.measures.gain)
    refused = _objection(node, tried, offer, found)
    better, same = _compared(found, score, name)
    n_missing = offer.n_missing if offer is not None else 0
    return CandidateFacts(
        split=split_of(tree, condition),
        column=_shown_name(tree, name),
        text=split_text(tree, condition),
        rank=0 if refused else 1 + better,
        tied=not refused and same > 0,
        score=number(score),
        gain=number(gain),
        penalty=number(penalty) if penalty else None,
        n_cuts=1 if offer is None else _cut_counts(work, at, found)[name],
        branches=_branches_of(work, at, node, condition),
        n_missing=float(n_missing),
        missing="" if offer is None else _missing_text(tree, offer),
        refused=refused,
        chosen=condition == own,
    )


def _compared(found: Offers, score: float, name: str) -> tuple[int, int]:
    """How many other columns that qualify have a better score, and how many the same."""
    others = [it.score for it in found if it.refused is None and it.feature != name]
    slack = max(found.tie_tolerance, SAME)
    same = sum(abs(other - score) <= slack or other == score for other in others)
    return sum(other > score + slack for other in others), same


def _objection(node: NodeSums, tried: OneSplit, offer: Offer | None, found: Offers) -> str:
    """Why the learner may not choose a split, whatever it scores; empty if it may."""
    condition, gain = tried.condition, float(tried.measures.gain)
    if offer is None:
        return found.untried.get(node.feature(condition.feature).name, USED)
    if not tried.allowed:
        return "too few rows in a branch"
    if offer.condition is None:
        return offer.refused or ""
    if type(offer.condition) is not type(condition):
        return "it is not a split that these conventions try"
    if found.min_gain is not None and gain < found.min_gain - node.yardstick * SAME:
        return "the gain is below the average"
    if offer.refused and not isnan(offer.gain) and gain <= offer.gain:
        return offer.refused
    return ""


def _branches_of(
    work: Work, at: list[int], node: NodeSums, condition: Condition
) -> list[BranchFacts]:
    """The branches of any split, with the rows that growing would send there."""
    groups = node.groups(condition)
    if groups is None:  # surrogates send rows on, which are found one by one
        place = place_of(work, at)
        parts = grown_branches(place.cases, place.rows, condition)
        groups = [Group(len(rows), place.cases.counts(rows)) for rows in parts]
    texts = edge_texts(node.tree, condition, len(groups))
    values = _values(node.tree, condition, len(groups))
    branches = zip(texts, groups, values, strict=True)
    return [_branch(node, *branch) for branch in branches]


def _branch(node: NodeSums, text: str, group: Group, values: list[str]) -> BranchFacts:
    sums, counts, n_rows = node.sums, group.counts, group.n_rows
    of_classes = isinstance(sums, ClassWeights)
    weights = [float(weight) for weight in counts] if of_classes else []
    return BranchFacts(
        text=text,
        n_rows=n_rows,
        weight=float(sums.weight(counts)) if n_rows else 0.0,
        class_weights=weights,
        label=_label(node.tree, weights) if of_classes else -1,
        prediction=None if of_classes or not n_rows else number(sums.prediction(counts)),
        deviation=deviation_of(sums, counts) if n_rows else None,
        values=values,
    )


def _unmeasured(tree: Tree, condition: Condition, own: Condition | None) -> CandidateFacts:
    """The facts of a split for which no row has a value."""
    nothing = [0.0] * len(tree.schema.classes)
    branches = [
        BranchFacts(text=text, n_rows=0, weight=0.0, class_weights=nothing, label=-1)
        for text in edge_texts(tree, condition)
    ]
    return CandidateFacts(
        split=split_of(tree, condition),
        column=_shown_name(tree, tree.schema.names[condition.feature]),
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
