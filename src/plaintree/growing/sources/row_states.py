"""Where the rows of blocks stand in growing trees: in memory as far as it goes, then in a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection
from pathlib import Path

from plaintree.errors import file_error

from .block_files import OpenFile, unnamed_file, write_at

Place = tuple[int, int]
"""A tree and a block."""


class RowStates:
    """States by tree and block. A state that is absent is empty: all rows at the root."""

    def __init__(self, directory: Path, most_bytes: int) -> None:
        self._path = directory / "states"
        self._most_bytes = most_bytes
        self._held: dict[Place, bytes] = {}
        self._n_held = 0
        self._file = OpenFile()
        self._end = 0
        self._slots: dict[Place, tuple[int, int, int]] = {}
        self._free: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    def get(self, place: Place) -> bytes:
        """The state of a block in a tree."""
        held = self._held.get(place)
        if held is not None:
            return held
        slot = self._slots.get(place)
        if slot is None:
            return b""
        offset, size, _ = slot
        try:
            found = os.pread(self._file.number, size, offset)
        except OSError as error:
            raise file_error(f"{self._path} cannot be read", error) from error
        return found if len(found) == size else b""  # rows follow all splits again

    def put(self, place: Place, state: bytes) -> None:
        """Replace the state of a block in a tree."""
        with self._lock:
            before = len(self._held.pop(place, b""))
            self._n_held -= before
            if self._n_held + len(state) <= self._most_bytes:
                self._held[place] = state
                self._n_held += len(state)
                self._give_back(place)
                return
            offset = self._slot_for(place, len(state))
        write_at(self._file.number, state, offset, self._path)

    def keep_only(self, trees: Collection[int]) -> None:
        """Forget the states of all other trees: they are grown."""
        with self._lock:
            for place in [p for p in self._held if p[0] not in trees]:
                self._n_held -= len(self._held.pop(place))
            for place in [p for p in self._slots if p[0] not in trees]:
                self._give_back(place)

    def close(self) -> None:
        """Forget all states, and with them the file, which has no name."""
        self._held.clear()
        self._slots.clear()
        self._file.close()

    def _slot_for(self, place: Place, size: int) -> int:
        slot = self._slots.get(place)
        if slot is None or slot[2] < size:
            self._give_back(place)
            room = -(-size // 4096) * 4096
            reusable = self._free.get(room)
            offset = reusable.pop() if reusable else self._end
            self._end = max(self._end, offset + room)
            slot = (offset, size, room)
        self._slots[place] = (slot[0], size, slot[2])
        if self._file.number < 0:
            try:
                self._file.hold(unnamed_file(self._path.parent))
            except OSError as error:
                raise file_error(f"{self._path} cannot be written", error) from error
        return slot[0]

    def _give_back(self, place: Place) -> None:
        slot = self._slots.pop(place, None)
        if slot is not None:
            self._free.setdefault(slot[2], []).append(slot[0])
