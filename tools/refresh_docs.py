"""Write the output of the documentation's examples again, after a change of what is printed.

    python tools/refresh_docs.py            # README.md and docs/
    python tools/refresh_docs.py --sources  # and the docstrings of src/plaintree
    python tools/refresh_docs.py docs/start.md src/plaintree/show/text.py

Runs each example and replaces the output below it if it differs; review that with `git diff`.
An example that raises an error it does not show is reported and left as it is: its code must be
changed by hand. So is one whose lines are not found, such as those of a generated docstring.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"


class Refresher(doctest.DocTestRunner):
    """Runs examples; keeps the output of those that print something else, and the errors."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.found: dict[int, str] = {}
        self.errors: dict[int, str] = {}

    def report_failure(self, _out: Any, test: Any, example: Any, got: str) -> None:
        """Keep the output of an example."""
        self.found[(test.lineno or 0) + example.lineno] = got

    def report_unexpected_exception(
        self, _out: Any, test: Any, example: Any, exc_info: Any
    ) -> None:
        """Keep the first error of a test: those after it follow from it."""
        message = f"{exc_info[0].__name__}: {exc_info[1]}"
        self.errors.setdefault((test.lineno or 0) + example.lineno, message)


def shown(got: str, indent: str) -> list[str]:
    """Output as doctest expects it: indented, with a mark for each empty line."""
    if got.startswith("Traceback (most recent call last):"):
        got = "Traceback (most recent call last):\n    ...\n" + got.splitlines()[-1]
    lines = got.rstrip("\n").split("\n") if got.strip("\n") else []
    return [f"{indent}{line if line.strip() else '<BLANKLINE>'}" for line in lines]


def refreshed(lines: list[str], tests: list[doctest.DocTest]) -> tuple[list[str], list[str]]:
    """The lines of a file with the output of its examples, and reports of what was left."""
    replaced: list[tuple[int, int, list[str]]] = []
    reports = []
    for test in tests:
        runner = Refresher()
        runner.run(test, out=lambda _: None)
        reports += [f"{place + 1}: {error}" for place, error in list(runner.errors.items())[:1]]
        for example in test.examples:
            start = (test.lineno or 0) + example.lineno
            if start not in runner.found or runner.errors:
                continue
            indent = " " * example.indent
            below = start + example.source.count("\n")
            old = [f"{indent}{line}".rstrip() for line in example.want.splitlines()]
            if [line.rstrip() for line in lines[below : below + len(old)]] != old:
                reports.append(f"{start + 1}: the example is not found here")
                continue
            replaced.append((below, below + len(old), shown(runner.found[start], indent)))
    for below, end, new in sorted(replaced, reverse=True):
        lines[below:end] = new
    return lines, reports


def tests_of(file: Path, text: str) -> list[doctest.DocTest]:
    """The examples of a page, or of the docstrings of a module."""
    if file.suffix == ".md":
        parser = doctest.DocTestParser()
        return [parser.get_doctest(text, {"__name__": "__main__"}, file.name, str(file), 0)]
    name = ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    return [t for t in doctest.DocTestFinder(exclude_empty=True).find(module) if t.examples]


def refresh(file: Path) -> list[str]:
    """Write the output of a file's examples again; return reports."""
    text = file.read_text("utf-8")
    lines, reports = refreshed(text.split("\n"), tests_of(file, text))
    new = "\n".join(lines)
    try:
        new = with_first_outputs(new) if file.suffix == ".md" else new
    except Exception as error:
        reports.append(f" {type(error).__name__}: {error}")
    if new != text:
        file.write_text(new, "utf-8")
        print(f"rewritten: {file.relative_to(ROOT)}")
    return [f"{file.relative_to(ROOT)}:{report}" for report in reports]


PROGRAM = re.compile(r"^```python\n(?!>>>)(.*?)^```", re.DOTALL | re.M)
OUTPUT = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.M)


def first_output(program: str) -> str:
    """What the first statement of a program that prints something prints."""
    variables: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for statement in ast.parse(program).body:
        captured = io.StringIO()
        with redirect_stdout(captured):
            exec(compile(ast.Module([statement], []), "<page>", "exec"), variables)
        printed = printed or captured.getvalue()
    return printed


def with_first_outputs(text: str) -> str:
    """A page whose ``text`` blocks have the first output of the programs above them.

    The README shows programs without prompts, to be pasted.
    """
    programs: list[Any] = list(PROGRAM.finditer(text))
    for program, following in reversed([*pairwise([*programs, None])]):
        end = following.start() if following else len(text)
        block = OUTPUT.search(text, program.end(), end)
        if block:
            text = text[: block.start(1)] + first_output(program[1]) + text[block.end(1) :]
    return text


def chosen(arguments: argparse.Namespace) -> Iterator[Path]:
    """The files whose examples are run."""
    if arguments.files:
        yield from (file.resolve() for file in arguments.files)
        return
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))
    if arguments.sources:
        modules = sorted((SOURCES / "plaintree").rglob("*.py"))
        yield from (module for module in modules if ">>>" in module.read_text("utf-8"))


def main() -> int:
    """Refresh the files; 1 if something must be changed by hand."""
    parser = argparse.ArgumentParser(description="Write the output of examples again")
    parser.add_argument(
        "files", nargs="*", type=Path, help="pages and modules (default: all pages)"
    )
    parser.add_argument("--sources", action="store_true", help="docstrings as well")
    reports = [report for file in chosen(parser.parse_args()) for report in refresh(file)]
    print(*reports, sep="\n", end="\n" if reports else "", file=sys.stderr)
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
