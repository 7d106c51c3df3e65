"""Parts in memory: the source that the others are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plaintree import _core
from plaintree.data.parts import Reading, part_from
from plaintree.data.survey import Survey
from plaintree.growing.blocks import Layout
from plaintree.growing.counts import ENCODING, SURVEYING
from plaintree.growing.limits import Limits
from plaintree.progress import Progress, no_progress


class FramesInMemory:
    """A table in several frames."""

    def __init__(self, frames: Sequence[Any], reading: Reading) -> None:
        self.reading = reading
        self._frames = frames

    def survey(self, reading: Reading, report: Progress = no_progress) -> Survey:
        """Look at every frame."""
        survey = Survey.merged(
            Survey.of(part_from(frame, reading, f"part {i}"), reading, i)
            for i, frame in enumerate(self._frames)
        )
        report(SURVEYING, survey.n_rows, survey.n_rows)
        return survey

    def limits(self, survey: Survey) -> Limits:
        """The usual ones."""
        del survey
        return Limits()

    def encoded(
        self, layout: Layout, survey: Survey, limits: Limits, report: Progress = no_progress
    ) -> BlocksInMemory:
        """Encode every frame."""
        del limits
        encoder, parts = layout.encoder(), []
        for i, frame in enumerate(self._frames):
            part = part_from(frame, layout.reading, f"part {i}")
            if part is not None:
                parts.append(list(encoder.blocks(part, survey.first_rows[i])))
        report(ENCODING, survey.n_rows, survey.n_rows)
        return BlocksInMemory(parts)


class BlocksInMemory:
    """Blocks in lists, each list like a partition: its replies are merged with the others'."""

    def __init__(self, parts: Sequence[Sequence[tuple[bytes, bytes]]]) -> None:
        self._parts = [[block for block, _ in part] for part in parts]
        self.facts = _core.merge_facts([facts for part in parts for _, facts in part])
        self._states: dict[tuple[int, int, int], bytes] = {}

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Ask every block."""
        return {tree: self._answer_one(tree, request) for tree, request in requests.items()}

    def _answer_one(self, tree: int, request: bytes) -> bytes:
        replies = []
        for p, part in enumerate(self._parts):
            one_pass = _core.Pass(request)
            for b, block in enumerate(part):
                key = (tree, p, b)
                self._states[key] = one_pass.add(block, self._states.get(key, b""))
            replies.append(one_pass.reply())
        return _core.merge_replies(replies)

    def release(self) -> None:
        """Forget the blocks and where their rows stand."""
        self._parts.clear()
        self._states.clear()
