"""Growing trees and forests from a source of counts: the ones that rows in memory would give.

1. A grower for each tree asks for counts (src/core/levels/level_grower.h).
2. The source replies to the requests of all growers in one pass over its blocks.
3. After a level, what the growers know may be written to a checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.errors import MemoryLimitError, ParameterError, TableError
from plaintree.progress import Progress, no_progress
from plaintree.tree.best_first import keep_best
from plaintree.tree.constraints import by_position
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import PackedForest, Sampling
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.tree import Tree

from .altered import altered_factors, by_decision_rule, restored_weights
from .blocks import FEW_VALUES
from .checkpoint import Checkpoint
from .counts import CountSource
from .finders import ALL_FINDERS
from .forest import check_single_trees_only, drawn_fraction
from .limits import SLACK, Limits
from .one_tree import check_task, engine_params, refuse_empty_branches

Floats = NDArray[np.float64]
MOST_CLASSES = 65_535
"""Blocks store classes in 16 bits."""
TREES_AT_ONCE = 32
"""Trees of a forest that are grown side by side, with equal parts of the limits."""


@dataclass(frozen=True, eq=False)
class CountedRows:
    """What growing needs to know of all rows together.

    - ``totals``: by class, the weight of its rows; of a numeric target, one.
    - ``has_weights``: whether rows have weights of their own.
    - ``factors``: by class, what weights are multiplied with; None: nothing.
    - ``scaling``: what weights are divided by, and then multiplied with; None: nothing. Rows that
      have it have no factors.
    """

    schema: Schema
    totals: tuple[Fraction, ...]
    has_weights: bool = False
    factors: Floats | None = None
    scaling: tuple[float, float] | None = None

    @property
    def total_weight(self) -> float | None:
        """The weight of all rows; None where each counts 1."""
        if not self.has_weights and self.factors is None:
            return None
        if self.scaling is not None:
            most, scale = map(Fraction, self.scaling)
            return float(sum(self.totals, Fraction(0)) / most * scale)
        factors = [1.0] * len(self.totals) if self.factors is None else self.factors.tolist()
        pairs = zip(self.totals, factors, strict=True)
        return float(sum(total * Fraction(factor) for total, factor in pairs))

    def with_factors(self, factors: Floats | None) -> CountedRows:
        """The rows, their weights multiplied by further factors."""
        if factors is None:
            return self
        return replace(self, factors=factors if self.factors is None else self.factors * factors)


@dataclass(frozen=True, eq=False)
class Growing:
    """How trees grow from a source: limits, threads, progress, a checkpoint."""

    limits: Limits = field(default_factory=Limits)
    n_threads: int = 1
    progress: Progress | None = None
    checkpoint: Checkpoint | None = None


def grow_tree_from(
    source: CountSource,
    rows: CountedRows,
    conventions: Conventions,
    growing: Growing,
    *,
    columns_per_node: int = 0,
    seed: int = 0,
) -> Tree:
    """Grow the tree that :func:`plaintree.growing.one_tree.grow_tree` grows from these rows."""
    facts = _checked_facts(source, rows.schema, conventions)
    altered = altered_factors(rows.schema, rows.totals, conventions)
    counted = rows.with_factors(altered)
    params = core_params(conventions, counted, facts["n_rows"])
    params |= {"columns_per_node": columns_per_node, "seed": seed}
    options = growing.limits.for_core() | weighting(counted) | {"n_threads": growing.n_threads}
    options |= _gathering(source, facts["n_rows"], growing.limits)
    (tree,) = _grown(source, {0: (params, options)}, counted.schema, conventions, growing)
    most = conventions.max_leaf_nodes
    tree = tree if most is None else keep_best(tree, most)
    if altered is None:
        return by_decision_rule(tree, None)
    return by_decision_rule(
        tree, lambda weights: restored_weights(weights, altered, counts_rows=not rows.has_weights)
    )


def grow_forest_from(
    source: CountSource,
    rows: CountedRows,
    conventions: Conventions,
    sampling: Sampling,
    growing: Growing,
    *,
    n_trees: int,
    columns_per_node: int = 0,
) -> PackedForest:
    """Grow the forest that :func:`plaintree.growing.forest.grow_forest` grows from these rows."""
    check_single_trees_only(conventions)
    facts = _checked_facts(source, rows.schema, conventions)
    drawn = drawn_fraction(sampling, facts["n_rows"])
    own = sampling.for_engine()
    weight = float(facts["n_rows"]) if rows.total_weight is None else rows.total_weight
    trees: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
    params = core_params(conventions, rows, facts["n_rows"], drawn)
    params |= {"columns_per_node": columns_per_node}
    at_once = min(n_trees, growing.limits.trees_at_once(TREES_AT_ONCE))
    shared = growing.limits.shared_by(at_once).for_core()
    for number in range(n_trees):
        options = shared | weighting(rows) | {"n_threads": growing.n_threads}
        options |= {"sampling": own["how"], "n_draws": own["n_draws"]}
        options |= {"sampling_seed": sampling.seed, "tree": number, "table_weight": weight}
        trees[number] = (params, options)
    grown = _grown(source, trees, rows.schema, conventions, growing)
    most = conventions.max_leaf_nodes
    return PackedForest.from_trees(t if most is None else keep_best(t, most) for t in grown)


# -------------------------------------------------------------------- the loop


def _grown(
    source: CountSource,
    trees: Mapping[int, tuple[dict[str, Any], dict[str, Any]]],
    schema: Schema,
    conventions: Conventions,
    growing: Growing,
) -> Iterator[Tree]:
    """Yield trees by number: some are grown at once, so each pass serves all of them."""
    numbers = sorted(trees)
    at_once = growing.limits.trees_at_once(TREES_AT_ONCE)
    for first in range(0, len(numbers), at_once):
        group = numbers[first : first + at_once]
        growers = {
            number: _grower(source, *trees[number], growing.checkpoint, number) for number in group
        }
        try:
            _answer_all(source, growers, growing, len(numbers), first)
        except OverflowError as error:
            n_rows = _core.describe_facts(source.facts)["n_rows"]
            raise _limit_too_small(error, growing, n_rows, len(group)) from None
        except MemoryError as error:
            refuse_empty_branches(error, schema)
            raise
        for grower in growers.values():
            arrays, n_values = grower.finish()
            yield tree_from_core(arrays, schema.with_value_counts(n_values), conventions)
    if growing.checkpoint is not None:
        growing.checkpoint.remove()


def _answer_all(
    source: CountSource,
    growers: Mapping[int, Any],
    growing: Growing,
    n_trees: int,
    n_before: int,
) -> None:
    """Pass requests on until all growers are done."""
    report = growing.progress or no_progress
    levels = dict.fromkeys(growers, 0)
    requests = _next_requests(growers, growers)
    n_open = len(growers)
    while requests:
        for number, reply in source.answer(requests).items():
            growers[number].answer(reply)
        requests = _next_requests(growers, requests)
        reached = {number: growers[number].progress()["level"] for number in growers}
        if growing.checkpoint is not None and reached != levels:
            growing.checkpoint.write({n: grower.state() for n, grower in growers.items()})
        levels = reached
        steps = [grower.progress() for grower in growers.values()]
        _report_level(report, steps, "" if n_trees == 1 else f" of {_trees(list(growers))}")
        if n_trees > 1 and len(requests) < n_open:
            report("growing trees", n_before + len(growers) - len(requests), n_trees)
        n_open = len(requests)


def _next_requests(growers: Mapping[int, Any], asked: Mapping[int, Any]) -> dict[int, bytes]:
    found = {number: growers[number].next() for number in asked}
    return {number: request for number, request in found.items() if request is not None}


def _report_level(report: Progress, steps: Sequence[Mapping[str, Any]], of_trees: str) -> None:
    level, n_passes = (max(step[name] for step in steps) for name in ("level", "requests"))
    n_open = sum(step["open_nodes"] for step in steps)
    report(f"level {level}, {n_open:,} open node{'s' * (n_open != 1)}{of_trees}", n_passes, None)


def _trees(numbers: Sequence[int]) -> str:
    first, last = min(numbers) + 1, max(numbers) + 1
    return f"tree {first}" if first == last else f"trees {first} to {last}"


def _grower(
    source: CountSource,
    params: dict[str, Any],
    options: dict[str, Any],
    checkpoint: Checkpoint | None,
    number: int,
) -> Any:
    """The grower of a tree, which goes on from a checkpoint if there is one."""
    state = b"" if checkpoint is None else checkpoint.state(number)
    try:
        return _core.LevelGrower(source.facts, params, options, state)
    except ValueError as error:
        if checkpoint is None or not state:
            raise
        raise checkpoint.refused(error) from error


# -------------------------------------------------------------------- what is asked for


def _gathering(source: CountSource, n_rows: int, limits: Limits) -> dict[str, Any]:
    """Where a pass has a price of its own, rows that fit are fetched in one, not counted in many.

    1 M rows x 20 columns on Spark, with loading: depth 6 takes 5.5 s of CPU in 12 passes and 5.1 s
    in one, depth 10 takes 7.3 s in 20 and 6.0 s in one.
    """
    fetches = getattr(source, "passes_are_jobs", False) and n_rows <= limits.gather_rows
    return {"gathers_early": True} if fetches else {}


def core_params(
    conventions: Conventions, rows: CountedRows, n_rows: int, drawn: float = 1.0
) -> dict[str, Any]:
    """The parameters of the core for a table of so many rows; ``drawn``: a tree's share of it."""
    return (
        engine_params(conventions, rows.schema, n_rows, rows.total_weight, drawn)
        | by_position(conventions, rows.schema)
        | {"finders": ALL_FINDERS}
    )


