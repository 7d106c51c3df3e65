"""Thresholds and pruning by a slider, and two settings side by side, with the library's figures."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

import plaintree as pt
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

X, Y = pt.datasets.load_golf()
EQUALLY_PLACED = """least => {
  const places = [...document.querySelectorAll('.picture')].map((picture) => {
    const root = picture.querySelector('.card').getBoundingClientRect();
    const { x, y } = picture.getBoundingClientRect();
    return [root.width, root.x - x, root.y - y];
  });
  const [one, other] = places;
  const same = (value, i) => Math.abs(value - other[i]) < 1.5;
  return places.length === 2 && one[0] >= least && one.every(same);
}"""
"""Whether the roots of two trees are as large, at the same place of their halves of the stage."""
ALL_IN_SIGHT = """() => [...document.querySelectorAll('.picture .card')].every((card) => {
  const [inner, outer] = [card, card.closest('.picture')].map((e) => e.getBoundingClientRect());
  return inner.left >= outer.left && inner.right <= outer.right
    && inner.top >= outer.top && inner.bottom <= outer.bottom;
})"""
"""Whether each card is within its half of the stage."""


# -------------------------------------------------------------------- thresholds


def threshold(desk: Desk) -> Any:
    return desk.inspector.get_by_role("slider", name="Threshold", exact=True)


def open_thresholds(desk: Desk) -> list[float]:
    """The threshold slider of humidity at the root; all its thresholds."""
    desk.example("golf")
    desk.shows(0)
    name = "humidity ≤ 82.5"
    desk.offer(name).get_by_role("button", name=name, exact=True).click()
    expect(threshold(desk)).to_have_attribute("aria-valuenow", "82.5")
    values = sorted(set(X["humidity"].to_list()))
    return [(a + b) / 2 for a, b in pairwise(values)]


def gain_at(cut: float) -> float:
    """The information gain of a threshold of humidity."""
    below = [str(value <= cut) for value in X["humidity"]]
    return float(pt.entropy(Y) - pt.stats.conditional_entropy(below, Y))


def is_at(desk: Desk, cut: float) -> None:
    """Whether the slider is there, and says the score of the library."""
    text = f"{cut:g}, score {gain_at(cut):.4f}"
    expect(threshold(desk)).to_have_attribute("aria-valuetext", text)


def test_the_threshold_moves_by_the_keys_and_is_taken(desk: Desk) -> None:
    cuts = open_thresholds(desk)
    at = cuts.index(82.5)
    threshold(desk).focus()
    desk.press("ArrowRight")
    is_at(desk, cuts[at + 1])
    desk.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    is_at(desk, cuts[at - 2])
    desk.press("Home")
    is_at(desk, cuts[0])
    desk.press("End")
    is_at(desk, cuts[-1])
    desk.press("b")
    is_at(desk, max(cuts, key=gain_at))
    desk.press("ArrowLeft")
    is_at(desk, cuts[at - 1])
    desk.button("Take this threshold").click()
    desk.has_nodes(3)
    expect(desk.node(0)).to_contain_text(f"{cuts[at - 1]:g}")
    left = sum(value <= cuts[at - 1] for value in X["humidity"])
    expect(desk.node(1)).to_contain_text(f"{left} rows")


def test_the_threshold_is_dragged(desk: Desk) -> None:
    cuts = open_thresholds(desk)
    plot = desk.inspector.get_by_role("group", name="Where to split humidity")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    handle = threshold(desk).bounding_box()
    y = box["y"] + box["height"] / 2
    desk.page.mouse.move(handle["x"] + handle["width"] / 2, y)
    desk.page.mouse.down()
    desk.page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=4)
    desk.page.mouse.move(box["x"] + box["width"] * 0.3, y, steps=4)
    desk.page.mouse.up()
    now = float(threshold(desk).get_attribute("aria-valuenow"))
    assert now in cuts[: cuts.index(82.5)]
    is_at(desk, now)
    expect(desk.button("Take this threshold")).to_be_visible()
    desk.button(re.compile("^snap to best")).click()
    is_at(desk, max(cuts, key=gain_at))
    desk.button("Take this threshold").click()
    desk.has_nodes(3)


# -------------------------------------------------------------------- pruning


def loans(desk: Desk) -> tuple[Any, Any]:
    """CART on the loans; its pruning view."""
    desk.example("loans", "CART", grown=True)
    view = desk.view("Pruning")
    slider = view.get_by_role("slider", name="How much is pruned")
    expect(slider).to_be_visible(timeout=30_000)
    return view, slider


def test_the_pruning_slider_and_its_marks(desk: Desk) -> None:
    X, y = pt.datasets.load_loans()
    model = pt.CARTClassifier().fit(X, y)
    path = pt.pruning.pruning_path(model, X, y, folds=10)
    view, slider = loans(desk)
    desk.has_nodes(model.tree_.n_nodes)
    for button, choice in (("Least error", "min"), ("1-SE rule", "one_se")):
        at = int((path.alphas == path.best_alpha(choice)).nonzero()[0][0])
        view.get_by_role("button", name=button).click()
        leaves = int(path.n_leaves[at])
        desk.has_nodes(2 * leaves - 1)
        says = re.compile(rf"· {leaves} lea\w+ · training {path.risks[at]:.4g}")
        expect(slider).to_have_attribute("aria-valuetext", says)
        expect(slider).to_have_attribute(
            "aria-valuetext", re.compile(f"cross-validated {path.cv_errors[at]:.4g}")
        )
    expect(view).to_contain_text("10-fold cross-validation")
    assert path.best_alpha("min") == path.best_alpha("one_se")  # so the second is no edit
    desk.undo()
    desk.has_nodes(model.tree_.n_nodes)


def test_a_key_on_the_pruning_slider_is_an_edit(desk: Desk) -> None:
    X, y = pt.datasets.load_loans()
    tree = pt.CARTClassifier().fit(X, y).tree_
    path = pt.pruning.pruning_path(tree)
    view, slider = loans(desk)
    sizes = sorted(path.n_leaves.tolist())
    assert int(slider.get_attribute("max")) == len(sizes) - 1
    slider.focus()
    desk.press("ArrowLeft")
    desk.has_nodes(2 * sizes[-2] - 1)
    expect(desk.page.get_by_role("button", name=re.compile("^Undo: "))).to_be_enabled()
    view.get_by_role("button", name="Depth").click()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^max. depth"))


def test_reduced_error_lists_its_steps(desk: Desk) -> None:
    frame = pt.datasets.load_loans().frame
    view, _ = loans(desk)
    view.get_by_role("button", name="Reduced error").click()
    with desk.page.expect_file_chooser() as chooser:
        view.get_by_text("choose a file").click()
    test = frame.tail(300).write_csv().encode()
    chooser.value.set_files({"name": "later.csv", "mimeType": "text/csv", "buffer": test})
    expect(view).to_contain_text("later.csv")
    before = desk.status.inner_text()
    view.get_by_role("button", name="Prune the tree by these steps").click()
    expect(desk.status).not_to_have_text(before)
    expect(desk.page.get_by_text("nodes removed.").last).to_be_visible()


# -------------------------------------------------------------------- two settings


def test_two_settings_differ_first_at_a_named_node(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    here, there = pt.ID3Classifier().fit(X, y), pt.CARTClassifier().fit(X, y)
    differ = sum(a != b for a, b in zip(here.predict(X), there.predict(X), strict=True))
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    # Wherever the tree was moved to, both are fitted.
    desk.page.mouse.move(60, 300)
    desk.page.mouse.down()
    desk.page.mouse.move(800, 100, steps=3)
    desk.page.mouse.up()
    view = desk.view("Compare")
    view.get_by_label("With").select_option(label="CART")
    sentence = view.get_by_text(re.compile("at the root", re.I)).first
    expect(sentence).to_contain_text("outlook")
    expect(view.get_by_role("table").first).to_contain_text("CART: Gini gain")
    other = desk.page.get_by_role("tree", name="CART")
    expect(other.get_by_role("treeitem")).to_have_count(there.tree_.n_nodes)
    expect(desk.page.locator(".card.differs")).to_have_count(2)
    desk.page.wait_for_function(EQUALLY_PLACED, arg=0)
    desk.page.wait_for_function(ALL_IN_SIGHT)
    width = desk.node(0).first.bounding_box()["width"]
    desk.page.mouse.move(300, 400)
    desk.page.mouse.wheel(0, -200)
    desk.page.wait_for_function(EQUALLY_PLACED, arg=1.2 * width)
    if differ:
        expect(view).to_contain_text(f"{differ} row")
    else:
        expect(view).to_contain_text("No row of the table is predicted differently")
    view.get_by_role("button", name="Use these settings").click()
    desk.has_nodes(there.tree_.n_nodes)
    view.get_by_label("With").select_option(label="CART")
    expect(view).to_contain_text("The trees are the same.")


def test_a_tree_is_compared_with_what_it_was(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(3)
    desk.press("Delete")
    desk.has_nodes(6)
    view = desk.view("Compare")
    view.get_by_label("With").select_option(label="Before the last edit")
    expect(view).to_contain_text("2 rows are predicted differently")
    expect(desk.page.locator(".card.differs")).to_have_count(2)
    view.get_by_role("button", name="List them").click()
    expect(desk.view("Table").get_by_role("row")).to_have_count(3)
