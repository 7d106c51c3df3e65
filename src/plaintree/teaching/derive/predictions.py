"""What is added up for a row over the nodes where its parts end: class probabilities, or numbers.

Weights and numbers of a tree are floats; here they are the fractions that these round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plaintree.data.schema import Schema
from plaintree.data.words import number_text
from plaintree.stats.exact import Weight
from plaintree.tree.tree import Tree

from .document import Answer, Call, Equation, Number, Product, Ratio, Sum, plus
from .held import number_of
from .terms import worked
from .words import count_text, rows_text

Prediction = Fraction | int
"""A number, or the code of a class."""
Ends = Sequence[tuple[int, Fraction]]
"""Nodes with the fractions of a row that end there."""
STEPS_SHOWN = 40
"""If a row is divided over more splits than this, only its leaves are shown."""


@dataclass(frozen=True, eq=False)
class Predictions(ABC):
    """What the nodes of a tree add to a prediction; ``shown`` has names fit to print."""

    tree: Tree
    shown: Schema

    def values(self, ends: Ends) -> tuple[Fraction, ...]:
        """The values of the nodes where a row ends, weighted and added up."""
        parts = [[share * value for value in self._of_node(node)] for node, share in ends]
        return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))

    @abstractmethod
    def _of_node(self, node: int) -> tuple[Fraction, ...]:
        """The values of a node."""

    @abstractmethod
    def label(self, node: int) -> Prediction:
        """What a node predicts."""

    @abstractmethod
    def prediction(self, ends: Ends, values: Sequence[Fraction]) -> Prediction:
        """What is predicted by these values."""

    @abstractmethod
    def text(self, prediction: Prediction) -> str:
        """A prediction as text."""

    @abstractmethod
    def rows_text(self, node: int) -> str:
        """The training rows of a node that has some."""

    @abstractmethod
    def equations(self, ends: Ends, values: Sequence[Fraction]) -> Iterator[Equation]:
        """The values, added up over the nodes."""


def predictions_of(tree: Tree, shown: Schema) -> Predictions:
    """The predictions of a tree."""
    return (ClassPredictions if tree.schema.classes else NumberPredictions)(tree, shown)


class ClassPredictions(Predictions):
    """Class probabilities."""

    def weights(self, node: int) -> tuple[Fraction, ...]:
        """The class weights that a node predicts by; only its label if it had no rows."""
        weights = tuple(map(as_fraction, self.tree.class_weights[node].tolist()))
        if any(weights):
            return weights
        return tuple(Fraction(int(code == self.label(node))) for code in range(len(weights)))

    def _of_node(self, node: int) -> tuple[Fraction, ...]:
        weights = self.weights(node)
        return tuple(weight / sum(weights) for weight in weights)

    def label(self, node: int) -> Prediction:
        return int(self.tree.label[node])

    def prediction(self, ends: Ends, values: Sequence[Fraction]) -> Prediction:
        """The label of the leaf; for several leaves, the first most probable class."""
        if len(ends) == 1:
            return self.label(ends[0][0])
        return max(range(len(values)), key=lambda code: (values[code], -code))

    def text(self, prediction: Prediction) -> str:
        return str(self.shown.classes[int(prediction)])

    def rows_text(self, node: int) -> str:
        pairs = zip(self.shown.classes, self.weights(node), strict=True)
        return ", ".join(f"{name}: {count_text(weight)}" for name, weight in pairs if weight)

    def equations(self, ends: Ends, values: Sequence[Fraction]) -> Iterator[Equation]:
        for code, share in enumerate(values):
            terms = []
            for node, part in ends[:STEPS_SHOWN]:
                weights = self.weights(node)
                if weights[code]:
                    top, bottom = _whole(weights[code]), _whole(sum(weights, Fraction(0)))
                    terms.append(plus(Product((_ratio(part), Ratio(top, bottom)))))
            parts = (Sum(tuple(terms)),) if terms else ()
            wanted = Call("P", str(self.shown.classes[code]))
            yield Equation((wanted, *map(Answer, (*parts, Number(share)))))


class NumberPredictions(Predictions):
    """The mean of the numbers that the nodes predict."""

    def _of_node(self, node: int) -> tuple[Fraction, ...]:
        return (number_of(self.tree, node),)

    def label(self, node: int) -> Prediction:
        return number_of(self.tree, node)

    def prediction(self, ends: Ends, values: Sequence[Fraction]) -> Prediction:  # noqa: ARG002
        return values[0]

    def text(self, prediction: Prediction) -> str:
        return number_text(float(prediction))

    def rows_text(self, node: int) -> str:
        return rows_text(int(self.tree.n_rows[node]))

    def equations(self, ends: Ends, values: Sequence[Fraction]) -> Iterator[Equation]:
        numbers = [(part, Number(number_of(self.tree, node))) for node, part in ends[:STEPS_SHOWN]]
        terms = tuple(plus(Product((_ratio(part), number))) for part, number in numbers)
        yield worked(Call("mean", str(self.shown.target)), Sum(terms), Number(values[0]))


def as_fraction(weight: float) -> Fraction:
    """A weight of the tree as the fraction it rounds."""
    return Fraction(weight).limit_denominator(10**6)


def _ratio(part: Fraction) -> Ratio | Number:
    return Ratio(part.numerator, part.denominator) if part.denominator <= 10**6 else Number(part)


def _whole(weight: Fraction) -> Weight:
    return weight.numerator if weight.denominator == 1 else weight
