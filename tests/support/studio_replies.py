"""Stand-in for the replies of the studio: as slow, greedy or broken as a test wants.

A worker of the studio imports it by its name. Which behaviour is wanted is in the document's
learner, so all goes through the messages that the page sends.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plaintree as pt
from plaintree.app.studio import messages as m
from plaintree.app.studio.messages.documents import Recipe
from plaintree.app.studio.messages.nodes import TreeFacts
from plaintree.app.studio.messages.tables import Palette, TableFacts
from plaintree.errors import FileError, MissingFileError, ParameterError

Progress = Callable[[str, int, int | None], None]


class Held:
    """A table: only its name, its number of rows, and how often it was asked."""

    def __init__(self) -> None:
        self.key, self.name, self.n_rows, self.asked = "", "", 0, 0
        self.tests: list[str] = []

    def load_example(self, key: str, name: str, recipe: Any) -> None:
        if name not in ("golf", "tennis"):
            raise ParameterError("there is no such example", got=name)
        self.key, self.name, self.n_rows, self.recipe = key, name, 14, recipe

    def load_file(self, key: str, path: str, name: str, recipe: Any) -> None:
        if not Path(path).exists():
            raise MissingFileError(f"there is no file {name}")
        for column, kind in recipe.types.items():
            raise ParameterError("the table has no such column", got=f"types={column}={kind}")
        content = Path(path).read_bytes()
        if content.startswith(b"slow"):
            time.sleep(30)
        if content.startswith(b"bad"):
            raise FileError(f"{path} does not match its extension")
        self.key, self.name, self.n_rows = key, name, content.count(b"\n")
        self.recipe = recipe

    def load_test(self, key: str, path: str, name: str) -> None:
        assert Path(path).suffix == Path(name).suffix
        self.tests.append(key)


def reply(held: Held, name: str, request: Any, progress: Progress) -> Any:
    """Reply a request; the learner of its document says how."""
    held.asked += 1
    if name == "hello":
        palette = Palette(classes=["#000"], classes_dark=["#fff"], rest="#777")
        return m.Hello(
            version=pt.__version__,
            learners=[],
            examples=[],
            opened=[],
            exports=[],
            palette=palette,
            markers=["o"],
        )
    if name == "open":
        return _facts(held, request.target, request.recipe or held.recipe)
    if name == "tree":
        return _tree(held, request.document.settings, progress)
    if name == "rows":
        return m.Rows(rows=[held.asked, os.getpid()], weights=[1.0], divided=False)
    if name == "quality":
        raise ParameterError("the tables to test on", got=f"tests={','.join(held.tests)}")
    raise ParameterError("the stand-in does not reply this", got=name)


def _facts(held: Held, target: str | None, recipe: Recipe) -> TableFacts:
    if target == "nothing":
        raise ParameterError("there is no column", got="target=nothing", hint="use play.")
    return TableFacts(
        key=held.key,
        hash="1234",
        name=held.name,
        n_rows=held.n_rows,
        target=target or "play",
        task="classification",
        columns=[],
        drop=[],
        recipe=recipe,
        is_text=True,
        classes=["no", "yes"],
        class_counts=[5, 9],
        findings=[],
    )


def _tree(held: Held, settings: m.documents.Settings, progress: Progress) -> m.TreeColumns:
    behaviour, parameters = settings.learner, settings.parameters
    if behaviour == "slow":
        for i in range(int(parameters["seconds"] / 0.05)):
            progress("growing", i, None)
            time.sleep(0.05)
    elif behaviour == "forest":  # really at work, in the core
        X, y = pt.datasets.load_golf()
        pt.RandomForestClassifier(10_000_000, n_jobs=1).fit(X, y)
    elif behaviour == "greedy":
        held.greed = [bytearray(2**26) for _ in range(2**10)]  # type: ignore[attr-defined]
    elif behaviour == "broken":
        raise ZeroDivisionError("division by zero")
    elif behaviour == "crash":
        ctypes.string_at(0)
    elif behaviour == "printing":
        print("stray output")
        os.write(1, b"more of it")
        sys.stdout.flush()
    return _columns(int(parameters.get("n_nodes", 1)), held)


def _columns(n: int, held: Held) -> m.TreeColumns:
    facts = TreeFacts(
        n_nodes=n,
        n_leaves=1,
        n_open=0,
        depth=0,
        n_rows=held.n_rows,
        measure="training errors",
        training=0.5,
        n_measured=held.n_rows,
        n_tied=0,
        n_members=1,
        editable=True,
    )
    rows = [100_000 // (i + 1) + 1 for i in range(n)]
    return m.TreeColumns(
        hash=held.name,
        facts=facts,
        edits=[],
        n_children=[2 if 2 * i + 2 < n else 0 for i in range(n)],
        feature=[i * 7 % 14 for i in range(n)],
        features=["outlook"],
        names=["outlook"],
        edge=[f"<= {i * 37 % 9_999}" for i in range(n)],
        split=[f"capital_gain <= {i * 37 % 9_999}" if i % 2 else "" for i in range(n)],
        open=[],
        n_rows=rows,
        weight=[float(row) for row in rows],
        label=[i % 2 for i in range(n)],
        classes=["no", "yes"],
        class_weights=[[float(row // 3), float(row - row // 3)] for row in rows],
        prediction=[],
        deviation=[],
        impurity=[round(i * 0.618 % 1, 6) for i in range(n)],
        score=[round(i * 0.414 % 1, 6) for i in range(n)],
        gain=[],
        errors=[float(row // 3) for row in rows],
        low=[0.5] * n,
        high=[1.0] * n,
        missing=[],
        tied=[0] * n,
        impurity_name="entropy",
        score_name="information gain",
        gain_name="information gain",
    )
