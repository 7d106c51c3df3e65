"""The explanation of one prediction as data, and its forms for people: text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from plaintree.data.schema import Label
from plaintree.data.words import line_width, number_text, plain, weight_text, wrapped
from plaintree.tree.prediction import NumberRange

from ..numbers import percent
from .average import Average
from .estimate import Estimate
from .firing import Firing
from .parts import Counterfactual, Path
from .probabilities import ClassProbability, probability_dicts, probability_lines
from .vote import Vote

PATHS_SHOWN = 5
"""In text, the ones with the largest fractions of the row. All of them are in the data."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of one prediction, as :func:`plaintree.explain` returns it.

    Attributes
    ----------
    prediction : str, int, float or bool
        The predicted class or number.
    probabilities : tuple of ClassProbability
        Probabilities of all classes in the order of ``classes_``. Their Wilson intervals take the
        weight of the leaf's training rows as the number of observations; sample weights are scaled
        to a mean of one first. If missing values divide the row, probabilities and intervals are
        weighted means over the leaves. For an ensemble they are those of its vote; for a rule list
        those of the training rows that satisfy the rule (or that no rule covers). Empty for a
        numeric target.
    paths : tuple of Path
        The decision path; several if missing values divide the row, the largest fraction first.
        For an ensemble, that of a typical tree; for a rule list, the conditions of the rule.
    counterfactual : Counterfactual or None
        The smallest change that changes the prediction as wanted. None if there is none, for
        ensembles and for rule lists.
    confidence : float
        Confidence level of the intervals of class probabilities.
    weighted : bool
        Whether the training rows had weights.
    immutable : tuple of str
        Names of the features that the counterfactual was not allowed to change.
    search_ended_at : int or None
        Number of changed features at which the search for a counterfactual was given up; None if
        the search was complete.
    vote : Vote, Average or None
        The votes of an ensemble, or the predictions of its trees for a numeric target; None for
        other models.
    firing : Firing or None
        The rules that fire; None for models that are not rule lists.
    estimate : Estimate or None
        The predicted number, with the interval of its leaf or rule; None for classes.
    wanted : NumberRange or None
        The range of ``above`` and ``below`` for the counterfactual, if it was given.
    min_change : float or None
        Otherwise, for a numeric target, by how much the counterfactual had to change the
        prediction; None for classes.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> explanation = pt.C45Classifier().fit(X, y).explain(X[:1])
    >>> explanation.prediction, [step.condition for step in explanation.path.steps]
    ('no', ['outlook = sunny', 'humidity > 75'])
    >>> explanation.counterfactual.new_values[0].value
    'overcast'
    """

    prediction: Label
    probabilities: tuple[ClassProbability, ...]
    paths: tuple[Path, ...]
    counterfactual: Counterfactual | None
    confidence: float
    weighted: bool = False
    immutable: tuple[str, ...] = ()
    search_ended_at: int | None = None
    vote: Vote | Average | None = None
    firing: Firing | None = None
    estimate: Estimate | None = None
    wanted: NumberRange | None = None
    min_change: float | None = None

    @property
    def path(self) -> Path:
        """The decision path, or the one with the largest fraction of the row."""
        return self.paths[0]

    def _text_of(self, prediction: Label) -> str:
        """A predicted class or number as text."""
        return plain(prediction) if self.estimate is None else number_text(float(prediction))

    # ---------------------------------------------------------------- text

    def to_text(self, width: int = 80) -> str:
        """Return the explanation as text.

        Parameters
        ----------
        width : int, default=80
            Columns to wrap lines at, at least 40.

        Returns
        -------
        str
            Several lines, without a newline at the end.
        """
        columns = line_width(width)
        lines: list[str] = []
        for line in self._lines():
            text = line.lstrip(" ")
            indent = " " * (len(line) - len(text))
            lines += wrapped(text.split(" "), columns, indent, indent + "    ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.to_text())}</pre>"

    def _lines(self) -> Iterator[str]:
        if self.firing is not None:
            yield from self._firing_lines(self.firing)
            return
        if self.vote is None:
            yield from (*self._path_lines(), *self._probability_lines())
            yield from ("", *self._counterfactual_lines())
            return
        if isinstance(self.vote, Vote):
            yield from self.vote.lines(self.prediction, self.probabilities, self.confidence)
        else:
            yield from self.vote.lines(float(self.prediction))
        if len(self.paths) > 1:
            yield "  (Missing values divide the row; this path has its largest fraction.)"
        yield from (f"  {step}" for step in self.path.lines())
        yield f"  leaf: {self.path.leaf()}"
        yield from ("", self.vote.no_counterfactual())

    def _firing_lines(self, firing: Firing) -> Iterator[str]:
        yield f"Prediction: {self._text_of(self.prediction)} ({firing.reason()})"
        if self.path.steps:
            yield "Conditions:"
        yield from (f"  {step}" for step in self.path.steps)
        yield from firing.unknown_lines()
        weight = self.path.weight
        source = firing.rows(self._rows(weight) if weight else None)
        yield from self._interval_lines(source, "rules were")
        yield from firing.standing_lines()

    def _path_lines(self) -> Iterator[str]:
        steps = self.path.lines()
        if len(self.paths) == 1:
            note = "" if steps else " (the tree is a single leaf)"
            yield f"Prediction: {self._text_of(self.prediction)}{note}"
            if steps:
                yield f"{self.path.heading}:"
            yield from (f"  {step}" for step in steps)
            return
        mean = " (weighted mean of the leaves)" if self.estimate is not None else ""
        yield f"Prediction: {self._text_of(self.prediction)}{mean}"
        yield f"Decision paths ({len(self.paths)}, because missing values divide the row):"
        for path in self.paths[:PATHS_SHOWN]:
            yield f"  {percent(path.fraction)} of the row:"
            yield from (f"    {step}" for step in path.lines())
            yield f"    leaf: {path.leaf()}"
        if len(self.paths) > PATHS_SHOWN:
            rest = sum(path.fraction for path in self.paths[PATHS_SHOWN:])
            yield f"  {percent(rest)} of the row: {len(self.paths) - PATHS_SHOWN} more paths"

    def _probability_lines(self) -> Iterator[str]:
        if len(self.paths) > 1:
            source = "weighted mean of the leaves"
        elif self.path.weight > 0:
            place = "at this node" if self.path.stopped else "in this leaf"
            source = f"{self._rows(self.path.weight)} {place}"
        elif self.estimate is not None:
            yield "There are no training rows in this leaf, so there is no interval."
            return
        else:
            label = "the class of its parent" if self.path.inherits else "its own class"
            source = f"no training rows in this leaf, which predicts {label}"
        yield from self._interval_lines(source, "tree was")

    def _interval_lines(self, source: str, model: str) -> Iterator[str]:
        """The class probabilities or the interval of a number, and where they come from."""
        if self.estimate is not None:
            yield from self.estimate.lines(source, model)
            return
        yield f"Class probabilities ({source}):"
        yield from probability_lines(self.probabilities)
        if self.firing is None and len(self.paths) == 1 and self._is_outvoted:
            yield "The label of the leaf is not the majority class of these rows."
        yield self._interval_note(model)

    @property
    def _is_outvoted(self) -> bool:
        """Whether another class has more of the training rows than the predicted one."""
        own = next(p.probability for p in self.probabilities if p.label == self.prediction)
        return own < max(p.probability for p in self.probabilities)

    def _interval_note(self, model: str) -> str:
        """Which intervals are shown, and why they are optimistic."""
        scaled = "; weights scaled to a mean of one" if self.weighted else ""
        return (
            f"({100 * self.confidence:.4g}% Wilson intervals{scaled}. They are optimistic: the "
            f"{model} fitted to these rows.)"
        )

    def _rows(self, weight: float) -> str:
        if self.weighted:
            return f"training rows with a weight of {weight_text(weight)}"
        return f"{weight_text(weight)} training row{'' if weight == 1 else 's'}"

    def _counterfactual_lines(self) -> Iterator[str]:
        found = self.counterfactual
        if found is None:
            yield f"Counterfactual: {self._no_counterfactual()}"
            return
        n = len(found.new_values)
        evidence = ""
        if found.weight is not None:
            rows = self._rows(found.weight) if found.weight else "no training rows"
            evidence = f" ({rows} in its leaf)"
        changes = "one change" if n == 1 else f"{n} changes"
        prediction = self._text_of(found.prediction)
        wanted = f", {self.wanted}," if self.wanted else ""
        yield f"Counterfactual: {prediction}{wanted} with {changes}{evidence}:"
        yield from (f"  {new}" for new in found.new_values)

    def _no_counterfactual(self) -> str:
        if self.wanted is not None and self.wanted.holds(np.array(self.prediction)):
            return f"none needed; the prediction is {self.wanted}."
        if self.search_ended_at == 1:
            return "not found; there are too many changes to try."
        if self.search_ended_at is not None:
            return (
                f"none with fewer than {self.search_ended_at} changes; there are too many larger "
                "ones to try."
            )
        if self.immutable:
            return f"none while these features stay: {', '.join(map(plain, self.immutable))}."
        changed = "changes the prediction"
        if self.wanted is not None:
            changed = f"moves the prediction to a number {self.wanted}"
        elif self.min_change is not None:
            changed = f"moves the prediction by {number_text(self.min_change)} or more"
        return f"none; no change of the row {changed}."

    # ---------------------------------------------------------------- data

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain dictionaries, lists, strings and numbers for JSON."""
        found, estimate = self.counterfactual, self.estimate
        sampled = estimate is None and not (
            isinstance(self.vote, Vote) and self.vote.method == "weighted"
        )
        return {
            "prediction": self.prediction,
            "probabilities": probability_dicts(self.probabilities),
            "confidence": self.confidence,
            "interval": "wilson" if sampled else None,
            "estimate": None if estimate is None else estimate.to_dict(),
            "weighted": self.weighted,
            "paths": [path.to_dict() for path in self.paths],
            "counterfactual": None if found is None else found.to_dict(),
            "above": None if self.wanted is None else self.wanted.above,
            "below": None if self.wanted is None else self.wanted.below,
            "min_change": self.min_change,
            "immutable": list(self.immutable),
            "search_ended_at": self.search_ended_at,
            "vote": None if self.vote is None else self.vote.to_dict(),
            "firing": None if self.firing is None else self.firing.to_dict(),
        }
