"""One table, every source, any number of parts, with faults and without: one tree.

Parts are shuffled, one of them has no rows, and one alone has a category. Borders are few and
limits small, so growing counts, refines, looks at rows and gathers them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plaintree.data.dataset import Dataset
from plaintree.growing import blocks, from_counts
from plaintree.growing.sources.chunks import BlocksOnDisk, DatasetParts
from plaintree.growing.sources.dask import DaskBlocks, DaskTable
from plaintree.growing.sources.memory import BlocksInMemory, FramesInMemory
from tests.support.dask_tables import assert_nothing_is_held
from tests.support.one_table import (
    TIGHT,
    differences,
    hashes_in_memory,
    in_blocks,
    in_files,
    learners,
    on_dask,
    on_spark,
    one_table,
    parts_of,
)
from tests.support.spark import PANDAS_3

NAMES = list(learners())
PARTS = [1, 4, 7, 13]
EACH_ONCE = [(name, PARTS[i % 4]) for i, name in enumerate(NAMES)]
"""Every learner, and every number of parts: where starting work costs more than the work."""
CART_AT_ALL = [(NAMES[0], n_parts) for n_parts in PARTS]
ON_SPARK = dict.fromkeys(
    [
        *((name, n_parts, (i // 4 + i) % 2 == 1) for i, (name, n_parts) in enumerate(EACH_ONCE)),
        *((name, n_parts, killed) for name, n_parts in CART_AT_ALL for killed in (False, True)),
        ("forest of 20", 4, True),
    ]
)
"""Every learner, every number of parts with a fault and without, and a forest with one."""
MIDDLE = 5
"""The pass in which something fails."""
EARLY = 3
"""The same, where fewer passes are made."""


@pytest.fixture(autouse=True)
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few borders, small limits and many small batches: all stages are used."""
    ordinary = blocks.borders_of
    monkeypatch.setattr(blocks, "borders_of", lambda *given: thinned(ordinary(*given)))
    monkeypatch.setattr(Dataset, "batch_rows", 250)
    for table in (FramesInMemory, DatasetParts, DaskTable):
        monkeypatch.setattr(table, "limits", lambda *_: TIGHT)


