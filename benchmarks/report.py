"""The benchmark's tables on the screen: the machine, one table per work, and the summary."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from measure import Result
from peers import PEERS
from works import TARGETS, VIEWS, Target, Work, is_disturbed


def machine_facts() -> dict[str, Any]:
    """What the figures depend on besides the libraries."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "python": platform.python_version(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "busy_percent": psutil.cpu_percent(interval=0.5),
    }


def processor_name() -> str:
    """The processor's name where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0].strip() if names else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """The version of every library that is installed."""
    return {peer.distribution: peer.version() for peer in PEERS.values() if not peer.missing()}


def print_machine(console: Console, facts: Mapping[str, Any]) -> None:
    """The machine, its load, and the versions."""
    console.print(
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gb']} GB, "
        f"Python {facts['python']}; load {facts['load'][0]} (1 min), "
        f"{facts['busy_percent']:.0f} % busy before the start"
    )
    console.print(", ".join(f"{name} {number}" for name, number in versions().items()))


def print_work(console: Console, work: Work, results: Sequence[Result], quick: bool) -> None:
    """One row per library and number of threads; ratios are to plaintree's times."""
    table = Table(title=work.words(quick), title_justify="left")
    table.add_column("library")
    for name in ("threads", "wall s", "CPU s", "wall ratio", "CPU ratio", "accuracy", "leaves"):
        table.add_column(name, justify="right")
    for result in results:
        base = counterpart(results, result)
        table.add_row(
            result.job.peer,
            str(result.job.threads),
            f"{result.fit.wall:.3f}",
            f"{result.fit.cpu:.3f}",
            ratio(result.fit.wall, base and base.fit.wall),
            ratio(result.fit.cpu, base and base.fit.cpu),
            f"{result.accuracy:.4f}",
            f"{result.leaves:,}",
        )
    console.print(table)
    console.print(f"load {os.getloadavg()[0]:.2f}\n")


def print_views(console: Console, names: Sequence[str], results: Sequence[Result]) -> None:
    """The predictions and the memory of the deep tree on one thread."""
    single = [r for r in results if r.job.threads == 1]
    base = next((r for r in single if r.job.peer == "plaintree"), None)
    table = Table(title=f"{' and '.join(names)}, one thread", title_justify="left")
    table.add_column("library")
    for name in ("predict wall s", "predict CPU s", "CPU ratio", "peak MB", "x the table"):
        table.add_column(name, justify="right")
    for result in single:
        table.add_row(
            result.job.peer,
            f"{result.predict.wall:.3f}",
            f"{result.predict.cpu:.3f}",
            ratio(result.predict.cpu, base and base.predict.cpu),
            f"{result.memory_bytes / 1e6:.0f}",
            f"{result.memory_bytes / result.table_bytes:.2f}",
        )
    console.print(table)


def counterpart(results: Sequence[Result], result: Result) -> Result | None:
    """plaintree's result on the same number of threads."""
    for other in results:
        if other.job.peer == "plaintree" and other.job.threads == result.job.threads:
            return other
    return None


def ratio(value: float, base: float | None) -> str:
    """The value as a multiple of the base."""
    return f"{value / base:.2f}" if base else "-"


def target_rows(results: Mapping[str, Sequence[Result]]) -> list[dict[str, Any]]:
    """Every target whose work was measured, with what was reached."""
    rows = []
    for target in TARGETS:
        reached = target.reached(results.get(VIEWS.get(target.work, target.work), ()))
        if reached is not None:
            rows.append(target_row(target, *reached))
    return rows


def target_row(target: Target, factor: float, against: str) -> dict[str, Any]:
    """One target as plain data."""
    return {
        "work": target.work,
        "measure": target.measure,
        "target": target.words(),
        "factor": target.factor,
        "reached": factor,
        "against": against,
        "met": target.is_met(factor),
    }


def print_targets(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """The summary: target x, reached y."""
    table = Table(title="Targets", title_justify="left")
    for name in ("work", "target"):
        table.add_column(name)
    table.add_column("reached", justify="right")
    table.add_column("against")
    table.add_column("")
    for row in rows:
        verdict = "[green]reached[/green]" if row["met"] else "[red]missed[/red]"
        table.add_row(row["work"], row["target"], f"{row['reached']:.3g}", row["against"], verdict)
    if rows:
        console.print(table)
    else:
        console.print("No targets: plaintree was not measured.")


def print_disturbance(console: Console, results: Iterable[Result]) -> None:
    """Warn if other processes kept the machine busy."""
    single = [r for r in results if r.job.threads == 1]
    disturbed = sum(is_disturbed(r) for r in single)
    if disturbed:
        console.print(
            f"[yellow]{disturbed} of {len(single)} one-thread measurements took over 10 % more "
            "wall than CPU seconds: the machine was busy, and what is said of wall seconds "
            "(all two-thread targets) is not to be trusted in this run.[/yellow]"
        )


def save_report(
    path: Path,
    results: Mapping[str, Sequence[Any]],
    rows: Sequence[Mapping[str, Any]],
    **facts: Any,
) -> None:
    """Write the results and targets of a run, and the facts about it, as JSON."""
    measured = {name: [asdict(r) for r in found] for name, found in results.items()}
    text = json.dumps({**facts, "results": measured, "targets": rows}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def parse_options(description: str, works: Iterable[str], quick: str) -> argparse.Namespace:
    """Read the command line of a benchmark against peers."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument(
        "--only", action="append", choices=list(works), help="this work; repeatable"
    )
    parser.add_argument("--repeat", type=int, default=3, help="best of so many (default 3)")
    parser.add_argument("--json", type=Path, help="save the results in this file")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    return options
