"""Columns of pandas, polars and Arrow, converted to :class:`Column` by their types.

A frame library is imported only if the caller's column comes from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column import (
    Column,
    declared_column,
    integer_column,
    numpy_column,
    object_column,
    reading,
    text_column,
    unusable,
    without_mask,
)
from .schema import Unit


def column_from(name: str, values: Any) -> Column:
    """Convert a column of any library; used for columns of frames, dictionaries and y."""
    with reading(f"column {name!r}"):
        return _column_from(name, values)


def _column_from(name: str, values: Any) -> Column:
    import narwhals as nw

    values = nw.to_native(values, pass_through=True)
    if nw.dependencies.is_pandas_series(values) or nw.dependencies.is_pandas_index(values):
        return _pandas_column(name, values)
    if nw.dependencies.is_polars_series(values):
        return _polars_column(name, values)
    if type(values).__module__.startswith("pyarrow"):
        return _arrow_column(name, values)
    if isinstance(values, (list, tuple, range)):
        return object_column(name, list(values))
    if hasattr(values, "__array__"):
        array = np.ma.asanyarray(values) if np.ma.isMA(values) else np.asarray(values)
        if array.ndim == 1:
            return numpy_column(name, without_mask(array))
        raise unusable(name, f"an array of shape {array.shape} where one dimension is expected")
    if hasattr(values, "dtype") and hasattr(values, "__iter__"):  # pandas' own arrays
        return object_column(name, list(values))
    raise unusable(name, f"a single value of type {type(values).__name__}, not a column")


def _pandas_column(name: str, series: Any) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = series.array if hasattr(series, "array") else series
        return declared_column(name, categorical.codes, list(dtype.categories), bool(dtype.ordered))
    if isinstance(dtype, pd.ArrowDtype):
        return _arrow_column(name, series.array.__arrow_array__())
    if isinstance(dtype, pd.StringDtype):
        codes, texts = series.factorize()
        return text_column(name, codes, [str(text) for text in texts])
    if isinstance(dtype, pd.DatetimeTZDtype):
        universal = series.array.tz_convert("UTC").tz_localize(None).to_numpy()
        return replace(numpy_column(name, universal), zoned=True)
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
        return (
            _pandas_object_column(name, values) if dtype.kind == "O" else numpy_column(name, values)
        )
    return _extension_column(name, series)


def _extension_column(name: str, series: Any) -> Column:
    """The remaining dtypes that pandas adds to numpy's: nullable, sparse, periods, intervals."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return numpy_column(name, np.asarray(series))
    if pd.api.types.is_bool_dtype(dtype):
        codes = series.to_numpy(dtype=np.int32, na_value=-1)
        return Column(name, "categorical", codes, "boolean", (False, True))
    if pd.api.types.is_integer_dtype(dtype):
        integers = series.to_numpy(dtype=dtype.numpy_dtype, na_value=0)
        return integer_column(name, integers, series.isna().to_numpy())
    if pd.api.types.is_numeric_dtype(dtype):
        wanted = np.float32 if dtype.name == "Float32" else np.float64
        return Column(name, "numeric", series.to_numpy(dtype=wanted, na_value=np.nan))
    if isinstance(dtype, pd.PeriodDtype):
        return numpy_column(name, series.array.to_timestamp().to_numpy())
    return object_column(name, series.tolist())