def thinned(borders: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Every second border, of many: buckets have several values."""
    return borders if len(borders) < 10 else borders[::2]


def fail_at(
    monkeypatch: pytest.MonkeyPatch, source: type[Any], fault: Callable[[Any], None]
) -> list[int]:
    """Call ``fault(source)`` in the middle pass and later ones. Returns the passes made so far."""
    ordinary, passes = source.answer, []

    def answer(self: Any, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        passes.append(len(passes) + 1)
        if len(passes) >= MIDDLE:
            fault(self)
        return dict(ordinary(self, requests))

    monkeypatch.setattr(source, "answer", answer)
    return passes


# -------------------------------------------------------------------- the table


def test_the_table_has_what_makes_parts_differ() -> None:
    table = one_table()
    many = table["many"].to_numpy()
    assert np.isnan(many).any()
    assert (np.signbit(many) & (many == 0)).any()
    assert (~np.signbit(many) & (many == 0)).any()
    assert table["colour"].null_count() > 0
    assert table.drop("row").is_duplicated().sum() > 1000
    for n_parts in PARTS:
        parts = parts_of(n_parts, shuffled=True)
        assert sum(map(len, parts)) == len(table)
        assert [len(part) for part in parts].count(0) == (n_parts > 1)
        assert sum((part["colour"] == "rare").any() for part in parts) == 1
        assert sum((part["y"] == "seldom").any() for part in parts) == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_of_growing_is_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary, stages = from_counts._next_requests, set()

    def noting(growers: Mapping[int, Any], asked: Mapping[int, Any]) -> dict[int, bytes]:
        found = ordinary(growers, asked)
        stages.update(grower.progress()["phase"] for grower in growers.values())
        return found

    monkeypatch.setattr(from_counts, "_next_requests", noting)
    learner = learners()[name]
    learner.trees(in_blocks(learner, parts_of(4, shuffled=False)))
    used = {"count", "look", "gather"} | ({"refine"} if name.startswith("CART") else set())
    assert used <= stages
    assert sum(tree.size for tree in hashes_in_memory(name)[0]) >= 10


# -------------------------------------------------------------------- one machine


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_rows_in_memory_in_another_order(name: str, n_jobs: int) -> None:
    learner = learners()[name]
    order = np.random.default_rng(0).permutation(len(one_table()))
    rows = one_table() if learner.is_forest else one_table()[order]
    weights = rows["weight"] if learner.weighted else None
    model = learner.model.set_params(n_jobs=n_jobs)
    model.fit(rows.select(learner.reading.features), rows[learner.target], weights)
    assert differences(name, model.trees_ if learner.is_forest else [model.tree_]) == []


@pytest.mark.parametrize("fault", [False, True], ids=["no fault", "states lost"])
@pytest.mark.parametrize("n_parts", PARTS)
@pytest.mark.parametrize("name", NAMES)
def test_blocks_in_memory(
    name: str, n_parts: int, fault: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = learners()[name]
    table = in_blocks(learner, parts_of(n_parts, shuffled=not learner.is_forest))
    if fault:
        passes = fail_at(monkeypatch, BlocksInMemory, lambda source: source._states.clear())
    assert differences(name, learner.trees(table)) == []
    assert not fault or len(passes) > MIDDLE


@pytest.mark.parametrize("fault", [False, True], ids=["no fault", "interrupted and resumed"])
@pytest.mark.parametrize("n_parts", PARTS)
@pytest.mark.parametrize("name", NAMES)
def test_chunks_of_files(
    name: str, n_parts: int, fault: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = learners()[name]
    (tmp_path / "data").mkdir()
    parts = parts_of(n_parts, shuffled=not learner.is_forest)
    data = in_files(learner, parts, tmp_path / "data")
    checkpoint = tmp_path / "checkpoint"
    if fault:

        def interrupt(_: Any) -> None:
            if checkpoint.exists():
                raise KeyboardInterrupt("stopped")

        with monkeypatch.context() as patch:
            fail_at(patch, BlocksOnDisk, interrupt)
            with pytest.raises(KeyboardInterrupt, match="stopped"):
                learner.trees(data, checkpoint=checkpoint)
    assert differences(name, learner.trees(data, checkpoint=checkpoint)) == []
    assert not checkpoint.exists()


# -------------------------------------------------------------------- Dask


@pytest.mark.parametrize(("name", "n_parts"), dict.fromkeys([*EACH_ONCE, *CART_AT_ALL]), ids=str)
def test_dask(name: str, n_parts: int, dask_client: Any) -> None:
    learner = learners()[name]
    table = on_dask(learner, parts_of(n_parts, shuffled=not learner.is_forest), dask_client)
    assert differences(name, learner.trees(table)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_parts"), [*CART_AT_ALL, ("C4.5", 4), ("forest of 20", 7)])
def test_dask_when_a_worker_is_killed_at_a_middle_level(
    name: str, n_parts: int, mortal_dask_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = []

    def kill(_: Any) -> None:
        if not killed:
            killed.append(min(mortal_dask_client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    passes = fail_at(monkeypatch, DaskBlocks, kill)
    learner = learners()[name]
    table = on_dask(learner, parts_of(n_parts, shuffled=not learner.is_forest), mortal_dask_client)
    assert differences(name, learner.trees(table)) == []
    assert len(passes) > MIDDLE
    assert_nothing_is_held(mortal_dask_client)


# -------------------------------------------------------------------- Spark


def test_faults_on_spark_meet_every_learner_and_every_number_of_parts() -> None:
    assert {name for name, _, _ in ON_SPARK} == set(NAMES)
    both = {(n_parts, killed) for n_parts in PARTS for killed in (False, True)}
    for cart in (True, False):
        assert {case[1:] for case in ON_SPARK if (case[0] == NAMES[0]) == cart} >= both - (
            set() if cart else {(1, False)}
        )


@dataclass(frozen=True)
class KilledOnce:
    """Kills its own process the first time, as a machine that fails would."""

    task: Any
    marker: Path

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from self.task(batches)


@pytest.fixture
def on_executors(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A session whose executors can run what this file defines."""
    from pyspark import cloudpickle

    from plaintree.growing.sources.spark import SparkTable

    fewer_passes = replace(TIGHT, table_bytes=2**24, list_rows=2**14, gather_rows=700)
    monkeypatch.setattr(SparkTable, "limits", lambda *_: fewer_passes)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield spark
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.spark
@pytest.mark.filterwarnings(PANDAS_3)
@pytest.mark.parametrize("case", ON_SPARK, ids=lambda case: "-".join(map(str, case)))
def test_spark_with_a_python_worker_killed_and_without(
    case: tuple[str, int, bool],
    on_executors: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from plaintree.growing.sources import spark as module

    name, n_parts, is_killed = case
    ordinary, tasks = module.ReplyTask, []

    def task(*given: Any) -> Any:
        tasks.append(1)
        asked, fails = ordinary(*given), is_killed and len(tasks) == EARLY
        return KilledOnce(asked, tmp_path / "killed") if fails else asked

    monkeypatch.setattr(module, "ReplyTask", task)
    learner = learners()[name]
    table = on_spark(learner, parts_of(n_parts, shuffled=True), on_executors)
    assert differences(name, learner.trees(table)) == []
    assert len(tasks) > EARLY
    assert (tmp_path / "killed").exists() == is_killed
