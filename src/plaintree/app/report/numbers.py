"""The part of a report about the quality of predicted numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from plaintree.data.facts import value_text
from plaintree.data.words import number_text
from plaintree.evaluation.metrics import METRICS
from plaintree.evaluation.numeric import largest_errors
from plaintree.evaluation.quality import NumericQuality

from .findings import Findings
from .markup import count, name, paragraph, table, words
from .plots import MAX_POINTS, LeafResiduals, residuals_svg, scatter_svg
from .quality import OPTIMISTIC, about_edits

MAX_LEAVES, MAX_ERRORS, MAX_VALUES = 25, 10, 4
"""Leaves with residuals, rows with large errors, and their values that are shown."""


def numbers_part(found: Findings) -> Iterator[str]:
    """RMSE, MAE and R2 of the model and of its baseline, and where its errors are."""
    own, best = found.own, found.headline
    assert isinstance(own, NumericQuality), "of numbers"
    assert best is None or isinstance(best, NumericQuality), "of numbers"
    yield _metrics(found, best or own)
    yield from _notes(found)
    if best is None:
        yield paragraph(
            "There is no plot, because the trees were fitted on these rows. Set cv= to "
            "cross-validate.",
            note=True,
        )
        return
    yield f"<h3>Predicted against actual, {words(best.measured_on)}</h3>"
    shown = f"{MAX_POINTS:,} of " if best.n_rows > MAX_POINTS else ""
    yield paragraph(
        f"One point per row ({shown}{count(best.n_rows, 'row')}). On the line, the prediction is "
        "exact; above it, it is too high."
    )
    yield _figure(scatter_svg(best))
    yield from _residuals(found, own)
    yield from _largest(found, best)


def _metrics(found: Findings, baseline: NumericQuality) -> str:
    """A row for all rows that the model, or others with its parameters, were measured on."""
    metrics, folds = METRICS["regression"], found.validation
    rows = []
    if folds is not None:
        means = (
            f"{m.text(folds.mean_of(m.key))} ± {m.text(folds.deviation_of(m.key))}" for m in metrics
        )
        rows.append((words(folds.quality.measured_on), *means))
    measured: list[tuple[str, Mapping[str, float]]] = []
    if found.out_of_bag is not None and found.out_of_bag.n_rows:
        measured.append((found.out_of_bag.measured_on, found.out_of_bag.values))
    measured.append((f"{found.own.measured_on}, this model", found.own.values))
    measured.append((f"baseline: {baseline.baseline_prediction}", baseline.baseline_values))
    for what, values in measured:
        rows.append((words(what), *(m.text(values[m.key]) for m in metrics)))
    header = ("measured on", *(metric.name for metric in metrics))
    return table(header, rows, (False, True, True, True))


def _notes(found: Findings) -> Iterator[str]:
    """How the metrics were measured."""
    if found.validation is not None:
        yield paragraph(
            "In cross-validation, each fold is predicted by a model with the same parameters that "
            "was grown without it: mean ± standard deviation over the folds.",
            note=True,
        )
        yield from about_edits(found)
    if found.out_of_bag is not None:
        yield paragraph(
            "On out-of-bag rows, each training row is predicted by the trees whose bootstrap "
            "samples do not contain it.",
            note=True,
        )
    if OPTIMISTIC[found.is_training_table]:
        rows = f"On the {found.own.measured_on}, the model itself was measured."
        yield paragraph(f"{rows}{OPTIMISTIC[found.is_training_table]}", note=True)


def _residuals(found: Findings, own: NumericQuality) -> Iterator[str]:
    """The residuals of the rows in each leaf, the leaves in the order of their predictions."""
    tree = found.subject.tree
    if found.leaves is None or tree is None or tree.size == 0:
        return
    nodes, counts = np.unique(found.leaves, return_counts=True)
    largest = nodes[np.argsort(-counts, kind="stable")[:MAX_LEAVES]]
    in_order = largest[np.argsort(tree.prediction[largest], kind="stable")].tolist()
    yield f"<h3>Residuals by leaf, {words(own.measured_on)}</h3>"
    left = f" The {MAX_LEAVES} leaves with most rows." if len(nodes) > MAX_LEAVES else ""
    yield paragraph(
        "Actual minus predicted number. A box has half of the rows of a leaf, its line all of "
        f"them, the mark is their median.{left}"
    )
    yield _figure(
        residuals_svg(
            [
                LeafResiduals(
                    f"node {node}: {number_text(tree.prediction[node])}",
                    own.residuals[found.leaves == node],
                )
                for node in in_order
            ]
        )
    )


def _largest(found: Findings, quality: NumericQuality) -> Iterator[str]:
    """The rows with the largest errors, with their values of the most important columns."""
    importances = found.subject.importances()
    used: list[int] = []
    if importances is not None:
        order = np.argsort(-importances, kind="stable")[:MAX_VALUES].tolist()
        used = [i for i in order if importances[i] > 0]
    places = {column.name: column for column in found.table.columns}
    columns = [places[found.subject.schema.names[i]] for i in used]
    positions = np.arange(found.n_rows)
    if quality is found.out_of_bag:
        positions = np.flatnonzero(~np.isnan(found.subject.model.oob_prediction_))
    rows = []
    for part in largest_errors(quality, MAX_ERRORS):
        row = int(positions[part.row])
        values = (
            "–" if column.missing[row] else words(value_text(column, column.values[row].item()))
            for column in columns
        )
        numbers = map(number_text, (part.actual, part.predicted, part.residual))
        rows.append((f"{row + 1:,}", *numbers, *values))
    yield f"<h3>Largest errors, {words(quality.measured_on)}</h3>"
    header = ("row", "actual", "predicted", "residual", *(name(c.name) for c in columns))
    yield table(header, rows, (True, True, True, True, *(False for _ in columns)))


def _figure(svg: str) -> str:
    return f'<figure class="chart" style="margin: 1rem 0">{svg}</figure>'
