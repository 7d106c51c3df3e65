"""Spark DataFrames: the trees of their partitions are those of the rows in memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import plaintree as pt
from plaintree import _core
from plaintree.data.parts import Reading
from plaintree.errors import ColumnError, FileError, MemoryLimitError, PlaintreeError, TableError
from plaintree.growing.blocks import Layout
from plaintree.growing.from_counts import (
    CountedRows,
    Growing,
    grow_tree_from,
)
from plaintree.growing.limits import Limits
from plaintree.growing.sources import spark as source_module
from plaintree.growing.sources.spark import BlocksOnSpark, SparkTable, explained
from plaintree.growing.sources.spark_tasks import Task, freeze_with
from tests.support.spark import PANDAS_3, mixed_rows

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings(PANDAS_3)]

ROOT = Path(__file__).resolve().parents[2]
ROWS = mixed_rows()
FEATURES = ("x", "coarse", "colour", "single")
BY_CLASS = Reading("y", FEATURES)
COUNTS_ONLY = Limits(gather_rows=0)
MODEL = pt.CARTClassifier(max_depth=3)


def parted(spark: Any, partitions: int, rows: pd.DataFrame = ROWS) -> Any:
    """The rows in so many partitions, in their order; of seven, the first has no rows."""
    first = 1 if partitions == 7 else 0
    size = -(-len(rows) // (partitions - first))
    place = (rows["row"] // size + first).astype("int32")
    frame = spark.createDataFrame(rows.assign(place=place))
    return (
        frame.selectExpr(*map("`{}`".format, rows.columns), "int(place) as place")
        .repartitionById(partitions, "place")
        .drop("place")
    )


def encoded(table: SparkTable, reading: Reading) -> tuple[BlocksOnSpark, CountedRows]:
    """The blocks of a table, and what growing needs to know of them."""
    survey = table.survey(reading)
    layout = Layout.of(survey, reading)
    totals = tuple(survey.totals[c] for c in (layout.schema.classes or (None,)))
    rows = CountedRows(layout.schema, totals, reading.weights is not None)
    return table.encoded(layout, survey, COUNTS_ONLY), rows


def grown(table: SparkTable, model: Any = MODEL, limits: Limits = COUNTS_ONLY) -> pt.Tree:
    """The tree of a table, from counts alone unless other limits are given."""
    source, rows = encoded(table, table.reading)
    try:
        return grow_tree_from(source, rows, model._conventions(), Growing(limits))
    finally:
        source.release()


def in_memory(model: Any = MODEL, target: str = "y", weights: Any = None) -> pt.Tree:
    """The tree of the rows in memory."""
    tree: pt.Tree = model.fit(ROWS[list(FEATURES)], ROWS[target], weights).tree_
    return tree


# -------------------------------------------------------------------- the same trees


def test_a_store_that_all_executors_see_gives_the_same_tree_and_is_left_empty(
    spark: Any, tmp_path: Path
) -> None:
    tree = grown(SparkTable(parted(spark, 4), BY_CLASS, store=tmp_path.as_uri()))
    assert tree.difference(in_memory()) is None
    assert list(tmp_path.iterdir()) == []


def test_many_replies_are_merged_by_executors(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "REPLIES_COLLECTED", 2)
    tree = grown(SparkTable(parted(spark, 4), BY_CLASS))
    assert tree.difference(in_memory()) is None


def test_rows_that_fit_are_fetched_in_one_pass(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    ask = BlocksOnSpark.answer

    def counting(self: BlocksOnSpark, requests: Any) -> dict[int, bytes]:
        passes.append(1)
        return ask(self, requests)

    monkeypatch.setattr(BlocksOnSpark, "answer", counting)
    tree = grown(SparkTable(parted(spark, 4), BY_CLASS), limits=Limits())
    assert tree.difference(in_memory()) is None
    assert len(passes) <= 2


def test_limits_keep_what_is_collected_below_what_the_driver_accepts(spark: Any) -> None:
    table = SparkTable(parted(spark, 4), BY_CLASS)
    survey = table.survey(BY_CLASS)
    table.release()
    assert table.limits(survey) == Limits()
    many = replace(survey, rows=dict.fromkeys(range(50), 10), columns=survey.columns * 100)
    limits = table.limits(many)
    assert 50 * limits.table_bytes <= 2**29
    assert limits.gather_rows * 400 * 4 <= 2**29


def test_names_with_dots_and_names_that_differ_in_case_are_ordinary(spark: Any) -> None:
    names = {"x": "width.cm", "coarse": "Width", "single": "width", "colour": "a `b`.c"}
    rows = parted(spark, 2).toDF(*(names.get(name, f"{name}.{name}") for name in ROWS.columns))
    reading = Reading("y.y", tuple(names.values()), "weight.weight")
    tree = grown(SparkTable(rows, reading, row_id="row.row"))
    frame = ROWS.rename(columns=names)
    expected = MODEL.fit(frame[list(names.values())], ROWS["y"], ROWS["weight"]).tree_
    assert tree.difference(expected) is None


def test_what_is_imported_is_not_collected_after_every_task() -> None:
    class Nothing(Task):
        def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
            yield from batches

    freeze_with.cache_clear()
    try:
        assert list(Nothing()([1])) == [1]
        n_frozen = gc.get_freeze_count()
        assert n_frozen > 10_000
        new = [[i] for i in range(100)]
        assert list(Nothing()([2])) == [2]
        assert gc.get_freeze_count() <= n_frozen
        assert gc.is_tracked(new)
    finally:
        gc.unfreeze()


# -------------------------------------------------------------------- faults


@pytest.fixture
def sent_by_value() -> Iterator[None]:
    """Functions of this file are pickled whole: executors cannot import it."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def test_lost_blocks_are_encoded_again(spark: Any, tmp_path: Path) -> None:
    table = SparkTable(parted(spark, 4), BY_CLASS, store=tmp_path)
    source, rows = encoded(table, BY_CLASS)
    next(tmp_path.rglob("000002-*")).unlink()
    tree = grow_tree_from(source, rows, MODEL._conventions(), Growing(COUNTS_ONLY))
    assert len(list(tmp_path.rglob("000002-*"))) == 1
    source.release()
    assert tree.difference(in_memory()) is None


