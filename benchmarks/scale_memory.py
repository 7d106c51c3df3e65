"""Growing from a table that is larger than the memory it may use.

    python benchmarks/scale_memory.py [--rows 250_000_000] [--limit 1GB] [--depth 10]

Makes a table of Parquet files (250 million rows are 20 GB, and their encoded rows 32 GB more), and
grows a tree in a process that does nothing else. Fails if its peak of memory is above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from plaintree.checks import bytes_of as bytes_from
from report import machine_facts, print_machine
from scale_phases import PHASE_NUMBERS, Phases, phase_rows
from scale_processes import peak_bytes
from scale_tables import N_COLUMNS, bytes_of, write_table
from scale_ways import fit_chunks


def main() -> None:
    """Make the table, grow in another process, and compare its peak with the limit."""
    options = parsed_options()
    if options.grow:
        print(json.dumps(grown(options.grow, options.limit, options.depth)))
        return
    console = Console(width=None if sys.stdout.isatty() else 120)
    print_machine(console, machine_facts())
    with tempfile.TemporaryDirectory(prefix="plaintree-bench-", dir=options.directory) as root:
        start = time.perf_counter()
        table = write_table(Path(root, "table"), options.rows)
        console.print(
            f"{options.rows:,} rows x {N_COLUMNS} float32 columns: {bytes_of(table):,} bytes of "
            f"Parquet, made in {time.perf_counter() - start:.0f} s"
        )
        answer = in_own_process(table, options)
    limit = bytes_from("limit", options.limit)
    print_answer(console, answer, options.rows)
    is_below = answer["peak"] < limit
    console.print(
        f"peak of memory {answer['peak'] / 1e6:,.0f} MB, "
        f"{'below' if is_below else 'ABOVE'} the limit of {limit / 1e6:,.0f} MB"
    )
    sys.exit(0 if is_below else 1)


def parsed_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="growing within a limit of memory")
    parser.add_argument("--rows", type=int, default=250_000_000)
    parser.add_argument("--limit", default="1GB", help="memory_limit (default 1GB)")
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--directory", type=Path, help="for the files (default: a temporary one)")
    parser.add_argument("--grow", type=Path, help="only grow from the files in this directory")
    return parser.parse_args()


def in_own_process(table: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Grow in a fresh process; its encoded rows lie beside the table."""
    command = [
        *(sys.executable, __file__, "--grow", str(table)),
        *("--limit", options.limit, "--depth", str(options.depth)),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(table.parent)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def grown(table: Path, limit: str, depth: int) -> dict[str, Any]:
    """Grow, and say what it took."""
    phases = Phases()
    wall, cpu = time.perf_counter(), time.process_time()
    tree = fit_chunks(limit, table, depth, phases)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak": peak_bytes(),
        "passes": phases.passes,
        "tree": tree,
        "phases": phases.as_dict(),
    }


def print_answer(console: Console, answer: dict[str, Any], rows: int) -> None:
    """What growing took, phase by phase."""
    table = Table("phase", title="Growing", title_justify="left")
    for name in PHASE_NUMBERS:
        table.add_column(name, justify="right")
    for row in phase_rows(answer, rows * N_COLUMNS):
        table.add_row(*row)
    console.print(table)
    console.print(
        f"{answer['cpu']:.0f} s of CPU, {answer['wall']:.0f} s, {answer['passes']} passes, "
        f"{answer['phases']['reply_bytes']:,} bytes of replies; the tree {answer['tree']}"
    )


if __name__ == "__main__":
    main()
