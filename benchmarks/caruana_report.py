"""The ranked table on the screen and as JSON, beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from caruana_scores import LOSSES, METRICS, Row, indistinguishable, scales
from caruana_tables import PROBLEMS

PAPER_MEANS: Mapping[str, float] = {
    "BST-DT PLT": 0.896,
    "RF PLT": 0.892,
    "BAG-DT -": 0.887,
    "BST-DT ISO": 0.885,
    "RF -": 0.884,
    "BAG-DT PLT": 0.882,
    "RF ISO": 0.880,
    "BAG-DT ISO": 0.877,
    "SVM PLT": 0.862,
    "ANN -": 0.854,
    "SVM ISO": 0.852,
    "ANN PLT": 0.846,
    "ANN ISO": 0.842,
    "BST-DT -": 0.828,
    "KNN PLT": 0.815,
    "KNN -": 0.810,
    "KNN ISO": 0.809,
    "BST-STMP PLT": 0.791,
    "SVM -": 0.781,
    "BST-STMP ISO": 0.780,
    "BST-STMP -": 0.710,
    "DT ISO": 0.709,
}
"""The column MEAN of the paper's table 2, as far as its rows are ours."""


def print_ranking(
    console: Console, rows: Sequence[Row], tables: Sequence[str], n_trials: int
) -> None:
    """The ranked table; the best of a column and what is not told apart from it are marked."""
    title = f"Normalised scores, mean of {len(tables)} tables ({n_trials} trials)"
    ranking = Table(title=title, title_justify="left")
    ranking.add_column("MODEL")
    ranking.add_column("CAL")
    for name in (*METRICS, "MEAN", "OPT-SEL", "paper"):
        ranking.add_column(name, justify="right")
    for row in rows:
        cells = [marked(rows, row, metric) for metric in METRICS]
        paper = PAPER_MEANS.get(row.name)
        ranking.add_row(
            row.learner,
            row.calibration,
            *cells,
            _short(row.mean),
            _short(row.optimal),
            "" if paper is None else _short(paper),
        )
    console.print(ranking)
    console.print(
        "* best of the column; ~ not told apart from it by a paired t-test (5 %). MEAN: of the "
        "eight. OPT-SEL: MEAN if settings were chosen on the test rows. paper: its MEAN."
    )
    console.print(f"Tables: {', '.join(tables)}.")
    agreement = rank_agreement(rows)
    if not math.isnan(agreement):
        console.print(f"Spearman's rank correlation with the paper's means: {agreement:.2f}.")


def marked(rows: Sequence[Row], row: Row, metric: str) -> str:
    """A score with its mark."""
    best = max(rows, key=lambda r: -math.inf if math.isnan(r.scores[metric]) else r.scores[metric])
    mark = "*" if row is best else "~" if indistinguishable(row, best, metric) else " "
    return _short(row.scores[metric]) + mark


def _short(score: float) -> str:
    """Three digits without the leading zero, as the paper prints them."""
    return f"{score:.3f}".replace("0.", ".", 1) if abs(score) < 1 else f"{score:.3f}"


def rank_agreement(rows: Sequence[Row]) -> float:
    """Spearman's correlation of our means with the paper's; NaN for fewer than three rows."""
    common = [row for row in rows if row.name in PAPER_MEANS]
    if len(common) < 3:
        return math.nan
    ours, theirs = [r.mean for r in common], [PAPER_MEANS[r.name] for r in common]
    return float(spearmanr(ours, theirs).statistic)


def report_values(rows: Sequence[Row], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The ranked table as plain values; NaN becomes null."""
    return {
        "rows": [
            {
                "learner": row.learner,
                "calibration": row.calibration,
                **{metric: _plain(row.scores[metric]) for metric in METRICS},
                "mean": _plain(row.mean),
                "optimal_selection": _plain(row.optimal),
                "paper_mean": PAPER_MEANS.get(row.name),
            }
            for row in rows
        ],
        "rank_correlation_with_paper": _plain(rank_agreement(rows)),
        "tables": {name: {"positive": PROBLEMS[name].positive} for name in _tables(records)},
        "scales": [
            {
                "table": table,
                "metric": metric,
                "lower_is_better": metric in LOSSES,
                "constant": scale.constant,
                "best": scale.best,
            }
            for (table, metric), scale in scales(records).items()
        ],
        "seconds": {
            name: round(sum(r["seconds"] for r in records if r["learner"] == name), 1)
            for name in dict.fromkeys(r["learner"] for r in records)
        },
    }


def _tables(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(r["table"] for r in records))


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
