"""A table as the naive grower sees it: the impurity of rows, and what is done about gaps.

Vocabulary: *rows* is a list of (row number, weight). Sums are taken with ``math.fsum``, so that the
order of rows cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isnan, log2

EPSILON = 1e-3
"""C4.5's one epsilon: of gains, of split information, of training errors."""

Rows = list[tuple[int, float]]
Known = list[tuple[int, float, float]]
"""(row number, weight, value): rows whose value in some column is known or imputed."""


@dataclass(frozen=True)
class Table:
    """Encoded columns (NaN or a negative code is missing) and class codes, rows of weight > 0.

    ``y`` has numbers if the target is numeric, and ``n_classes`` is 1.

    ``times`` is how often each row counts, ``n_rows`` how many rows there were with those of
    weight 0, ``lightest`` the weight of the lightest other row, drawn once.
    """

    columns: list[list[float]]
    n_categories: list[int]
    y: Sequence[float]
    n_classes: int
    weights: list[float]
    times: list[int]
    n_rows: int
    lightest: float

    @property
    def rows(self) -> Rows:
        return list(enumerate(self.weights))

    def n_values(self, column: int) -> int:
        """Categories, or distinct numbers."""
        return self.n_categories[column] or len({v for v in self.columns[column] if not isnan(v)})


def make_table(
    columns: Iterable[Iterable[float]],
    n_categories: Sequence[int],
    y: Iterable[float],
    n_classes: int,
    weights: Iterable[float] | None = None,
    *,
    times: Sequence[int] | None = None,
    lightest: float | None = None,
) -> Table:
    """A table without its rows of weight zero; ``n_categories`` is 0 for a numeric column.

    A sample of a table gives ``times`` and the table's ``lightest`` row.
    """
    codes = list(y)
    weighed = [1.0] * len(codes) if weights is None else [float(w) for w in weights]
    keep = [i for i, w in enumerate(weighed) if w > 0]
    return Table(
        columns=[[float(column[i]) for i in keep] for column in map(list, columns)],
        n_categories=list(n_categories),
        y=[codes[i] for i in keep],
        n_classes=n_classes,
        weights=[weighed[i] for i in keep],
        times=[1 if times is None else int(times[i]) for i in keep],
        n_rows=len(codes),
        lightest=min(weighed[i] for i in keep) if lightest is None else lightest,
    )


def count_rows(table: Table, rows: Rows | Known) -> int:
    """How many rows these are, each as often as it was drawn."""
    return sum(table.times[entry[0]] for entry in rows)


# -------------------------------------------------------------------- impurity


def class_weights(table: Table, rows: Rows | Known) -> list[float]:
    by_class: list[list[float]] = [[] for _ in range(table.n_classes)]
    for entry in rows:
        by_class[int(table.y[entry[0]])].append(entry[1])
    return [fsum(weights) for weights in by_class]


def entropy(weights: Iterable[float]) -> float:
    """In bits; weights of zero count nothing."""
    present = [w for w in weights if w > 0]
    total = fsum(present)
    return fsum(-w / total * log2(w / total) for w in present)


def impurity(weights: Sequence[float], criterion: str) -> float:
    total = fsum(weights)
    if total <= 0:
        return 0.0
    if criterion == "gini":
        return 1 - fsum((w / total) ** 2 for w in weights)
    if criterion == "error":
        return 1 - max(weights) / total
    assert criterion in {"information_gain", "gain_ratio", "gain_ratio_conditional"}, criterion
    return entropy(weights)


# -------------------------------------------------------------------- gaps


def is_missing(table: Table, column: int, value: float) -> bool:
    return value < 0 if table.n_categories[column] else isnan(value)


def most_common(table: Table, column: int, known: Known) -> float:
    """The heaviest category (ties: the lowest code); of numbers the weighted lower median."""
    values = sorted({value for _, _, value in known})
    if table.n_categories[column]:
        return max(values, key=lambda v: (fsum(w for _, w, x in known if x == v), -v))
    half = fsum(w for _, w, _ in known) / 2
    return next(v for v in values if fsum(w for _, w, x in known if x <= v) >= half)


def split_by_gap(table: Table, rows: Rows, column: int) -> tuple[Known, Rows]:
    values = table.columns[column]
    gaps = [(row, w) for row, w in rows if is_missing(table, column, values[row])]
    known = [(row, w, values[row]) for row, w in rows if not is_missing(table, column, values[row])]
    return known, gaps


def fill_gaps(table: Table, rows: Rows, column: int, policy: str) -> tuple[Known, Rows]:
    """The rows with a known or imputed value, and those that still have none."""
    known, gaps = split_by_gap(table, rows, column)
    if gaps and policy == "error":
        raise ValueError("missing values are not allowed under the policy 'error'")
    if not known or not policy.startswith("most_common"):
        return known, gaps
    filled = list(known)
    for row, weight in gaps:
        peers = [k for k in known if table.y[k[0]] == table.y[row]]
        own_class = policy == "most_common_in_class" and bool(peers)
        filled.append((row, weight, most_common(table, column, peers if own_class else known)))
    return filled, []
