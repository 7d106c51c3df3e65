"""The server of the studio: its socket, its token, its start and its end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe

import msgspec
import uvicorn

from plaintree.errors import ParameterError
from plaintree.estimators.registry import TaskName

from ..messages.documents import Failure, Settings
from ..messages.tables import OpenRequest
from ..workers.failures import error_of
from ..workers.processes import WorkerOptions
from ..workers.sources import Source
from ..workers.tables import Tables
from .connections import config_of
from .door import Door
from .limits import READING_SECONDS, TABLES
from .pages import STATIC, read_pages
from .uploads import Uploads

HOST = "127.0.0.1"
"""There is no option for another address: an SSH tunnel leads here from another computer."""
TOKEN_BYTES = 24


@dataclass(frozen=True)
class Preset:
    """A table that is open from the start: its target, and what a document about it begins with."""

    source: Source
    target: str | None = None
    settings: Settings | None = None
    task: TaskName | None = None
    drop: Sequence[str] = ()


@dataclass(frozen=True)
class ServerOptions:
    """How a server runs. ``port`` 0 takes any that is free."""

    port: int = 0
    workers: WorkerOptions = field(default_factory=WorkerOptions)
    static: Path = STATIC
    most_tables: int = TABLES
    reading_seconds: float = READING_SECONDS


class Server:
    """A server that listens from the beginning and responds while ``run`` runs."""

    def __init__(self, options: ServerOptions, presets: Sequence[Preset] = ()) -> None:
        self._options, self._presets = options, presets
        self._socket = listening(options.port)
        self.port: int = self._socket.getsockname()[1]
        self._uvicorn: uvicorn.Server | None = None
        self._token = token_urlsafe(TOKEN_BYTES)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[None] | None = None
        self._is_to_end = False

    @property
    def url(self) -> str:
        """The address of the page. The token behind # is not sent to any server by a browser."""
        return f"http://{HOST}:{self.port}/#t={self._token}"

    async def run(self, started: Callable[[], None]) -> None:
        """Open the preset tables, call ``started``, and respond until ``end`` is called.

        A table that cannot be opened raises the error that the other commands raise for it.
        """
        options, self._loop = self._options, asyncio.get_running_loop()
        tables = Tables(options.workers, options.most_tables, options.reading_seconds)
        uploads = Uploads(tables.forget)
        door = Door(tables, uploads, read_pages(options.static))
        self._uvicorn = _Uvicorn(config_of(door.app(self.port, self._token)), door)
        try:
            self._opening = asyncio.create_task(self._open(door))
            if self._is_to_end:  # before it began
                self._opening.cancel()
            await asyncio.wait([self._opening])
            if not self._is_to_end:
                self._opening.result()  # raises what has gone wrong
            if not self._is_to_end:
                started()
                await self._uvicorn.serve([self._socket])
        finally:
            self._socket.close()
            if not tables.closed:
                await tables.close()
            uploads.close()

    def end(self) -> None:
        """End the server soon. May be called from a signal handler and from other threads."""
        self._is_to_end = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    async def _open(self, door: Door) -> None:
        if not self._presets:
            await door.tables.start()
        for preset in self._presets:
            key = preset.source.key
            door.tables.add(preset.source)
            request = OpenRequest(
                key=key, target=preset.target, drop=list(preset.drop), task=preset.task
            )
            work = door.tables.ask(key, "open", msgspec.json.encode(request))
            lines = [line async for line in work.reply()]
            reply = msgspec.json.decode(lines[-1], type=dict[str, msgspec.Raw])
            if "error" in reply:
                raise error_of(msgspec.json.decode(reply["error"], type=Failure))
            door.opened.append(reply["result"])
            if preset.settings is not None:
                door.begin[key] = preset.settings


class _Uvicorn(uvicorn.Server):
    """uvicorn without signal handlers, which are the program's; streams end with it."""

    def __init__(self, config: uvicorn.Config, door: Door) -> None:
        super().__init__(config)
        self._door = door

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals as they are."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and work, which would go on otherwise."""
        self._door.ended.set()
        await self._door.tables.close()
        await super().shutdown(sockets)


def listening(port: int) -> socket.socket:
    """A socket that listens on this machine only."""
    # asyncio sets TCP_NODELAY only on sockets that name TCP; a short reply takes 45 ms without.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen()  # connections wait until the server replies
    except (OSError, OverflowError) as error:
        found.close()
        raise ParameterError(
            "the port cannot be used",
            got=f"port={port}",
            hint=f"port 0 takes any that is free ({getattr(error, 'strerror', None) or error}).",
        ) from error
    return found
