"""The report on numeric targets: its metrics, plots, and rows with large errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.report.findings import find_out
from plaintree.app.report.plots import MAX_POINTS, LeafResiduals, residuals_svg, scatter_svg
from plaintree.app.report.report import page
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.evaluation.quality import numeric_quality_of
from tests.support.browser import opened

X, Y = pt.datasets.load_houses()


def text_of(html: str) -> str:
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def written(model: Any, X: Any = X, y: Any = Y, **options: Any) -> str:
    return page(find_out(model, X, y, **options))


@pytest.fixture(scope="module")
def tree() -> pt.CARTRegressor:
    return pt.CARTRegressor(max_depth=3).fit(X, Y)


@pytest.fixture(scope="module")
def of_tree(tree: pt.CARTRegressor) -> str:
    return written(tree)


def test_sections_are_those_of_numbers(of_tree: str) -> None:
    headings = re.findall(r"<h[23]>(.*?)</h[23]>", of_tree)
    assert headings == [
        "Data",
        "Target",
        "Tree",
        "Rules",
        "RMSE, MAE and R2",
        "Predicted against actual, 10-fold cross-validation",
        "Residuals by leaf, training rows",
        "Largest errors, 10-fold cross-validation",
        "RMSE against size",
        "Feature importances",
        "Parameters and versions",
        "Further parameters",
        "Versions",
    ]
    assert "class" not in re.sub(r"classes_?|Classifier", "", text_of(of_tree).split("Param")[0])


def test_metrics_are_those_of_cross_validation_with_the_baseline(
    tree: pt.CARTRegressor, of_tree: str
) -> None:
    expected = cross_validate(tree, X, Y)
    text = text_of(of_tree)
    assert f"{expected.mean:.4g} RMSE, 10-fold cross-validation" in text
    both = f"{expected.mean_of('r2'):.3f} ± {expected.deviation_of('r2'):.3f}"
    assert both in text
    sd = np.std(Y.to_numpy())
    assert f"baseline: the mean, 396.1 {sd:.4g} " in text
    assert "On the training rows, the model itself was measured. This is optimistic" in text


def test_largest_errors_are_named_with_their_values(tree: pt.CARTRegressor, of_tree: str) -> None:
    quality = cross_validate(tree, X, Y).quality
    worst = int(np.argmax(np.abs(quality.residuals)))  # type: ignore[union-attr]
    after = text_of(of_tree).split("Largest errors, 10-fold cross-validation ")[-1]
    header, first = after.split(f"{worst + 1} {Y[worst]:g} ", 1)
    assert header.split() == ["row", "actual", "predicted", "residual", "area", "district"]
    assert first.split()[2:4] == [str(X["area"][worst]), X["district"][worst]]


def test_every_row_is_a_point_unless_there_are_many(of_tree: str) -> None:
    scatter = of_tree.rsplit("Predicted against actual,", maxsplit=1)[-1].split(
        "</svg>", maxsplit=1
    )[0]
    assert scatter.count('rx="2.5"') == 240
    many = numeric_quality_of(range(9000), range(9000), "rows given")
    assert scatter_svg(many).count('rx="2.5"') == MAX_POINTS


def test_plots_can_be_drawn_of_equal_numbers() -> None:
    assert "<svg" in scatter_svg(numeric_quality_of([5.0], [5.0], "rows given"))
    assert "<svg" in residuals_svg([LeafResiduals("node 0: 5", np.zeros(3))])


def test_every_leaf_has_a_box_in_the_order_of_the_predictions(
    tree: pt.CARTRegressor, of_tree: str
) -> None:
    found = re.findall(r"node (\d+): \S+ \((\d+) rows?\)", of_tree)
    leaves = np.flatnonzero(tree.tree_.n_children == 0)
    in_order = leaves[np.argsort(tree.tree_.prediction[leaves])]
    assert [int(node) for node, _ in found] == in_order.tolist()
    assert [int(n) for _, n in found] == tree.tree_.weight[in_order].astype(int).tolist()


def test_forests_have_out_of_bag_metrics() -> None:
    forest = pt.RandomForestRegressor(30, oob_score=True).fit(X, Y)
    html = written(forest, cv=0)
    text = text_of(html)
    assert f"{forest.oob_score_:.3f} R2, out-of-bag rows" in text
    assert "Predicted against actual, out-of-bag rows" in text
    assert "The model predicts with the mean of all." in text
    assert "RMSE against size" in text
    assert "Residuals by leaf" not in text


def test_forests_without_out_of_bag_rows_have_no_plot_of_training_rows() -> None:
    text = text_of(written(pt.RandomForestRegressor(5).fit(X, Y), cv=0))
    assert "There is no plot, because the trees were fitted on these rows." in text
    assert "Largest errors" not in text


def test_other_rows_are_predicted_and_nothing_is_grown_from_them(tree: pt.CARTRegressor) -> None:
    found = find_out(tree, X[:50], Y[:50])
    assert found.is_training_table is False
    assert found.validation is found.out_of_bag is found.curve is None
    assert found.own.measured_on == "rows given"
    assert "Largest errors, rows given" in text_of(page(found))


def test_an_imported_tree_is_reported_on_the_rows_given(tree: pt.CARTRegressor) -> None:
    text = text_of(written(tree.tree_))
    assert "RMSE, rows given" in text
    assert "cross-validation" not in text


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_the_curve_has_the_error_of_the_criterion(criterion: Any) -> None:
    html = written(pt.CARTRegressor(criterion, max_depth=4).fit(X, Y), cv=0)
    name = {"absolute_error": "Mean absolute error", "poisson": "Mean half deviance"}[criterion]
    assert f"<h2>{name} against size</h2>" in html


def test_a_single_leaf_is_reported() -> None:
    model = pt.CARTRegressor(min_samples_split=1000).fit(X, Y)
    text = text_of(written(model, cv=3))
    assert "The tree is a single leaf: it predicts 396.1 for all rows" in text


def test_a_numeric_target_may_not_be_missing(tree: pt.CARTRegressor) -> None:
    y = Y.to_list()
    y[4] = None
    with pytest.raises(pt.PlaintreeError, match=r"missing or infinite .* Got nan in row 5"):
        find_out(tree, X, pl.Series("price", y))


@pytest.mark.parametrize("width", [390, 1200])
def test_plots_fit_the_page_in_a_browser(
    chromium: Any, tmp_path: Path, of_tree: str, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(of_tree)
    with opened(chromium, path, width=width) as browser:
        assert browser.complaints == []
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.page.evaluate(wide) == 0
        for drawing in browser.page.locator("svg").all():
            assert drawing.bounding_box()["width"] <= width
