"""The report: what the page says, that it says only what is true, and that names cannot harm it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.report.chart import curve_svg
from plaintree.app.report.findings import ErrorCurve, find_out
from plaintree.app.report.report import page, report
from plaintree.app.report.writing import write_whole
from plaintree.errors import ArgumentTypeError, FileError, ParameterError, TableError
from plaintree.evaluation.cross_validation import cross_validate
from tests.support.browser import opened
from tests.support.trees import tennis

HOSTILE = "</script><script>alert(1)</script>\"'&\u202e\0" + "long " * 60
VOID = {"meta", "link"}


class Outline(HTMLParser):
    """The text of a page, its elements, and whether each of them is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.elements: list[str] = []
        self.features: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.features += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.features += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def noisy(n: int = 200) -> tuple[pl.DataFrame, pl.Series]:
    """A table with numbers, text, gaps and noise."""
    random = np.random.default_rng(0)
    age, colour = random.integers(0, 100, n), random.choice(["red", "green", ""], n)
    noise = random.random(n) < 0.15
    y = np.where(noise, "c", np.where((age > 50) | (colour == "red"), "a", "b"))
    X = pl.DataFrame({"age": age, "colour": [c or None for c in colour]})
    return X, pl.Series("kind", y)


def as_text(model: Any, X: Any, y: Any, path: Path, **options: Any) -> None:
    """Write the page without script, whether the page of the studio is built or not."""
    write_whole(path, page(find_out(model, X, y, **options)), "the report")


def written(model: Any, X: Any, y: Any, **options: Any) -> Outline:
    return Outline(page(find_out(model, X, y, **options)))


@pytest.fixture(scope="module")
def golf() -> Outline:
    X, y = pt.datasets.load_golf()
    return written(pt.C45Classifier().fit(X, y), X, y, cv=5)


# -------------------------------------------------------------------- what it says


def test_the_page_is_whole_and_holds_no_script_and_no_reference(golf: Outline) -> None:
    assert golf.open == []
    assert "script" not in golf.elements
    assert "img" not in golf.elements
    links = [value for key, value in golf.features if key in ("href", "src", "xlink:href")]
    assert [link for link in links if link and not link.startswith("#")] == ["data:,"]
    assert not [key for key, _ in golf.features if key.startswith("on")]


def test_data_are_summed_up(golf: Outline) -> None:
    assert "No missing values. The model was fitted on these rows." in golf.text
    assert "outlook categorical – 3: overcast, rain, sunny" in golf.text
    assert "humidity numeric – 9 from 65 to 96" in golf.text
    assert "yes 9 64.3%" in golf.text


def test_missing_values_are_counted() -> None:
    X, y = noisy()
    n = X["colour"].null_count()
    text = written(pt.C45Classifier().fit(X, y), X, y, cv=0).text
    assert f"{n} of 400 values are missing" in text
    assert f"colour categorical {n} ({n / 200:.1%}) 2: green, red" in text


def test_tree_and_rules_are_shown(golf: Outline) -> None:
    assert golf.elements.count("svg") == 2
    assert "3 internal nodes, 5 leaves, depth 2." in golf.text
    assert "5 outlook = sunny AND humidity > 75 no 3 1.00" in golf.text


def test_figures_are_those_of_cross_validation() -> None:
    X, y = noisy()
    model = pt.CARTClassifier().fit(X, y)
    expected = cross_validate(model, X, y, n_folds=4, seed=7)
    text = written(model, X, y, cv=4, seed=7).text
    assert "In 4-fold cross-validation, each fold is predicted by a model with the same" in text
    assert f"accuracy {expected.mean:.1%} (standard deviation" in text
    assert f"balanced accuracy {expected.balanced_mean:.1%}" in text
    assert f"{expected.mean:.1%} accuracy, 4-fold cross-validation" in text
    counts = expected.confusion.tolist()
    for label, row in zip("abc", counts, strict=True):
        assert f" {label} {row[0]} {row[1]} {row[2]} " in text
    recall = counts[0][0] / sum(counts[0])
    precision = counts[0][0] / sum(row[0] for row in counts)
    f1 = 2 * precision * recall / (precision + recall)
    assert "Metrics by class, 4-fold cross-validation class precision recall F1 support" in text
    assert f"a {precision:.1%} {recall:.1%} {f1:.1%} {sum(counts[0])}" in text


