"""What if, How good, Present: what a reader asks of a tree that is grown."""

from __future__ import annotations

import json
import re
import zlib
from base64 import urlsafe_b64decode
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from tests.support.dropped_files import drop
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser


# -------------------------------------------------------------------- what if


def test_a_row_is_explained_and_its_smallest_change_taken(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    view = desk.view("What if")
    answer = view.locator(".whatif-answer")
    expect(view.get_by_label("outlook", exact=True)).to_have_value("sunny")
    expect(answer).to_contain_text(str(model.predict(X)[0]))
    change = pt.explain(model, X[0]).counterfactual
    assert change is not None
    assert answer.bounding_box()["y"] < view.get_by_label("humidity").first.bounding_box()["y"]
    # Another value by hand gives another prediction, and the stage shows its leaf.
    desk.press(*"+++++")
    expect(desk.node(1)).not_to_be_in_viewport(ratio=0.5)
    view.get_by_label("outlook", exact=True).select_option("overcast")
    expect(answer).to_contain_text("yes")
    expect(desk.node(1)).to_be_in_viewport(ratio=0.9)
    desk.shows(0)
    view.get_by_label("outlook", exact=True).select_option("sunny")
    expect(answer).to_contain_text("no")
    offered = view.get_by_role("button", name=re.compile("^(outlook|humidity|windy)$"))
    offered.first.click()  # take the change
    expect(answer).to_contain_text("yes")


def test_a_locked_column_does_not_change(desk: Desk) -> None:
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    view = desk.view("What if")
    expect(view.locator(".whatif-answer")).to_contain_text("no")
    for column in ("humidity", "outlook", "windy"):
        lock = view.get_by_role("button", name=f"{column} may not change")
        lock.click()
        expect(lock).to_have_attribute("aria-pressed", "true")
    expect(view).to_contain_text("No change of the free columns changes the prediction.")


def test_a_blank_is_missing_and_the_row_is_divided(desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    row = X[0].with_columns(outlook=pl.lit(None, dtype=pl.String))
    shares = model.predict_proba(row)[0]
    desk.example("golf", "C4.5", grown=True)
    desk.has_nodes(8)
    view = desk.view("What if")
    expect(view.locator(".whatif-answer")).to_contain_text("no")
    view.get_by_label("outlook", exact=True).select_option("")
    for share in shares:
        expect(view.locator(".whatif-out")).to_contain_text(f"{round(100 * share)}%")
    expect(view).to_contain_text("36% of the row")  # 5 of 14 rows are sunny, 5 rain
    expect(view).to_contain_text("29% of the row")
    view.get_by_role("button", name="Clear").click()
    expect(view.get_by_label("Start from row")).to_have_value("")
    view.get_by_label("Start from row").fill("3")
    expect(view.get_by_label("outlook", exact=True)).to_have_value("overcast")
    expect(view.locator(".whatif-answer")).to_contain_text("yes")


# -------------------------------------------------------------------- how good


def test_quality_is_cross_validated_first(desk: Desk) -> None:
    X, y = pt.datasets.load_loans()
    desk.example("loans", "CART", grown=True)
    desk.press("f")
    view = desk.view("How good")
    head = view.get_by_role("heading", level=3).first
    expect(head).to_contain_text("10-fold cross-validation", timeout=30_000)
    found = pt.evaluation.cross_validate(pt.CARTClassifier(), X, y, n_folds=10)
    accuracy = view.get_by_role("row").filter(has_text=re.compile("accuracy", re.I)).first
    mean = 100 * found.mean_of("accuracy")
    expect(accuracy).to_contain_text(f"{mean:.1f}%")
    view.get_by_role("button", name="Training rows").click()
    expect(view).to_contain_text("optimistic")
    model = pt.CARTClassifier().fit(X, y)
    wrong = int((model.predict(X) != y.to_numpy()).sum())
    expect(view.get_by_role("heading", level=3).first).to_contain_text("training rows")
    assert wrong == sum(_errors(view))
    view.get_by_role("button", name="Show cross-validated values").click()
    expect(head).to_contain_text("10-fold cross-validation")


def _errors(view: Any) -> list[int]:
    """The numbers of the confusion matrix beside its diagonal."""
    table = view.get_by_role("table").filter(has_text="predicted")
    rows = [re.findall(r"[\d,]+", text) for text in table.locator("tbody tr").all_inner_texts()]
    numbers = [[int(part.replace(",", "")) for part in row] for row in rows]
    return [n for i, row in enumerate(numbers) for j, n in enumerate(row) if i != j]


def test_a_test_file_is_dropped_and_the_threshold_moved(desk: Desk) -> None:
    dataset = pt.datasets.load_loans()
    model = pt.CARTClassifier(max_depth=3).fit(*dataset)
    test = dataset.frame.tail(200)
    desk.example("loans", "CART")
    desk.button(re.compile("^Learner and settings")).click()
    form = desk.page.get_by_role("dialog", name="Learner and settings")
    form.get_by_label("max_depth").first.fill("3")
    form.get_by_role("button", name="Apply").click()
    desk.button("Grow the rest").click()
    desk.has_nodes(model.tree_.n_nodes)
    view = desk.view("How good")
    view.get_by_role("button", name="Test file").click()
    drop(view.locator(".dock-drop"), "test.csv", test.write_csv())
    expect(view.get_by_role("heading", level=3).first).to_contain_text("test table test.csv")
    expect(view).to_contain_text("200 rows")
    actual = test[dataset.target].to_numpy()
    features = test.drop(dataset.target)
    assert sum(_errors(view)) == (model.predict(features) != actual).sum()
    slider = view.get_by_role("slider")
    slider.focus()
    for _ in range(20):
        desk.press("ArrowLeft")
    expect(view.locator("output")).to_have_text("30%")
    second = model.predict_proba(features)[:, 1] >= 0.3
    wrong = int((second != (actual == model.classes_[1])).sum())
    matrix = view.get_by_role("table").filter(has_text="predicted")
    expect(matrix).to_contain_text(str(int((second & (actual == model.classes_[1])).sum())))
    assert sum(_errors(view)) == wrong
    # A cell opens its rows, where they are rows of the table.
    view.get_by_role("button", name="Cross-validated").click()
    view.get_by_role("button", name=re.compile("rows of yes predicted as no")).click()
    expect(desk.page.get_by_role("button", name="Show all rows")).to_be_visible()


# -------------------------------------------------------------------- presenting


def step_of(address: str) -> int | None:
    """The step that an address holds, counted from 0."""
    _, _, encoded = address.partition("#d=")
    if not encoded:
        return None
    packed = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    place = json.loads(zlib.decompress(packed, wbits=-15))
    return place["view"].get("step")


def test_the_stepper_leads_through_the_tree(desks: Any, desk: Desk) -> None:
    X, y = pt.datasets.load_golf()
    desk.example("golf", grown=True)
    desk.has_nodes(8)
    desk.press("p")
    stepper = desk.page.get_by_role("group", name="Present")
    expect(desk.page.get_by_role("banner")).to_have_count(0)
    desk.button("Step through it").click()
    expect(stepper).to_contain_text("Step 1 of")
    expect(desk.node(0)).to_contain_text("choose a split")
    expect(desk.nodes).to_have_count(1)
    best = pt.candidates(pt.ID3Classifier().fit(X, y), X, y)[0]
    names = {found.feature for found in pt.candidates(pt.ID3Classifier().fit(X, y), X, y)}
    for step in range(2, 2 + len(names)):
        desk.press("ArrowRight")
        expect(stepper).to_contain_text(f"Step {step} of")
    expect(stepper).to_contain_text(re.compile("|".join(names)))
    desk.press("ArrowRight")
    expect(desk.node(0)).to_contain_text(best.feature)
    expect(desk.nodes).to_have_count(4)
    expect(stepper).to_contain_text("Step 6 of")
    desk.page.wait_for_url(lambda url: step_of(url) == 5)
    # The address leads a class to the same step.
    address = desk.page.url
    other = desks(desk.url + "&" + address.partition("#")[2])
    other.page.goto(other.url)
    expect(other.page.get_by_role("group", name="Present")).to_contain_text("Step 6 of")
    expect(other.nodes).to_have_count(4)
    desk.press("Escape")
    expect(desk.page.get_by_role("banner")).to_be_visible()
    expect(desk.nodes).to_have_count(8)


def test_presenting_goes_on_with_the_splits_that_are_made(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    desk.press("p")
    stepper = desk.page.get_by_role("group", name="Present")
    desk.button("Step through it").click()
    expect(stepper).to_contain_text("Step 1 of 5")
    desk.press("1")  # outlook
    expect(stepper).to_contain_text("At outlook = rain")
    expect(stepper).to_contain_text("Which split is best?")
    expect(desk.nodes).to_have_count(4)
    desk.press("ArrowRight")
    expect(desk.inspector).to_contain_text("one branch per value")
    desk.press("1")  # windy
    expect(stepper).to_contain_text("At outlook = sunny")
    for _ in range(3):
        desk.press("ArrowRight")
    expect(desk.node(3)).to_contain_text("choose a split")
    marked = desk.inspector.locator(".cand.on")
    expect(stepper).to_contain_text("outlook = sunny: windy")
    expect(stepper).to_contain_text("The information gain is 0.0200.")
    expect(marked).to_contain_text("windy")
    expect(desk.inspector.locator(".formula")).to_contain_text("0.0200")
    expect(marked.get_by_role("button", name="Take this split")).to_be_visible()
    desk.press("ArrowLeft", "ArrowLeft")
    expect(marked).to_contain_text("humidity")
    desk.press("Enter")
    expect(desk.nodes).to_have_count(8)


def test_presenting_has_room_for_the_branches_that_are_looked_at(desk: Desk) -> None:
    desk.example("golf")
    desk.shows(0)
    desk.press("1")  # outlook
    desk.has_nodes(4)
    desk.select(3)
    desk.press("1")  # humidity
    desk.has_nodes(6)
    desk.press("p")
    desk.select(2)
    ghosts = desk.page.locator(".card.ghost")
    expect(ghosts).to_have_count(2)
    desk.page.wait_for_timeout(300)  # the view glides
    stage = desk.page.get_by_role("main").bounding_box()
    taken = [card.bounding_box() for card in desk.nodes.all()]
    for ghost in (ghost.bounding_box() for ghost in ghosts.all()):
        assert stage["x"] <= ghost["x"]
        assert ghost["x"] + ghost["width"] <= stage["x"] + stage["width"]
        assert not any(overlap(ghost, card) for card in taken)


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(
        one[start] < other[start] + other[size] and other[start] < one[start] + one[size]
        for start, size in (("x", "width"), ("y", "height"))
    )
