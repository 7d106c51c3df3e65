"""Sizes of record batches, read from the metadata of Arrow files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import plaintree as pt
from plaintree.data.arrow_batches import record_batches
from plaintree.errors import FileError


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_sizes_are_those_before_compression(tmp_path: Path, compression: Any) -> None:
    n = 10_000
    table = pl.DataFrame({"a": range(n), "b": [0.5] * n, "c": [f"{i:050d}" for i in range(n)]})
    path = tmp_path / "a.arrow"
    table.write_ipc(path, compression=compression, record_batch_size=4_000)
    found = record_batches(str(path))
    assert [batch.n_rows for batch in found] == [4_000, 4_000, 2_000]
    types = dict(table.schema)
    assert [batch.bytes_of(["a", "b"], types) for batch in found] == [64_000, 64_000, 32_000]
    assert sum(batch.bytes_of(["c"], types) for batch in found) >= 50 * n
    assert sum(batch.n_bytes for batch in found) >= table.estimated_size()


def test_a_file_without_batches_has_no_rows(tmp_path: Path) -> None:
    pl.DataFrame(schema={"a": pl.Int64, "y": pl.Int64}).write_ipc(tmp_path / "a.arrow")
    assert sum(batch.n_rows for batch in record_batches(str(tmp_path / "a.arrow"))) == 0
    assert len(pt.open_dataset(tmp_path / "a.arrow", "y")) == 0


def test_a_damaged_end_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    pl.DataFrame({"a": [1, 2], "y": [0, 1]}).write_ipc(path)
    data = pt.open_dataset(path, "y")
    raw = bytearray(path.read_bytes())
    for place in range(len(raw) - 200, len(raw) - 6):
        raw[place] ^= 0xFF
    stamp = path.stat()
    path.write_bytes(raw)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with pytest.raises(FileError, match=r"a\.arrow is damaged"):
        list(data.batches())
