"""Growing from files: the tree that the same rows in memory give, whatever the files are."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree import _core
from plaintree.data.dataset import Dataset
from plaintree.errors import ColumnError, FileError, FilePermissionError, MemoryLimitError
from plaintree.growing.blocks import Layout
from plaintree.growing.limits import Limits, TableSize
from plaintree.growing.sources import block_files
from plaintree.growing.sources.block_files import BlockFiles
from plaintree.growing.sources.chunks import BlocksOnDisk, DatasetParts
from plaintree.growing.sources.row_states import RowStates
from tests.support.dataset_files import (
    mixed_table,
    split_rows,
    tree_in_memory,
    tree_of,
    write_file,
    write_files,
)

DEEP = {"max_depth": 6, "missing": "branch"}


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary directories of a test, of which nothing may be left."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def small_batches(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """The same table, read a few rows at a time, so that it has many blocks."""
    monkeypatch.setattr(Dataset, "batch_rows", 250)
    return data


def source_of(data: Dataset, limits: Limits | None = None) -> BlocksOnDisk:
    table = DatasetParts(data)
    survey = table.survey(table.reading)
    source = table.encoded(Layout.of(survey, table.reading), survey, limits or Limits())
    assert isinstance(source, BlocksOnDisk)
    return source


# ---------------------------------------------------------------- the same tree


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".csv", ".csv.gz"])
@pytest.mark.parametrize("n_files", [1, 4, 7, 13])
def test_the_tree_is_that_of_the_rows_in_memory(
    tmp_path: Path, extension: str, n_files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mixed_table()
    if "csv" in extension:
        table = table.with_columns(pl.col("x").fill_nan(None).cast(pl.Float64))
    write_files(split_rows(table, n_files), tmp_path, extension)
    data = small_batches(pt.open_dataset(tmp_path, "y"), monkeypatch)
    assert tree_of(data, **DEEP).difference(tree_in_memory(table, **DEEP)) is None


def test_the_order_of_files_does_not_change_the_tree(tmp_path: Path) -> None:
    table = mixed_table()
    paths = write_files(split_rows(table, 7), tmp_path, ".parquet")
    wanted = tree_in_memory(table, **DEEP).content_hash()
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(paths).tolist()
        assert tree_of(pt.open_dataset(shuffled, "y"), **DEEP).content_hash() == wanted


def test_a_file_without_rows_changes_nothing(tmp_path: Path) -> None:
    table = mixed_table(500)
    for extension in (".parquet", ".csv"):
        tables = [table[:0], table[:200], table[:0], table[200:], table[:0]]
        if extension == ".csv":
            table = table.with_columns(pl.col("x").fill_nan(None).cast(pl.Float64))
            tables = [table[:0], table[:200], table[:0], table[200:], table[:0]]
        paths = write_files(tables, tmp_path, extension)
        found = tree_of(pt.open_dataset(paths, "y"), **DEEP)
        assert found.difference(tree_in_memory(table, **DEEP)) is None


def test_partition_columns_are_features(tmp_path: Path) -> None:
    table = mixed_table(1000).with_columns(year=pl.Series([2023] * 400 + [2024] * 600))
    table = table.with_columns(
        y=pl.when(pl.col("year") > 2023).then(pl.lit("no")).otherwise(pl.col("y"))
    )
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        rows = table.filter(pl.col("year") == year).drop("year")
        write_file(rows, tmp_path / f"year={year}" / "a.parquet")
    wanted = tree_in_memory(table.select(*table.drop("y", "year").columns, "year", "y"), **DEEP)
    assert "year" in str(wanted)
    data = pt.open_dataset(tmp_path, "y", columns=[*table.drop("y", "year").columns, "year"])
    assert tree_of(data, **DEEP).difference(wanted) is None


@pytest.mark.parametrize("extension", [".parquet", ".csv"])
def test_filtered_rows_alone_are_grown_from(tmp_path: Path, extension: str) -> None:
    table = mixed_table().with_columns(pl.col("x").fill_nan(None).cast(pl.Float64))
    paths = write_files(split_rows(table, 4), tmp_path, extension)
    data = pt.open_dataset(paths, "y", filter="few > 2 and text <> 'red'")
    kept = table.filter((pl.col("few") > 2) & (pl.col("text") != "red"))
    assert tree_of(data, **DEEP).difference(tree_in_memory(kept, **DEEP)) is None


def test_categories_may_be_in_one_file_only(tmp_path: Path) -> None:
    table = mixed_table(600).with_columns(
        text=pl.Series(["b"] * 200 + [None] * 200 + ["a", "c"] * 100),
        y=pl.Series(["yes"] * 200 + ["no"] * 200 + ["maybe", "no"] * 100),
    )
    paths = write_files([table[:200], table[200:400], table[400:]], tmp_path, ".parquet")
    found = tree_of(pt.open_dataset(paths, "y"), **DEEP)
    assert found.schema.classes == ("maybe", "no", "yes")
    assert found.difference(tree_in_memory(table, **DEEP)) is None


def test_missing_values_and_negative_zero_are_as_in_memory(tmp_path: Path) -> None:
    values = [np.nan, None, -0.0, 0.0, 1.0, -1.0, np.inf, -np.inf] * 30
    table = pl.DataFrame({"x": values, "z": values[::-1], "y": ["no", "yes", "no"] * 80})
    table = table.with_columns(none=pl.lit(None, pl.Float64))
    paths = write_files(split_rows(table, 4), tmp_path, ".parquet")
    assert (
        tree_of(pt.open_dataset(paths, "y"), **DEEP).difference(tree_in_memory(table, **DEEP))
        is None
    )


def test_integers_and_floats_in_different_files_are_one_column(tmp_path: Path) -> None:
    table = mixed_table(1000)
    parts = [table[:500], table[500:].cast({"few": pl.Float64, "x": pl.Float64})]
    whole = pl.concat(parts, how="vertical_relaxed")
    paths = write_files(parts, tmp_path, ".parquet")
    assert (
        tree_of(pt.open_dataset(paths, "y"), **DEEP).difference(tree_in_memory(whole, **DEEP))
        is None
    )


def test_weights_are_a_column(tmp_path: Path) -> None:
    table = mixed_table(1500).with_columns(w=pl.Series(np.arange(1500) % 5 + 0.5))
    paths = write_files(split_rows(table, 3), tmp_path, ".parquet")
    model = pt.CARTClassifier(**DEEP)
    wanted = model.fit(table.drop("y", "w"), table["y"], sample_weight=table["w"]).tree_
    assert tree_of(pt.open_dataset(paths, "y", weights="w"), **DEEP).difference(wanted) is None


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("state_bytes", [0, 3000, 2**20])
def test_threads_and_states_in_a_file_do_not_change_the_tree(
    tmp_path: Path, n_threads: int, state_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mixed_table()
    paths = write_files(split_rows(table, 4), tmp_path, ".parquet")
    data = small_batches(pt.open_dataset(paths, "y"), monkeypatch)
    limits = Limits(n_threads=n_threads, state_bytes=state_bytes, gather_rows=0)
    assert tree_of(data, limits, **DEEP).difference(tree_in_memory(table, **DEEP)) is None


# ---------------------------------------------------------------- the store


def blocks_in(store: Path) -> Path:
    """The file with blocks that the manifest of a store names, and that is beside it alone."""
    named = json.loads((store / "manifest.json").read_text())["file"]
    assert sorted(os.listdir(store)) == [named, "manifest.json"]
    return store / str(named)


def test_a_store_is_used_again_for_the_same_rows(tmp_path: Path) -> None:
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"
    wanted = tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
    written = blocks_in(store)
    again = tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
    assert blocks_in(store) == written
    assert again.content_hash() == wanted.content_hash()
    other = tree_of(pt.open_dataset(path, "y", store=store, columns=["few", "noise"]), **DEEP)
    assert blocks_in(store) != written
    assert other.schema.names == ("few", "noise")


def test_a_store_of_changed_files_is_written_again(tmp_path: Path) -> None:
    path, store = tmp_path / "a.parquet", tmp_path / "store"
    for seed in (1, 2):
        table = mixed_table(seed=seed)
        write_file(table, path)
        found = tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
        assert found.difference(tree_in_memory(table, **DEEP)) is None


@pytest.mark.parametrize(
    "conditions",
    [("few in (0, 1)", "few in (2, 3)"), [pl.col("few").is_in(pl.Series(n)) for n in ([0], [2])]],
    ids=["SQL", "series"],
)
def test_a_store_of_other_rows_is_written_again(tmp_path: Path, conditions: Any) -> None:
    """polars prints these conditions alike."""
    table, store = mixed_table(), tmp_path / "store"
    path = write_file(table, tmp_path / "a.parquet")
    for condition in conditions:
        found = tree_of(pt.open_dataset(path, "y", filter=condition, store=store), **DEEP)
        kept = table.filter(pl.sql_expr(condition) if isinstance(condition, str) else condition)
        assert found.difference(tree_in_memory(kept, **DEEP)) is None


@pytest.mark.parametrize("damage", ["changed", "swapped"])
def test_damaged_blocks_of_a_store_are_named(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"
    data = small_batches(pt.open_dataset(path, "y", store=store), monkeypatch)
    tree_of(data, **DEEP)
    blocks = blocks_in(store)
    raw = bytearray(blocks.read_bytes())
    places = json.loads((store / "manifest.json").read_text())["blocks"]
    (a, n, _), (b, m, _) = places[0], places[1]
    if damage == "changed":
        raw[a + n // 2] ^= 1
        blocks.write_bytes(raw)
    else:
        assert n == m
        raw[a : a + n], raw[b : b + m] = raw[b : b + m], raw[a : a + n]
        blocks.write_bytes(raw)
    with pytest.raises(FileError, match=r"block \d+ of .*blocks-\w+\.bin is damaged.*fit again"):
        tree_of(data, **DEEP)


def test_a_broken_manifest_is_written_again(tmp_path: Path) -> None:
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"
    wanted = tree_of(pt.open_dataset(path, "y", store=store), **DEEP).content_hash()
    for text in ("", "[]", '{"format": 1}', '{"blocks": [[1]]}'):
        (store / "manifest.json").write_text(text)
        found = tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
        assert found.content_hash() == wanted


def test_a_store_that_is_not_whole_is_written_again(tmp_path: Path) -> None:
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"
    wanted = tree_of(pt.open_dataset(path, "y", store=store), **DEEP).content_hash()
    for size in (0, 100, -100):
        blocks = blocks_in(store)
        blocks.write_bytes(blocks.read_bytes()[:size])
        found = tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
        assert found.content_hash() == wanted


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"store is not a directory.*/file', which is a file"):
        tree_of(pt.open_dataset(path, "y", store=tmp_path / "file"), **DEEP)
    with pytest.raises(FileError, match=r"/file/store cannot be written.*Not a directory"):
        tree_of(pt.open_dataset(path, "y", store=tmp_path / "file" / "store"), **DEEP)


def test_a_store_without_permission_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")

    def refuse(*_: Any, **__: Any) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", "store")

    monkeypatch.setattr(Path, "mkdir", refuse)  # root may write anywhere
    with pytest.raises(FilePermissionError, match=r"store cannot be written.*Permission denied"):
        tree_of(pt.open_dataset(path, "y", store=tmp_path / "store"), **DEEP)


# ---------------------------------------------------------------- faults


def test_a_disk_without_space_is_noticed_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")
    monkeypatch.setattr(block_files, "SPARE", 2**62)
    with pytest.raises(FileError, match=r"too little space.*bytes free; [\d,]+ are needed"):
        tree_of(pt.open_dataset(path, "y"), **DEEP)


@pytest.mark.parametrize(("n_files", "name"), [(1, r"blocks-\w+\.bin"), (2, "states")])
def test_a_disk_that_fills_while_it_is_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_files: int, name: str
) -> None:
    """The first file that is written is that of the blocks, the second that of the states."""
    path = write_file(mixed_table(), tmp_path / "a.parquet")
    real, written = os.pwrite, set()

    def full(file: int, data: Any, offset: int) -> int:
        written.add(file)
        if len(written) == n_files:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data, offset)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(FileError, match=rf"{name} cannot be written.*No space left"):
        tree_of(pt.open_dataset(path, "y"), Limits(state_bytes=0), **DEEP)


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts a small disk"
)
def test_a_small_disk_that_fills_is_left_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, disk = write_file(mixed_table(50_000), tmp_path / "a.parquet"), tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(FileError, match="too little space"):
            tree_of(pt.open_dataset(path, "y"), **DEEP)
        monkeypatch.setattr(block_files.BlockFiles, "check_space", lambda *_: None)
        with pytest.raises(FileError, match=r"blocks-\w+\.bin cannot be written.*No space left"):
            tree_of(pt.open_dataset(path, "y"), **DEEP)
        with pytest.raises(FileError, match=r"blocks-\w+\.bin cannot be written.*No space left"):
            tree_of(pt.open_dataset(path, "y", store=disk / "store"), **DEEP)
        left = [file for file in disk.rglob("*") if file.is_file()]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert left == []


def test_a_file_that_vanishes_between_passes_is_named(tmp_path: Path) -> None:
    paths = write_files(split_rows(mixed_table(), 3), tmp_path, ".parquet")
    data = DatasetParts(pt.open_dataset(paths, "y"))
    survey = data.survey(data.reading)
    Path(paths[1]).unlink()
    with pytest.raises(FileError, match=r"there is no file .*part-01\.parquet"):
        data.encoded(Layout.of(survey, data.reading), survey, Limits())


def test_a_file_that_changes_between_passes_is_named(tmp_path: Path) -> None:
    paths = write_files(split_rows(mixed_table(), 3), tmp_path, ".csv")
    data = DatasetParts(pt.open_dataset(paths, "y"))
    survey = data.survey(data.reading)
    write_file(mixed_table(10), Path(paths[1]))
    with pytest.raises(FileError, match=r"part-01\.csv changed while it was used"):
        data.encoded(Layout.of(survey, data.reading), survey, Limits())


def test_drift_is_found_before_anything_is_encoded(tmp_path: Path) -> None:
    table = mixed_table(100)
    a = write_file(table, tmp_path / "a.parquet")
    b = write_file(table.cast({"x": pl.String}), tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"'x' is not of one type.*a\.parquet.*b\.parquet"):
        pt.open_dataset([a, b], "y")


def test_an_error_while_encoding_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt("stopped")

    monkeypatch.setattr(block_files.BlockFiles, "write", interrupted)
    for options in ({}, {"store": store}):
        with pytest.raises(KeyboardInterrupt, match="stopped"):
            tree_of(pt.open_dataset(path, "y", **options), **DEEP)
    assert not store.exists()


def test_an_interrupt_while_counting_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt("stopped")

    monkeypatch.setattr(block_files.BlockFiles, "read", interrupted)
    for n_threads in (1, 2):
        with pytest.raises(KeyboardInterrupt, match="stopped"):
            tree_of(pt.open_dataset(path, "y"), Limits(n_threads=n_threads), **DEEP)


def test_a_second_interrupt_while_files_are_removed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One Ctrl-C may arrive twice, as polars raises one of its own."""
    path, store = write_file(mixed_table(), tmp_path / "a.parquet"), tmp_path / "store"
    ordinary, calls = block_files.BlockFiles.remove, []

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt("once")

    def interrupted_once(files: block_files.BlockFiles) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt("again")
        ordinary(files)

    monkeypatch.setattr(block_files.BlockFiles, "write", interrupted)
    monkeypatch.setattr(block_files.BlockFiles, "remove", interrupted_once)
    with pytest.raises(KeyboardInterrupt, match="once"):
        tree_of(pt.open_dataset(path, "y", store=store), **DEEP)
    assert not store.exists()


