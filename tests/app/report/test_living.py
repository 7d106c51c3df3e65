"""The living report as a file: what is in it, what is not, and that nothing in it can act."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.report import living as living_module
from plaintree.app.report.findings import Findings, find_out
from plaintree.app.report.quality import main_metrics
from plaintree.app.report.report import living_page, page
from plaintree.app.studio.notebook import Shown, html_of
from plaintree.tree import node_at
from tests.support.command_line import plaintree
from tests.support.living import data_of

pytest.importorskip("msgspec", reason="msgspec is not installed")

HOSTILE = "</script><script>alert(1)</script><!-- \"'&\u202e" + "long " * 60
SCRIPT = "window.alive = '</span><!--';"
STYLE = "#studio { color: red }"


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that is built, whether it really is or not."""
    directory = tmp_path / "static"
    directory.mkdir()
    (directory / "report.js").write_text(SCRIPT)
    (directory / "report.css").write_text(STYLE)
    monkeypatch.setattr(living_module, "STATIC", directory)
    return directory


def golf(learner: Any = None, **options: Any) -> Findings:
    X, y = pt.datasets.load_golf()
    return find_out((learner or pt.C45Classifier()).fit(X, y), X, y, **{"cv": 5, **options})


def replies(data: dict[str, Any], name: str) -> list[Any]:
    return [answer for _, answer in data["replies"].get(name, [])]


def elements(text: str, tag: str) -> list[str]:
    """The content of elements that the policy is about."""
    found = re.findall(rf"<{tag}(\s[^>]*)?>(.*?)</{tag}>", text, flags=re.DOTALL)
    return [content for attributes, content in found if "application/json" not in attributes]


def policy_of(text: str) -> str:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    return unescape(found[1])


# -------------------------------------------------------------------- structure and policy


def test_text_of_the_report_is_in_the_living_one() -> None:
    found = golf()
    plain, alive = page(found), living_page(found)
    assert plain.partition("<main>")[2].partition("</main>")[0] in alive
    assert "<script" not in plain
    assert alive.index("</main>") < alive.index('id="plaintree-data"')


def test_policy_names_the_hashes_of_all_scripts_and_styles() -> None:
    text = living_page(golf())
    policy = policy_of(text)
    assert policy.startswith("default-src 'none'; ")
    for tag, directive in (("script", "script-src"), ("style", "style-src-elem")):
        contents = elements(text, tag)
        assert len(contents) == 2
        hashes = re.findall(rf"{directive} ([^;]*)", policy)[0].split()
        digests = [sha256(content.encode()).digest() for content in contents]
        wanted = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
        assert sorted(hashes) == sorted(wanted)
    assert "unsafe-eval" not in policy
    assert re.findall(r"([\w-]+) 'unsafe-inline'", policy) == ["style-src-attr"]


def test_script_cannot_end_its_element() -> None:
    scripts = elements(living_page(golf()), "script")
    assert SCRIPT.replace("</", "<\\/").replace("<!--", "<\\!--") in scripts


def test_equal_input_gives_equal_bytes() -> None:
    assert living_page(golf()) == living_page(golf())
    large = find_out(*large_table(), cv=0)
    assert living_page(large) == living_page(large)


def test_hostile_names_and_values_stay_inert() -> None:
    X = pl.DataFrame({HOSTILE: ["a", HOSTILE, "c", HOSTILE] * 5, "n": range(20)})
    y = [HOSTILE, "no", HOSTILE, "no"] * 5
    text = living_page(find_out(pt.ID3Classifier().fit(X, y), X, y, cv=2), HOSTILE)
    assert "<script>alert" not in text
    assert len(re.findall(r"<script", text)) == 3  # data, program, page
    assert HOSTILE in data_of(text)["table"]["classes"]


# -------------------------------------------------------------------- data


def test_figures_are_those_of_the_studio() -> None:
    data = data_of(living_page(golf()))
    (tree,) = replies(data, "tree")
    assert tree["n_rows"][0] == 14
    assert tree["facts"]["editable"]
    assert [it["at"] for it in replies(data, "candidates")] == [[], [1], [2]]
    root = replies(data, "candidates")[0]
    model = pt.C45Classifier().fit(*pt.datasets.load_golf())
    assert root["offers"][root["winner"]]["score"] == pytest.approx(model.tree_.score[0])
    entropy = next(it for it in replies(data, "formula") if it["title"])
    assert "0.9403" in entropy["text"]
    assert data["document"]["table"]["target"] == "play"
    assert data["command"] == "plaintree studio FILE --target play"


