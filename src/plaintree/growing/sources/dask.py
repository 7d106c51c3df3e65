"""Tables of Dask, and growing from them: partitions are encoded and counted where they are.

Every step is tasks with keys of their own, one a partition, and replies are added in groups on the
workers. A lost partition is loaded and encoded again; where its rows stand in the tree follows
from the next request. So workers may come, go and fail, and the tree does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from plaintree import __version__, _core
from plaintree.data.parts import Part, Reading, part_from
from plaintree.data.survey import SAMPLE_ROWS, Survey
from plaintree.errors import ArgumentTypeError, ClusterError, TableError
from plaintree.growing.blocks import Encoder, Layout
from plaintree.growing.limits import Limits

GROUP = 8
"""So many replies are added in one task."""
RETRIES = 2
"""How often a task that failed is tried again, as storage may fail for a moment."""
SAMPLE_BYTES = 128 * 2**20
"""Of the sample of all partitions together, which the driver holds."""
FEWEST_SAMPLED = 16
"""Rows of a partition in the sample, at least."""
MOST_REPEATED = 2**18
"""Bytes that are sent with every task; more are sent once."""
FIRST = 100
"""The priority of adding: results are added before more of them are made."""
LARGE = "distributed.admin.large-graph-warning-threshold"


class DaskTable:
    """A Dask DataFrame to grow trees from.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The features, the target and the weights.
    reading : Reading
        Which columns these are.
    client : distributed.Client, default=None
        The cluster to work on; None: the current client.
    """

    def __init__(self, frame: Any, reading: Reading, client: Any = None) -> None:
        self.reading = reading
        self._frame = frame
        self._client = client
        self._read: tuple[Reading, list[Any]] | None = None

    def survey(self, reading: Reading) -> Survey:
        """Look at every partition."""
        run = Run(checked_client(self._client))
        parts = self._parts(run, reading)
        self._read = (reading, parts)
        each, together = sample_rows(len(parts), len(self._columns(reading)))
        surveys = run.each(_survey, parts, range(len(parts)), reading, each)
        result: Survey = run.result(run.added(_merge_surveys, surveys, together))
        return result

    def encoded(self, layout: Layout, survey: Survey, limits: Limits) -> DaskBlocks:
        """Encode every partition where it is."""
        del limits
        run = Run(checked_client(self._client))
        known = self._read if self._read and self._read[0] == layout.reading else None
        parts = known[1] if known else self._parts(run, layout.reading)
        self._read = None
        filled = [number for number, n in sorted(survey.rows.items()) if n]
        encoded = run.each(
            _encode,
            [parts[number] for number in filled],
            filled,
            run.once(layout),
            [survey.first_rows[number] for number in filled],
            [survey.rows[number] for number in filled],
        )
        return DaskBlocks(run, encoded)

    def _parts(self, run: Run, reading: Reading) -> list[Any]:
        """Read every partition; they stay on the workers until they are encoded."""
        columns = self._columns(reading)
        frame = self._frame
        if columns != list(frame.columns):
            frame = frame[columns]
        frames = run.client.compute(frame.to_delayed(), retries=RETRIES)
        return run.each(_part, frames, range(len(frames)), reading)

    def _columns(self, reading: Reading) -> list[Any]:
        """The columns that are read; the first partition misses those that are absent."""
        names = list(self._frame.columns)
        if reading.features is None:
            return names
        needed = {*reading.features, reading.target, reading.weights}
        return [name for name in names if name in needed]


class DaskBlocks:
    """The blocks of a Dask table; those of a partition are one result on a worker."""

    def __init__(self, run: Run, parts: list[Any]) -> None:
        self._run = run
        self._parts = parts
        self._turn = 0
        self.facts: bytes
        self.facts, hashes = run.result(run.added(_merge_facts, run.each(_facts_of, parts)))
        self._hashes = [own for _, own in sorted(hashes.items())]

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Ask every partition, and add their replies."""
        self._turn += 1
        asked: Any = dict(requests)
        if sum(map(len, asked.values())) * len(self._parts) > MOST_REPEATED:
            asked = self._run.once(asked)
        replies = self._run.each(_answer, self._parts, self._hashes, asked, self._turn)
        added: dict[int, bytes] = self._run.result(self._run.added(_merge_replies, replies))
        return added

    def release(self) -> None:
        """Let the workers forget the blocks."""
        self._parts = []


