"""What growing tells when it cannot go on."""

from __future__ import annotations

from typing import Any

import pytest

import plaintree as pt
from plaintree import _core
from plaintree.errors import MemoryLimitError


def test_a_tree_that_is_too_large_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(**_: Any) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(_core, "grow", no_room)
    match = r"does not fit into memory\. Got 3 rows of 2 classes.*Hint: grow a smaller tree"
    with pytest.raises(MemoryLimitError, match=match):
        pt.CARTClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
