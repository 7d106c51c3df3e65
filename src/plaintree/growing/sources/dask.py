"""Tables of Dask, and growing from them: partitions are encoded and counted where they are.

Every step is tasks with keys of their own, one a partition, and replies are added in groups on the
workers. A lost partition is loaded and encoded again; where its rows stand in the tree follows
from the next request. So workers may come, go and fail, and the tree does not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plaintree.data.parts import Reading
from plaintree.data.survey import SAMPLE_ROWS, Survey
from plaintree.data.table import check_names
from plaintree.errors import ArgumentTypeError, ColumnError, TableError, nearest
from plaintree.growing.blocks import Layout
from plaintree.growing.counts import ENCODING, SURVEYING
from plaintree.growing.limits import Limits
from plaintree.progress import Progress, no_progress

from . import dask_tasks as tasks
from .dask_cluster import RETRIES, Steps, checked_client

SAMPLE_BYTES = 128 * 2**20
"""Of the sample of all partitions together, which the driver holds."""
FEWEST_SAMPLED = 16
"""Rows of a partition in the sample, with however many partitions."""
GATHERED_BYTES = 256 * 2**20
"""Of the rows that the driver finishes in memory at once; growing takes some times as much."""
MOST_REPEATED = 2**18
"""Bytes of requests that are sent with all tasks together; more are sent once."""


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
        self._surveyed: tuple[Reading, Steps, list[Any]] | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        numeric_target: bool = False,
        client: Any = None,
    ) -> DaskTable:
        """The table of features with their target and weights: columns of X, or Series like it."""
        check_frame(X)
        X = _with_text_names(X)
        _check_categories(X)
        frame, target = _with_column(X, y, "y", "target" if numeric_target else "class")
        weights = None
        if sample_weight is not None:
            frame, weights = _with_column(frame, sample_weight, "sample_weight", "sample_weight")
        features = tuple(name for name in X.columns if name not in (target, weights))
        reading = Reading(target, features, weights, numeric_target)
        return cls(frame, reading, client)

    def survey(self, reading: Reading, report: Progress = no_progress) -> Survey:
        """Look at every partition."""
        steps = Steps(checked_client(self._client))
        parts = self._read(steps, reading)
        each, together = sample_rows(len(parts), len(self._columns(reading)))
        surveys = steps.each(tasks.look_at, parts, list(range(len(parts))), reading, each)
        survey: Survey = steps.result(steps.added(tasks.merge_surveys, surveys, together))
        self._surveyed = (reading, steps, parts)
        report(SURVEYING, survey.n_rows, survey.n_rows)
        return survey

    def limits(self, survey: Survey) -> Limits:
        """The usual ones, with fewer rows finished on the driver where rows are wide."""
        row_bytes = sum(column.dtype.itemsize for column in survey.columns)
        usual = Limits()
        fitting = GATHERED_BYTES // max(1, row_bytes)
        return replace(usual, gather_rows=min(usual.gather_rows, fitting))

    def encoded(
        self, layout: Layout, survey: Survey, limits: Limits, report: Progress = no_progress
    ) -> DaskBlocks:
        """Encode every partition where it is."""
        del limits
        if self._surveyed is not None and self._surveyed[0] == layout.reading:
            _, steps, parts = self._surveyed
        else:
            steps = Steps(checked_client(self._client))
            parts = self._read(steps, layout.reading)
        self._surveyed = None
        filled = [number for number, n_rows in sorted(survey.rows.items()) if n_rows]
        encoded = steps.each(
            tasks.encode,
            [parts[number] for number in filled],
            filled,
            steps.once(tasks.share, layout),
            [survey.first_rows[number] for number in filled],
            [survey.rows[number] for number in filled],
        )
        del parts  # each is forgotten once it is encoded
        blocks = DaskBlocks(steps, encoded)
        report(ENCODING, survey.n_rows, survey.n_rows)
        return blocks

    def release(self) -> None:
        """Let the workers forget what was read, if it will not be encoded."""
        if self._surveyed is not None:
            self._surveyed[1].release()
            self._surveyed = None

    def _read(self, steps: Steps, reading: Reading) -> list[Any]:
        """Read every partition; they stay on the workers until they are encoded."""
        frame = self._frame
        columns = self._columns(reading)
        if columns != list(frame.columns):
            frame = frame[columns]
        frames = steps.client.compute(frame.to_delayed(), retries=RETRIES)
        return steps.each(tasks.read, frames, list(range(len(frames))), reading)

    def _columns(self, reading: Reading) -> list[Any]:
        """The columns that are read; reading a partition finds that others are absent."""
        names = list(self._frame.columns)
        if reading.features is None:
            return names
        needed = {*reading.features, reading.target, reading.weights}
        return [name for name in names if name in needed]


class DaskBlocks:
    """The blocks of a Dask table; those of a partition are one result on a worker."""

    facts: bytes

    def __init__(self, steps: Steps, parts: list[Any]) -> None:
        self._steps = steps
        self._parts = parts
        self._turn = 0
        found = steps.added(tasks.merge_facts, steps.each(tasks.facts_of, parts))
        self.facts, hashes = steps.result(found)
        self._hashes = [own for _, own in sorted(hashes.items())]

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Ask every partition, and add their replies."""
        self._turn += 1
        asked: Any = dict(requests)
        if sum(map(len, asked.values())) * len(self._parts) > MOST_REPEATED:
            asked = self._steps.once(tasks.hand_on, asked)
        replies = self._steps.each(tasks.count, self._parts, self._hashes, asked, self._turn)
        added: tasks.Replies = self._steps.result(self._steps.added(tasks.merge_replies, replies))
        return {tree: reply.tobytes() for tree, reply in added.items()}

    def release(self) -> None:
        """Let the workers forget the blocks."""
        self._parts = []
        self._steps.release()