def test_formulas_of_a_small_tree_are_in_all_digits() -> None:
    asked = data_of(living_page(golf()))["replies"]["formula"]
    of_root = {
        (request.get("digits", 4), request.get("exact", False)): formula["text"]
        for request, formula in asked
        if request["at"] == [] and request["measure"] == "impurity" and "branch" not in request
    }
    assert set(of_root) == {(digits, False) for digits in (2, 3, 4, 5, 6)} | {(4, True)}
    assert of_root[6, False].endswith("0.940286 bits")


def test_thresholds_are_those_of_the_library() -> None:
    asked = data_of(living_page(golf()))["replies"]["cuts"]
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    assert asked
    for request, cuts in asked:
        node = node_at(model.tree_, request["at"])
        scored = pt.candidates(model, X, y, node).thresholds(request["column"])
        assert cuts["thresholds"] == scored.values.tolist()
        assert cuts["n_thresholds"] == len(cuts["thresholds"])
        assert cuts["values"] == cuts["labels"] == []  # these are of rows
    with_rows = data_of(living_page(golf(), rows=True))["replies"]["cuts"]
    assert all(cuts["values"] for _, cuts in with_rows)


def test_many_thresholds_are_thinned_and_keep_the_best() -> None:
    model, X, y = large_table()
    asked = data_of(living_page(find_out(model, X, y, cv=0)))["replies"]["cuts"]
    root = [(request["column"], cuts) for request, cuts in asked if request["at"] == []]
    assert root
    offers = pt.candidates(model, X, y, 0)
    for column, cuts in root:
        scored = offers.thresholds(column)
        assert len(cuts["thresholds"]) == min(100, len(scored.values))
        assert cuts["n_thresholds"] == len(scored.values)
        assert cuts["thresholds"][cuts["best"]] == scored.values[scored.best]


def test_quality_is_cross_validated_first_and_says_on_which_rows() -> None:
    found = golf()
    first, second = replies(data_of(living_page(found)), "quality")
    assert found.validation is not None
    assert first["measured_on"] == "5-fold cross-validation of the learner with these settings"
    assert first["confusion"] == found.validation.confusion.tolist()
    assert first["curves"]
    assert second["measured_on"] == "training rows"


def test_metrics_are_those_of_the_text_and_of_the_command_line(tmp_path: Path) -> None:
    """With 14 rows in 10 folds, a mean over folds is not the accuracy of all rows."""
    found = golf(cv=10)
    (first, *_) = replies(data_of(living_page(found)), "quality")
    of_text = dict(main_metrics(found))
    for metric in first["metrics"][:2]:
        name = f"{metric['title']}, 10-fold cross-validation"
        assert metric["text"].startswith(f"{of_text[name]} (mean of 10 folds, sd ")
    frame = pt.datasets.load_golf().frame
    frame.write_csv(tmp_path / "golf.csv")
    printed = plaintree("grow", str(tmp_path / "golf.csv"), "-t", "play").out
    assert f"CV accuracy: {of_text['accuracy, 10-fold cross-validation']}" in printed


def test_folds_are_predicted_again_if_nobody_kept_them() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    kept = find_out(model, X, y, cv=5)
    again = replace(kept, held_out=None)
    assert living_page(again) == living_page(kept)


@pytest.mark.filterwarnings("ignore:.*in the sample of every tree")
def test_forest_is_measured_out_of_bag() -> None:
    found = golf(pt.RandomForestClassifier(30, oob_score=True, random_state=0), cv=None)
    data = data_of(living_page(found))
    assert replies(data, "quality")[0]["measured_on"] == "out-of-bag rows"
    assert len(replies(data, "tree")) == 30
    assert "candidates" not in data["replies"]
    assert not replies(data, "tree")[0]["facts"]["editable"]


def test_rules_of_the_model_are_in_it() -> None:
    found = golf(pt.C45RulesClassifier(), cv=None)
    asked = {
        form["form"]: answer for form, answer in data_of(living_page(found))["replies"]["rules"]
    }
    assert len(asked["c45rules"]["rules"]) == len(found.subject.model.rules_)


def test_numeric_target() -> None:
    X, _ = pt.datasets.load_golf()
    target = X["humidity"].cast(pl.Float64)
    found = find_out(pt.CARTRegressor().fit(X.drop("humidity"), target), X.drop("humidity"), target)
    data = data_of(living_page(found))
    assert replies(data, "quality")[0]["metrics"][0]["key"] == "rmse"
    assert replies(data, "tree")[0]["prediction"][0] == pytest.approx(target.mean())


def test_other_rows_than_those_of_training_have_no_splits() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    data = data_of(living_page(find_out(model, X[:9], y[:9])))
    assert "candidates" not in data["replies"]
    assert [it["measured_on"] for it in replies(data, "quality")] == ["rows given"]
    assert replies(data, "tree")[0]["facts"]["measure"] == "given errors"


def test_tree_without_an_estimator() -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.C45Classifier().fit(X, y).tree_
    data = data_of(living_page(find_out(tree, X, y)))
    assert replies(data, "quality")[0]["confusion"] == [[5, 0], [0, 9]]


