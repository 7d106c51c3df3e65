"""Try an installed plaintree as a user would; `make wheel` runs this in an empty environment.

    python -I tools/try_installed.py

Grows, predicts, saves and loads, and runs the program both ways. Nothing but the package and what
it requires is needed.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import plaintree as pt


def output_of(*command: str | Path) -> str:
    """What a program prints; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    """Use everything once; an assertion fails where something is wrong."""
    assert Path(pt.__file__).is_relative_to(sys.prefix), f"not the installed one: {pt.__file__}"
    X, y = pt.datasets.load_golf()
    for model in (pt.C45Classifier(), pt.RandomForestClassifier(20, random_state=0)):
        predicted = model.fit(X, y).predict(X)
        pt.save(model, "golf.model")
        assert (pt.load("golf.model").predict(X) == predicted).all()
    assert model.score(X, y) > 0.9

    program = Path(sys.executable).with_name("plaintree")
    version = f"plaintree {pt.__version__}\n"
    assert output_of(program, "-V") == version
    assert output_of(sys.executable, "-m", "plaintree", "--version") == version
    assert "outlook = overcast: yes" in output_of(program, "demo")
    print(f"Works with Python {platform.python_version()}: plaintree {pt.__version__}")


if __name__ == "__main__":
    main()
