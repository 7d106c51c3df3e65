"""Responses that are sent line by line, compressed, and given up when the reader goes."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "application/x-ndjson"
SMALL = 1_400
"""Responses of so many bytes fit one packet; compressing them gains nothing."""
_GZIP = 31
_LEVEL = 4
_IN_THREAD = 50_000
"""More bytes than this are compressed in a thread, so other requests go on."""


class Lines(Response):
    """A response of lines that come one after another; ``left`` is called if the reader goes."""

    def __init__(
        self, request: Request, lines: AsyncIterator[bytes], left: Callable[[], None]
    ) -> None:
        super().__init__(media_type=MEDIA_TYPE)
        del self.headers["content-length"]
        self._lines, self._left = lines, left
        self._takes_gzip = takes_gzip(request)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_disconnected(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not sending.done():
                self._left()
            for task in (sending, leaving):
                task.cancel()
            found = await asyncio.gather(sending, leaving, return_exceptions=True)
        if isinstance(found[0], Exception) and not isinstance(found[0], OSError):
            raise found[0]  # an OSError: the reader has gone

    async def _send(self, send: Send) -> None:
        async with aclosing(self._lines) as lines:  # type: ignore[type-var]  # is a generator
            first = await anext(lines)
            compress = self._takes_gzip and (len(first) > SMALL or first.startswith(b'{"progress"'))
            if compress:
                self.headers["content-encoding"] = "gzip"
            self.headers["vary"] = "Accept-Encoding"
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            packer = zlib.compressobj(_LEVEL, wbits=_GZIP) if compress else None
            await send(_piece(await _packed(packer, first), more=True))
            async for line in lines:
                await send(_piece(await _packed(packer, line), more=True))
            await send(_piece(packer.flush() if packer else b"", more=False))


def takes_gzip(request: Request) -> bool:
    """Whether the reader accepts gzip."""
    offered = request.headers.get("accept-encoding", "").lower().split(",")
    return any(coding.split(";")[0].strip() == "gzip" for coding in offered)


def _piece(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _packed(packer: Any, line: bytes) -> bytes:
    """A line, compressed so far that it can be read at once."""
    if packer is None:
        return line

    def pack() -> bytes:
        packed: bytes = packer.compress(line) + packer.flush(zlib.Z_SYNC_FLUSH)
        return packed

    return await asyncio.to_thread(pack) if len(line) > _IN_THREAD else pack()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
