"""Public names of a package, imported on first use from the modules that define them.

A package lists its public names in ``__init__.pyi``, one a line: ``from .module import name as
name``, or ``from . import module as module``. Type checkers and editors read this stub as it is,
and :func:`attach` reads the same lines, so the names are listed once and importing the package
imports none of its modules.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from sys import modules

Attached = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]


def attach(package: str, file: str) -> Attached:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    file : str
        Its ``__file__``; the stub is in the same directory.
    """
    homes = _read_stub(file)
    names = sorted(homes)

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == ".":
            return import_module(f".{name}", package)
        value = getattr(import_module(homes[name], package), name)
        setattr(modules[package], name, value)
        return value

    return load, names.copy, names


def _read_stub(file: str) -> dict[str, str]:
    """Read the public names and the modules that define them."""
    homes = {}
    stub = file.removesuffix("c").removesuffix(".py") + ".pyi"  # beside __init__.py
    with open(stub, encoding="utf-8") as lines:
        for line in lines:
            match line.split():
                case ["from", module, "import", name, "as", _]:
                    homes[name] = module
    return homes
