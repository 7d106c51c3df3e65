"""Forests as the engine grows and packs them, held against single trees and plain Python."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from dataclasses import replace
from itertools import product
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.growing.forest import grow_forest
from plaintree.tree.conventions import CART, CHOICES, ID3, Conventions
from plaintree.tree.forest import PackedForest, Sampling
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.tree import ARRAY_DTYPES, Tree
from tests.oracle.engine_check import check_tree
from tests.oracle.naive_forest import Draws, check_drawn_tree, mix, shuffled, times_drawn
from tests.support.random_tables import CLASS_CRITERIA, Case, cases, fine_print, many, policies
from tests.support.trees import (
    TENNIS_SCHEMA,
    XY_SCHEMA,
    build,
    chain_spec,
    random_rows,
    specs,
    tennis,
)

ALL = Sampling("all", 0, 0)
SAMPLINGS = ("all", "with_replacement", "without_replacement")


def forest_of(case: Case, rules: Conventions, sampling: Sampling, **options: Any) -> PackedForest:
    given = {"n_trees": 2, **options}
    return grow_forest(case.schema, case.rows, rules, sampling, **given)


def sample_of(case: Case, sampling: Sampling, tree: int) -> Case:
    """The table that a tree of the forest sees: rows weigh as often as they were drawn."""
    weights = np.ones(len(case.y)) if case.weights is None else np.array(case.weights)
    present = np.flatnonzero(weights > 0)
    times = np.zeros(len(weights), dtype=int)
    times[present] = times_drawn(sampling, tree, len(present))
    drawn = {"times": times.tolist(), "lightest": float(weights[present].min())}
    return replace(case, weights=(weights * times).tolist(), **drawn)


def sampling_for(case: Case, how: Any, share: float, seed: int) -> Sampling:
    n = len(case.y) if case.weights is None else int(np.count_nonzero(case.weights))
    return Sampling(how, max(1, round(share * n)), seed)


def assert_same(tree: Tree, other: Tree) -> None:
    """Bit for bit, and whatever no tree can be told apart by."""
    assert tree.difference(other) is None
    for name in ARRAY_DTYPES:
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


# -------------------------------------------------------------------- chance


def test_the_hash_is_splitmix64() -> None:
    """Its published sequence from seed 0."""
    assert [mix(0, i) for i in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_samples_have_their_size_and_differ_from_tree_to_tree() -> None:
    for how, n_draws in (("with_replacement", 50), ("without_replacement", 30)):
        samples = [times_drawn(Sampling(how, n_draws, 7), tree, 50) for tree in range(40)]
        assert {int(times.sum()) for times in samples} == {n_draws}
        assert len({times.tobytes() for times in samples}) == 40
        mean = np.mean(samples, axis=0)
        assert np.abs(mean - n_draws / 50).max() < 0.5
    assert times_drawn(Sampling("without_replacement", 30, 7), 0, 50).max() == 1


@pytest.mark.parametrize("how", SAMPLINGS)
@pytest.mark.parametrize("n_rows", [1, 14, 65_536, 65_537, 70_000])
def test_samples_are_drawn_by_block(how: Any, n_rows: int) -> None:
    for n_draws in (n_rows, (n_rows + 1) // 2):
        sampling = Sampling(how, n_draws, 7)
        drawn = sampling.draw(3, n_rows)
        np.testing.assert_array_equal(drawn, times_drawn(sampling, 3, n_rows))


def test_orders_are_permutations() -> None:
    orders = {tuple(shuffled(key, 6)) for key in range(300)}
    assert all(sorted(order) == list(range(6)) for order in orders)
    assert len(orders) > 200


# -------------------------------------------------------------------- trees of all columns

PACKED = policies(of_surrogates=False)
"""The policies for missing values that trees of forests have."""
EACH_POLICY = pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, [*PACKED, "error"]))
)
CATEGORICAL = st.sampled_from(CHOICES["categorical"])
# What is learnt from the whole table, even by a tree of a sample, is left out.
OF_THE_SAMPLE = {
    "threshold": "midpoint",
    "average_gain": False,
    "min_weight_fraction_leaf": 0.0,  # of the mean sample, not of this one
}


def fine_print_of_samples() -> st.SearchStrategy[dict[str, Any]]:
    return fine_print().map(lambda fine: fine | OF_THE_SAMPLE) | st.just({})


@EACH_POLICY
@many(8)
@given(data=st.data())
def test_a_tree_of_all_rows_and_columns_is_the_single_tree(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(gaps=missing != "error"))
    if data.draw(st.booleans()):
        case = case.stretched(one_more_class=data.draw(st.booleans()))
    more = data.draw(fine_print() | st.just({}))
    rules = Conventions(criterion, data.draw(CATEGORICAL), missing, **more)
    expected = case.grow(rules)
    for columns_per_node in (0, len(case.columns)):  # lists kept sorted, or sorted when needed
        forest = forest_of(case, rules, ALL, columns_per_node=columns_per_node)
        assert_same(forest[0], expected)
        assert_same(forest[1], expected)


@EACH_POLICY
@many(8)
@given(data=st.data())
def test_a_tree_of_a_sample_is_the_single_tree_with_that_many_copies_of_each_row(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(gaps=missing != "error"))
    rules = Conventions(
        criterion, data.draw(CATEGORICAL), missing, **data.draw(fine_print_of_samples())
    )
    how, share = data.draw(st.sampled_from(SAMPLINGS[1:])), data.draw(st.sampled_from([0.5, 1.0]))
    sampling = sampling_for(case, how, share, data.draw(st.integers(0, 2**31)))
    for columns_per_node in (0, len(case.columns)):
        forest = forest_of(case, rules, sampling, columns_per_node=columns_per_node)
        for number, tree in enumerate(forest):
            sample = sample_of(case, sampling, number)
            exact = sample.is_exact(rules)  # else units of weight differ, and rounding may decide
            check_tree(sample.naive, rules, tree, exact=exact)
            if exact and rules.min_samples_split == 2 and rules.min_samples_leaf == 1:
                assert tree.difference(sample.grow(rules)) is None


@pytest.mark.parametrize("columns_per_node", [0, 2])
def test_rows_drawn_very_often_count_as_often(columns_per_node: int) -> None:
    """More often than one entry of the engine's lists can say."""
    random = np.random.default_rng(0)
    case = Case(random.normal(size=(2, 12)).tolist(), [0, 0], [0, 1, 2] * 4, 3, None)
    sampling = Sampling("with_replacement", 600, 5)
    (tree,) = forest_of(case, CART, sampling, n_trees=1, columns_per_node=columns_per_node)
    sample = sample_of(case, sampling, 0)
    assert max(sample.weights) > 40
    expected = sample.grow(CART)
    np.testing.assert_array_equal(tree.class_weights, expected.class_weights)
    np.testing.assert_array_equal(tree.threshold, expected.threshold)


