"""What runs on Spark's executors: functions of Arrow batches, given to ``mapInArrow``.

Each task yields rows of one schema, ``RESULT``. Errors of plaintree are rows as well, so the caller
gets the error itself rather than a trace of Java. Tasks are pure but for the files that they write
under names that tell their content, so Spark may run them again at will.
"""

from __future__ import annotations

import gc
import json
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from plaintree import _core, errors
from plaintree.data.parts import Part, Reading, part_from
from plaintree.data.survey import Survey
from plaintree.errors import PlaintreeError, TableError
from plaintree.growing.blocks import Layout

from .block_store import BlockStore, Buffer

RESULT = "parts string, tree int, lot int, names string, body binary, error string"
"""The rows that tasks yield: the numbers of the parts that they are about, the tree, the group in
which rows are merged, names of blocks, what was found, and an error."""
ABSENT = -1
"""In place of a tree: blocks that are not where they are looked for."""
SAMPLE_ROWS = 25_000
SAMPLE_OF_ALL = 2**18


# -------------------------------------------------------------------- rows of results


def result(
    parts: Sequence[int],
    *,
    tree: int = 0,
    lot: int = 0,
    names: Sequence[str] = (),
    body: bytes = b"",
    error: str | None = None,
) -> Any:
    """One row, as a batch."""
    import pyarrow as pa

    schema = pa.schema(
        {
            "parts": pa.string(),
            "tree": pa.int32(),
            "lot": pa.int32(),
            "names": pa.string(),
            "body": pa.binary(),
            "error": pa.string(),
        }
    )
    row = {
        "parts": json.dumps(list(parts)),
        "tree": tree,
        "lot": lot,
        "names": json.dumps(list(names)),
        "body": body,
        "error": error,
    }
    return pa.RecordBatch.from_pylist([row], schema=schema)


def error_as_text(error: PlaintreeError) -> str:
    """An error of plaintree, to be raised again elsewhere."""
    return json.dumps([type(error).__name__, error.happened, error.got, error.hint])


def error_from_text(text: str) -> PlaintreeError:
    """The error that :func:`error_as_text` was given."""
    name, happened, got, hint = json.loads(text)
    found: PlaintreeError = getattr(errors, name, PlaintreeError)(happened, got, hint)
    return found


class Task:
    """A function of the batches of a partition, whose errors are rows."""

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows, and the error if there is one."""
        try:
            yield from self.rows(batches)
        except PlaintreeError as error:
            yield result([], error=error_as_text(error))
        freeze_with(len(sys.modules))

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows."""
        raise NotImplementedError


@cache
def freeze_with(n_modules: int) -> None:
    """Exempt what is imported from the garbage collection that pyspark runs after every task.

    It looks at all objects of all modules: 40 ms of CPU where counting a small block takes 1 ms.
    """
    del n_modules  # once for each number: more modules may be imported later
    gc.collect()
    gc.freeze()


