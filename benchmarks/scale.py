"""Growing beyond memory, side by side with its peers, all in one run.

    python benchmarks/scale.py [--rows N] [--only NAME] [--repeat 3] [--json FILE]

Every measurement is a fresh process (scale_measure.py), and the ways of a work take turns. CPU
seconds are those of the driver and of all processes that it started; reading the files counts.
README.md says what is compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from processes import measured
from report import machine_facts, print_machine
from scale_measure import ScaleJob
from scale_phases import PHASE_NUMBERS, phase_rows
from scale_tables import N_COLUMNS, bytes_of, write_table
from scale_ways import WAYS

Answer = dict[str, Any]
MILLION = 1_000_000
LARGE_ROWS = 10 * MILLION
WARM_UP_ROWS = 20_000


@dataclass(frozen=True)
class Goal:
    """What the CPU time of a way may be, as a multiple of a peer's, at a depth."""

    way: str
    peer: str
    depth: int
    at_most: float
    large: bool = False
    """Whether it is for tables of many millions of rows."""


GOALS = (
    Goal("chunks", "in memory", 6, 2.0),
    Goal("chunks", "in memory", 10, 2.0),
    Goal("chunks", "in memory", 6, 1.2, large=True),
    Goal("chunks", "in memory", 10, 1.2, large=True),
    Goal("Dask", "LightGBM on Dask", 6, 0.7),
    Goal("Dask", "LightGBM on Dask", 10, 1.0),
    Goal("Spark", "Spark MLlib", 6, 0.9),
    Goal("Spark", "Spark MLlib", 10, 1.0),
    Goal("Spark, counted", "Spark MLlib", 6, 0.9),
    Goal("Spark, counted", "Spark MLlib", 10, 1.0),
)
SLOW_TO_WARM = ("Spark", "Spark, counted", "Spark MLlib")
"""Ways that are warmed up by the table itself: Java compiles what runs often."""


WORKS = list(dict.fromkeys(goal.way for goal in GOALS))


def main() -> None:
    """Make the table, run the works that were asked for, and print what came out."""
    options = parsed_options()
    console = Console(width=None if sys.stdout.isatty() else 120)
    print_machine(console, machine_facts())
    with tables_of(options) as (directory, warm_up):
        console.print(
            f"{options.rows:,} rows x 20 float32 columns, 2 classes; {bytes_of(directory):,} bytes"
        )
        run = Run(console, directory, warm_up, options.repeat)
        for goal in goals_of(options):
            run.measure(goal)
    met = print_goals(console, goals_of(options), run.results)
    print_phases(console, run.results, options.rows)
    if options.json:
        save(options.json, options.rows, run.results)
    sys.exit(0 if met else 1)


def parsed_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="growing beyond memory beside its peers")
    parser.add_argument("--rows", type=int, default=MILLION, help="default 1,000,000")
    parser.add_argument("--only", action="append", choices=WORKS)
    parser.add_argument("--depth", action="append", type=int, choices=[6, 10])
    parser.add_argument("--repeat", type=int, default=3, help="best of so many (default 3)")
    parser.add_argument("--directory", type=Path, help="for the files (default: a temporary one)")
    parser.add_argument("--json", type=Path, help="save the results in this file")
    options = parser.parse_args()
    if options.only is None:
        # Two processes of Java and of Dask do not tell more of tables that take an hour.
        options.only = WORKS[:1] if options.rows >= LARGE_ROWS else WORKS
    return options


def goals_of(options: argparse.Namespace) -> list[Goal]:
    """The goals for a table of this size."""
    is_large = options.rows >= LARGE_ROWS
    return [
        goal
        for goal in GOALS
        if goal.way in options.only
        and goal.depth in (options.depth or [6, 10])
        and (goal.way != "chunks" or goal.large == is_large)
    ]


@contextmanager
def tables_of(options: argparse.Namespace) -> Iterator[tuple[Path, Path]]:
    """The directories of the table, and of a small one to warm up with."""
    with tempfile.TemporaryDirectory(prefix="plaintree-bench-", dir=options.directory) as root:
        yield (
            write_table(Path(root, "table"), options.rows),
            write_table(Path(root, "small"), WARM_UP_ROWS, seed=8),
        )


