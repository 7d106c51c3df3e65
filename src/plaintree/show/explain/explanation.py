"""The explanation of one prediction as data, and its forms for people: text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from plaintree.data.schema import Label
from plaintree.data.words import line_width, plain, weight_text, wrapped

from ..numbers import percent
from .firing import Firing
from .probabilities import (
    CLASSES_SHOWN,
    ClassProbability,
    as_json,
    probability_dicts,
    probability_lines,
)
from .vote import Vote

PATHS_SHOWN = 5
"""In text, the ones with the largest fractions of the row. All of them are in the data."""

Reason = Literal["value", "missing", "unseen"]


@dataclass(frozen=True)
class Step:
    """One split on a decision path, and the branch taken.

    Attributes
    ----------
    node : int or None
        Number of the node; None for a condition of a rule.
    feature : str
        Name of the feature that the node splits on.
    value : object
        The row's value; None if it is missing.
    condition : str
        The branch taken, such as ``humidity > 75``.
    remark : str
        The row's value if the condition does not name it, or why the row takes the branch without
        a value for it.
    reason : {"value", "missing", "unseen"}
        Whether the row takes the branch by its value, because it is missing, or because it is a
        category that was not seen in training.
    fraction : float
        Fraction of the row at the node that takes this branch; 1 unless the row is divided.
    """

    node: int | None
    feature: str
    value: Any
    condition: str
    remark: str
    reason: Reason
    fraction: float

    def __str__(self) -> str:
        return f"{self.condition} ({self.remark})" if self.remark else self.condition


@dataclass(frozen=True)
class Path:
    """A decision path of the row, from the root to the node that predicts.

    Attributes
    ----------
    fraction : float
        Fraction of the row on this path; 1 unless missing values divide the row.
    steps : tuple of Step
        The splits, from the root.
    node : int or None
        The leaf, or the node above at which the path ends (see ``stopped``). For a rule, the leaf
        that it was made from; for the default of a rule list, None.
    weight : float
        Weight of the training rows in the node.
    probabilities : tuple of ClassProbability
        Class probabilities of the node, in the order of ``classes_``.
    stopped : str or None
        Why the path ends at an internal node; None if it ends at a leaf.
    inherits : bool
        Whether the node predicts the same class as its parent.
    """

    fraction: float
    steps: tuple[Step, ...]
    node: int | None
    weight: float
    probabilities: tuple[ClassProbability, ...]
    stopped: str | None = None
    inherits: bool = True


@dataclass(frozen=True)
class NewValue:
    """The change of one feature in a counterfactual.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : object
        The new value.
    instead_of : object
        The row's value; None if it is missing.
    condition : str
        All values that do as well, such as ``humidity <= 75``.
    text : str
        The change as text.
    """

    feature: str
    value: Any
    instead_of: Any
    condition: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Counterfactual:
    """The smallest change of the row that changes the prediction.

    Attributes
    ----------
    prediction : str, int, float or bool
        The class predicted for the changed row.
    new_values : tuple of NewValue
        The changes, one per changed feature.
    distance : float
        Sum of the distances of the changed features.
    leaf : int or None
        The leaf that the changed row reaches; None if missing values divide it over several.
    weight : float or None
        Weight of the training rows in that leaf.
    """

    prediction: Label
    new_values: tuple[NewValue, ...]
    distance: float
    leaf: int | None
    weight: float | None

    def applied_to(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the row with the changes made to it."""
        return row | {new.feature: new.value for new in self.new_values}


