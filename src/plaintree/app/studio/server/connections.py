"""Connections of the server: uvicorn's, with time limits for requests that do not arrive."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import CONNECTIONS, HEADER_BYTES, HEADER_SECONDS

_QUIET = logging.getLogger("plaintree.studio")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False


class Connection(H11Protocol):
    """A connection that is closed if the head of a request does not arrive in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.logger = _QUIET  # garbage on a connection is nothing that a user can act on
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on waiting if there is the beginning of a request only."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def config_of(app: Any) -> uvicorn.Config:
    """How uvicorn runs the application: quietly, without proxies and websockets."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=HEADER_BYTES,
        timeout_keep_alive=int(HEADER_SECONDS),
        timeout_graceful_shutdown=1,
    )