class Run:
    """The tasks of one step after the other on a cluster, with keys of their own."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._token = uuid4().hex
        self._steps = 0

    def each(self, function: Callable[..., Any], *values: Any) -> list[Any]:
        """A task for each partition: the values are sequences by partition, or one for all."""
        n = len(values[0])
        by_part = [v if isinstance(v, (list, range)) else [v] * n for v in values]
        return self._map(function, by_part, 0)

    def added(self, function: Callable[..., Any], found: Sequence[Any], *options: Any) -> Any:
        """The results of partitions, added in groups, and groups of groups."""
        while True:
            groups = [list(found[i : i + GROUP]) for i in range(0, len(found), GROUP)]
            found = self._map(function, [groups, *([o] * len(groups) for o in options)], FIRST)
            if len(found) == 1:
                return found[0]

    def once(self, value: Any) -> Any:
        """A value that many tasks take: sent once, and sent again if its worker is lost."""
        from dask import config

        with config.set({LARGE: "1 TiB"}):  # a layout has megabytes, and is sent once
            return self._map(_same, [[value]], FIRST)[0]

    def result(self, future: Any) -> Any:
        """The result of a task; what goes wrong with a cluster is one of our errors."""
        with cluster_errors():
            return future.result()

    def _map(self, function: Callable[..., Any], values: list[Any], priority: int) -> list[Any]:
        self._steps += 1
        name = f"plaintree{function.__name__}-{self._token}"
        futures: list[Any] = self.client.map(
            function,
            *values,
            key=[f"{name}-{self._steps}-{i}" for i in range(len(values[0]))],
            retries=RETRIES,
            priority=priority,
            pure=False,
        )
        return futures


def sample_rows(n_parts: int, n_columns: int) -> tuple[int, int]:
    """Rows of the sample of each partition, and of all together.

    >>> sample_rows(4, 20), sample_rows(100_000, 1_000)
    ((25000, 100000), (16, 16777))
    """
    together = min(SAMPLE_ROWS, SAMPLE_BYTES // (8 * max(1, n_columns)))
    return max(-(-together // n_parts), FEWEST_SAMPLED), together


# -------------------------------------------------------------------- the cluster


def checked_client(client: Any = None) -> Any:
    """The client, or the current one, if its workers can count."""
    from distributed import Client, get_client

    if client is None:
        try:
            client = get_client()
        except ValueError as error:
            raise ClusterError(
                "there is no Dask client",
                hint="start a cluster, as with "
                "client = distributed.Client(distributed.LocalCluster()).",
            ) from error
    if not isinstance(client, Client):
        raise ArgumentTypeError(
            "client is not a Dask client",
            got=f"an object of type {type(client).__name__}",
            hint="pass a distributed.Client, or None for the current one.",
        )
    if client.asynchronous:
        raise ArgumentTypeError(
            "the Dask client is asynchronous", hint="use Client(..., asynchronous=False)."
        )
    _check_workers(client)
    return client


def _check_workers(client: Any) -> None:
    def version() -> str | None:  # defined here, so workers need no plaintree to run it
        try:
            import plaintree._core
        except ImportError:
            return None
        return plaintree.__version__

    for worker, found in client.run(version).items():
        if found is None:
            raise _no_plaintree(worker)
        if found != __version__:
            raise ClusterError(
                f"the Dask worker {worker} has another version of plaintree",
                got=f"{found} there, and {__version__} here",
                hint="install the same version on all machines.",
            )


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Errors of the cluster as ours; those of the table come from the workers as they are."""
    from distributed import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            "Dask workers died again and again at the same task",
            got=str(error).split(".")[0],
            hint="mostly they lack memory: use smaller partitions, or workers with more memory.",
        ) from error
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "plaintree":
            raise
        raise _no_plaintree("") from error


def _no_plaintree(worker: str) -> ClusterError:
    return ClusterError(
        f"the Dask worker {worker} cannot import plaintree".replace("  ", " "),
        hint="install plaintree on all workers, for example with distributed.PipInstall.",
    )


