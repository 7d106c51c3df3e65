"""Memory that is available to a call."""

from __future__ import annotations

from pathlib import Path

BASE_BYTES = 320 * 2**20
"""What the interpreter and the libraries take, with a batch of rows that is read."""
USUAL_BYTES = 2**30
"""The limit if none is given, and if a quarter of the available memory is not more."""


def usual_limit() -> int:
    """Return the memory that a process may take if no limit is given."""
    return max(USUAL_BYTES, available_bytes() // 4)


def available_bytes() -> int:
    """Return the available memory in bytes, or 0 if the system does not report it.

    Inside a container, its limit counts if it is lower.
    """
    return min((found for found in (_of_machine(), _of_container()) if found > 0), default=0)


def _of_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0


def _of_container() -> int:
    directory = Path("/sys/fs/cgroup")
    try:
        limit = int((directory / "memory.max").read_text())  # "max" where there is no limit
        used = int((directory / "memory.current").read_text())
        lines = (directory / "memory.stat").read_text().splitlines()
        idle = [int(line.split()[1]) for line in lines if line.startswith("inactive_file ")]
        return max(limit - used + sum(idle), 1)  # cached files are dropped on demand
    except (OSError, ValueError):
        return 0
