"""The equation of each measure, with the addresses of the numbers that are filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from plaintree.errors import ParameterError
from plaintree.stats.exact import Value, times

from .address import OF_GROUPS, Address, RowGroup
from .choice import asks_average, averaged
from .document import Call, Equation, Expression, Number, Product, Quotient, Ratio, Sum, minus, plus
from .formula import plainly, with_symbols
from .formulas import TestFormulas
from .number_terms import NumberTerms
from .offers import offers_of
from .terms import MOST_TERMS, worked
from .workings import GroupRows, Workings


@dataclass(frozen=True, eq=False)
class Equations:
    """Writes the equation of an address."""

    workings: Workings

    def equation(self, address: Address) -> Equation:
        """The name, the symbols, the numbers filled in and the result."""
        if address.measure in OF_GROUPS:
            found = self._of_group(address, self.workings.rows(address))
        elif address.measure == "average_gain":
            found = self._average(address)
        else:
            found = self._of_split(address, self.workings.tests(address))
        return self._with_symbols(found)

    def _of_group(self, address: Address, rows: GroupRows) -> Equation:
        terms, (counts, unit, name) = self.workings.terms, rows
        of = RowGroup(address.node, address.split, address.branch)
        match address.measure:
            case "impurity" if any(counts):
                call = Call(terms.impurity, name)
                return list(terms.impurity_equations(call, counts, unit, of))[-1]
            case "impurity":
                return worked(Call(terms.impurity, name), Number(0))
            case "weight":
                return worked(Call("n", name), *self._weights(rows, of), self._weight(rows))
            case "class_weight":
                assert address.label is not None, "checked with the address"
                call = Call("n", f"{name}, {terms.shown.classes[address.label]}")
                return worked(call, Number(_over(counts[address.label], unit)))
        if not isinstance(terms, NumberTerms):
            raise ParameterError(
                f"classes have no {address.measure.replace('_', ' ')}",
                got=f"measure={address.measure!r}",
                hint="use it with a numeric target.",
            )
        if address.measure in ("centre", "deviation"):
            equations = list(terms.branch_equations(Call("", name), counts, unit, of))
            return equations[address.measure == "deviation"]
        return _sum_of(terms, address.measure, rows)

    def _weights(self, rows: GroupRows, of: RowGroup) -> Iterator[Expression]:
        """The sum of the weights of the classes, if there are several and not too many."""
        counts = rows.counts if self.workings.tree.schema.classes else ()
        summed = [
            plus(Number(_over(weight, rows.unit), of.address("class_weight", code)))
            for code, weight in enumerate(counts)
            if weight
        ]
        if 0 < len(summed) <= MOST_TERMS:
            yield Sum(tuple(summed))

    def _weight(self, rows: GroupRows) -> Number:
        return Number(_over(self.workings.cases.sums.weight(rows.counts), rows.unit))

    def _of_split(self, address: Address, tests: TestFormulas) -> Equation:
        found, ratios = tests.tried.measures, list(tests.ratios())
        match address.measure:
            case "score":
                return ratios[-1] if ratios else tests.gain()
            case "gain":
                return tests.gain()
            case "split_information" if len(ratios) > 1:
                return ratios[0]
            case "split_information":
                raise ParameterError(
                    "the criterion of the tree has no split information",
                    got=f"measure={address.measure!r} of {tests.terms.sums.criterion!r}",
                    hint='grow the tree with criterion="gain_ratio".',
                )
            case "missing_weight":
                return self._missing(address, tests)
            case "known_remainder" if found.share != 1:
                return _known_remainder(tests)
        return tests.remainder()

    def _missing(self, address: Address, tests: TestFormulas) -> Equation:
        of, scale = tests.of, tests.tried.scale
        name = self.workings.terms.shown.names[tests.tried.condition.feature]
        node = Address(address.node, "weight")
        everyone = Number(self._weight(self.workings.rows(node)).value, node)
        known = self._weight(self.workings.rows(replace(address, measure="weight")))
        left = Sum((plus(everyone), minus(Number(known.value, of.address("weight")))))
        return worked(Call("n", f"{name} missing"), left, Number(_over(scale.missing, scale.unit)))

    def _average(self, address: Address) -> Equation:
        if not asks_average(self.workings.cases.rules):
            raise ParameterError(
                "the conventions of the tree have no average gain",
                got=f"measure={address.measure!r}",
                hint="only C4.5 compares gains with their average.",
            )
        here = self.workings.at(address.node)
        columns = [c for c in range(len(self.workings.cases.columns)) if c not in here.used]
        offers = averaged(
            self.workings.cases, offers_of(self.workings.cases, here.rows, columns, 1)
        )
        gains = [offer.gain for offer in offers]
        if not gains:
            return worked(Call("average gain", "S"), Number(0))
        terms = [
            plus(Number(offer.gain, Address(address.node, "gain", offer.best.condition)))
            for offer in offers
            if offer.best is not None
        ]
        filled = (Quotient(Sum(tuple(terms)), Number(len(gains))),)
        mean = Number(sum(gains) / len(gains))
        return worked(
            Call("average gain", "S"), *(filled if len(terms) <= MOST_TERMS else ()), mean
        )

    def _with_symbols(self, equation: Equation) -> Equation:
        """The equation with names of the numbers before these are filled in."""
        wanted, *sides = map(plainly, equation.parts)
        if len(sides) > 1:
            named = with_symbols(sides[0], self._symbol)
            sides = sides if named == sides[0] else [named, *sides]
        return Equation((wanted, *sides), equation.unit)

    def _symbol(self, address: Address) -> Call | None:
        """The name of a number in formulas; None for counts, which are written as numbers."""
        match address.measure:
            case "impurity" | "centre" | "deviation":
                return replace(self._name_of(address), address=address)
            case "gain" | "split_information" | "remainder" | "known_remainder":
                call = plainly(self._of_split(address, self.workings.tests(address)).parts[0])
                assert isinstance(call, Call), "an equation begins with its name"
                return replace(call, address=address)
        return None

    def _name_of(self, address: Address) -> Call:
        terms, name = self.workings.terms, self.workings.rows(address).name
        if address.measure == "impurity" or not isinstance(terms, NumberTerms):
            return Call(terms.impurity, name)
        return Call(terms.centre if address.measure == "centre" else terms.total, name)


def _over(weight: Value, unit: int) -> Value:
    """A weight in parts of a unit, an integer if it is one."""
    if unit == 1:
        return weight
    divided = Fraction(weight) / unit
    return divided.numerator if divided.denominator == 1 else divided


def _known_remainder(tests: TestFormulas) -> Equation:
    """What the branches leave, times the fraction of the rows with a value."""
    scale, found, of = tests.tried.scale, tests.tried.measures, tests.of
    addresses = (of.address("weight"), of.whole.address("weight"))
    ratio = Ratio(scale.known, scale.everyone, scale.unit, addresses)
    filled = Product((ratio, Number(found.after, of.address("remainder"))))
    call = Call(f"known {tests.terms.impurity}", "S", tests.name)
    return worked(call, filled, Number(times(found.share, found.after)))


def _sum_of(terms: NumberTerms[Any], measure: str, rows: GroupRows) -> Equation:
    """The sum of the targets of a group, or of their squares, as it was counted."""
    found = terms.plain_sums(rows.counts, rows.unit)
    if measure not in found:
        raise ParameterError(
            f"the criterion of the tree does not use the {measure.replace('_', ' ')}",
            got=f"measure={measure!r} of {terms.sums.criterion!r}",
            hint="use centre or deviation.",
        )
    return worked(Call(measure.replace("_", " "), rows.name), Number(found[measure]))