# -------------------------------------------------------------------- columns drawn per node


@EACH_POLICY
@many(8)
@given(data=st.data())
def test_every_node_has_the_best_test_of_the_columns_it_drew(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(gaps=missing != "error"))
    more = data.draw(fine_print_of_samples()) | {"significance": None}
    rules = Conventions(criterion, data.draw(CATEGORICAL), missing, **more)
    most_rows = 1000
    if data.draw(st.booleans()):
        case, most_rows = case.stretched(one_more_class=data.draw(st.booleans())), 60
    seed = data.draw(st.integers(0, 2**31))
    sampling = sampling_for(case, data.draw(st.sampled_from(SAMPLINGS)), 1.0, seed)
    wanted = data.draw(st.integers(1, len(case.columns)))
    for number, tree in enumerate(forest_of(case, rules, sampling, columns_per_node=wanted)):
        sample = sample_of(case, sampling, number)
        check_drawn_tree(
            sample.naive,
            rules,
            tree,
            Draws(seed, number, wanted),
            exact=sample.is_exact(rules),
            most_rows=most_rows,
        )


def test_columns_that_offer_nothing_do_not_end_a_tree() -> None:
    """Further columns are drawn until one offers a test."""
    constant = [[1.0] * 8] * 20
    case = Case([*constant, [0, 0, 0, 0, 1, 1, 1, 1]], [0] * 21, [0] * 4 + [1] * 4, 2, None)
    for tree in forest_of(case, CART, ALL, n_trees=20, columns_per_node=1):
        assert tree.size == 1
        assert tree.feature[0] == 20


