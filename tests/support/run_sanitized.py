"""Runs a good part of the tests with the engine built under sanitizers.

    python -m tests.support.run_sanitized BUILD_DIR

The package is laid out anew with the sanitized native module in it, and the sanitizer's runtime
is loaded before Python's own libraries. A fault ends the run with the sanitizer's report.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = [
    "tests/growing/test_engine_equals_naive.py",
    "tests/estimators/test_seeds.py",
    "tests/estimators/test_trees.py",
    "tests/tree/test_tree.py",
    "tests/tree/test_forest.py",
    "tests/estimators/test_forest.py::TestColumnsPerNode",
    "tests/estimators/test_forest.py::TestVotes",
]
# Tests that measure size rather than correctness, or start processes of their own.
LEFT_OUT = "not chain and not ctrl_c and not light and not joblib and not test_many and not 300"


def lay_out(build: Path) -> Path:
    """A folder with the package's Python files and the sanitized module."""
    site = build / "site"
    package = site / "plaintree"
    package.mkdir(parents=True, exist_ok=True)
    for source in (ROOT / "src" / "plaintree").iterdir():
        link = package / source.name
        if not link.is_symlink():
            link.symlink_to(source)
    for module in build.glob("_core*.so"):
        link = package / module.name
        link.unlink(missing_ok=True)
        link.symlink_to(module)
    return site


def run_tests(site: str) -> int:
    """Inside the prepared process: import the package from `site`, not where it is installed."""
    import pytest

    sys.meta_path = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
    sys.path.insert(0, site)
    import plaintree._core

    assert site in plaintree._core.__file__, plaintree._core.__file__
    files = [str(ROOT / name) for name in TESTS]
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-k", LEFT_OUT, *files]))


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    if os.environ.get("PLAINTREE_SANITIZED"):
        return run_tests(str(build / "site"))
    lay_out(build)
    runtimes = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")
    ]
    environment = {
        **os.environ,
        "PLAINTREE_SANITIZED": "1",
        "LD_PRELOAD": " ".join(runtimes),
        # Python keeps memory until the end on purpose; leaks are looked for by the C++ tests.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
    return subprocess.call([sys.executable, __file__, str(build)], env=environment)


if __name__ == "__main__":
    sys.exit(main())
