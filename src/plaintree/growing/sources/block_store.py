"""Blocks as files that executors write and map into memory.

A file is written beside its name and then renamed, and its name has a hash of its content. So tasks
that run twice, one after the other or at once, write the same file, and no file is half written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any
from uuid import uuid4

from plaintree import _core
from plaintree.errors import file_error

Buffer = bytes | mmap


@dataclass(frozen=True)
class BlockStore:
    """The files of one table.

    - ``run``: the name of the directory, which no other table has.
    - ``root``: where it is: a path or an address that all executors see. None: each executor has
      its own, in the directory that Spark removes when the executor ends.
    """

    run: str
    root: str | None = None

    @classmethod
    def new(cls, root: str | os.PathLike[str] | None) -> BlockStore:
        """A store that is not there yet."""
        if root is not None:
            root = os.fspath(root)
            root = root if "://" in root else os.path.abspath(os.path.expanduser(root))
        return cls(f"plaintree-{uuid4().hex}", root)

    # ---------------------------------------------------------------- blocks

    def write(self, part: int, number: int, block: bytes) -> str:
        """Write a block unless it is there, and return its name."""
        name = f"{part:06d}-{number:04d}-{blake2b(block, digest_size=12).hexdigest()}"
        system, path = self._opened()
        if system is None:
            _write_local(Path(path) / name, block)
        else:
            _write_remote(system, f"{path}/{name}", block)
            _write_local(self._scratch / name, block)
        return name

    def read(self, name: str) -> Buffer | None:
        """The block, mapped into memory; None if it is not there."""
        system, path = self._opened()
        if system is None:
            return _mapped(Path(path) / name)
        copy = self._scratch / name
        if not copy.exists():
            block = _read_remote(system, f"{path}/{name}")
            if block is None:
                return None
            _core.check_block(block)
            _write_local(copy, block)
        return _mapped(copy)

    # ---------------------------------------------------------------- states

    def state(self, tree: int, name: str) -> bytes:
        """Where the rows of a block stood when this executor counted them last, if it did."""
        try:
            return (self._scratch / f"state-{tree}-{name}").read_bytes()
        except OSError:
            return b""

    def keep_state(self, tree: int, name: str, state: bytes) -> None:
        """Keep where the rows of a block stand; failure costs time only."""
        with suppress(OSError):
            _replace(self._scratch / f"state-{tree}-{name}", state)

    # ---------------------------------------------------------------- rows

    def keep_rows(self, part: int, table: Any) -> None:
        """Keep the rows of a partition on this executor until they are encoded."""
        from pyarrow import OSFile, ipc

        path = self._rows(part)
        new = path.with_name(f"{path.name}.{uuid4().hex}")
        with suppress(OSError):  # they are read again then
            new.parent.mkdir(parents=True, exist_ok=True)
            try:
                with OSFile(str(new), "wb") as file, ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
                os.replace(new, path)
            finally:
                with suppress(OSError):
                    new.unlink()

    def take_rows(self, part: int) -> Any:
        """The rows of a partition, mapped into memory; None if this executor has not kept them."""
        from pyarrow import ipc, memory_map

        try:
            with memory_map(str(self._rows(part))) as file:
                return ipc.open_file(file).read_all()
        except OSError:
            return None

    def forget_rows(self, part: int) -> None:
        """Remove the rows of a partition."""
        with suppress(OSError):
            self._rows(part).unlink()

    def _rows(self, part: int) -> Path:
        return self._scratch / f"rows-{part:06d}"

    # ---------------------------------------------------------------- the directory

    def remove(self) -> None:
        """Remove the files, and the copies and states of this executor."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        if self.root is None:
            return
        system, path = self._opened()
        if system is None:
            shutil.rmtree(path, ignore_errors=True)
            return
        with suppress(OSError):
            system.delete_dir(path)

    @property
    def _scratch(self) -> Path:
        spark_directories = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
        return Path(spark_directories[0] or tempfile.gettempdir()) / self.run

    def _opened(self) -> tuple[Any, str]:
        """The file system, None for the local one, and the path in it."""
        if self.root is None:
            return None, str(self._scratch)
        if "://" not in self.root:
            return None, os.path.join(self.root, self.run)
        from pyarrow import fs

        try:
            system, path = fs.FileSystem.from_uri(self.root)
        except (OSError, ValueError) as error:
            cause = error if isinstance(error, OSError) else OSError(str(error))
            raise file_error(
                f"the store {self.root} cannot be opened",
                cause,
                "use a path, or an address that pyarrow.fs.FileSystem.from_uri reads.",
            ) from error
        path = f"{path.rstrip('/')}/{self.run}"
        return (None, path) if isinstance(system, fs.LocalFileSystem) else (system, path)


def _write_local(path: Path, block: bytes) -> None:
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, block)
    except OSError as error:
        raise file_error(
            f"the block {path} cannot be written",
            error,
            "store= must name a directory that all executors may write to.",
        ) from error


def _replace(path: Path, content: bytes) -> None:
    """Write a file in one step, as seen by others."""
    new = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    finally:
        with suppress(OSError):
            new.unlink()


def _mapped(path: Path) -> Buffer | None:
    try:
        with path.open("rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise file_error(f"the block {path} cannot be read", error) from error


def _write_remote(system: Any, path: str, block: bytes) -> None:
    from pyarrow import fs

    try:
        if system.get_file_info(path).type != fs.FileType.NotFound:
            return
        new = f"{path}.{uuid4().hex}"
        system.create_dir(path.rpartition("/")[0], recursive=True)
        with system.open_output_stream(new) as stream:
            stream.write(block)
        system.move(new, path)
    except OSError as error:
        raise file_error(f"the block {path} cannot be written", error) from error


def _read_remote(system: Any, path: str) -> bytes | None:
    try:
        with system.open_input_stream(path) as stream:
            return bytes(stream.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise file_error(f"the block {path} cannot be read", error) from error
