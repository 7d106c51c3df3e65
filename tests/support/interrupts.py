"""A fit in another process that Ctrl-C ends."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def interrupted_fit(model: str, *, n_rows: int, n_columns: int, after: float) -> list[str]:
    """Fit a model, given as an expression, to noise; return what an interrupt leaves of it.

    "interrupted", and the fitted attributes that there are.
    """
    program = textwrap.dedent(f"""
        import os, signal, threading
        import numpy as np, plaintree as pt
        random = np.random.default_rng(0)
        X, y = random.normal(size=({n_rows}, {n_columns})), random.integers(0, 2, {n_rows})
        model = {model}
        threading.Timer({after}, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", *(a for a in ("tree_", "trees_") if hasattr(model, a)))
    """)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()
