"""A studio in a notebook: the living report of its model in a frame, and the local address."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

HEIGHT = 640
NO_REPORT = "Pass a fitted model with its table to see it here: pt.studio(model, X, y)."


@dataclass(frozen=True, eq=False)
class Shown:
    """What a studio was started with."""

    model: Any
    X: Any
    y: Any

    @property
    def is_fitted_model(self) -> bool:
        """Whether there is a fitted model with its rows to report on."""
        fitted = hasattr(self.model, "tree_") or hasattr(self.model, "trees_")
        return fitted and self.X is not None and self.y is not None


def html_of(shown: Shown, url: str) -> str:
    """The address, and below it the report in a frame that may run scripts and nothing else.

    The frame needs no server, so it is shown where the notebook's kernel is another machine.
    """
    link = (
        f'<p>The studio: <a href="{escape(url)}" target="_blank" rel="noopener">{escape(url)}</a> '
        "(on the machine of the kernel)</p>"
    )
    if not shown.is_fitted_model:
        return f"{link}<p>{escape(NO_REPORT)}</p>"
    from ..report.findings import find_out  # which imports the replies
    from ..report.report import living_page

    page = living_page(find_out(shown.model, shown.X, shown.y))
    return (
        f'{link}<iframe title="Report" sandbox="allow-scripts" allow="clipboard-write" '
        f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #d8d8d8" '
        f'srcdoc="{escape(page)}"></iframe>'
    )
