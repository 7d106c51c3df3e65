"""Growing a tree from counts: a grower asks, a source answers.

The grower (src/core/levels/level_grower.h) decides what the tree is. It never sees rows, and the
same answers give the same tree. A source adds up what blocks of rows reply, wherever they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.tree.conventions import Conventions
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.tree import Tree


class CountSource(Protocol):
    """Rows in blocks, wherever they are.

    ``facts`` are those of all blocks together (see src/core/blocks/block.h).
    """

    facts: bytes

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        """The replies to the requests of trees, by the number of the tree.

        The same request has the same reply, whatever failed in between.
        """

    def release(self) -> None:
        """Give back temporary files and memory; called once, after errors as well."""
