"""The table of Caruana and Niculescu-Mizil (ICML 2006) again, with plaintree's trees in it.

    python benchmarks/caruana.py [--quick] [--only NAME] [--jobs N] [--results FILE] [--fresh]
                                 [--json FILE]

Eight learners, each uncalibrated and calibrated by Platt's and by the isotonic method, over a
dozen real two-class problems. Finished work is kept in the results file: a run that was stopped
goes on where it was. docs/caruana.md says what is done and what came out.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from caruana_learners import LEARNERS, Piece, run_piece
from caruana_report import print_ranking, report_values
from caruana_scores import complete_trials, ranked_rows
from caruana_store import Record, Store, open_store
from caruana_tables import PROBLEMS, Sizes, available, is_there
from plaintree.errors import PlaintreeError

FOLDER = Path(__file__).resolve().parent / "results"
FULL = Sizes(training_rows=5000, test_rows=5000, folds=5)
QUICK = Sizes(training_rows=500, test_rows=500, folds=5)
REPETITIONS = {False: 5, True: 1}
"""The repetitions of a full and of a quick run."""
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the work that is not done yet, and print the ranked table; the exit code."""
    options = parse_options(arguments)
    screen = Console(stderr=True)
    path = options.results or FOLDER / f"caruana{'-quick' if options.quick else ''}.jsonl"
    try:
        store = open_store(path, parameters(options.quick), options.fresh)
    except PlaintreeError as error:
        screen.print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    wanted = chosen_pieces(options.only or [], options.quick)
    try:
        failures = do_missing(screen, store, wanted, options.jobs)
    except KeyboardInterrupt:
        n_done = len(finished(store, wanted))
        screen.print(f"Stopped. {n_done} of {len(wanted)} pieces are kept in {path}; run it again.")
        return INTERRUPTED
    for failure in failures:
        screen.print(f"Left out: {failure}", style="yellow", markup=False, soft_wrap=True)
    records = finished(store, wanted)
    show(records, options)
    return 1 if failures else 0


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="the Caruana table with plaintree's trees")
    names = [*LEARNERS, *PROBLEMS]
    parser.add_argument("--quick", action="store_true", help="few rows and settings: a minute")
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"this learner or table; repeatable. Names: {', '.join(names)}",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--results", type=Path, help="the file of finished work")
    parser.add_argument("--fresh", action="store_true", help="forget the finished work")
    parser.add_argument("--json", type=Path, help="save the ranked table in this file")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    absent = [name for name in options.only or [] if name in PROBLEMS and not is_there(name)]
    if absent:
        parser.error(f"the table {absent[0]} is not beside the project")
    return options


def parameters(quick: bool) -> dict[str, Any]:
    """All that a finished piece depends on, apart from its own name."""
    return {
        "quick": quick,
        **asdict(QUICK if quick else FULL),
        **{f"settings of {name}": list(it.chosen(quick)) for name, it in LEARNERS.items()},
        **{name: version(name) for name in ("plaintree", "scikit-learn")},
    }


def chosen_pieces(only: Sequence[str], quick: bool) -> list[Piece]:
    """The pieces of a run: a whole repetition over all tables before the next."""
    tables = [name for name in only if name in PROBLEMS] or available()
    learners = [name for name in LEARNERS if name in only] or list(LEARNERS)
    return [
        Piece(table, repetition, learner, QUICK if quick else FULL, quick)
        for repetition in range(REPETITIONS[quick])
        for table in tables
        for learner in learners
    ]


def finished(store: Store, wanted: Sequence[Piece]) -> list[Record]:
    """The records of the pieces that are done, in the order of the pieces."""
    return [store.records[piece.key] for piece in wanted if piece.key in store.records]


def do_missing(screen: Console, store: Store, wanted: Sequence[Piece], jobs: int) -> list[str]:
    """Do what the store lacks, with a progress bar; the failures in words."""
    missing = [piece for piece in wanted if piece.key not in store.records]
    failures = []
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
    )
    with bar:
        task = bar.add_task("begins", total=len(wanted), completed=len(wanted) - len(missing))

        def on_done(piece: Piece, outcome: Record | BaseException) -> None:
            words = f"{piece.table}, {piece.learner}"
            if isinstance(outcome, BaseException):
                failures.append(f"{words}, repetition {piece.repetition}: {outcome!r}")
            else:
                store.add(outcome)
            bar.update(task, advance=1, description=words)

        if missing:
            work_off(missing, jobs, on_done)
    return failures


def work_off(
    pieces: Sequence[Piece],
    jobs: int,
    on_done: Callable[[Piece, Record | BaseException], None],
) -> None:
    """Do the pieces in processes of their own; an interrupt ends these at once."""
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(min(jobs, len(pieces)), mp_context=context)
    try:
        with interrupts_ignored():  # by the processes started here too: only this one answers
            futures = {executor.submit(run_piece, piece): piece for piece in pieces}
        for future in as_completed(futures):
            on_done(futures[future], future.exception() or future.result())
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    executor.shutdown()


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ctrl-C does nothing inside; processes started inside never answer to it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def show(records: Sequence[Record], options: argparse.Namespace) -> None:
    """Print the ranked table, and save it if asked to."""
    rows = ranked_rows(records)
    n_trials = len(complete_trials(records))
    console = Console(width=None if sys.stdout.isatty() else 110)
    print_ranking(console, rows, sorted({r["table"] for r in records}), n_trials)
    if options.quick or options.only:
        console.print("A part of the whole: scores are relative to the best in this run.")
    if options.json:
        values = {"parameters": parameters(options.quick), **report_values(rows, records)}
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
