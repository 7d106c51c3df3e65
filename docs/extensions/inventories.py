"""Links to the documentation of other libraries, from lists in this directory.

Sphinx would download the inventories of all objects of these libraries. The reference needs a few
names only; ``inventories.toml`` lists them, so the pages can be built without a network.
"""

from __future__ import annotations

import tomllib
import zlib
from pathlib import Path

LISTS = Path(__file__).with_name("inventories.toml")
HEADER = """\
# Sphinx inventory version 2
# Project: {}
# Version:
# The remainder of this file is compressed using zlib.
"""


def write_inventories(directory: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory per library; return the setting ``intersphinx_mapping``."""
    directory.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for name, library in tomllib.loads(LISTS.read_text("utf-8")).items():
        lines = [
            f"{public} {role} 1 {place.replace('{}', public)} -\n"
            for role, places in library["names"].items()
            for place, names in places.items()
            for public in names
        ]
        file = directory / f"{name}.inv"
        file.write_bytes(
            HEADER.format(name).encode() + zlib.compress("".join(sorted(lines)).encode())
        )
        mapping[name] = (library["address"], str(file))
    return mapping
