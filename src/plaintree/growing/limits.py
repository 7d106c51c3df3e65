"""Limits of memory of a table in parts, and how they are shared out.

Counting, looking and gathering follow one another, so each may take what is free. What a table
needs at least follows from its columns and classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plaintree.errors import MemoryLimitError
from plaintree.memory import available_bytes

if TYPE_CHECKING:
    from .blocks import Layout

BASE_BYTES = 230 * 2**20
"""What the interpreter and the libraries take."""
THREAD_BYTES = 96 * 2**20
"""What the allocator keeps for each thread, if there are several."""
BYTES_OF_RECORD = 128
"""Of a row that is looked at one by one, in a list and its copies."""
COPIES_OF_ROWS = 10
"""Of gathered rows: in a reply, in its bytes, and in the columns that are grown from."""
FEW_BUCKETS = 64
FEW_RECORDS = 2**17
"""Buckets of a column and records of a list that growing needs, at least."""
USUAL_BYTES = 2**30
"""The limit if none is given, and if a quarter of the available memory is not more."""


@dataclass(frozen=True)
class Limits:
    """How much memory a grower may take for what it requests and gets.

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
    def of_memory(cls, n_bytes: int, row_bytes: int, n_threads: int = 1) -> Limits:
        """The limits that fit so much memory beside the libraries, for rows of so many bytes."""
        half = n_bytes // 2
        merging = 6 if n_threads > 1 else 0
        return cls(
            table_bytes=half // (n_threads + 3),
            list_rows=half // BYTES_OF_RECORD,
            gather_rows=half // max(1, (COPIES_OF_ROWS + merging) * row_bytes),
            state_bytes=n_bytes // 4,
            n_threads=n_threads,
        )

    @classmethod
    def of_table(cls, memory_limit: int | None, layout: Layout, n_threads: int = 1) -> Limits:
        """The limits of a process that grows from this table.

        None is a quarter of the available memory, and at least 1 GB. There are as many threads as
        fit. A limit that is too small is an error with the least one that works.
        """
        needed = needed_bytes(layout)
        if memory_limit is None:
            memory_limit = max(USUAL_BYTES, available_bytes() // 4, needed)
        if memory_limit < needed:
            raise MemoryLimitError(
                "memory_limit is too small for this table",
                got=f"{memory_limit / 1e6:,.0f} MB",
                hint=f"{len(layout.schema.features):,} features need "
                f'memory_limit="{-(-needed // 10**6)} MB" or more.',
            )
        of_thread = THREAD_BYTES + layout.block_bytes
        n_threads = max(1, min(n_threads, (memory_limit - needed) // 2 // of_thread))
        free = memory_limit - fixed_bytes(layout, n_threads)
        return cls.of_memory(free, layout.row_bytes, n_threads)

    def shared_by(self, n_trees: int) -> Limits:
        """The limits of each of some trees that are grown side by side."""
        return Limits(
            table_bytes=max(self.table_bytes // n_trees, 2**20),
            list_rows=max(self.list_rows // n_trees, 2**14),
            gather_rows=self.gather_rows // n_trees,
            state_bytes=self.state_bytes,
            n_threads=self.n_threads,
        )

    def for_core(self) -> dict[str, Any]:
        """The limits as the core takes them."""
        return {
            "table_bytes": self.table_bytes,
            "list_rows": self.list_rows,
            "gather_rows": self.gather_rows,
        }


def fixed_bytes(layout: Layout, n_threads: int) -> int:
    """Bytes that do not depend on the limit: libraries, borders, and a block for each thread."""
    borders = sum(8 * len(own) for own in layout.borders)
    threads = n_threads * THREAD_BYTES if n_threads > 1 else 0
    return BASE_BYTES + 4 * borders + n_threads * layout.block_bytes + threads


def needed_bytes(layout: Layout) -> int:
    """The least memory_limit of a table: what is fixed, one node in every column, one list."""
    cells = sum(
        n_categories + 1 if n_categories else min(FEW_BUCKETS, len(own) + 1) + 1
        for n_categories, own in zip(layout.schema.category_counts, layout.borders, strict=True)
    )
    table = cells * 8 * max(5, 2 * len(layout.schema.classes))
    list_bytes = FEW_RECORDS * BYTES_OF_RECORD
    return fixed_bytes(layout, 1) + 2 * max(4 * table, list_bytes)
