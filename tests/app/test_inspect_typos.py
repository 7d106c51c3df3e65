"""Rare categories near a frequent one are reported, and codes are not."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.app.study.inspect_typos import probable_typos
from tests.support.command_line import plaintree


@pytest.mark.parametrize("typo", ["bsaic", "basc", "baasic", "basjc", "Basic", "basicc"])
def test_one_slip_is_a_probable_typo(typo: str) -> None:
    assert [*probable_typos({"basic": 150, "plus": 90, typo: 1})] == [(typo, 1, "basic")]


@pytest.mark.parametrize(
    "counts",
    [
        {"A1": 200, "A2": 1},
        {"S": 200, "M": 100, "L": 1},
        {"item1": 500, "item2": 1},
        {"2019": 500, "2018": 2},
        {"warm": 500, "ward": 6},
        {"warm": 19, "ward": 1},
        {"warm": 50, "ward": 3, "cold": 900},
        {"basic": 150, "bisac": 1},
        {"basic": 60, "bsaic": 1},
    ],
)
def test_codes_and_other_words_are_not(counts: dict[str, int]) -> None:
    assert not [*probable_typos(counts)]


def test_inspect_and_grow_name_the_column_and_the_right_category(file: Any) -> None:
    rows = ["basic,1,a", "plus,2,b"] * 60 + ["bsaic,1,a"]
    table = str(file("a.csv", "\n".join(["plan,x,y", *rows]) + "\n"))
    for command in ("inspect", "grow"):
        err = " ".join(plaintree(command, table, "-t", "y").err.split())
        assert "warning: probably misspelt: bsaic in plan (1 row), near basic" in err
