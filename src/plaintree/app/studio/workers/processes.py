"""Worker processes as the server sees them: started, asked, killed."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from signal import SIGABRT, SIGKILL

import msgspec

from ..messages.documents import Failure
from . import frames
from .failures import out_of_memory

REPLIES = "plaintree.app.studio.replies"
STARTING_SECONDS = 60.0
ENDING_SECONDS = 1.0
_LAST_WORDS = 4_096
_NO_MEMORY = (b"memory allocation of", b"bad_alloc", b"MemoryError", b"annot allocate memory")


@dataclass(frozen=True)
class WorkerOptions:
    """How workers are started: the memory that each may take, and the module of the responses."""

    memory: int | None = None
    replies: str = field(default_factory=lambda: REPLIES)

    @property
    def command(self) -> list[str]:
        """The command line. ``-P``: nothing is imported from the current directory."""
        memory = [] if self.memory is None else ["--memory", str(self.memory)]
        module = ["-P", "-m", "plaintree.app.studio.workers.worker"]
        return [sys.executable, *module, "--replies", self.replies, *memory]


class WorkerProcess:
    """A worker process. One frame at a time is carried out; the caller sees to that."""

    def __init__(self, process: Process, options: WorkerOptions) -> None:
        self._process, self._options = process, options
        self._words = b""
        self._listening = asyncio.create_task(self._keep_last_words())
        self._is_ready = False

    @classmethod
    async def start(cls, options: WorkerOptions) -> WorkerProcess:
        """Start a process; it imports the package while others work."""
        process = await asyncio.create_subprocess_exec(
            *options.command, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        return cls(process, options)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.returncode is None

    async def carry_out(self, kind: bytes, content: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Send a frame; its progress, then its result or failure, as kinds and JSON.

        A process that ends without a response gives a failure too.
        """
        if not self._is_ready and not await self._became_ready():
            yield frames.LAST, await self._epitaph()
            return
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # both are pipes
        assert stdout is not None
        with suppress(ConnectionError):  # the process has ended, as the next lines will find
            stdin.write(frames.packed(kind, content))
            await stdin.drain()
        while (frame := await frames.receive_frame(stdout)) is not None:
            yield frame
            if frame[0] in frames.FINAL:
                return
        yield frames.LAST, await self._epitaph()

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        if self.alive:
            with suppress(ProcessLookupError):
                # Process.kill would take the exit code away from asyncio, which waits for it.
                os.kill(self.pid, SIGKILL)

    async def ended(self) -> None:
        """Wait for the end, after ``kill``; no zombie and no open pipe is left."""
        await self._process.wait()
        await self._listening
        transport = getattr(self._process, "_transport", None)
        if transport is not None:  # closes the pipes; asyncio has no public name for it
            transport.close()

    async def _became_ready(self) -> bool:
        stdout = self._process.stdout
        assert stdout is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(STARTING_SECONDS):
                frame = await frames.receive_frame(stdout)
            self._is_ready = frame == (frames.READY, b"")
        return self._is_ready

    async def _keep_last_words(self) -> None:
        """Read standard error, so the process never waits for a reader."""
        stderr = self._process.stderr
        assert stderr is not None
        while piece := await stderr.read(_LAST_WORDS):
            self._words = (self._words + piece)[-_LAST_WORDS:]

    async def _epitaph(self) -> bytes:
        """Why a process ended without a response, as the JSON of a failure."""
        with suppress(TimeoutError):  # it has closed its output, and is about to end
            await asyncio.wait_for(self._process.wait(), ENDING_SECONDS)
        self.kill()
        await self.ended()
        code = self._process.returncode
        out_of = code == -SIGABRT or any(word in self._words for word in _NO_MEMORY)
        if out_of and self._options.memory is not None:
            return msgspec.json.encode(out_of_memory(self._options.memory))
        last = self._words.decode(errors="replace").strip().rpartition("\n")[2]
        lost = Failure(
            what="the process that was at work has ended",
            got=(f"signal {-code}" if code and code < 0 else f"exit code {code}")
            + (f": {last[:500]}" if last else ""),
            hint="try again: the table is loaded again, and nothing of the tree is lost.",
            kind="lost",
        )
        return msgspec.json.encode(lost)
