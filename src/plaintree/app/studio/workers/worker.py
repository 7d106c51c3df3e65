"""A worker process: it holds one table and carries out the requests about it, one after another.

``python -m plaintree.app.studio.workers.worker`` reads frames from standard input, writes frames to
standard output, and ends with standard input. A process can be killed in the middle of a fit,
which a thread cannot, and takes nothing else with it if it runs out of memory.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, BinaryIO

import msgspec

from plaintree.errors import MemoryLimitError

from ..messages import REQUESTS
from ..messages.documents import Failure, ProgressLine, Reply
from ..messages.tables import TableFacts
from ..server.limits import check_facts, check_upload
from . import frames
from .failures import failure_of, out_of_memory
from .sources import Source

BETWEEN_PROGRESS = 0.05
"""Seconds between two lines about one stage."""
PER_THREAD = 2**27
"""Address space that the C library reserves for a thread and does not use."""


def main(arguments: list[str] | None = None) -> None:
    """Carry out the frames of standard input."""
    parser = argparse.ArgumentParser(prog="plaintree.app.studio.workers.worker")
    parser.add_argument("--memory", type=int, default=None)
    parser.add_argument("--replies", default="plaintree.app.studio.replies")
    options = parser.parse_args(arguments)
    requests, output = _private_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends the workers
    waiting: SimpleQueue[tuple[bytes, bytes]] = SimpleQueue()
    Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    from plaintree.threads import default_jobs

    replies = import_module(options.replies)
    gc.freeze()  # modules stay, so no collection has to look through them
    limit_memory(options.memory)
    worker = Worker(replies, output, options.memory)
    with default_jobs(-1):  # nobody else is at work in this process
        worker.send(frames.READY)
        while True:
            worker.reply(*waiting.get())


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for frames alone: what anything prints goes to standard error."""
    requests, output = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(output, "wb")


def _listen(requests: BinaryIO, waiting: SimpleQueue[tuple[bytes, bytes]]) -> None:
    """Queue the frames; at their end the server is gone, and so is the worker, fit or no fit."""
    while (frame := frames.read_frame(requests)) is not None:
        waiting.put(frame)
    os._exit(0)


def limit_memory(n_bytes: int | None) -> None:
    """Let the process take so many bytes beyond what it has now, where the system can limit it."""
    if n_bytes is None or not sys.platform.startswith("linux"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    threads = len(os.sched_getaffinity(0))
    limit = pages * resource.getpagesize() + threads * PER_THREAD + n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Worker:
    """The table of a process, and how its responses are sent."""

    def __init__(self, replies: Any, output: BinaryIO, memory: int | None) -> None:
        self._replies, self._output, self._memory = replies, output, memory
        self._held = replies.Held()
        self._sources: list[Source] = []
        self._is_upload = False
        self._last_progress = ("", 0.0)

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """Send a frame."""
        self._output.write(frames.packed(kind, content))
        self._output.flush()

    def reply(self, kind: bytes, content: bytes) -> None:
        """Carry out a frame, and send its result or why there is none."""
        try:
            if kind == frames.ASK:
                done = self._reply(content)
            else:
                done = self._load(content, is_test=kind == frames.LOAD_TEST)
            self.send(frames.RESULT, done)
        except BaseException as error:  # polars raises panics that are no Exception
            if isinstance(error, MemoryError) and not isinstance(error, MemoryLimitError):
                self._end_without_memory()
            failure = self._named(failure_of(error))
            if failure.kind == "bug":
                traceback.print_exc()
            self.send(frames.FAILURE, msgspec.json.encode(failure))

    def _named(self, failure: Failure) -> Failure:
        """A failure with the name of the file that the page knows, in place of its path."""
        for source in self._sources:
            failure.what = failure.what.replace(source.path, source.name)
            failure.got = failure.got.replace(source.path, source.name)
        return failure

    def _end_without_memory(self) -> None:
        """Say so, and end: caches may be half filled, and a new process is sure to be clean."""
        self._held = None
        self.send(frames.LAST, msgspec.json.encode(out_of_memory(self._memory)))
        os._exit(1)

    def _load(self, content: bytes, *, is_test: bool) -> bytes:
        source = msgspec.json.decode(content, type=Source)
        if not is_test:
            self._held, self._sources = self._replies.Held(), []
        if source.path:
            self._sources.append(source)
        if source.kind == "upload":
            check_upload(source.path, source.name)
        if is_test:
            self._held.load_test(source.key, source.path, source.name)
            return b"null"
        if source.kind == "example":
            self._held.load_example(source.key, source.name, source.recipe)
        else:
            self._held.load_file(source.key, source.path, source.name, source.recipe)
        self._is_upload = source.kind == "upload"
        return b"null"

    def _reply(self, content: bytes) -> bytes:
        name, _, body = content.partition(b"\n")
        asked, _ = REQUESTS[name.decode()]
        request = msgspec.json.decode(body, type=asked)
        reply: Reply = self._replies.reply(self._held, name.decode(), request, self._progress)
        if isinstance(reply, TableFacts) and self._is_upload:
            check_facts(reply.n_rows, len(reply.columns))
        return msgspec.json.encode(reply)

    def _progress(self, stage: str, done: int, total: int | None) -> None:
        """Send the progress, but not more often than anyone can see."""
        now, (last_stage, last) = monotonic(), self._last_progress
        if stage != last_stage or now - last >= BETWEEN_PROGRESS:
            self._last_progress = (stage, now)
            line = ProgressLine(stage=stage, done=int(done), total=total)
            self.send(frames.PROGRESS, msgspec.json.encode(line))


if __name__ == "__main__":
    main()