def _pandas_object_column(name: str, values: NDArray[Any]) -> Column:
    """Read distinct objects once each, distinguished by address; most columns repeat a few.

    200,000 rows x 8 columns: 20 ms by address, 90 ms by pandas.factorize, 265 ms by a dict.
    """
    import pandas as pd

    addresses = np.asarray(_Addresses(values))
    if len(np.unique(addresses[:1000])) <= 200:
        codes, distinct = pd.factorize(addresses)
        first = np.empty(len(distinct), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        column = object_column(name, values[first].tolist())
        integers = None if column.integers is None else column.integers[codes]
        return replace(column, values=column.values[codes], integers=integers)
    if pd.api.types.infer_dtype(values[:1000], skipna=True) == "string":
        codes, texts = pd.factorize(values)
        if set(map(type, texts)) == {str}:
            return text_column(name, codes, texts.tolist())
    return object_column(name, values.tolist())


class _Addresses:
    """An object array's pointers as integers; holds on to the array while they are read."""

    def __init__(self, objects: NDArray[np.object_]) -> None:
        self._objects = objects
        self.__array_interface__ = objects.__array_interface__ | {"typestr": np.dtype(np.intp).str}
        self.__array_interface__.pop("descr", None)


def _polars_column(name: str, series: Any) -> Column:
    import polars as pl

    dtype = series.dtype
    if dtype in (pl.Float32, pl.Float64):
        return Column(name, "numeric", series.to_numpy())
    if dtype == pl.Boolean:
        codes = series.cast(pl.Int32).fill_null(-1).to_numpy()
        return Column(name, "categorical", codes, "boolean", (False, True))
    if dtype == pl.Enum:
        codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return declared_column(name, codes, dtype.categories.to_list(), ordered=False)
    if dtype in (pl.String, pl.Categorical):  # a Categorical declares no order of its own
        text = series.cast(pl.String)
        found = text.unique().drop_nulls().sort()
        codes = text.cast(pl.Enum(found)).to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return Column(name, "categorical", codes, "text", tuple(found.to_list()), declared=False)
    if dtype.is_integer():
        return _polars_integers(name, series)
    if dtype.is_numeric() or dtype == pl.Null:
        return Column(name, "numeric", series.cast(pl.Float64).to_numpy())
    if dtype.is_temporal():
        units: dict[Any, Unit] = {pl.Date: "date", pl.Datetime: "datetime", pl.Time: "time"}
        if dtype == pl.Date:
            series = series.cast(pl.Datetime("us"))
        elif dtype == pl.Time:
            series = series.to_physical() // 1000
        else:
            series = series.dt.cast_time_unit("us")
        numbers = series.to_physical().cast(pl.Float64).to_numpy()
        unit = units.get(dtype.base_type(), "duration")
        zoned = getattr(dtype, "time_zone", None) is not None
        return Column(name, "numeric", numbers, unit, zoned=zoned)
    if dtype == pl.Object:
        return object_column(name, series.to_list())
    raise unusable(name, f"values of type {dtype}")


def _polars_integers(name: str, series: Any) -> Column:
    import polars as pl

    if "128" in str(series.dtype):  # numpy has none as wide
        return object_column(name, series.to_list())
    integers = series.fill_null(0).to_numpy() if series.has_nulls() else series.to_numpy()
    numbers = series.cast(pl.Float64).to_numpy()  # polars is faster at it
    return Column(name, "numeric", numbers, "integer", integers=integers)


def _arrow_column(name: str, values: Any) -> Column:
    import polars as pl
    import pyarrow as pa

    chunked = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    if pa.types.is_dictionary(chunked.type):
        if chunked.type.ordered:
            return _from_arrow_dictionary(name, chunked.unify_dictionaries(), ordered=True)
        # An unordered dictionary is in the order of appearance: its values are taken as they are.
        chunked = chunked.cast(chunked.type.value_type)
    if any(test(chunked.type) for test in (pa.types.is_string, pa.types.is_large_string)):
        return _from_arrow_dictionary(name, chunked.dictionary_encode(), ordered=False)
    try:
        series = pl.Series(name, chunked)
    except Exception as error:
        raise unusable(name, f"values of Arrow type {chunked.type}") from error
    return _polars_column(name, series)


def _from_arrow_dictionary(name: str, encoded: Any, *, ordered: bool) -> Column:
    import pyarrow as pa

    array = encoded.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], encoded.type)
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    labels = array.dictionary.to_pylist()
    if ordered:
        return declared_column(name, codes, labels, ordered=True)
    return text_column(name, codes, labels)
