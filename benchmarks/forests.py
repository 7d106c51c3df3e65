"""Measure plaintree's forests side by side with its peers', all in one run.

    python benchmarks/forests.py [--quick] [--only NAME] [--repeat N] [--json FILE]

Every measurement runs in a fresh process (forest_measure.py), and all libraries have their turn
before any has its next one. README.md says what is compared.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any

from rich.console import Console
from rich.table import Table

from forest_measure import ForestJob, ForestResult
from forest_peers import PEERS
from measure import Times
from processes import measured
from report import (
    machine_facts,
    parse_options,
    print_machine,
    print_targets,
    ratio,
    save_report,
    versions,
)

WORKS = ("floats", "mixed", "memory", "growth")


@dataclass(frozen=True)
class Sizes:
    """How much work there is."""

    rows: int = 50_000
    trees: int = 100
    asked: int = 100_000
    single_rows: int = 300
    memory_trees: int = 500
    growth_rows: tuple[int, ...] = (62_500, 125_000, 250_000, 500_000, 1_000_000)
    growth_trees: int = 50


QUICK = Sizes(5_000, 20, 10_000, 50, 40, (4_000, 16_000, 64_000), 4)


@dataclass(frozen=True)
class Target:
    """How many times less of something plaintree has to need than a peer."""

    work: str
    what: str
    factor: float
    peer: str | None = None

    def reached(self, results: Sequence[ForestResult]) -> tuple[float, str] | None:
        """The factor reached, and the peer; the best of all peers if none is named."""
        costs = {r.job.peer: cost for r in results if (cost := cost_of(r, self.what)) is not None}
        own = costs.pop("plaintree", None)
        rivals = {p: c for p, c in costs.items() if self.peer in (None, p)}
        if own is None or not rivals:
            return None
        best = min(rivals, key=lambda p: rivals[p])
        return rivals[best] / own, best


TARGETS = (
    Target("floats", "fit", 8, "scikit-learn"),
    Target("floats", "fit", 1.3, "sklearnex"),
    Target("floats", "fit", 5, "YDF"),
    Target("mixed", "fit", 4, "scikit-learn"),
    Target("mixed", "fit", 4),
    Target("floats", "predict", 3, "scikit-learn"),
    Target("floats", "latency", 10, "scikit-learn"),
    Target("memory", "memory", 2, "scikit-learn"),
)
WORDS = {
    "fit": "grow, wall seconds",
    "predict": "predict many rows, wall seconds",
    "latency": "one row by itself, seconds",
    "memory": "bytes of the trees",
}
MOST_SECONDS = 180
"""A library that takes longer than this for one measurement is left out, and told so."""
SLOW_SECONDS = 60
"""A measurement that takes longer than this is not repeated."""
NEAR = 0.005
"""How much less accurate than scikit-learn's a forest may be."""


def cost_of(result: ForestResult, what: str) -> float | None:
    """What a result says about one of the things that are compared."""
    if what == "fit":
        return result.fit.wall
    if what == "predict":
        return result.predict.wall if result.predict else None
    return result.latency if what == "latency" else result.model_bytes


# ---------------------------------------------------------------- running


def main() -> None:
    """Run the works that were asked for and print what came out."""
    options = parse_options(
        "plaintree's forests beside its peers', in one run", WORKS, "small forests"
    )
    console = Console(width=None if sys.stdout.isatty() else 110)
    sizes = QUICK if options.quick else Sizes()
    facts = machine_facts()
    print_machine(console, facts)
    results: dict[str, list[ForestResult]] = {}
    for work in options.only or WORKS:
        rounds = 1 if work == "memory" else options.repeat
        results[work] = run_jobs(console, jobs_of(work, sizes), rounds)
        if work == "growth":
            print_growth(console, results[work])
        else:
            print_work(console, work, results[work])
    rows = target_rows(results)
    print_targets(console, rows)
    if options.quick:
        console.print("A quick run: small forests, the targets are meant for the full ones.")
    if options.json:
        about = {"machine": facts, "versions": versions(), "quick": options.quick}
        save_report(options.json, results, rows, **about)


def jobs_of(work: str, sizes: Sizes) -> list[ForestJob]:
    """The measurements of a work."""
    job = ForestJob("plaintree", "floats", sizes.rows, sizes.trees)
    if work == "growth":
        return [replace(job, rows=n, n_trees=sizes.growth_trees) for n in sizes.growth_rows]
    if work == "memory":
        job = replace(job, n_trees=sizes.memory_trees)
        return [replace(job, peer=peer) for peer, about in PEERS.items() if about.n_bytes]
    if work == "floats":
        job = replace(job, asked=sizes.asked, single_rows=sizes.single_rows)
    return [replace(job, table=work, peer=peer) for peer in PEERS]


