"""The predictions of a document's model, and their quality on some rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from plaintree.data.target import NumericTarget, Target
from plaintree.evaluation.metrics import costs_of
from plaintree.evaluation.quality import TRAINING, AnyQuality, any_quality_of
from plaintree.tree.predict import row_predictions

from .held import quiet
from .replay import Work


def training_quality(work: Work) -> AnyQuality:
    """The quality of the document's model on its training rows."""
    quality: AnyQuality = work.kept_for_tree("training quality", partial(_quality, work))
    return quality


def _quality(work: Work) -> AnyQuality:
    if not work.single:
        with quiet():
            predicted: Any = work.model.predict(work.training.X)
        return any_quality_of(work.training.y, predicted, TRAINING, costs_of(work.model))
    tree, rows = work.own_tree(), work.rows
    predicted = row_predictions(tree, rows.columns)
    classes = tree.schema.classes
    if not classes:
        return any_quality_of(NumericTarget(rows.target), predicted, TRAINING)
    target = Target(rows.codes, classes)
    return any_quality_of(target, Target(predicted, classes), TRAINING, costs_of(tree))
