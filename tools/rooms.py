"""Print the lines of the package, of the core and of their tests, room by room.

    python tools/rooms.py

All lines count, comments and blank ones included.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {".py", ".pyi", ".h", ".cpp"}
HELPERS = "(helpers)"


def lines_by_room(directory: Path, *, without: frozenset[str] = frozenset()) -> Counter[str]:
    """Count the lines below each subdirectory; files of the directory itself are helpers."""
    lines: Counter[str] = Counter()
    for path in directory.rglob("*"):
        room, *rest = path.relative_to(directory).parts
        if path.suffix in SOURCES and room not in without:
            lines[room if rest else HELPERS] += len(path.read_bytes().splitlines())
    return lines


def table(title: str, code: Counter[str], tests: Counter[str]) -> str:
    """Lay out two counts side by side, the largest room first, the sums last."""
    rooms = sorted(code.keys() | tests.keys(), key=lambda room: (-code[room], -tests[room]))
    rows = [(room, code[room], tests[room]) for room in rooms]
    rows.append(("sum", code.total(), tests.total()))
    lines = [f"{title:<14}{'lines':>8}{'tests':>8}"]
    lines += [f"{room:<14}{n:>8,}{n_tests:>8,}" for room, n, n_tests in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    tests = ROOT / "tests"
    package = lines_by_room(ROOT / "src/plaintree")
    print(table("src/plaintree", package, lines_by_room(tests, without=frozenset({"core"}))))
    print()
    print(table("src/core", lines_by_room(ROOT / "src/core"), lines_by_room(tests / "core")))