def test_lost_blocks_of_an_executor_are_encoded_again(spark: Any) -> None:
    table = SparkTable(parted(spark, 4), BY_CLASS)
    source, rows = encoded(table, BY_CLASS)
    for directory in Path(spark.conf.get("spark.local.dir")).rglob("plaintree-*"):
        for block in directory.iterdir():
            block.unlink()
    tree = grow_tree_from(source, rows, MODEL._conventions(), Growing(COUNTS_ONLY))
    source.release()
    assert tree.difference(in_memory()) is None


def test_rows_that_were_not_kept_are_read_again(spark: Any) -> None:
    table = SparkTable(parted(spark, 4), BY_CLASS)
    survey = table.survey(BY_CLASS)
    kept = list(Path(spark.conf.get("spark.local.dir")).rglob("plaintree-*/rows-*"))
    assert len(kept) == 4
    kept[1].unlink()
    kept[3].unlink()
    source = table.encoded(Layout.of(survey, BY_CLASS), survey, COUNTS_ONLY)
    assert _core.describe_facts(source.facts)["n_rows"] == len(ROWS)
    source.release()
    assert list(Path(spark.conf.get("spark.local.dir")).rglob("plaintree-*")) == []


def test_a_survey_that_encoding_does_not_follow_leaves_nothing(spark: Any) -> None:
    table = SparkTable(parted(spark, 2), BY_CLASS)
    table.survey(BY_CLASS)
    table.release()
    assert list(Path(spark.conf.get("spark.local.dir")).rglob("plaintree-*")) == []


def random_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """Rows that are others each time."""
    import random

    import pyarrow as pa

    for batch in batches:
        x = pa.array([random.SystemRandom().random() for _ in range(len(batch))])
        yield pa.RecordBatch.from_arrays([x, batch.column("y")], names=["x", "y"])


@pytest.mark.usefixtures("sent_by_value")
def test_a_frame_that_depends_on_chance_is_an_error_when_it_is_read_again(
    spark: Any, tmp_path: Path
) -> None:
    frame = parted(spark, 4).mapInArrow(random_rows, "x double, y string")
    source, rows = encoded(SparkTable(frame, Reading("y"), store=tmp_path), Reading("y", ("x",)))
    next(tmp_path.rglob("000002-*")).unlink()
    with pytest.raises(TableError, match="partition 2 of the Spark DataFrame changed"):
        grow_tree_from(source, rows, MODEL._conventions(), Growing(COUNTS_ONLY))
    source.release()


