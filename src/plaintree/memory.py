"""How much memory a call may still take."""

from __future__ import annotations

from pathlib import Path


def available_bytes() -> int:
    """The memory that is free to be used, or 0 if this system does not tell.

    Inside a container its own limit counts, if it is the lower one.
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
    folder = Path("/sys/fs/cgroup")
    try:
        limit = int((folder / "memory.max").read_text())  # "max" where there is no limit
        used = int((folder / "memory.current").read_text())
        lines = (folder / "memory.stat").read_text().splitlines()
        idle = [int(line.split()[1]) for line in lines if line.startswith("inactive_file ")]
        return max(limit - used + sum(idle), 1)  # copies of files make room when asked
    except (OSError, ValueError):
        return 0
