"""The parts of an explanation: decision paths with their steps, and the counterfactual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.schema import Label
from plaintree.data.words import number_text, plain

from ..numbers import percent
from .estimate import Estimate
from .probabilities import CLASSES_SHOWN, ClassProbability, as_json, probability_dicts

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
    prediction : str, int, float, bool or None
        The class or the number that the node below the branch predicts; None for a condition of a
        rule.
    """

    node: int | None
    feature: str
    value: Any
    condition: str
    remark: str
    reason: Reason
    fraction: float
    prediction: Label | None = None

    def __str__(self) -> str:
        return f"{self.condition} ({self.remark})" if self.remark else self.condition

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain strings and numbers."""
        return {
            "node": self.node,
            "feature": self.feature,
            "value": as_json(self.value),
            "condition": self.condition,
            "remark": self.remark,
            "reason": self.reason,
            "fraction": self.fraction,
            "prediction": self.prediction,
        }


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
        Class probabilities of the node, in the order of ``classes_``; empty for a numeric target.
    stopped : str or None
        Why the path ends at an internal node; None if it ends at a leaf.
    inherits : bool
        Whether the node predicts the same class as its parent.
    estimate : Estimate or None
        The number that the node predicts, with its interval; None for classes.
    start : str, int, float, bool or None
        The class or the number that the root predicts; None for a rule.
    """

    fraction: float
    steps: tuple[Step, ...]
    node: int | None
    weight: float
    probabilities: tuple[ClassProbability, ...]
    stopped: str | None = None
    inherits: bool = True
    estimate: Estimate | None = None
    start: Label | None = None

    def lines(self) -> list[str]:
        """The splits, and why the path stops above a leaf; of numbers, each with its value."""
        steps = [
            f"{step}: {number_text(float(step.prediction))}"
            if self.estimate is not None and step.prediction is not None
            else str(step)
            for step in self.steps
        ]
        return [*steps, *([self.stopped] if self.stopped else [])]

    @property
    def heading(self) -> str:
        """The heading of the lines; of numbers, with that of the root."""
        if self.estimate is None or self.start is None:
            return "Decision path"
        return f"Decision path (root: {number_text(float(self.start))})"

    def leaf(self) -> str:
        """What the leaf predicts, and how surely, in a few words."""
        if not self.weight:
            return "no training rows"
        if self.estimate is not None:
            return self.estimate.short(self.weight)
        present = (p for p in self.probabilities if p.probability > 0)
        shown = sorted(present, key=lambda p: -p.probability)
        words = [f"{plain(p.label)} ({percent(p.probability)})" for p in shown[:CLASSES_SHOWN]]
        return ", ".join(words) + (", ..." if len(shown) > CLASSES_SHOWN else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the path as plain dictionaries, lists, strings and numbers."""
        return {
            "fraction": self.fraction,
            "steps": [step.to_dict() for step in self.steps],
            "stopped": self.stopped,
            "node": self.node,
            "weight": self.weight,
            "probabilities": probability_dicts(self.probabilities),
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
        }


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
    """The smallest change of the row that changes the prediction as wanted.

    Attributes
    ----------
    prediction : str, int, float or bool
        The class or the number predicted for the changed row.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain dictionaries, lists, strings and numbers."""
        return {
            "prediction": self.prediction,
            "new_values": [
                {
                    "feature": new.feature,
                    "value": as_json(new.value),
                    "instead_of": as_json(new.instead_of),
                    "condition": new.condition,
                }
                for new in self.new_values
            ],
            "distance": self.distance,
            "leaf": self.leaf,
            "weight": self.weight,
        }
