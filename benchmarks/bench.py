"""Measure plaintree side by side with its peers, all in one run.

    python benchmarks/bench.py [--quick] [--only NAME] [--repeat N] [--json FILE]

Every measurement runs in a fresh process (measure.py). README.md says what is compared.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from measure import Job, Result, Times
from peers import PEERS
from processes import measured
from report import (
    machine_facts,
    parse_options,
    print_disturbance,
    print_machine,
    print_targets,
    print_views,
    print_work,
    save_report,
    target_rows,
    versions,
)
from works import VIEWS, WORKS, Work

VIEW_PEERS = ("plaintree", "scikit-learn")


def main() -> None:
    """Run the works that were asked for and print what came out."""
    works = [work.name for work in WORKS] + list(VIEWS)
    options = parse_options("plaintree beside its peers, in one run", works, "small tables")
    console = Console(width=None if sys.stdout.isatty() else 110)
    facts = machine_facts()
    print_machine(console, facts)
    absent = report_absent(console)
    results: dict[str, list[Result]] = {}
    for work, peers in chosen_works(options.only):
        jobs = work.jobs(options.repeat, options.quick)
        wanted = [j for j in jobs if j.peer in peers and j.peer not in absent]
        results[work.name] = run_jobs(console, wanted)
        print_work(console, work, results[work.name], options.quick)
    views = [v for v in VIEWS if not options.only or v in options.only or VIEWS[v] in options.only]
    if views:
        print_views(console, views, results[VIEWS[views[0]]])
    rows = target_rows(results)
    print_targets(console, rows)
    print_disturbance(console, [r for found in results.values() for r in found])
    if options.quick:
        console.print("A quick run: small tables, the targets are meant for the full ones.")
    if options.json:
        about = {"machine": facts, "versions": versions(), "quick": options.quick}
        save_report(options.json, results, rows, **about)


def report_absent(console: Console) -> set[str]:
    """Say which libraries cannot be used here, and leave them out."""
    absent = {name: why for name, peer in PEERS.items() if (why := peer.missing())}
    for name, why in absent.items():
        console.print(f"[yellow]{name} is skipped: {why}[/yellow]")
    return set(absent)


def chosen_works(only: Sequence[str] | None) -> list[tuple[Work, tuple[str, ...]]]:
    """The works to run, each with the libraries that are needed."""
    if not only:
        return [(work, work.peers) for work in WORKS]
    chosen = []
    for work in WORKS:
        if work.name in only:
            chosen.append((work, work.peers))
        elif any(VIEWS.get(name) == work.name for name in only):
            chosen.append((work, VIEW_PEERS))
    return chosen


def run_jobs(console: Console, jobs: Sequence[Job]) -> list[Result]:
    """Run the measurements one after the other, each in a process of its own."""
    results = []
    for job in jobs:
        with console.status(f"{job.table}, depth {job.depth}: {job.peer}, {job.threads} thread(s)"):
            outcome = run_job(job)
        if isinstance(outcome, Result):
            results.append(outcome)
        else:
            console.print(f"[yellow]{job.peer} is skipped: {outcome}[/yellow]")
    return results


def run_job(job: Job) -> Result | str:
    """One measurement, or the last words of a process that failed."""
    answer = measured("measure.py", job)
    if isinstance(answer, str):
        return answer
    answer["job"] = Job(**answer["job"])
    answer["fit"], answer["predict"] = Times(**answer["fit"]), Times(**answer["predict"])
    return Result(**answer)


if __name__ == "__main__":
    main()
