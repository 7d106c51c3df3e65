"""A tree node by node, as a teacher grows it: the question, the candidates, the choice."""

from __future__ import annotations

from collections.abc import Iterator

from plaintree.data.words import plain
from plaintree.errors import TreeError

from ..messages.nodes import CandidateFacts, Candidates, CandidatesRequest
from ..messages.views import Stage, Steps, StepsRequest
from .candidates import candidates
from .library import path_of, path_text
from .replay import Work

MOST_NODES = 400


def steps(work: Work, request: StepsRequest) -> Steps:
    """The steps of growing the document's tree, depth first."""
    tree = work.own_tree()
    if tree.n_nodes > MOST_NODES:
        raise TreeError(
            "the tree is too large to be shown step by step",
            got=f"{tree.n_nodes} nodes",
            hint=f"prune it to at most {MOST_NODES} nodes.",
        )
    found: list[Stage] = []
    for node in tree.walk():
        at = list(path_of(tree, node.index))
        asked = CandidatesRequest(document=request.document, at=at)
        found += _stages(work, at, path_text(tree, node.index), candidates(work, asked))
    return Steps(steps=found)


def _stages(work: Work, at: list[int], place: str, found: Candidates) -> Iterator[Stage]:
    title = f"{place[:1].upper()}{place[1:]}"
    rows = _rows_text(work, found)
    chosen = next((offer for offer in found.offers if offer.chosen), None)
    if chosen is None:
        yield Stage(
            at=at,
            title=title,
            text=f"{rows} {found.why_leaf or 'The learner would split the node.'}",
        )
        return
    yield Stage(at=at, title=title, text=f"{rows} Which split is best?")
    for offer in found.offers:
        yield Stage(at=at, title=f"{title}: {offer.text}", text=_offer_text(found, offer))
    yield Stage(at=at, title=f"{title}: {chosen.text}", text=_choice_text(found, chosen))


def _rows_text(work: Work, found: Candidates) -> str:
    n = f"{found.n_rows} row{'' if found.n_rows == 1 else 's'}"
    classes = work.own_tree().schema.classes
    if not found.class_weights:
        return f"{n}."
    pairs = zip(classes, found.class_weights, strict=True)
    counts = ", ".join(f"{plain(label)}: {weight:g}" for label, weight in pairs)
    return f"{n} ({counts})."


def _offer_text(found: Candidates, offer: CandidateFacts) -> str:
    score = "not defined" if offer.score is None else f"{offer.score:.4g}"
    refused = f" It does not qualify: {offer.refused}." if offer.refused else ""
    return f"The {found.score_name} is {score}.{refused}"


def _choice_text(found: Candidates, chosen: CandidateFacts) -> str:
    if chosen.tied:
        return f"It is tied for the best {found.score_name}."
    if chosen.rank == 1:
        return f"It has the best {found.score_name}."
    return "The tree makes this split, which is not the best."