@dataclass(frozen=True)
class Explanation:
    """The explanation of one prediction, as :func:`plaintree.explain` returns it.

    Attributes
    ----------
    prediction : str, int, float or bool
        The predicted class.
    probabilities : tuple of ClassProbability
        Probabilities of all classes in the order of ``classes_``. Their Wilson intervals take the
        weight of the leaf's training rows as the number of observations; sample weights are scaled
        to a mean of one first. If missing values divide the row, probabilities and intervals are
        weighted means over the leaves. For an ensemble they are those of its vote; for a rule list
        those of the training rows that satisfy the rule (or that no rule covers).
    paths : tuple of Path
        The decision path; several if missing values divide the row, the largest fraction first.
        For an ensemble, that of a typical tree; for a rule list, the conditions of the rule.
    counterfactual : Counterfactual or None
        The smallest change that changes the prediction. None if there is none, for ensembles and
        for rule lists.
    confidence : float
        Confidence level of the intervals.
    weighted : bool
        Whether the training rows had weights.
    immutable : tuple of str
        Names of the features that the counterfactual was not allowed to change.
    search_ended_at : int or None
        Number of changed features at which the search for a counterfactual was given up; None if
        the search was complete.
    vote : Vote or None
        The votes of an ensemble; None for other models.
    firing : Firing or None
        The rules that fire; None for models that are not rule lists.

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
    vote: Vote | None = None
    firing: Firing | None = None

    @property
    def path(self) -> Path:
        """The decision path, or the one with the largest fraction of the row."""
        return self.paths[0]

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
        yield from self.vote.lines(self.prediction, self.probabilities, self.confidence)
        if len(self.paths) > 1:
            yield "  (Missing values divide the row; this path has its largest fraction.)"
        yield from (f"  {step}" for step in _steps(self.path))
        yield f"  leaf: {_class_list(self.path)}"
        yield from ("", self.vote.no_counterfactual())

    def _firing_lines(self, firing: Firing) -> Iterator[str]:
        yield f"Prediction: {plain(self.prediction)} ({firing.reason()})"
        if self.path.steps:
            yield "Conditions:"
        yield from (f"  {step}" for step in self.path.steps)
        yield from firing.unknown_lines()
        weight = self.path.weight
        yield f"Class probabilities ({firing.rows(self._rows(weight) if weight else None)}):"
        yield from probability_lines(self.probabilities)
        yield self._interval_note("rules were")
        yield from firing.standing_lines()

    def _path_lines(self) -> Iterator[str]:
        steps = _steps(self.path)
        if len(self.paths) == 1:
            note = "" if steps else " (the tree is a single leaf)"
            yield f"Prediction: {plain(self.prediction)}{note}"
            if steps:
                yield "Decision path:"
            yield from (f"  {step}" for step in steps)
            return
        yield f"Prediction: {plain(self.prediction)}"
        yield f"Decision paths ({len(self.paths)}, because missing values divide the row):"
        for path in self.paths[:PATHS_SHOWN]:
            yield f"  {percent(path.fraction)} of the row:"
            yield from (f"    {step}" for step in _steps(path))
            yield f"    leaf: {_class_list(path)}"
        if len(self.paths) > PATHS_SHOWN:
            rest = sum(path.fraction for path in self.paths[PATHS_SHOWN:])
            yield f"  {percent(rest)} of the row: {len(self.paths) - PATHS_SHOWN} more paths"

    def _probability_lines(self) -> Iterator[str]:
        if len(self.paths) > 1:
            source = "weighted mean of the leaves"
        elif self.path.weight > 0:
            place = "at this node" if self.path.stopped else "in this leaf"
            source = f"{self._rows(self.path.weight)} {place}"
        else:
            label = "the class of its parent" if self.path.inherits else "its own class"
            source = f"no training rows in this leaf, which predicts {label}"
        yield f"Class probabilities ({source}):"
        yield from probability_lines(self.probabilities)
        if len(self.paths) == 1 and self._is_outvoted:
            yield "The label of the leaf is not the majority class of these rows."
        yield self._interval_note("tree was")

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
        yield f"Counterfactual: {plain(found.prediction)} with {changes}{evidence}:"
        yield from (f"  {new}" for new in found.new_values)

    def _no_counterfactual(self) -> str:
        if self.search_ended_at == 1:
            return "not found; there are too many changes to try."
        if self.search_ended_at is not None:
            return (
                f"none with fewer than {self.search_ended_at} changes; there are too many larger "
                "ones to try."
            )
        if self.immutable:
            return f"none while these features stay: {', '.join(map(plain, self.immutable))}."
        return "none; no change of the row changes the prediction."

    # ---------------------------------------------------------------- data

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain dictionaries, lists, strings and numbers for JSON."""
        found = self.counterfactual
        return {
            "prediction": self.prediction,
            "probabilities": probability_dicts(self.probabilities),
            "confidence": self.confidence,
            "interval": None if self.vote and self.vote.method == "weighted" else "wilson",
            "weighted": self.weighted,
            "paths": [_path_dict(path) for path in self.paths],
            "counterfactual": None if found is None else _counterfactual_dict(found),
            "immutable": list(self.immutable),
            "search_ended_at": self.search_ended_at,
            "vote": None if self.vote is None else self.vote.to_dict(),
            "firing": None if self.firing is None else self.firing.to_dict(),
        }


def _steps(path: Path) -> list[str]:
    return [*map(str, path.steps), *([path.stopped] if path.stopped else [])]


def _class_list(path: Path) -> str:
    if not path.weight:
        return "no training rows"
    present = (p for p in path.probabilities if p.probability > 0)
    shown = sorted(present, key=lambda p: -p.probability)
    words = [f"{plain(p.label)} ({percent(p.probability)})" for p in shown[:CLASSES_SHOWN]]
    return ", ".join(words) + (", ..." if len(shown) > CLASSES_SHOWN else "")


def _path_dict(path: Path) -> dict[str, Any]:
    return {
        "fraction": path.fraction,
        "steps": [
            {
                "node": step.node,
                "feature": step.feature,
                "value": as_json(step.value),
                "condition": step.condition,
                "remark": step.remark,
                "reason": step.reason,
                "fraction": step.fraction,
            }
            for step in path.steps
        ],
        "stopped": path.stopped,
        "node": path.node,
        "weight": path.weight,
        "probabilities": probability_dicts(path.probabilities),
    }


def _counterfactual_dict(found: Counterfactual) -> dict[str, Any]:
    return {
        "prediction": found.prediction,
        "new_values": [
            {
                "feature": new.feature,
                "value": as_json(new.value),
                "instead_of": as_json(new.instead_of),
                "condition": new.condition,
            }
            for new in found.new_values
        ],
        "distance": found.distance,
        "leaf": found.leaf,
        "weight": found.weight,
    }
