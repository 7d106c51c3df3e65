"""Spark DataFrames: each partition is encoded on its executor, and replies are collected.

Only ``mapInArrow``, ``applyInArrow`` and collecting are used, so classic sessions and Spark Connect
run the same code. Blocks stay in files on the executors (block_store.py); Spark moves requests,
which are in the closures of tasks, and replies. What is lost is encoded again.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import isqrt
from os import PathLike
from typing import Any

from plaintree import _core
from plaintree.data.parts import Reading
from plaintree.data.survey import Survey
from plaintree.errors import ColumnError, MemoryLimitError, PlaintreeError, nearest
from plaintree.growing.blocks import Layout
from plaintree.growing.counts import ENCODING, SURVEYING
from plaintree.growing.limits import Limits
from plaintree.progress import Progress, no_progress

from .block_store import BlockStore
from .spark_tasks import (
    ABSENT,
    RESULT,
    EncodeKeptTask,
    EncodeTask,
    LostTask,
    RemoveTask,
    ReplyTask,
    SurveyTask,
    Task,
    error_from_text,
    hash_of,
    merged_lot,
)

REPLIES_COLLECTED = 50
"""So many replies are merged by the driver; more are merged by executors first."""


MOST_COLLECTED_BYTES = 2**29
"""Half of what spark.driver.maxResultSize is unless it is set."""
LEAST_TABLE_BYTES = 2**22


def _lots(n_parts: int) -> int:
    """How many replies for a tree the driver merges."""
    return n_parts if n_parts <= REPLIES_COLLECTED else isqrt(n_parts)


class SparkTable:
    """A Spark DataFrame whose partitions are the parts of a table.

    ``row_id`` is a column whose order is the order of the rows. ``store`` is a directory that all
    executors see, as a path or an address such as ``hdfs://...``; without one each executor keeps
    the blocks it encodes.
    """

    def __init__(
        self,
        frame: Any,
        reading: Reading,
        row_id: str | None = None,
        store: str | PathLike[str] | None = None,
    ) -> None:
        columns = list(frame.columns)
        others = (reading.target, reading.weights, row_id)
        features = reading.features or tuple(name for name in columns if name not in others)
        used = tuple(filter(None, (*features, *others)))
        for name in used:
            if name not in columns:
                raise _no_column(name, columns)
            if used.count(name) > 1 and columns.count(name) == 1:
                raise ColumnError(
                    f"column {name!r} has two roles",
                    hint="the target, weights and row numbers are not features.",
                )
        places = places_of(used, columns)
        self.reading = replace(reading, features=features)
        self.row_id = row_id
        self._names = used
        self._root = store
        self._surveyed: Any = None
        numbered = by_place(frame)
        self._given = self._frame = numbered.select(*(numbered.columns[i] for i in places))

    @property
    def has_row_numbers(self) -> bool:
        """Whether the order of the rows is known, as samples of rows need it."""
        return self.row_id is not None

    def survey(self, reading: Reading, report: Progress = no_progress) -> Survey:
        """Look at every partition."""
        from plaintree import __version__

        if self.row_id is not None:
            # Persisted, because sorting again may draw other limits between partitions.
            row_id = self._given.columns[self._names.index(self.row_id)]
            self._frame = self._given.orderBy(row_id).persist()
        self._store = BlockStore.new(self._root)
        task = SurveyTask(reading, self._names, self.row_id, self._store, __version__)
        # Persisted, so that encoding runs where the rows are kept.
        self._surveyed = self._frame.mapInArrow(task, RESULT).persist()
        try:
            rows = list(_results(self._surveyed))
        except BaseException:
            self.release()
            raise
        survey = Survey.merged(pickle.loads(row.body) for row in rows)
        report(SURVEYING, survey.n_rows, survey.n_rows)
        return survey

    def limits(self, survey: Survey) -> Limits:
        """Those with which what a job collects is far from what the driver accepts."""
        usual = Limits()
        row_bytes = 16 + sum(column.dtype.itemsize for column in survey.columns)
        collected_at_once = _lots(sum(1 for n in survey.rows.values() if n))
        tables = max(LEAST_TABLE_BYTES, MOST_COLLECTED_BYTES // max(1, collected_at_once))
        return replace(
            usual,
            table_bytes=min(usual.table_bytes, tables),
            gather_rows=min(usual.gather_rows, MOST_COLLECTED_BYTES // row_bytes),
        )

    def encoded(
        self, layout: Layout, survey: Survey, limits: Limits, report: Progress = no_progress
    ) -> BlocksOnSpark:
        """Encode every partition where it is."""
        del limits
        encode = EncodeTask(
            layout.reading,
            self._names,
            self.row_id,
            self._store,
            layout,
            survey.first_rows,
            survey.rows,
        )
        blocks = BlocksOnSpark(self._frame, encode, self._surveyed, is_own=self.row_id is not None)
        self._surveyed = None
        report(ENCODING, survey.n_rows, survey.n_rows)
        return blocks

    def release(self) -> None:
        """Give back what a survey keeps, where encoding has not followed."""
        if self._surveyed is None:
            return
        with suppress(Exception):  # executors that are gone have taken their files with them
            collected(self._surveyed, RemoveTask(self._store))
        self._surveyed.unpersist()
        self._surveyed = None
        if self.row_id is not None:
            self._frame.unpersist()


@dataclass
class _Known:
    """What is known of the blocks of a partition."""

    names: Sequence[str]
    hash: int


@dataclass(eq=False)
class BlocksOnSpark:
    """The blocks of a Spark DataFrame.

    ``surveyed`` has a row for each partition, where its rows are kept; ``is_own``: whether the
    frame was persisted by us.
    """

    frame: Any
    encode: EncodeTask
    surveyed: Any
    is_own: bool = False
    facts: bytes = b""
    passes_are_jobs: bool = True
    _parts: dict[int, _Known] = field(default_factory=dict)
    _names: Any = None

    def __post_init__(self) -> None:
        kept = EncodeKeptTask(self.encode)
        self._names = self.surveyed.select("parts").mapInArrow(kept, RESULT)
        if self.encode.store.root is None:
            self._names = self._names.persist()  # so that tasks run where the files are
        try:
            rows = list(_results(self._names))
            lost = frozenset(n for row in rows if row.tree == ABSENT for n in row.parts)
            if lost:
                rows += collected(self.frame, replace(self.encode, wanted=lost))
        except BaseException:
            self.release()
            raise
        finally:
            self.surveyed.unpersist()
        found = [row for row in rows if row.tree != ABSENT]
        for row in found:
            self._parts[row.parts[0]] = _Known(row.names, hash_of(row.body))
        self.facts = _core.merge_facts([row.body for row in found])

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Ask all blocks for all trees in one job, and again those that were lost."""
        n = len(self._parts)
        n_lots = _lots(n)
        names = {number: known.names for number, known in self._parts.items()}
        task = ReplyTask(self.encode.store, requests, names, n_lots)
        replies = self._asked(self._numbers(), task, n_lots < n)
        lost = frozenset(n for row in replies if row.tree == ABSENT for n in row.parts)
        if lost:
            hashes = {number: self._parts[number].hash for number in lost}
            replies += self._asked(self.frame, LostTask(self.encode, task, hashes), False)
        merged: dict[int, list[bytes]] = {tree: [] for tree in requests}
        counted: dict[int, list[int]] = {tree: [] for tree in requests}
        for row in replies:
            if row.tree == ABSENT:
                for number in row.parts if row.names else ():
                    self._parts[number].names = row.names
            else:
                merged[row.tree].append(row.body)
                counted[row.tree] += row.parts
        for numbers in counted.values():
            assert sorted(numbers) == sorted(self._parts), "every partition counts once"
        return {tree: _core.merge_replies(bodies) for tree, bodies in merged.items()}

    def release(self) -> None:
        """Remove the files, and give back what was persisted."""
        with suppress(Exception):  # executors that are gone have taken their files with them
            collected(self._numbers(), RemoveTask(self.encode.store))
        if self.encode.store.root is None:
            self._names.unpersist()
        if self.is_own:
            self.frame.unpersist()

    def _numbers(self) -> Any:
        """A frame with the numbers of the partitions, a task for each."""
        if self.encode.store.root is None:
            return self._names.select("parts")
        n = max(self._parts, default=0) + 1
        return self.frame.sparkSession.range(0, n, 1, n).selectExpr(
            "concat('[', cast(id as string), ']') as parts"
        )

    def _asked(self, frame: Any, task: Task, in_lots: bool) -> list[Row]:
        replies = frame.mapInArrow(task, RESULT)
        if in_lots:
            replies = replies.groupBy("tree", "lot").applyInArrow(merged_lot, RESULT)
        return list(_results(replies))


