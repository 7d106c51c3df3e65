"""Running the command line in tests."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import plaintree as pt
from plaintree.cli import app

GOLF = str(Path(pt.datasets.__file__).with_name("golf.csv"))


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


def plaintree(*arguments: str, stdin: str | None = None) -> Outcome:
    """Run a command in this process."""
    result = CliRunner(env={"COLUMNS": "100"}).invoke(app, list(arguments), input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program itself."""
    command = [sys.executable, "-c", "from plaintree.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def rows(header: str, *columns: list[Any]) -> str:
    """A CSV text from columns."""
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *lines]) + "\n"