def partition_number() -> int:
    """The number of the partition that this task works on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "runs on an executor"
    return int(context.partitionId())


# -------------------------------------------------------------------- the table


@dataclass(frozen=True)
class RowsTask(Task):
    """A task that reads the rows of a partition; ``row_id`` orders them, if there is one.

    ``names`` are those of the columns, which Spark has by their places.
    """

    reading: Reading
    names: Sequence[str]
    row_id: str | None
    store: BlockStore

    def table(self, batches: Iterable[Any]) -> Any:
        """The rows, without their numbers; None if there are none."""
        import pyarrow as pa

        given = list(batches)
        if not given:
            return None
        table = pa.Table.from_batches(given).rename_columns(list(self.names))
        if self.row_id is not None:
            _check_row_ids(table.column(self.row_id), self.row_id)
            table = table.drop_columns([self.row_id])
        return table

    def part(self, number: int, table: Any) -> Part | None:
        """The partition as a part of the table; None without rows."""
        return None if table is None else part_from(table, self.reading, f"partition {number}")


def _check_row_ids(ids: Any, name: str) -> None:
    import pyarrow.compute as pc

    if ids.null_count:
        raise TableError(
            f"the column of row numbers {name!r} has missing values",
            hint="row_id needs a different value in each row.",
        )
    equal = pc.equal(ids.slice(1), ids.slice(0, len(ids) - 1))
    if pc.any(equal).as_py():
        value = ids.slice(1).filter(equal)[0].as_py()
        raise TableError(
            f"the column of row numbers {name!r} has a value twice",
            got=repr(value),
            hint="row_id needs a different value in each row.",
        )


@dataclass(frozen=True)
class SurveyTask(RowsTask):
    """Looks at a partition once, and keeps its rows to be encoded."""

    version: str = ""

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row: the survey."""
        from plaintree import __version__

        if self.version != __version__:
            raise PlaintreeError(
                "executors have another version of plaintree",
                got=f"{__version__} there, {self.version} here",
                hint="install the same version everywhere.",
            )
        number = partition_number()
        # Later partitions give less, so what all give together is bounded: borders between
        # buckets decide what counting costs, not what the tree is.
        n = min(SAMPLE_ROWS, 64 + SAMPLE_OF_ALL // (number + 1))
        table = self.table(batches)
        survey = Survey.of(self.part(number, table), self.reading, number, n)
        if table is not None:
            self.store.keep_rows(number, table)
        yield result([number], body=pickle.dumps(survey))


@dataclass(frozen=True)
class EncodeTask(RowsTask):
    """Encodes a partition as blocks, and writes them to the store.

    ``first_rows`` and ``n_rows`` are those of each partition when it was surveyed; others than
    the wanted partitions are passed over.
    """

    layout: Layout
    first_rows: Mapping[int, int]
    n_rows: Mapping[int, int]
    wanted: frozenset[int] = frozenset()

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row for a wanted partition with rows: the names of the blocks, their facts."""
        number = partition_number()
        if number in self.wanted:
            yield from self.found(number, self.table(batches))

    def found(self, number: int, table: Any) -> Iterator[Any]:
        """Yield the row of a partition."""
        names, facts = self.encoded(number, table)
        if facts:
            yield result([number], names=names, body=_core.merge_facts(facts))

    def encoded(self, number: int, table: Any) -> tuple[list[str], list[bytes]]:
        """Write the blocks, and return their names and facts."""
        part = self.part(number, table)
        if (0 if part is None else len(part)) != self.n_rows.get(number, 0):
            raise changed(number)
        names: list[str] = []
        facts: list[bytes] = []
        if part is not None:
            encoder = self.layout.encoder()
            for block, found in encoder.blocks(part, self.first_rows[number]):
                names.append(self.store.write(number, len(names), block))
                facts.append(found)
        return names, facts


@dataclass(frozen=True)
class EncodeKeptTask(Task):
    """Encodes the rows that were kept of partitions, whose numbers are in the column ``parts``."""

    encode: EncodeTask

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row for a partition: what encoding yields, or that the rows are not here."""
        store = self.encode.store
        for number in numbers_in(batches):
            if not self.encode.n_rows.get(number):
                continue
            table = store.take_rows(number)
            if table is None:
                yield result([number], tree=ABSENT)
            else:
                yield from self.encode.found(number, table)
                store.forget_rows(number)


def numbers_in(batches: Iterable[Any]) -> list[int]:
    """The numbers of partitions in the column ``parts``."""
    return [
        number
        for batch in batches
        for text in batch.column("parts").to_pylist()
        for number in json.loads(text)
    ]


def changed(number: int) -> TableError:
    """Make the error for a partition that is not what it was before."""
    return TableError(
        f"partition {number} of the Spark DataFrame changed while it was read",
        got="other rows when Spark computed it again",
        hint="the DataFrame depends on chance, time or order: write it to Parquet, and fit that.",
    )


# -------------------------------------------------------------------- counting


@dataclass(frozen=True)
class ReplyTask(Task):
    """Asks the blocks of some partitions, whose numbers are in the column ``parts``.

    ``names`` are those of the blocks of each partition.
    """

    store: BlockStore
    requests: Mapping[int, bytes]
    names: Mapping[int, Sequence[str]]
    n_lots: int

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield a reply for each tree, and a row that lists absent partitions."""
        blocks: list[tuple[str, Buffer]] = []
        counted, absent = [], []
        for number in numbers_in(batches):
            names = self.names.get(number, ())
            found = [(name, self.store.read(name)) for name in names]
            there = [(name, block) for name, block in found if block is not None]
            if len(there) < len(found):
                absent.append(number)
            elif there:
                counted.append(number)
                blocks += there
        if absent:
            yield result(absent, tree=ABSENT)
        yield from self.replies(counted, blocks)

    def replies(
        self, numbers: Sequence[int], blocks: Sequence[tuple[str, Buffer]]
    ) -> Iterator[Any]:
        """Yield the reply of these blocks for each tree."""
        if not numbers:
            return
        for tree, request in self.requests.items():
            one_pass = _core.Pass(request)
            for name, block in blocks:
                before = self.store.state(tree, name)
                after = one_pass.add(block, before)
                if after != before:
                    self.store.keep_state(tree, name, after)
            lot = numbers[0] % self.n_lots
            yield result(numbers, tree=tree, lot=lot, body=one_pass.reply())


@dataclass(frozen=True)
class LostTask(Task):
    """Encodes partitions again whose blocks are lost, and asks them at once.

    ``hashes`` are those of the rows of each lost partition, as first encoded.
    """

    encode: EncodeTask
    reply: ReplyTask
    hashes: Mapping[int, int]

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield a row of new names and a reply for each tree, if the partition is lost."""
        number = partition_number()
        if number not in self.hashes:
            return
        names, facts = self.encode.encoded(number, self.encode.table(batches))
        if not facts or hash_of(_core.merge_facts(facts)) != self.hashes[number]:
            raise changed(number)
        yield result([number], tree=ABSENT, names=names)
        blocks = [(name, self.encode.store.read(name)) for name in names]
        there = [(name, block) for name, block in blocks if block is not None]
        yield from self.reply.replies([number], there)


@dataclass(frozen=True)
class RemoveTask(Task):
    """Removes the files of a store that this executor sees."""

    store: BlockStore

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield nothing."""
        for _ in batches:
            pass
        self.store.remove()
        yield from ()


def merged_lot(table: Any) -> Any:
    """Merge the replies for a tree in one group; other rows stay as they are."""
    import pyarrow as pa

    rows = table.to_pylist()
    if rows[0]["tree"] == ABSENT or any(row["error"] for row in rows):
        return table
    parts = [number for row in rows for number in json.loads(row["parts"])]
    body = _core.merge_replies([row["body"] for row in rows])
    return pa.Table.from_batches([result(parts, tree=rows[0]["tree"], body=body)])


def hash_of(facts: bytes) -> int:
    """The hash of the rows of a table."""
    return int(_core.describe_facts(facts)["table_hash"])
