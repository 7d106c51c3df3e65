"""``plaintree studio``: what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.command_line import GOLF, plaintree
from tests.support.studio_server import ROOT, STAND_IN

PROGRAM = (
    f"from plaintree.app.studio.workers import processes; processes.REPLIES = {STAND_IN!r}; "
    "from plaintree.app.cli import main; main()"
)


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program, when it has printed its address."""
    command = [sys.executable, "-c", PROGRAM, "studio", "--no-browser", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "PYTHONPATH": ROOT}
    with subprocess.Popen(command, text=True, env=environment, **streams) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def test_it_prints_the_address_and_ends_with_ctrl_c() -> None:
    with started(GOLF, "-t", "play", "-q") as program:
        assert program.stdout is not None
        lines = [program.stdout.readline() for _ in range(3)]
        assert lines[0] == f"Table: {GOLF}\n"
        assert re.fullmatch(r"Studio: http://127\.0\.0\.1:\d+/#t=[\w-]{32}\n", lines[1])
        assert lines[2] == "Press Ctrl-C to end.\n"
        workers = psutil.Process(program.pid).children()
        for process in [*workers, psutil.Process(program.pid)]:  # a terminal signals all of them
            process.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=10)
        assert (program.returncode, out, err) == (130, "", "interrupted\n")
        assert not any(worker.is_running() for worker in workers)


def test_a_signal_to_end_leaves_no_worker() -> None:
    with started() as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "Table: chosen on the page\n"
        workers = psutil.Process(program.pid).children()
        program.terminate()
        _, err = program.communicate(timeout=10)
        assert program.returncode == -signal.SIGTERM
        assert "Traceback" not in err
        assert len(workers) == 1
        assert not any(worker.is_running() for worker in workers)


def test_workers_end_when_the_program_is_killed() -> None:
    with started("golf") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "Table: golf\n"
        workers = psutil.Process(program.pid).children()
        program.kill()
        _, alive = psutil.wait_procs(workers, timeout=5)
        assert alive == []


def test_a_table_that_cannot_be_read_is_an_error_and_nothing_is_served() -> None:
    with started(GOLF, "-t", "nothing") as program:
        out, err = program.communicate(timeout=20)
    assert (program.returncode, out) == (2, "")
    assert err == "error: there is no column. Got --target nothing. Hint: use play.\n"


def test_it_reads_a_table_by_the_options_of_the_other_commands() -> None:
    with started(GOLF, "-t", "play", "--type", "humiditi=text") as program:
        out, err = program.communicate(timeout=20)
    assert (program.returncode, out) == (2, "")
    assert err == "error: the table has no such column. Got --type humiditi=text.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.csv"], 3, "there is no file none.csv"),
        (["golff"], 3, "did you mean 'golf'?"),
        (["-"], 2, "cannot be standard input"),
        ([""], 2, "the name of the table is empty"),
        (["--target", "play"], 2, "--target needs a table. Got --target play"),
        (["--drop", "play"], 2, "options about reading a table need one"),
        ([GOLF, "--type", "windy"], 2, "--type needs a column and a kind. Got --type windy"),
        ([GOLF, "--type", "windy=bool"], 2, "Got --type windy=bool. Hint: did you mean 'boolean'"),
        ([GOLF, "--dates", "year-first"], 2, "--dates"),
        (
            [GOLF, "--task", "regresion"],
            2,
            "Got --task regresion. Hint: use one of",
        ),
        (["--memory", "much"], 2, "--memory is not an amount of memory. Got --memory much"),
        (["--port", "70000"], 2, "Got --port 70000"),
        (["--port", "-1"], 2, "Got --port -1"),
    ],
)
def test_what_cannot_be_served_is_an_error(arguments: list[str], code: int, message: str) -> None:
    done = plaintree("studio", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err


def test_a_directory_is_an_error(tmp_path: Path) -> None:
    assert "is a directory" in plaintree("studio", str(tmp_path)).err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "msgspec"])
def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    done = plaintree("studio")
    assert done.code == 3
    assert "pip install 'plaintree[studio]'" in done.err