def test_without_cross_validation_the_predictions_of_the_model_are_measured() -> None:
    X, y = noisy()
    model = pt.C45Classifier().fit(X, y)
    errors = int((model.predict(X) != y.to_numpy()).sum())
    text = written(model, X, y, cv=None).text
    assert "cross-validation" not in text
    assert f"On the training rows, this model has {errors} errors in 200 rows: accuracy" in text
    assert "Confusion matrix, training rows" in text
    assert "This is optimistic, because the model was fitted on them." in text


def test_curve_is_that_of_held_out_rows() -> None:
    X, y = noisy()
    curve = find_out(pt.CARTClassifier().fit(X, y), X, y, cv=0).curve
    assert curve is not None
    assert curve.unit == "internal nodes"
    assert [name for name, _ in curve.series] == ["training rows", "held-out rows"]
    assert curve.sizes[0] == 0
    training, held_out = (errors for _, errors in curve.series)
    assert training[-1] < training[0]
    assert held_out[curve.chosen] == min(held_out)
    assert curve.about == (
        "Another model with the same parameters, grown from 140 of the training rows and measured "
        "on the other 60."
    )


def test_importances_come_with_the_greatest_first(golf: Outline) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    order = np.argsort(-model.feature_importances_, kind="stable")[:3]
    places = [
        golf.text.rindex(f"{X.columns[i]} {model.feature_importances_[i]:.1%}") for i in order
    ]
    assert places == sorted(places)
    assert "Without splits: 1 column." in golf.text


def test_conventions_and_versions_are_told(golf: Outline) -> None:
    assert "C45Classifier, conventions c4.5r8:" in golf.text
    assert "threshold_penalty True" in golf.text
    assert f"plaintree {pt.__version__}" in golf.text
    assert "scikit-learn" in golf.text


def test_title_can_be_given() -> None:
    X, y = pt.datasets.load_golf()
    found = find_out(pt.ID3Classifier().fit(X, y), X, y, cv=0)
    assert "<h1>A decision tree for play</h1>" in page(found)
    assert "<title>When to &lt;play&gt;, and when not</title>" in page(
        found, "When to <play>, and when not"
    )


# -------------------------------------------------------------------- every kind of model


def test_forest_shows_one_tree_and_its_out_of_bag_error() -> None:
    X, y = noisy()
    model = pt.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    outline = written(model, X, y, cv=0)
    assert "A forest of 30 trees for kind" in outline.text
    assert "The first of 30 trees. The model predicts with the votes of all." in outline.text
    assert f"OOB error {1 - model.oob_score_:.1%}" in outline.text
    assert "Confusion matrix, out-of-bag rows" in outline.text
    assert "One rule per leaf" not in outline.text


def test_error_of_a_forest_without_bags_is_counted_on_held_out_rows() -> None:
    X, y = noisy()
    curve = find_out(pt.RandomForestClassifier(10, random_state=0).fit(X, y), X, y, cv=0).curve
    assert curve is not None
    assert curve.sizes == tuple(range(1, 11))
    assert curve.unit == "trees"


def test_boosted_trees_are_reported_like_forests() -> None:
    X, y = noisy()
    text = written(
        pt.BoostedTreesClassifier(n_estimators=5, random_state=0).fit(X, y), X, y, cv=2
    ).text
    assert "In 2-fold cross-validation" in text


def test_rules_are_shown_in_their_order_with_the_default() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45RulesClassifier().fit(X, y)
    text = written(model, X, y, cv=0).text
    assert "A list of 4 rules for play" in text
    assert "The tree that the rules were made from." in text
    assert f"1 outlook = sunny AND humidity > 75 no 3 1.00 {model.rules_[0].accuracy:.1%}" in text
    assert "otherwise yes 2 1.00" in text
    listed = written(model.rules_, X, y).text
    assert "The tree that" not in listed


