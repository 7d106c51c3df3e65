"""Every number opens its formula, with the figures of the library; views light each other."""

from __future__ import annotations

import re
from typing import Any

import pytest

import plaintree as pt
from plaintree.evaluation.evaluate import normal_deviation
from plaintree.stats.intervals import wilson
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

SHOWS = "show how it is computed"


def formula(desk: Desk) -> Any:
    """The heading of the formula."""
    return desk.inspector.get_by_role("heading", name=re.compile(r"How [\d.]+ is computed"))


def door(desk: Desk, number: str) -> Any:
    """The button of a number in the formula, for keys and screen readers."""
    parts = desk.inspector.get_by_role("group", name="Formula")
    return parts.get_by_role("button", name=f"{number}: {SHOWS}", exact=True)


def written(desk: Desk, number: str) -> Any:
    """A number in the formula that takes clicks."""
    exactly = re.compile(rf"^\s*{re.escape(number)}\s*$")
    return desk.inspector.locator("math .door").filter(has_text=exactly)


# -------------------------------------------------------------------- formulas


@pytest.mark.parametrize("table", ["golf", "tennis"])
def test_entropy_and_gain_are_those_of_the_textbook(desk: Desk, table: str) -> None:
    X, y = getattr(pt.datasets, f"load_{table}")()
    best = pt.candidates(pt.ID3Classifier().fit(X, y), X, y)[0]
    entropy, gain = f"{pt.entropy(y):.4f}", f"{best.score:.4f}"
    assert (entropy, gain) == ("0.9403", "0.2467")
    desk.example(table)
    desk.shows(0)
    desk.button(f"{entropy}: {SHOWS}").first.click()
    expect(formula(desk)).to_contain_text(f"How {entropy} is computed")
    for count in ("5", "9", "14"):
        expect(desk.inspector.get_by_role("group", name="Formula").last).to_contain_text(count)
    desk.offer(best.feature).get_by_role("button", name=f"{gain}: {SHOWS}").click()
    expect(formula(desk)).to_contain_text(f"How {gain} is computed")
    # The terms are rounded, and the page says what they would add up to.
    expect(desk.inspector).to_contain_text("from them alone the result would be 0.2468")


