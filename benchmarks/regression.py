"""Measure regression trees and forests side by side with peers, all in one run.

    python benchmarks/regression.py [--quick] [--only NAME] [--repeat N] [--json FILE]

Libraries take turns, each fit in a fresh process on one thread; the least CPU time counts.
README.md says what is compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from peers import PEERS
from processes import measured
from regression_measure import RegressionJob
from report import (
    machine_facts,
    parse_options,
    print_machine,
    print_targets,
    ratio,
    save_report,
    versions,
)

ALL = ("plaintree", "scikit-learn", "sklearnex", "YDF")


@dataclass(frozen=True)
class Work:
    """One model on one table, fitted by several libraries, and the ratios to be reached."""

    name: str
    rows: int
    quick_rows: int
    columns: int
    depth: int | None = None
    trees: int = 1
    criterion: str = "squared_error"
    max_features: float = 1.0
    peers: tuple[str, ...] = ALL
    slow: tuple[str, ...] = ()
    """Libraries measured only once, because once takes long enough."""
    targets: dict[str, float] = field(default_factory=dict)
    """By peer: CPU seconds over plaintree's, at least. "the fastest peer" is any of them."""

    def job(self, peer: str, quick: bool) -> RegressionJob:
        """The measurement of one library."""
        return RegressionJob(
            peer=peer,
            rows=self.quick_rows if quick else self.rows,
            columns=self.columns,
            depth=self.depth,
            trees=min(self.trees, 10) if quick else self.trees,
            criterion=self.criterion,
            max_features=self.max_features,
            threads=1,
        )

    def words(self, quick: bool) -> str:
        """The work in words."""
        job = self.job("plaintree", quick)
        depth = "fully grown" if job.depth is None else f"to depth {job.depth}"
        model = "a tree" if job.trees == 1 else f"{job.trees} trees"
        drawn = "" if job.max_features == 1 else f", {job.max_features:.2g} of the features"
        table = f"{job.rows:,} x {job.columns} floats"
        return f"{self.name}: {table}, {model} {depth}, {job.criterion}{drawn}"


WORKS = (
    Work(
        "tree_1m", 1_000_000, 100_000, 10,
        slow=("scikit-learn", "YDF"), targets={"scikit-learn": 12, "sklearnex": 1.5},
    ),
    Work(
        "depth6_1m", 1_000_000, 100_000, 10, depth=6,
        peers=(*ALL, "LightGBM"), slow=("scikit-learn", "YDF"), targets={"the fastest peer": 1},
    ),
    Work(
        "absolute_5k", 5_000, 2_000, 5,
        criterion="absolute_error", peers=("plaintree", "scikit-learn"),
        targets={"scikit-learn": 3},
    ),
    Work(
        "forest_50k", 50_000, 10_000, 20, trees=100,
        slow=("scikit-learn", "YDF"), targets={"scikit-learn": 8, "sklearnex": 1.5},
    ),
    Work(
        "forest_third", 50_000, 10_000, 20, trees=100,
        max_features=1 / 3, slow=("scikit-learn", "YDF"),
    ),
)  # fmt: skip


@dataclass
class Best:
    """The least seconds of a library, and its error on new rows."""

    peer: str
    wall: float
    cpu: float
    rmse: float


def main() -> None:
    """Run the works that were asked for and print what came out."""
    options = parse_options(
        "regression beside peers", [work.name for work in WORKS], "small tables, ten trees"
    )
    console = Console(width=None if sys.stdout.isatty() else 110)
    facts = machine_facts()
    print_machine(console, facts)
    for name in dict.fromkeys(peer for work in WORKS for peer in work.peers):
        if why := PEERS[name].missing():
            console.print(f"[yellow]{name} is skipped: {why}[/yellow]")
    results: dict[str, list[Best]] = {}
    for work in WORKS:
        if options.only and work.name not in options.only:
            continue
        results[work.name] = compared(console, work, options.quick, options.repeat)
        print_work(console, work.words(options.quick), results[work.name])
    rows = [row for work in WORKS for row in reached(work, results.get(work.name, []))]
    print_targets(console, rows)
    if options.json:
        save_report(options.json, results, rows, machine=facts, versions=versions())


def compared(console: Console, work: Work, quick: bool, repeat: int) -> list[Best]:
    """Let the libraries take turns, and keep the best of each."""
    found: dict[str, Best] = {}
    failed = {peer for peer in work.peers if PEERS[peer].missing()}
    for turn in range(repeat):
        for peer in work.peers:
            if peer in failed or (turn > 0 and peer in work.slow and not quick):
                continue
            with console.status(f"{work.name}: {peer}, {turn + 1} of {repeat}"):
                answer = measured("regression_measure.py", work.job(peer, quick))
            if isinstance(answer, str):
                console.print(f"[yellow]{peer} is skipped: {answer}[/yellow]")
                failed.add(peer)
                continue
            best = found.setdefault(peer, Best(peer, **answer))
            best.wall = min(best.wall, answer["wall"])
            best.cpu = min(best.cpu, answer["cpu"])
    return list(found.values())


def print_work(console: Console, words: str, results: Iterable[Best]) -> None:
    """One row per library; ratios are to plaintree's time."""
    table = Table(title=words, title_justify="left")
    table.add_column("library")
    for name in ("wall s", "CPU s", "CPU ratio", "RMSE on new rows"):
        table.add_column(name, justify="right")
    by_peer = {best.peer: best for best in results}
    own = by_peer.get("plaintree")
    for best in by_peer.values():
        table.add_row(
            best.peer,
            f"{best.wall:.3f}",
            f"{best.cpu:.3f}",
            ratio(best.cpu, own and own.cpu),
            f"{best.rmse:.4f}",
        )
    console.print(table)


def reached(work: Work, results: Iterable[Best]) -> list[dict[str, object]]:
    """The targets of a work, with what was reached, as rows of the summary."""
    cpu = {best.peer: best.cpu for best in results}
    own = cpu.pop("plaintree", None)
    rows: list[dict[str, object]] = []
    for peer, factor in work.targets.items():
        rivals = cpu if peer == "the fastest peer" else {p: s for p, s in cpu.items() if p == peer}
        if own is None or not rivals:
            continue
        against = min(rivals, key=lambda name: rivals[name])
        found = rivals[against] / own
        rows.append(
            {
                "work": work.name,
                "target": f"fit {factor:g} x {peer}, 1 thread",
                "factor": factor,
                "reached": found,
                "against": against,
                "met": found >= factor,
            }
        )
    return rows


if __name__ == "__main__":
    main()
