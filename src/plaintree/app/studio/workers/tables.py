"""The open tables: each has a worker of its own, and requests about it are carried out in order.

A table is known by its source, so its worker can be killed at any time: the next request starts
another one, which loads the table again. A request carries the whole document, so nothing is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import msgspec

from ..messages.documents import Failure, ProgressLine
from ..server.limits import READING_SECONDS, TABLES
from . import frames
from .failures import error_line, progress_line, result_line
from .processes import WorkerOptions, WorkerProcess
from .sources import Source

LINES = {
    frames.PROGRESS: progress_line,
    frames.RESULT: result_line,
    frames.FAILURE: error_line,
    frames.LAST: error_line,
}
MOMENT = 1.0
"""Seconds that abandoned work may go on before its worker is killed. To load the table again takes
about as long, and caches are lost."""
SPARE_SECONDS = 1.0
"""When a new spare worker is started: the former one is loading a table just then."""
STOPPED = Failure(what="stopped; nothing was changed", kind="stopped")
ENDED = Failure(what="the studio has ended", kind="lost")
READING = msgspec.json.encode(ProgressLine(stage="reading the table", done=0, total=None))


@dataclass(eq=False)
class Work:
    """A request of the page to a table, and the lines of its response, the last one flagged."""

    name: str
    body: bytes
    test: str | None = None
    """The key of a table to test on."""
    lines: asyncio.Queue[tuple[bytes, bool]] = field(default_factory=asyncio.Queue)
    abandoned: bool = False
    stopped: bool = False

    def say(self, kind: bytes, content: bytes) -> None:
        """Add a line; one with a result or a failure is the last."""
        self.lines.put_nowait((LINES[kind](content), kind in frames.FINAL))

    def fail(self, failure: Failure) -> None:
        """End with a failure."""
        self.say(frames.FAILURE, msgspec.json.encode(failure))

    async def reply(self) -> AsyncIterator[bytes]:
        """The lines as they come."""
        last = False
        while not last:
            line, last = await self.lines.get()
            yield line


@dataclass(eq=False)
class Table:
    """An open table: its source, its worker if it has one, and the work that waits for it."""

    source: Source
    worker: WorkerProcess | None = None
    in_order: asyncio.Lock = field(default_factory=asyncio.Lock)
    tests: set[str] = field(default_factory=set)
    """The keys of the tables to test on that the worker has read."""
    pending: list[Work] = field(default_factory=list)
    starting: bool = False
    used: int = 0
    """The number of its last request, among those of all tables."""

    @property
    def has_worker(self) -> bool:
        """Whether it has a worker, or is about to get one."""
        return self.starting or self.worker is not None


class Tables:
    """All tables, their workers, and a spare worker that has imported everything already."""

    def __init__(
        self,
        options: WorkerOptions,
        most: int = TABLES,
        reading_seconds: float = READING_SECONDS,
    ) -> None:
        self._options, self._most, self._reading_seconds = options, most, reading_seconds
        self._tables: dict[str, Table] = {}
        self._spare: WorkerProcess | None = None
        self._starting = asyncio.Lock()
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._workers: set[WorkerProcess] = set()
        self.closed = False

    # ---------------------------------------------------------------- for the door

    def add(self, source: Source) -> None:
        """Know a table. It is loaded when it is asked about."""
        self._tables.setdefault(source.key, Table(source))

    def forget(self, key: str) -> None:
        """Know a table no longer, such as an upload that has made room for others."""
        table = self._tables.pop(key, None)
        if table is not None:
            self._end_worker(table)

    def knows(self, key: str) -> bool:
        """Whether there is such a table."""
        return key in self._tables

    def ask(self, key: str, name: str, body: bytes, test: str | None = None) -> Work:
        """Begin a request about a table that is known, and one to test on."""
        table, work = self._tables[key], Work(name, body, test)
        table.pending.append(work)
        table.used = next(self._numbers)
        self._begin(self._carry_out(table, work))
        return work

    def abandon(self, key: str, work: Work) -> None:
        """The reader of the response has gone: work that takes more than a second is stopped."""
        work.abandoned = True
        table = self._tables.get(key)
        if table is not None and work in table.pending:
            asyncio.get_running_loop().call_later(MOMENT, self._stop_abandoned, table, work)

    def stop(self, key: str) -> bool:
        """Stop all work on a table; whether there was any. The table is loaded again meanwhile."""
        table = self._tables.get(key)
        if table is None or not table.pending:
            return False
        for work in table.pending:
            work.stopped = True
        self._end_worker(table)
        self._begin(self._reload(table))
        return True

    async def hello(self, body: bytes) -> bytes:
        """The last line of the response to ``hello``, which needs no table."""
        async with self._starting:
            worker = await self._some_worker()
            async for kind, content in worker.carry_out(frames.ASK, b"hello\n" + body):
                if kind in frames.FINAL:
                    return LINES[kind](content)
        return error_line(STOPPED)

    async def start(self) -> None:
        """Start the spare worker."""
        async with self._starting:
            await self._some_worker()

    async def close(self) -> None:
        """End all workers and all work, whose readers get a failure."""
        self.closed = True
        for table in self._tables.values():
            for work in table.pending:
                work.fail(ENDED)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*tasks, return_exceptions=True)
        for worker in list(self._workers):
            await self._bury(worker)
        self._tables.clear()

    # ---------------------------------------------------------------- the work

    async def _carry_out(self, table: Table, work: Work) -> None:
        try:
            async with table.in_order:
                if work.stopped or work.abandoned:
                    work.fail(STOPPED)
                elif await self._has_worker(table, work) and await self._has_test(table, work):
                    await self._exchange(table, work, frames.ASK, _question(work))
        except Exception as error:
            work.fail(Failure(what=f"{type(error).__name__}: {error}", kind="bug"))
            raise
        finally:
            table.pending.remove(work)

    async def _exchange(self, table: Table, work: Work, kind: bytes, content: bytes) -> bool:
        """Let the worker carry out a frame; whether that succeeded. A load has no result line."""
        worker = table.worker
        assert worker is not None  # the caller has seen to it
        done = False
        async for got, reply in worker.carry_out(kind, content):
            done = got == frames.RESULT
            if got == frames.LAST:
                self._end_worker(table, worker)
            if got in frames.FINAL and work.stopped:
                work.fail(STOPPED)
            elif not (done and kind != frames.ASK):
                work.say(got, reply)
        return done and not work.stopped

    async def _has_worker(self, table: Table, work: Work) -> bool:
        """Load the table if it has no worker; if it cannot be loaded, the work has failed."""
        if table.worker is not None and table.worker.alive:
            return True
        self._end_worker(table)  # it may have been killed while it was idle
        if not self._make_room(table):
            work.fail(
                Failure(
                    what=f"{self._most} tables are at work already",
                    hint="wait for one of them, or stop it.",
                )
            )
            return False
        work.say(frames.PROGRESS, READING)
        table.starting = True  # so it counts as one with a worker
        try:
            table.worker = await self._taken()
        finally:
            table.starting = False
        loaded = await self._loaded(table, work, frames.LOAD, table.source)
        if not loaded:
            self._give_back(table)
        return loaded

    def _give_back(self, table: Table) -> None:
        """Keep the worker of a table that could not be loaded, as the spare if there is none."""
        worker = table.worker
        if worker is not None and worker.alive and self._spare is None:
            self._spare, table.worker = worker, None
        else:
            self._end_worker(table)

    async def _has_test(self, table: Table, work: Work) -> bool:
        """Let the worker read the table to test on, if it has not."""
        if work.test is None or work.test in table.tests:
            return True
        other = self._tables.get(work.test)
        if other is None:  # made room for others meanwhile
            work.fail(Failure(what="the test table is not open", hint="upload it again."))
            return False
        loaded = await self._loaded(table, work, frames.LOAD_TEST, other.source)
        if loaded:
            table.tests.add(work.test)
        return loaded

    async def _loaded(self, table: Table, work: Work, kind: bytes, source: Source) -> bool:
        """Let a worker load a table, an uploaded one within a time limit."""
        if work.stopped:  # meanwhile
            work.fail(STOPPED)
            return False
        limit = self._reading_seconds if source.kind == "upload" else None
        try:
            async with asyncio.timeout(limit):
                return await self._exchange(table, work, kind, msgspec.json.encode(source))
        except TimeoutError:
            self._end_worker(table)
            work.fail(
                Failure(
                    what=f"reading the table took more than {limit:g} seconds",
                    hint="plaintree studio FILE has no such limit.",
                    kind="table",
                )
            )
            return False

    async def _reload(self, table: Table) -> None:
        """Load a stopped table again, before somebody waits for it."""
        async with table.in_order:
            await self._has_worker(table, Work("", b""))

    def _stop_abandoned(self, table: Table, work: Work) -> None:
        if work in table.pending and table.pending[0] is work:
            self._end_worker(table)
            self._begin(self._reload(table))

    # ---------------------------------------------------------------- the workers

    def _make_room(self, table: Table) -> bool:
        """End the worker of the table that was idle for longest, if there are too many."""
        others = [t for t in self._tables.values() if t.has_worker and t is not table]
        if len(others) < self._most:
            return True
        idle = [other for other in others if not other.pending and not other.starting]
        if idle:
            self._end_worker(min(idle, key=lambda other: other.used))
        return bool(idle)

    def _end_worker(self, table: Table, worker: WorkerProcess | None = None) -> None:
        """Kill the worker of a table; a worker that it no longer has is left alone."""
        mine = table.worker
        if mine is None or worker not in (None, mine):
            return
        table.worker = None
        table.tests.clear()
        mine.kill()
        self._begin(self._bury(mine))

    async def _bury(self, worker: WorkerProcess) -> None:
        worker.kill()
        await worker.ended()
        self._workers.discard(worker)

    async def _taken(self) -> WorkerProcess:
        """A worker for a table. Another spare one is started a little later."""
        async with self._starting:
            worker = await self._some_worker()
            self._spare = None
        self._begin(self._start_later())
        return worker

    async def _start_later(self) -> None:
        await asyncio.sleep(SPARE_SECONDS)
        await self.start()

    async def _some_worker(self) -> WorkerProcess:
        """The spare worker, started if there is none."""
        if self._spare is None or not self._spare.alive:
            self._spare = await WorkerProcess.start(self._options)
            self._workers.add(self._spare)
        return self._spare

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        if self.closed:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        with suppress(asyncio.CancelledError):
            task.exception()  # was given to the page, and is not to be written again


def _question(work: Work) -> bytes:
    return work.name.encode() + b"\n" + work.body
