"""A tree as SVG: well formed, harmless whatever the names are, and complete on pointing at it."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.show.picture.palette import ACCENT
from plaintree.show.picture.svg import export_svg, notebook_html
from plaintree.tree.tree import Tree
from tests.support.trees import XY_SCHEMA, build, chain_spec, tennis

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {"svg", "title", "rect", "g", "polyline", "text"}
HOSTILE = [
    "</script><script>alert(1)</script>",
    "</svg><img src=x onerror=alert(1)>",
    '" onload="alert(1)" x=\'',
    "🎾 tennis & <b>",
    "\x00\x07\x1b[31m\u202e\ud800",
    "]]>&#x3c;!--",
    "x" * 300,
]


def named(name: str) -> Tree:
    """A tree in which the attribute, a category, a class and the target have one name."""
    attribute = Feature(name, "categorical", "text", (name, "b", "c"))
    schema = Schema((attribute, Feature("x", "numeric")), (name, "no"), name)
    return build(schema, (name, {name: ("x <=", 1, [2, 0], [0, 1]), "b": [1, 2], "c": [0, 0]}))


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_the_words_of_a_tree_are_there_in_order() -> None:
    drawn = words(parsed(export_svg(tennis())))
    assert drawn[:5] == ["outlook", "No: 5, Yes: 9", "Yes", "4 rows", "Overcast"]
    assert drawn[-2:] == ["No", "Yes"]


def test_a_model_is_drawn_as_its_tree() -> None:
    assert export_svg(SimpleNamespace(tree_=tennis())) == export_svg(tennis())


def test_a_picture_says_what_it_is_and_how_large() -> None:
    root = parsed(export_svg(tennis()))
    assert root.get("aria-label") == "Decision tree for play: 3 splits, 5 leaves"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"


def test_pointing_at_a_node_shows_all_of_it() -> None:
    titles = [title.text for title in parsed(export_svg(tennis())).iter(f"{SVG}title")]
    assert titles[1] == "split: outlook\nrows: No: 5, Yes: 9\nprediction: Yes"
    assert titles[-1] == "humidity > 75\nrows: No: 3\nprediction: No"


def test_the_way_of_a_row_is_in_another_colour() -> None:
    plain = export_svg(tennis())
    marked = export_svg(tennis(), row={"outlook": "Rain", "humidity": 1, "wind": "Weak"})
    assert ACCENT not in plain
    assert marked.count('<polyline points="') == plain.count("<polyline")
    assert marked.count(ACCENT) > 5


def test_deep_trees_are_folded_unless_asked_for() -> None:
    tree = build(XY_SCHEMA, chain_spec(500))
    assert "Not shown:" in export_svg(tree)
    whole = export_svg(tree, max_depth=None)
    assert "Not shown:" not in whole
    assert len(parsed(whole).findall(f"{SVG}g")) == tree.n_nodes + 2


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text(name: str) -> None:
    svg = export_svg(named(name))
    root = parsed(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == HARMLESS
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not any(key.startswith("on") or "href" in key for key in attributes)
    assert svg.encode("utf-8")


def test_a_long_name_is_shortened_and_stands_in_full_in_the_title() -> None:
    root = parsed(export_svg(named("x" * 300)))
    assert max(map(len, words(root))) < 40
    titles = "".join(title.text or "" for title in root.iter(f"{SVG}title"))
    assert "x" * 300 in titles


@given(st.text(min_size=1, max_size=40).filter(lambda name: name not in ("b", "c", "x", "no")))
def test_any_name_makes_well_formed_xml(name: str) -> None:
    assert words(parsed(export_svg(named(name))))


def test_a_notebook_scrolls_a_wide_picture() -> None:
    html = notebook_html(tennis())
    assert html.startswith('<div style="overflow-x: auto"><svg ')
    assert html.endswith("</svg></div>")


def test_what_is_no_tree_or_depth_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="there is no tree to read"):
        export_svg(3)
    with pytest.raises(ParameterError, match="max_depth must be an int >= 0"):
        export_svg(tennis(), max_depth=-1)
