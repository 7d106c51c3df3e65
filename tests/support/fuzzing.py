"""Running a fuzzer by hand: many seeded cases in a process of their own.

Every case can be run again. A crash of the core ends that process only: the case is reported like
any other failure, by the number that was left in a file, and the run goes on behind it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

Case = Callable[[str, bool], str]
"""Tries the case of a seed, with all readers or with some: the outcome in a word or two."""


def run(module: str, case: Case, arguments: list[str] | None = None) -> int:
    """The command line of a fuzzer; 1 if a case has failed."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=case.__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many cases")
    parser.add_argument("--seed", default="0", help="case N is made of 'SEED N'")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--all", action="store_true", help="every model is read by all readers")
    parser.add_argument("--progress", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.progress is None:
        return _watched(module, given)
    warnings.simplefilter("ignore")
    place = Path(given.progress)
    for number in range(given.first, given.first + given.count):
        place.write_text(str(number))
        try:
            outcome = case(f"{given.seed} {number}", given.all)
        except Exception as error:
            where = traceback.extract_tb((error.__cause__ or error).__traceback__)[-1]
            text = " ".join(str(error).split())[:300]
            outcome = f"FAILED at {Path(where.filename).name}:{where.lineno}: {text}"
        print(f"{number}\t{outcome}", flush=True)
    return 0


def _watched(module: str, given: argparse.Namespace) -> int:
    """Run all cases in another process, and again behind the one that has ended it."""
    outcomes: Counter[str] = Counter()
    examples: dict[str, str] = {}
    first, end = given.first, given.first + given.count
    with TemporaryDirectory() as directory:
        place = Path(directory, "case")
        while first < end:
            command = [sys.executable, "-m", module, "--seed", given.seed, "--progress", str(place)]
            command += ["--first", str(first), "--count", str(end - first)]
            done = subprocess.run(
                [*command, *(["--all"] if given.all else [])],
                stdout=subprocess.PIPE,
                text=True,
                check=False,
            )
            lines = [line.split("\t", 1) for line in done.stdout.splitlines()]
            if done.returncode:
                lines.append([place.read_text(), f"FAILED: ended with status {done.returncode}"])
            for number, outcome in lines:
                outcomes[outcome] += 1
                examples.setdefault(outcome, number)
            first = int(lines[-1][0]) + 1
    print(f"{given.count:,} cases of seed {given.seed}")
    for outcome, times in outcomes.most_common():
        again = f" (case {examples[outcome]})" if outcome.startswith("FAILED") else ""
        print(f"{times:8,} {outcome}{again}")
    return int(any(outcome.startswith("FAILED") for outcome in outcomes))
