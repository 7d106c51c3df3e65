"""How long the replies of the studio take: python benchmarks/studio.py TABLE.csv [TARGET]

Prints the time of each reply on a table such as adult (32,561 rows, 14 columns), next to its
budget. Replies are asked for as the page does: the second time where a budget is for repeated use.
At the end how soon the page is there after the command, and a tree of 50,000 nodes: its message,
and frames per second of the page that shows all of it, where Playwright and Chromium are installed
and the page is built (`make page`).
"""

from __future__ import annotations

import gc
import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
import polars as pl

import plaintree as pt
from plaintree.app.studio.messages import REQUESTS
from plaintree.app.studio.messages.documents import (
    CutEdit,
    Document,
    Settings,
    Split,
    SplitEdit,
    TableReference,
)
from plaintree.app.studio.replies import Held, reply
from plaintree.app.studio.replies.replay import replayed
from plaintree.tree import path_of
from studio_page import frames_of, start_of

STATIC = Path(pt.__file__).parent / "app" / "studio" / "static"
LARGEST = 30
"""Leaves whose candidates are asked for."""


class Bench:
    """A table that is held, and documents about it."""

    def __init__(self, path: str, target: str | None) -> None:
        gc.freeze()  # as workers do
        self.held = Held()
        self.seconds("read", 2.5, lambda: self.held.load_file("key", path, Path(path).name))
        names = self.held.opened.table.names
        self.target = target or names[-1]
        self.ask("open", 1.0, target=self.target)

    def document(self, edits: Any = (), **settings: Any) -> Document:
        """A document about the table."""
        opened = self.held.opened
        reference = TableReference(
            key="key", hash=opened.hash, name=opened.name, target=self.target
        )
        return Document(table=reference, settings=Settings(**settings), edits=list(edits))

    def ask(self, name: str, budget: float, about: str = "", **given: Any) -> Any:
        """One reply, encoded, with its time."""
        request = REQUESTS[name][0](**given)

        def work() -> Any:
            found = reply(self.held, name, request, lambda *_: None)
            msgspec.json.encode(found)
            return found

        return self.seconds(f"{name} {about}".strip(), budget, work)

    def seconds(self, what: str, budget: float, work: Callable[[], Any]) -> Any:
        """Print how long something takes."""
        begin = perf_counter()
        found = work()
        taken = perf_counter() - begin
        print_line(what, taken, budget)
        return found

    def forget(self) -> None:
        """Drop what was computed, but not what was grown."""
        self.held.results.clear()


def print_line(what: str, taken: float, budget: float) -> None:
    """A line of the table: what, time, budget."""
    print_figure(what, 1000 * taken, "ms", 1000 * budget, fits=taken <= budget)


def print_figure(what: str, value: float, unit: str, budget: float, *, fits: bool) -> None:
    """The same of anything that has a unit."""
    digits, note = (2 if unit == "MB" else 0), "" if fits else "  over budget"
    print(f"{what:<52}{value:>9.{digits}f} {unit}{budget:>9.{digits}f} {unit}{note}", flush=True)


def largest_leaves(bench: Bench, document: Document) -> Iterator[list[int]]:
    """The paths of the leaves with the most rows."""
    tree = replayed(bench.held, document, lambda *_: None).own_tree()
    leaves = np.flatnonzero(tree.n_children == 0)
    for leaf in leaves[np.argsort(-tree.n_rows[leaves], kind="stable")][:LARGEST].tolist():
        yield list(path_of(tree, leaf))


def of_learner(bench: Bench, learner: str) -> None:
    """The replies about a grown tree."""
    parameters: dict[str, Any] = {} if learner == "cart" else {"pruning": None}
    document = bench.document(learner=learner, parameters=parameters)
    found = bench.ask("tree", 1.0, f"{learner}, first view after the fit", document=document)
    print(f"  {learner}: {found.facts.n_nodes} nodes, depth {found.facts.depth}")
    bench.ask("candidates", 0.2, f"{learner}, root", document=document, at=[])
    times = []
    for at in largest_leaves(bench, document):
        begin = perf_counter()
        request = REQUESTS["candidates"][0](document=document, at=at)  # type: ignore[call-arg]
        reply(bench.held, "candidates", request, lambda *_: None)
        times.append(perf_counter() - begin)
    print_line(f"candidates {learner}, {LARGEST} largest leaves, median", median(times), 0.2)
    print_line(f"candidates {learner}, {LARGEST} largest leaves, maximum", max(times), 0.2)


