"""The part of a report about quality: every metric with the rows it was measured on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plaintree.data.words import plain
from plaintree.evaluation.evaluate import class_metrics
from plaintree.evaluation.quality import Quality

from ..study.cross_validated import WITHOUT_EDITS
from .findings import Findings
from .markup import BLUE, ORANGE, count, left_out, name, paragraph, table, tinted, words

MAX_CLASSES = 30
"""Classes in the table of precision and recall."""
MAX_MATRIX = 15
"""Classes in a confusion matrix; for more, pairs of classes are listed."""
MAX_PAIRS = 30
OPTIMISTIC = {
    True: " This is optimistic, because the model was fitted on them.",
    False: "",
    None: " If the model was fitted on them, this is optimistic.",
}
"""A remark about the metrics, by whether the rows are those of training."""


def main_metrics(found: Findings) -> Iterator[tuple[str, str]]:
    """The most important metrics, each with the rows it was measured on."""
    best, folds = found.headline, found.validation
    metrics = (best or found.own).metrics
    if best is not None:
        values = best.values
        if folds is not None and best is folds.quality:  # means over the folds
            values = {metric.key: folds.mean_of(metric.key) for metric in metrics}
        for metric in metrics:
            yield f"{metric.name}, {best.measured_on}", metric.text(values[metric.key])
    baseline, main = best or found.own, metrics[0]
    always = f"(always {baseline.baseline_prediction})"
    label = f"baseline {main.name} {always}, {baseline.measured_on}"
    yield label, main.text(baseline.baseline)


def quality_part(found: Findings) -> Iterator[str]:
    """The accuracy of the model and of its baseline, and which classes it confuses."""
    own, best = found.own, found.headline
    assert isinstance(own, Quality), "of classes"
    assert best is None or isinstance(best, Quality), "of classes"
    if found.validation is not None:
        yield from _validation(found)
    yield from _out_of_bag(found)
    yield paragraph(
        f"On the {own.measured_on}, this model has {count(own.n_errors, 'error')} in "
        f"{count(own.n_rows, 'row')}: "
        f"accuracy {own.accuracy:.1%}, balanced accuracy {own.balanced_accuracy:.1%}."
        f"{_mean_cost(own)}{OPTIMISTIC[found.is_training_table]}"
    )
    baseline = best or own
    yield paragraph(
        f"Baseline ({baseline.measured_on}): always predicting the majority class, "
        f"{plain(baseline.majority_class)}, has an accuracy of {baseline.baseline:.1%} and a "
        f"balanced accuracy of {1 / np.count_nonzero(baseline.confusion.sum(axis=1)):.1%}."
    )
    if best is None:
        yield paragraph(
            "There is no confusion matrix, because the trees were fitted on these rows. Set cv= to "
            "cross-validate.",
            note=True,
        )
        return
    yield f"<h3>Confusion matrix, {words(best.measured_on)}</h3>"
    if len(best.classes) <= MAX_MATRIX:
        yield _matrix(best)
    else:
        yield from _pairs(best)
    yield from _by_class(best)


def _mean_cost(quality: Quality) -> str:
    """The mean cost in a sentence, if there are costs."""
    if quality.costs is None:
        return ""
    label, cost = quality.cheapest
    return f" The mean cost is {quality.mean_cost:.3f} (always {plain(label)}: {cost:.3f})."


def _validation(found: Findings) -> Iterator[str]:
    validation = found.validation
    assert validation is not None, "called only if there is one"
    folds = validation.n_folds
    yield paragraph(
        f"In {folds}-fold cross-validation, each fold is predicted by a model with the same "
        f"parameters that was grown without it. The mean over the folds is: accuracy "
        f"{validation.mean:.1%} (standard deviation {validation.deviation:.1%}), balanced accuracy "
        f"{validation.balanced_mean:.1%}. The confusion matrix counts the rows of all folds."
    )
    if not validation.stratified:
        yield paragraph(
            "The folds are not stratified: a class has fewer rows than there are folds.", note=True
        )
    yield from about_edits(found)


def about_edits(found: Findings) -> Iterator[str]:
    """How the models of the folds differ from a tree that was edited."""
    remark = found.validated.remark
    if remark == WITHOUT_EDITS:
        yield paragraph(
            "These models do not have the edits made to this tree after it was grown; pruning "
            "counts as one."
        )
    elif remark:
        yield paragraph(f"Like this tree, these models are{remark.removeprefix(',')}.")


def _out_of_bag(found: Findings) -> Iterator[str]:
    score = getattr(found.subject.model, "oob_score_", None)
    if score is None or np.isnan(score):
        if found.subject.form == "trees" and found.is_training_table:
            yield paragraph(
                "This model has no out-of-bag predictions for these rows. Fit a forest with "
                "oob_score=True to get them.",
                note=True,
            )
        return
    quality, balanced = found.out_of_bag, ""
    if isinstance(quality, Quality):
        balanced = f", balanced accuracy {quality.balanced_accuracy:.1%}"
    yield paragraph(
        "On out-of-bag rows, each training row is predicted by the trees whose bootstrap samples "
        f"do not contain it: accuracy {score:.1%}{balanced}, OOB error {1 - score:.1%}."
    )


def _matrix(quality: Quality) -> str:
    """The confusion matrix; a cell is darker for a larger fraction of its class."""
    of_class = np.maximum(quality.confusion.sum(axis=1, keepdims=True), 1)
    fractions = quality.confusion / of_class
    head = "".join(f'<th scope="col" class="n">{name(c)}</th>' for c in quality.classes)
    body = []
    for i, label in enumerate(quality.classes):
        cells = "".join(
            tinted(f"{n:,}", BLUE if i == j else ORANGE, float(fractions[i, j]))
            for j, n in enumerate(quality.confusion[i].tolist())
        )
        body.append(f'<tr><th scope="row">{name(label)}</th>{cells}</tr>')
    corner = '<th scope="col">actual \\ predicted</th>'
    return (
        f'<div class="wide"><table class="matrix"><thead><tr>{corner}{head}</tr></thead>\n'
        + "\n".join(["<tbody>", *body])
        + "</tbody></table></div>"
    )


def _pairs(quality: Quality) -> Iterator[str]:
    """The most frequent errors, where a matrix would be too wide."""
    wrong = quality.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MAX_PAIRS]
    pairs = [divmod(int(place), len(wrong)) for place in order]
    rows = [
        (name(quality.classes[i]), name(quality.classes[j]), f"{wrong[i, j]:,}")
        for i, j in pairs
        if wrong[i, j]
    ]
    yield table(("actual", "predicted", "rows"), rows, (False, False, True))
    yield from left_out(int(np.count_nonzero(wrong)) - len(rows), "pair")


def _by_class(quality: Quality) -> Iterator[str]:
    def percentage(value: float | None) -> str:
        return "–" if value is None else f"{value:.1%}"

    rows = [
        (
            name(part.label),
            percentage(part.precision),
            percentage(part.recall),
            percentage(part.f1),
            f"{part.support:,}",
        )
        for part in class_metrics(quality)[:MAX_CLASSES]
    ]
    yield f"<h3>Metrics by class, {words(quality.measured_on)}</h3>"
    header = ("class", "precision", "recall", "F1", "support")
    yield table(header, rows, (False, True, True, True, True))
    yield from left_out(len(quality.classes) - MAX_CLASSES, "class")
