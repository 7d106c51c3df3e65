"""Runs one measurement in a fresh process, so that none of them warms up another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def measured(script: str, job: Any, most_seconds: int | None = None) -> dict[str, Any] | str:
    """What a script beside this file says about a job, or the last words of a run that failed."""
    threads = dict.fromkeys(THREAD_VARIABLES, str(job.threads))
    try:
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name(script)), json.dumps(asdict(job))],
            env={**os.environ, **threads},
            capture_output=True,
            text=True,
            check=False,
            timeout=most_seconds,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {most_seconds} s"
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"the process ended with code {done.returncode}"
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
