"""Documents and questions of the studio, asked without a server."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from plaintree.app.studio.messages import REQUESTS
from plaintree.app.studio.messages.documents import (
    Document,
    Settings,
    Split,
    SplitEdit,
    TableReference,
)
from plaintree.app.studio.replies import Held, reply


def held_example(name: str) -> Held:
    held = Held()
    held.load_example(name, name)
    return held


def held_frame(frame: pl.DataFrame, directory: Path, name: str = "table.csv") -> Held:
    """A table as a worker gets it: from a file."""
    path = directory / name
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(path)
    held = Held()
    held.load_file("key", str(path), name)
    return held


def document(
    held: Held, target: str | None = None, edits: Any = (), task: str | None = None, **settings: Any
) -> Document:
    opened = held.opened
    chosen = target or opened.target or opened.table.names[-1]
    reference = TableReference(
        key=opened.key,
        hash=opened.hash,
        name=opened.name,
        target=chosen,
        task=task or "classification",  # type: ignore[arg-type]  # one of both
    )
    return Document(table=reference, settings=Settings(**settings), edits=list(edits))


def ask(held: Held, name: str, **given: Any) -> Any:
    """The reply to a message, checked for its type."""
    request, kind = REQUESTS[name]
    found = reply(held, name, request(**given), lambda *_: None)
    assert isinstance(found, kind)
    return found


def by_column(at: list[int], column: str, **split: Any) -> SplitEdit:
    return SplitEdit(at=at, split=Split(column=column, **split))


def random_frame(seed: int, n_rows: int = 60, *, gaps: bool = True) -> pl.DataFrame:
    """Numbers and categories, some missing; the target follows from them with noise."""
    random = Random(seed)
    rows = []
    for _ in range(n_rows):
        x, z = random.randint(0, 9), random.gauss(0, 3)
        colour = random.choice(["red", "green", "blue", "grey"])
        score = x + 2 * (colour == "red") + random.gauss(0, 1.5)
        rows.append([x, round(z, 2), colour, random.random() < 0.5, "yes" if score > 5 else "no"])
    for row in rows if gaps else []:
        for place in range(3):
            if random.random() < 0.08:
                row[place] = None
    names = ["x", "z", "colour", "flag", "class"]
    return pl.DataFrame(rows, schema=names, orient="row")
