"""Growing from Dask: the tree of rows in memory, whatever happens to partitions and workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dask import dataframe as dd
from distributed import KilledWorker, Status
from distributed.scheduler import WorkerState

import plaintree as pt
from plaintree.data.parts import Reading
from plaintree.errors import ArgumentTypeError, ColumnError, PlaintreeError, TableError
from plaintree.growing.blocks import Layout
from plaintree.growing.from_counts import CountedRows, Growing, grow_forest_from, grow_tree_from
from plaintree.growing.limits import Limits
from plaintree.growing.sources.dask import DaskBlocks, DaskTable, sample_rows
from plaintree.growing.sources.dask_cluster import GROUP, Steps, checked_client, cluster_errors
from plaintree.growing.sources.dask_tasks import EncodedPart
from plaintree.tree.tree import Tree
from tests.support.dask_tables import (
    FEATURES,
    assert_nothing_is_held,
    mixed_table,
    partitioned,
)

FRAME = mixed_table()
CLASSES = Reading("label", tuple(FEATURES))
NUMBERS = Reading("number", tuple(FEATURES), numeric_target=True)
WEIGHTED = Reading("label", tuple(FEATURES), "weight")
BY_LEVELS = Limits(gather_rows=0)
"""No rows are finished in memory, so there are many passes."""


def started(table: DaskTable) -> tuple[DaskBlocks, CountedRows]:
    """The encoded table, and what growing needs to know of it."""
    reading = table.reading
    survey = table.survey(reading)
    layout = Layout.of(survey, reading)
    groups = layout.schema.classes or (None,)
    totals = tuple(survey.totals[group] for group in groups)
    rows = CountedRows(layout.schema, totals, reading.weights is not None)
    return table.encoded(layout, survey, Limits()), rows


def grown(table: DaskTable, model: Any, limits: Limits = BY_LEVELS) -> Tree:
    """The tree of a table on Dask by the conventions of a model that is fitted in memory."""
    source, rows = started(table)
    try:
        return grow_tree_from(source, rows, model.tree_.conventions, Growing(limits))
    finally:
        source.release()


def in_memory(model: Any, reading: Reading, frame: pd.DataFrame = FRAME) -> Any:
    """The model, fitted to the rows in memory."""
    weights = None if reading.weights is None else frame[reading.weights]
    return model.fit(frame[FEATURES], frame[reading.target], weights)


def assert_same(tree: Tree, other: Tree) -> None:
    assert tree.difference(other) is None
    assert tree.content_hash() == other.content_hash()


# ------------------------------------------------------------------------------- the same tree


def test_small_nodes_are_finished_in_memory(dask_client: Any) -> None:
    table = DaskTable(partitioned(FRAME, 4), CLASSES, dask_client)
    model = in_memory(pt.CARTClassifier(), CLASSES)
    assert_same(grown(table, model, Limits(gather_rows=500)), model.tree_)


def test_all_trees_of_a_forest_are_asked_in_one_pass(dask_client: Any) -> None:
    forest = pt.RandomForestClassifier(n_estimators=5, max_depth=5, random_state=3)
    forest.fit(FRAME[FEATURES], FRAME["label"])
    source, rows = started(DaskTable(partitioned(FRAME, 4), CLASSES, dask_client))
    trees = grow_forest_from(
        source,
        rows,
        forest.trees_[0].conventions,
        forest._sampling_done,
        Growing(BY_LEVELS),
        n_trees=5,
        columns_per_node=forest.max_features_,
    )
    source.release()
    for tree, other in zip(trees, forest.trees_, strict=True):
        assert_same(tree, other)
    assert source._turn < 5 * 5


# ------------------------------------------------------------------------------- faults


def kill(client: Any, worker: str) -> None:
    """Kill a worker of the cluster that the test has started."""
    os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)


def test_a_lost_state_is_found_again(dask_client: Any) -> None:
    """A copy of a part begins at the root: rows follow all splits of the next request."""
    from distributed.protocol import deserialize, serialize

    source, _ = started(DaskTable(partitioned(FRAME, 1), CLASSES, dask_client))
    part = dask_client.gather(source._parts[0])
    again = deserialize(*serialize(part))
    assert isinstance(again, EncodedPart)
    assert again.table_hash == part.table_hash
    assert all((a == b).all() for a, b in zip(again.blocks, part.blocks, strict=True))


def drawn(_: int, path: Path) -> pd.DataFrame:
    """A partition that is another one each time."""
    times = len(list(path.iterdir()))
    (path / str(times)).touch()
    return FRAME.assign(single=FRAME["single"] + np.float32(times))


def test_a_partition_that_changed_is_an_error(mortal_dask_client: Any, tmp_path: Path) -> None:
    frame = dd.from_map(drawn, [0], path=tmp_path, meta=FRAME.iloc[:0])
    source, rows = started(DaskTable(frame, CLASSES, mortal_dask_client))
    (holder,) = mortal_dask_client.who_has(source._parts)[source._parts[0].key]
    kill(mortal_dask_client, holder)
    conventions = in_memory(pt.CARTClassifier(max_depth=3), CLASSES).tree_.conventions
    with pytest.raises(TableError, match=r"partition 0 .* has changed while the tree was grown"):
        grow_tree_from(source, rows, conventions, Growing(BY_LEVELS))
    source.release()
    mortal_dask_client.wait_for_workers(2)


def test_a_partition_that_is_no_longer_there_is_named(dask_client: Any) -> None:
    table = DaskTable(partitioned(FRAME, 2), CLASSES, dask_client)
    survey = table.survey(CLASSES)
    survey.rows[1] += 1
    with pytest.raises(TableError, match=r"partition 1 .* has changed"):
        table.encoded(Layout.of(survey, CLASSES), survey, Limits())


def test_errors_of_a_part_name_the_partition(dask_client: Any) -> None:
    wrong = FRAME.assign(label=FRAME["label"].where(FRAME.index < 2_000))
    table = DaskTable(partitioned(wrong, 4), CLASSES, dask_client)
    with pytest.raises(TableError, match=r"\(in partition 2\)|\(in partition 3\)"):
        table.survey(CLASSES)


def test_nothing_stays_on_the_workers(dask_client: Any) -> None:
    model = in_memory(pt.CARTClassifier(max_depth=3), CLASSES)
    grown(DaskTable(partitioned(FRAME, 4), CLASSES, dask_client), model)
    assert_nothing_is_held(dask_client)


def test_nothing_stays_on_the_workers_after_an_error(dask_client: Any) -> None:
    wrong = FRAME.assign(label=FRAME["label"].where(FRAME.index < 2_000))
    with pytest.raises(TableError, match="missing labels"):
        DaskTable(partitioned(wrong, 4), CLASSES, dask_client).survey(CLASSES)
    assert_nothing_is_held(dask_client)


def test_replies_are_added_in_groups(dask_client: Any) -> None:
    """The driver gets one reply, whatever the number of partitions."""
    steps = Steps(dask_client)
    numbers = steps.each(abs, list(range(GROUP**2 + 1)))
    assert steps.result(steps.added(sum, numbers)) == sum(range(GROUP**2 + 1))


def test_large_requests_are_sent_once(dask_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plaintree.growing.sources.dask.MOST_REPEATED", 0)
    model = in_memory(pt.CARTClassifier(max_depth=4), CLASSES)
    assert_same(grown(DaskTable(partitioned(FRAME, 3), CLASSES, dask_client), model), model.tree_)


@pytest.mark.parametrize("n_parts", [1, 100, 10_000])
def test_the_sample_fits_the_driver_for_any_number_of_partitions(n_parts: int) -> None:
    each, together = sample_rows(n_parts, 200)
    assert together * 200 * 8 <= 128 * 2**20
    assert each <= max(together // n_parts + 1, 16)


class OneTurn:
    """A part that is asked everything in one turn."""

    def __init__(self, part: EncodedPart, turn: int) -> None:
        self.part, self.facts, self.turn = part, part.facts, turn

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        return self.part.answer(dict(requests), self.turn)

    def release(self) -> None:
        pass


def test_a_state_of_a_later_turn_is_not_used(dask_client: Any) -> None:
    blocks, rows = started(DaskTable(partitioned(FRAME, 1), CLASSES, dask_client))
    part = dask_client.gather(blocks._parts[0])
    blocks.release()
    model = in_memory(pt.CARTClassifier(max_depth=4), CLASSES)
    for turn in (9, 1):  # tasks of turn 1 on a worker that was thought dead run after turn 9
        source = OneTurn(part, turn)
        tree = grow_tree_from(source, rows, model.tree_.conventions, Growing(BY_LEVELS))
        assert_same(tree, model.tree_)


# ------------------------------------------------------------------------------- the cluster


def test_without_a_client_the_error_shows_how_to_start_one() -> None:
    with pytest.raises(PlaintreeError, match=r"no Dask client.*Client\(distributed.LocalCluster"):
        checked_client()


def test_the_current_client_is_used(dask_client: Any) -> None:
    with dask_client.as_current():
        assert checked_client() is dask_client


def test_something_else_is_not_a_client() -> None:
    with pytest.raises(ArgumentTypeError, match=r"client is not a Dask client. Got .* type str"):
        checked_client("tcp://127.0.0.1:8786")


def test_another_version_on_the_workers_is_an_error(
    dask_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaintree.growing.sources.dask_cluster.__version__", "99.0")
    with pytest.raises(PlaintreeError, match=r"has another version .* and 99.0 here"):
        checked_client(dask_client)


def test_workers_without_plaintree_are_an_error(
    dask_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(dask_client), "run", lambda *_: {"tcp://10.0.0.7:40001": None})
    with pytest.raises(PlaintreeError, match=r"10.0.0.7:40001 cannot import plaintree"):
        checked_client(dask_client)


def test_a_worker_that_came_later_without_plaintree_is_an_error() -> None:
    with (
        pytest.raises(PlaintreeError, match="a Dask worker cannot import plaintree"),
        cluster_errors(),
    ):
        raise ModuleNotFoundError("No module named 'plaintree'", name="plaintree")


def test_workers_that_die_again_and_again_are_an_error() -> None:
    state = WorkerState(
        address="tcp://10.0.0.7:40001",
        status=Status.running,
        pid=1,
        name=0,
        local_directory="",
        nanny="",
        nthreads=1,
        memory_limit=1,
        server_id="",
    )
    with (
        pytest.raises(PlaintreeError, match=r"died several times at the same task.*smaller part"),
        cluster_errors(),
    ):
        raise KilledWorker("plaintree-encode-3", state, 3)


# ------------------------------------------------------------------------------- collections


def test_features_target_and_weights_may_be_collections_of_their_own(dask_client: Any) -> None:
    frame = partitioned(FRAME, 4)
    table = DaskTable.of(frame[FEATURES], frame["label"], frame["weight"], client=dask_client)
    model = in_memory(pt.CARTClassifier(max_depth=4), WEIGHTED)
    assert_same(grown(table, model), model.tree_)


def test_target_and_weights_may_be_columns_by_name(dask_client: Any) -> None:
    frame = partitioned(FRAME.drop(columns="number"), 4)
    table = DaskTable.of(frame, "label", "weight", client=dask_client)
    assert table.reading == WEIGHTED


def test_a_target_without_a_name_gets_one() -> None:
    frame = partitioned(FRAME, 2)
    assert DaskTable.of(frame[FEATURES], frame["label"].rename(None)).reading.target == "class"


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ("lable", ColumnError, "y names a column that X does not have. .* did you mean 'label'"),
        (FRAME["label"], ArgumentTypeError, "y is not a Dask Series"),
        (partitioned(FRAME, 2)["label"], ColumnError, "y has the name of a feature. .* drop"),
        (partitioned(FRAME, 3)["label"].rename("y"), TableError, "not divided into the same"),
    ],
)
def test_a_target_that_does_not_fit_is_an_error(
    y: Any, error: type[PlaintreeError], message: str
) -> None:
    with pytest.raises(error, match=message):
        DaskTable.of(partitioned(FRAME, 2), y)


def test_partitions_of_different_lengths_are_an_error(dask_client: Any) -> None:
    frame = partitioned(FRAME, 3)
    shifted = dd.concat([frame.partitions[1], frame.partitions[0], frame.partitions[2]])
    table = DaskTable.of(frame[FEATURES], shifted["label"], client=dask_client)
    with pytest.raises(TableError, match="X and y have partitions of different lengths"):
        table.survey(table.reading)


def test_an_array_is_an_error_that_shows_how_to_convert_it() -> None:
    import dask.array as da

    with pytest.raises(ArgumentTypeError, match=r"X is not a Dask DataFrame.*from_dask_array"):
        DaskTable.of(da.zeros((4, 2)), da.zeros(4))


def test_unknown_categories_are_an_error() -> None:
    frame = partitioned(FRAME, 2)
    frame["text"] = frame["text"].astype("category")
    with pytest.raises(ColumnError, match=r"categories of column 'text' are not known.*categorize"):
        DaskTable.of(frame, "label")