def of_one_cut(bench: Bench, column: str, document: Document) -> None:
    """A threshold, and all thresholds of a column."""
    cuts = bench.ask("cuts", 0.05, f"all {column}", document=document, at=[], column=column)
    print(f"  {len(cuts.thresholds)} thresholds")
    split = Split(column=column, cut=cuts.thresholds[len(cuts.thresholds) // 3])
    bench.ask("measure", 0.05, f"one {column}", document=document, at=[], split=split)
    other = Split(column=column, cut=cuts.thresholds[len(cuts.thresholds) // 2])
    bench.ask("measure", 0.05, f"another {column}", document=document, at=[], split=other)
    bench.ask("formula", 0.2, document=document, at=[], measure="gain", split=split)


def of_edits(bench: Bench, column: str, cut: float) -> None:
    """A split at the largest leaf of a large tree, then a cut, then undo."""
    document = bench.document(learner="cart")
    at = next(largest_leaves(bench, document))
    split = SplitEdit(at=at, split=Split(column=column, cut=cut))
    steps = (("split", [split]), ("cut", [split, CutEdit(at=at)]), ("undo", [split]))
    for what, edits in steps:
        edited = bench.document(edits, learner="cart")
        bench.seconds(
            f"replay {what}",
            0.15,
            lambda edited=edited: replayed(bench.held, edited, lambda *_: None),
        )
        bench.ask("tree", 0.5, f"after {what}", document=edited)


def of_views(bench: Bench, document: Document) -> None:
    """The views beside the tree."""
    row = {
        column.name: column.labels[0] if column.labels else float(column.values[0])
        for column in bench.held.opened.table.columns
        if column.name != bench.target
    }
    bench.ask("regions", 0.1, document=document)
    bench.ask("explain", 0.1, document=document, row=row)
    bench.ask("rules", 0.3, document=document)
    cart = bench.document(learner="cart")
    bench.ask("compare", 0.1, "c45, cart", document=document, other=cart)
    bench.ask("pruning", 0.3, "cart, path", document=cart, n_folds=0)
    bench.ask("pruning", 2.0, "cart, 10 folds", document=cart)
    bench.ask("pruning", 2.0, "cart, depth", document=cart, method="depth")
    bench.ask("quality", 2.0, "10 folds", document=document)
    bench.ask("quality", 1.0, "training", document=document, rows="training")
    bench.ask("cells", 0.3, "sorted, searched", table=document.table, sort="age", search="a")
    bench.ask("export", 1.0, "sql, verified", document=document, what="sql", verify=True)
    bench.ask("export", 1.0, "report", document=document, what="report")


def of_start(bench: Bench, path: str) -> None:
    """From the command to the page, and from there to a tree; what the page loads."""
    document = bench.document(learner="cart")
    training = replayed(bench.held, document, lambda *_: None).training
    begin = perf_counter()
    pt.CARTClassifier(n_jobs=-1).fit(training.X, training.y)
    fit = perf_counter() - begin
    start = min(start_of(path, bench.target) for _ in range(3))
    print_line("command to page", start.page, 2.5)
    print_line(f"cart, first view after {1000 * fit:.0f} ms of fit", start.tree - fit, 1.0)
    for name, files in (("studio", "assets/*"), ("report", "report.*")):
        size = sum(len(gzip.compress(file.read_bytes())) for file in STATIC.glob(files))
        print_figure(
            f"script and style of the {name}, gzip", size / 1e3, "kB", 120, fits=size < 12e4
        )


def noise(n_rows: int = 110_000, n_columns: int = 8) -> pl.DataFrame:
    """Numbers and classes that have nothing to do with each other: a tree of 50,000 nodes."""
    random = np.random.default_rng(1)
    values = random.normal(size=(n_rows, n_columns)).round(3)
    classes = np.where(random.random(n_rows) < 0.5, "yes", "no")
    return pl.DataFrame({f"x{i}": values[:, i] for i in range(n_columns)} | {"y": classes})


def of_large_tree() -> None:
    """The message of a very large tree, and how smoothly the page moves it."""
    frame = noise()
    with TemporaryDirectory() as directory:
        path = f"{directory}/noise.parquet"
        frame.write_parquet(path)
        bench = Bench(path, "y")
        document = bench.document(learner="cart")
        n_nodes = replayed(bench.held, document, lambda *_: None).own_tree().n_nodes
        found = bench.ask("tree", 0.5, f"{n_nodes:,} nodes", document=document)
    size = len(gzip.compress(msgspec.json.encode(found), 4))
    print_figure("its message, gzip", size / 1e6, "MB", 1.0, fits=size <= 1e6)
    for what, rate in frames_of(pt.CARTClassifier(), frame.drop("y"), frame["y"]):
        print_figure(f"{n_nodes:,} nodes, {what}", rate, "/s", 30, fits=rate >= 30)


def main() -> None:
    """Print the table."""
    path, *rest = sys.argv[1:]
    bench = Bench(path, rest[0] if rest else None)
    numeric = [
        column.name
        for column in bench.held.opened.table.columns
        if column.kind == "numeric" and column.name != bench.target
    ]
    widest = max(numeric, key=lambda name: len(np.unique(bench.held.opened.column(name).values)))
    for learner in ("c45", "cart"):
        of_learner(bench, learner)
    document = bench.document(learner="cart")
    of_one_cut(bench, widest, document)
    of_edits(bench, numeric[0], float(np.nanmedian(bench.held.opened.column(numeric[0]).values)))
    of_views(bench, bench.document(learner="c45"))
    of_start(bench, path)
    of_large_tree()


if __name__ == "__main__":
    main()
