"""A column of numbers of some trees, as the packed form stores it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TreeColumn:
    """Some numbers of some trees; class weights are classes x nodes, one class after the other."""

    name: str
    scope: str
    values: NDArray[Any]
