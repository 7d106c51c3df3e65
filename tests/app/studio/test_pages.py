"""The files of the page: found by their paths alone, tagged, compressed."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from plaintree.app.studio.server.pages import read_pages
from tests.support.studio_server import Studio, running

SCRIPT = b"const plaintree = 1;\n" * 500


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built page, with something beside it that is not part of it."""
    directory = tmp_path_factory.mktemp("built") / "static"
    (directory / "assets").mkdir(parents=True)
    (directory / "index.html").write_text("<!doctype html><title>studio</title>")
    (directory / "assets" / "studio-D4x_9aBc.js").write_bytes(SCRIPT)
    (directory / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (directory / "notes.py").write_text("secret")
    (directory / "link.txt").symlink_to("/etc/passwd")
    return directory


@pytest.fixture(scope="module")
def studio(static: Path) -> Iterator[Studio]:
    with running(static=static) as started:
        yield started


def test_the_page_is_at_the_root(studio: Studio) -> None:
    response = studio.client.get("/")
    assert response.text == "<!doctype html><title>studio</title>"
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    assert studio.client.get("/index.html").text == response.text
    assert studio.client.head("/").headers["content-length"] == str(len(response.text))


def test_a_file_with_a_hash_in_its_name_is_kept_by_the_browser(studio: Studio) -> None:
    response = studio.client.get("/assets/studio-D4x_9aBc.js")
    assert response.content == SCRIPT
    assert response.headers["cache-control"] == "max-age=31536000, immutable"
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers["content-length"]) < len(SCRIPT) / 10
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"


def test_a_browser_without_gzip_gets_the_plain_file(studio: Studio) -> None:
    plain = {"accept-encoding": "identity"}
    response = studio.client.get("/assets/studio-D4x_9aBc.js", headers=plain)
    assert "content-encoding" not in response.headers
    assert response.headers["vary"] == "Accept-Encoding"
    assert response.content == SCRIPT


def test_a_file_that_the_browser_has_is_not_sent_again(studio: Studio) -> None:
    tag = studio.client.get("/icon.svg").headers["etag"]
    again = studio.client.get("/icon.svg", headers={"if-none-match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert "content-security-policy" in again.headers
    other = studio.client.get("/icon.svg", headers={"if-none-match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize("path", ["/notes.py", "/link.txt", "/assets", "/assets/", "/index", "/x"])
def test_what_is_not_part_of_the_page_is_not_found(studio: Studio, path: str) -> None:
    assert studio.client.get(path).status_code == 404


def test_without_a_page_the_root_says_how_to_build_it(tmp_path: Path) -> None:
    with running(static=tmp_path) as studio:
        response = studio.client.get("/")
        assert response.status_code == 503
        assert "make studio" in response.text
        assert "script" not in response.text
        assert studio.result("hello", {})["version"]


def test_tags_follow_the_content(static: Path, tmp_path: Path) -> None:
    pages = read_pages(static)
    assert pages["/"] is pages["/index.html"]
    assert gzip.decompress(pages["/assets/studio-D4x_9aBc.js"].compressed) == SCRIPT
    (tmp_path / "index.html").write_text("another")
    assert read_pages(tmp_path)["/"].tag != pages["/"].tag
    assert read_pages(tmp_path / "none") == {}
