"""The cp table of a pruning path: its trees in units of the root's risk, as rpart prints them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .task import Floats

if TYPE_CHECKING:
    import polars

    from .path import PruningPath


@dataclass(frozen=True, eq=False)
class CpTable:
    """The trees of a pruning path from small to large, in units of the risk of the root alone.

    Attributes
    ----------
    cp : ndarray of float64
        The complexity parameter from which on a tree is the best: alpha / risk of the root.
    n_splits : ndarray of int64
        The number of splits: leaves - 1, which is that of internal nodes if each has two branches.
    relative_errors : ndarray of float64
        The risk of each tree / risk of the root.
    cv_errors, cv_deviations : ndarray of float64 or None
        The cross-validated error and its standard error, if computed, / risk of the root.
    root_risk : float
        The risk of the root alone: the error rate, or the mean loss of numbers.
    heading : str
        The first line of the table as text.
    min, one_se : int or None
        The positions of the tree with the minimum cross-validated error, and of the smallest tree
        within one standard error of it.
    """

    cp: Floats
    n_splits: NDArray[np.int64]
    relative_errors: Floats
    cv_errors: Floats | None
    cv_deviations: Floats | None
    root_risk: float
    heading: str
    min: int | None = None
    one_se: int | None = None

    @classmethod
    def of(cls, path: PruningPath) -> CpTable:
        """The cp table of a path."""
        tree, root_risk = path.source, float(path.risks[-1])
        unit = root_risk or 1.0
        validated = path.cv_errors is not None and path.cv_deviations is not None
        chosen: dict[str, int] = {}
        if validated:
            last = len(path) - 1
            for name, alpha in (("min", path.best_alpha("min")), ("one_se", path.best_alpha())):
                chosen[name] = last - int(np.flatnonzero(path.alphas == alpha)[0])
        name = path.error_name if path.risk == "error" else "impurity"
        return cls(
            cp=path.alphas[::-1] / unit,
            n_splits=path.n_leaves[::-1] - 1,
            relative_errors=path.risks[::-1] / unit,
            cv_errors=path.cv_errors[::-1] / unit if path.cv_errors is not None else None,
            cv_deviations=path.cv_deviations[::-1] / unit
            if path.cv_deviations is not None
            else None,
            root_risk=root_risk,
            heading=f"{tree.schema.target}: {tree.n_rows[0]:,} rows, "
            f"{name} of the root {root_risk:.5g}",
            **chosen,
        )

    def __len__(self) -> int:
        return len(self.cp)

    def to_frame(self) -> polars.DataFrame:
        """Return the table as a polars DataFrame, one row per tree."""
        import polars

        return polars.DataFrame(dict(self._columns()))

    def _columns(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        yield "cp", self.cp
        yield "n_splits", self.n_splits
        yield "relative_error", self.relative_errors
        if self.cv_errors is not None and self.cv_deviations is not None:
            yield "cv_error", self.cv_errors
            yield "cv_deviation", self.cv_deviations

    def __str__(self) -> str:
        forms = {"cp": ".5g", "n_splits": "d"}
        columns = [
            [name, *(format(value, forms.get(name, ".5f")) for value in values.tolist())]
            for name, values in self._columns()
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
            for cells in zip(*columns, strict=True)
        ]
        for position, name in ((self.min, "min"), (self.one_se, "one_se")):
            if position is not None:
                lines[position + 1] += f"  <- {name}"
        return "\n".join([self.heading, "", *lines])
