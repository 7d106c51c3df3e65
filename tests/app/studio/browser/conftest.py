"""One server for all tests of the page, one browser for a file of them, a fresh tab for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.studio.server.pages import STATIC
from tests.support.studio_page import TIMEOUT, Desk, expect

Desks = Callable[..., Desk]
WIDE = {"width": 1440, "height": 900}
SEEN = "localStorage.setItem('plaintree-tour', '1')"


@pytest.fixture(scope="session")
def studio() -> Iterator[Any]:
    """A studio without a table; its first page offers all."""
    for library in ("starlette", "uvicorn", "msgspec"):
        pytest.importorskip(library, reason=f"{library} of the extra studio is not installed")
    if not (STATIC / "index.html").exists():
        pytest.skip("the page of the studio is not built: make page")
    with pt.studio(open_browser=False) as started:
        yield started


@pytest.fixture
def desks(studio: Any, chromium: Any) -> Iterator[Desks]:
    """A function that opens a tab in a context of its own.

    Whatever the page writes to the console, throws, or asks from another server fails the test.
    """
    expect.set_options(timeout=TIMEOUT)
    opened: list[Desk] = []
    with ExitStack() as stack:

        def open_desk(url: str = studio.url, *, tour: bool = False, **options: Any) -> Desk:
            settings = {"viewport": WIDE, "locale": "en-US", "accept_downloads": True}
            context = stack.enter_context(chromium.new_context(**{**settings, **options}))
            context.set_default_timeout(TIMEOUT)
            if not tour:
                context.add_init_script(SEEN)
            desk = Desk(context.new_page(), url)
            watch(context, desk)
            opened.append(desk)
            return desk

        yield open_desk
    for desk in opened:
        assert desk.complaints == []
        assert desk.foreign == []


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """A tab of usual size."""
    return desks()


def watch(context: Any, desk: Desk) -> None:
    """Keep what a page complains about, and hold back what it asks from elsewhere."""
    own = desk.url.partition("#")[0]

    def refuse(route: Any) -> None:
        desk.foreign.append(route.request.url)
        route.abort()

    context.route(lambda url: not url.startswith((own, "blob:", "data:")), refuse)
    context.on("console", lambda message: desk.complaints.append(message.text))
    context.on("weberror", lambda error: desk.complaints.append(str(error.error)))