def weighting(rows: CountedRows) -> dict[str, Any]:
    """What rows count, as the core takes it."""
    if rows.scaling is not None:
        return {"scaling": list(rows.scaling)}
    return {} if rows.factors is None else {"class_factors": rows.factors.tolist()}


@dataclass(frozen=True)
class Lack:
    """What counts do not show: the parameter that needs it, what it is, and what to do instead."""

    parameter: str
    reason: str
    hint: str

    def refuse(self) -> NoReturn:
        """Raise the error where rows cannot take the place of counts."""
        raise ParameterError(
            f"counts of a table in parts do not show what {self.parameter} needs",
            got=self.reason,
            hint=f"{self.hint}, or fit on a table in memory.",
        )


def lacking(c: Conventions, schema: Schema | None = None, facts: bytes | None = None) -> list[Lack]:
    """The conventions that need more of a node's rows than counts, as far as is known."""
    found = []
    if c.criterion == "absolute_error":
        reason = "medians, which do not follow from sums of rows"
        found.append(Lack('criterion="absolute_error"', reason, 'use "squared_error"'))
    if c.missing == "surrogate":
        reason = "agreements of splits, which are found row by row"
        found.append(Lack('missing="surrogate"', reason, 'use "most_common" or "branch"'))
    if c.max_bins is not None:
        reason = "bins of about as many rows each, whose limits are ranks among all rows"
        found.append(Lack(f"max_bins={c.max_bins}", reason, "leave it out to try all thresholds"))
    if c.splitter == "random":
        reason = "a threshold drawn between the least and the greatest value of each node"
        found.append(Lack('splitter="random"', reason, 'use splitter="best"'))
    adjusts = c.significance is not None and c.significance_test == "adjusted"
    if schema is not None and facts is not None and adjusts:
        columns = _core.describe_facts(facts)["columns"]
        pairs = zip(schema.features, columns, strict=True)
        for name in [feature.name for feature, column in pairs if not column["exact"]][:1]:
            reason = f"the number of distinct values of {name!r}, which has over {FEW_VALUES:,}"
            hint = 'use significance_test="chi_square", round the column'
            found.append(Lack(f"significance={c.significance}", reason, hint))
    return found


