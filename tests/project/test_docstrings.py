"""The examples in docstrings, and in the README and the documentation, do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import plaintree as pt

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(pt.__path__, "plaintree.")
    if not module.name.endswith("._core")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


@pytest.mark.parametrize("name", pt.__all__)
def test_every_public_name_is_there_and_described(name: str) -> None:
    value = getattr(pt, name)
    assert name in dir(pt)
    assert isinstance(value, str) or value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        pt.no_such_name  # noqa: B018  # looking it up is the test


@pytest.mark.parametrize("page", ["README.md"])
def test_python_on_the_pages_runs(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
