"""Each measure in a sentence, by criterion."""

from __future__ import annotations

from plaintree.stats.sums import ClassWeights, Sums

from .address import Measure
from .tried import Tried

IMPURITIES = {
    "entropy": "The entropy of the classes: minus the sum of p log2 p over their proportions p.",
    "gini": "The Gini index: one minus the sum of the squared class proportions.",
    "error": "The proportion of the rows outside the majority class.",
    "squared_error": "The variance: the sum of squared errors over the weight of the rows.",
    "absolute_error": "The mean absolute deviation from the median.",
    "poisson": "Half the mean Poisson deviance from the mean.",
}
CENTRES = {
    "squared_error": "The mean: the sum of the targets over the weight of the rows.",
    "absolute_error": "The median: the middle target, or the mean of the two middle ones.",
    "poisson": "The mean: the sum of the targets over the weight of the rows.",
}
DEVIATIONS = {
    "squared_error": "The sum of squared errors: the sum of the squared targets minus the squared "
    "sum over the weight of the rows.",
    "absolute_error": "The sum of the absolute deviations from the median.",
    "poisson": "Half the Poisson deviance: the sum of y ln y over the targets y, minus s ln(s / n) "
    "with their sum s and their weight n.",
}
SCORES = {
    "gain_ratio": "The gain divided by the split information.",
    "gain_ratio_conditional": "The gain divided by the entropy that the split leaves.",
}
OTHERS: dict[Measure, str] = {
    "weight": "The weight of the rows: their number, if each has the weight 1.",
    "class_weight": "The weight of the rows of one class.",
    "sum": "The sum of the targets, each times the weight of its row.",
    "sum_of_squares": "The sum of the squared targets, each times the weight of its row.",
    "remainder": "The mean impurity of the branches, weighted by their rows.",
    "known_remainder": "The impurity that the split leaves, times the fraction of the rows whose "
    "value is known.",
    "split_information": "The entropy of the sizes of the branches; missing values count as one "
    "branch.",
    "missing_weight": "The weight of the rows whose value is missing.",
    "average_gain": "The mean gain of the attributes. Only attributes whose gain is at least "
    "average qualify.",
}

ASIDE: dict[Measure, str] = {
    "remainder": "The branch of the categories with half a row or less counts as 0.",
    "split_information": "The branch of the categories with half a row or less is left out, and "
    "the entropy is multiplied by the fraction of the others.",
}


def definition(measure: Measure, sums: Sums, tried: Tried | None) -> str:
    """The definition of a measure; ``tried`` is the split, if it is of one."""
    criterion = sums.criterion
    if measure == "impurity":
        of_classes = isinstance(sums, ClassWeights)
        return IMPURITIES[sums.measure if of_classes else criterion]  # type: ignore[attr-defined]
    if measure == "centre":
        return CENTRES[criterion]
    if measure == "deviation":
        return DEVIATIONS[criterion]
    if measure == "score" and criterion in SCORES:
        return SCORES[criterion]
    if measure not in ("score", "gain"):
        has_aside = tried is not None and tried.has_aside and measure in ASIDE
        return f"{OTHERS[measure]} {ASIDE[measure]}" if has_aside else OTHERS[measure]
    told = ["The impurity before the split minus the impurity that it leaves."]
    found = None if tried is None else tried.measures
    if found is not None and found.share != 1:
        told.append(
            "Rows with a missing value do not count; the gain is multiplied by the "
            "fraction of the others."
        )
    if found is not None and found.penalty:
        told.append(
            "log2 k over the weight of the rows is subtracted for the k thresholds that were tried."
        )
    return " ".join(told)
