"""Running the command line in tests."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import plaintree as pt
from plaintree.app.cli import app

GOLF = str(Path(pt.datasets.__file__).with_name("golf.csv"))
X, Y = pt.read_table(GOLF, "play")
MODEL = pt.C45Classifier().fit(X, Y)


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON object; numbers that JSON has not are refused."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


@cache
def commands() -> Any:
    """All commands, put together once: that takes longer than most of them run."""
    return get_command(app)


def plaintree(*arguments: str, stdin: str | None = None, charset: str = "utf-8") -> Outcome:
    """Run a command in this process; what it writes must be of that character set."""
    with CliRunner(charset, {"COLUMNS": "100"}).isolation(input=stdin) as (out, err, _):
        with pytest.raises(SystemExit) as ended:
            commands().main(args=arguments, prog_name="plaintree")
        sys.stdout.flush()
        sys.stderr.flush()
        said, told = (stream.getvalue().decode() for stream in (out, err))
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return Outcome(code or 0, said, told)


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program itself."""
    command = [sys.executable, "-c", "from plaintree.app.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def rows(header: str, *columns: list[Any]) -> str:
    """A CSV text from columns."""
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *lines]) + "\n"
