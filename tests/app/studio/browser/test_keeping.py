"""Nothing is lost: exports have the library's bytes, and reloads, links and ends keep the edits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.interop.model_file import to_bytes
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

X, Y = pt.datasets.load_golf()


def download(desk: Desk, name: re.Pattern[str]) -> tuple[str, bytes]:
    """Click an entry of the export sheet; the name and the bytes of the file."""
    with desk.page.expect_download() as waited:
        desk.page.get_by_role("dialog", name="Export").get_by_role("button", name=name).click()
    return waited.value.suggested_filename, Path(waited.value.path()).read_bytes()


# -------------------------------------------------------------------- exports


def test_exports_have_the_bytes_of_the_library(desk: Desk) -> None:
    model = pt.C45Classifier().fit(X, Y)
    desk.example("golf", "C4.5", grown=True)
    desk.has_nodes(8)
    desk.press("e")
    sheet = desk.page.get_by_role("dialog", name="Export")
    name, content = download(desk, re.compile("^SQL"))
    assert (name, content.decode()) == ("tree.sql", pt.export_sql(model))
    expect(sheet).to_contain_text("Saved tree.sql.")
    expect(sheet).to_contain_text("rows predicted alike (14 given")
    name, content = download(desk, re.compile("^Model file"))
    assert name == "tree.model"
    assert content == to_bytes(model)
    name, content = download(desk, re.compile("^Python"))
    assert content.decode() == pt.export_python(model)
    name, content = download(desk, re.compile("^Worked solution .Markdown"))
    assert content.decode() == pt.derive(model, X, Y).to_markdown()
    desk.press("Escape")
    expect(sheet).to_have_count(0)


def test_a_tree_by_hand_is_exported_with_its_edits(desk: Desk, tmp_path: Path) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(3)
    desk.press("Delete")
    desk.has_nodes(6)
    desk.button("Export").click()
    tree = pt.ID3Classifier().fit(X, Y).tree_.cut(3)
    _, content = download(desk, re.compile("^SQL"))
    assert content.decode() == pt.export_sql(tree)
    _, content = download(desk, re.compile("^Model file"))
    (tmp_path / "tree.model").write_bytes(content)
    loaded = pt.load(tmp_path / "tree.model")
    assert loaded.tree_.edits[0]["edit"] == "cut"


# -------------------------------------------------------------------- reloads and links


def test_a_reload_keeps_tree_and_history(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    desk.press("1")
    desk.has_nodes(4)
    desk.select(3)
    desk.is_kept()
    assert "t=" not in desk.page.url
    desk.press("1")
    desk.has_nodes(6)
    desk.page.reload()  # before the address follows the edit
    desk.has_nodes(6)
    desk.undo()
    desk.has_nodes(4)
    desk.undo()
    desk.has_nodes(1)
    desk.button("Redo").click()
    desk.has_nodes(4)


def test_a_link_opens_the_same_tree_elsewhere(desks: Any) -> None:
    desk = desks(permissions=["clipboard-read", "clipboard-write"])
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.select(2)
    desk.press("Delete", "e")
    desk.has_nodes(6)
    desk.button("Copy a link to this state").click()
    expect(desk.page.get_by_text("Copied.").last).to_be_visible()
    link = desk.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(desk.url.partition("#")[0] + "#d=")
    other = desks()
    token, place = desk.url.partition("#")[2], link.partition("#")[2]
    other.page.goto(f"{desk.url.partition('#')[0]}#{token}&{place}")
    other.has_nodes(6)
    expect(other.node(2)).to_have_attribute("aria-selected", "true")
    assert token not in other.page.url


def test_a_link_about_a_file_waits_for_it(desks: Any) -> None:
    frame = pt.datasets.load_tennis().frame.head(12)
    desk = desks().upload(frame.write_csv(), "own.csv").begin("ID3", grown=True)
    desk.is_kept()
    place = desk.page.url.partition("#")[2]
    size = desk.status.inner_text()
    other = desks()
    other.page.goto(f"{desk.url}&{place}")
    expect(other.page.get_by_text("The link is about own.csv.")).to_be_visible()
    with other.page.expect_file_chooser() as chooser:
        other.button("Choose a file").first.click()
    content = frame.write_csv().encode()
    chooser.value.set_files({"name": "own.csv", "mimeType": "text/csv", "buffer": content})
    expect(other.status).to_have_text(size.replace("\n", ""), use_inner_text=False)


def test_two_tabs_and_two_tables_do_not_disturb_each_other(desks: Any) -> None:
    golf, tennis, third = desks(), desks(), desks()
    golf.example("golf")
    tennis.example("tennis")
    third.example("golf", "CART", grown=True)
    golf.shows(0)
    golf.press("1")
    tennis.shows(0)
    tennis.press("1")
    golf.has_nodes(4)
    tennis.has_nodes(4)
    third.has_nodes(pt.CARTClassifier().fit(X, Y).tree_.n_nodes)
    expect(golf.node(0)).to_contain_text("outlook")
    expect(tennis.node(0)).to_contain_text("Outlook")
    golf.undo()
    golf.has_nodes(1)
    tennis.has_nodes(4)


def test_seven_tabs_of_one_studio_work_and_notice_its_end(desks: Any) -> None:
    with pt.studio(pt.datasets.load_golf().frame, target="play", open_browser=False) as own:
        first = desks(own.url)
        context = first.page.context
        tabs = [first] + [Desk(context.new_page(), own.url) for _ in range(6)]
        for tab in tabs:  # a browser has six connections to a server
            tab.page.goto(own.url)
            tab.begin("ID3")
        first.page.close()  # the one that has listened to the server
        last = tabs[-1]
        last.shows(0)
        last.press("1")
        last.has_nodes(4)
    for tab in tabs[1:]:
        expect(tab.page.get_by_text("The studio has ended.").first).to_be_visible()
        tab.page.close()
    first.complaints.clear()  # the browser itself notes that the connection broke


def test_the_history_is_read_noted_and_taken_back(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    for number, n in ((3, 6), (2, 4)):
        desk.select(number)
        desk.press("Delete")
        desk.has_nodes(n)
    view = desk.view("History")
    steps = view.get_by_role("listitem")
    expect(steps).to_have_count(3)
    expect(steps.nth(1)).to_contain_text("8 → 6 nodes")
    note = steps.nth(1).get_by_role("textbox", name="Note")
    note.fill("too few rows")
    note.press("Enter")
    steps.nth(0).get_by_role("button").first.click()
    desk.has_nodes(8)
    steps.nth(2).get_by_role("button").first.click()
    desk.has_nodes(4)
    with desk.page.expect_download() as waited:
        view.get_by_role("button", name="Save the document").click()
    saved = json.loads(Path(waited.value.path()).read_text())
    assert [edit["edit"] for edit in saved["document"]["edits"]] == ["cut", "cut"]
    assert saved["document"]["edits"][0]["why"] == "too few rows"
    steps.nth(1).get_by_role("button", name="Take back").click()
    desk.has_nodes(6)
    expect(desk.node(2)).not_to_have_attribute("aria-expanded", re.compile("."))
    expect(desk.node(3)).to_contain_text("humidity")
    # A saved document is a step that can be undone.
    with desk.page.expect_file_chooser() as chooser:
        view.get_by_text("choose a file").click()
    chooser.value.set_files(waited.value.path())
    desk.has_nodes(4)
    desk.undo()
    desk.has_nodes(6)


# -------------------------------------------------------------------- ends


def test_the_end_of_the_server_leaves_the_edits(desks: Any) -> None:
    with pt.studio(pt.datasets.load_golf().frame, target="play", open_browser=False) as own:
        desk = desks(own.url)
        desk.page.goto(own.url)
        desk.begin("ID3")
        desk.shows(0)
        desk.press("1")
        desk.has_nodes(4)
    bar = desk.page.get_by_role("alert").filter(has_text="The studio has ended.")
    expect(bar).to_contain_text("Your 1 edit is kept here")
    expect(desk.node(0)).to_contain_text("outlook")  # the tree stays readable
    with desk.page.expect_download() as waited:
        bar.get_by_role("button", name="Download edits").click()
    saved = json.loads(Path(waited.value.path()).read_text())
    assert [edit["edit"] for edit in saved["document"]["edits"]] == ["split"]
    desk.page.close()  # it asks whether the server is back
    desk.complaints.clear()  # the browser itself notes that the connection broke


@pytest.mark.slow
def test_a_long_fit_is_stopped(desk: Desk) -> None:
    rows = 60_000
    frame = pl.DataFrame({f"x{i}": range(i, i + rows) for i in range(12)}).select(
        [((pl.col(f"x{i}") * (7919 + 2 * i)) % 10_007).alias(f"x{i}") for i in range(12)]
    )
    frame = frame.with_columns(
        ((pl.col("x0") * 31 + pl.col("x5") * 17) % 7 > 3).cast(pl.String).alias("y")
    )
    desk.upload(frame.write_csv(), "long.csv")
    desk.page.get_by_label("Learner").select_option(label="CART")
    desk.begin(None)
    desk.shows(0)
    desk.button(re.compile("^Learner and settings")).click()
    form = desk.page.get_by_role("dialog", name="Learner and settings")
    form.get_by_label("Learner").select_option(label="Random forest")
    form.get_by_label("n_estimators").first.fill("2000")
    form.get_by_role("button", name="Apply").click()
    desk.page.get_by_role("main").get_by_role("button", name="Stop").click()
    expect(desk.page.get_by_text("Stopped. Nothing was changed.").last).to_be_visible()
    desk.has_nodes(1)
    expect(desk.button(re.compile("^Learner and settings"))).to_contain_text("CART")
    desk.shows(0)