def _changed(number: int) -> TableError:
    return TableError(
        f"partition {number} of the Dask table has other rows than before",
        got="other rows when it was computed again",
        hint="write the table to files first, or seed what is random in it.",
    )


# -------------------------------------------------------------------- on the workers


class EncodedPart:
    """The blocks of a partition, on the worker that has it.

    It remembers where its rows stand in each tree. That is not part of its value: a copy on
    another worker begins at the root, and follows all splits of the next request.
    """

    def __init__(self, number: int, blocks: list[NDArray[np.uint8]], facts: bytes) -> None:
        self.number, self.blocks, self.facts = number, blocks, facts
        self.table_hash: int = _core.describe_facts(facts)["table_hash"]
        self._forget()

    def _forget(self) -> None:
        self._lock = Lock()
        self._turn = 0
        self._states: dict[int, list[bytes]] = {}

    def __getstate__(self) -> tuple[int, list[NDArray[np.uint8]], bytes, int]:
        return self.number, self.blocks, self.facts, self.table_hash

    def __setstate__(self, state: tuple[int, list[NDArray[np.uint8]], bytes, int]) -> None:
        self.number, self.blocks, self.facts, self.table_hash = state
        self._forget()

    def __sizeof__(self) -> int:
        """The bytes, by which Dask decides what is moved and what is written to disk."""
        return sum(block.nbytes for block in self.blocks) + len(self.facts)

    def answer(self, requests: dict[int, bytes], turn: int) -> dict[int, bytes]:
        """Reply to the requests of a turn."""
        with self._lock:  # a task of an earlier turn may still run, whose reply nobody awaits
            states = self._states if turn >= self._turn else {}
        followed, replies = {}, {}
        for tree, request in requests.items():
            one_pass = _core.Pass(request)
            before = states.get(tree) or [b""] * len(self.blocks)
            followed[tree] = [
                one_pass.add(block, state)
                for block, state in zip(self.blocks, before, strict=True)
            ]
            replies[tree] = one_pass.reply()
        with self._lock:
            if turn >= self._turn:
                self._turn, self._states = turn, followed
        return replies


_ENCODER: list[tuple[Layout, Encoder]] = []
"""The last one used: its look-up tables serve all partitions of a table."""


def _part(frame: Any, number: int, reading: Reading) -> Part | None:
    return part_from(frame, reading, f"partition {number}")


def _survey(part: Part | None, number: int, reading: Reading, sample_rows: int) -> Survey:
    return Survey.of(part, reading, number, sample_rows)


def _merge_surveys(surveys: list[Survey], sample_rows: int) -> Survey:
    return Survey.merged(surveys, sample_rows)


def _same(value: Any) -> Any:
    return value


def _encode(
    part: Part | None, number: int, layout: Layout, first_row: int, expected: int
) -> EncodedPart:
    if part is None or len(part) != expected:
        raise _changed(number)
    pairs = list(_encoder(layout).blocks(part, first_row))
    blocks = [np.frombuffer(block, dtype=np.uint8) for block, _ in pairs]
    return EncodedPart(number, blocks, _core.merge_facts([facts for _, facts in pairs]))


def _encoder(layout: Layout) -> Encoder:
    for known, encoder in _ENCODER:
        if known is layout:
            return encoder
    encoder = layout.encoder()
    _ENCODER[:] = [(layout, encoder)]
    return encoder


def _facts_of(part: EncodedPart) -> tuple[bytes, dict[int, int]]:
    return part.facts, {part.number: part.table_hash}


def _merge_facts(found: list[tuple[bytes, dict[int, int]]]) -> tuple[bytes, dict[int, int]]:
    hashes = {number: own for _, hashes in found for number, own in hashes.items()}
    return _core.merge_facts([facts for facts, _ in found]), hashes


def _answer(
    part: EncodedPart, expected: int, requests: dict[int, bytes], turn: int
) -> dict[int, bytes]:
    if part.table_hash != expected:
        raise _changed(part.number)
    return part.answer(requests, turn)


def _merge_replies(replies: list[dict[int, bytes]]) -> dict[int, bytes]:
    return {tree: _core.merge_replies([own[tree] for own in replies]) for tree in replies[0]}
