"""The living report in a real browser: from a file, in a frame of a notebook, without script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.report.findings import find_out
from plaintree.app.report.living import bundle
from plaintree.app.report.report import living_page
from plaintree.app.studio.notebook import Shown, html_of
from plaintree.show.explain.explain import explain
from plaintree.teaching import Formulas
from tests.support.browser import Opened, opened

HOSTILE = "</script><img src=x onerror=alert(1)>"

pytestmark = pytest.mark.skipif(
    bundle() is None, reason="the page of the studio is not built: run make page"
)


@pytest.fixture(scope="module")
def golf() -> tuple[Any, Any, Any]:
    X, y = pt.datasets.load_golf()
    return pt.C45Classifier().fit(X, y), X, y


@contextmanager
def shown(chromium: Any, path: Path, text: str, *, width: int = 1440) -> Iterator[Opened]:
    """A report, opened from its file; it may ask for nothing and complain of nothing."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    with opened(chromium, path, width=width) as browser:
        browser.page.get_by_role("treeitem").first.wait_for()
        yield browser
        assert browser.requests == [path.as_uri()]
        assert browser.complaints == []


def report_of(golf: tuple[Any, Any, Any], **options: Any) -> str:
    return living_page(find_out(*golf, cv=5), **options)


def test_tree_is_shown_and_every_node_has_its_splits(
    chromium: Any, tmp_path: Path, golf: Any
) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        assert page.get_by_role("treeitem").count() == golf[0].tree_.n_nodes
        assert page.locator("body > main").is_hidden()
        page.get_by_role("treeitem").filter(has_text="humidity").click()
        assert page.get_by_text("in the tree", exact=True).is_visible()
        assert page.get_by_text("plaintree studio FILE --target play").is_visible()
        assert page.get_by_role("button", name="Grow the rest").count() == 0
        assert page.get_by_role("button", name="Take this split").count() == 0


def test_formula_has_the_numbers_of_python(chromium: Any, tmp_path: Path, golf: Any) -> None:
    model, X, y = golf
    formula = Formulas(model.tree_, X, y).of([], measure="impurity", digits=4).to_dict()
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.locator(".insp .head .fig").click()
        entropy = f"{model.tree_.impurity[0]:.4f}"
        assert page.get_by_role("heading", name=f"How {entropy} is computed").is_visible()
        numbers = page.locator(".formula mn").all_text_contents()
        for number in ("5", "9", "14", entropy):
            assert number in numbers
            assert number in formula["text"]
        page.get_by_role("button", name="Digits").click()
        page.get_by_role("menuitemradio", name="6 digits").click()
        page.get_by_role(
            "heading", name=f"How {model.tree_.impurity[0]:.6f} is computed"
        ).wait_for()


def test_thresholds_are_read_and_not_taken(chromium: Any, tmp_path: Path, golf: Any) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.get_by_role("treeitem").filter(has_text="humidity").click()
        handle = page.get_by_role("slider", name="Threshold")
        first = handle.get_attribute("aria-valuenow")
        handle.focus()
        page.keyboard.press("ArrowRight")
        assert handle.get_attribute("aria-valuenow") != first
        page.keyboard.press("Enter")
        assert page.get_by_role("button", name="Take this threshold").count() == 0


def test_metrics_name_their_rows(chromium: Any, tmp_path: Path, golf: Any) -> None:
    found = find_out(*golf, cv=5)
    with shown(chromium, tmp_path / "golf.html", living_page(found)) as browser:
        page = browser.page
        page.get_by_role("tab", name="How good").click()
        assert page.get_by_text("5-fold cross-validation of the learner").first.is_visible()
        assert found.validation is not None
        accuracy = f"{found.validation.mean:.1%}"
        assert page.locator(".quality").get_by_text(accuracy, exact=True).first.is_visible()
        assert page.get_by_role("button", name="Test file").count() == 0


# -------------------------------------------------------------------- typed rows


def replied(page: Any, row: dict[str, Any]) -> dict[str, Any]:
    """The prediction of a row by the program in the file."""
    asked = "row => ({predicted: plaintreeModel.predict(row), p: plaintreeModel.predictProba(row)})"
    found: dict[str, Any] = page.evaluate(asked, row)
    return found


def test_program_predicts_every_row_as_the_model(chromium: Any, tmp_path: Path, golf: Any) -> None:
    model, X, _ = golf
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        rows = X.to_dicts()
        found = [replied(browser.page, row) for row in rows]
        assert [it["predicted"] for it in found] == model.predict(X).tolist()
        assert np.allclose([it["p"] for it in found], model.predict_proba(X))


def test_typed_row_is_predicted_and_its_path_shown(
    chromium: Any, tmp_path: Path, golf: Any
) -> None:
    model, _, _ = golf
    row = {"outlook": ["sunny"], "temperature": [70], "humidity": [90], "windy": [False]}
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.get_by_role("tab", name="What if").click()
        page.get_by_label("outlook", exact=True).select_option("sunny")
        page.get_by_label("humidity", exact=True).fill("90")
        page.get_by_label("windy", exact=True).select_option("False")
        predicted = page.locator(".whatif-answer")
        wanted = model.predict(pl.DataFrame(row))[0]
        page.wait_for_function(
            "wanted => document.querySelector('.whatif-answer')?.textContent === wanted", arg=wanted
        )
        assert predicted.inner_text().strip() == wanted
        steps = [str(step) for step in explain(model, pl.DataFrame(row)).path.steps]
        assert page.locator(".whatif-why ol li").count() == len(steps)
        page.get_by_label("humidity", exact=True).fill("high")
        page.get_by_text("humidity must be a number").wait_for()