def run_jobs(console: Console, jobs: Sequence[ForestJob], rounds: int) -> list[ForestResult]:
    """Run the measurements one after the other, each in a process of its own.

    They are repeated in rounds, so that a neighbour who keeps the machine busy for a while
    disturbs one measurement of each library, not all measurements of one.
    """
    waiting = [job for job in jobs if not PEERS[job.peer].missing()]
    for peer in dict.fromkeys(job.peer for job in jobs if job not in waiting):
        console.print(f"[yellow]{peer} is skipped: it is not installed[/yellow]")
    results: dict[ForestJob, ForestResult] = {}
    for number in range(1, rounds + 1):
        for job in list(waiting):
            turn = f"{job.table}: {job.peer}, round {number} of {rounds}"
            with console.status(f"{job.n_trees} trees, {job.rows:,} rows, {turn}"):
                outcome = run_job(job)
            if isinstance(outcome, ForestResult):
                results[job] = outcome.better(results.get(job))
            else:
                console.print(f"[yellow]{job.peer} is skipped: {outcome}[/yellow]")
            if not isinstance(outcome, ForestResult) or outcome.fit.wall > SLOW_SECONDS:
                waiting.remove(job)
    return [results[job] for job in jobs if job in results]


def run_job(job: ForestJob) -> ForestResult | str:
    """One measurement, or the last words of a process that failed."""
    answer = measured("forest_measure.py", job, MOST_SECONDS)
    if isinstance(answer, str):
        return answer
    predict = answer["predict"] and Times(**answer["predict"])
    told = {"job": ForestJob(**answer["job"]), "fit": Times(**answer["fit"]), "predict": predict}
    return ForestResult(**{**answer, **told})


# ---------------------------------------------------------------- printing


def print_work(console: Console, work: str, results: Sequence[ForestResult]) -> None:
    """One row per library; ratios are to plaintree's figures."""
    if not results:
        return
    job = results[0].job
    title = f"{work}: {job.n_trees} trees, {job.rows:,} rows, {job.threads} threads"
    table = Table(title=title, title_justify="left")
    table.add_column("library")
    shown = [what for what in WORDS if any(cost_of(r, what) is not None for r in results)]
    for name in ("test accuracy", "CPU s"):
        table.add_column(name, justify="right")
    for what in shown:
        table.add_column(WORDS[what], justify="right")
    table.add_column("resident MB", justify="right")
    own = next((r for r in results if r.job.peer == "plaintree"), None)
    for result in results:
        cells = [f"{result.accuracy:.4f}", f"{result.fit.cpu:.2f}"]
        for what in shown:
            cost = cost_of(result, what)
            cells.append("-" if cost is None else compared(what, cost, own and cost_of(own, what)))
        table.add_row(result.job.peer, *cells, f"{result.resident_bytes / 1e6:.0f}")
    console.print(table)
    console.print(f"load {os.getloadavg()[0]:.2f}\n")


def compared(what: str, cost: float, own: float | None) -> str:
    """A figure, and how many times plaintree's it is."""
    figure = f"{cost / 1e6:.1f} MB" if what == "memory" else f"{cost:.3g}"
    return f"{figure} ({ratio(cost, own)}x)"


def print_growth(console: Console, results: Sequence[ForestResult]) -> None:
    """How the time of a tree grows with the rows, beside n log n."""
    if not results:
        return
    job = results[0].job
    title = f"growth: {job.n_trees} trees, 20 float columns, {job.threads} threads"
    table = Table(title=title, title_justify="left")
    for name in ("rows", "wall s a tree", "CPU s a tree", "times the first", "n log n", "share"):
        table.add_column(name, justify="right")
    for result in results:
        grown, allowed = growth(results[0], result)
        table.add_row(
            f"{result.job.rows:,}",
            f"{result.fit.wall / result.job.n_trees:.3f}",
            f"{result.fit.cpu / result.job.n_trees:.3f}",
            f"{grown:.1f}",
            f"{allowed:.1f}",
            f"{grown / allowed:.2f}",
        )
    console.print(table)
    console.print(f"load {os.getloadavg()[0]:.2f}\n")


def growth(first: ForestResult, last: ForestResult) -> tuple[float, float]:
    """How many times the CPU time of the first a forest takes, and n log n would."""
    small, large = first.job.rows, last.job.rows
    return last.fit.cpu / first.fit.cpu, large * log2(large) / (small * log2(small))


def target_rows(results: dict[str, list[ForestResult]]) -> list[dict[str, Any]]:
    """Every target whose work was measured, with what was reached."""
    rows = []
    for target in TARGETS:
        found = target.reached(results.get(target.work, ()))
        if found is not None:
            words = f"{WORDS[target.what]}: {target.factor:g} x {target.peer or 'every peer'}"
            rows.append(target_row(target.work, words, *found, found[0] >= target.factor))
    accuracies = {r.job.peer: r.accuracy for r in results.get("floats", ())}
    if {"plaintree", "scikit-learn"} <= accuracies.keys():
        gap = accuracies["plaintree"] - accuracies["scikit-learn"]
        words = f"accuracy at most {NEAR} below"
        rows.append(target_row("floats", words, gap, "scikit-learn", gap >= -NEAR))
    if len(measured := results.get("growth", [])) > 1:
        grown, allowed = growth(measured[0], measured[-1])
        words = "time per tree no worse than n log n"
        rows.append(target_row("growth", words, grown / allowed, "n log n", grown <= allowed))
    return rows


def target_row(work: str, words: str, reached: float, against: str, met: bool) -> dict[str, Any]:
    """One target as plain data."""
    return {"work": work, "target": words, "reached": reached, "against": against, "met": met}


if __name__ == "__main__":
    main()
