"""Cases in which the cost once grew out of proportion: CPU seconds on one thread, beside a goal.

    python benchmarks/cliffs.py [--only NAME ...] [--repeat 3] [--seconds 150] [--megabytes 6000]

A case makes its table and returns the work to be measured. Each case runs in a process of its own,
within a limit of CPU seconds and of memory. A figure is the best of ``--repeat`` runs; work that
takes longer than 20 seconds is done once. A case with a baseline prints a ratio instead.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cliff_cases import CASES, Case

SLOW = 20.0
"""Work that takes more CPU seconds than this is not repeated."""


def main() -> None:
    """Measure the cases that were asked for and print their figures."""
    parser = argparse.ArgumentParser(description="cases that were far too slow or too large")
    parser.add_argument("--only", action="append", choices=[*CASES], help="a case, repeatable")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--seconds", type=int, default=150, help="limit of CPU time per case")
    parser.add_argument("--megabytes", type=int, default=6000, help="limit of memory per case")
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(figures_of(CASES[asked.measure], asked.repeat)))
        return
    shown = Table("case", "what", "figure", "goal", "peak MB")
    for name in asked.only or CASES:
        case = CASES[name]
        figure, peak = measured(name, case, asked)
        shown.add_row(name, case.what, figure, case.goal, peak)
        print(f"{name}: {figure} (goal {case.goal}), {peak} MB", file=sys.stderr, flush=True)
    Console().print(shown)


def measured(name: str, case: Case, asked: argparse.Namespace) -> tuple[str, str]:
    """The figure and the peak memory of a case, measured in a process of its own."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (asked.seconds, asked.seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (asked.megabytes * 2**20,) * 2)

    command = [sys.executable, __file__, "--measure", name, "--repeat", str(asked.repeat)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    if done.returncode < 0:
        return f"stopped by signal {-done.returncode}, limit {asked.seconds} s", "-"
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return words[-1][:60], "-"
    found = json.loads(done.stdout.splitlines()[-1])
    return case.shown(found), f"{found['peak']:,.0f}"


def figures_of(case: Case, repeat: int) -> dict[str, float]:
    """The figures of a case, measured here."""
    with tempfile.TemporaryDirectory() as directory:
        works = case.make(Path(directory))
        found = {name: best_seconds(work, repeat) for name, work in works.items()}
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {**found, "peak": max(use.ru_maxrss for use in usage) / 1024}


def best_seconds(work: Callable[[], Any], repeat: int) -> float:
    """The least CPU seconds of several runs, or what the work itself returns as its figure."""
    best = float("inf")
    for _ in range(repeat):
        begun = cpu_seconds()
        figure = work()
        seconds = cpu_seconds() - begun
        if isinstance(figure, int | float):
            return float(figure)
        best = min(best, seconds)
        if seconds > SLOW:
            break
    return best


def cpu_seconds() -> float:
    """The CPU seconds of this process and of the children that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in usage)


if __name__ == "__main__":
    main()
