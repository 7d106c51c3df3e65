"""Which rows each tree of an ensemble is grown on, as its parameters ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from plaintree.checks import check_number
from plaintree.errors import ParameterError
from plaintree.tree.forest import MOST_ROWS, Sampling


def sampling_of(
    n_rows: int, seed: int, *, bootstrap: bool, max_samples: Any, leaves_rows_out: bool
) -> Sampling:
    """The sampling of an ensemble's parameters.

    ``leaves_rows_out``: whether some rows must be out of bag for some trees.
    """
    n_draws = n_rows if max_samples is None else _draws(max_samples, n_rows)
    if bootstrap:
        return Sampling("with_replacement", n_draws, seed)
    if n_draws > n_rows:
        raise ParameterError(
            f"max_samples={n_draws} must be <= n_samples={n_rows} to be able to sample without "
            "replacement",
            got=f"bootstrap=False, max_samples={max_samples!r}",
            hint="use bootstrap=True, or fewer rows.",
        )
    if n_draws < n_rows:
        return Sampling("without_replacement", n_draws, seed)
    if leaves_rows_out:
        raise nothing_left_out(f"bootstrap=False and max_samples={max_samples!r}")
    return Sampling("all", n_draws, seed)


def nothing_left_out(got: str) -> ParameterError:
    """The error where each tree was grown on all rows."""
    return ParameterError(
        "Out of bag estimation only available if bootstrap=True or max_samples leaves rows out",
        got=got,
        hint="use bootstrap=True, or max_samples below the number of rows.",
    )


def _draws(max_samples: Any, n_rows: int) -> int:
    """How many rows a tree draws, as scikit-learn counts them."""
    if isinstance(max_samples, float | np.floating):
        fraction = check_number("max_samples", max_samples, 0, 1e9, above=True)
        return max(1, min(int(n_rows * fraction), MOST_ROWS))
    return int(check_number("max_samples", max_samples, 1, MOST_ROWS))
