"""Clusters of Dask: the client, what its workers have installed, its tasks and its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4
from weakref import WeakSet

from plaintree import __version__
from plaintree.errors import ArgumentTypeError, PlaintreeError

GROUP = 8
"""So many results are added in one task."""
RETRIES = 2
"""How often reading a partition is tried again, as storage may fail at times."""
FIRST = 100
"""The priority of adding: results are added before more of them are made."""
LARGE = "distributed.admin.large-graph-warning-threshold"


class Steps:
    """Tasks on a cluster, step by step; each has a key of its own."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._token = uuid4().hex
        self._n_steps = 0
        self._futures: WeakSet[Any] = WeakSet()

    def each(self, function: Callable[..., Any], *values: Any) -> list[Any]:
        """A task for each partition: the values are lists by partition, or one for all."""
        n = len(values[0])
        return self._map(function, [v if isinstance(v, list) else [v] * n for v in values], 0)

    def added(self, function: Callable[..., Any], found: Sequence[Any], *options: Any) -> Any:
        """The results of partitions, added in groups, and groups of groups."""
        while True:
            groups = [list(found[i : i + GROUP]) for i in range(0, len(found), GROUP)]
            found = self._map(function, [groups, *([o] * len(groups) for o in options)], FIRST)
            if len(found) == 1:
                return found[0]

    def once(self, function: Callable[..., Any], value: Any) -> Any:
        """A value that many tasks take: sent once, and sent again if its worker is lost."""
        from dask import config

        with config.set({LARGE: "1 TiB"}):  # a layout has megabytes
            return self._map(function, [[value]], FIRST)[0]

    def result(self, future: Any) -> Any:
        """The result of a task; after an error or Ctrl-C, the workers forget all of them."""
        try:
            with cluster_errors():
                return future.result()
        except BaseException:
            self.release()  # the client keeps the error, whose traceback keeps the futures
            raise

    def release(self) -> None:
        """Let the workers forget all results."""
        for future in list(self._futures):
            future.release()

    def _map(self, function: Callable[..., Any], values: list[Any], priority: int) -> list[Any]:
        self._n_steps += 1
        name = f"plaintree-{function.__name__}-{self._token}-{self._n_steps}"
        futures: list[Any] = self.client.map(
            function,
            *values,
            key=[f"{name}-{i}" for i in range(len(values[0]))],
            priority=priority,
            pure=False,
        )
        self._futures.update(futures)
        return futures


def checked_client(client: Any = None) -> Any:
    """The client, or else the current one; all its workers have this version of plaintree."""
    from distributed import Client, get_client

    if client is None:
        try:
            client = get_client()
        except ValueError as error:
            raise PlaintreeError(
                "there is no Dask client",
                hint="start one, such as client = distributed.Client(distributed.LocalCluster()).",
            ) from error
    if not isinstance(client, Client):
        raise ArgumentTypeError(
            "client is not a Dask client",
            got=f"an object of type {type(client).__name__}",
            hint="pass a distributed.Client, or None for the current one.",
        )
    if client.asynchronous:
        raise ArgumentTypeError(
            "client is asynchronous, and fit waits for results",
            hint="make it with asynchronous=False.",
        )
    if client.status != "running":
        raise PlaintreeError(
            "the Dask client is not connected", got=client.status, hint="start another one."
        )
    _check_workers(client)
    return client


def _check_workers(client: Any) -> None:
    def version() -> str | None:  # a closure is sent whole, so workers can run it without plaintree
        try:
            from plaintree import __version__ as found
        except ImportError:
            return None
        return found

    for worker, found in client.run(version).items():
        if found is None:
            raise _no_plaintree(f"the Dask worker {worker}")
        if found != __version__:
            raise PlaintreeError(
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
        raise PlaintreeError(
            "Dask workers died several times at the same task",
            got=str(error).split(".")[0],
            hint="if they lack memory, use smaller partitions; "
            "distributed.scheduler.allowed-failures is the number of deaths.",
        ) from error
    except ModuleNotFoundError as error:  # on a worker that came later
        if (error.name or "").split(".")[0] != "plaintree":
            raise
        raise _no_plaintree("a Dask worker") from error


def _no_plaintree(worker: str) -> PlaintreeError:
    return PlaintreeError(
        f"{worker} cannot import plaintree",
        hint="install plaintree on all workers, as with distributed.PipInstall.",
    )
