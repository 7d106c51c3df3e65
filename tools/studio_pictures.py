"""Draw the pictures of the studio for README.md and the pages: the page itself, in a browser.

    python tools/studio_pictures.py [docs/pictures] [--chromium /usr/bin/chromium]

Writes studio_light.png, studio_dark.png, studio_phone.png, studio_steps.png and
studio_pruning.png. The page must be built (`make page`). Draw them again after a change of what it
shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from small_png import shrink

import plaintree as pt

ROOT = Path(__file__).resolve().parents[1]
WIDE = {"width": 1440, "height": 900}
SCREEN = {"width": 1200, "height": 675}
PHONE = {"width": 390, "height": 780}


def main() -> None:
    """Open each table, bring the page into its state, and take a picture."""
    parser = argparse.ArgumentParser(description="pictures of the studio")
    parser.add_argument("directory", nargs="?", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            with opened(browser, "golf", WIDE, scheme) as page:
                grow_golf(page)
                picture(page, options.directory / f"studio_{scheme}.png")
        with opened(browser, "golf", PHONE, "light") as page:
            begin_by_hand(page)
            picture(page, options.directory / "studio_phone.png")
        with opened(browser, "golf", SCREEN, "light") as page:
            present_golf(page)
            picture(page, options.directory / "studio_steps.png")
        with opened(browser, "loans", WIDE, "light") as page:
            prune_loans(page)
            picture(page, options.directory / "studio_pruning.png")
        browser.close()


@contextmanager
def opened(browser: Browser, table: str, size: dict[str, int], scheme: str) -> Iterator[Page]:
    """A page that shows a bundled table, before a tree is begun."""
    with pt.studio(open_browser=False) as studio:
        context = browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            device_scale_factor=1.25,
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(studio.url)
        page.get_by_role("button", name=f"{table} ").first.click()
        yield page
        context.close()


def grow_golf(page: Page) -> None:
    """Two splits by hand, and a third one that is looked at."""
    begin_by_hand(page)
    page.get_by_role("treeitem", name="= rain").click()
    take_the_first_split(page)
    page.get_by_role("treeitem", name="= sunny").click()
    page.get_by_text("best of 3 thresholds").wait_for()


def present_golf(page: Page) -> None:
    """A presentation at the step that compares the candidates of the root."""
    page.get_by_role("button", name="Grow a tree").click()
    skip_the_tour(page)
    page.get_by_role("button", name="Present").click()
    for _ in range(11):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)


def prune_loans(page: Page) -> None:
    """A grown tree, its pruning curve and how good it is."""
    page.get_by_label("Learner").select_option(label="CART")
    page.get_by_role("button", name="Grow a tree").click()
    skip_the_tour(page)
    for _ in range(2):  # the second click shows it alone
        page.get_by_role("tab", name="Pruning").click()
    page.get_by_role("tab", name="How good").click(modifiers=["Shift"])
    page.wait_for_timeout(3000)


def begin_by_hand(page: Page) -> None:
    """An open root, and its best split."""
    page.get_by_role("button", name="Start with the root open").click()
    skip_the_tour(page)
    take_the_first_split(page)


def take_the_first_split(page: Page) -> None:
    """Make the best split of the selected node."""
    page.get_by_role("button", name="Take this split").click()


def skip_the_tour(page: Page) -> None:
    """Close the hints, which a new visitor sees once, on wide screens."""
    page.get_by_role("treeitem").first.wait_for()
    skip = page.get_by_role("button", name="Skip")
    if skip.is_visible():
        skip.click()


def picture(page: Page, file: Path) -> None:
    """Take a picture when what was asked last has been drawn."""
    page.wait_for_timeout(1200)
    page.screenshot(path=file)
    shrink(file)


if __name__ == "__main__":
    main()
