"""The arithmetic of the Caruana table: metrics, normalised scores, selection and ranking.

Glossary. An *outcome* is a model of one learner with one setting and one calibration, on one
table and repetition: its metrics on the held-out rows and on the test rows. A *row* of the ranked
table is a learner with a calibration.

1. Metrics of every outcome (:func:`metric_values`).
2. Normalised per table and metric: 0 is the best constant answer, 1 the best outcome of anyone.
3. Per table, repetition and metric a row takes the setting that is best on the held-out rows; its
   normalised score on the test rows counts.
4. Means over repetitions and tables, then over metrics; rows are sorted by the latter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_rel
from sklearn import metrics

METRICS = ("ACC", "FSC", "LFT", "ROC", "APR", "BEP", "RMS", "MXE")
LOSSES = frozenset({"RMS", "MXE"})
CALIBRATIONS = ("-", "PLT", "ISO")
LIFT_SHARE = 0.25
SIGNIFICANCE = 0.05

Values = Mapping[str, float]
Matrix = NDArray[np.float64]


def metric_values(flags: NDArray[np.bool_], probability: Matrix, least: float) -> dict[str, float]:
    """The eight metrics of predicted probabilities.

    A probability of a half or more says yes. Cross-entropy, in nats, would be infinite for a
    certainty that is wrong, so there probabilities keep a distance of ``least`` from 0 and 1.
    """
    says_yes = probability >= 0.5
    n_positive = int(flags.sum())
    n_top = max(1, round(LIFT_SHARE * len(flags)))
    kept_off = np.clip(probability, least, 1 - least)
    return {
        "ACC": float(metrics.accuracy_score(flags, says_yes)),
        "FSC": float(metrics.f1_score(flags, says_yes, zero_division=0.0)),
        "LFT": expected_hits(flags, probability, n_top) / n_top / (n_positive / len(flags)),
        "ROC": float(metrics.roc_auc_score(flags, probability)),
        "APR": float(metrics.average_precision_score(flags, probability)),
        "BEP": expected_hits(flags, probability, n_positive) / n_positive,
        "RMS": math.sqrt(metrics.brier_score_loss(flags, probability)),
        "MXE": float(metrics.log_loss(flags, kept_off)),
    }


def expected_hits(flags: NDArray[np.bool_], scores: Matrix, n_top: int) -> float:
    """The positives to be expected among the highest scores, equal scores drawn at random.

    Precision and recall are equal where as many rows are called positive as are positive, so the
    break-even point needs nothing more than this, and neither does the lift.
    """
    border = np.partition(scores, -n_top)[-n_top]
    above, at = scores > border, scores == border
    share = (n_top - int(above.sum())) / int(at.sum())
    return float(flags[above].sum() + share * flags[at].sum())


def constant_values(flags: NDArray[np.bool_]) -> dict[str, float]:
    """The metrics of one answer for all rows: the share of positives as a probability.

    Accuracy takes the more frequent class. The F-score calls everything positive: no constant
    answer does better, while calling nothing positive would score 0 without any reason.
    """
    share = float(flags.mean())
    constant = metric_values(flags, np.full(len(flags), share), least=0.0)
    return {**constant, "ACC": max(share, 1 - share), "FSC": 2 * share / (1 + share)}


def is_better(metric: str, value: float, other: float) -> bool:
    """Whether a value of a metric is better than another."""
    return value < other if metric in LOSSES else value > other


@dataclass(frozen=True)
class Scale:
    """What a metric's 0 and 1 are on one table."""

    constant: float
    best: float

    def normalised(self, value: float) -> float:
        """The score of a value; NaN where nobody beat the constant answer."""
        if self.best == self.constant:
            return math.nan
        return (value - self.constant) / (self.best - self.constant)


def scales(records: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Scale]:
    """The scale of every (table, metric): the best of all outcomes on its test rows is 1."""
    found: dict[tuple[str, str], Scale] = {}
    for record in records:
        for metric in METRICS:
            key, constant = (record["table"], metric), record["constant"][metric]
            best = found[key].best if key in found else constant
            for outcome in record["outcomes"]:
                value = outcome["test"][metric]
                best = value if is_better(metric, value, best) else best
            found[key] = Scale(constant, best)
    return found


