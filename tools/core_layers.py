"""Check that includes of the core point inward only, directory by directory.

    python tools/core_layers.py [src/core]

A directory includes itself and directories of later lines; those of one line do not meet.
`make lint` runs this beside import-linter, which does the same for the package.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LAYERS = """
bind
forest | prune | rules | levels
grow | predict
search
tree | blocks
table
stats
base
"""


def violations(core: Path) -> list[str]:
    """List each include that points outward or sideways, or at no known directory."""
    lines = LAYERS.strip().splitlines()
    rank = {room: i for i, line in enumerate(lines) for room in line.split(" | ")}
    found = []
    for path in sorted([*core.rglob("*.h"), *core.rglob("*.cpp")]):
        here = path.relative_to(core).parts[0]
        for included in re.findall(r'#include "([^"]+)"', path.read_text()):
            there = included.split("/")[0]
            if here not in rank or there not in rank:
                found.append(f"{path}: {included} is in no known directory")
            elif here != there and rank[there] <= rank[here]:
                found.append(f"{path}: {here} must not include {included}")
    return found


if __name__ == "__main__":
    wrong = violations(Path(*(sys.argv[1:] or ["src/core"])))
    print("\n".join(wrong) or "Includes of the core point inward only.")
    sys.exit(bool(wrong))
