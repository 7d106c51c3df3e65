"""Discretising: the cuts of Fayyad and Irani, and a transformer for tables of any make."""

from __future__ import annotations

from itertools import pairwise
from math import log2
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import plaintree as pt
from plaintree.data.intervals import interval_labels
from plaintree.data.schema import Feature
from plaintree.errors import ColumnError, ParameterError, TableError
from plaintree.estimators.discretizer import MDLDiscretizer
from plaintree.stats.mdl_cuts import Stop, cut_points
from tests.support.contract import assert_contract

TEMPERATURE = np.array([40, 48, 60, 72, 80, 90])
PLAY = np.array([0, 0, 1, 1, 1, 0])

# ---------------------------------------------------------------- the cuts


def entropy(classes: list[int]) -> float:
    shares = [classes.count(c) / len(classes) for c in set(classes)]
    return -sum(p * log2(p) for p in shares)


def naive_cuts(values: list[float], classes: list[int], stop: Stop = "mdl") -> list[float]:
    """Word by word from the article, trying every midpoint; recursive, and slow."""
    distinct = sorted(set(values))
    n = len(values)
    choices = []
    for low, high in pairwise(distinct):
        cut = (low + high) / 2
        left = [c for v, c in zip(values, classes, strict=True) if v <= cut]
        right = [c for v, c in zip(values, classes, strict=True) if v > cut]
        after = len(left) / n * entropy(left) + len(right) / n * entropy(right)
        choices.append((round(after, 9), cut, left, right, after))
    if not choices:
        return []
    _, cut, left, right, after = min(choices, key=lambda choice: choice[:2])
    k, k1, k2 = len(set(classes)), len(set(left)), len(set(right))
    delta = log2(3**k - 2) - (k * entropy(classes) - k1 * entropy(left) - k2 * entropy(right))
    cost = log2(n - 1) / n + delta / n if stop == "mdl" else 0.0
    if entropy(classes) - after <= cost + 1e-9:
        return []
    below = [(v, c) for v, c in zip(values, classes, strict=True) if v <= cut]
    above = [(v, c) for v, c in zip(values, classes, strict=True) if v > cut]
    parts = [naive_cuts(*map(list, zip(*part, strict=True)), stop) for part in (below, above)]
    return [*parts[0], cut, *parts[1]]