# -------------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Run:
    """The measurements of one table, by way and depth."""

    console: Console
    directory: Path
    warm_up: Path
    repeat: int
    results: dict[tuple[str, int], Answer] = field(default_factory=dict)

    def measure(self, goal: Goal) -> None:
        """Measure a way and its peer in turns, and keep the best of each.

        The tree in memory is grown once where it is no peer, to be compared with.
        """
        ways = [goal.way, goal.peer] * self.repeat
        if ("in memory", goal.depth) not in self.results and goal.peer != "in memory":
            ways.append("in memory")
        for name in ways:
            why = WAYS[name].missing()
            first = self.directory if name in SLOW_TO_WARM else self.warm_up
            with self.console.status(f"{name}, depth {goal.depth}"):
                job = ScaleJob(name, str(self.directory), str(first), goal.depth)
                answer = why or measured("scale_measure.py", job)
            if isinstance(answer, str):
                self.console.print(f"[yellow]{name} is skipped: {answer}[/yellow]")
                return
            place = (name, goal.depth)
            self.results[place] = better(self.results.get(place), answer)


def better(a: Answer | None, b: Answer) -> Answer:
    """The one of less CPU time, with the greatest peak of both."""
    if a is None:
        return b
    best = dict(a if a["cpu"] <= b["cpu"] else b)
    best["peak"] = max(a["peak"], b["peak"])
    if a["tree"] != b["tree"]:
        best["tree"] = "not the same tree in each run"
    return best


# -------------------------------------------------------------------- printing


def print_goals(
    console: Console, goals: Sequence[Goal], results: Mapping[tuple[str, int], Answer]
) -> bool:
    """A line for each goal; whether every tree is the one in memory and every goal is reached."""
    table = Table(title="CPU seconds, with workers, from files to the tree", title_justify="left")
    table.add_column("work")
    for name in ("CPU s", "peer", "ratio", "goal", "wall s", "peer", "peak MB", "peer", "passes"):
        table.add_column(name, justify="right")
    for name in ("", "tree"):
        table.add_column(name)
    met = True
    for goal in goals:
        own, peer = results.get((goal.way, goal.depth)), results.get((goal.peer, goal.depth))
        if own is None or peer is None:
            continue
        ratio = own["cpu"] / peer["cpu"]
        same = own["tree"] == results["in memory", goal.depth]["tree"]
        met = met and same and ratio <= goal.at_most
        table.add_row(
            f"{goal.way} / {goal.peer}, depth {goal.depth}",
            *(f"{answer['cpu']:.2f}" for answer in (own, peer)),
            f"{ratio:.2f}",
            f"{goal.at_most}",
            *(f"{answer['wall']:.2f}" for answer in (own, peer)),
            *(f"{most_memory(answer) / 1e6:,.0f}" for answer in (own, peer)),
            str(own["passes"]),
            "[green]reached[/green]" if ratio <= goal.at_most else "[red]missed[/red]",
            "same" if same else "[red]another[/red]",
        )
    console.print(table)
    return met


def most_memory(answer: Answer) -> int:
    """The peak of the process, or of a worker if that is greater."""
    return max(answer["peak"], answer["peak_of_workers"])


def print_phases(console: Console, results: Mapping[tuple[str, int], Answer], rows: int) -> None:
    """Where the CPU time of each of our ways went."""
    table = Table("way", "depth", "phase", title="Phases of the best run", title_justify="left")
    for name in PHASE_NUMBERS:
        table.add_column(name, justify="right")
    for (way, depth), answer in results.items():
        if answer["phases"]["cpu"]:
            for row in phase_rows(answer, rows * N_COLUMNS):
                table.add_row(way, str(depth), *row)
    console.print(table)


def save(path: Path, rows: int, results: Mapping[tuple[str, int], Answer]) -> None:
    """Write all results as JSON."""
    found = [{"way": way, "depth": depth, **answer} for (way, depth), answer in results.items()]
    text = json.dumps({"machine": machine_facts(), "rows": rows, "results": found}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
