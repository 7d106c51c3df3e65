"""A tree is grown by hand: with the mouse or the keyboard alone, and every edit is taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest

import plaintree as pt
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

X, Y = pt.datasets.load_golf()
WHOLE = pt.ID3Classifier().fit(X, Y).tree_
ROOT = pt.candidates(WHOLE, X, Y)
SUNNY = pt.candidates(WHOLE, X, Y, 3)


def is_whole(desk: Desk) -> None:
    """Whether the tree is the one that ID3 grows, by what its cards say."""
    desk.has_nodes(WHOLE.n_nodes)
    for number in range(WHOLE.n_nodes):
        node = WHOLE.node(number)
        says = node.prediction if node.is_leaf else node.feature
        expect(desk.node(number)).to_contain_text(str(says))
        expect(desk.node(number)).to_contain_text(f"{node.n_rows} row")
    expect(desk.status).to_contain_text("training errors 0 of 14")
    expect(desk.status).not_to_contain_text("open")


# -------------------------------------------------------------------- ID3 on the golf table


def test_each_split_is_chosen_with_the_mouse(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    for found, score in zip(ROOT, ["0.2467", "0.1134", "0.1022", "0.0481"], strict=True):
        offer = desk.inspector.get_by_role("listitem").filter(has_text=found.feature)
        expect(offer).to_contain_text(f"{found.score:.4f}")
        assert score == f"{found.score:.4f}"
    # The pointer previews a split, and nothing moves under it; a click chooses the split.
    second = desk.offer("temperature ≤ 84")
    place = second.bounding_box()
    second.hover()
    expect(desk.page.locator(".card.ghost")).to_have_count(2)
    assert second.bounding_box() == place
    second.click(position={"x": 250, "y": 45})
    expect(second.get_by_role("button", name="Take this split")).to_be_visible()
    desk.offer("outlook").click()
    desk.offer("outlook").get_by_role("button", name="Take this split").click()
    desk.has_nodes(4)
    # Work goes on at the first node that is open.
    desk.shows(2)
    expect(desk.node(2)).to_be_focused()
    desk.offer("windy").get_by_role("button", name="Take this split").click()
    desk.has_nodes(6)
    desk.shows(3)
    for found in SUNNY:
        offer = desk.inspector.get_by_role("listitem").filter(has_text=found.feature)
        expect(offer).to_contain_text(f"{found.score:.4f}")
    desk.button("Take this split").click()
    is_whole(desk)


def test_the_keyboard_alone_grows_the_tree(desk: Desk) -> None:
    desk.page.goto(desk.url)
    desk.button(re.compile("^golf ")).focus()
    desk.press("Enter")
    desk.button("Start with the root open").focus()
    desk.press("Enter")
    desk.shows(0)
    desk.node(0).focus()
    desk.press("Enter")  # the marked split, outlook
    desk.has_nodes(4)
    desk.shows(2)
    desk.press("1")
    desk.has_nodes(6)
    desk.shows(3)
    expect(desk.node(3)).to_be_focused()
    desk.press("ArrowUp", "ArrowDown", "ArrowRight", "ArrowRight")
    expect(desk.node(3)).to_be_focused()
    desk.press("2")  # temperature, the second best
    desk.has_nodes(8)
    expect(desk.node(3)).to_contain_text("temperature")
    # The split of the tree is not taken again, and a leaf is not made a leaf: both are no edits.
    desk.node(0).focus()
    desk.press("Enter")
    desk.shows(0)
    desk.press("Enter", "1", "ArrowDown", "Enter", "Delete")
    desk.has_nodes(8)
    desk.press("Control+z", "Control+z", "Control+z")
    desk.has_nodes(1)
    desk.press("Control+Shift+z")
    desk.has_nodes(4)
    desk.press("Shift+G")
    is_whole(desk)
    # The regions of the page in turn, and the export.
    desk.node(0).focus()
    for region in ("inspector", "dock", "status", "bar", "stage", "inspector"):
        desk.press("F6")
        expect(desk.page.locator(f"[data-region={region}]:focus-within")).to_have_count(1)
    desk.press("e")
    expect(desk.page.get_by_role("dialog", name="Export")).to_be_focused()
    desk.press("Tab", "Tab", "Tab")
    with desk.page.expect_download() as waited:
        desk.press("Enter")
    assert waited.value.suggested_filename == "tree.sql"


def test_g_grows_below_the_node_only(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    desk.press("1")
    desk.has_nodes(4)
    desk.select(3)
    desk.press("g")
    desk.has_nodes(6)
    expect(desk.node(3)).to_contain_text("humidity")
    expect(desk.node(2)).to_contain_text("choose a split")
    desk.button("Grow the rest").click()
    is_whole(desk)
    expect(desk.button("Grow the rest")).to_be_disabled()


def test_delete_makes_a_leaf_and_undo_takes_it_back(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(2)
    desk.press("Delete")
    desk.has_nodes(6)
    toast = desk.page.get_by_text("2 nodes removed.")
    expect(toast.last).to_be_visible()
    message = desk.page.locator(".toast").bounding_box()
    dock = desk.page.locator("[data-region=dock]").bounding_box()
    assert message["y"] + message["height"] < dock["y"]
    expect(desk.node(2)).not_to_have_attribute("aria-expanded", re.compile("."))
    desk.button("Undo", exact=True).last.click()
    is_whole(desk)
    desk.button("Redo").click()
    desk.has_nodes(6)
    desk.undo()
    is_whole(desk)


def test_a_leaf_gets_another_label(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(1)
    expect(desk.node(1)).to_contain_text("yes")
    desk.press("l")
    labels = desk.inspector.get_by_role("group", name="Change the label")
    expect(labels.get_by_role("button").first).to_be_focused()
    labels.get_by_role("button", name="no").click()
    wrong = WHOLE.relabel(1, "no")
    errors = int((wrong.apply(X) == 1).sum())
    expect(desk.status).to_contain_text(f"training errors {errors} of 14")
    desk.undo()
    is_whole(desk)


def test_another_split_replaces_the_subtree(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(0)
    expect(desk.offer("outlook")).to_contain_text("in the tree")
    desk.offer("windy").get_by_role("button", name="windy", exact=True).click()
    offer = desk.offer("windy")
    expect(offer).to_contain_text("replaces what is below")
    offer.get_by_role("button", name="Take this split").click()
    desk.has_nodes(3)
    expect(desk.page.get_by_text("5 nodes removed.").last).to_be_visible()
    desk.undo()
    is_whole(desk)


# -------------------------------------------------------------------- refused, tied, none


def test_a_refused_split_is_taken_anyway_and_kept_in_the_history(desk: Desk) -> None:
    desk.example("golf", "C4.5")
    found = pt.candidates(pt.C45Classifier().fit(X, Y), X, Y)
    refused = [offer for offer in found if offer.refused]
    assert refused
    desk.shows(0)
    expect(desk.inspector.get_by_role("heading", name="Splits that do not qualify")).to_be_visible()
    name = refused[0].feature  # windy has a branch for each value
    offer = desk.offer(name)
    expect(offer).to_contain_text(f"Not taken by the learner: {refused[0].refused}")
    offer.get_by_role("button", name=name, exact=True).click()
    desk.button("Take it anyway").click()
    desk.has_nodes(3)
    expect(desk.view("History").get_by_role("listitem")).to_have_count(2)


def test_ties_are_left_to_the_reader(desk: Desk) -> None:
    desk.example("xor")
    desk.shows(0)
    expect(desk.inspector).to_contain_text("1 =")
    expect(desk.inspector).to_contain_text("2 splits are tied: choose one.")
    expect(desk.button("Take this split")).to_have_count(0)
    expect(desk.status.get_by_role("button", name="1 tie")).to_be_visible()
    X, y = pt.datasets.load_xor()
    chosen = pt.candidates(pt.ID3Classifier().fit(X, y), X, y)[0].feature
    says = rf"^Take {chosen}\b.*, as the learner would: first column$"
    desk.button(re.compile(says)).click()
    expect(desk.node(0)).to_contain_text(chosen)


def test_the_hints_are_shown_once(desks: Any) -> None:
    newcomer = desks(tour=True)
    newcomer.example("golf")
    hint = newcomer.page.get_by_role("note")
    expect(hint).to_contain_text("waiting for a split")
    newcomer.button("Next").click()
    expect(hint).to_contain_text("Every number can be opened")
    newcomer.button("Next").click()
    newcomer.button("Done").click()
    expect(hint).to_have_count(0)
    newcomer.is_kept()
    newcomer.page.reload()
    expect(newcomer.node(0)).to_be_visible()
    expect(hint).to_have_count(0)
    newcomer.press("?")
    sheet = newcomer.page.get_by_role("dialog", name="Keys")
    sheet.get_by_role("button", name="Show the hints again").click()
    expect(hint).to_be_visible()
