"""The list of public names: the stub, as type checkers read it and as the package reads it."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import plaintree as pt

STUB = Path(pt.__file__).with_suffix(".pyi")
IMPORTS = [
    node for node in ast.parse(STUB.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)
]


def test_the_package_reads_every_line_of_the_stub() -> None:
    names = [alias.asname for node in IMPORTS for alias in node.names]
    assert sorted([*names, "__version__"]) == pt.__all__ == dir(pt)


def test_names_are_what_their_modules_define() -> None:
    for node in IMPORTS:
        home = import_module(f".{node.module}", "plaintree") if node.module else pt
        for alias in node.names:
            assert getattr(pt, alias.name) is getattr(home, alias.name)


def test_a_star_import_takes_the_public_names() -> None:
    found: dict[str, object] = {}
    exec("from plaintree import *", found)
    assert set(pt.__all__) <= set(found)


def test_importing_loads_no_other_module_of_the_package() -> None:
    program = "import sys, plaintree; print([m for m in sys.modules if m.startswith('plaintree')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"['plaintree']"


def test_every_to_frame_returns_a_polars_frame() -> None:
    sources = [path.read_text("utf-8") for path in STUB.parent.rglob("*.py")]
    methods = [
        node
        for source in sources
        if "def to_frame" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "to_frame"
    ]
    assert len(methods) >= 4
    assert {ast.unparse(node.returns) for node in methods if node.returns} == {"polars.DataFrame"}
