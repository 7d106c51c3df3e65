"""What a process and all that it started take: CPU seconds, and the peak of memory."""

from __future__ import annotations

import os
from pathlib import Path

import psutil


def family_cpu() -> float:
    """CPU seconds of this process and its children's, also of those that have ended."""
    own = psutil.Process()
    total = 0.0
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def peak_bytes(pid: int | None = None) -> int:
    """The greatest resident memory of a process so far."""
    status = Path(f"/proc/{pid or os.getpid()}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def peak_of_children() -> int:
    """The greatest peak among the processes that this one has started."""
    peaks = [0]
    for child in psutil.Process().children(recursive=True):
        try:
            peaks.append(peak_bytes(child.pid))
        except (OSError, StopIteration):
            continue
    return max(peaks)
