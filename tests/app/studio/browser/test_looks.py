"""Every width, dark mode, forced colours, reduced motion, print; and whether all can read it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

VIEWS = ("Table", "Regions", "Rules", "Pruning", "How good", "What if", "Compare", "History")
WIDTHS = (360, 390, 720, 1440, 3840)
OVERFLOW = """() => {
  const root = document.scrollingElement;
  return root.scrollWidth - root.clientWidth;
}"""
AS_PRINTED = """() => {
  dispatchEvent(new Event('beforeprint'));
  const paper = document.querySelector('.picture').getBoundingClientRect();
  const outside = [...document.querySelectorAll('.card')].filter((card) => {
    const { left, right, top, bottom } = card.getBoundingClientRect();
    return left < 0 || right > paper.right || top < paper.top || bottom > paper.bottom;
  });
  return { theme: document.documentElement.dataset.theme, outside: outside.length };
}"""
"""What the page is like when the browser prints it, which waits for nothing."""
ROOT_IS_AT = """x => {
  const root = document.querySelector('.card').getBoundingClientRect();
  return Math.abs(root.x - x) < 1;
}"""
PENDING = "() => document.querySelectorAll('.working').length === 0"


WATCH_MOTION = """() => {
  window.places = new Set();
  const look = () => {
    const root = document.querySelector('.card');
    const { x, y } = root.getBoundingClientRect();
    window.places.add(`${x.toFixed(2)} ${y.toFixed(2)}`);
    requestAnimationFrame(look);
  };
  look();
}"""
"""Keep the places at which the root is drawn, frame by frame."""


def problems(desk: Desk) -> list[str]:
    """What axe-core finds serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    found = axe.Axe().run(desk.page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def fits(desk: Desk) -> None:
    """Whether nothing makes the page wider than the window."""
    assert desk.page.evaluate(OVERFLOW) <= 0


# -------------------------------------------------------------------- widths


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_has_room_for_all(desks: Any, width: int) -> None:
    touch = width < 700
    # At 200 % a window of 1440 by 900 has 720 by 450 CSS pixels, a narrow one has 360.
    height = 450 if width in (360, 720) else 800
    desk = desks(viewport={"width": width, "height": height}, has_touch=touch)
    desk.page.goto(desk.url)
    expect(desk.button(re.compile("^golf "))).to_be_visible()
    fits(desk)
    desk.button(re.compile("^golf ")).click()
    expect(desk.button("Grow a tree")).to_be_visible()
    fits(desk)
    desk.begin("C4.5", grown=True)
    desk.has_nodes(8)
    fits(desk)
    desk.select(0)
    expect(desk.inspector.get_by_role("button", name="outlook", exact=True)).to_be_visible()
    fits(desk)
    for title in VIEWS:
        expect(desk.view(title)).to_be_visible()
        fits(desk)
    desk.button("Export").click()
    expect(desk.page.get_by_role("dialog", name="Export")).to_be_visible()
    fits(desk)
    desk.press("Escape")
    desk.button(re.compile("^Learner and settings")).click()
    apply = desk.page.get_by_role("dialog", name="Learner and settings").get_by_text("Apply")
    apply.click(trial=True)  # nothing is in front of it
    box = desk.page.get_by_role("dialog", name="Learner and settings").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_on_a_phone_a_tree_is_grown_by_touch(desks: Any) -> None:
    desk = desks(viewport={"width": 360, "height": 800}, has_touch=True, is_mobile=True)
    desk.page.goto(desk.url)
    desk.button(re.compile("^golf ")).tap()
    desk.button("Start with the root open").tap()
    desk.shows(0)
    legend = desk.page.get_by_role("img", name="Classes: no, yes")
    box = legend.bounding_box()
    assert box["y"] + box["height"] <= desk.node(0).bounding_box()["y"]
    desk.button("Take this split").tap()
    desk.has_nodes(4)
    desk.shows(2)
    desk.button("Take this split").tap()
    desk.has_nodes(6)


# -------------------------------------------------------------------- modes


def test_axe_finds_nothing_serious(desk: Desk) -> None:
    desk.page.goto(desk.url)
    expect(desk.button(re.compile("^golf "))).to_be_visible()
    expect(desk.button("Choose a file")).to_have_count(1)
    found = problems(desk)
    desk.button(re.compile("^golf ")).click()
    expect(desk.button("Grow a tree")).to_be_visible()
    found += problems(desk)
    desk.begin("C4.5", grown=True)
    desk.has_nodes(8)
    desk.select(0)
    for title in VIEWS:
        expect(desk.view(title)).to_be_visible()
        desk.page.wait_for_function(PENDING)
        found += [f"{title}: {problem}" for problem in problems(desk)]
    desk.press("e")
    expect(desk.page.get_by_role("dialog", name="Export")).to_be_visible()
    found += problems(desk)
    desk.press("Escape", "?")
    expect(desk.page.get_by_role("dialog", name="Keys")).to_be_visible()
    found += problems(desk)
    assert "\n".join(sorted(set(found))) == ""


@pytest.mark.parametrize(
    ("width", "options"),
    [
        (1440, {"color_scheme": "dark"}),
        (390, {"color_scheme": "light"}),
        (768, {"color_scheme": "dark"}),
        (1440, {"forced_colors": "active", "reduced_motion": "reduce"}),
    ],
    ids=["dark", "phone", "tablet, dark", "forced colours"],
)
def test_axe_finds_nothing_serious_in_other_modes(
    desks: Any, width: int, options: dict[str, Any]
) -> None:
    desk = desks(viewport={"width": width, "height": 800}, **options)
    desk.example("golf", "C4.5")
    desk.shows(0)
    desk.button("Take this split").click()
    desk.has_nodes(4)
    desk.shows(2)
    desk.press("Escape")  # previews of a split are pale until it is taken
    expect(desk.page.locator(".ghost")).to_have_count(0)
    if options.get("color_scheme") == "dark":
        expect(desk.page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(desk.button("Light mode")).to_have_count(1)
    assert "\n".join(problems(desk)) == ""


def test_the_theme_is_switched_and_remembered(desk: Desk) -> None:
    desk.page.goto(desk.url)
    root = desk.page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    desk.button("Dark mode").click()
    expect(root).to_have_attribute("data-theme", "dark")
    desk.page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    expect(desk.button("Light mode")).to_be_visible()


def test_cards_move_to_their_new_places(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(3)
    desk.page.evaluate(WATCH_MOTION)
    desk.press("Space")
    expect(desk.node(6)).to_have_count(0)
    desk.page.wait_for_function("() => window.places.size > 2")
    desk.node(0).hover()
    desk.page.wait_for_timeout(250)  # longer than any motion and the light of a hover
    n_places = desk.page.evaluate("() => window.places.size")
    desk.node(1).hover()
    desk.page.wait_for_timeout(250)
    assert desk.page.evaluate("() => window.places.size") == n_places


def test_reduced_motion_has_none(desks: Any) -> None:
    desk = desks(reduced_motion="reduce")
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    moving = """() => document.getAnimations().length + [...document.querySelectorAll('*')]
        .filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0.01).length"""
    assert desk.page.evaluate(moving) == 0
    desk.select(3)
    desk.page.evaluate(WATCH_MOTION)
    desk.press("Delete")
    desk.has_nodes(6)
    assert desk.page.evaluate(moving) == 0
    assert desk.page.evaluate("() => window.places.size") <= 2  # before and after


def test_the_page_is_printed(desks: Any) -> None:
    desk = desks(color_scheme="dark")
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.view("Rules")
    expect(desk.page.get_by_text("5 of 5 rules")).to_be_visible()
    content = desk.page.pdf(format="A4", print_background=True)
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) <= 4
    before = desk.node(0).bounding_box()["x"]
    desk.page.emulate_media(media="print")
    assert desk.page.evaluate(AS_PRINTED) == {"theme": "light", "outside": 0}
    expect(desk.page.locator(".print-head")).to_contain_text("8 nodes, 5 leaves, depth 2")
    expect(desk.button("Export")).to_be_hidden()
    desk.page.emulate_media(media="screen")
    desk.page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(desk.button("Export")).to_be_visible()
    expect(desk.page.locator("html")).to_have_attribute("data-theme", "dark")
    desk.page.wait_for_function(ROOT_IS_AT, arg=before)


# -------------------------------------------------------------------- the keyboard


def test_the_tree_is_a_tree_to_a_screen_reader(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    tree = desk.page.get_by_role("tree", name="Decision tree for play")
    expect(tree).to_have_attribute("aria-orientation", "horizontal")
    leaf = desk.node(4)
    for name, value in {"level": "3", "posinset": "1", "setsize": "2"}.items():
        expect(leaf).to_have_attribute(f"aria-{name}", value)
    expect(desk.node(2)).to_have_attribute("aria-expanded", "true")
    desk.node(2).focus()
    desk.press("Space")
    expect(desk.node(2)).to_have_attribute("aria-expanded", "false")
    expect(leaf).to_have_count(0)
    desk.press("Space")
    expect(leaf).to_have_count(1)
    desk.press("/")
    find = desk.page.get_by_role("combobox", name="Find a node, value or rule")
    expect(find).to_be_focused()
    find.fill("humidity > 77")
    desk.page.get_by_role("option").first.wait_for()
    desk.press("Enter")
    expect(desk.inspector.get_by_role("heading", level=2)).to_contain_text("humidity > 77.5")


def test_regions_follow_each_other_and_letters_can_be_switched_off(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.node(0).focus()
    desk.press("F6")
    expect(desk.node(0)).not_to_be_focused()
    desk.press("Shift+F6")
    expect(desk.node(0)).to_be_focused()
    desk.press("]")
    expect(desk.page.get_by_role("tab", name="Rules")).to_have_attribute("aria-selected", "true")
    desk.press("[")
    expect(desk.page.get_by_role("tab", name="Regions")).to_have_attribute("aria-selected", "true")
    desk.press("?")
    sheet = desk.page.get_by_role("dialog", name="Keys")
    sheet.get_by_label("Single letters are keys").uncheck()
    desk.press("Escape")
    expect(sheet).to_have_count(0)
    desk.press("p", "e")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)
    expect(desk.page.get_by_role("banner")).to_be_visible()
