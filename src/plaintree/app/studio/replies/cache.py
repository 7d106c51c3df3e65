"""Results that are kept, by what they were computed from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

CACHED = 256
"""Results of one kind that are kept."""
Made = TypeVar("Made")


class Cache:
    """The results that were used last, by what they were computed from."""

    def __init__(self, most: int = CACHED) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """A result; None if it is not there."""
        if key in self._results:
            self._results.move_to_end(key)
        return self._results.get(key)

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, and drop the one that was not used for the longest time."""
        self._results[key] = result
        self._results.move_to_end(key)
        if len(self._results) > self._most:
            self._results.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        self._results.clear()

    def __len__(self) -> int:
        return len(self._results)

    def get_or(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """A result, which is computed if it is not there."""
        found: Made | None = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found
