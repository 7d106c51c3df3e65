"""Schema and codes: what training learns, and what prediction makes of other tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.encode import encode, learn_schema
from plaintree.data.files import read_table
from plaintree.data.schema import MISSING, UNSEEN, Feature, Schema
from plaintree.data.table import table_from
from plaintree.errors import ColumnError, ParameterError, TableError
from tests.support.reference_tables import SHARED, needs_shared


def schema_of(X: Any, **options: Any) -> Schema:
    return learn_schema(table_from(X), **options)[0]


def encoded(X: Any, schema: Schema, **options: Any) -> list[list[Any]]:
    return [column.tolist() for column in encode(table_from(X), schema, **options)]


DAYS = {"outlook": ["sunny", "rainy", None], "humidity": [85.0, None, 78.5]}


class TestLearning:
    def test_makes_the_schema_and_the_columns_at_once(self) -> None:
        schema, columns = learn_schema(table_from(DAYS), target="play", classes=("no", "yes"))
        assert schema == Schema(
            (
                Feature("outlook", "categorical", "text", ("rainy", "sunny")),
                Feature("humidity", "numeric", "number"),
            ),
            ("no", "yes"),
            "play",
        )
        assert columns[0].tolist() == [1, 0, MISSING]
        assert columns[0].dtype == np.int32
        assert columns[0].flags.c_contiguous
        assert columns[1].tolist()[::2] == [85, 78.5]

    def test_does_not_copy_floats(self) -> None:
        X = np.random.default_rng(0).random((5, 3))
        _, columns = learn_schema(table_from(X))
        assert all(np.shares_memory(column, X) for column in columns)

    def test_keeps_ordered_categories(self) -> None:
        sizes = pd.Categorical(["L", "S"], ["S", "M", "L"], ordered=True)
        schema, columns = learn_schema(table_from(pd.DataFrame({"size": sizes})))
        assert schema.features[0] == Feature("size", "ordered", "text", ("S", "M", "L"))
        assert columns[0].tolist() == [2.0, 0.0]

    def test_the_same_table_encodes_the_same_again(self) -> None:
        table = table_from(DAYS)
        schema, columns = learn_schema(table)
        for trained, again in zip(columns, encode(table, schema), strict=True):
            np.testing.assert_array_equal(trained, again)


class TestCategoricalFeatures:
    def test_numbers_become_categories_in_order(self) -> None:
        X = {"grade": [3.0, 1.0, None, 3.0], "name": ["a", "b", "c", "d"]}
        schema, columns = learn_schema(table_from(X), categorical_features=["grade"])
        assert schema.features[0].categories == (1, 3)
        assert all(type(c) is int for c in schema.features[0].categories)
        assert schema.features[1].kind == "categorical"
        assert columns[0].tolist() == [1, 0, MISSING, 1]

    def test_fractions_stay_fractions(self) -> None:
        X = {"a": [0.5, float("inf"), 1.0]}
        assert schema_of(X, categorical_features=["a"]).features[0].categories == (0.5, 1, np.inf)

    def test_dates_become_text(self) -> None:
        X = {"day": [date(2020, 1, 2), date(2020, 1, 1)]}
        schema = schema_of(X, categorical_features=["day"])
        attribute = Feature("day", "categorical", "text", ("2020-01-01", "2020-01-02"))
        assert schema.features == (attribute,)
        assert encoded(X, schema) == [[1, 0]]

    @pytest.mark.parametrize("first", [2**53, 2**63 - 2, 2**63, -(2**62) - 3])
    def test_integers_of_any_size_are_categories_of_their_own(self, first: int) -> None:
        X = {"id": [first + i for i in (2, 0, 1, 2)]}
        schema, columns = learn_schema(table_from(X), categorical_features=["id"])
        assert schema.features[0].categories == (first, first + 1, first + 2)
        assert columns[0].tolist() == [2, 0, 1, 2]
        assert encoded({"id": [first + 1, first + 3]}, schema) == [[1, UNSEEN]]
        assert encoded({"id": [str(first + 1), str(first + 3)]}, schema) == [[1, UNSEEN]]

    def test_ordered_categories_lose_their_order(self) -> None:
        X = pd.DataFrame({"a": pd.Categorical(["b", "a"], ordered=True)})
        assert schema_of(X, categorical_features=["a"]).features[0].kind == "categorical"

    def test_columns_of_a_nameless_array_go_by_number(self) -> None:
        schema = schema_of(np.array([[7, 1], [8, 2]]), categorical_features=[1])
        assert [a.kind for a in schema.features] == ["numeric", "categorical"]


class TestMatchingColumns:
    SCHEMA = schema_of(DAYS)

    def test_goes_by_name_whatever_the_order(self) -> None:
        X = pl.DataFrame(DAYS).select("humidity", "outlook")
        assert encoded(X, self.SCHEMA)[0] == [1, 0, MISSING]

    def test_missing_columns_are_named(self) -> None:
        with pytest.raises(ColumnError, match=r"lacks columns.*Got no 'humidity'\."):
            encoded({"outlook": ["sunny"]}, self.SCHEMA)

    def test_misspelt_columns_get_a_hint(self) -> None:
        X = {"outlook": ["sunny"], "Humidity": [1]}
        with pytest.raises(ColumnError, match=r"'humidity', but also 'Humidity'\. Hint: did you"):
            encoded(X, self.SCHEMA)

    def test_extra_columns_are_named(self) -> None:
        with pytest.raises(ColumnError, match=r"Got 'wind', 'play'\. Hint: drop them"):
            encoded({**DAYS, "wind": [1, 2, 3], "play": [1, 2, 3]}, self.SCHEMA)

    def test_arrays_go_by_position(self) -> None:
        X = np.array([["rainy", 3.5]], dtype=object)
        assert encoded(X, self.SCHEMA) == [[0], [3.5]]

    @pytest.mark.parametrize("width", [1, 3])
    def test_arrays_must_have_the_right_width(self, width: int) -> None:
        match = rf"X has {width} features, but the model is expecting 2.*: 'outlook', 'humidity'"
        with pytest.raises(ColumnError, match=match):
            encoded(np.zeros((1, width)), self.SCHEMA)

    def test_a_model_of_a_nameless_array_takes_any_names(self) -> None:
        schema = schema_of(np.array([[1.0, 2.0]]))
        assert encoded({"p": [5.0], "q": [6.0]}, schema) == [[5], [6]]
        assert encoded({"x1": [6.0], "x0": [5.0]}, schema) == [[5], [6]]
        with pytest.raises(ColumnError, match=r"the model is expecting 2 .*in their order\.$"):
            encoded({"p": [5.0]}, schema)

    def test_a_column_named_like_another_of_a_nameless_array_is_not_mistaken_for_it(self) -> None:
        schema = schema_of(np.array([[1.0, 2.0]]))
        with pytest.raises(ColumnError, match=r"Got no 'x1', but also 'q'"):
            encoded({"q": [5.0], "x0": [6.0]}, schema)
        with pytest.raises(ColumnError, match=r"was not fitted on. Got 'x2'"):
            encoded({f"x{i}": [1.0] for i in range(3)}, schema)


class TestCategoriesAtPrediction:
    def test_unknown_ones_are_marked(self) -> None:
        schema = schema_of({"a": ["x", "y"]})
        for unseen in ("missing", "stop"):
            assert encoded({"a": ["z", "y", None]}, schema, unseen=unseen) == [[UNSEEN, 1, MISSING]]

    def test_unknown_ones_can_be_an_error(self) -> None:
        schema = schema_of({"a": ["sunny", "rainy"]})
        match = "'a' has a category.*Got 'suny' in row 2. Hint: did you mean 'sunny'"
        with pytest.raises(ColumnError, match=match):
            encoded({"a": [None, "suny"]}, schema, unseen="error")

    def test_declared_ones_without_rows_are_no_error(self) -> None:
        schema = schema_of({"a": ["x", "y"]})
        X = pl.DataFrame({"a": ["y"]}, schema={"a": pl.Enum(["q", "y"])})
        assert encoded(X, schema, unseen="error") == [[1]]

    def test_another_choice_for_unseen_is_an_error(self) -> None:
        with pytest.raises(ParameterError, match="unseen has a value that is not allowed"):
            encoded({"a": ["x"]}, schema_of({"a": ["x"]}), unseen="ignore")

    @pytest.mark.parametrize(
        ("trained", "given_"),
        [
            (["1", "2"], [1, 2]),
            (["1", "2"], [1.0, 2.0]),
            ([False, True], [0, 1]),
            ([False, True], [0.0, 1.0]),
            ([False, True], ["False", "True"]),
            (pd.Categorical([1, 2]), ["1", "2"]),
        ],
    )
    def test_labels_match_by_value_or_text(self, trained: Any, given_: Any) -> None:
        schema = schema_of(pd.DataFrame({"a": trained}))
        assert encoded({"a": given_}, schema) == [[0, 1]]

    def test_numeric_categories_may_come_as_text(self) -> None:
        schema = schema_of({"a": [1, 2]}, categorical_features=["a"])
        assert encoded({"a": ["2", "1", "3"]}, schema) == [[1, 0, UNSEEN]]

    DAY, MIDNIGHT, NOON = date(2020, 1, 2), datetime(2020, 1, 2), datetime(2020, 1, 2, 12)

    @pytest.mark.parametrize(
        ("trained", "asked", "code"),
        [
            (DAY, MIDNIGHT, 0),
            (DAY, MIDNIGHT.replace(tzinfo=UTC), 0),
            (DAY, NOON, 0),
            (DAY, datetime(2020, 1, 3), UNSEEN),
            (MIDNIGHT, DAY, 0),
            (NOON, DAY, UNSEEN),
            (NOON, MIDNIGHT, UNSEEN),
            ("2020-01-02", NOON, 0),
        ],
    )
    def test_a_date_is_its_midnight_and_a_moment_lies_in_its_day(
        self, trained: Any, asked: Any, code: int
    ) -> None:
        schema = schema_of({"a": [trained]}, categorical_features=["a"])
        assert encoded({"a": [asked]}, schema) == [[code]]
        assert encoded(pl.DataFrame({"a": [asked]}), schema) == [[code]]

    def test_a_column_of_gaps_is_all_missing(self) -> None:
        schema = schema_of({"a": ["x", "y"]})
        assert encoded({"a": [None, None]}, schema) == [[MISSING, MISSING]]

    def test_ordered_ones_are_found_by_label(self) -> None:
        sizes = pd.Categorical(["S"], ["S", "M", "L"], ordered=True)
        schema = schema_of(pd.DataFrame({"a": sizes}))
        found = encoded({"a": ["L", None, "XL", "S"]}, schema)[0]
        np.testing.assert_array_equal(found, [2, np.nan, np.nan, 0])
        with pytest.raises(ColumnError, match="'XL' in row 1"):
            encoded({"a": ["XL"]}, schema, unseen="error")

    @given(
        st.lists(st.none() | st.sampled_from("abcdef"), min_size=1),
        st.lists(st.none() | st.sampled_from("abcdefgh"), min_size=1),
    )
    def test_codes_stand_for_the_labels_given(self, train: list[Any], test: list[Any]) -> None:
        schema = schema_of({"a": [*train, "a"]})
        categories = schema.features[0].categories
        expected = [
            MISSING if t is None else categories.index(t) if t in categories else UNSEEN
            for t in test
        ]
        assert encoded({"a": [*test, "a"]}, schema) == [[*expected, categories.index("a")]]


class TestNumbersAtPrediction:
    SCHEMA = schema_of({"a": [1.5, 2.0]})

    def test_are_not_copied(self) -> None:
        X = np.array([[1.0], [2.0]], dtype=np.float32)
        assert np.shares_memory(encode(table_from(X), self.SCHEMA)[0], X)

    @pytest.mark.parametrize(
        ("values", "match"),
        [
            ([1.5, "abc", "1"], "'a' has text.*Got 'abc' in row 2"),
            (["7", "8"], "'a' has text.*Got '7' in row 1"),
            (pl.Series([None, "x"]), "'a' has text.*Got 'x' in row 2"),
        ],
    )
    def test_text_is_an_error(self, values: Any, match: str) -> None:
        with pytest.raises(ColumnError, match=match):
            encoded({"a": values}, self.SCHEMA)

    def test_truth_values_count_as_0_and_1(self) -> None:
        assert encoded({"a": [False, True]}, self.SCHEMA) == [[0, 1]]

    @pytest.mark.parametrize("dtype", [pl.String, pl.Enum(["x"]), pl.Boolean, pl.Null])
    def test_a_column_of_gaps_is_all_missing(self, dtype: Any) -> None:
        X = pl.DataFrame({"a": [None, None]}, schema={"a": dtype})
        assert np.isnan(encode(table_from(X), self.SCHEMA)[0]).all()

    def test_a_date_is_no_plain_number(self) -> None:
        with pytest.raises(ColumnError, match="unit 'date' instead of 'number'"):
            encoded({"a": [date(2020, 1, 1)]}, self.SCHEMA)
        dates = schema_of({"a": [date(2020, 1, 1)]})
        with pytest.raises(ColumnError, match="unit 'integer' instead of 'date'"):
            encoded({"a": [5]}, dates)


@needs_shared
@pytest.mark.filterwarnings("default::plaintree.errors.ReadingWarning")  # crx has padded numbers
@pytest.mark.parametrize("path", sorted(SHARED.glob("data/*.json")), ids=lambda p: p.stem)
def test_kinds_of_real_tables_are_found(path: Path) -> None:
    """What a CSV file's columns look like is what they are.

    Exceptions: categories written as numbers need to be named, and categories written FALSE and
    TRUE are read as truth values.
    """
    stated = json.loads(path.read_text())
    X, y = read_table(path.with_suffix(".csv"), stated["target"])
    digits = [n for n, labels in stated["categories"].items() if all(map(_is_number, labels))]
    assert {a.name: a.kind for a in schema_of(X).features} == {
        name: "numeric" if name in digits else kind for name, kind in stated["kinds"].items()
    }
    schema = schema_of(X, categorical_features=digits)
    assert {a.name: a.kind for a in schema.features} == stated["kinds"]
    assert y.len() == stated["n_rows"]
    assert sum(X.null_count().row(0)) == stated["n_missing"]
    for attribute in schema.features:
        if attribute.kind == "categorical":
            found = {str(c).upper() for c in attribute.categories}
            assert found == {c.upper() for c in stated["categories"][attribute.name]}


def _is_number(label: str) -> bool:
    return label.lstrip("-").replace(".", "", 1).isdigit()


class TestTimeZones:
    NAIVE = (datetime(2021, 1, 1), datetime(2021, 6, 1))
    UTC_ = tuple(moment.replace(tzinfo=UTC) for moment in NAIVE)

    def frames(self, moments: Sequence[datetime]) -> list[Any]:
        columns = {"when": list(moments)}
        frames = [columns, pd.DataFrame(columns), pl.DataFrame(columns)]
        return [*frames, pl.DataFrame(columns).to_arrow()]

    @pytest.mark.parametrize("zoned", [False, True])
    def test_timestamps_with_and_without_are_not_compared(self, zoned: bool) -> None:
        fitted, new = (self.UTC_, self.NAIVE) if zoned else (self.NAIVE, self.UTC_)
        told = "without a time zone, but had one" if zoned else "with a time zone, but had none"
        for frame in self.frames(fitted):
            model = pt.CARTClassifier().fit(frame, ["a", "b"])
            assert model.schema_.features[0].zoned is zoned
            for other in self.frames(fitted):
                assert list(model.predict(other)) == ["a", "b"]
            for other in self.frames(new):
                with pytest.raises(ColumnError, match=f"column 'when' .*{told}"):
                    model.predict(other)

    def test_another_time_zone_is_converted(self) -> None:
        model = pt.CARTClassifier().fit(pl.DataFrame({"when": self.UTC_}), ["a", "b"])
        east = [moment.astimezone(timezone(timedelta(hours=9))) for moment in self.UTC_]
        assert list(model.predict({"when": east})) == ["a", "b"]

    def test_dates_have_no_time_zone(self) -> None:
        model = pt.CARTClassifier().fit({"when": [m.date() for m in self.NAIVE]}, ["a", "b"])
        assert list(model.predict({"when": list(self.NAIVE)})) == ["a", "b"]
        with pytest.raises(ColumnError, match="with a time zone, but had none"):
            model.predict({"when": list(self.UTC_)})

    def test_a_mixture_is_refused(self) -> None:
        with pytest.raises(TableError, match="column 'when' mixes timestamps"):
            table_from({"when": [self.NAIVE[0], self.UTC_[1]]})

    def test_categories_are_told_apart_as_well(self) -> None:
        learner = pt.CARTClassifier(categorical_features=["when"])
        model = learner.fit({"when": list(self.NAIVE)}, ["a", "b"])
        with pytest.raises(ColumnError, match="with a time zone"):
            model.predict({"when": list(self.UTC_)})

    @pytest.mark.parametrize("zoned", [False, True])
    def test_a_saved_model_knows(self, zoned: bool, tmp_path: Path) -> None:
        moments = self.UTC_ if zoned else self.NAIVE
        model = pt.CARTClassifier().fit({"when": list(moments)}, ["a", "b"])
        pt.save(model, tmp_path / "m.json")
        assert pt.load(tmp_path / "m.json").schema_ == model.schema_
        assert Schema.from_json(model.schema_.to_json()) == model.schema_


@pytest.mark.parametrize(
    "new", [["TRUE", "False"], [1, 0], ["1", "0"], ["yes", "n"], [True, False], [1.0, 0.0]]
)
def test_a_known_boolean_may_be_spelt_otherwise(new: list[Any]) -> None:
    model = pt.CARTClassifier().fit({"b": [True, False] * 3}, ["a", "b"] * 3)
    assert list(model.predict({"b": new})) == ["a", "b"]
