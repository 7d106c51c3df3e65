"""``plaintree.studio``, and what the command line starts: a server, and a browser that shows it."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self

from plaintree.errors import PlaintreeError
from plaintree.memory import available_bytes

from .notebook import Shown, html_of

if TYPE_CHECKING:
    from plaintree.estimators.registry import TaskName

    from .server.server import Preset, Server

REQUIRED = ("starlette", "uvicorn", "msgspec")
ENDING_SECONDS = 10.0


def studio(
    model_or_frame: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    target: str | None = None,
    task: TaskName | None = None,
    drop: Sequence[str] = (),
    categorical_features: Sequence[str] = (),
    port: int = 0,
    open_browser: bool = True,
) -> Studio:
    """Start the studio, a page in the browser in which a tree is grown and pruned by hand.

    The server listens on 127.0.0.1 only, and takes messages only from the page at its own address.
    It ends with ``close``, and with the program. It needs ``pip install "plaintree[studio]"``.

    Parameters
    ----------
    model_or_frame : estimator or table, default=None
        A table, with its target as a column or as ``y``. Or an estimator, fitted or not, whose
        learner and parameters the page begins with, and its table as ``X`` and ``y``; a tree that
        was edited by hand begins as its learner grows it. None begins without a table.
    X : table of shape (n_rows, n_features), default=None
        The features, if the first argument is an estimator.
    y : array-like of shape (n_rows,), default=None
        The classes or numbers of the rows, if they are not a column of the table.
    target : str or None, default=None
        The name of the target. None: that of ``y``, or the last column.
    task : {"classification", "regression"} or None, default=None
        Whether to predict classes or numbers. None: that of the estimator, or as the values of the
        target suggest.
    drop : sequence of str, default=()
        Columns to leave out. The page can take them back.
    categorical_features : sequence of str, default=()
        Columns whose numbers are categories; those of the estimator are added.
    port : int, default=0
        The port to listen on. 0 takes any that is free.
    open_browser : bool, default=True
        Whether to open the page in a browser, where there is one.

    Returns
    -------
    Studio
        Its ``url`` opens the page, and gives access to the studio. ``close`` ends the server,
        and ``wait`` waits until it has ended. As the last value of a cell in a notebook, it shows
        the report of a fitted model and the address.

    Raises
    ------
    PlaintreeError
        If starlette, uvicorn or msgspec is not installed.
    ParameterError
        If the port cannot be used, or an estimator has parameters that the page cannot take.

    Examples
    --------
    >>> import plaintree as pt
    >>> studio = pt.studio(open_browser=False)
    >>> studio.url.startswith("http://127.0.0.1:")
    True
    >>> studio.close()
    """
    check_installed()
    from .begin import Chosen, preset_of
    from .messages.documents import Recipe
    from .server.server import Server, ServerOptions

    chosen = Chosen(
        target, tuple(drop), task, Recipe(categorical_features=list(categorical_features))
    )
    directory = TemporaryDirectory(prefix="plaintree-studio-")
    try:
        preset = preset_of(model_or_frame, X, y, chosen, Path(directory.name))
        presets = [] if preset is None else [preset]
        server = Server(ServerOptions(port, _workers()), presets)
        started = Studio(server, directory, Shown(model_or_frame, X, y))
    except BaseException:
        directory.cleanup()
        raise
    if open_browser:
        show(started.url)
    return started


class Studio:
    """A running studio, as ``plaintree.studio`` returns it; also a context manager.

    In a notebook it shows the report of its model, which goes on working when the studio has ended.
    """

    def __init__(self, server: Server, directory: TemporaryDirectory[str], shown: Shown) -> None:
        self.url = server.url
        self._server, self._directory, self._shown = server, directory, shown
        self._error: BaseException | None = None
        begun = Event()
        self._thread = Thread(target=self._run, args=(begun,), daemon=True, name="plaintree-studio")
        self._thread.start()
        try:
            begun.wait()
        except BaseException:  # Ctrl-C while the table is read
            self.close()
            raise
        if self._error is not None:
            self._thread.join()
            raise self._error
        atexit.register(self.close)

    def _run(self, begun: Event) -> None:
        try:
            asyncio.run(self._server.run(begun.set))
        except BaseException as error:
            self._error = error
        finally:
            begun.set()

    def close(self) -> None:
        """End the server and its workers. The page keeps its document, and says so."""
        self._server.end()
        self._thread.join(ENDING_SECONDS)
        self._directory.cleanup()
        atexit.unregister(self.close)

    def wait(self) -> None:
        """Wait until the studio has ended; Ctrl-C ends it. For the last line of a script."""
        try:
            while self._thread.is_alive():
                self._thread.join(1.0)
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return html_of(self._shown, self.url)

    def __repr__(self) -> str:
        return f"<plaintree studio at {self.url}>" if self._thread.is_alive() else "<closed studio>"


# -------------------------------------------------------------------- for the command line


def check_installed() -> None:
    """Raise an error if a library of the server is not installed."""
    for name in REQUIRED:
        try:
            __import__(name)
        except ImportError as missing:
            raise PlaintreeError(
                "the studio needs starlette, uvicorn and msgspec, which are not all installed",
                got=str(missing),
                hint="pip install 'plaintree[studio]'.",
            ) from missing


def serve(
    presets: Sequence[Preset], port: int, memory: int | None, started: Callable[[str], None]
) -> None:
    """Run a server until a signal ends it. Ctrl-C raises ``KeyboardInterrupt`` at the end.

    ``started`` is called with the address when the tables are open.
    """
    from .server.server import Server, ServerOptions

    server = Server(ServerOptions(port, _workers(memory)), presets)
    received: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        received.append(number)
        server.end()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end, number)
        await server.run(lambda: started(server.url))

    asyncio.run(run())
    if signal.SIGINT in received:
        raise KeyboardInterrupt
    for number in received:  # end as if there had been nothing to tidy up
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


def show(url: str) -> None:
    """Open the page in a browser. A browser in the terminal would take it over: none is opened."""
    has_window = sys.platform != "linux" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if has_window:
        Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _workers(memory: int | None = None) -> Any:
    from .workers.processes import WorkerOptions

    return WorkerOptions(memory or available_bytes() * 3 // 4 or None)