def sample_rows(n_parts: int, n_columns: int) -> tuple[int, int]:
    """The maximum rows in the sample of each partition, and of all together.

    >>> sample_rows(4, 20), sample_rows(100_000, 1_000)
    ((25000, 100000), (16, 16777))
    """
    together = min(SAMPLE_ROWS, SAMPLE_BYTES // (8 * max(1, n_columns)))
    return max(-(-together // n_parts), FEWEST_SAMPLED), together


# -------------------------------------------------------------------- collections


def is_dask(table: Any) -> bool:
    """Whether a table is a collection of Dask, which may not be installed."""
    return hasattr(table, "__dask_graph__") and table.__dask_graph__ is not None


def _with_column(X: Any, values: Any, what: str, default: str) -> tuple[Any, str]:
    """The frame with a column of its own or of a Series, and the name of that column."""
    names = list(X.columns)
    if isinstance(values, str | int):
        if str(values) not in names:
            raise ColumnError(
                f"{what} names a column that X does not have",
                got=repr(values),
                hint=nearest(str(values), names) or "check the spelling.",
            )
        return X, str(values)
    if not is_dask(values) or not hasattr(values, "to_frame"):
        raise ArgumentTypeError(
            f"{what} is not a Dask Series, as X is a Dask DataFrame",
            got=f"an object of type {type(values).__name__}",
            hint="pass a column of the same DataFrame, or its name.",
        )
    name = default if values.name is None else str(values.name)
    if name in names:
        raise ColumnError(
            f"{what} has the name of a feature",
            got=repr(name),
            hint=f"drop the column from X, or pass {what}={name!r}.",
        )
    return _joined(X, values, name, what), name


def _joined(X: Any, values: Any, name: str, what: str) -> Any:
    """The frame with a Series as one more column, row by row."""
    divided = X.known_divisions and values.known_divisions and X.divisions != values.divisions
    if X.npartitions != values.npartitions or divided:
        raise TableError(
            f"X and {what} are not divided into the same partitions",
            got=f"{X.npartitions} and {values.npartitions} partitions"
            + ", which begin at other rows" * divided,
            hint="take both from one DataFrame, or give both the same partitions.",
        )
    meta = _beside(X._meta, values._meta, name, what)
    return X.map_partitions(_beside, values, name, what, meta=meta, align_dataframes=False)


def _beside(X: Any, values: Any, name: str, what: str) -> Any:
    if len(X) != len(values):
        raise TableError(
            f"X and {what} have partitions of different lengths",
            got=f"{len(X)} and {len(values)} rows",
            hint="take both from one DataFrame.",
        )
    return X.assign(**{name: values.array})


def check_frame(X: Any) -> None:
    """Refuse other collections of Dask."""
    if not hasattr(X, "columns") or not hasattr(X, "to_delayed"):
        raise ArgumentTypeError(
            "X is not a Dask DataFrame",
            got=f"an object of type {type(X).__name__}",
            hint="convert arrays with dask.dataframe.from_dask_array(X, columns=[...]).",
        )


def _with_text_names(X: Any) -> Any:
    """The frame with names that are strings and distinct, as tables in memory have them."""
    names = list(map(str, X.columns))
    check_names(names)
    return X if names == list(X.columns) else X.rename(columns=str)


def _check_categories(X: Any) -> None:
    unknown = [
        name
        for name, dtype in X.dtypes.items()
        if str(dtype) == "category" and not X[name].cat.known
    ]
    if unknown:
        raise ColumnError(
            f"the categories of column {unknown[0]!r} are not known",
            hint="use X.categorize(), so all partitions declare the same categories.",
        )