def test_temporary_files_have_no_name_so_nothing_is_left_of_a_killed_process(
    tmp_path: Path, scratch: Path
) -> None:
    source = source_of(pt.open_dataset(write_file(mixed_table(), tmp_path / "a.parquet"), "y"))
    source._states = RowStates(scratch, 0)
    source._states.put((0, 0), b"state")
    assert list(scratch.iterdir()) == []
    assert source._states.get((0, 0)) == b"state"
    source.release()


def test_a_source_that_is_forgotten_closes_its_file(tmp_path: Path) -> None:
    source = source_of(pt.open_dataset(write_file(mixed_table(), tmp_path / "a.parquet"), "y"))
    number = source._files._file.number
    assert os.fstat(number).st_size > 0
    del source
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


# ---------------------------------------------------------------- progress


def test_forests_report_levels_as_single_trees_do(tmp_path: Path) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")
    seen: list[tuple[str, int, int | None]] = []

    def report(stage: str, done: int, total: int | None) -> None:
        seen.append((stage, done, total))

    model = pt.RandomForestClassifier(40, max_depth=3, random_state=0)
    model.fit(pt.open_dataset(path, "y"), progress=report)
    stages = [stage for stage, _, _ in seen if stage.startswith("level ")]
    assert stages[0] == "level 1, 32 open nodes of trees 1 to 32"
    assert stages[-1].endswith("0 open nodes of trees 33 to 40")
    finished = [(done, total) for stage, done, total in seen if stage == "growing trees"]
    assert finished[-1] == (40, 40)
    assert (32, 40) in finished