def test_an_imported_tree_is_measured_on_the_rows_given_only() -> None:
    X = {"outlook": ["Sunny", "Rain"], "humidity": [60, 90], "wind": ["Weak", "Strong"]}
    text = written(tennis(), X, ["Yes", "Yes"]).text
    assert "cross-validation" not in text
    assert "It is not known whether the model was fitted on these rows." in text
    assert "this model has 1 error in 2 rows" in text
    assert "If the model was fitted on them, this is optimistic." in text
    forest = pt.RandomForestClassifier.from_trees([tennis(), tennis()])
    assert "A forest of 2 trees" in written(forest, X, ["Yes", "No"]).text


def test_forest_of_noise_has_the_confusion_of_out_of_bag_rows() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((300, 5)), random.choice(["no", "yes"], 300)
    model = pt.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    found = find_out(model, X, y, cv=0)
    assert found.own.accuracy == 1
    assert found.headline.measured_on == "out-of-bag rows"
    assert found.headline.accuracy == pytest.approx(model.oob_score_)
    text = Outline(page(found)).text
    assert f"{model.oob_score_:.1%} accuracy, out-of-bag rows" in text
    (a, b), (c, d) = found.headline.confusion.tolist()
    assert (
        f"Confusion matrix, out-of-bag rows actual \\ predicted no yes no {a} {b} yes {c} {d}"
        in text
    )


