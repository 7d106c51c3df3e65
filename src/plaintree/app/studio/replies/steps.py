"""A tree node by node, as a teacher grows it: the question, the candidates, the choice."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plaintree.data.words import plain
from plaintree.errors import TreeError

from ..messages.nodes import CandidateFacts, Candidates, CandidatesRequest
from ..messages.views import Stage, Steps, StepsRequest
from .candidates import candidates
from .library import path_of
from .open_leaves import open_leaves
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
    unsettled = set(open_leaves(work))
    found: list[Stage] = []
    for node in tree.walk():
        asked = CandidatesRequest(document=request.document, at=list(path_of(tree, node.index)))
        is_question = not node.is_leaf or node.index in unsettled
        found += _stages(work, candidates(work, asked), is_question)
    return Steps(steps=found)


def _stages(work: Work, found: Candidates, is_question: bool) -> Iterator[Stage]:
    rows = _rows_text(work, found)
    if not is_question:
        yield _stage(found, f"{rows} {found.why_leaf or 'The learner would split the node.'}")
        return
    yield _stage(found, f"{rows} Which split is best?")
    for offer in found.offers:
        refused = f"It does not qualify: {offer.refused}." if offer.refused else ""
        scored = _stage(found, refused, offer)
        yield replace(scored, score_name=found.score_name, score=offer.score)
    for offer in found.offers:
        if offer.chosen:
            yield _stage(found, _choice_text(found, offer), offer)


def _stage(found: Candidates, text: str, about: CandidateFacts | None = None) -> Stage:
    split, column = (None, None) if about is None else (about.text, about.column)
    return Stage(at=found.at, split=split, column=column, score_name=None, score=None, text=text)


def _rows_text(work: Work, found: Candidates) -> str:
    n = f"{found.n_rows} row{'' if found.n_rows == 1 else 's'}"
    classes = work.own_tree().schema.classes
    if not found.class_weights:
        return f"{n}."
    pairs = zip(classes, found.class_weights, strict=True)
    counts = ", ".join(f"{plain(label)}: {weight:g}" for label, weight in pairs)
    return f"{n} ({counts})."


def _choice_text(found: Candidates, chosen: CandidateFacts) -> str:
    if chosen.tied:
        return f"It is tied for the best {found.score_name}."
    if chosen.rank == 1:
        return f"It has the best {found.score_name}."
    return "The tree makes this split, which is not the best."