# -------------------------------------------------------------------- fast ways and slow ones


def large_case(seed: int, n_rows: int, n_classes: int, *, gaps: bool = False) -> Case:
    """Numbers of many values and of few, with ties, and categories; classes that are noisy."""
    random = np.random.default_rng(seed)
    columns = [
        random.normal(size=n_rows),
        np.round(random.normal(size=n_rows), 2),  # ties among several hundred values
        random.exponential(size=n_rows) ** 4,  # most values close together
        random.integers(0, 300, n_rows) * (random.random(n_rows) < 0.5),  # half of them equal
        random.integers(0, 6, n_rows).astype(float),
        random.integers(0, 5, n_rows),
    ]
    score = (
        columns[0] * columns[1] + (columns[2] > 1) + (columns[5] == 2) + random.normal(0, 1, n_rows)
    )
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    if gaps:
        columns = [np.where(random.random(n_rows) < 0.1, -1 if c.dtype.kind == "i" else np.nan, c)
                   for c in columns]  # fmt: skip
    return Case([c.tolist() for c in columns], [0, 0, 0, 0, 0, 5], y.tolist(), n_classes, None)


@pytest.mark.parametrize("columns_per_node", [0, 3])
@pytest.mark.parametrize("missing", [None, "branch", "most_common", "most_common_in_class"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_counting_rows_grows_the_trees_of_adding_up_weights(
    n_classes: int, missing: Any, columns_per_node: int
) -> None:
    """Rows without weights have ways of their own that are fast; weights of one have not."""
    for seed, n_rows in enumerate((300, 700, 3000)):
        case = large_case(seed, n_rows, n_classes, gaps=missing is not None)
        rules = replace(CART, missing=missing or "error", min_samples_leaf=1 + 3 * (seed == 1))
        sampling = Sampling("with_replacement", n_rows, seed)
        options = {"columns_per_node": columns_per_node}
        fast = forest_of(case, rules, sampling, **options)
        slow = forest_of(replace(case, weights=[1.0] * n_rows), rules, sampling, **options)
        for tree, other in zip(fast, slow, strict=True):
            assert tree.size > 20
            assert_same_up_to_ties(tree, other)


def numeric_case(seed: int, n_rows: int, n_classes: int, n_two_valued: int) -> Case:
    """Numbers only, many columns of two values among them, some rare and some as good as others."""
    random = np.random.default_rng(seed)
    columns = [random.normal(size=n_rows), np.round(random.normal(size=n_rows), 1)]
    columns += [np.where(random.random(n_rows) < share, 2.5, -1.0)
                for share in random.uniform(0.005, 0.5, n_two_valued)]  # fmt: skip
    columns += [columns[-1], random.integers(0, 400, n_rows).astype(float)]
    score = columns[0] * columns[1] + columns[2] + random.normal(0, 1, n_rows)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    return Case([c.tolist() for c in columns], [0] * len(columns), y.tolist(), n_classes, None)


@pytest.mark.parametrize("n_two_valued", [1, 20, 80])
@pytest.mark.parametrize("n_classes", [2, 7, 8, 9, 20, 70])
@pytest.mark.parametrize("least", [1, 4])
def test_small_nodes_and_columns_of_two_values_are_cut_as_by_weights(
    least: int, n_classes: int, n_two_valued: int
) -> None:
    """Nodes of few rows of a table of numbers, and columns of two values, have fast ways, too."""
    for seed, n_rows in enumerate((60, 500, 2500)):
        case = numeric_case(seed, n_rows, n_classes, n_two_valued)
        rules = replace(CART, missing="error", min_samples_leaf=least)
        for how, per_node in (("with_replacement", 1), ("all", 5)):
            sampling = Sampling(how, n_rows, seed)
            fast = forest_of(case, rules, sampling, columns_per_node=per_node)
            weighted = replace(case, weights=[1.0] * n_rows)
            slow = forest_of(weighted, rules, sampling, columns_per_node=per_node)
            for tree, other in zip(fast, slow, strict=True):
                assert tree.size > 3
                assert_same_up_to_ties(tree, other)


@pytest.mark.parametrize("n_classes", [2, 9])
def test_few_rows_may_count_more_than_a_byte_can_hold(n_classes: int) -> None:
    case = numeric_case(0, 40, n_classes, 5)
    rules = replace(CART, missing="error")
    sampling = Sampling("with_replacement", 7 * 40, 0)
    (tree,) = forest_of(case, rules, sampling, n_trees=1, columns_per_node=3)
    assert tree.weight[0] == 280
    assert tree.size > 5
    naive = sample_of(case, sampling, 0).naive
    check_drawn_tree(naive, rules, tree, Draws(0, 0, 3), exact=True)


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "missing"),
    [(20_000, 2, "error"), (20_000, 5, "branch"), (80_000, 2, "error")],
)
def test_trees_of_large_tables_are_those_of_adding_up_weights(
    n_rows: int, n_classes: int, missing: Any
) -> None:
    """Tables beyond the cache, where nodes of few rows get them into an array of their own, and
    more values than two bytes can tell apart."""
    case = large_case(5, n_rows, n_classes, gaps=missing != "error")
    sampling = Sampling("with_replacement", n_rows, 5)
    rules = replace(CART, missing=missing)
    options = {"columns_per_node": 2, "n_trees": 1}
    (fast,) = forest_of(case, rules, sampling, **options)
    weighted = replace(case, weights=[1.0] * n_rows)
    (slow,) = forest_of(weighted, rules, sampling, **options)
    assert fast.size > n_rows / 10
    assert_same_up_to_ties(fast, slow, most_ties=fast.size // 500)


def assert_same_up_to_ties(tree: Tree, other: Tree, most_ties: int = 2) -> None:
    """The same, or another test of the very same score; what is below such a node may differ."""
    pending, n_ties = [(0, 0)], 0
    while pending:
        mine, theirs = pending.pop()
        assert tree.class_weights[mine].tolist() == other.class_weights[theirs].tolist()
        if tree.condition(mine) != other.condition(theirs):
            assert tree.feature[mine] == other.feature[theirs]
            assert tree.score[mine] == pytest.approx(other.score[theirs], abs=1e-14)
            n_ties += 1
            continue
        assert tree.n_tied[mine] == other.n_tied[theirs]
        first, second = int(tree.first_child[mine]), int(other.first_child[theirs])
        pending += [(first + i, second + i) for i in range(int(tree.n_children[mine]))]
    assert n_ties <= most_ties


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("missing", [*PACKED, "error"])
def test_sorting_when_needed_grows_the_trees_of_keeping_lists_sorted(
    criterion: Any, missing: Any
) -> None:
    case = large_case(3, 1200, 3, gaps=missing != "error")
    rules = Conventions(criterion, "subset", missing, min_samples_leaf=2)
    if missing == "fractional":
        rules = replace(rules, max_depth=5)
    sampling = Sampling("with_replacement", 1200, 3)
    by_lists, by_sorting = (
        forest_of(case, rules, sampling, n_trees=1, columns_per_node=n)[0] for n in (0, 6)
    )
    assert by_lists.size > 8
    assert by_lists.difference(by_sorting) is None


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("gaps", [False, True])
def test_large_nodes_have_the_best_test(n_classes: int, gaps: bool) -> None:
    case = large_case(4, 560, n_classes, gaps=gaps)
    case = replace(case, columns=case.columns[:2], n_categories=[0, 0])
    rules = replace(CART, missing="branch", max_depth=1)
    sampling = Sampling("with_replacement", 560, 4)
    (tree,) = forest_of(case, rules, sampling, n_trees=1, columns_per_node=1)
    draws = Draws(4, 0, 1)
    check_drawn_tree(sample_of(case, sampling, 0).naive, rules, tree, draws, exact=True)


@many(60)
@given(data=st.data())
def test_the_best_cut_of_many_rows_is_the_first_of_equals(data: st.DataObject) -> None:
    """Classes in stretches and values in heaps, so that many cuts score the same."""
    n, n_heaps = data.draw(st.integers(520, 900)), data.draw(st.sampled_from([300, 450, 2000]))
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x = np.sort(random.integers(0, n_heaps, n)).astype(float)
    period = data.draw(st.integers(1, 40))
    y = np.arange(n) // period % 2
    if data.draw(st.booleans()):
        y[random.random(n) < 0.02] ^= 1
    order = random.permutation(n)
    case = Case([x[order].tolist(), [0.0] * n], [0, 0], y[order].tolist(), 2, None)
    rules = replace(CART, min_samples_leaf=data.draw(st.sampled_from([1, 1, 7, n // 3])))
    sampling = Sampling(data.draw(st.sampled_from(SAMPLINGS)), n - n // 10, 1)
    fast = forest_of(case, rules, sampling, n_trees=1, columns_per_node=1)[0]
    weighted = replace(case, weights=[1.0] * n)
    slow = forest_of(weighted, rules, sampling, n_trees=1, columns_per_node=1)[0]
    assert fast.difference(slow) is None


def test_numbers_in_bins_are_cut_between_them() -> None:
    case = large_case(5, 2000, 2)
    rules = replace(CART, max_bins=16, max_depth=4)
    expected = case.grow(rules)
    for columns_per_node in (0, 6):
        (tree,) = forest_of(case, rules, ALL, n_trees=1, columns_per_node=columns_per_node)
        assert_same(tree, expected)


# -------------------------------------------------------------------- threads, memory, progress


@many(15)
@given(data=st.data(), missing=st.sampled_from(PACKED))
def test_threads_and_the_number_of_trees_do_not_matter(data: st.DataObject, missing: Any) -> None:
    case = data.draw(cases())
    rules = Conventions(missing=missing, **data.draw(fine_print()))
    sampling = sampling_for(case, data.draw(st.sampled_from(SAMPLINGS)), 0.8, 3)
    options = {"columns_per_node": data.draw(st.integers(0, len(case.columns)))}
    expected = forest_of(case, rules, sampling, n_trees=7, **options)
    parallel = forest_of(case, rules, sampling, n_trees=12, n_threads=3, **options)
    for tree, other in zip(expected, parallel, strict=False):
        assert_same(tree, other)


def test_progress_is_told_and_memory_is_limited() -> None:
    case, told = large_case(6, 3000, 3), []
    sampling = Sampling("with_replacement", 3000, 0)
    forest_of(
        case,
        CART,
        sampling,
        n_trees=60,
        n_threads=2,
        progress=lambda _stage, done, _total: told.append(done),
    )
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] == 60
    tree = forest_of(case, CART, sampling, n_trees=1)
    with pytest.raises(MemoryError, match=r"\d"):
        forest_of(case, CART, sampling, n_trees=60, most_bytes=40 * tree.nbytes)
    with pytest.raises(MemoryError, match=r"\d"):
        forest_of(case, CART, sampling, n_trees=2**31 - 1, most_bytes=10**9)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is counted in other units elsewhere")
def test_a_forest_is_refused_before_there_is_room_for_its_trees() -> None:
    """Empty trees alone would take most of a gigabyte; all of them, more than is allowed."""
    program = textwrap.dedent("""
        import resource
        import numpy as np
        from plaintree import RandomForestClassifier
        from plaintree.estimators import sampled_trees

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10

        sampled_trees.available_bytes = lambda: 10 * 2**30
        X = np.random.default_rng(0).random((3000, 5))
        y = (X.sum(axis=1) * 7).astype(int) % 2
        RandomForestClassifier(2).fit(X, y)
        before = peak()
        try:
            RandomForestClassifier(2_000_000, n_jobs=2).fit(X, y)
        except MemoryError:
            print(peak() - before)
    """)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert float(result.stdout) < 100


# -------------------------------------------------------------------- packed trees

HAND_BUILT = [
    tennis(),
    build(TENNIS_SCHEMA, [3, 3]),
    build(XY_SCHEMA, chain_spec(300)),
    build(XY_SCHEMA, ("x <=", 1, [0, 0], [2, 2], 1)),
    build(XY_SCHEMA, ("x <=", 1, [0, 3], ("y <=", 1, [0, 0], [0, 0]))),
    build(XY_SCHEMA, ("color in", ["red", "grey"], ("x <=", 3, [1, 1], [0, 2], [4, 4]), [5, 1], 0)),
    build(XY_SCHEMA, ("color =", "blue", [0.5, 0.25], ("size <=", 1, [0.125, 3], [1, 0]))),
    build(
        XY_SCHEMA, ("color", {name: [1, 2] for name in ("red", "green", "blue", "grey")}, [7, 0])
    ),
]


def encoded_rows(schema: Schema, n: int, seed: int, **options: Any) -> list[Any]:
    """Random rows in the types that the engine takes."""
    rows = random_rows(schema, n, seed, **options)
    return [c.astype(np.int32) if c.dtype.kind == "i" else c for c in rows]


def assert_packs(tree: Tree, columns: list[Any]) -> None:
    """A packed tree comes out as it went in, and answers as it did."""
    forest = PackedForest.from_trees([tree])
    assert_same(forest[0], tree)
    assert forest[0].conventions == tree.conventions
    assert forest.n_nodes == tree.n_nodes
    expected = class_shares(tree, columns)
    np.testing.assert_array_equal(forest.shares(columns, "soft"), expected)
    votes = forest.shares(columns, "hard")
    np.testing.assert_array_equal(votes.argmax(axis=1), class_codes(tree, columns))
    np.testing.assert_array_equal(np.sort(votes)[:, -1], np.ones(len(votes)))


@pytest.mark.parametrize("tree", HAND_BUILT, ids=range(len(HAND_BUILT)))
def test_hand_built_trees_are_packed_without_loss(tree: Tree) -> None:
    assert_packs(tree, encoded_rows(tree.schema, 200, seed=0, gaps=True))
    columns = encoded_rows(tree.schema, 50, seed=1)
    assert_packs(tree, [np.where(c >= 2, -2, c).astype(c.dtype) for c in columns])


@many(60)
@given(spec=specs(), unseen=st.sampled_from(["missing", "stop"]), tied=st.booleans())
def test_random_trees_are_packed_without_loss(spec: Any, unseen: Any, tied: bool) -> None:
    rules = replace(CART, unseen=unseen, tied_label="keep" if tied else "first")
    tree = replace(build(XY_SCHEMA, spec), conventions=rules)
    columns = encoded_rows(XY_SCHEMA, 60, seed=2, gaps=True)
    columns[3][::7] = -2  # a category that training did not have
    assert_packs(tree, columns)


@EACH_POLICY
@many(8)
@given(data=st.data())
def test_grown_trees_are_packed_without_loss(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(gaps=missing != "error"))
    more = data.draw(fine_print() | st.just({}))
    unseen = data.draw(st.sampled_from(["missing", "stop"]))
    rules = Conventions(criterion, data.draw(CATEGORICAL), missing, unseen=unseen, **more)
    tree, columns = case.grow(rules), case.rows.columns
    if missing != "error":
        columns = [np.where(np.arange(len(c)) % 5 == 3, -2 if c.dtype.kind == "i" else np.nan, c)
                   for c in columns]  # fmt: skip
    assert_packs(tree, columns)
    inner = np.flatnonzero(tree.n_children)
    if len(inner):
        assert_packs(tree.cut(int(inner[-1])), columns)


def test_a_leaf_that_answers_another_class_is_packed_without_loss() -> None:
    X, y = pt.datasets.load_tennis()
    tree = pt.ID3Classifier().fit(X, y).tree_
    leaf = int(np.flatnonzero(tree.n_children == 0)[0])
    changed = tree.relabel(leaf, "Yes" if tree.node(leaf).label == "No" else "No")
    columns = encoded_rows(tree.schema, 100, seed=0)
    assert_packs(changed, columns)
    assert (class_codes(changed, columns) != class_codes(tree, columns)).any()


def test_packed_trees_are_small() -> None:
    case = large_case(7, 3000, 2)
    case = replace(case, columns=case.columns[:4], n_categories=[0] * 4)
    forest = forest_of(case, CART, Sampling("with_replacement", 3000, 0), n_trees=5)
    arrays = sum(getattr(tree, name).nbytes for tree in forest for name in ARRAY_DTYPES)
    assert forest.nbytes < arrays / 2
    assert forest.nbytes < 40 * forest.n_nodes


def test_a_forest_is_a_sequence_of_trees() -> None:
    forest = forest_of(large_case(8, 100, 2), CART, Sampling("with_replacement", 100, 0), n_trees=4)
    assert len(forest) == 4
    assert [tree.n_nodes for tree in forest] == [tree.n_nodes for tree in forest[:]]
    assert_same(forest[-1], forest[3])
    assert len(forest[1:3]) == 2
    assert all(tree.validate() is tree for tree in forest)
    assert repr(forest) == f"<PackedForest of 4 trees with {forest.n_nodes:,} nodes>"
    with pytest.raises(IndexError, match="there is no tree 4: the forest has 4"):
        forest[4]
    with pytest.raises(IndexError, match="there is no tree -5"):
        forest[-5]


def test_copies_of_a_forest_are_the_same() -> None:
    forest = forest_of(large_case(8, 100, 3), CART, Sampling("with_replacement", 100, 0))
    for tree, other in zip(forest, pickle.loads(pickle.dumps(forest)), strict=True):
        assert_same(tree, other)
        assert other.conventions == CART


def test_trees_of_a_forest_belong_together() -> None:
    tree = tennis()
    with pytest.raises(pt.PlaintreeError, match="at least one tree"):
        PackedForest.from_trees([])
    for other in (build(XY_SCHEMA, [1, 2]), replace(tree, conventions=ID3)):
        with pytest.raises(pt.PlaintreeError, match="tree 1, which is unlike the first"):
            PackedForest.from_trees([tree, other])


def test_some_of_the_trees_can_be_asked() -> None:
    case = large_case(9, 200, 3)
    forest = forest_of(case, CART, Sampling("with_replacement", 200, 0), n_trees=6)
    columns = case.rows.columns
    for voting in ("hard", "soft"):
        one_by_one = [forest.shares(columns, voting, trees=(i, i + 1)) for i in range(6)]
        np.testing.assert_allclose(forest.shares(columns, voting), np.mean(one_by_one, axis=0))
        middle = forest.shares(columns, voting, trees=(2, 5), n_threads=2)
        np.testing.assert_allclose(middle, np.mean(one_by_one[2:5], axis=0))


# -------------------------------------------------------------------- rows out of the bag


def outside_of(case: Case, sampling: Sampling, tree: int) -> Any:
    """The rows with a weight that are not in the sample of a tree."""
    weights = np.ones(len(case.y)) if case.weights is None else np.array(case.weights)
    present = np.flatnonzero(weights > 0)
    return present[times_drawn(sampling, tree, len(present)) == 0]


def some_rows(columns: list[Any], rows: Any) -> list[Any]:
    return [column[rows] for column in columns]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@many(25)
@given(data=st.data())
def test_out_of_bag_votes_and_errors_are_those_of_a_direct_computation(
    data: st.DataObject, voting: Any
) -> None:
    case = data.draw(cases())
    rules = replace(CART, missing=data.draw(st.sampled_from(PACKED)), max_depth=3)
    sampling = sampling_for(case, data.draw(st.sampled_from(SAMPLINGS[1:])), 0.7, 11)
    forest = forest_of(case, rules, sampling, n_trees=9)
    rows = case.rows
    votes, asked = np.zeros((len(case.y), case.n_classes)), np.zeros(len(case.y))
    errors = []
    for number, tree in enumerate(forest):
        outside = outside_of(case, sampling, number)
        columns = some_rows(rows.columns, outside)
        if voting == "hard":
            votes[outside, class_codes(tree, columns)] += 1
        else:
            votes[outside] += class_shares(tree, columns)
        asked[outside] += 1
        wrong = votes.argmax(axis=1) != rows.codes
        errors.append(wrong[asked > 0].mean() if asked.any() else np.nan)
    found = forest.out_of_bag(rows, sampling, voting, n_threads=data.draw(st.integers(1, 2)))
    never = asked == 0
    assert np.isnan(found.means[never]).all()
    np.testing.assert_allclose(found.means[~never], votes[~never] / asked[~never, None])
    np.testing.assert_array_equal(found.error_curve, errors)
    assert found.error == errors[-1] or isnan(found.error)


def direct_losses(forest: PackedForest, case: Case, rows: Rows, sampling: Sampling) -> Any:
    """Permutation losses by shuffling each column and predicting all rows out of bag again."""
    losses = np.zeros((len(forest), len(rows.columns)))
    for number, tree in enumerate(forest):
        outside = outside_of(case, sampling, number)
        columns, codes = some_rows(rows.columns, outside), rows.codes[outside]
        for column in range(len(columns) if len(outside) else 0):
            order = list(shuffled(mix(mix(mix(sampling.seed, 3), number), column), len(outside)))
            other = [c[order] if i == column else c for i, c in enumerate(columns)]
            right = (class_codes(tree, columns) == codes).sum()
            still = (class_codes(tree, other) == codes).sum()
            losses[number, column] = (right - still) / len(outside)
    return losses


@many(25)
@given(data=st.data())
def test_permutation_losses_are_those_of_a_direct_computation(data: st.DataObject) -> None:
    case = data.draw(cases())
    unseen = data.draw(st.sampled_from(["missing", "stop"]))
    missing = data.draw(st.sampled_from(PACKED))
    rules = replace(CART, missing=missing, unseen=unseen, max_depth=4)
    sampling = sampling_for(case, data.draw(st.sampled_from(SAMPLINGS[1:])), 0.7, 12)
    forest = forest_of(case, rules, sampling, n_trees=4)
    expected = direct_losses(forest, case, case.rows, sampling)
    for n_threads in (1, 2):
        found = forest.permutation_losses(case.rows, sampling, n_threads=n_threads)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("unseen", ["missing", "stop"])
@pytest.mark.parametrize("missing", [None, *PACKED])
@pytest.mark.parametrize("categorical", CHOICES["categorical"])
def test_permutation_losses_of_many_rows_are_those_of_a_direct_computation(
    categorical: Any, missing: Any, unseen: Any
) -> None:
    """Deep trees and enough rows out of bag for the quick walk, which missing values exclude."""
    case = large_case(3, 4000, 2, gaps=missing is not None)
    rules = replace(CART, categorical=categorical, missing=missing or "error", unseen=unseen)
    sampling = Sampling("with_replacement", 4000, 5)
    forest = forest_of(case, rules, sampling, columns_per_node=2)
    rows = case.rows
    if missing is not None:  # every other missing category becomes one that no tree has seen
        codes = rows.columns[-1]
        codes[np.flatnonzero(codes == -1)[::2]] = -2
    expected = direct_losses(forest, case, rows, sampling)
    assert np.count_nonzero(expected) > 6
    np.testing.assert_array_equal(forest.permutation_losses(rows, sampling), expected)
