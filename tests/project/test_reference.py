"""The reference is generated: public names from their lists, commands from the program."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.inventory import InventoryFile

import plaintree as pt

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs" / "extensions"))

import array_types  # the extensions of Sphinx are not a package
import commands
import inventories
import public_names
import reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
MARKS = [mark for page in PAGES for mark in reference.MARK.findall(page.read_text("utf-8"))]


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    shown = [public.path for mark in MARKS for public in reference.chosen(mark)]
    assert sorted(shown) == sorted(public.path for public in public_names.public_names())


def test_public_names_are_those_of_the_package_and_its_modules() -> None:
    paths = {public.path for public in public_names.public_names()}
    plain = {name for name in pt.__all__ if not inspect.ismodule(getattr(pt, name))}
    assert {f"plaintree.{name}" for name in plain - {"__version__"}} <= paths
    assert "plaintree.datasets.load_golf" in paths
    assert not any(path.startswith("plaintree.app") for path in paths)


def test_a_mark_becomes_a_table_with_a_page_per_name() -> None:
    table = reference.table_of("show -show.plot")
    assert "\n   export_text\n" in table
    assert "plot_tree" not in table
    tree = next(public for public in public_names.public_names() if public.name == "Tree")
    assert reference.page_of(tree).endswith(".. autoclass:: Tree\n")
    assert reference.page_of(tree).startswith("Tree\n====\n")


def test_an_error_is_described_as_an_exception() -> None:
    kinds = {public.name: public.directive for public in public_names.public_names()}
    assert kinds["PlaintreeError"] == "autoexception"
    assert kinds["Tree"] == "autoclass"
    assert kinds["export_text"] == "autofunction"


def test_every_command_and_option_of_the_program_is_on_the_page() -> None:
    page = commands.page()
    assert re.findall(r"^## (\w+)$", page, re.M) == list(commands.commands())
    for name, command in commands.commands().items():
        context = command.make_context(name, [], resilient_parsing=True)
        section = commands.section(name, command)
        entries = re.findall(r"^\.\. option:: (.*)$", section, re.M)
        options = [o for p in command.get_params(context) for o in p.opts if o.startswith("--")]
        assert {o for o in options if o not in " ".join(entries)} == set()
        assert len(entries) == len(command.get_params(context))


def test_help_that_keeps_its_lines_becomes_a_block() -> None:
    help_text = "Grow a\n tree.\n\n\b\nExamples:\n  plaintree demo\n  plaintree look x_y"
    first, heading, block = commands.paragraphs(help_text)
    assert first == "Grow a tree."
    assert heading == "**Examples**"
    assert block == ".. code-block:: text\n\n   plaintree demo\n   plaintree look x_y"


def test_inventories_are_read_by_sphinx_without_a_network(tmp_path: Path) -> None:
    mapping = inventories.write_inventories(tmp_path)
    assert {"python", "numpy", "sklearn", "pandas", "polars"} <= set(mapping)
    address, file = mapping["numpy"]
    read = InventoryFile.loads(Path(file).read_bytes(), uri=address).data
    array = read["py:class"]["numpy.ndarray"]
    assert array.uri == "https://numpy.org/doc/stable/reference/generated/numpy.ndarray.html"


def test_types_of_arrays_are_short() -> None:
    pieces = ["ndarray", "[", "tuple", "[", "Any", ",", " ", "...", "]", ",", " "]
    pieces += ["dtype", "[", "int32", "]", "]", " ", "|", " ", "None"]
    signature = addnodes.desc_signature("", "", *(nodes.inline("", piece) for piece in pieces))
    array_types.shorten(signature)
    assert signature.astext() == "NDArray[int32] | None"
