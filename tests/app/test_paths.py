"""Every function that takes the path of a file refuses an impossible one with an error of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import plaintree as pt
from plaintree.errors import ArgumentTypeError, FileError

X, Y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
MODEL = pt.CARTClassifier().fit(X, Y)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "read_table": pt.read_table,
    "save": lambda path: pt.save(MODEL, path),
    "load": pt.load,
    "model_card": pt.interop.model_card,
    "report": lambda path: pt.report(MODEL, X, Y, path=path),
    "from_weka": pt.from_weka,
    "from_c45": pt.from_c45,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("path", ["a\0b.csv", "\ud800.csv", "x" * 5000 + ".csv"])
def test_impossible_paths(name: str, path: str) -> None:
    with pytest.raises(FileError, match="cannot be the path of a file"):
        FUNCTIONS[name](path)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("path", [None, 3, b"a.csv", ["a.csv"]])
def test_objects_that_are_no_paths(name: str, path: object) -> None:
    with pytest.raises(ArgumentTypeError, match=r"not the path of a file|neither text nor a file"):
        FUNCTIONS[name](path)
