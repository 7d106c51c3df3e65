"""A studio in tests: a server with stand-in replies, asked by a client or over a raw socket."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx

from plaintree.app.studio.server.server import Preset, Server, ServerOptions
from plaintree.app.studio.workers.processes import WorkerOptions

STAND_IN = "tests.support.studio_replies"
ROOT = str(Path(__file__).resolve().parents[2])


class Studio:
    """A running server."""

    def __init__(self, server: Server) -> None:
        self.server, self.port = server, server.port
        self.token = server.url.rpartition("=")[2]
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            headers={"X-Plaintree-Token": self.token},
            timeout=30,
        )

    def post(self, name: str, body: Any, **headers: str) -> httpx.Response:
        """Send a message; a body that is not bytes is sent as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"content-type": "application/json", **headers}
        return self.client.post(f"/api/{name}", content=content, headers=sent)

    def ask(self, name: str, body: Any) -> dict[str, Any]:
        """The last line of the reply to a message."""
        return lines_of(self.post(name, body))[-1]

    def result(self, name: str, body: Any) -> Any:
        """The reply to a message that has one."""
        last = self.ask(name, body)
        assert "result" in last, last
        return last["result"]

    def error(self, name: str, body: Any) -> Any:
        """The failure of a message that has none."""
        last = self.ask(name, body)
        assert "error" in last, last
        return last["error"]

    def upload(self, name: str, content: Any, **headers: str) -> httpx.Response:
        """Upload a file."""
        sent = {"content-type": "application/octet-stream", **headers}
        return self.client.post("/api/upload", params={"name": name}, content=content, headers=sent)

    def open(self, example: str) -> str:
        """Open a bundled table; its key."""
        key: str = self.result("open", {"example": example})["key"]
        return key

    def raw(self, request: bytes, timeout: float = 5.0) -> bytes:
        """Everything that the server replies to some bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            received = b""
            with suppress(OSError):  # refused before all was sent
                connection.sendall(request)
            with suppress(ConnectionResetError, TimeoutError):
                while piece := connection.recv(65_536):
                    received += piece
        return received

    def request(self, line: str, body: bytes = b"", **headers: str) -> bytes:
        """A request with good headers, of which some are replaced, as bytes; "" leaves one out."""
        given = {
            "host": f"127.0.0.1:{self.port}",
            "x-plaintree-token": self.token,
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        return f"{line} HTTP/1.1\r\n{head}\r\n".encode() + body

    def status(self, line: str, body: bytes = b"", **headers: str) -> int:
        """The status of the response to such a request."""
        return status_of(self.raw(self.request(line, body, **headers)))


@contextmanager
def running(presets: tuple[Preset, ...] = (), **options: Any) -> Iterator[Studio]:
    """A server in a thread; its workers find the stand-in in the checkout."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = ROOT
    memory = options.pop("memory", None)
    workers = WorkerOptions(memory, STAND_IN)
    server = Server(ServerOptions(workers=workers, **options), presets)
    studio = Studio(server)
    started, errors = Event(), []

    def run() -> None:
        try:
            asyncio.run(server.run(started.set))
        except BaseException as error:
            errors.append(error)
        finally:
            started.set()

    thread = Thread(target=run)
    thread.start()
    try:
        started.wait()
        if not errors:
            yield studio
    finally:
        server.end()
        thread.join(20)
        studio.client.close()
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    assert not thread.is_alive()
    if errors:
        raise errors[0]


def lines_of(response: httpx.Response) -> list[dict[str, Any]]:
    """The lines of an reply."""
    return [json.loads(line) for line in response.text.splitlines()]


def status_of(response: bytes) -> int:
    """The status of a response; 0 if there is none."""
    return int(response.split(b" ", 2)[1]) if response.startswith(b"HTTP/1.1 ") else 0


def document(key: str, learner: str = "id3", **parameters: Any) -> dict[str, Any]:
    """A document about a table, whose learner says what the stand-in does."""
    table = {"key": key, "hash": "1234", "name": "golf", "target": "play"}
    return {"table": table, "settings": {"learner": learner, "parameters": parameters}}


def tree(key: str, learner: str = "id3", **parameters: Any) -> dict[str, Any]:
    """A request for a tree."""
    return {"document": document(key, learner, **parameters)}


def begun(studio: Studio, key: str, learner: str = "slow", **parameters: Any) -> Any:
    """A request in a thread, after the first line of its reply; its lines so far."""
    lines: list[str] = []

    def ask() -> None:
        body = tree(key, learner, **parameters)
        with studio.client.stream("POST", "/api/tree", json=body) as response:
            lines.extend(response.iter_lines())

    thread = Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    return thread, lines


def last(lines: list[str]) -> Any:
    """The last of the lines of an reply."""
    return lines_of(httpx.Response(200, text="\n".join(lines)))[-1]


def uploaded(studio: Studio, content: bytes = b"x,y\n1,2\n", name: str = "a.csv") -> str:
    """The key of a file that was uploaded."""
    key: str = studio.upload(name, content).json()["result"]["key"]
    return key
