"""Workers: two tables at once, order, stopping, crashes, memory, and how many there may be."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.support.studio_server import Studio, begun, last, lines_of, running, tree, uploaded


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def tables(studio: Studio) -> tuple[str, str]:
    """Two tables that are open."""
    return studio.open("golf"), studio.open("tennis")


@pytest.fixture
def meanwhile() -> Iterator[Callable[..., Future[Any]]]:
    """A function that calls another one in a thread."""
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def pid_of(studio: Studio, key: str) -> int:
    """The process that has a table."""
    pid: int = studio.result("rows", {**tree(key), "at": []})["rows"][1]
    return pid


# -------------------------------------------------------------------- replies


def test_an_reply_has_progress_and_then_a_result(studio: Studio, tables: tuple[str, str]) -> None:
    lines = lines_of(studio.post("tree", tree(tables[0], "slow", seconds=0.3)))
    assert {tuple(line) for line in lines[:-1]} == {("progress",)}
    assert lines[0]["progress"] == {"stage": "growing", "done": 0, "total": None}
    assert lines[-1]["result"]["facts"]["n_nodes"] == 1


def test_what_a_library_prints_does_not_reach_the_reply(
    studio: Studio, tables: tuple[str, str]
) -> None:
    assert "stray" not in studio.post("tree", tree(tables[0], "printing")).text
    assert studio.result("tree", tree(tables[0]))["facts"]["n_nodes"] == 1


def test_a_bug_is_a_failure_and_the_next_request_works(
    studio: Studio, tables: tuple[str, str]
) -> None:
    failure = studio.error("tree", tree(tables[0], "broken"))
    assert failure["kind"] == "bug"
    assert failure["what"] == "ZeroDivisionError: division by zero"
    assert "Traceback" not in str(failure)
    assert studio.result("tree", tree(tables[0]))["facts"]["n_nodes"] == 1


def test_columns_of_50_000_nodes_are_less_than_a_megabyte(
    studio: Studio, tables: tuple[str, str]
) -> None:
    body = tree(tables[0], n_nodes=54_000)
    with studio.client.stream("POST", "/api/tree", json=body) as response:
        compressed = sum(map(len, response.iter_raw()))
    assert response.headers["content-encoding"] == "gzip"
    assert compressed < 1_000_000
    plain = studio.post("tree", body, **{"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert len(lines_of(plain)[-1]["result"]["n_children"]) == 54_000


def test_an_unknown_table_is_a_failure(studio: Studio) -> None:
    failure = studio.error("tree", tree("upload-none"))
    assert (failure["kind"], failure["got"]) == ("lost", "upload-none")


def test_an_example_that_is_not_there_is_a_failure(studio: Studio) -> None:
    assert studio.error("open", {"example": "gulf"})["what"] == "there is no such example"


# -------------------------------------------------------------------- tables


def test_two_tables_work_at_the_same_time(studio: Studio, tables: tuple[str, str]) -> None:
    one, _ = begun(studio, tables[0], seconds=2)
    assert studio.result("tree", tree(tables[1]))["hash"] == "tennis"
    assert one.is_alive()
    assert studio.result("stop", {"key": tables[0]}) == {"stopped": True}
    one.join()


def test_requests_of_a_table_are_handled_in_order(
    studio: Studio, tables: tuple[str, str], meanwhile: Any
) -> None:
    slow = meanwhile(studio.post, "tree", tree(tables[0], "slow", seconds=0.6))
    time.sleep(0.2)
    before = time.monotonic()
    quick = studio.result("rows", {**tree(tables[0]), "at": []})
    assert time.monotonic() - before > 0.2
    assert slow.done()
    assert quick["rows"][0] > 1


def test_stop_ends_a_fit_and_leaves_the_other_table_alone(
    studio: Studio, tables: tuple[str, str]
) -> None:
    other = pid_of(studio, tables[1])
    fit, lines = begun(studio, tables[0], "forest")
    waiting, later = begun(studio, tables[0], "id3")
    began = time.monotonic()
    assert studio.result("stop", {"key": tables[0]}) == {"stopped": True}
    fit.join()
    waiting.join()
    assert time.monotonic() - began < 1
    assert last(lines)["error"]["kind"] == last(later)["error"]["kind"] == "stopped"
    assert pid_of(studio, tables[1]) == other
    assert studio.result("tree", tree(tables[0]))["hash"] == "golf"
    assert studio.result("stop", {"key": tables[0]}) == {"stopped": False}


def test_a_reader_who_leaves_ends_the_work(
    studio: Studio, tables: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaintree.app.studio.workers.tables.MOMENT", 0.1)
    worker = psutil.Process(pid_of(studio, tables[0]))
    with pytest.raises(httpx.ReadTimeout):
        studio.client.post("/api/tree", json=tree(tables[0], "forest"), timeout=0.3)
    until(lambda: not worker.is_running())
    assert studio.result("tree", tree(tables[0]))["hash"] == "golf"


def test_a_reader_who_leaves_early_does_not_cost_the_worker(
    studio: Studio, tables: tuple[str, str]
) -> None:
    before = pid_of(studio, tables[0])
    body = tree(tables[0], "slow", seconds=0.3)
    with studio.client.stream("POST", "/api/tree", json=body) as reply:
        assert "progress" in next(reply.iter_lines())
    assert pid_of(studio, tables[0]) == before


def test_a_worker_that_is_killed_loses_one_reply_and_nothing_else(
    studio: Studio, tables: tuple[str, str]
) -> None:
    fit, lines = None, []
    worker = pid_of(studio, tables[0])
    fit, lines = begun(studio, tables[0], "forest")
    os.kill(worker, signal.SIGKILL)
    fit.join()
    assert last(lines)["error"]["kind"] == "lost"
    assert studio.result("tree", tree(tables[0]))["hash"] == "golf"


def test_a_crash_is_a_failure_too(studio: Studio, tables: tuple[str, str]) -> None:
    failure = studio.error("tree", tree(tables[0], "crash"))
    assert (failure["kind"], failure["got"].partition(":")[0]) == ("lost", "signal 11")
    assert studio.result("tree", tree(tables[0]))["hash"] == "golf"


def test_work_that_takes_too_much_memory_is_a_failure() -> None:
    with running(memory=400_000_000) as studio:
        key = studio.open("golf")
        failure = studio.error("tree", tree(key, "greedy"))
        assert failure["kind"] == "memory"
        assert failure["what"] == "this needs more memory than 0.4 GB"
        assert "--memory" in failure["hint"]
        assert studio.result("tree", tree(key))["hash"] == "golf"


def test_the_table_that_was_idle_for_longest_makes_room() -> None:
    with running(most_tables=2) as studio:
        keys = [studio.result("open", {"key": uploaded(studio)})["key"] for _ in range(2)]
        first, second = (pid_of(studio, key) for key in keys)
        studio.open("golf")
        assert not psutil.pid_exists(first)
        assert pid_of(studio, keys[1]) == second
        assert studio.result("tree", tree(keys[0]))["hash"] == "a.csv"  # read again


def test_more_tables_at_work_than_allowed_is_a_failure() -> None:
    with running(most_tables=1) as studio:
        fit, _ = begun(studio, studio.open("golf"), seconds=5)
        assert "1 tables are at work already" in studio.error("open", {"example": "tennis"})["what"]
        assert studio.result("stop", {"key": "example-golf"})["stopped"]
        fit.join()
        assert studio.open("tennis") == "example-tennis"


# -------------------------------------------------------------------- uploads


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("golf.csv", "golf.csv"),
        ("../../etc/golf.CSV", "golf.csv"),
        ("C:\\data\\golf.parquet", "golf.parquet"),
        ("Größe 温度.tsv", "Größe 温度.tsv"),
        ("\u202egolf\x00.csv", "golf.csv"),
        ("a" * 400 + ".csv", "a" * 251 + ".csv"),
    ],
)
def test_an_uploaded_file_has_its_name_and_no_directory(
    studio: Studio, name: str, shown: str
) -> None:
    content = b"not read by the stand-in\n"
    key = uploaded(studio, content, name.replace(".parquet", ".csv"))
    facts = studio.result("open", {"key": key})
    assert facts["name"] == shown.replace(".parquet", ".csv")


@pytest.mark.parametrize("name", ["", "golf", "golf.pkl", "golf.csv/", ".csv", "model.joblib"])
def test_a_file_of_another_format_is_refused(studio: Studio, name: str) -> None:
    assert studio.upload(name, b"x" * 3_000_000).status_code == 415


def test_an_empty_file_is_refused(studio: Studio) -> None:
    assert studio.upload("a.csv", b"").json()["error"]["what"] == "the file is empty"


def test_a_file_that_cannot_be_read_is_named_as_on_the_page(studio: Studio) -> None:
    failure = studio.error("open", {"key": uploaded(studio, b"bad", "mine.csv")})
    assert failure["what"] == "mine.csv does not match its extension"
    assert failure["kind"] == "table"
    assert studio.result("open", {"key": uploaded(studio)})["name"] == "a.csv"


def test_uploads_that_need_the_room_of_others_remove_them(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = uploaded(studio)
    monkeypatch.setattr("plaintree.app.studio.server.uploads.UPLOADS_BYTES", 2_000)
    uploaded(studio, b"x" * 1_999)
    assert studio.error("open", {"key": first})["kind"] == "lost"


def test_a_table_that_takes_too_long_to_read_is_given_up() -> None:
    with running(reading_seconds=0.3) as studio:
        key = uploaded(studio, b"slow")
        failure = studio.error("open", {"key": key})
        assert failure["kind"] == "table"
        assert "reading the table took more than 0.3 seconds" in failure["what"]


def test_a_parquet_file_of_too_many_rows_is_refused_by_its_metadata(
    studio: Studio, tmp_path: Path
) -> None:
    import polars as pl

    path = tmp_path / "many.parquet"
    pl.select(x=pl.repeat(0, 5_000_001, dtype=pl.Int8)).write_parquet(path)
    assert path.stat().st_size < 100_000
    failure = studio.error("open", {"key": uploaded(studio, path.read_bytes(), "many.parquet")})
    assert failure["kind"] == "table"
    assert failure["got"] == "5,000,001 rows and 1 columns"
