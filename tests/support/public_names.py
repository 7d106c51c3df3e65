"""The public names of plaintree, read from the stubs and ``__all__`` of its modules."""

from __future__ import annotations

from types import ModuleType

import plaintree as pt

MODULES: dict[str, ModuleType] = {
    f"plaintree.{name}": value
    for name in pt.__all__
    if isinstance(value := getattr(pt, name), ModuleType)
}
"""The public modules below the package."""


def public_objects() -> dict[str, object]:
    """Return every public name with its module, such as ``plaintree.stats.entropy``."""
    found = {f"plaintree.{name}": getattr(pt, name) for name in pt.__all__}
    for module, value in MODULES.items():
        found |= {f"{module}.{name}": getattr(value, name) for name in value.__all__}
    return {name: value for name, value in found.items() if name not in MODULES}
