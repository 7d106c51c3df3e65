"""The commands in their order, and the help of each, with its options in groups."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

ORDER = (
    "inspect",
    "grow",
    "derive",
    "explain",
    "prune",
    "rules",
    "forest",
    "compare",
    "evaluate",
    "predict",
    "export",
    "diff",
    "check",
    "profiles",
    "studio",
    "demo",
)
"""The commands as the help lists them: from inspecting a table to using a model."""

TABLE, BATCHES, LEARNER, VALIDATION, FILES, OUTPUT = (
    "Reading the table",
    "Tables larger than memory",
    "Learner",
    "Validation and computation",
    "Files to write",
    "Output",
)
"""The groups of options, in the order of the help; options without a group come first."""

TYPED = "plaintree.typed"
"""The key of the context's data that holds the arguments as typed."""


def examples(*commands: str) -> str:
    """The text below the options in the help of a command."""
    return "\n".join(["\b", "Examples:", *(f"  plaintree {command}" for command in commands)])


class Command(TyperCommand):
    """A command whose help lists its options in groups.

    typer groups options only where rich formats the help, and importing rich takes longer than
    all the rest of ``--help``.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; several files are usually a pattern that the shell has expanded."""
        try:
            rest: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if "unexpected extra argument" in str(error) and self.takes_pattern:
                is_unit = re.search(r"\([kmgt]i?b\)", str(error), re.IGNORECASE)
                error.message += (  # type: ignore[attr-defined]
                    ". Write an amount of memory without a space, as in --memory 2GB."
                    if is_unit
                    else ". Put a pattern in quotes, as in 'data/*.parquet'."
                )
            raise
        return rest

    @property
    def takes_pattern(self) -> bool:
        """Whether an argument may be a pattern."""
        return any("pattern" in str(getattr(part, "help", "")) for part in self.params)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group: [] for group in (TABLE, BATCHES, LEARNER, VALIDATION, FILES, OUTPUT)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            group = getattr(parameter, "rich_help_panel", None) or "Options"
            if parameter.param_type_name == "argument":
                group = "Arguments"
            elif parameter.name == "help":
                group = OUTPUT
            sections.setdefault(group, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class Commands(TyperGroup):
    """All commands; an error about the value of an option shows that value as typed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of ``ORDER``; others come last."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the arguments as typed."""
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an error about the value of an option shows that value."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            typed = _typed(ctx.meta[TYPED], getattr(error.param, "opts", ()))
            if typed:
                error.message = f"{error.message.rstrip('.')}. Got {typed}."
            raise


def _typed(arguments: Sequence[str], flags: Sequence[str]) -> str | None:
    """The last of the arguments that give an option, with its value."""
    for place in reversed(range(len(arguments))):
        flag, equals, _ = arguments[place].partition("=")
        if flag in flags and flag.startswith("-"):
            return shlex.join(arguments[place : place + (1 if equals else 2)])
    return None
