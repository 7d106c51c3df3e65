"""Growing from counts: a grower makes requests, a source replies.

The grower (src/core/levels/level_grower.h) decides what the tree is. It never sees rows, and the
same replies give the same tree. A source adds up what blocks of rows reply, wherever they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from plaintree.data.parts import Reading
from plaintree.data.survey import Survey
from plaintree.progress import Progress, no_progress

from .blocks import Layout
from .limits import Limits

SURVEYING, ENCODING = "surveying rows", "encoding rows"
"""The stages before growing, as progress callbacks get them."""


class CountSource(Protocol):
    """Blocks of encoded rows, wherever they are.

    ``facts`` are those of all blocks together (see src/core/blocks/block.h).
    """

    facts: bytes

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """The replies to the requests of trees, by the number of the tree.

        The same request has the same reply, whatever failed in between.
        """

    def release(self) -> None:
        """Give back temporary files and memory; called once, after errors as well."""


class PartedTable(Protocol):
    """A table in parts that can be surveyed and then encoded where it is.

    ``reading`` says which columns are read; fit sets what it decides itself.
    """

    @property
    def reading(self) -> Reading:
        """How parts are read."""

    def survey(self, reading: Reading, report: Progress = no_progress) -> Survey:
        """Look at all parts once, and report how many rows were seen."""

    def limits(self, survey: Survey) -> Limits:
        """How much memory growing may take."""

    def encoded(
        self, layout: Layout, survey: Survey, limits: Limits, report: Progress = no_progress
    ) -> CountSource:
        """Encode all parts as blocks, and report how many rows are encoded."""
