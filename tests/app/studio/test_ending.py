"""The end of a studio: streams, processes, files; by Ctrl-C, by ``close``, by an error."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import psutil
import pytest

from plaintree.app.studio.server.server import Preset
from plaintree.app.studio.workers.sources import of_file
from tests.support.studio_server import begun, last, running, uploaded


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_the_stream_of_alive_ends_with_the_server(method: str) -> None:
    with running() as studio:
        lines: list[str] = []
        body = {"json": {}} if method == "POST" else {}

        def listen() -> None:
            with studio.client.stream(method, "/api/alive", **body) as response:
                lines.extend(response.iter_lines())

        listener = threading.Thread(target=listen)
        listener.start()
        time.sleep(0.3)
        assert listener.is_alive()
        began = time.monotonic()
        studio.server.end()
        listener.join()
        assert time.monotonic() - began < 1
        assert last(lines) == {"result": {"ended": True}}


def test_no_process_and_no_file_is_left_at_the_end(tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    path = tmp_path / "mine.csv"
    path.write_text("x,y\n1,2\n")
    with running((Preset(of_file(str(path), "mine.csv")),)) as studio:
        fit, _ = begun(studio, studio.open("golf"), "forest")
        uploaded(studio)
        assert studio.result("hello", {})["opened"][0]["name"] == "mine.csv"
        children = psutil.Process().children(recursive=True)
        assert len(children) > len(before)
    fit.join()
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    assert path.exists()


def test_a_table_that_cannot_be_opened_is_the_error_of_the_server(tmp_path: Path) -> None:
    from plaintree.errors import TableError

    missing = Preset(of_file(str(tmp_path / "none.csv"), "none.csv"))
    with pytest.raises(TableError, match=r"there is no file none\.csv"), running((missing,)):
        pass