# -------------------------------------------------------------------- errors


def test_a_column_has_one_role(spark: Any) -> None:
    with pytest.raises(ColumnError, match="column 'x' has two roles"):
        SparkTable(parted(spark, 1), Reading("y", FEATURES, weights="x"))


def test_two_columns_of_one_name_are_an_error(spark: Any) -> None:
    rows = parted(spark, 1).toDF("x", "x", "colour", "single", "row", "weight", "y", "z")
    with pytest.raises(ColumnError, match=r"has 2 columns named 'x'.*rename them with toDF"):
        SparkTable(rows, Reading("y"))


def test_an_unknown_column_is_named(spark: Any) -> None:
    with pytest.raises(ColumnError, match=r"no column 'colours'.*did you mean 'colour'"):
        SparkTable(parted(spark, 1), Reading("y", ("colours",)))


def test_an_error_of_an_executor_is_ours_with_its_hint(spark: Any) -> None:
    rows = parted(spark, 2).selectExpr("*", "weight - 1 as low")
    table = SparkTable(rows, Reading("y", FEATURES, weights="low"))
    with pytest.raises(TableError, match=r"(?s)negative.*partition 0"):
        table.survey(table.reading)


def test_row_numbers_that_repeat_are_an_error(spark: Any) -> None:
    rows = parted(spark, 2).selectExpr("*", "nullif(row, 3) as some", "row div 2 as pairs")
    table = SparkTable(rows, BY_CLASS, row_id="some")
    with pytest.raises(TableError, match="'some' has missing values"):
        table.survey(table.reading)
    table = SparkTable(rows, BY_CLASS, row_id="pairs")
    with pytest.raises(TableError, match="'pairs' has a value twice"):
        table.survey(table.reading)


def test_a_table_without_rows_is_an_error(spark: Any) -> None:
    table = SparkTable(parted(spark, 1).limit(0), BY_CLASS)
    with pytest.raises(TableError, match="no rows"):
        Layout.of(table.survey(BY_CLASS), BY_CLASS)


def test_a_store_that_cannot_be_written_is_named(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    table = SparkTable(parted(spark, 1), BY_CLASS, store=tmp_path / "file")
    with pytest.raises(FileError, match=r"block .* cannot be written"):
        encoded(table, BY_CLASS)


@pytest.mark.parametrize("module", ["plaintree", "pyarrow"])
def test_executors_without_a_module_are_distinguished(module: str) -> None:
    message = f"module {module}.*PYSPARK_PYTHON|{module}(?s:.*)PYSPARK_PYTHON"
    with pytest.raises(PlaintreeError, match=message), explained():
        raise RuntimeError(f"No module named '{module}'")
    with pytest.raises(RuntimeError, match="other"), explained():
        raise RuntimeError("other")


def test_replies_that_the_driver_refuses_name_the_setting() -> None:
    text = "Total size of results (1.2 GiB) is bigger than spark.driver.maxResultSize (1.0 GiB)"
    with (
        pytest.raises(MemoryLimitError, match=r"1\.2 GiB(?s:.*)raise spark\.driver\.maxResultSize"),
        explained(),
    ):
        raise RuntimeError(text)


def test_another_version_on_executors_is_an_error(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pt, "__version__", "0.0.0")
    table = SparkTable(parted(spark, 1), BY_CLASS)
    with pytest.raises(PlaintreeError, match="executors have another version"):
        table.survey(table.reading)


# -------------------------------------------------------------------- Spark Connect

ON_CONNECT = """
import plaintree as pt
from pyspark.sql import SparkSession
from tests.growing.test_spark import BY_CLASS, ROWS, grown, in_memory
from plaintree.growing.sources.spark import SparkTable

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
assert "connect" in type(spark).__module__
frame = spark.createDataFrame(ROWS).repartition(3)
print("difference:", grown(SparkTable(frame, BY_CLASS)).difference(in_memory()))
spark.stop()
"""


def test_spark_connect_gives_the_same_tree(spark: Any) -> None:
    try:
        from pyspark.sql.connect.utils import check_dependencies

        check_dependencies()
    except ImportError as error:
        pytest.skip(f"Spark Connect needs more: {str(error).splitlines()[0]}")
    program = ON_CONNECT.format(port=spark.conf.get("spark.connect.grpc.binding.port"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert "difference: None" in done.stdout, done.stderr