@st.composite
def labelled_values(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Values whose classes mostly depend on where they lie, some of them several times."""
    values = draw(st.lists(st.integers(0, 30), min_size=1, max_size=80))
    bounds = draw(st.lists(st.integers(0, 30), max_size=3))
    noise = draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))
    classes = [
        (sum(v > b for b in bounds) + (wrong == 0)) % 3
        for v, wrong in zip(values, noise, strict=True)
    ]
    return values, classes


@given(labelled_values())
def test_cuts_are_those_of_the_article(drawn: tuple[list[int], list[int]]) -> None:
    values, classes = drawn
    found = cut_points(np.array(values), np.array(classes))
    assert found.tolist() == naive_cuts([float(v) for v in values], classes)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 11)), min_size=1, max_size=60),
    st.integers(1, 5),
    st.sampled_from(["mdl", "pure"]),
)
def test_cuts_of_many_classes_and_ties_are_those_of_the_article(
    rows: list[tuple[int, int]], copies: int, stop: Stop
) -> None:
    values, classes = map(list, zip(*rows * copies, strict=True))
    found = cut_points(np.array(values), np.array(classes), stop=stop)
    assert found.tolist() == naive_cuts([float(v) for v in values], classes, stop)


@pytest.mark.parametrize("stop", ["mdl", "pure"])
def test_equally_good_cuts_are_made_from_the_lowest_on(stop: Stop) -> None:
    values = np.arange(4.0).repeat(25)
    classes = np.array([0, 1, 1, 0]).repeat(25)  # the first cut could be the lowest or the highest
    assert cut_points(values, classes, stop=stop).tolist() == [0.5, 2.5]
    flat = np.array([0, 1]).repeat(50)[np.arange(200) % 100]
    assert cut_points(np.arange(2.0).repeat(100), flat, stop=stop).tolist() == []


@given(labelled_values(), st.randoms())
def test_cuts_do_not_depend_on_the_order_of_rows(
    drawn: tuple[list[int], list[int]], random: Any
) -> None:
    rows = list(zip(*drawn, strict=True))
    before = cut_points(*map(np.array, zip(*rows, strict=True)))
    random.shuffle(rows)
    assert cut_points(*map(np.array, zip(*rows, strict=True))).tolist() == before.tolist()


@given(labelled_values(), st.data())
def test_a_weight_is_so_many_rows(drawn: tuple[list[int], list[int]], data: Any) -> None:
    values, classes = map(np.array, drawn)
    n = len(values)
    weights = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    weighted = cut_points(values, classes, weights)
    assert weighted.tolist() == cut_points(values.repeat(weights), classes.repeat(weights)).tolist()


@pytest.mark.parametrize(
    ("column", "cuts"), [(0, [5.55, 6.15]), (1, [2.95, 3.35]), (2, [2.45, 4.75]), (3, [0.8, 1.75])]
)
def test_known_cuts_of_iris(column: int, cuts: list[float]) -> None:
    X, y = load_iris(return_X_y=True)
    assert cut_points(X[:, column], y) == pytest.approx(cuts)


def test_the_temperatures_of_a_course_are_cut_where_the_class_changes() -> None:
    assert cut_points(TEMPERATURE, PLAY, stop="pure").tolist() == [54, 85]


def test_six_rows_do_not_pay_for_a_cut_but_sixty_do() -> None:
    assert cut_points(TEMPERATURE, PLAY).tolist() == []
    assert cut_points(TEMPERATURE.repeat(10), PLAY.repeat(10)).tolist() == [54, 85]


def test_nothing_is_cut_without_values_or_with_one_class() -> None:
    assert cut_points(np.array([np.nan, np.nan]), np.array([0, 1])).tolist() == []
    assert cut_points(np.arange(50), np.zeros(50, dtype=int)).tolist() == []
    assert cut_points(np.ones(50), np.arange(50) % 2).tolist() == []
    assert cut_points(np.array([]), np.array([], dtype=int)).tolist() == []


def test_missing_values_and_rows_without_weight_do_not_count() -> None:
    values = np.array([1.0, 2.0, np.nan, 8.0, 9.0, 5.0]).repeat(10)
    classes = np.array([0, 0, 1, 1, 1, 0]).repeat(10)
    weights = np.array([1, 1, 1, 1, 1, 0]).repeat(10)
    assert cut_points(values, classes, weights).tolist() == [5]


def test_infinities_are_ordinary_extremes() -> None:
    values = np.array([-np.inf, -np.inf, 3.0, np.inf]).repeat(20)
    cuts = cut_points(values, np.array([0, 0, 1, 0]).repeat(20))
    assert cuts.tolist() == [-np.inf, 3.0]
    assert np.searchsorted(cuts, [-np.inf, 3.0, np.inf]).tolist() == [0, 1, 2]


def test_neighbouring_floats_are_told_apart() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert cut_points(np.array([low, high]).repeat(20), np.arange(2).repeat(20)).tolist() == [low]


@pytest.mark.slow
def test_many_classes_are_no_trouble() -> None:
    few, many = np.arange(40), np.arange(2000)  # 3 to the power of 2000 is no float
    assert cut_points(few, few).tolist() == naive_cuts(few.tolist(), few.tolist())
    assert len(cut_points(many.repeat(3), many.repeat(3))) == 1999


# ---------------------------------------------------------------- labels


def test_intervals_are_open_below_and_closed_above() -> None:
    petal = Feature("petal", "numeric")
    assert interval_labels(petal, [2.45, 4.75]) == ("(-inf, 2.45]", "(2.45, 4.75]", "(4.75, inf)")
    assert interval_labels(petal, []) == ("(-inf, inf)",)


def test_cuts_that_look_alike_are_written_in_full() -> None:
    labels = interval_labels(Feature("x", "numeric"), [1.0, 1.0 + 1e-9])
    assert labels[1] == "(1.0, 1.000000001]"


def test_dates_are_written_as_dates() -> None:
    days = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60)})
    cutter = MDLDiscretizer().fit(days, np.arange(60) >= 30)
    assert cutter.intervals_["day"][0] == "(-inf, 2024-01-30 12:00:00]"


# ---------------------------------------------------------------- the transformer


@pytest.mark.parametrize("estimator", [MDLDiscretizer(), MDLDiscretizer(stop="pure")], ids=str)
def test_scikit_learn_contract(estimator: Any) -> None:
    assert_contract(estimator)


LARGE = ["(-inf, 7.5]"] * 4 + ["(7.5, inf)"] * 3 + [None]
SIZES = [1, 2, 3, 4, 11, 12, 13, None]
Y = ["small"] * 4 + ["large"] * 4


def test_pandas_frames_get_ordered_categoricals_and_keep_the_rest() -> None:
    frame = pd.DataFrame({"size": SIZES, "colour": list("rgbrgbrg")}, index=list("abcdefgh"))
    result = MDLDiscretizer().fit_transform(frame, Y)
    assert result["size"].cat.ordered
    assert result["size"].cat.categories.tolist() == ["(-inf, 7.5]", "(7.5, inf)"]
    assert result["size"].astype(object).where(result["size"].notna(), None).tolist() == LARGE
    pd.testing.assert_series_equal(result["colour"], frame["colour"])
    assert frame["size"].tolist()[:3] == [1, 2, 3]


def test_polars_frames_get_enums_and_keep_the_rest() -> None:
    frame = pl.DataFrame({"size": SIZES, "colour": list("rgbrgbrg")})
    result = MDLDiscretizer().fit_transform(frame, Y)
    assert result["size"].dtype == pl.Enum(["(-inf, 7.5]", "(7.5, inf)"])
    assert result["size"].to_list() == LARGE
    assert result["colour"].equals(frame["colour"])


def test_arrow_tables_and_dictionaries_come_back_as_tables() -> None:
    columns = {"size": SIZES, "colour": list("rgbrgbrg")}
    arrow = MDLDiscretizer().fit_transform(pa.table(columns), Y)
    assert isinstance(arrow, pa.Table)
    assert arrow["size"].to_pylist() == LARGE
    rows = [{"size": s, "colour": c} for s, c in zip(*columns.values(), strict=True)]
    for named in (columns, rows):
        result = MDLDiscretizer().fit_transform(named, Y)
        assert result["size"].to_list() == LARGE


def test_arrays_get_numbers() -> None:
    result = MDLDiscretizer().fit_transform(np.array([SIZES], dtype=float).T, Y)
    np.testing.assert_array_equal(result[:, 0], [0, 0, 0, 0, 1, 1, 1, np.nan])
    assert result.dtype == np.float64


def test_arrays_with_text_keep_it() -> None:
    X = np.array([SIZES, list("rgbrgbrg")], dtype=object).T
    result = MDLDiscretizer().fit_transform(X, Y)
    assert result[:2].tolist() == [[0.0, "r"], [0.0, "g"]]
    assert np.isnan(result[7, 0])


def test_numbers_that_are_categories_can_be_left_alone() -> None:
    frame = pl.DataFrame({"size": SIZES, "zone": [1, 1, 1, 1, 2, 2, 2, 2]})
    cutter = MDLDiscretizer(categorical_features=["zone"])
    assert cutter.fit_transform(frame, Y)["zone"].equals(frame["zone"])
    assert list(cutter.cut_points_) == ["size"]


def test_labels_come_back_from_numbers_and_categories() -> None:
    X = np.array([SIZES], dtype=float).T
    cutter = MDLDiscretizer().fit(X, Y)
    assert cutter.inverse_transform(cutter.transform(X))[:, 0].tolist() == LARGE
    frame = pl.DataFrame({"size": SIZES})
    cutter = MDLDiscretizer().fit(frame, Y)
    back = cutter.inverse_transform(cutter.transform(frame))
    assert back["size"].dtype == pl.String
    assert back["size"].to_list() == LARGE
    pandas = MDLDiscretizer().fit(frame.to_pandas(), Y)
    back = pandas.inverse_transform(pandas.transform(frame.to_pandas()))
    assert back["size"].tolist()[3:5] == LARGE[3:5]


def test_columns_are_found_by_name() -> None:
    frame = pd.DataFrame({"size": SIZES, "colour": list("rgbrgbrg")})
    cutter = MDLDiscretizer().fit(frame, Y)
    turned = cutter.transform(frame[["colour", "size"]])
    assert turned.columns.tolist() == ["size", "colour"]
    assert cutter.get_feature_names_out().tolist() == ["size", "colour"]


def test_new_values_fall_into_the_outer_intervals() -> None:
    cutter = MDLDiscretizer().fit(np.array([SIZES], dtype=float).T, Y)
    assert cutter.transform(np.array([[-1e9], [7.5], [7.6], [1e9]])).ravel().tolist() == [
        0,
        0,
        1,
        1,
    ]


def test_a_tree_grows_on_the_intervals() -> None:
    frame = load_iris(as_frame=True)
    model = make_pipeline(MDLDiscretizer(), pt.C45Classifier()).fit(frame.data, frame.target)
    assert model.score(frame.data, frame.target) > 0.94


# ---------------------------------------------------------------- errors


def test_only_known_stops() -> None:
    with pytest.raises(ParameterError, match=r"stop='early'. Hint: use one of 'mdl', 'pure'"):
        MDLDiscretizer(stop="early").fit([[1.0], [2.0]], [0, 1])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"stop='early'"):
        MDLDiscretizer(stop="early").fit({"name": ["a", "b"]}, [0, 1])  # type: ignore[arg-type]


def test_classes_are_needed() -> None:
    with pytest.raises(TableError, match="requires y to be passed"):
        MDLDiscretizer().fit([[1.0], [2.0]], None)


def test_text_where_numbers_were() -> None:
    cutter = MDLDiscretizer().fit({"x": [1.0, 2.0]}, [0, 1])
    with pytest.raises(ColumnError, match="has text, but was numeric"):
        cutter.transform({"x": ["a", "b"]})


def test_rules_speak_of_numbers_not_of_intervals() -> None:
    X = {"x": [1.0, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24] * 3}
    y = (["low"] * 4 + ["middle"] * 4 + ["low"] * 4) * 3
    model = pt.ID3Classifier(numeric="intervals").fit(X, y)
    assert [str(rule).split(" THEN")[0] for rule in pt.rules_of(model.tree_)] == [
        "IF x <= 7.5",
        "IF 7.5 < x <= 17.5",
        "IF x > 17.5",
    ]
    assert pt.export_formula(model, "middle") == "7.5 < x <= 17.5"
    assert pt.export_formula(model, "low") == 'x != "(7.5, 17.5]"'


def test_numbers_that_are_no_intervals() -> None:
    cutter = MDLDiscretizer().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ColumnError, match=r"else than its intervals. Got the first in row 2"):
        cutter.inverse_transform(np.array([[0.0], [7.0]]))
