"""Limits of memory of a table in parts, and how they are shared out.

Counting, looking and gathering follow one another, so each may take what is free. What a table
needs at least follows from its columns and classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from plaintree import _core
from plaintree.data.survey import Survey
from plaintree.errors import MemoryLimitError
from plaintree.memory import BASE_BYTES, usual_limit

BLOCK_ROWS: int = _core.BLOCK_ROWS
THREAD_BYTES = 96 * 2**20
"""What the allocator keeps for each thread, if there are several."""
BYTES_OF_RECORD = 128
"""Of a row that is looked at one by one, in a list and its copies."""
COPIES_OF_ROWS = 10
"""Of gathered rows: in a reply, in its bytes, and in the columns that are grown from."""
COPIES_OF_THREADS = 6
"""More of them, where replies of several threads are merged."""
COPIES_OF_LABELS = 4
"""Of the categories of text: while they are gathered, and while they are encoded."""
FEW_BUCKETS = 64
FEW_RECORDS = 2**17
"""Buckets of a column and records of a list that growing needs, at least."""
SLACK = 4
"""A node may need so many times the limit of a table (src/core/levels/level_search.h)."""


def refuse_labels(memory_limit: int | None, survey: Survey) -> None:
    """Raise an error if the categories found so far take more memory than the limit leaves."""
    needed = BASE_BYTES + COPIES_OF_LABELS * survey.label_bytes
    if needed <= (usual_limit() if memory_limit is None else memory_limit):
        return
    column = max(survey.columns, key=lambda column: column.label_bytes)
    raise MemoryLimitError(
        f"the distinct values of {column.name!r} are too many for memory_limit",
        got=f"{len(column.labels):,} so far, which take {column.label_bytes / 1e6:,.0f} MB",
        hint=f"leave {column.name!r} out by columns=, or pass a memory_limit of more than "
        f"{-(-needed // 10**6):,} MB.",
    )


@dataclass(frozen=True)
class TableSize:
    """What rows of a table take: encoded, in borders, and in the counts of one node."""

    n_columns: int
    row_bytes: int
    border_bytes: int
    node_bytes: int
    label_bytes: int = 0

    @classmethod
    def of(cls, survey: Survey) -> TableSize:
        """The size of a table, at most."""
        row = (2 if survey.classes else 8) + (0 if survey.weights is None else 8)
        borders = cells = 0
        for column in survey.columns:
            if column.kind == "categorical" or column.distinct is not None:
                n = len(column.labels) if column.distinct is None else len(column.distinct)
                cells += n + 1
            else:
                n = min(len(column.sample), 65_000) + 1
                row += column.dtype.itemsize
                borders += 8 * n
                cells += min(FEW_BUCKETS, n) + 1
            row += 1 if n <= 255 else 2 if n <= 65_535 else 4
        width = max(5, 2 * len(survey.classes))
        return cls(len(survey.columns), row, borders, cells * 8 * width, survey.label_bytes)

    @property
    def block_bytes(self) -> int:
        """Bytes of a block of as many rows as it may have."""
        return BLOCK_ROWS * self.row_bytes

    @property
    def fixed_bytes(self) -> int:
        """Bytes that do not depend on the limit: libraries, borders, text, a block with copies."""
        kept = 4 * self.border_bytes + COPIES_OF_LABELS * self.label_bytes
        return BASE_BYTES + kept + 3 * self.block_bytes

    @property
    def needed_bytes(self) -> int:
        """The least memory_limit: what is fixed, one node in every column, one list."""
        lists = FEW_RECORDS * BYTES_OF_RECORD
        return self.fixed_bytes + 2 * max(4 * self.node_bytes, lists)

    def needed_bytes_for(self, held: int) -> int:
        """The least memory_limit of which so many bytes are free; see :attr:`Limits.free_bytes`."""
        return max(self.needed_bytes, self.fixed_bytes + 2 * held)

    def stored_bytes(self, n_rows: int) -> int:
        """Bytes of the blocks of so many rows, and of the nodes that their rows are in."""
        return n_rows * (self.row_bytes + 4)


@dataclass(frozen=True)
class Limits:
    """How much memory a grower may take for what it requests and gets.

    - ``table_bytes``: of the tables of counts in one reply.
    - ``list_rows``: rows of a reply that are looked at one by one.
    - ``gather_rows``: rows that are finished in memory at once.
    - ``state_bytes``: what is known of rows beside their blocks; what is more goes to a file.
    - ``n_threads``: threads that count side by side, each with tables of its own.
    - ``total``, ``size``: the memory of the process and the table, where it has its own limit.
    """

    table_bytes: int = 64 * 2**20
    list_rows: int = 4 * 2**20
    gather_rows: int = 2 * 2**20
    state_bytes: int = 64 * 2**20
    n_threads: int = 1
    total: int = 0
    size: TableSize | None = None

    @classmethod
    def of_memory(cls, n_bytes: int, row_bytes: int, n_threads: int = 1) -> Limits:
        """The limits that fit so much memory beside the libraries, for rows of so many bytes."""
        half = n_bytes // 2
        copies = COPIES_OF_ROWS + (COPIES_OF_THREADS if n_threads > 1 else 0)
        return cls(
            table_bytes=half // (n_threads + 3),
            list_rows=half // BYTES_OF_RECORD,
            gather_rows=half // max(1, copies * row_bytes),
            state_bytes=n_bytes // 4,
            n_threads=n_threads,
        )

    @classmethod
    def of_table(cls, memory_limit: int | None, size: TableSize) -> Limits:
        """The limits of a process that grows from this table.

        None is a quarter of the available memory, and at least 1 GB. A limit that is too small is
        an error with the least one that works.
        """
        needed = size.needed_bytes
        if memory_limit is None:
            memory_limit = max(usual_limit(), needed)
        if memory_limit < needed:
            raise MemoryLimitError(
                "memory_limit is too small for this table",
                got=f'memory_limit="{memory_limit / 1e6:.0f}MB"',
                hint=f'pass memory_limit="{-(-needed // 10**6)}MB" or more, or fewer columns.',
            )
        limits = cls.of_memory(memory_limit - size.fixed_bytes, size.row_bytes)
        return replace(limits, total=memory_limit, size=size)

    @property
    def free_bytes(self) -> int:
        """What rows may take that are held at once: half of what is free beside the libraries."""
        if self.size is None:
            return usual_limit() // 2
        return (self.total - self.size.fixed_bytes) // 2

    def for_threads(self, n_threads: int) -> Limits:
        """The limits of so many threads, or of as many as fit the memory of the process."""
        if self.size is None or n_threads == 1:
            return self
        each = THREAD_BYTES + self.size.block_bytes
        n_threads = max(1, min(n_threads, (self.total - self.size.needed_bytes) // 2 // each))
        if n_threads == 1:
            return self
        free = self.total - self.size.fixed_bytes - n_threads * each
        limits = Limits.of_memory(free, self.size.row_bytes, n_threads)
        return replace(limits, total=self.total, size=self.size)

    def shared_by(self, n_trees: int) -> Limits:
        """The limits of each of some trees that are grown side by side."""
        return replace(
            self,
            table_bytes=max(self.table_bytes // n_trees, 2**20),
            list_rows=max(self.list_rows // n_trees, 2**14),
            gather_rows=self.gather_rows // n_trees,
        )

    def trees_at_once(self, most: int) -> int:
        """How many trees of a forest have room for the counts of a node side by side."""
        if self.size is None:
            return most
        return max(1, min(most, SLACK * self.table_bytes // max(1, self.size.node_bytes)))

    def least_total(self, n_threads: int, n_trees: int, fits: Callable[[Limits], bool]) -> int:
        """The least memory_limit, in megabytes, with which some trees have limits that fit."""
        size = self.size
        assert size is not None
        low, high = 0, -(-size.needed_bytes // 10**6)

        def is_enough(megabytes: int) -> bool:
            whole = Limits.of_table(megabytes * 10**6, size)
            return fits(whole.for_threads(n_threads).shared_by(n_trees))

        while not is_enough(high):
            low, high = high, 2 * high
        while low > 0 and high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    def for_core(self) -> dict[str, Any]:
        """The limits as the core takes them."""
        return {
            "table_bytes": self.table_bytes,
            "list_rows": self.list_rows,
            "gather_rows": self.gather_rows,
        }
