"""``plaintree.studio``: frames and estimators as tables, the handle, missing libraries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import plaintree as pt
from plaintree.app.studio import launch
from plaintree.app.studio.begin import Chosen, preset_of, settings_of
from plaintree.app.studio.messages.documents import Recipe
from plaintree.app.studio.workers import processes
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError, PlaintreeError
from tests.support.studio_server import ROOT, STAND_IN, running

GOLF = pt.datasets.load_golf()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Workers with stand-in replies, and the addresses that a browser was to open."""
    shown: list[str] = []
    monkeypatch.setattr(processes, "REPLIES", STAND_IN)
    monkeypatch.setenv("PYTHONPATH", ROOT)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(launch.webbrowser, "open", shown.append)
    return shown


def hello(studio: launch.Studio) -> Any:
    """What a running studio offers."""
    base, _, token = studio.url.partition("/#t=")
    headers = {"X-Plaintree-Token": token}
    return httpx.post(f"{base}/api/hello", json={}, headers=headers).json()["result"]


def test_a_frame_is_open_from_the_start(stand_in: list[str]) -> None:
    frame = GOLF.frame
    with pt.studio(frame, target="play") as studio:
        assert repr(studio) == f"<plaintree studio at {studio.url}>"
        offered = hello(studio)
        (table,) = offered["opened"]
        assert (table["name"], table["target"]) == ("table.parquet", "play")
        assert offered["begin"] == {}
        assert stand_in == [studio.url]
    assert repr(studio) == "<closed studio>"
    with pytest.raises(httpx.ConnectError):
        hello(studio)
    studio.close()  # a second time does nothing


def test_an_estimator_begins_with_its_settings(stand_in: list[str]) -> None:
    X, y = GOLF
    model = pt.CARTClassifier(max_depth=3, n_jobs=2).fit(X, y)
    with pt.studio(model, X, y, open_browser=False) as studio:
        offered = hello(studio)
    (key,) = offered["begin"]
    assert offered["opened"][0]["key"] == key
    expected = {"learner": "cart", "parameters": {"max_depth": 3}, "start": "grown"}
    assert offered["begin"][key] == expected
    assert stand_in == []


def test_an_error_of_the_table_is_raised(stand_in: list[str]) -> None:
    with pytest.raises(ParameterError, match="there is no column"):
        pt.studio(pl.DataFrame({"x": [1], "nothing": ["a"]}), target="nothing")
    assert stand_in == []


def test_no_browser_is_opened_in_a_terminal(
    stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    pt.studio().close()
    assert stand_in == []


@pytest.mark.parametrize("missing", launch.REQUIRED)
def test_a_missing_library_is_named_with_the_extra(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(PlaintreeError, match=rf"{missing}.*plaintree\[studio\]"):
        pt.studio()


# -------------------------------------------------------------------- tables


COLUMNS: dict[str, list[Any]] = {
    "x": [1.5, None, 3.0],
    "n": [1, 2, 3],
    "name": ["a", None, "ü"],
    "yes": [True, False, None],
}


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table, dict])
def test_any_frame_becomes_a_file_with_the_same_values(make: Any, tmp_path: Path) -> None:
    preset = preset_of(make(COLUMNS), None, ["u", "v", "w"], Chosen("class"), tmp_path)
    assert preset is not None
    assert preset.target == "class"
    frame = pt.read_table(preset.source.path)
    expected = {**COLUMNS, "class": ["u", "v", "w"]}
    assert {name: frame[name].to_list() for name in frame.columns} == expected


def test_a_matrix_gets_the_names_that_estimators_give(tmp_path: Path) -> None:
    preset = preset_of(np.arange(6.0).reshape(3, 2), None, np.array([0, 1, 0]), Chosen(), tmp_path)
    assert preset is not None
    assert pt.read_table(preset.source.path).to_dict(as_series=False) == {
        "x0": [0.0, 2.0, 4.0],
        "x1": [1.0, 3.0, 5.0],
        "target": [0, 1, 0],
    }


