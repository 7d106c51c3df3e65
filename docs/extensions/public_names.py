"""The public names of plaintree and the modules to import them from, for the reference.

A public name is listed in the ``__all__`` of the package or of one of its modules. The reference is
generated from these lists: a name that is added, moved or removed there needs no edit of a page.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import plaintree

NOT_LIBRARY = {"app", "__main__"}
"""The command line and the report: programs, not modules to import from."""


@dataclass(frozen=True)
class PublicName:
    """A name, the module to import it from, and the room that defines it."""

    name: str
    module: str
    room: str
    value: Any

    @property
    def path(self) -> str:
        """The full name, such as ``plaintree.stats.entropy``."""
        return f"{self.module}.{self.name}"

    @property
    def directive(self) -> str:
        """The directive of autodoc that describes it."""
        if inspect.isclass(self.value):
            return "autoexception" if issubclass(self.value, BaseException) else "autoclass"
        return "autofunction" if callable(self.value) else "autodata"

    def belongs_to(self, where: str) -> bool:
        """Whether it is defined in a module or below it, both named without ``plaintree.``."""
        return f"{self.room}.".startswith(f"{where}.")


@cache
def public_modules() -> tuple[str, ...]:
    """The package, and its modules that have a list of public names."""
    found = [f"plaintree.{m.name}" for m in iter_modules(plaintree.__path__)]
    below = [name for name in found if name.split(".")[1] not in NOT_LIBRARY]
    return ("plaintree", *(name for name in below if hasattr(import_module(name), "__all__")))


@cache
def public_names() -> tuple[PublicName, ...]:
    """All public names; one that several modules list belongs to the first of them."""
    found: dict[Any, PublicName] = {}
    for module in public_modules():
        home = import_module(module)
        for name in home.__all__:
            value = getattr(home, name)
            if not inspect.ismodule(value) and not name.startswith("__"):
                public = PublicName(name, module, room_of(value, module), value)
                found.setdefault((public.room, name), public)
    return tuple(found.values())


def room_of(value: Any, module: str) -> str:
    """The module that defines a value, or else the one that lists it, without ``plaintree.``."""
    home = str(getattr(value, "__module__", module))
    return (home if home.startswith("plaintree.") else module).removeprefix("plaintree.")