# ---------------------------------------------------------------- one store, several fits


def test_blocks_that_are_read_outlast_a_store_that_is_written_again(tmp_path: Path) -> None:
    """Another process may need other rows: cutting the file short would kill this one."""
    table, store = mixed_table(), tmp_path / "store"
    path = write_file(table, tmp_path / "a.parquet")
    source = source_of(pt.open_dataset(path, "y", store=store))
    tree_of(pt.open_dataset(path, "y", store=store, filter="few > 7"), **DEEP)
    request = {1: _core.rows_request([1])}
    _, target, _, _ = _core.rows_of_reply(source.answer(request)[1])
    assert len(target) == table.height
    source.release()
    blocks_in(store)


def test_two_fits_that_write_one_store_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    written = [BlockFiles(str(tmp_path / "store")) for _ in range(2)]
    for files in written:
        files.begin()
    for i in range(3):
        for files, letter in zip(written, (b"a", b"b"), strict=True):
            files.write(letter * (100 + i))
    for files, letter in zip(written, (b"a", b"b"), strict=True):
        files.finish(b"facts of " + letter, letter.decode())
    for files, letter in zip(written, (b"a", b"b"), strict=True):
        for i in range(3):
            with files.read(i, check=False) as block:
                assert block[:] == letter * (100 + i)
    assert blocks_in(tmp_path / "store") == written[1].path
    later = BlockFiles(str(tmp_path / "store"))
    assert not later.reuse("a")
    assert later.reuse("b")
    assert later.facts == b"facts of b"
    for files in [*written, later]:
        files.remove()


