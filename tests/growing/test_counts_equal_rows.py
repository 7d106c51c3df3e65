"""Growing from counts against the engine on rows in memory, on thousands of small random tables.

Blocks, their order, the borders of columns and the limits of memory are random as well: none of
them may decide what the tree is.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plaintree import _core
from plaintree.errors import ParameterError
from plaintree.growing.forest import grow_forest
from plaintree.growing.from_counts import Growing, grow_tree_from
from plaintree.growing.limits import Limits
from plaintree.growing.sources.memory import BlocksInMemory
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import Sampling
from plaintree.tree.tree import Tree
from tests.support.counted import (
    Blocks,
    counted_rows,
    differences,
    forest_from_counts,
    grown_from_counts,
    knows_numbers_of_values,
)
from tests.support.larger_tables import larger_case
from tests.support.random_tables import (
    CLASS_CRITERIA,
    SPLITS,
    Case,
    cases,
    fine_print,
    from_a_seed,
    kinds_with,
    many,
    policies,
)
from tests.support.random_targets import target_cases, target_fine_print

FOLLOWED = [(kind, missing) for kind, missing in SPLITS if missing != "surrogate"]
TARGET_CRITERIA = ["squared_error", "poisson"]
SEEDS = st.integers(0, 2**32 - 1)


def check_same(case: Case, rules: Conventions, number: int, **options: Any) -> None:
    """Compare both trees, unless this is one of the combinations that are refused."""

    def grown() -> Tree:
        return grown_from_counts(Random(number), case.schema, case.rows, rules, **options)

    by_number = rules.significance is not None and rules.significance_test == "adjusted"
    if by_number and not knows_numbers_of_values(Random(number), case.schema, case.rows):
        with pytest.raises(ParameterError, match="number of distinct values"):
            grown()
    else:
        assert differences([grown()], [case.grow(rules, **options)]) == []


@pytest.mark.parametrize(
    ("criterion", "categorical", "missing"),
    [(criterion, *split) for criterion, split in product(CLASS_CRITERIA, FOLLOWED)],
)
@many(12)
@given(data=st.data(), seed=SEEDS)
def test_classes(
    data: st.DataObject, seed: int, criterion: Any, categorical: Any, missing: Any
) -> None:
    subject = (criterion, categorical, missing)
    case = data.draw(cases(*subject, gaps=missing != "error"))
    if seed % 3 == 0:
        case = case.stretched(one_more_class=bool(seed % 2))
    more = data.draw(fine_print(*subject) | st.just({}))
    check_same(case, Conventions(*subject, **more), seed)


@pytest.mark.parametrize(
    ("criterion", "missing"),
    list(product(TARGET_CRITERIA, policies(of_classes=False, of_surrogates=False))),
)
@many(40)
@given(data=st.data(), seed=SEEDS)
def test_numeric_targets(data: st.DataObject, seed: int, criterion: Any, missing: Any) -> None:
    case = data.draw(target_cases(criterion, missing))
    if seed % 3 == 0:
        case = case.stretched()
    more = data.draw(target_fine_print(criterion, missing) | st.just({}))
    categorical = data.draw(st.sampled_from(kinds_with(missing)))
    rules = Conventions(criterion=criterion, categorical=categorical, missing=missing, **more)
    check_same(case, rules, seed)


@many(80)
@given(data=st.data(), seed=SEEDS)
def test_many_classes_of_which_nodes_have_few(data: st.DataObject, seed: int) -> None:
    case = data.draw(cases("classes")).with_many_classes
    criterion = data.draw(st.sampled_from(CLASS_CRITERIA))
    missing = data.draw(st.sampled_from(policies(of_surrogates=False)))
    check_same(case, Conventions(criterion=criterion, missing=missing), seed)


@many(120)
@given(data=st.data(), seed=SEEDS)
def test_priors_and_costs(data: st.DataObject, seed: int) -> None:
    case = data.draw(cases("costs"))
    random, n = Random(seed), case.n_classes
    shares = [random.random() + 0.05 for _ in range(n)]
    pairs = [pair for pair in product(range(n), repeat=2) if pair[0] != pair[1]]
    given: dict[str, Any] = {
        "priors": {code: share / sum(shares) for code, share in enumerate(shares)},
        "costs": {pair: random.choice([1, 2, 5]) for pair in pairs},
    }
    chosen = {name: given[name] for name in random.choice([["priors"], ["costs"], list(given)])}
    missing = data.draw(st.sampled_from(policies(of_surrogates=False)))
    check_same(case, Conventions(missing=missing, **chosen), seed)


@many(150)
@given(data=st.data(), seed=SEEDS)
def test_columns_that_are_monotonic_forbidden_first_or_sampled(
    data: st.DataObject, seed: int
) -> None:
    numeric = seed % 2 == 0
    case = data.draw(target_cases("squared_error", "columns") if numeric else cases("columns"))
    names = [feature.name for feature in case.schema.features if not feature.is_categorical]
    assume(names)
    random = Random(seed)
    rules: dict[str, Any] = {"missing": random.choice(["fractional", "most_common"])}
    rules["criterion"] = "squared_error" if numeric else "gini"
    if numeric or case.n_classes == 2:
        rules |= {"monotonic_cst": {random.choice(names): random.choice([1, -1])}}
        rules |= {"categorical": random.choice(["one_vs_rest", "subset"])}
    rules[random.choice(["forbid", "first"])] = (random.choice(names),)
    rules["max_leaf_nodes"] = random.choice([None, 2, 5])
    sampled = random.choice([{}, {"columns_per_node": 1, "seed": seed}])
    check_same(case, Conventions(**rules), seed, **sampled)


@many(200)
@given(data=st.data(), seed=SEEDS)
def test_feature_costs_and_interactions_with_other_conventions(
    data: st.DataObject, seed: int
) -> None:
    random, numeric = Random(seed), seed % 2 == 0
    criterion = random.choice(TARGET_CRITERIA if numeric else CLASS_CRITERIA)
    missing = random.choice(policies(of_classes=not numeric, of_surrogates=False))
    categorical = random.choice(kinds_with(missing))
    subject = (criterion, categorical, missing)
    case = data.draw(target_cases(*subject) if numeric else cases(*subject))
    more = data.draw(target_fine_print(*subject) if numeric else fine_print(*subject))
    names = case.schema.names
    costs = {name: random.choice([0.5, 1, 3]) for name in names}
    groups = random.choice([[], [names[:2], names[1:]], [names]])
    rules = {"feature_costs": random.choice([None, costs]), "interaction_cst": groups}
    sampled = random.choice([{}, {"columns_per_node": 1, "seed": seed}])
    check_same(case, Conventions(*subject, **more, **rules), seed, **sampled)


@pytest.mark.parametrize("how", ["with_replacement", "without_replacement", "all"])
@many(50)
@given(data=st.data(), seed=SEEDS)
def test_forests(data: st.DataObject, seed: int, how: Any) -> None:
    numeric = seed % 2 == 0
    case = data.draw(target_cases("squared_error", how) if numeric else cases(how))
    assume(not case.weights or min(case.weights) > 0)
    random, rows = Random(seed), case.rows
    rules = Conventions(
        criterion="squared_error" if numeric else random.choice(CLASS_CRITERIA),
        missing=random.choice(policies(of_classes=not numeric, of_surrogates=False)),
        average_gain=not numeric and random.choice([True, False]),
    )
    n = len(rows.target)
    sampling = Sampling(how, n if how == "all" else random.choice([n, (n + 1) // 2]), seed)
    options = {"n_trees": 3, "columns_per_node": random.choice([0, 1, 2])}
    forest = grow_forest(case.schema, rows, rules, sampling, **options)
    grown = forest_from_counts(random, case.schema, rows, rules, sampling, **options)
    assert differences(list(grown), list(forest)) == []


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, *TARGET_CRITERIA])
@many(8)
@given(data=st.data(), seed=SEEDS)
def test_larger_tables_of_every_kind_of_column(
    data: st.DataObject, seed: int, criterion: Any
) -> None:
    numeric = criterion in TARGET_CRITERIA
    case = data.draw(from_a_seed(lambda random: larger_case(random, numeric=numeric), criterion))
    missing = data.draw(st.sampled_from(policies(of_classes=not numeric, of_surrogates=False)))
    max_depth = data.draw(st.sampled_from([None, 3]))
    rules = Conventions(criterion=criterion, missing=missing, max_depth=max_depth)
    check_same(case, rules, seed)


def test_squared_error_with_a_branch_for_missing_values_in_a_long_list() -> None:
    """In memory, what such a branch removes was not counted where lists were compared."""
    random = np.random.default_rng(1)
    x, z = random.normal(size=(2, 600))
    y = np.where(x > 0, 3.0, 0.0) + np.round(z)
    x[:200], y[:200] = np.nan, 20.0
    case = larger_case(Random(0), numeric=True, columns=[z.tolist(), x.tolist()], y=y.tolist())
    rules = Conventions(criterion="squared_error", missing="branch", max_depth=1)
    assert case.grow(rules).feature[0] == 1
    check_same(case, rules, 0)


@pytest.mark.parametrize("gather_rows", [2**20, 100])
def test_where_passes_are_jobs_rows_that_fit_are_fetched_in_one(gather_rows: int) -> None:
    case = larger_case(Random(3), numeric=False)
    source = Blocks.random(Random(3), case.schema, case.rows).source(case.schema, case.rows)
    jobs = PassesAreJobs(source)
    rules, growing = Conventions(max_depth=6), Growing(Limits(gather_rows=gather_rows))
    tree = grow_tree_from(jobs, counted_rows(case.schema, case.rows), rules, growing)
    assert differences([tree], [case.grow(rules)]) == []
    fits = len(case.rows.target) <= gather_rows
    assert (jobs.gathered == [True]) == fits


class PassesAreJobs:
    """A source each pass over which has a price; notes which of them fetched rows."""

    passes_are_jobs = True

    def __init__(self, source: BlocksInMemory) -> None:
        self._source = source
        self.facts = source.facts
        self.gathered: list[bool] = []

    def answer(self, requests: Mapping[int, bytes]) -> dict[int, bytes]:
        self.gathered += [_core.describe_request(r)["gather"] > 0 for r in requests.values()]
        return self._source.answer(requests)

    def release(self) -> None:
        self._source.release()
