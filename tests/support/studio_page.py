"""The page of the studio in a browser, used as a person does: by roles, names and keys."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

try:
    from playwright.sync_api import expect
except ImportError:  # the fixtures skip the tests
    expect: Any = None  # type: ignore[no-redef]

TIMEOUT = 20_000
"""Milliseconds. A busy machine may be slow; a condition that holds ends the wait."""


@dataclass
class Desk:
    """A tab of a reader, who may open tables and work on their trees."""

    page: Any
    url: str
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    # ---------------------------------------------------------------- opening

    def example(self, name: str, learner: str = "ID3", *, grown: bool = False) -> Desk:
        """Open a bundled table, and begin a tree for it."""
        self.page.goto(self.url)
        self.page.get_by_role("button", name=re.compile(rf"^{name} ")).click()
        return self.begin(learner, grown=grown)

    def upload(self, content: str | bytes, name: str = "table.csv") -> Desk:
        """Choose a file on the first page; its columns are shown next."""
        self.page.goto(self.url)
        with self.page.expect_file_chooser() as chooser:
            self.button("Choose a file").first.click()
        data = content.encode() if isinstance(content, str) else content
        chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": data})
        return self

    def begin(self, learner: str | None = None, *, grown: bool = False) -> Desk:
        """Start from the page with the columns."""
        if learner is not None:
            self.page.get_by_label("Learner").select_option(label=learner)
        self.button("Grow a tree" if grown else "Start with the root open").click()
        expect(self.node(0)).to_be_visible()
        return self

    # ---------------------------------------------------------------- finding

    def button(self, name: str | re.Pattern[str], *, exact: bool = False) -> Any:
        return self.page.get_by_role("button", name=name, exact=exact)

    def node(self, number: int) -> Any:
        """The card of a node, by the number that it shows."""
        return self.page.get_by_role("treeitem", name=re.compile(rf"\bnode {number}\b"))

    @property
    def nodes(self) -> Any:
        return self.page.get_by_role("treeitem")

    @property
    def inspector(self) -> Any:
        return self.page.get_by_role("complementary", name="Selected node")

    @property
    def status(self) -> Any:
        return self.page.get_by_role("contentinfo")

    def offer(self, name: str) -> Any:
        """A split in the inspector, by the name of its button."""
        button = self.page.get_by_role("button", name=name, exact=True)
        return self.inspector.get_by_role("listitem").filter(has=button)

    def view(self, title: str) -> Any:
        """Open a view of the dock, and give its panel."""
        tab = self.page.get_by_role("tab", name=title, exact=True)
        if tab.get_attribute("aria-selected") != "true":
            tab.click()
        return self.page.get_by_role("tabpanel", name=title, exact=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def undo(self) -> None:
        """Click the button of the bar; its name says what it takes back."""
        history = self.page.get_by_role("group", name="History")
        history.get_by_role("button", name=re.compile("^Undo")).click()

    # ---------------------------------------------------------------- waiting

    def has_nodes(self, n: int) -> None:
        """Wait for a tree of so many nodes; the status line counts them, on phones unseen."""
        expect(self.page.locator("footer")).to_contain_text(
            "1 node," if n == 1 else f"{n:,} nodes,"
        )

    def is_kept(self) -> None:
        """Wait until the address holds the document: a reload comes back to it."""
        self.page.wait_for_url(re.compile("#d="))

    def select(self, number: int) -> None:
        """Click a node, and wait until the inspector is about it."""
        self.node(number).click()
        self.shows(number)

    def shows(self, number: int) -> None:
        """Wait until the inspector is about a node and its splits are there."""
        heading = self.inspector.get_by_role("heading", level=2)
        expect(heading).to_have_text(re.compile(rf"node {number}$"))
        expect(self.inspector.get_by_role("heading", name="Splits, best first")).to_be_visible()
