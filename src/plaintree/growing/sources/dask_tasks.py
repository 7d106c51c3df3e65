"""What workers of Dask do: survey, encode and count a partition, and add results."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from plaintree import _core
from plaintree.data.parts import Part, Reading, part_from
from plaintree.data.survey import Survey
from plaintree.errors import TableError
from plaintree.growing.blocks import Encoder, Layout

ROWS_OF_BORDER = 64
"""One row of so many is in the sample: more borders slow encoding, and counting gains nothing.

1 M rows x 20 columns: 0.28 s with 8,000 rows in the sample, 0.43 s with 100,000.
"""
FEW_SAMPLED = 2_000
"""So many rows of a partition are in the sample in any case, if that is not too much memory."""

Bytes = Any
"""An array of bytes: Dask sends it without copying it, and the core reads any buffer."""
Replies = dict[int, Bytes]
"""By the number of the tree."""


class SharedLayout:
    """A layout on a worker, with the encoder that all partitions there use."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._lock = Lock()
        self._encoder: Encoder | None = None

    def __reduce__(self) -> tuple[type[SharedLayout], tuple[Layout]]:
        return SharedLayout, (self.layout,)

    def __sizeof__(self) -> int:
        return sum(borders.nbytes for borders in self.layout.borders)

    def encoder(self) -> Encoder:
        """The encoder, made on first use."""
        with self._lock:
            if self._encoder is None:
                self._encoder = self.layout.encoder()
            return self._encoder


class EncodedPart:
    """The blocks of a partition, on the worker that has it.

    It remembers where its rows stand in each tree. That is not part of its value: a copy on
    another worker begins at the root, and follows all splits of the next request.
    """

    def __init__(self, number: int, blocks: list[Bytes], facts: bytes) -> None:
        self.number, self.blocks, self.facts = number, blocks, facts
        self.table_hash: int = _core.describe_facts(facts)["table_hash"]
        self._lock = Lock()
        self._turn = 0
        self._states: dict[int, list[bytes]] = {}

    def __reduce__(self) -> tuple[type[EncodedPart], tuple[int, list[Bytes], bytes]]:
        return EncodedPart, (self.number, self.blocks, self.facts)

    def __sizeof__(self) -> int:
        """The bytes, by which Dask decides what is moved and what is written to disk."""
        return len(self.facts) + sum(len(block) for block in self.blocks)

    def answer(self, requests: dict[int, bytes], turn: int) -> dict[int, bytes]:
        """Reply to the requests of a turn."""
        with self._lock:  # a task of an earlier turn may still run; nobody waits for its reply
            states = self._states if turn >= self._turn else {}
        followed, replies = {}, {}
        for tree, request in requests.items():
            one_pass = _core.Pass(request)
            before = states.get(tree) or [b""] * len(self.blocks)
            followed[tree] = [
                one_pass.add(block, state) for block, state in zip(self.blocks, before, strict=True)
            ]
            replies[tree] = one_pass.reply()
        with self._lock:
            if turn >= self._turn:
                self._turn, self._states = turn, followed
        return replies


def read(frame: Any, number: int, reading: Reading) -> Part | None:
    """Read a partition; None without rows."""
    return part_from(frame, reading, f"partition {number}")


def look_at(part: Part | None, number: int, reading: Reading, most: int) -> Survey:
    """Survey a partition, with at most so many rows in the sample."""
    enough = 0 if part is None else max(len(part) // ROWS_OF_BORDER, FEW_SAMPLED)
    return Survey.of(part, reading, number, min(most, enough))


def merge_surveys(surveys: list[Survey], sample_rows: int) -> Survey:
    """Merge surveys of some partitions."""
    return Survey.merged(surveys, sample_rows)


def share(layout: Layout) -> SharedLayout:
    """Bring the layout to a worker, from which the others have it."""
    return SharedLayout(layout)


def hand_on(requests: dict[int, bytes]) -> dict[int, bytes]:
    """Bring requests to a worker, from which the others have them."""
    return requests


def encode(
    part: Part | None, number: int, shared: SharedLayout, first_row: int, n_rows: int
) -> EncodedPart:
    """Encode a partition, which has as many rows as in the survey."""
    if part is None or len(part) != n_rows:
        raise changed(number)
    pairs = list(shared.encoder().blocks(part, first_row))
    blocks = [np.frombuffer(block, dtype=np.uint8) for block, _ in pairs]
    return EncodedPart(number, blocks, _core.merge_facts([facts for _, facts in pairs]))


def facts_of(part: EncodedPart) -> tuple[bytes, dict[int, int]]:
    """The facts of a partition, and its hash by its number."""
    return part.facts, {part.number: part.table_hash}


def merge_facts(found: list[tuple[bytes, dict[int, int]]]) -> tuple[bytes, dict[int, int]]:
    """The facts of some partitions together, and the hash of each."""
    hashes = {number: own for _, hashes in found for number, own in hashes.items()}
    return _core.merge_facts([facts for facts, _ in found]), hashes


def count(part: EncodedPart, expected: int, requests: dict[int, bytes], turn: int) -> Replies:
    """Reply to requests from a partition that has the rows it had when growing began."""
    if part.table_hash != expected:
        raise changed(part.number)
    return _as_arrays(part.answer(requests, turn))


def merge_replies(replies: list[Replies]) -> Replies:
    """Add the replies of some partitions, tree by tree."""
    if len(replies) == 1:
        return replies[0]
    trees = list(replies[0])
    return _as_arrays({tree: _core.merge_replies([own[tree] for own in replies]) for tree in trees})


def _as_arrays(replies: dict[int, bytes]) -> Replies:
    return {tree: np.frombuffer(reply, dtype=np.uint8) for tree, reply in replies.items()}


def changed(number: int) -> TableError:
    """The error for a partition that is not computed alike each time."""
    return TableError(
        f"partition {number} of the Dask DataFrame has changed while the tree was grown",
        got="other rows when it was computed again",
        hint="seed what is random in it, or write it to files and read these.",
    )
