"""Public names: the stubs, as type checkers and as the packages read them."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import plaintree as pt
from tests.support.public_names import MODULES, public_objects


def stub(module: ModuleType) -> Path:
    """The stub of a package, whether or not it is there."""
    return Path(module.__file__ or "").with_suffix(".pyi")


def imports(module: ModuleType) -> list[ast.ImportFrom]:
    """The lines of a stub."""
    lines = ast.parse(stub(module).read_text("utf-8")).body
    return [node for node in lines if isinstance(node, ast.ImportFrom)]


WITH_STUB = [module for module in (pt, *MODULES.values()) if stub(module).exists()]


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_a_package_reads_every_line_of_its_stub(module: ModuleType) -> None:
    names = [alias.asname for node in imports(module) for alias in node.names]
    assert sorted(filter(None, names)) == module.__all__ == dir(module)


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_names_are_what_their_modules_define(module: ModuleType) -> None:
    for node in imports(module):
        relative = "." * node.level + (node.module or "")
        for alias in node.names:
            home = import_module(relative, module.__name__) if node.module else module
            assert getattr(module, alias.name) is getattr(home, alias.name)


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_no_submodule_hides_a_public_name(module: ModuleType) -> None:
    """Once ``plaintree.pruning.prune.x`` were imported, ``pruning.prune`` would be the module."""
    inside = {found.name for found in pkgutil.iter_modules(module.__path__)}
    public_modules = {name.rpartition(".")[2] for name in MODULES} if module is pt else set()
    assert set(module.__all__) & inside == public_modules


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_a_star_import_takes_the_public_names(module: ModuleType) -> None:
    found: dict[str, object] = {}
    exec(f"from {module.__name__} import *", found)
    assert set(module.__all__) == set(found) - {"__builtins__"}


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_an_unknown_name_is_an_attribute_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'none'"):
        module.none  # noqa: B018  # looking it up is the test


@pytest.mark.parametrize("module", WITH_STUB, ids=lambda module: module.__name__)
def test_importing_a_package_imports_none_of_its_modules(module: ModuleType) -> None:
    name = module.__name__
    program = f"import sys, {name}; print(*[m for m in sys.modules if m.startswith('plaintree')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert set(done.stdout.decode().split()) == {"plaintree", "plaintree.lazy", name}


# ------------------------------------------------------------------------------- what is returned


def own_classes() -> set[str]:
    """The names of all classes that the package defines, public or not."""
    modules = pkgutil.walk_packages(pt.__path__, "plaintree.")
    loaded = [importlib.import_module(m.name) for m in modules if not m.name.endswith("._core")]
    return {
        name
        for module in loaded
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and name[0] != "_"
    }


def annotations_of(value: object) -> dict[str, Any]:
    """What a public function returns, or the public methods and properties of a public class."""
    if inspect.isfunction(value):
        return {value.__name__: value.__annotations__.get("return")}
    if not inspect.isclass(value):
        return {}
    found = {}
    for name, member in inspect.getmembers_static(value):
        if isinstance(member, property):
            function: Any = member.fget
        elif isinstance(member, cached_property):
            function = member.func
        else:
            function = inspect.unwrap(getattr(member, "__func__", member))
        if not name.startswith("_") and inspect.isfunction(function):
            found[f"{value.__name__}.{name}"] = function.__annotations__.get("return")
    return found


def test_classes_that_are_returned_are_public() -> None:
    public, own = public_objects(), own_classes()
    names = {name.rpartition(".")[2] for name in public}
    hidden = {
        (where, word)
        for value in public.values()
        for where, annotation in annotations_of(value).items()
        for word in re.findall(r"\w+", str(annotation))
        if word in own and word not in names
    }
    assert hidden == set(), "add them to the __init__.pyi of their room"


def test_every_to_frame_returns_a_polars_frame() -> None:
    sources = [path.read_text("utf-8") for path in Path(pt.__file__).parent.rglob("*.py")]
    methods = [
        node
        for source in sources
        if "def to_frame" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "to_frame"
    ]
    assert len(methods) >= 4
    assert {ast.unparse(node.returns) for node in methods if node.returns} == {"polars.DataFrame"}
