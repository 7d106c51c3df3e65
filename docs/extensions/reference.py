"""Generates the reference: a page for each public name, and the lists of names on its pages.

A line ``{{names show -show.plot}}`` of a page becomes a table of the public names that a module
defines, without those of another, with links to their pages in ``reference/api``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from public_names import PublicName, public_names

MARK = re.compile(r"^\{\{names (.*?)\}\}$", re.M)


def page_of(public: PublicName) -> str:
    """The source of the page of a name."""
    short = public.path.removeprefix("plaintree.")
    title = f"{short}\n{'=' * len(short)}\n"
    about = f".. currentmodule:: {public.module}\n\n.. {public.directive}:: {public.name}\n"
    return f"{title}\n{about}"


def write_pages(app: Any) -> None:
    """Write the page of each public name, and remove those of names that are no longer public."""
    directory = Path(app.srcdir) / "reference" / "api"
    directory.mkdir(exist_ok=True)
    pages = {directory / f"{public.path}.rst": page_of(public) for public in public_names()}
    for stale in set(directory.glob("*.rst")) - set(pages):
        stale.unlink()
    for file, text in pages.items():
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")


def chosen(wanted: str) -> list[PublicName]:
    """The public names of a mark, in the order of its modules."""
    modules = [where for where in wanted.split() if not where.startswith("-")]
    others = tuple(where[1:] for where in wanted.split() if where.startswith("-"))
    return [
        public
        for module in modules
        for public in public_names()
        if public.belongs_to(module) and not any(map(public.belongs_to, others))
    ]


def table_of(wanted: str) -> str:
    """A table of public names with the first sentence of each."""
    names = [public.path.removeprefix("plaintree.") for public in chosen(wanted)]
    options = [":toctree: api", ":signatures: none", ""]
    lines = [".. currentmodule:: plaintree", "", ".. autosummary::"]
    lines += [f"   {line}" for line in (*options, *names)]
    return "\n".join(["```{eval-rst}", *lines, "```"]) if names else ""


def fill_pages(_app: Any, _page: str, source: list[str]) -> None:
    """Put the tables where a page has marks."""
    source[0] = MARK.sub(lambda mark: table_of(mark[1]), source[0])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx when it starts."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", fill_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
