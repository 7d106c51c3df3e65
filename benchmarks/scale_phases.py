"""Where the time of growing from a table in parts goes: its phases, timed from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from plaintree import _core

ONCE = ("read", "grow", "survey", "encode")
"""Phases that are no passes over encoded rows."""


@dataclass
class Phases:
    """Seconds of CPU and on the wall of each phase, and how often it came.

    ``clock``: the CPU seconds so far, of all processes that work.
    """

    clock: Callable[[], float] = time.process_time
    cpu: dict[str, float] = field(default_factory=dict)
    wall: dict[str, float] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    reply_bytes: int = 0

    def timed(self, name: str, work: Any, *given: Any) -> Any:
        """Do the work, and add its time to a phase."""
        wall, cpu = time.perf_counter(), self.clock()
        try:
            return work(*given)
        finally:
            self.cpu[name] = self.cpu.get(name, 0.0) + self.clock() - cpu
            self.wall[name] = self.wall.get(name, 0.0) + time.perf_counter() - wall
            self.times[name] = self.times.get(name, 0) + 1

    def as_dict(self) -> dict[str, Any]:
        """What was timed, as plain data."""
        return {
            "cpu": self.cpu,
            "wall": self.wall,
            "times": self.times,
            "reply_bytes": self.reply_bytes,
        }

    @property
    def passes(self) -> int:
        """How often all blocks were asked."""
        return sum(n for name, n in self.times.items() if name not in ONCE)


class TimedTable:
    """A table in parts, whose phases are timed."""

    def __init__(self, table: Any, phases: Phases) -> None:
        self._table = table
        self._phases = phases
        self.reading = table.reading
        self.limits = table.limits

    def survey(self, *given: Any) -> Any:
        """Look at all parts."""
        return self._phases.timed("survey", self._table.survey, *given)

    def encoded(self, *given: Any) -> TimedSource:
        """Encode all parts."""
        source = self._phases.timed("encode", self._table.encoded, *given)
        return TimedSource(source, self._phases)

    def release(self) -> None:
        """Give back what a survey keeps."""
        if hasattr(self._table, "release"):
            self._table.release()


class TimedSource:
    """A source of counts, whose replies are timed by what was asked for."""

    def __init__(self, source: Any, phases: Phases) -> None:
        self._source = source
        self._phases = phases
        self.facts = source.facts
        self.passes_are_jobs = getattr(source, "passes_are_jobs", False)

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """Ask the source."""
        name = " + ".join(sorted({kind_of(request) for request in requests.values()}))
        replies: dict[int, bytes] = self._phases.timed(name, self._source.answer, requests)
        self._phases.reply_bytes += sum(map(len, replies.values()))
        return replies

    def release(self) -> None:
        """Give back files and memory."""
        self._source.release()


def kind_of(request: bytes) -> str:
    """What a request asks for most."""
    asked = _core.describe_request(request)
    return next((kind for kind in ("gather", "look", "count") if asked[kind]), "sums")


def phase_rows(answer: Mapping[str, Any], n_values: int) -> Iterator[tuple[str, ...]]:
    """What is shown of each phase: name, times, CPU and wall seconds, CPU by value each time."""
    phases = answer["phases"]
    cpu, wall, times = dict(phases["cpu"]), dict(phases["wall"]), dict(phases["times"])
    cpu["the rest"] = answer["cpu"] - sum(cpu.values())
    wall["the rest"] = answer["wall"] - sum(wall.values())
    times["the rest"] = 1
    for name, seconds in cpu.items():
        each = seconds / times[name] / n_values * 1e9
        yield (name, str(times[name]), f"{seconds:.2f}", f"{wall[name]:.2f}", f"{each:.2f}")


PHASE_NUMBERS = ("times", "CPU s", "wall s", "ns a value")
"""The titles of the columns of :func:`phase_rows` after the name."""
