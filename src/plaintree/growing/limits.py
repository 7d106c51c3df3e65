"""Limits of memory for growing from counts, and how they are shared out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BASE_BYTES = 200 * 2**20
"""What the interpreter and the libraries take."""
BYTES_OF_RECORD = 48
"""Of a row that is looked at one by one, in a list and its copies."""


@dataclass(frozen=True)
class Limits:
    """How much memory a grower may take for what it asks and is answered.

    - ``table_bytes``: of the tables of counts in one reply.
    - ``list_rows``: rows of a reply that are looked at one by one.
    - ``gather_rows``: rows that are finished in memory at once.
    - ``state_bytes``: what is known of rows beside their blocks; what is more goes to a file.
    - ``n_threads``: threads that count side by side, each with tables of its own.
    """

    table_bytes: int = 64 * 2**20
    list_rows: int = 4 * 2**20
    gather_rows: int = 2 * 2**20
    state_bytes: int = 64 * 2**20
    n_threads: int = 1

    @classmethod
    def of_memory(cls, n_bytes: int, row_bytes: int) -> Limits:
        """The limits that fit so much memory, for rows of so many bytes."""
        free = n_bytes - BASE_BYTES
        return cls(
            table_bytes=free // 8,
            list_rows=free // 4 // BYTES_OF_RECORD,
            gather_rows=free // 4 // max(1, 4 * row_bytes),
        )

    def shared_by(self, n_trees: int) -> Limits:
        """The limits of each of some trees that are grown side by side."""
        return Limits(
            table_bytes=max(self.table_bytes // n_trees, 2**20),
            list_rows=max(self.list_rows // n_trees, 2**14),
            gather_rows=self.gather_rows // n_trees,
        )

    def for_core(self) -> dict[str, Any]:
        """The limits as the core takes them."""
        return {
            "table_bytes": self.table_bytes,
            "list_rows": self.list_rows,
            "gather_rows": self.gather_rows,
        }
