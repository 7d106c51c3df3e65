"""The command that lists the named profiles of conventions: profiles."""

from __future__ import annotations

from typing import Annotated

import typer

from .base import Output, command
from .declare import with_options
from .messages import reported


@command("profiles", "profiles rpart")
@with_options()
def profiles(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A profile; default: all.")
    ] = None,
    *,
    output: Output,
) -> None:
    """List the named profiles of conventions.

    Conventions are the choices that decide which tree grows from a table. grow and prune print
    the nearest profile of a tree.
    """
    with reported(output):
        from plaintree.tree.profiles import PROFILES

        from ..study.known import check_known
        from .show import Page, grid_of, write_json

        page = Page(output.width)
        if name is not None:
            check_known("profile", name, name, [profile.name for profile in PROFILES])
        chosen = [profile for profile in PROFILES if name in (None, profile.name)]
        if output.json:
            found = [{**vars(p), "conventions": p.conventions.to_json()} for p in chosen]
            write_json({"profiles": found})
            return
        for profile in chosen:
            page.print(str(profile))
        if name is not None:
            page.print()
            grid = grid_of("convention", "value")
            for convention, value in chosen[0].conventions.to_json().items():
                grid.add_row(convention, str(value))
            page.print(grid)
