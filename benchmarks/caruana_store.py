"""Finished work on disk, so that a run that was stopped can go on: one line of JSON per piece.

The first line holds the parameters of the run; a file of other parameters is refused. A line is
written whole and at once. A last line that was cut off while it was written is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from plaintree.errors import FileError

Record = dict[str, Any]
Key = tuple[str, int, str]


def key_of(record: Mapping[str, Any]) -> Key:
    """What tells one piece of work from all others."""
    return record["table"], record["repetition"], record["learner"]


@dataclass(frozen=True)
class Store:
    """A results file that was opened for a run."""

    path: Path
    records: dict[Key, Record]

    def add(self, record: Record) -> None:
        """Keep a finished piece; it is on disk when this returns."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.records[key_of(record)] = record


def open_store(path: Path, parameters: Mapping[str, Any], fresh: bool = False) -> Store:
    """The file's finished work, or a new file; ``fresh`` forgets what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wanted = json.loads(json.dumps(parameters))
    if fresh or not path.exists() or path.stat().st_size == 0:
        path.write_text(json.dumps({"parameters": wanted}) + "\n", encoding="utf-8")
        return Store(path, {})
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    lines = _parsed(path, whole)
    _check_parameters(path, lines, wanted)
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    return Store(path, {key_of(record): record for record in lines[1:]})


def _parsed(path: Path, content: bytes) -> list[Record]:
    """The lines of a file as objects."""
    try:
        return [json.loads(line) for line in content.splitlines()]
    except ValueError as error:
        raise FileError(
            f"{path} is no results file of this benchmark",
            got=f"a line that is no JSON ({error})",
            hint="name another file with --results, or begin anew with --fresh.",
        ) from None


def _check_parameters(path: Path, lines: list[Record], wanted: Record) -> None:
    """Refuse a file that was written with other parameters: its figures do not belong here."""
    there = lines[0].get("parameters", {}) if lines else {}
    if there == wanted:
        return
    names = [name for name in {**wanted, **there} if there.get(name) != wanted.get(name)]
    words = [f"{n} = {brief(there.get(n))}, now {brief(wanted.get(n))}" for n in names]
    raise FileError(
        f"{path} was written with other parameters",
        got="; ".join(words),
        hint="name another file with --results, or begin anew with --fresh.",
    )