def selected(outcomes: Sequence[Mapping[str, Any]], metric: str, by: str) -> float:
    """The test value of the outcome that is best on the rows ``by``; the first of equals."""
    chosen = outcomes[0]
    for outcome in outcomes[1:]:
        if is_better(metric, outcome[by][metric], chosen[by][metric]):
            chosen = outcome
    return float(chosen["test"][metric])


@dataclass(frozen=True)
class Row:
    """A line of the ranked table; trials are (table, repetition) pairs in a fixed order."""

    learner: str
    calibration: str
    trials: Mapping[str, Matrix]
    """Normalised scores per metric, one per trial, settings selected on the held-out rows."""
    mean: float
    optimal: float
    """The mean had the settings been selected on the test rows."""
    scores: Values

    @property
    def name(self) -> str:
        """Learner and calibration."""
        return f"{self.learner} {self.calibration}"


def complete_trials(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """The (table, repetition) pairs that every learner has finished."""
    learners = {record["learner"] for record in records}
    done: dict[tuple[str, int], set[str]] = {}
    for record in records:
        done.setdefault((record["table"], record["repetition"]), set()).add(record["learner"])
    return sorted(trial for trial, finished in done.items() if finished == learners)


def ranked_rows(records: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The rows of the table, the best mean first."""
    trials = complete_trials(records)
    found = scales(r for r in records if (r["table"], r["repetition"]) in set(trials))
    by_key = {(r["learner"], r["table"], r["repetition"]): r for r in records}
    learners = list(dict.fromkeys(r["learner"] for r in records))
    rows = []
    for learner in learners if trials else []:
        for calibration in CALIBRATIONS:
            outcomes = [
                [o for o in by_key[(learner, *t)]["outcomes"] if o["calibration"] == calibration]
                for t in trials
            ]
            honest = _trial_scores(trials, outcomes, found, by="held_out")
            cheated = _trial_scores(trials, outcomes, found, by="test")
            scores = {metric: _mean_over_tables(trials, honest[metric]) for metric in METRICS}
            best = [_mean_over_tables(trials, cheated[metric]) for metric in METRICS]
            mean, optimal = float(np.nanmean(list(scores.values()))), float(np.nanmean(best))
            rows.append(Row(learner, calibration, honest, mean, optimal, scores))
    return sorted(rows, key=lambda row: -row.mean)


def _trial_scores(
    trials: Sequence[tuple[str, int]],
    outcomes: Sequence[Sequence[Mapping[str, Any]]],
    found: Mapping[tuple[str, str], Scale],
    by: str,
) -> dict[str, Matrix]:
    return {
        metric: np.array(
            [
                found[table, metric].normalised(selected(models, metric, by))
                for (table, _), models in zip(trials, outcomes, strict=True)
            ]
        )
        for metric in METRICS
    }


def _mean_over_tables(trials: Sequence[tuple[str, int]], scores: Matrix) -> float:
    """The mean of the tables' means: a table with fewer repetitions counts no less."""
    tables = np.array([table for table, _ in trials])
    means = [float(scores[tables == table].mean()) for table in dict.fromkeys(tables.tolist())]
    known = [mean for mean in means if not math.isnan(mean)]
    return float(np.mean(known)) if known else math.nan


def indistinguishable(row: Row, best: Row, metric: str) -> bool:
    """Whether a paired t-test over the trials finds no difference from the best row."""
    difference = row.trials[metric] - best.trials[metric]
    if len(difference) < 2 or np.all(np.isnan(difference)):
        return False
    if np.nanstd(difference) == 0:
        return bool(np.nanmean(difference) == 0)
    test = ttest_rel(row.trials[metric], best.trials[metric], nan_policy="omit")
    return bool(test.pvalue > SIGNIFICANCE)
