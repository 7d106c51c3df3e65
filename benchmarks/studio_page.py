"""The studio's page in headless Chromium: how soon it is there, and frames per second while a large
tree is moved; see studio.py.

Each frame is given one event of a mouse, and the next one waits for it to be painted. Zooming
begins with the whole tree in view; panning is measured at several scales.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

SIZE = {"width": 1440, "height": 900}
FRAMES = 90
SCALES = (0.02, 0.1, 0.5, 1.0)
TIMEOUT = 60_000

MOVE = """async ({kind, frames, factor}) => {
  const stage = document.querySelector('.picture');
  const box = stage.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 3];
  const at = (clientX, clientY) =>
    ({clientX, clientY, bubbles: true, cancelable: true, view: window});
  const painted = () => new Promise(requestAnimationFrame);
  await painted();
  const begin = performance.now();
  if (kind === 'pan') {
    stage.dispatchEvent(new MouseEvent('mousedown', at(x, y)));
    for (let i = 1; i <= frames; i++) {
      const way = 9 * (i < frames / 2 ? i : frames - i);
      window.dispatchEvent(new MouseEvent('mousemove', at(x + way, y)));
      await painted();
    }
    window.dispatchEvent(new MouseEvent('mouseup', at(x, y)));
  } else {
    const deltaY = -500 * Math.log2(factor) / frames;
    for (let i = 0; i < frames; i++) {
      stage.dispatchEvent(new WheelEvent('wheel', {...at(x, y), deltaY}));
      await painted();
    }
  }
  return frames / (performance.now() - begin) * 1000;
}"""


class Frames(NamedTuple):
    """What was done, and the frames per second."""

    what: str
    rate: float


class Start(NamedTuple):
    """Seconds from the command to the page with the columns, and from there to the tree."""

    page: float
    tree: float


@contextmanager
def browser_page() -> Iterator[Any]:
    """An empty page, of somebody who has seen the hints."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(TIMEOUT)
        page.add_init_script("localStorage.setItem('plaintree-tour', '1')")
        yield page
        browser.close()


def start_of(path: str, target: str) -> Start:
    """Run the command on a table, and grow a CART tree on the page."""
    command = [sys.executable, "-m", "plaintree", "studio", path, "-t", target, "--no-browser"]
    with browser_page() as page:
        begin = perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
            assert studio.stdout is not None
            printed = (re.search(r"http://\S+", line) for line in studio.stdout)
            page.goto(next(found[0] for found in printed if found))
            grow = page.get_by_role("button", name="Grow a tree")
            grow.wait_for()
            shown = perf_counter()
            page.get_by_label("Learner").select_option(label="CART")
            asked = perf_counter()
            grow.click()
            page.get_by_role("treeitem").first.wait_for()
            done = perf_counter()
            studio.send_signal(signal.SIGINT)
    return Start(shown - begin, done - asked)


def frames_of(model: Any, X: Any, y: Any) -> Iterator[Frames]:
    """Open the tree of a model in the studio, unfold all of it, and move it."""
    import plaintree as pt

    with pt.studio(model, X, y, open_browser=False) as studio, browser_page() as page:
        page.goto(studio.url)
        unfold_all(page)
        yield from moved(page)


def unfold_all(page: Any) -> None:
    """Show all nodes, and fit them to the stage."""
    page.get_by_role("treeitem").first.wait_for()
    page.get_by_role("button", name="Which nodes are unfolded").click()
    page.get_by_role("menuitemradio", name="all nodes").click()
    page.get_by_role("button", name="Fit").click()
    page.wait_for_timeout(1_500)


def moved(page: Any) -> Iterator[Frames]:
    """Zoom in from the whole tree, and pan at each scale."""
    yield Frames("panning the whole tree", page.evaluate(MOVE, move("pan")))
    at = float(page.evaluate("document.querySelector('.picture').__zoom.k"))
    yield Frames(f"zooming from {at:.4f} to {SCALES[0]}", zoomed(page, SCALES[0] / at))
    for scale, next_scale in zip(SCALES, (*SCALES[1:], None), strict=True):
        yield Frames(f"panning at {scale}", page.evaluate(MOVE, move("pan")))
        if next_scale is not None:
            yield Frames(f"zooming from {scale} to {next_scale}", zoomed(page, next_scale / scale))


def move(kind: str, factor: float = 1.0) -> dict[str, Any]:
    return {"kind": kind, "frames": FRAMES, "factor": factor}


def zoomed(page: Any, factor: float) -> float:
    return float(page.evaluate(MOVE, move("zoom", factor)))
