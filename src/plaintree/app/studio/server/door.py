"""The routes: messages to tables, uploads, stopping, being alive, and the files of the page.

The door knows requests and tables, and nothing of trees: it checks a message, finds its table, and
passes the JSON on to the table's worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ..messages import REQUESTS
from ..messages.documents import Failure, ProgressLine, Settings
from ..messages.documents import Request as Asked
from ..messages.nodes import CellsRequest
from ..messages.serving import AliveRequest, Ended, Stopped, StopRequest, Uploaded
from ..messages.tables import HelloRequest, OpenRequest
from ..messages.views import PruningRequest, QualityRequest
from ..workers import sources
from ..workers.failures import error_line, failure_of, progress_line, result_line
from ..workers.tables import Tables
from .guard import Guard, request_too_large
from .limits import REQUEST_BYTES, REQUEST_SECONDS
from .lines import MEDIA_TYPE, Lines
from .pages import NO_PAGE, Page
from .refusals import Refused
from .uploads import Uploads

HEARTBEAT = 5.0
"""Seconds between the lines of ``alive``."""
ALIVE = progress_line(msgspec.json.encode(ProgressLine(stage="alive", done=0, total=None)))
Struct = TypeVar("Struct", bound=Asked)


@dataclass(eq=False)
class Door:
    """What the routes need. ``ended`` is set when the server is about to end."""

    tables: Tables
    uploads: Uploads
    pages: Mapping[str, Page]
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    opened: list[msgspec.Raw] = field(default_factory=list)
    """Facts of the tables that the command line opened, as JSON."""
    begin: dict[str, Settings] = field(default_factory=dict)
    """Settings with which documents about a table begin, by its key."""
    _hello: dict[str, msgspec.Raw] | None = None

    def app(self, port: int, token: str) -> ASGIApp:
        """The application, behind its guard."""
        routes = [
            Route("/api/upload", self.upload, methods=["POST"]),
            Route("/api/stop", self.stop, methods=["POST"]),
            Route("/api/alive", self.alive, methods=["POST", "GET"]),
            Route("/api/{name}", self.message, methods=["POST"]),
            Route("/{path:path}", self.page, methods=["GET"]),
        ]
        app = Starlette(
            routes=routes,
            exception_handlers={Refused: _refused, HTTPException: _not_found, Exception: _bug},
        )
        app.router.redirect_slashes = False
        return Guard(app, port, token)  # outside of everything, also of the handler of errors

    # ---------------------------------------------------------------- messages

    async def message(self, request: Request) -> Response:
        """A message about a table, or ``hello``."""
        name, body = request.path_params["name"], await _body(request)
        if name not in REQUESTS:
            raise Refused.because(404, "there is no such message", got=name[:100])
        asked = decoded(body, REQUESTS[name][0])
        if isinstance(asked, HelloRequest):
            return _line(await self.hello(body))
        if isinstance(asked, OpenRequest):
            key, body = self._open(asked)
        else:
            key = _table_of(asked)
        if not self.tables.knows(key):
            return _line(error_line(_unknown(key)))
        test = asked.test if isinstance(asked, PruningRequest | QualityRequest) else None
        if test is not None and not self.tables.knows(test):
            return _line(error_line(_unknown(test)))
        work = self.tables.ask(key, name, body, test)
        return Lines(request, work.reply(), lambda: self.tables.abandon(key, work))

    async def hello(self, body: bytes = b"{}") -> bytes:
        """The response to ``hello``, found once; the tables that are open are added."""
        if self._hello is None:
            line = await self.tables.hello(body)
            reply = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            if "result" not in reply:
                return line
            self._hello = msgspec.json.decode(reply["result"], type=dict[str, msgspec.Raw])
        opened = {"opened": self.opened, "begin": self.begin}
        return result_line(msgspec.json.encode({**self._hello, **opened}))

    def _open(self, asked: OpenRequest) -> tuple[str, bytes]:
        """The key of the table to open, and the request with it."""
        if (asked.example is None) == (asked.key is None):
            raise Refused.because(400, "open needs an example or the key of an upload, not both")
        if asked.example is not None:
            source = sources.of_example(asked.example)
            self.tables.add(source)
            asked.key = source.key
        assert asked.key is not None
        return asked.key, msgspec.json.encode(asked)

    # ---------------------------------------------------------------- what the server does itself

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file."""
        name = request.query_params.get("name", "")
        source = await self.uploads.receive(name, _pieces(request))
        self.tables.add(source)
        return _line(result_line(msgspec.json.encode(Uploaded(key=source.key))))

    async def stop(self, request: Request) -> Response:
        """Stop the work on a table."""
        asked = decoded(await _body(request), StopRequest)
        stopped = Stopped(stopped=self.tables.stop(asked.key))
        return _line(result_line(msgspec.json.encode(stopped)))

    async def alive(self, request: Request) -> Response:
        """Lines of progress for as long as the server lives."""
        if request.method == "POST":
            decoded(await _body(request), AliveRequest)
        return Lines(request, self._heartbeats(), lambda: None)

    async def _heartbeats(self) -> AsyncIterator[bytes]:
        while not self.ended.is_set():
            yield ALIVE
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), HEARTBEAT)
        yield result_line(msgspec.json.encode(Ended(ended=True)))

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        path = request.scope["path"]
        if path in self.pages:
            return self.pages[path].response(request)
        if path == "/" and not self.pages:
            return HTMLResponse(NO_PAGE, status_code=503)
        raise Refused.because(404, "there is no such page")


# -------------------------------------------------------------------- reading requests


def decoded(body: bytes, kind: type[Struct]) -> Struct:
    """A request from its JSON; anything else is refused."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise Refused.because(
            400,
            "the message is not what this server expects",
            got=str(error).encode(errors="replace").decode()[:500],
            hint="reload the page, which may be older than the server.",
        ) from None


def _table_of(asked: Any) -> str:
    """The key of the table that a request is about."""
    table = asked.table if isinstance(asked, CellsRequest) else asked.document.table
    key: str = table.key
    return key


def _unknown(key: str) -> Failure:
    return Failure(
        what="this table is not open",
        got=key[:100],
        hint="open it again: the server was started again, or other uploads have taken its room.",
        kind="lost",
    )


async def _body(request: Request) -> bytes:
    """The body of a message, counted while it arrives."""
    pieces, size = [], 0
    async for piece in _pieces(request):
        size += len(piece)
        if size > REQUEST_BYTES:
            raise request_too_large()
        pieces.append(piece)
    return b"".join(pieces)


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body as it arrives; a piece that takes too long ends it."""
    stream = request.stream()
    while True:
        try:
            piece = await asyncio.wait_for(anext(stream), REQUEST_SECONDS)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused.because(408, "the request took too long to arrive") from None
        except ClientDisconnect:
            raise Refused.because(400, "the request ended early") from None
        yield piece


# -------------------------------------------------------------------- responses


def _line(line: bytes, status: int = 200) -> Response:
    return Response(line, status_code=status, media_type=MEDIA_TYPE)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    response = _line(error.line, error.status)
    response.headers["connection"] = "close"  # the rest of the body is not read
    return response


async def _not_found(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _line(error_line(Failure(what=str(error.detail))), error.status_code)


async def _bug(_: Request, error: Exception) -> Response:
    return _line(error_line(failure_of(error)), 500)