def test_the_target_is_named_by_y_or_is_the_last_column(tmp_path: Path) -> None:
    frame = pl.DataFrame(COLUMNS)
    named = preset_of(frame, None, pd.Series(["a", "b", "c"], name="kind"), Chosen(), tmp_path)
    last = preset_of(frame, None, None, Chosen(), tmp_path)
    assert named is not None
    assert last is not None
    assert (named.target, last.target) == ("kind", "yes")


def test_an_estimator_says_which_numbers_are_categories(tmp_path: Path) -> None:
    model = pt.CARTClassifier(categorical_features=[1], max_depth=2)
    frame = pl.DataFrame(COLUMNS)
    preset = preset_of(model, frame.select("x", "n"), frame["yes"], Chosen(), tmp_path)
    assert preset is not None
    assert preset.source.recipe.categorical_features == ["n"]
    assert preset.settings is not None
    assert preset.settings.parameters == {"max_depth": 2}


def test_what_is_chosen_about_a_frame_is_what_the_page_begins_with(tmp_path: Path) -> None:
    recipe = Recipe(categorical_features=["n"])
    chosen = Chosen("yes", ("name",), "classification", recipe)
    preset = preset_of(pl.DataFrame(COLUMNS), None, None, chosen, tmp_path)
    assert preset is not None
    assert (preset.drop, preset.task, preset.source.recipe) == (
        ("name",),
        "classification",
        recipe,
    )
    with running((preset,)) as studio:
        (opened,) = studio.result("hello", {})["opened"]
        assert opened["recipe"]["categorical_features"] == ["n"]


def test_nothing_begins_with_nothing(tmp_path: Path) -> None:
    assert preset_of(None, None, None, Chosen(), tmp_path) is None


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ((None, None, None, "play"), ParameterError, "there is no table"),
        ((pt.ID3Classifier(), None, None, None), ParameterError, "an estimator needs its table"),
        ((pl.DataFrame(COLUMNS), [[1]], None, None), ArgumentTypeError, "must be an estimator"),
        ((pl.DataFrame(COLUMNS), None, None, "nam"), ColumnError, "did you mean 'name'"),
        ((pl.DataFrame(COLUMNS), None, [1], None), ParameterError, "3 and 1 rows|1 and 3 rows"),
        ((pl.DataFrame(COLUMNS), None, [1, 2, 3], "x"), ParameterError, "that of a column"),
        ((3, None, None, None), ArgumentTypeError, "not a table"),
        (({"x": [{1}, {2}]}, None, None, None), PlaintreeError, "x"),
    ],
)
def test_what_is_not_a_table_is_an_error(
    arguments: tuple[Any, ...], error: type[Exception], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=reason):
        preset_of(*arguments[:3], Chosen(arguments[3]), tmp_path)


# -------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("model", "learner", "parameters", "task"),
    [
        (pt.ID3Classifier(), "id3", {}, "classification"),
        (pt.C45Classifier(pruning="none"), "c45", {"pruning": "none"}, "classification"),
        (pt.CARTRegressor(max_depth=np.int64(2)), "cart", {"max_depth": 2}, "regression"),
        (
            pt.RandomForestClassifier(5, random_state=7, verbose=1),
            "forest",
            {"n_estimators": 5, "random_state": 7},
            "classification",
        ),
    ],
)
def test_settings_are_the_parameters_that_were_changed(
    model: Any, learner: str, parameters: dict[str, Any], task: str
) -> None:
    settings, found = settings_of(model)
    assert (settings.learner, settings.parameters, found) == (learner, parameters, task)


def test_a_model_that_the_page_does_not_have_is_an_error() -> None:
    with pytest.raises(ArgumentTypeError, match="it has ID3Classifier"):
        settings_of(pt.DecisionTreeClassifier())


def test_a_parameter_that_is_no_plain_value_is_an_error() -> None:
    model = pt.RandomForestClassifier(random_state=np.random.RandomState(0))
    with pytest.raises(ParameterError, match="cannot take over the parameter random_state"):
        settings_of(model)