def refuse_classes(schema: Schema) -> None:
    """Raise an error for more classes than blocks store."""
    if len(schema.classes) > MOST_CLASSES:
        raise TableError(
            f"a table in parts may have at most {MOST_CLASSES:,} classes",
            got=f"{len(schema.classes):,} in {schema.target!r}",
            hint="if it is a measurement, use a regressor; otherwise join rare classes.",
        )


def _checked_facts(source: CountSource, schema: Schema, conventions: Conventions) -> dict[str, Any]:
    """The facts of the table, or an error where growing from counts does not give its tree."""
    facts: dict[str, Any] = _core.describe_facts(source.facts)
    check_task(schema, conventions, facts["least_target"], facts["greatest_target"])
    refuse_classes(schema)
    for lack in lacking(conventions, schema, source.facts):
        lack.refuse()
    return facts


def _limit_too_small(
    error: OverflowError, growing: Growing, n_rows: int, n_trees: int
) -> MemoryLimitError:
    """The error of the core, with a memory_limit that works where the table has one."""
    what, needed = error.args
    limits = growing.limits
    hint = "use fewer columns, round their values, or fit on a table in memory."
    if limits.size is not None:

        def fits(own: Limits) -> bool:  # whatever is looked at later: all rows of a column
            return SLACK * own.table_bytes >= needed and own.list_rows >= n_rows

        least = limits.least_total(growing.n_threads, n_trees, fits)
        hint = f'pass memory_limit="{least}MB" or more, or limit max_depth.'
    return MemoryLimitError(
        "memory_limit is too small for this table"
        if limits.size
        else "a node of this table needs more memory than growing may take",
        got=f"{what}, which takes {needed / 2**20:,.0f} MiB",
        hint=hint,
    )
