"""Generates the reference of the command line from the program itself.

A line ``{{commands}}`` of a page becomes a section per command: usage, help, arguments, options in
their groups, and examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sphinx.util.rst import escape
from typer.main import get_command

from plaintree.app.cli import app as program

MARK = "{{commands}}"
LITERAL = "\b"
"""click's mark of a paragraph that keeps its lines."""


def commands() -> dict[str, Any]:
    """The commands of the program by their names, in the order of its help."""
    group: Any = get_command(program)
    context = group.make_context("plaintree", [], resilient_parsing=True)
    return {name: group.get_command(context, name) for name in group.list_commands(context)}


def page() -> str:
    """A section per command, in Markdown."""
    return "\n\n".join(section(name, command) for name, command in commands().items())


def section(name: str, command: Any) -> str:
    """Usage, help, parameters and examples of a command."""
    context = command.make_context(f"plaintree {name}", [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    body = [
        f".. program:: plaintree {name}",
        f".. code-block:: text\n\n   plaintree {name} {usage}",
        *paragraphs(command.help),
        *parameters(context, command),
        *paragraphs(command.epilog),
    ]
    return f"## {name}\n\n```{{eval-rst}}\n" + "\n\n".join(body) + "\n```"


def paragraphs(text: str | None) -> Iterator[str]:
    """Help as reStructuredText: paragraphs, and blocks whose lines are kept."""
    for paragraph in re.split(r"\n\s*\n", (text or "").strip()):
        kept = paragraph.startswith(LITERAL)
        lines = paragraph.lstrip(f"{LITERAL}\n").splitlines()
        if not kept:
            yield escape(" ".join(line.strip() for line in lines))
            continue
        if lines and lines[0].rstrip().endswith(":"):
            yield f"**{escape(lines.pop(0).strip().rstrip(':'))}**"
        yield ".. code-block:: text\n\n" + "\n".join(f"   {line.strip()}" for line in lines)


def parameters(context: Any, command: Any) -> Iterator[str]:
    """Arguments and options, with a heading per group of the help."""
    groups: dict[str, list[str]] = {"Arguments": []}
    for parameter in command.get_params(context):
        if parameter.get_help_record(context):
            groups.setdefault(group_of(parameter), []).append(entry(context, parameter))
    for heading, entries in groups.items():
        yield from [f".. rubric:: {escape(heading)}", *entries] if entries else ()


def group_of(parameter: Any) -> str:
    """The heading under which the help lists a parameter."""
    panel = getattr(parameter, "rich_help_panel", None)
    return panel or ("Arguments" if parameter.param_type_name == "argument" else "Options")


def entry(context: Any, parameter: Any) -> str:
    """A parameter as the help has it: its names, its help, and its default in parentheses."""
    names, words = parameter.get_help_record(context)
    if parameter.param_type_name == "argument":
        names = names.split()[0].strip("[]")
    words, bracket, extra = words.partition("  [")
    remark = f" *({escape(extra.removesuffix(']'))})*" if bracket else ""
    return f".. option:: {names.replace(' / ', ', ')}\n\n   {escape(words)}{remark}"


def fill_pages(_app: Any, _page: str, source: list[str]) -> None:
    """Put the sections where a page has the mark."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, page())


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx when it starts."""
    app.connect("source-read", fill_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
