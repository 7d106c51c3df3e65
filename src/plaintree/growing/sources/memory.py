"""Blocks in memory: the source that proves the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plaintree import _core


class BlocksInMemory:
    """Blocks in lists, each list like a partition: its replies are merged with the others'."""

    def __init__(self, parts: Sequence[Sequence[tuple[bytes, bytes]]]) -> None:
        self._parts = [[block for block, _ in part] for part in parts if part]
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