def test_what_a_killed_process_left_in_a_store_is_removed_by_the_next(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "other").write_text("is not a file with blocks")
    living = BlockFiles(str(store))
    living.begin()
    (store / ".blocks-0.new").write_bytes(b"of a killed process")
    BlockFiles(str(store)).remove()
    left = {path.name for path in store.iterdir()}
    assert left == {"other", f".{living.path.stem}.new"}
    living.remove()
    assert [path.name for path in store.iterdir()] == ["other"]


def test_release_may_be_called_twice(tmp_path: Path) -> None:
    source = source_of(pt.open_dataset(write_file(mixed_table(), tmp_path / "a.csv"), "y"))
    source.release()
    source.release()


# ---------------------------------------------------------------- memory

CHILD = """
    import sys
    from pathlib import Path
    import plaintree as pt
    data = pt.open_dataset(sys.argv[1], "y", memory_limit="500 MB")
    model = pt.CARTClassifier(max_depth=8, n_jobs=int(sys.argv[2])).fit(data)
    lines = Path("/proc/self/status").read_text().splitlines()  # ru_maxrss begins at the parent's
    peak = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    print(peak <= data.memory_limit, peak, model.tree_.content_hash())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system reports the peak in /proc")
def test_the_peak_of_memory_is_below_the_limit(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    paths, tables = [], []
    for i in range(4):
        X = random.normal(size=(400_000, 20)).astype(np.float32)
        y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X))) > 0.5
        tables.append(pl.DataFrame(dict(zip("abcdefghijklmnopqrst", X.T, strict=True))))
        tables[-1] = tables[-1].with_columns(y=pl.Series(y))
        paths.append(write_file(tables[-1], tmp_path / f"part-{i}.parquet"))
    wanted = tree_in_memory(pl.concat(tables), max_depth=8).content_hash()
    for n_jobs in ("1", "2"):
        command = [
            sys.executable,
            "-c",
            textwrap.dedent(CHILD),
            str(tmp_path / "*.parquet"),
            n_jobs,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        is_below, peak, found = done.stdout.split()
        assert (is_below, found) == ("True", wanted), f"{int(peak) / 1e6:,.0f} MB"


def test_a_limit_that_is_too_small_is_an_error_with_one_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(mixed_table(), tmp_path / "a.parquet")
    with pytest.raises(
        MemoryLimitError, match=r"too small.*Got memory_limit=.1MB.*memory_limit=.\d+MB"
    ) as found:
        pt.CARTClassifier().fit(pt.open_dataset(path, "y", memory_limit="1 MB"))
    least = found.value.hint.split('"')[1]
    monkeypatch.setattr(Dataset, "batch_rows", 250)
    for n_jobs in (1, 2, 64):
        data = pt.open_dataset(path, "y", memory_limit=least)
        model = pt.CARTClassifier(n_jobs=n_jobs, **DEEP).fit(data)
        assert model.tree_.difference(tree_in_memory(mixed_table(), **DEEP)) is None


def test_threads_are_limited_by_memory() -> None:
    size = TableSize(n_columns=20, row_bytes=122, border_bytes=10**7, node_bytes=10**5)
    one = Limits.of_table(10**9, size)
    assert one.for_threads(1) == one
    several = [one.for_threads(n) for n in (2, 100)]
    assert [limits.n_threads for limits in several] == [2, 2]
    assert several[0].table_bytes < one.table_bytes
    assert Limits().for_threads(8) == Limits()
