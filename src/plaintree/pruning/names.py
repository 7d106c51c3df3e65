"""The names of the methods of pruning, where importing the methods would take too long.

:data:`plaintree.pruning.methods.METHODS` says what they do; a test compares the two.
"""

from __future__ import annotations

from typing import Literal, get_args

MethodName = Literal[
    "limits", "reduced_error", "error_based", "pessimistic", "cost_complexity", "mdl", "cut"
]
METHOD_NAMES: tuple[MethodName, ...] = get_args(MethodName)
BY_HAND = "cut"
"""The method that needs somebody to name nodes."""