def large_table() -> tuple[Any, pl.DataFrame, Any]:
    random = np.random.default_rng(0)
    X = pl.DataFrame({f"x{i}": random.random(6_000) for i in range(30)})
    y = np.where(random.random(6_000) < 0.5, "a", "b")
    return pt.CARTClassifier().fit(X, y), X, y


def test_large_trees_have_the_splits_of_their_largest_nodes_and_are_compressed() -> None:
    model, X, y = large_table()
    text = living_page(find_out(model, X, y, cv=0))
    assert 'data-encoding="gzip"' in text
    data = data_of(text)
    tree = model.tree_
    known = len(replies(data, "candidates"))
    assert 0 < known < int((tree.n_children > 0).sum())
    assert len(replies(data, "tree")[0]["n_children"]) == tree.n_nodes
    assert "steps" not in data["replies"]


# -------------------------------------------------------------------- privacy


def secret_table() -> tuple[pl.DataFrame, list[str]]:
    n = 40
    X = pl.DataFrame(
        {
            "age": [20 + i % 20 for i in range(n)],
            "patient": [f"secret-{i}" for i in range(n)],
            "income": [100_003.5 + 1_013 * ((i * 7) % n) for i in range(n)],
        }
    )
    return X, ["yes" if i % 20 > 9 else "no" for i in range(n)]


def test_without_rows_no_value_of_an_unused_column_is_in_the_file() -> None:
    X, y = secret_table()
    model = pt.CARTClassifier(max_depth=1).fit(X, y)
    assert model.used_columns() == {0}
    found = find_out(model, X, y, cv=4)
    text = living_page(found)
    everything = text + json.dumps(data_of(text))
    assert "secret-" not in everything
    incomes = X["income"].sort().to_numpy()
    middles = (incomes[1:] + incomes[:-1]) / 2
    for number in (*incomes, *middles):
        assert f"{number:g}" not in everything
        assert repr(float(number)) not in everything
    assert "40 distinct" in text
    assert "Columns that the model does not use are shown without values." in text
    data = data_of(text)
    assert {request["column"] for request, _ in data["replies"]["cuts"]} == {"age"}
    assert not {"cells", "rows", "regions"} & set(data["replies"])
    assert all(it["confusion_rows"] == [] for it in replies(data, "quality"))
    offers = {offer["column"]: offer for offer in replies(data, "candidates")[0]["offers"]}
    assert offers["income"]["branches"] == []
    assert offers["age"]["branches"] != []


def test_rows_are_there_if_they_are_asked_for() -> None:
    X, y = secret_table()
    model = pt.CARTClassifier(max_depth=1).fit(X, y)
    data = data_of(living_page(find_out(model, X, y, cv=4), rows=True))
    (cells,) = replies(data, "cells")
    assert len(cells["cells"]) == 40
    assert cells["cells"][7][cells["columns"].index("patient")] == "secret-7"
    assert [visit["at"] for visit in cells["visits"][0]] == [[], [0]]
    assert replies(data, "regions")[0]["points"]


# -------------------------------------------------------------------- where it is not possible


def test_without_the_page_the_report_is_text(built: Path) -> None:
    (built / "report.js").unlink()
    living_module._read.cache_clear()
    found = golf()
    assert living_page(found) == page(found)


def test_without_msgspec_the_report_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living_module, "find_spec", lambda _name: None)
    found = golf()
    assert living_page(found) == page(found)


def test_classes_that_the_model_does_not_know_are_reported_as_text() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    other = ["maybe", *y.to_list()[1:]]
    found = find_out(model, X, other)
    assert living_page(found) == page(found)


def test_without_node_the_program_is_named_as_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_args, **_options: None)
    text = data_of(living_page(golf()))["prediction"]
    assert text.startswith("The program was not verified: ")


# -------------------------------------------------------------------- notebooks


def test_notebook_shows_the_report_in_a_sandboxed_frame() -> None:
    X, y = pt.datasets.load_golf()
    shown = html_of(Shown(pt.C45Classifier().fit(X, y), X, y), "http://127.0.0.1:1/#t=secret")
    assert 'href="http://127.0.0.1:1/#t=secret"' in shown
    frame = re.search(
        r'<iframe [^>]*sandbox="allow-scripts"[^>]* srcdoc="([^"]*)"></iframe>', shown
    )
    assert frame is not None
    assert data_of(unescape(frame[1]))["document"]["table"]["target"] == "play"
    assert "secret" not in unescape(frame[1])


def test_notebook_without_a_fitted_model_shows_the_address() -> None:
    shown = html_of(Shown(None, None, None), "http://127.0.0.1:1/")
    assert "iframe" not in shown
    assert "http://127.0.0.1:1/" in shown
