"""What all tests share: how random examples are drawn, how Java starts, files, and a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.browser import started

# No deadline: how long an example takes says more about a busy machine than about the code.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")

# A Java machine of a test lives for seconds: what it would compile thoroughly it never uses again.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """A function that writes a file and gives its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def saved(tmp_path: Path) -> str:
    """The file of a model of the golf table, as commands take it."""
    from plaintree.interop.model_file import save
    from tests.support.command_line import MODEL

    path = tmp_path / "golf.json"
    save(MODEL, path)
    return str(path)


@pytest.fixture(scope="session")
def dask_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of two workers on this machine, started for the first test that needs them."""
    from tests.support.dask_tables import two_workers

    with two_workers(tmp_path_factory.mktemp("dask")) as client:
        yield client


@pytest.fixture
def mortal_dask_client(tmp_path: Path) -> Iterator[Any]:
    """A client of two workers that the test may kill: they are for this test only."""
    from tests.support.dask_tables import two_workers

    with two_workers(tmp_path / "dask") as client:
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for all tests of a file, skipped where there is none."""
    with started() as browser:
        yield browser


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark session, one for all tests."""
    from tests.support.spark import session

    with session(tmp_path_factory.mktemp("spark")) as started_session:
        yield started_session