def test_row_with_missing_values_is_divided_as_by_the_model(
    chromium: Any, tmp_path: Path, golf: Any
) -> None:
    model, X, _ = golf
    nothing = pl.DataFrame({name: [None] for name in X.columns}, schema=X.schema)
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.get_by_role("tab", name="What if").click()
        page.locator(".whatif-share").first.wait_for()
        shares = page.locator(".whatif-list li").all_inner_texts()
        assert len(shares) == model.tree_.n_leaves
        found = replied(page, dict.fromkeys(X.columns))
        assert np.allclose(found["p"], model.predict_proba(nothing)[0])


# -------------------------------------------------------------------- without script, on paper


def test_without_script_the_report_is_read_as_text(
    chromium: Any, tmp_path: Path, golf: Any
) -> None:
    path = tmp_path / "golf.html"
    path.write_text(report_of(golf), encoding="utf-8")
    with opened(chromium, path, script=False) as browser:
        assert browser.requests == [path.as_uri()]
        assert browser.complaints == []
        assert (
            browser.page.locator("body > main")
            .get_by_text("outlook = sunny AND humidity > 75")
            .is_visible()
        )
        assert browser.page.locator("#studio").is_hidden()


def test_on_paper_the_report_is_text(chromium: Any, tmp_path: Path, golf: Any) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.emulate_media(media="print")
        assert page.locator("body > main h1").is_visible()
        assert page.locator("#studio").is_hidden()
        assert (
            page.locator("body > main")
            .get_by_text("outlook = sunny AND humidity > 75")
            .is_visible()
        )


def test_text_and_tree_change_places(chromium: Any, tmp_path: Path, golf: Any) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        page = browser.page
        page.get_by_role("button", name="Read as text").click()
        assert page.locator("body > main h1").is_visible()
        assert page.locator("#studio").is_hidden()
        page.get_by_role("button", name="Back to the tree").click()
        assert page.locator("body > main").is_hidden()
        assert page.get_by_role("treeitem").first.is_visible()


# -------------------------------------------------------------------- frames, names, rows


def test_frame_of_a_notebook_needs_no_storage(chromium: Any, tmp_path: Path, golf: Any) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(html_of(Shown(*golf), "http://127.0.0.1:1/"), encoding="utf-8")
    with opened(chromium, path) as browser:
        frame = browser.page.frame_locator("iframe")
        frame.get_by_role("treeitem").first.wait_for()
        frame.get_by_role("tab", name="What if").click()
        assert frame.locator(".whatif-answer").is_visible()
        assert browser.complaints == []
        assert [url for url in browser.requests if url.startswith("http")] == []


def test_hostile_names_are_text(chromium: Any, tmp_path: Path) -> None:
    X = pl.DataFrame({HOSTILE: ["a", HOSTILE] * 10, "n": range(20)})
    y = [HOSTILE, "no"] * 10
    found = find_out(pt.ID3Classifier().fit(X, y), X, y, cv=2)
    with shown(chromium, tmp_path / "hostile.html", living_page(found, HOSTILE)) as browser:
        page = browser.page
        assert page.locator("img").count() == 0
        assert page.locator(".living-title").inner_text() == HOSTILE
        for tab in page.get_by_role("tab").all():
            tab.click()
        assert replied(page, {HOSTILE: "a", "n": 1})["predicted"] == HOSTILE


def test_rows_are_listed_only_if_they_are_in_the_file(
    chromium: Any, tmp_path: Path, golf: Any
) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf)) as browser:
        assert browser.page.get_by_role("tab", name="Table").count() == 0
    with shown(chromium, tmp_path / "rows.html", report_of(golf, rows=True)) as browser:
        page = browser.page
        page.get_by_role("tab", name="Table").click()
        page.get_by_label("Search the rows").fill("overcast")
        page.get_by_text("4 of 14 rows found").wait_for()


@pytest.mark.parametrize("width", [390, 768])
def test_narrow_screens_do_not_scroll_sideways(
    chromium: Any, tmp_path: Path, golf: Any, width: int
) -> None:
    with shown(chromium, tmp_path / "golf.html", report_of(golf), width=width) as browser:
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.page.evaluate(wide) == 0


def test_forest_and_numbers(chromium: Any, tmp_path: Path) -> None:
    X, y = pt.datasets.load_golf()
    forest = pt.RandomForestClassifier(5, oob_score=False, random_state=0).fit(X, y)
    with shown(chromium, tmp_path / "f.html", living_page(find_out(forest, X, y))) as browser:
        row = X.to_dicts()[0]
        assert replied(browser.page, row)["predicted"] == forest.predict(X[:1])[0]
        browser.page.get_by_role("tab", name="What if").click()
        browser.page.locator(".whatif-answer").wait_for()
    target = X["humidity"].cast(pl.Float64)
    others = X.drop("humidity")
    model = pt.CARTRegressor().fit(others, target)
    with shown(
        chromium, tmp_path / "n.html", living_page(find_out(model, others, target))
    ) as browser:
        predicted = browser.page.evaluate(
            "row => plaintreeModel.predict(row)", others.to_dicts()[0]
        )
        assert predicted == model.predict(others[:1])[0]
