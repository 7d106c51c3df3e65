"""Fitting on tables in parts: files, Dask, Spark.

Growing from the counts of all parts gives the tree that their rows in memory would give. What
needs the rows themselves is refused, with the reason and a hint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.survey import Survey
from plaintree.data.table import is_dataset
from plaintree.data.target import LARGEST_WEIGHT, VANISHING, comparable, mean_one_scale
from plaintree.data.training_record import TrainingRecord
from plaintree.errors import ParameterError, TableError
from plaintree.growing.all_rows import all_rows, check_fit
from plaintree.growing.blocks import Layout
from plaintree.growing.checkpoint import Checkpoint
from plaintree.growing.counts import CountSource, PartedTable
from plaintree.growing.from_counts import CountedRows, Growing, lacking, refuse_classes
from plaintree.progress import Progress, no_progress
from plaintree.threads import thread_count
from plaintree.tree.conventions import Conventions

from .class_weight import balanced_factors, check_class_weight_name, given_factors

if TYPE_CHECKING:
    from .base import TableEstimator

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PartedData:
    """A table in parts that was read: its survey, its encoded blocks, and how to grow from them."""

    schema: Schema
    survey: Survey
    source: CountSource
    rows: CountedRows
    growing: Growing

    def all_rows(self, columns: Collection[int], what: str, hint: str) -> Rows:
        """The rows with some of their columns, if they fit memory; ``what`` needs them."""
        limits, n_rows = self.growing.limits, self.survey.n_rows
        check_fit(limits, self.schema, n_rows, columns, what=what, hint=hint)
        rows = all_rows(self.source, self.schema, columns)
        return replace(rows, weights=comparable(rows.weights))

    @property
    def record(self) -> TrainingRecord:
        """The number of rows and the hash of the table."""
        facts = _core.describe_facts(self.source.facts)
        return TrainingRecord(facts["n_rows"], f"{facts['table_hash']:016x}")


@dataclass(frozen=True, eq=False)
class FitOptions:
    """The arguments of ``fit`` beside the table, of one in parts, and what its estimator does.

    - ``takes_rows``: it grows from all rows in memory where counts are not enough.
    - ``draws_rows``: it grows from samples of the rows.
    """

    progress: Progress | None
    checkpoint: str | PathLike[str] | None
    takes_rows: bool = False
    draws_rows: bool = False

    @classmethod
    def of(cls, y: Any, sample_weight: Any, **options: Any) -> FitOptions:
        """The options; columns that a table in parts names itself are refused."""
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None:
                raise ParameterError(
                    f"{name} is given, but a table in parts names its own columns",
                    got=f"{name} of type {type(value).__name__}",
                    hint="name the columns of the target and of weights where it is opened.",
                )
        return cls(**options)


def parted_table(X: Any) -> PartedTable | None:
    """The table in parts that ``X`` is; None if its rows are in memory."""
    if is_dataset(X):
        from plaintree.growing.sources.chunks import DatasetParts

        return DatasetParts(X)
    return X if hasattr(X, "survey") and hasattr(X, "encoded") else None


def refuse_in_memory(checkpoint: str | PathLike[str] | None) -> None:
    """Raise an error for a checkpoint of a table in memory."""
    if checkpoint is not None:
        raise ParameterError(
            "checkpoint is for tables in parts: a table in memory is grown from without levels",
            got=f"checkpoint={str(checkpoint)!r}",
            hint="leave it out, or pass a dataset (plaintree.open_dataset).",
        )


def needs_rows(got: str, hint: str) -> ParameterError:
    """The error for a parameter that needs the rows of a table in parts."""
    return ParameterError(
        "the rows of a table in parts are not in memory, and a parameter needs them",
        got=got,
        hint=f"{hint}, or fit on a table in memory.",
    )


@contextmanager
def reading_parts(
    estimator: TableEstimator,
    table: PartedTable,
    conventions: Conventions,
    options: FitOptions,
    *,
    numeric_target: bool,
) -> Iterator[PartedData]:
    """Read a table in parts for an estimator, and release what that takes afterwards."""
    if estimator.numeric == "intervals":
        raise ParameterError(
            'a table in parts cannot be fitted with numeric="intervals"',
            got="cut points, which are found from all rows in order",
            hint='use numeric="threshold", or fit on a table in memory.',
        )
    lacks = lacking(conventions)
    if lacks and not options.takes_rows:
        lacks[0].refuse()
    kept = None if options.checkpoint is None else Checkpoint(options.checkpoint)
    reading = replace(
        table.reading,
        numeric_target=numeric_target,
        categorical_features=estimator.categorical_features,
    )
    report = options.progress or no_progress
    survey = table.survey(reading, report)
    layout = Layout.of(survey, reading)
    refuse_classes(layout.schema)
    if conventions.missing == "error":
        survey.refuse_missing()
    rows = counted_rows(survey, layout.schema, getattr(estimator, "class_weight", None))
    if rows.scaling is not None:
        _refuse_altered(survey, conventions)
    if options.draws_rows:
        _refuse_without_weight(survey, rows)
    limits = table.limits(survey).for_threads(thread_count(estimator.n_jobs))
    for lack in lacks:  # before rows are encoded in vain
        every = range(len(layout.schema.features))
        check_fit(
            limits, layout.schema, survey.n_rows, every, what=lack.parameter, hint=f"{lack.hint}."
        )
    source = table.encoded(layout, survey, limits, report)
    try:
        growing = Growing(limits, thread_count(estimator.n_jobs), options.progress, kept)
        yield PartedData(layout.schema, survey, source, rows, growing)
    finally:
        source.release()


# -------------------------------------------------------------------- weights


def counted_rows(survey: Survey, schema: Schema, class_weight: Any) -> CountedRows:
    """The rows as they count, where classes have weights."""
    labels = schema.classes or (None,)
    totals = tuple(survey.totals[label] for label in labels)
    rows = CountedRows(schema, totals, survey.weights is not None, scaling=_scaling_of(survey))
    if class_weight is None:
        return rows
    if rows.scaling is not None:
        raise _weights_to_be_scaled(survey, f"class_weight={class_weight!r}")
    check_class_weight_name(class_weight)
    if isinstance(class_weight, str):
        factors = balanced_factors(totals)
    else:
        factors = given_factors(schema, class_weight)
    if not any(f and t for f, t in zip(factors.tolist(), totals, strict=True)):
        raise ParameterError(
            "class_weight leaves no row any weight",
            got=f"class_weight={class_weight!r}",
            hint="give a class of the table a weight above zero.",
        )
    if survey.weights is not None:
        least, most = survey.weights[0] * _least(factors), survey.weights[1] * float(factors.max())
        if not _are_comparable(least, most):
            raise TableError(
                "weights times class_weight are too small, too large or too unequal for a table "
                "in parts",
                got=f"products from {least:g} to {most:g}",
                hint="multiply class_weight by a constant, so the largest is between 1 and 1e15.",
            )
        return rows.with_factors(factors)
    return rows.with_factors(_comparable_factors(factors, totals))


def _least(factors: Floats) -> float:
    return float(factors[factors > 0].min(initial=1.0))


def _comparable_factors(factors: Floats, totals: tuple[Fraction, ...]) -> Floats:
    """The weight of the rows of each class, scaled as :func:`comparable` scales those of rows."""
    most = factors.max()
    kept = np.where(factors < VANISHING * most, 0.0, factors)
    if 1 <= most <= LARGEST_WEIGHT:
        return kept
    scaled = kept / most
    pairs = list(zip(totals, scaled.tolist(), strict=True))
    n_weighty = sum(int(total) for total, weight in pairs if weight > 0)
    return np.asarray(scaled * (n_weighty / float(sum(t * Fraction(w) for t, w in pairs))))


def _are_comparable(least: float, most: float) -> bool:
    """Whether weights are what :func:`comparable` leaves as they are."""
    return 1 <= most <= LARGEST_WEIGHT and least >= VANISHING * most


def _scaling_of(survey: Survey) -> tuple[float, float] | None:
    """How weights are scaled to a mean of one, as :func:`comparable` does; None if they are not."""
    if survey.weights is None or _are_comparable(*survey.weights):
        return None
    least, most = survey.weights
    if least < VANISHING * most:
        raise TableError(
            "the weights of a table in parts are too unequal",
            got=f"weights from {least:g} to {most:g}",
            hint="set weights that are negligible to 0.",
        )
    n_weighty = survey.n_rows - survey.n_without_weight
    return most, mean_one_scale(most, survey.total_weight, n_weighty)


def _weights_to_be_scaled(survey: Survey, parameter: str) -> TableError:
    """The error for weights that are scaled before a parameter multiplies them."""
    assert survey.weights is not None
    least, most = survey.weights
    return TableError(
        f"a table in parts takes {parameter.partition('=')[0]} only with weights whose largest is "
        "between 1 and 1e15",
        got=f"weights from {least:g} to {most:g} and {parameter}",
        hint="multiply the weights by a constant.",
    )


def _refuse_altered(survey: Survey, conventions: Conventions) -> None:
    for name in ("priors", "costs"):
        value = getattr(conventions, name)
        if value is not None:
            raise _weights_to_be_scaled(survey, f"{name}={dict(value)!r}")


def _refuse_without_weight(survey: Survey, rows: CountedRows) -> None:
    """Refuse rows without weight: samples are drawn by number, among the rows with a weight."""
    if survey.n_without_weight:
        n = survey.n_without_weight
        raise TableError(
            "a forest on a table in parts draws from all rows, and some have no weight",
            got=f"{n:,} row{'s' * (n != 1)} of weight 0",
            hint="filter these rows out, or set bootstrap=False.",
        )
    if rows.factors is not None and not rows.factors.all():
        label = rows.schema.classes[int(np.argmin(rows.factors))]
        raise ParameterError(
            "a forest on a table in parts draws from the rows of all classes, and one has no "
            "weight",
            got=f"class_weight of {label!r} is 0",
            hint=f"filter the rows of {label!r} out, or set bootstrap=False.",
        )


def refuse_tiny_weights(data: PartedData, least_share: float) -> None:
    """Raise an error for weights of which a sample may not have anything left."""
    factors = data.rows.factors
    least, most = data.survey.weights or (1.0, 1.0)
    if factors is not None:
        least, most = least * _least(factors), most * float(factors.max())
    if least < most * data.survey.n_rows * least_share:
        raise TableError(
            "the weights of a forest on a table in parts are too unequal",
            got=f"weights from {least:g} to {most:g}",
            hint="set weights that are negligible to 0, or filter their rows out.",
        )
