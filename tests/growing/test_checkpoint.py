"""Checkpoints through the estimators, and what Ctrl-C leaves: the same tree later, and no files."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.errors import FileError
from plaintree.growing.limits import Limits
from plaintree.growing.sources.chunks import BlocksOnDisk, DatasetParts
from plaintree.growing.sources.dask import DaskBlocks, DaskTable
from tests.support.dask_tables import FEATURES, assert_nothing_is_held, partitioned
from tests.support.dask_tables import mixed_table as table_on_dask
from tests.support.dataset_files import mixed_table, split_rows, tree_in_memory, write_files
from tests.support.spark import PANDAS_3, mixed_rows

DEEP = {"max_depth": 6, "missing": "branch"}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A dataset that is grown level by level."""
    monkeypatch.setattr(DatasetParts, "limits", lambda *_: Limits(gather_rows=0))
    (tmp_path / "data").mkdir()
    write_files(split_rows(mixed_table(), 3), tmp_path / "data", ".parquet")
    return pt.open_dataset(tmp_path / "data", "y")


def interrupted(source: type[Any], fit: Callable[[], Any], checkpoint: Path) -> None:
    """Fit until there is a checkpoint, and stop as Ctrl-C would."""
    ordinary = source.answer

    def answer(self: Any, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        if checkpoint.exists():
            raise KeyboardInterrupt("stopped")
        return dict(ordinary(self, requests))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "answer", answer)
        with pytest.raises(KeyboardInterrupt, match="stopped"):
            fit()
    assert checkpoint.exists()


def stopped(data: Any, checkpoint: Path) -> None:
    """Leave the checkpoint of a tree of this dataset."""
    model = pt.CARTClassifier(**DEEP)
    interrupted(BlocksOnDisk, lambda: model.fit(data, checkpoint=checkpoint), checkpoint)


# -------------------------------------------------------------------- resuming


