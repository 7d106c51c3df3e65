"""The examples in docstrings, and in the README and the documentation, do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import plaintree as pt
from tests.support.public_names import MODULES as PUBLIC_MODULES
from tests.support.public_names import public_objects

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(pt.__path__, "plaintree.")
    if not module.name.endswith("._core")
)
PUBLIC = {**PUBLIC_MODULES, **public_objects()}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_described(name: str) -> None:
    assert PUBLIC[name].__doc__


@pytest.mark.parametrize("page", ["README.md"])
def test_python_on_the_pages_runs(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