# -------------------------------------------------------------------- jobs


@dataclass(frozen=True)
class Row:
    """A row of what tasks yield."""

    parts: list[int]
    tree: int
    names: list[str]
    body: bytes


def collected(frame: Any, task: Task) -> list[Row]:
    """What a task yields for all partitions."""
    return list(_results(frame.mapInArrow(task, RESULT)))


def _results(frame: Any) -> Iterator[Row]:
    with explained():
        rows = frame.toArrow().to_pylist()
    for row in rows:
        if row["error"] is not None:
            raise error_from_text(row["error"])
    for row in rows:
        yield Row(json.loads(row["parts"]), row["tree"], json.loads(row["names"]), row["body"])


@contextmanager
def explained() -> Iterator[None]:
    """Say what to do where Spark's own errors do not."""
    try:
        yield
    except Exception as error:
        text = str(error)
        for module in ("plaintree", "pyarrow", "numpy"):
            if f"No module named '{module}" in text:
                raise PlaintreeError(
                    f"Python on the executors does not have {module}",
                    hint="set PYSPARK_PYTHON to an interpreter that has plaintree[spark], on every "
                    "machine.",
                ) from error
        if "spark.driver.maxResultSize" in text:
            raise MemoryLimitError(
                "the counts of a job are more than the Spark driver accepts",
                got=next(line for line in text.splitlines() if "maxResultSize" in line),
                hint="raise spark.driver.maxResultSize (0 is no limit).",
            ) from error
        raise


# -------------------------------------------------------------------- columns


def by_place(frame: Any) -> Any:
    """The frame with columns named by their places.

    Spark takes a dot in a name for a field of a struct, and ignores case.
    """
    return frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))


def places_of(names: Sequence[str], columns: Sequence[str]) -> list[int]:
    """Where the named columns are; an error if two have the same name.

    >>> places_of(["width.cm", "W"], ["w", "W", "width.cm"])
    [2, 1]
    """
    for name in names:
        if columns.count(name) > 1:
            raise ColumnError(
                f"the Spark DataFrame has {columns.count(name)} columns named {name!r}",
                hint="rename them with toDF(...), so each has a name of its own.",
            )
    return [columns.index(name) for name in names]


def _no_column(name: str, columns: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"the Spark DataFrame has no column {name!r}",
        got=f"the columns {', '.join(map(repr, columns[:10]))}" + ", ..." * (len(columns) > 10),
        hint=nearest(name, columns) or "check the spelling.",
    )