def test_a_resumed_fit_makes_fewer_passes_and_the_same_tree(
    data: Any, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary, passes = BlocksOnDisk.answer, []

    def answer(self: BlocksOnDisk, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        passes.append(1)
        return ordinary(self, requests)

    monkeypatch.setattr(BlocksOnDisk, "answer", answer)
    pt.CARTClassifier(**DEEP).fit(data)
    whole = len(passes)
    stopped(data, checkpoint)
    passes.clear()
    found = pt.CARTClassifier(**DEEP).fit(data, checkpoint=checkpoint).tree_
    assert len(passes) < whole
    assert found.difference(tree_in_memory(mixed_table(), **DEEP)) is None
    assert not checkpoint.exists()


def test_a_fit_on_dask_is_resumed(
    dask_client: Any, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import plaintree.dask

    monkeypatch.setattr(DaskTable, "limits", lambda *_: Limits(gather_rows=0))
    rows = table_on_dask()
    frame = partitioned(rows, 4)
    model = plaintree.dask.CARTClassifier(max_depth=6, client=dask_client)

    def fit() -> Any:
        return model.fit(frame[FEATURES], frame["label"], checkpoint=checkpoint)

    interrupted(DaskBlocks, fit, checkpoint)
    assert_nothing_is_held(dask_client)
    expected = pt.CARTClassifier(max_depth=6).fit(rows[FEATURES], rows["label"]).tree_
    assert fit().tree_.difference(expected) is None
    assert not checkpoint.exists()


@pytest.mark.spark
@pytest.mark.filterwarnings(PANDAS_3)
def test_a_fit_on_spark_is_resumed(
    spark: Any, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import plaintree.spark
    from plaintree.growing.sources.spark import BlocksOnSpark, SparkTable

    monkeypatch.setattr(SparkTable, "limits", lambda *_: Limits(gather_rows=0))
    rows = mixed_rows(600)
    frame = spark.createDataFrame(rows).repartition(2)
    columns = {"label_col": "y", "features_cols": ["x", "coarse", "colour"]}
    learner = plaintree.spark.CARTClassifier(max_depth=3, checkpoint=str(checkpoint), **columns)
    interrupted(BlocksOnSpark, lambda: learner.fit(frame), checkpoint)
    assert list(Path(spark.conf.get("spark.local.dir")).rglob("plaintree-*")) == []
    expected = pt.CARTClassifier(max_depth=3).fit(rows[columns["features_cols"]], rows["y"])
    assert learner.fit(frame).model.tree_.difference(expected.tree_) is None
    assert not checkpoint.exists()


# -------------------------------------------------------------------- refusing


@pytest.mark.parametrize(
    "other", [{"max_depth": 5}, {"forbid": ["x"]}, {"first": ["few"]}], ids=str
)
def test_a_checkpoint_of_other_parameters_is_refused(
    data: Any, checkpoint: Path, other: dict[str, Any]
) -> None:
    stopped(data, checkpoint)
    with pytest.raises(FileError, match=r"checkpoint cannot be used.*other parameters.*remove"):
        pt.CARTClassifier(**DEEP | other).fit(data, checkpoint=checkpoint)
    assert checkpoint.exists()


def test_a_checkpoint_of_another_table_is_refused(
    data: Any, checkpoint: Path, tmp_path: Path
) -> None:
    stopped(data, checkpoint)
    write_files(split_rows(mixed_table(seed=1), 3), tmp_path / "data", ".parquet")
    other = pt.open_dataset(tmp_path / "data", "y")
    with pytest.raises(FileError, match=r"checkpoint cannot be used.*another table"):
        pt.CARTClassifier(**DEEP).fit(other, checkpoint=checkpoint)


def never(*_: Any) -> None:
    raise AssertionError("the table was read")


def test_a_damaged_checkpoint_is_noticed_before_the_table_is_read(
    data: Any, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(data, checkpoint)
    monkeypatch.setattr(DatasetParts, "survey", never)
    raw = checkpoint.read_bytes()
    middle = len(raw) // 2
    changed = raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    for damaged in (b"", raw[:-1], changed, b"x" + raw):
        checkpoint.write_bytes(damaged)
        with pytest.raises(FileError, match=r"is not a checkpoint, or a damaged one.*remove"):
            pt.CARTClassifier(**DEEP).fit(data, checkpoint=checkpoint)


def test_a_checkpoint_in_no_directory_is_noticed_before_the_table_is_read(
    data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DatasetParts, "survey", never)
    with pytest.raises(FileError, match=r"checkpoint .* cannot be written.*no directory"):
        pt.CARTClassifier().fit(data, checkpoint=tmp_path / "nowhere" / "checkpoint")


def test_a_disk_that_is_full_leaves_the_last_checkpoint(
    data: Any, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary, written = Path.write_bytes, []

    def full(path: Path, content: bytes) -> int:
        written.append(1)
        ordinary(path, content[: len(content) // len(written)])
        if len(written) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(content)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(FileError, match=r"checkpoint cannot be written.*No space left"):
            pt.CARTClassifier(**DEEP).fit(data, checkpoint=checkpoint)
    assert [path.name for path in checkpoint.parent.glob("check*")] == ["checkpoint"]
    found = pt.CARTClassifier(**DEEP).fit(data, checkpoint=checkpoint).tree_
    assert found.difference(tree_in_memory(mixed_table(), **DEEP)) is None


# -------------------------------------------------------------------- Ctrl-C

CHILD = """
    import os, signal, sys, threading
    import plaintree as pt
    from plaintree.growing.sources.chunks import BlocksOnDisk, DatasetParts

    owner, name = {"survey": (DatasetParts, "survey"), "encoding": (DatasetParts, "encoded"),
                   "counting": (BlocksOnDisk, "_pass")}[sys.argv[2]]
    ordinary = getattr(owner, name)

    def begun(*given, **named):
        setattr(owner, name, ordinary)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        return ordinary(*given, **named)

    setattr(owner, name, begun)
    pt.CARTClassifier(n_jobs=int(sys.argv[3])).fit(pt.open_dataset(sys.argv[1], "y"))
    print("fitted")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT between processes")
@pytest.mark.parametrize("n_jobs", ["1", "2"])
@pytest.mark.parametrize("stage", ["survey", "encoding", "counting"])
def test_ctrl_c_ends_a_fit_and_leaves_no_files(tmp_path: Path, stage: str, n_jobs: str) -> None:
    random = np.random.default_rng(0)
    table = pl.DataFrame({f"x{i}": random.normal(size=400_000) for i in range(8)})
    table = table.with_columns(y=pl.Series(random.integers(0, 2, len(table))))
    table.write_parquet(tmp_path / "a.parquet")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD), tmp_path / "a.parquet", stage, n_jobs],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"TMPDIR": str(scratch)},
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert "KeyboardInterrupt" in done.stderr
    assert done.stdout == ""
    assert list(scratch.iterdir()) == []
