"""The views beside the tree: their numbers are those of the Python interface."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.studio.messages.documents import CutEdit, LabelEdit, PruneEdit, Settings
from plaintree.errors import ColumnError, ParameterError, TableError, TreeError
from plaintree.evaluation.evaluate import evaluate
from plaintree.tree import node_at, path_of
from tests.support.studio import ask, by_column, document, held_example, held_frame, random_frame


def test_regions_cover_the_plane_without_overlap() -> None:
    held = held_example("golf")
    X, _ = pt.datasets.load_golf()
    asked = document(held, learner="cart")
    found = ask(held, "regions", document=asked, x="temperature", y="humidity", at=[1])
    area = sum((r.x1 - r.x0) * (r.y1 - r.y0) for r in found.regions)
    whole = (found.x.most - found.x.least) * (found.y.most - found.y.least)
    assert area == pytest.approx(whole)
    model = pt.CARTClassifier().fit(X, pt.datasets.load_golf().y)
    for region in found.regions:
        assert region.label == model.tree_.label[node_at(model, region.leaf)]
    assert len(found.points) < 14
    for point in found.points:
        assert (point.x, point.y) == tuple(X["temperature", "humidity"].row(point.row))
    assert any(text.startswith("outlook = ") for text in found.fixed)


def test_regions_choose_their_axes_and_refuse_others() -> None:
    held = held_example("golf")
    asked = document(held, learner="cart")
    found = ask(held, "regions", document=asked)
    assert found.x.column != found.y.column
    assert found.columns == ["outlook", "temperature", "humidity", "windy"]
    with pytest.raises(ColumnError, match="no such column"):
        ask(held, "regions", document=asked, x="wind")
    with pytest.raises(ParameterError, match="both axes"):
        ask(held, "regions", document=asked, x="windy", y="windy")
    houses = held_example("houses")
    numbers = ask(houses, "regions", document=document(houses, task="regression", learner="cart"))
    assert all(region.prediction is not None for region in numbers.regions)


def test_rules_are_those_of_the_library() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    asked = document(held, learner="c45")
    found = ask(held, "rules", document=asked)
    expected = pt.rules_of(model)
    assert [rule.n_rows for rule in found.rules] == [rule.weight for rule in expected]
    assert [rule.confidence for rule in found.rules] == [rule.confidence for rule in expected]
    assert [node_at(model, rule.leaf) for rule in found.rules] == [r.leaf for r in expected]
    for form, method in (("c45rules", "c4.5rules"), ("simplified", "course")):
        listed = pt.rules.simplify_rules(model, X, y, method=method)
        found = ask(held, "rules", document=asked, form=form)
        assert [rule.prediction for rule in found.rules] == [rule.label for rule in listed]
        assert found.default == listed.default
    forest = document(held, learner="forest")
    assert ask(held, "rules", document=forest, member=3).rules
    with pytest.raises(TreeError, match="from a single tree"):
        ask(held, "rules", document=forest, form="c45rules")


def test_the_pruning_path_is_that_of_the_library() -> None:
    held = held_example("houses")
    X, y = pt.datasets.load_houses()
    model = pt.CARTRegressor().fit(X, y)
    asked = document(held, task="regression", learner="cart")
    found = ask(held, "pruning", document=asked, n_folds=5)
    path = pt.pruning.pruning_path(model, X, y, folds=5)
    assert [point.value for point in found.points] == path.alphas.tolist()
    assert [point.training for point in found.points] == path.risks.tolist()
    assert [point.validated for point in found.points] == path.cv_errors.tolist()
    assert found.points[found.best].value == path.best_alpha("min")
    assert found.points[found.one_se].value == path.best_alpha("one_se")
    assert found.measured_on == "training rows; 5-fold cross-validation of the learner"
    inner = model.tree_.n_children > 0
    assert np.array(found.falls_at)[inner].astype(float).tolist() == path.links[inner].tolist()
    assert None not in found.falls_at


def test_pruning_by_depth_and_by_validation_rows(tmp_path: Path) -> None:
    frame = random_frame(6, 200, gaps=False)
    held = held_frame(frame[:120], tmp_path)
    asked = document(held, learner="cart")
    alone = ask(held, "pruning", document=asked, method="depth", n_folds=0)
    assert {point.validated for point in alone.points} == {None}
    assert {point.tested for point in alone.points} == {None}
    assert alone.measured_on == "training rows"
    frame[120:].write_csv(tmp_path / "other.csv")
    held.load_test("t", str(tmp_path / "other.csv"), "other.csv")
    train, test = (pl.read_csv(tmp_path / name) for name in ("table.csv", "other.csv"))
    model = pt.CARTClassifier().fit(train.drop("class"), train["class"])
    rows = (train.drop("class"), train["class"], test.drop("class"), test["class"])
    curve = pt.pruning.overfitting_curve(model.tree_, *rows, by="depth")
    found = ask(held, "pruning", document=asked, method="depth", n_folds=0)
    assert [point.training for point in found.points] == curve.training_errors.tolist()
    assert [point.tested for point in found.points] == curve.validation_errors.tolist()
    assert found.measured_on == "training rows; test table other.csv"
    by_alpha = ask(held, "pruning", document=asked, n_folds=0)
    for point in by_alpha.points:
        smaller = pt.prune(model, "cost_complexity", alpha=point.value)
        wrong = (smaller.predict(test.drop("class")) != test["class"].to_numpy()).mean()
        assert point.tested == pytest.approx(wrong)
    reduced = ask(held, "pruning", document=asked, method="reduced_error")
    pruned = pt.prune(model, "reduced_error", test.drop("class"), test["class"]).tree_
    cut = {tuple(step.at) for step in reduced.steps if step.cut}
    kept = [
        path for path in (path_of(model, node) for node in range(model.tree_.n_nodes))
        if not any(path[:n] in cut for n in range(len(path)))
    ]  # fmt: skip
    assert len(kept) == pruned.n_nodes
    assert reduced.steps[-1].at == []
    assert reduced.steps[-1].n_rows == 80


@pytest.mark.parametrize(
    ("method", "learner", "limit"),
    [
        ("depth", "cart", "max_depth"),
        ("min_samples_split", "cart", "min_samples_split"),
        ("confidence", "c45", "confidence"),
    ],
)
def test_limits_are_cross_validated(method: str, learner: str, limit: str, tmp_path: Path) -> None:
    held = held_frame(random_frame(9, 150, gaps=method == "confidence"), tmp_path)
    frame = pl.read_csv(tmp_path / "table.csv")
    X, y = frame.drop("class"), frame["class"]
    parameters = {"pruning": None} if learner == "c45" else {}
    asked = document(held, learner=learner, parameters=parameters)
    found = ask(held, "pruning", document=asked, method=method, n_folds=5)
    model = {"cart": pt.CARTClassifier, "c45": pt.C45Classifier}[learner](**parameters)
    assert [point.n_leaves for point in found.points] == sorted(p.n_leaves for p in found.points)
    for point in found.points:
        value = point.value if method == "confidence" else int(point.value)
        by = "error_based" if method == "confidence" else "limits"
        rows = (X, y) if method == "confidence" else ()
        pruned = pt.prune(model.fit(X, y), by, *rows, **{limit: value})
        assert pruned.tree_.n_leaves == point.n_leaves
        if method != "confidence":  # without gaps
            assert point.training == pytest.approx((pruned.predict(X) != y.to_numpy()).mean())
    if method == "depth":
        for point in found.points:
            growing = pt.CARTClassifier(max_depth=int(point.value))
            errors = 1 - pt.evaluation.cross_validate(growing, X, y, n_folds=5).quality.accuracy
            assert point.validated == pytest.approx(errors)
    assert found.points[found.one_se].n_leaves <= found.points[found.best].n_leaves
    assert "5-fold" in found.measured_on


def test_limits_of_numbers_are_cross_validated() -> None:
    held = held_example("houses")
    asked = document(held, task="regression", learner="cart")
    found = ask(held, "pruning", document=asked, method="min_samples_split", n_folds=3)
    assert found.measure == "RMSE"
    assert found.points[0].n_leaves == 1
    assert all(point.validated > 0 for point in found.points)
    with pytest.raises(ParameterError, match="class"):
        ask(held, "pruning", document=asked, method="confidence", n_folds=0)


def test_comparison_finds_the_first_difference() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    here, there = document(held, learner="id3"), document(held, learner="cart")
    found = ask(held, "compare", document=here, other=there)
    models = pt.ID3Classifier().fit(X, y), pt.CARTClassifier().fit(X, y)
    difference = pt.evaluation.diff(*models, X)
    assert (found.text, found.n_differ) == (difference.structure, difference.n_predictions)
    assert found.at == []
    assert not found.same
    for split, column in zip(found.splits, ("outlook", "outlook"), strict=True):
        assert split.here.column == split.there.column == column
    own, other_split = found.splits
    assert own.here.score == pytest.approx(models[0].tree_.score[0])
    assert other_split.there.score == pytest.approx(models[1].tree_.score[0])
    assert own.here.chosen
    assert not own.there.chosen
    same = ask(held, "compare", document=here, other=document(held, learner="ID3"))
    assert (same.same, same.text, same.rows) == (True, "", [])
    shorter = document(held, learner="cart", parameters={"max_depth": 1})
    shorter.table.drop = ["outlook"]
    other = ask(held, "compare", document=here, other=shorter)
    small = pt.CARTClassifier(max_depth=1).fit(X.drop("outlook"), y)
    differing = models[0].predict(X) != small.predict(X.drop("outlook"))
    assert other.rows == np.flatnonzero(differing).tolist()


def test_explanations_are_those_of_the_library() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    asked = document(held, learner="c45")
    row = {"outlook": "sunny", "humidity": 85, "windy": False, "temperature": 85}
    found = ask(held, "explain", document=asked, row=row)
    expected = pt.explain(model, row)
    assert found.text == expected.to_text()
    assert found.changed_to == expected.counterfactual.prediction
    assert [p.probability for p in found.probabilities] == [
        p.probability for p in expected.probabilities
    ]
    assert [visit.share for visit in found.visits] == [1.0, 1.0, 1.0]
    typed = ask(held, "explain", document=asked, row={**row, "humidity": "85", "windy": "false"})
    assert typed.text == found.text
    fixed = ask(held, "explain", document=asked, row=row, immutable=["outlook"])
    assert fixed.text == pt.explain(model, row, immutable=["outlook"]).to_text()


def test_a_missing_value_divides_the_row() -> None:
    held = held_example("golf")
    found = ask(held, "explain", document=document(held, learner="c45"), row={"humidity": 70})
    leaves = [visit for visit in found.visits if len(visit.at) == 1]
    assert sum(visit.share for visit in leaves) == pytest.approx(1)
    assert len(leaves) == 3
    with pytest.raises(ColumnError, match="no such column"):
        ask(held, "explain", document=document(held), row={"wind": 1})


def test_forests_explain_by_votes() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="forest", parameters={"n_estimators": 15})
    found = ask(held, "explain", document=asked, row=X.row(0, named=True))
    expected = pt.explain(pt.RandomForestClassifier(15).fit(X, y), X[:1])
    assert found.text == expected.to_text()
    assert [vote.votes for vote in found.votes] == list(map(float, expected.vote.votes))
    houses = held_example("houses")
    X, y = pt.datasets.load_houses()
    asked = document(houses, task="regression", learner="cart", parameters={"max_depth": 3})
    row = X.row(0, named=True)
    model = pt.CARTRegressor(max_depth=3).fit(X, y)
    found = ask(houses, "explain", document=asked, row=row, wanted=1000)
    assert found.prediction == pt.explain(model, row).to_text().splitlines()[0].split(": ")[1]
    assert found.changed_to == ""


# -------------------------------------------------------------------- quality


def test_quality_is_cross_validated_and_says_so() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="c45")
    found = ask(held, "quality", document=asked, n_folds=7)
    expected = pt.evaluation.cross_validate(pt.C45Classifier(), X, y, n_folds=7)
    assert found.confusion == expected.confusion.tolist()
    assert found.metrics[0].value == expected.quality.accuracy
    assert found.measured_on == "7-fold cross-validation of the learner with these settings"
    asked.edits = [CutEdit(at=[])]
    edited = ask(held, "quality", document=asked, n_folds=7)
    assert edited.measured_on.endswith(", without the edits to this tree (pruning counts as one)")
    assert edited.confusion == found.confusion


def test_quality_of_a_pruned_tree_is_that_of_its_pruning_curve() -> None:
    held = held_example("loans")
    asked = document(held, learner="cart")
    whole = ask(held, "quality", document=asked)
    curve = ask(held, "pruning", document=asked)
    for position in (curve.one_se, len(curve.points) - 1):
        point = curve.points[position]
        by_alpha = {"alpha": point.value}
        asked.edits = [PruneEdit(method="cost_complexity", options=by_alpha)]
        found = ask(held, "quality", document=asked)
        assert found.metrics[0].value == pytest.approx(1 - point.validated)
        assert found.metrics[0].value != whole.metrics[0].value
        assert found.measured_on == (
            "10-fold cross-validation of the learner with these settings, "
            f"pruned with alpha {point.value:.4g}"
        )
    report = ask(held, "export", document=asked, what="report").text
    assert f"accuracy, 10-fold cross-validation, pruned with alpha {point.value:.4g}" in report
    asked.edits = [PruneEdit(method="limits", options={"max_depth": 1})]
    limited = ask(held, "quality", document=asked)
    assert limited.confusion == whole.confusion
    assert limited.measured_on.endswith(", without the edits to this tree (pruning counts as one)")


def test_quality_of_the_tree_has_its_edits() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="c45", edits=[LabelEdit(at=[0], label="no")])
    found = ask(held, "quality", document=asked, rows="training")
    tree = pt.C45Classifier().fit(X, y).tree_
    assert found.metrics[0].value == 10 / 14
    assert found.weak_leaves[0].at == [0]
    assert found.weak_leaves[0].errors == 4
    assert len(found.weak_leaves) == tree.n_leaves
    assert found.of == "this tree"


def test_quality_on_a_test_table(tmp_path: Path) -> None:
    frame = random_frame(7, 200, gaps=False)
    held = held_frame(frame[:120], tmp_path)
    frame[120:].write_csv(tmp_path / "test.csv")
    asked = document(held, learner="cart", parameters={"max_depth": 3})
    with pytest.raises(TableError, match="no such test table"):
        ask(held, "quality", document=asked, rows="test", test="t")
    held.load_test("t", str(tmp_path / "test.csv"), "test.csv")
    found = ask(held, "quality", document=asked, rows="test", test="t")
    train, test = (pl.read_csv(tmp_path / name) for name in ("table.csv", "test.csv"))
    model = pt.CARTClassifier(max_depth=3).fit(train.drop("class"), train["class"])
    X, actual = test.drop("class"), test["class"].to_list()
    expected = evaluate(
        actual, model.predict(X).tolist(), model.predict_proba(X), ["no", "yes"], "test"
    )
    values = {metric.key: metric.value for metric in found.metrics}
    assert values["auc"] == expected.probabilities.auc
    assert values["accuracy"] == expected.quality.accuracy
    assert found.measured_on == "test table test.csv"
    assert {curve.key for curve in found.curves} == {
        "roc",
        "precision_recall",
        "calibration",
        "lift",
    }
    assert sum(leaf.n_rows for leaf in found.weak_leaves) == 80


def test_a_threshold_decides_between_two_classes() -> None:
    held = held_example("golf")
    asked = document(held, learner="cart", parameters={"max_depth": 1})
    everything = ask(held, "quality", document=asked, rows="training", threshold=0.0)
    nothing = ask(held, "quality", document=asked, rows="training", threshold=1.0)
    assert everything.confusion == [[0, 5], [0, 9]]
    assert nothing.confusion == [[5, 0], [5, 4]]
    letters = held_example("lisbon_letters")
    with pytest.raises(ParameterError, match="between two classes"):
        ask(letters, "quality", document=document(letters), rows="training", threshold=0.5)


def test_forests_are_measured_out_of_bag() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    asked = document(held, learner="forest", parameters={"n_estimators": 60})
    found = ask(held, "quality", document=asked, rows="oob")
    forest = pt.RandomForestClassifier(60, oob_score=True).fit(X, y)
    assert found.metrics[0].value == pytest.approx(forest.oob_score_)
    assert found.measured_on == "out-of-bag rows"
    with pytest.raises(ParameterError, match="only forests"):
        ask(held, "quality", document=document(held, learner="cart"), rows="oob")


def test_numbers_have_their_metrics() -> None:
    held = held_example("houses")
    X, y = pt.datasets.load_houses()
    asked = document(held, task="regression", learner="cart", parameters={"max_depth": 4})
    found = ask(held, "quality", document=asked, n_folds=5)
    expected = pt.evaluation.cross_validate(pt.CARTRegressor(max_depth=4), X, y, n_folds=5)
    values = {metric.key: metric.value for metric in found.metrics}
    assert values == {key: expected.mean_of(key) for key in expected.scores}
    assert found.confusion == []
    forest = document(held, task="regression", learner="forest", parameters={"n_estimators": 50})
    assert ask(held, "quality", document=forest, rows="oob").metrics[0].value > 0


# -------------------------------------------------------------------- steps


def test_steps_visit_every_node_in_order() -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    X, y = pt.datasets.load_golf()
    tree = pt.ID3Classifier().fit(X, y).tree_
    found = ask(held, "steps", document=asked)
    visited = list(dict.fromkeys(tuple(stage.at) for stage in found.steps))
    assert visited == [path_of(tree, node.index) for node in tree.walk()]
    assert found.steps[0].text == "14 rows (no: 5, yes: 9). Which split is best?"
    assert found.steps[-1].text.endswith("All rows are of one class.")
    first = [(stage.split, stage.score_name, round(stage.score, 4)) for stage in found.steps[1:3]]
    assert first == [
        ("outlook", "information gain", 0.2467),
        ("temperature <= 84", "information gain", 0.1134),
    ]


def test_steps_end_with_the_candidates_of_open_nodes() -> None:
    held = held_example("golf")
    found = ask(held, "steps", document=document(held, learner="id3", start="open"))
    assert [stage.split for stage in found.steps][:2] == [None, "outlook"]
    assert len(found.steps) == 5, "the question and four candidates, but no choice"


def test_steps_of_large_trees_are_refused() -> None:
    large = held_example("houses")
    with pytest.raises(TreeError, match="too large"):
        ask(
            large, "steps",
            document=document(large, task="regression", learner="cart"),
        )  # fmt: skip


def test_no_reply_has_a_number_that_json_cannot_hold() -> None:
    held = held_example("golf")
    edits = [by_column([], "outlook"), by_column([0], "windy")]
    asked = document(held, edits=edits, learner="c45", start="open")
    asked.settings = Settings(learner="c45", start="open")
    found = ask(held, "tree", document=asked)
    assert all(score is None or np.isfinite(score) for score in found.score)


def test_the_smallest_change_leads_to_the_class_that_is_wanted(tmp_path: Path) -> None:
    frame = random_frame(5, 120, gaps=False)
    thirds = pl.when(pl.col("x") < 3).then(pl.lit("low")).otherwise(pl.col("class"))
    held = held_frame(frame.with_columns(thirds.alias("class")), tmp_path)
    asked = document(held, learner="cart", parameters={"max_depth": 4})
    read = pl.read_csv(tmp_path / "table.csv")
    model = pt.CARTClassifier(max_depth=4).fit(read.drop("class"), read["class"])
    row = read.drop("class").row(0, named=True)
    for wanted in ("low", "no", "yes"):
        found = ask(held, "explain", document=asked, row=row, wanted=wanted)
        if found.prediction == wanted:
            assert found.changes == []
            continue
        assert found.changed_to == wanted
        schema = dict(zip(read.columns, read.dtypes, strict=True))
        new = {change.column: change.after for change in found.changes}
        values = {name: [new.get(name, value)] for name, value in row.items()}
        changed = pl.DataFrame({n: pl.Series(n, v).cast(pl.String) for n, v in values.items()})
        typed = changed.with_columns(
            pl.col(n).cast(pl.Float64) for n in row if schema[n].is_numeric()
        ).with_columns((pl.col("flag") == "true").alias("flag"))
        assert model.predict(typed).tolist() == [wanted]
    with pytest.raises(ParameterError, match="not a class"):
        ask(held, "explain", document=asked, row=row, wanted="perhaps")