@pytest.mark.parametrize(
    "learner",
    [
        pt.RandomForestClassifier(30, random_state=0),
        pt.BoostedTreesClassifier(n_estimators=30, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_an_ensemble_is_not_measured_on_its_training_rows_alone(learner: Any) -> None:
    """Without out-of-bag rows and cross-validation there is no accuracy to see first."""
    random = np.random.default_rng(0)
    X, y = random.random((200, 5)), random.choice(["no", "yes"], 200)
    found = find_out(learner.fit(X, y), X, y, cv=0)
    assert found.headline is None
    text = Outline(page(found)).text
    assert "Confusion matrix," not in text
    assert "accuracy, training rows" not in text
    assert "There is no confusion matrix, because the trees were fitted on these rows." in text
    assert "This is optimistic, because the model was fitted on them." in text


def test_baseline_is_measured_on_the_same_rows() -> None:
    X, y = noisy()
    text = written(pt.CARTClassifier().fit(X, y), X, y, cv=4).text
    assert "Baseline (4-fold cross-validation): always predicting the majority class" in text
    assert re.search(r"[\d.]+% baseline accuracy \(always a\), 4-fold cross-validation", text)


def test_edits_by_hand_are_told() -> None:
    X, y = noisy()
    model = pt.C45Classifier().fit(X, y)
    leaf = int(np.flatnonzero(model.tree_.n_children == 0)[0])
    model.tree_ = model.tree_.relabel(leaf, "a").cut(0).relabel(0, "b")
    text = written(model, X, y, cv=3).text
    assert "The tree was edited by hand after it was grown: relabel, cut." in text
    assert "These models do not have the edits made to this tree after it was grown" in text
    assert "accuracy, 3-fold cross-validation, without the edits to this tree" in text
    assert "Confusion matrix, 3-fold cross-validation, without the edits to this tree" in text
    assert "The tree is a single leaf: it predicts b for all rows" in text


def test_a_list_without_rules_says_so() -> None:
    X, y = {"x": [1.0, 1.0, 1.0]}, ["a", "b", "b"]
    text = written(pt.C45RulesClassifier().fit(X, y), X, y, cv=0).text
    assert "The list has no rules: it predicts b for all rows." in text


def test_out_of_bag_rows_in_another_order_have_no_confusion() -> None:
    X, y = noisy()
    model = pt.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    found = find_out(model, X[::-1], y[::-1], cv=0)
    assert found.is_training_table is True
    assert found.out_of_bag is None
    assert f"accuracy {model.oob_score_:.1%}, OOB error" in Outline(page(found)).text


@pytest.mark.parametrize(
    "learner",
    [
        pt.CARTClassifier(),
        pt.RandomForestClassifier(40, oob_score=True, random_state=0),
        pt.BoostedTreesClassifier(n_estimators=5, random_state=0),
        pt.C45RulesClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_nothing_is_grown_from_other_rows_than_those_of_training(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noisy()
    model = learner.fit(X[:120], y[:120])

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a model is fitted again")

    monkeypatch.setattr(type(model), "fit", refuse)
    found = find_out(model, X[120:], y[120:])
    wrong = int((model.predict(X[120:]) != y[120:].to_numpy()).sum())
    assert found.headline is found.own
    assert found.headline.n_errors == wrong
    text = Outline(page(found)).text
    assert f"{1 - wrong / 80:.1%} accuracy, rows given" in text
    assert "cross-validation" not in text
    assert "All metrics below are of this model on the rows given." in text


def test_other_rows_than_those_of_training_are_distinguished() -> None:
    X, y = noisy()
    model = pt.C45Classifier().fit(X[:100], y[:100])
    assert find_out(model, X[:100], y[:100], cv=0).is_training_table is True
    found = find_out(model, X, y, cv=0)
    assert found.is_training_table is False
    assert "These are not the 100 rows that the model was fitted on" in page(found)


@pytest.mark.parametrize("kind", ["numpy", "pandas", "dict", "rows"])
def test_any_table_will_do(kind: str) -> None:
    random = np.random.default_rng(1)
    matrix = random.random((40, 2)).round(2)
    y = ["a" if a > b else "b" for a, b in matrix]
    made: dict[str, Any] = {
        "numpy": matrix,
        "pandas": pl.DataFrame(matrix).to_pandas(),
        "dict": {"u": matrix[:, 0].tolist(), "v": matrix[:, 1].tolist()},
        "rows": matrix.tolist(),
    }
    X = made[kind]
    found = find_out(pt.CARTClassifier().fit(X, y), X, y, cv=3)
    assert found.validation is not None
    assert found.curve is not None
    assert found.is_training_table is True


def test_very_small_tables_have_a_report() -> None:
    single = pl.DataFrame({"x": [1]})
    text = written(pt.ID3Classifier().fit(single, ["a"]), single, ["a"]).text
    assert "this model has 0 errors in 1 row:" in text
    assert "cross-validation" not in text
    one_class = pl.DataFrame({"x": list(range(12))})
    text = written(pt.ID3Classifier().fit(one_class, ["a"] * 12), one_class, ["a"] * 12).text
    assert "Feature importances" not in text
    assert "The tree is a single leaf: it predicts a for all rows" in text
    assert "12 rows 1 feature 1 class 1 leaf 0 depth" in text
    assert "Error rate against size" not in text  # there is only one


def test_class_that_the_model_does_not_know_counts_as_an_error() -> None:
    X, y = noisy()
    model = pt.C45Classifier().fit(X, y)
    confusion = find_out(model, X[:3], ["new", "a", "b"], cv=0).own
    assert "new" in confusion.classes
    assert confusion.n_rows == 3
    assert confusion.n_errors >= 1


def test_long_lists_are_cut_and_the_rest_counted() -> None:
    random = np.random.default_rng(0)
    X = random.random((400, 120))
    y = random.integers(0, 40, 400)
    outline = written(pt.CARTClassifier().fit(X, y), X, y, cv=2)
    assert "... and 20 more columns." in outline.text
    assert "... and 10 more classes." in outline.text
    assert re.search(
        r"\.\.\. and \d+ more rules, each with less support than those shown", outline.text
    )
    assert re.search(r"actual predicted rows .* more pairs", outline.text)
    assert outline.open == []


# -------------------------------------------------------------------- names and files


def hostile_table(n: int = 60) -> tuple[pl.DataFrame, pl.Series]:
    random = np.random.default_rng(0)
    X = pl.DataFrame(
        {HOSTILE: random.choice([HOSTILE, "<b>", "]]>", "😀", "--><!--"], n), "x": random.random(n)}
    )
    y = np.where(X["x"].to_numpy() > 0.5, HOSTILE, "</style><img src=x onerror=alert(1)>")
    return X, pl.Series("</title><script>alert(2)</script>", y)


@pytest.mark.parametrize("learner", [pt.CARTClassifier(), pt.C45RulesClassifier()])
def test_hostile_names_are_only_text(learner: Any) -> None:
    X, y = hostile_table()
    outline = written(learner.fit(X, y), X, y, cv=2)
    assert outline.open == []
    assert {"script", "img", "b"} & set(outline.elements) == set()
    assert "</style><img src=x onerror=alert(1)>" in outline.text
    assert "\\u202e\\x00" in outline.text  # not shown as they are: they would turn the line round


def test_file_is_written_whole_and_replaced(tmp_path: Path) -> None:
    X, y = pt.datasets.load_golf()
    model, path = pt.C45Classifier().fit(X, y), tmp_path / "golf.html"
    path.write_text("old")
    report(model, X, y, path, title="New \ud800", cv=0)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [path]
    once = path.read_bytes()
    report(model, X, y, str(path), title="New \ud800", cv=0)
    assert path.read_bytes() == once


def test_what_cannot_be_reported_is_refused(tmp_path: Path) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    with pytest.raises(ArgumentTypeError, match=r"the report needs a fitted model.*call fit first"):
        report(pt.C45Classifier(), X, y, tmp_path / "a.html")
    with pytest.raises(
        ArgumentTypeError, match=r"the report needs a fitted model.*pass a fitted model"
    ):
        report("tree", X, y, tmp_path / "a.html")
    with pytest.raises(ArgumentTypeError, match="title must be a string"):
        report(model, X, y, tmp_path / "a.html", title=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at least two folds"):
        report(model, X, y, tmp_path / "a.html", cv=1)
    with pytest.raises(TableError, match="lacks columns"):
        report(model, X.drop("outlook"), y, tmp_path / "a.html")
    with pytest.raises(FileError, match="the report could not be written"):
        report(model, X, y, tmp_path / "none" / "a.html", cv=0)
    with pytest.raises(FileError, match="the report could not be written"):
        report(model, X, y, tmp_path, cv=0)
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- the drawing of errors


@pytest.mark.parametrize(
    ("sizes", "errors"),
    [((0,), (0.0,)), ((1, 2), (0.0, 0.0)), ((0, 5, 90), (1.0, 0.4, 0.5)), ((3, 4), (1e-4, 2e-4))],
)
def test_marks_stay_inside_the_drawing(sizes: tuple[int, ...], errors: tuple[float, ...]) -> None:
    svg = curve_svg(ErrorCurve("trees", sizes, (("held-out rows", errors),), ""))
    for points in re.findall(r'points="([^"]*)"', svg):
        for x, y in (map(float, point.split(",")) for point in points.split()):
            assert 0 <= x <= 640
            assert 0 <= y <= 300


# -------------------------------------------------------------------- in a browser


def test_page_in_a_browser_asks_for_nothing_complains_of_nothing_and_prints(
    chromium: Any, tmp_path: Path
) -> None:
    X, y = hostile_table()
    path = tmp_path / "page.html"
    as_text(pt.CARTClassifier().fit(X, y), X, y, path, cv=2)
    with opened(chromium, path) as browser:
        assert browser.requests == [path.as_uri()]
        assert browser.complaints == []
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.page.evaluate(wide) == 0  # wide things scroll by themselves
        assert browser.page.locator("section").count() == 7
        assert browser.page.locator("svg").count() == 2
        pdf = browser.page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert browser.page.screenshot(full_page=True).startswith(b"\x89PNG")


def test_page_reads_the_same_without_script(chromium: Any, tmp_path: Path) -> None:
    X, y = pt.datasets.load_golf()
    path = tmp_path / "page.html"
    as_text(pt.C45Classifier().fit(X, y), X, y, path, cv=0)
    with opened(chromium, path, width=600, script=False) as browser:
        assert browser.complaints == []
        assert browser.page.get_by_text("outlook = sunny AND humidity > 75").is_visible()


def test_at_600_pixels_curve_and_matrix_fit_the_page(chromium: Any, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = pl.DataFrame({"x": random.random(60)})
    y = np.where(X["x"].to_numpy() > random.random(60), "n" * 300, "other")
    path = tmp_path / "page.html"
    as_text(pt.CARTClassifier().fit(X, y), X, y, path, cv=2)
    with opened(chromium, path, width=600) as browser:
        for element in (".chart svg", "table.matrix"):
            assert browser.page.locator(element).bounding_box()["width"] < 600