def test_a_door_in_a_door_and_the_way_back(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    below = f"{pt.stats.conditional_entropy(X['outlook'], y):.4f}"
    desk.example("golf")
    desk.shows(0)
    desk.offer("outlook").get_by_role("button", name=f"0.2467: {SHOWS}").click()
    written(desk, below).click()
    expect(formula(desk)).to_contain_text(f"How {below} is computed")
    sunny = f"{pt.entropy(y.filter(X['outlook'] == 'sunny')):.4f}"
    door(desk, sunny).first.focus()
    expect(written(desk, sunny).and_(desk.page.locator(".focused"))).to_have_count(1)
    desk.press("Enter")
    expect(formula(desk)).to_contain_text(f"How {sunny} is computed")
    expect(desk.button("Back to the former formula")).to_be_focused()
    desk.press("Escape")
    expect(formula(desk)).to_contain_text(f"How {below} is computed")
    desk.button("Back to the former formula").click()
    expect(formula(desk)).to_contain_text("How 0.2467 is computed")


def test_the_count_of_a_class_opens_its_own_formula(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    desk.button(f"0.9403: {SHOWS}").first.click()
    door(desk, "9").first.focus()
    desk.press("Enter")
    parts = desk.inspector.get_by_role("group", name="Formula")
    expect(parts.locator("math").first).to_contain_text("yes")
    desk.press("Escape")
    door(desk, "14").first.focus()
    desk.press("Enter")
    for count in ("5", "9"):
        expect(door(desk, count)).to_have_count(1)


def test_cards_show_the_measure_that_is_chosen(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    best = pt.candidates(model, X, y)[0]
    desk.example("golf", "C4.5", grown=True)
    desk.has_nodes(8)
    low, high = (100 * end for end in wilson(9 / 14, 14, normal_deviation(0.95)))
    measures = {
        "information gain": f"{best.gain:.4f}",
        "gain ratio": f"{best.score:.4f}",
        "entropy": f"{pt.entropy(y):.4f}",
        "95 % interval": f"{low:.0f}% – {high:.0f}%",
        "training errors": "0 errors",
        "share of rows": "100%",
    }
    for name, text in measures.items():
        desk.button(re.compile("^Show ")).last.click()
        desk.page.get_by_role("menuitemradio", name=name, exact=True).click()
        expect(desk.node(0)).to_contain_text(text)
    desk.button("Show share of rows").click()
    desk.page.get_by_role("menuitemradio", name="information gain").click()
    desk.select(1)
    desk.node(0).get_by_role("button", name=SHOWS).click()
    expect(formula(desk)).to_contain_text(f"How {best.gain:.4f} is computed")
    expect(desk.inspector.get_by_role("heading", level=2)).to_contain_text("All rows")


def test_digits_and_exact_fractions(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    gain = pt.candidates(pt.ID3Classifier().fit(X, y), X, y)[0].score
    desk.example("golf")
    desk.shows(0)
    expect(formula(desk)).to_contain_text("How 0.2467")
    for digits in (6, 2):
        desk.button(re.compile("^Digits")).click()
        desk.page.get_by_role("menuitemradio", name=f"{digits} digits").click()
        expect(formula(desk)).to_contain_text(f"How {gain:.{digits}f} is computed")
        expect(desk.offer("outlook")).to_contain_text(f"{gain:.{digits}f}")
    desk.button(re.compile("^Digits")).click()
    desk.page.get_by_role("menuitemradio", name="exact fractions").click()
    desk.button(f"{pt.entropy(y):.2f}: {SHOWS}").first.click()
    expect(desk.inspector.get_by_role("group", name="Formula").first).to_contain_text("14")


def test_a_formula_is_copied_as_latex_and_text(desks: Any) -> None:
    desk = desks(permissions=["clipboard-read", "clipboard-write"])
    desk.example("golf")
    desk.shows(0)
    expect(formula(desk)).to_contain_text("How 0.2467")
    desk.button("copy", exact=True).click()
    desk.page.get_by_role("menuitem", name="LaTeX").click()
    expect(desk.page.get_by_text("Copied.").last).to_be_visible()
    latex = desk.page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"0\.9403\b.*0\.6935\b", latex, re.S)
    assert re.search(r"\\(frac|text|mathrm|operatorname|approx)", latex)
    desk.button("copy", exact=True).click()
    desk.page.get_by_role("menuitem", name="Text", exact=True).click()
    copied = "async (old) => (await navigator.clipboard.readText()) !== old"
    desk.page.wait_for_function(copied, arg=latex)
    text = desk.page.evaluate("navigator.clipboard.readText()")
    assert "0.2467" in text
    assert "\\" not in text


def test_the_rows_behind_a_number(desk: Desk) -> None:
    X, _ = pt.datasets.load_golf()
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(3)
    desk.button("rows", exact=True).click()
    rows = desk.view("Table").get_by_role("row")
    for row, outlook in enumerate(X["outlook"]):
        mark = re.compile(r"\blit\b")
        name = rows.filter(has=desk.page.get_by_role("rowheader", name=str(row + 1), exact=True))
        if outlook == "sunny":
            expect(name).to_have_class(mark)
        else:
            expect(name).not_to_have_class(mark)
    shown = desk.button("rows", exact=True)
    expect(shown).to_have_attribute("aria-pressed", "true")
    shown.click()
    expect(shown).to_have_attribute("aria-pressed", "false")
    shown.click()
    desk.select(0)
    expect(rows.and_(desk.page.locator(".lit"))).to_have_count(0)


# -------------------------------------------------------------------- linked views


def row_of(desk: Desk, number: int) -> Any:
    """A row of the table by its number."""
    header = desk.page.get_by_role("rowheader", name=str(number), exact=True)
    return desk.view("Table").get_by_role("row").filter(has=header)


LIT = re.compile(r"\blit\b")
DIM = re.compile(r"\bdim\b")


def test_a_node_lights_its_rows_and_a_row_its_path(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.ID3Classifier().fit(X, y).tree_
    leaves = tree.apply(X)
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.node(4).hover()
    inside = [int(i) + 1 for i in (leaves == 4).nonzero()[0]]
    assert inside
    for number in range(1, 15):
        lit = expect(row_of(desk, number))
        (lit.to_have_class if number in inside else lit.not_to_have_class)(LIT)
    row = row_of(desk, 1)
    row.click()  # pinned
    path = set(tree.decision_path(X)[0].nonzero()[-1].tolist())
    assert int(leaves[0]) in path
    for number in range(tree.n_nodes):
        dim = expect(desk.node(number))
        (dim.not_to_have_class if number in path else dim.to_have_class)(DIM)
    desk.press("Escape")
    for number in range(tree.n_nodes):
        expect(desk.node(number)).not_to_have_class(DIM)


def test_a_region_lights_its_leaf(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.ID3Classifier().fit(X, y).tree_
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    regions = desk.view("Regions")
    picture = regions.get_by_role("img", name=re.compile("^Regions of the tree"))
    expect(picture).to_be_visible()
    before = picture.locator(".area").count()
    assert before >= 2
    picture.locator(".area").first.dispatch_event("click")
    expect(desk.page.locator("[role=treeitem].dim")).not_to_have_count(0)
    lit = [
        number
        for number in range(tree.n_nodes)
        if not DIM.search(desk.node(number).get_attribute("class") or "")
    ]
    assert sum(tree.node(number).is_leaf for number in lit) == 1


def test_a_rule_leads_to_its_leaf(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    rules = pt.rules_of(model)
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    view = desk.view("Rules")
    expect(view).to_contain_text(f"{len(rules)} of {len(rules)} rules")
    view.get_by_role("row").filter(has_text="humidity > 77.5").click()
    rows = ((X["outlook"] == "sunny") & (X["humidity"] > 77.5)).to_numpy()
    (leaf,) = {int(number) for number in model.tree_.apply(X)[rows]}
    desk.shows(leaf)
    expect(desk.node(leaf)).to_have_attribute("aria-selected", "true")
