"""The rooms of the package: their names, their order in the contract, and what they say."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "plaintree"
PACKAGES = sorted(init.parent.name for init in PACKAGE.glob("*/__init__.py"))
MODULES = sorted(module.stem for module in PACKAGE.glob("*.py") if not module.stem.startswith("__"))


def layers() -> list[str]:
    """The rooms and modules of import-linter's contract, from the outside inwards."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    contract = next(c for c in contracts if c["type"] == "layers")
    assert contract["containers"] == ["plaintree"]
    return [name.strip() for layer in contract["layers"] for name in re.split(r"[|:]", layer)]


def test_the_contract_has_the_rooms_and_no_others() -> None:
    assert sorted(layers()) == sorted([*PACKAGES, *MODULES])


@pytest.mark.parametrize("room", PACKAGES)
def test_a_room_says_what_belongs_in_it(room: str) -> None:
    source = (PACKAGE / room / "__init__.py").read_text("utf-8")
    summary, _, paragraph = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")
    assert re.fullmatch(r"[^\n]+\.", summary), "one line that ends with a full stop"
    assert len(paragraph.split()) > 10, "a paragraph: what belongs here, and what does not"
