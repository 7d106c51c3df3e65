"""A thousand hostile files: each is read or refused by our errors, and known values come back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import PlaintreeError
from tests.support.fuzz_tables import outcomes


@pytest.mark.slow
def test_files_are_read_or_refused_by_our_errors() -> None:
    found = outcomes(1000)
    assert found["known"] > 200
    assert found["grown"] > 200
    assert found["not read: FileError"] > 100


class Odd:
    """An object that raises whatever is done with it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __float__(self) -> float:
        raise RuntimeError("no number")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.times(),
    st.timedeltas(),
    st.uuids(),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.just(np.float32("nan")),
    st.just(np.datetime64("NaT")),
    st.builds(Odd),
    st.sampled_from([object(), int, len, ..., range(3), {1: 2}, [1], (1,), {1}, b"x"]),
)
COLUMNS = st.one_of(
    st.lists(VALUES, min_size=4, max_size=4),
    VALUES.map(lambda value: [value] * 4),
    st.lists(st.sampled_from(["a", "b", None]), min_size=4, max_size=4),
)
FORMS = {
    "dict": dict,
    "rows": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    "pandas": lambda columns: pd.DataFrame(
        {n: pd.Series(v, dtype=object) for n, v in columns.items()}
    ),
    "polars": lambda columns: pl.DataFrame(
        {n: pl.Series(v, dtype=pl.Object) for n, v in columns.items()}
    ),
    "numpy": lambda columns: np.array(list(columns.values()), dtype=object).T,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    columns=st.dictionaries(st.sampled_from("abc"), COLUMNS, min_size=1),
    form=st.sampled_from(sorted(FORMS)),
    y=st.just(["u", "v", "u", "v"]) | COLUMNS,
)
def test_any_objects_are_used_or_refused_by_our_errors(columns, form, y) -> None:  # type: ignore[no-untyped-def]
    try:
        X = FORMS[form](columns)
    except Exception:  # the frame library itself refuses
        return
    try:
        model = pt.CARTClassifier(max_depth=2).fit(X, y)
        assert len(model.predict(X)) == 4
    except PlaintreeError:
        pass
