"""Completeness and exclusiveness of rules: exact, with a row that shows the contrary."""

from __future__ import annotations

from datetime import date
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import MISSING, Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.rules.extract import rules_of
from plaintree.rules.logic import (
    are_exclusive,
    check_partition,
    find_overlap,
    find_uncovered,
    is_complete,
)
from plaintree.rules.rule import Clause, Rule
from tests.support.trees import TENNIS_SCHEMA, XY_SCHEMA, build, chain_spec, specs, tennis

SMALL = Schema(
    features=(
        Feature("x", "numeric"),
        Feature("size", "ordered", "text", ("small", "middle", "large")),
        Feature("color", "categorical", "text", ("red", "green", "blue")),
    ),
    classes=("A", "B"),
)
LINE = (0.0, 1.0, 2.0, 3.0)
"""Rules in these tests cut x at 0.5, 1.5 and 2.5 only: these four values stand for all."""


def rule(*clauses: Clause, schema: Schema = SMALL) -> Rule:
    return Rule(clauses, "A", 0.0, 0.0, (0.0, 0.0), 0, schema)


def colors(*codes: int) -> Clause:
    return Clause(2, allowed=sum(1 << code for code in codes), n_categories=3)


# ---------------------------------------------------------------- against brute force

ends = st.sampled_from([None, 0.5, 1.5, 2.5])
clauses = st.one_of(
    st.builds(Clause, st.just(0), low=ends, high=ends),
    st.builds(Clause, st.just(1), low=ends, high=ends),
    st.sets(st.integers(0, 2)).map(lambda codes: colors(*codes)),
    st.builds(Clause, st.integers(0, 2), is_missing=st.just(True)),
)
known_clauses = clauses.filter(lambda clause: not clause.is_missing)


def asks(clause: Clause) -> bool:
    return clause.is_missing or clause.asks_for_value


def rule_sets(clause: Any) -> Any:
    one = st.lists(clause.filter(asks), max_size=4).map(lambda drawn: rule(*drawn))
    return st.lists(one, max_size=7)


def all_rows(gaps: bool) -> list[np.ndarray]:
    """Every row there is, as far as the rules can tell."""
    x = [*LINE, np.nan] if gaps else LINE
    size = [0.0, 1.0, 2.0, np.nan] if gaps else [0.0, 1.0, 2.0]
    color = [0, 1, 2, MISSING] if gaps else [0, 1, 2]
    columns = zip(*product(x, size, color), strict=True)
    return [np.array(c, dtype=t) for c, t in zip(columns, (float, float, int), strict=True)]


def matching(rules: list[Rule], gaps: bool) -> np.ndarray:
    rows = all_rows(gaps)
    return np.array([r.matches(rows) for r in rules], dtype=bool).reshape(len(rules), len(rows[0]))


def encoded(row: dict[str, Any]) -> list[np.ndarray]:
    size = SMALL.features[1].categories
    color = SMALL.features[2].categories
    return [
        np.array([np.nan if row["x"] is None else row["x"]]),
        np.array([np.nan if row["size"] is None else float(size.index(row["size"]))]),
        np.array([MISSING if row["color"] is None else color.index(row["color"])]),
    ]


@given(rule_sets(clauses))
def test_gaps_are_found_exactly(rules: list[Rule]) -> None:
    row = find_uncovered(rules, SMALL)
    assert (row is None) == matching(rules, gaps=False).any(axis=0).all()
    if row is not None:
        assert not any(r.matches(encoded(row))[0] for r in rules)
        assert None not in row.values()


@given(rule_sets(clauses))
def test_overlaps_are_found_exactly(rules: list[Rule]) -> None:
    row = find_overlap(rules, SMALL)
    assert (row is None) == (matching(rules, gaps=True).sum(axis=0) <= 1).all()
    if row is not None:
        assert sum(bool(r.matches(encoded(row))[0]) for r in rules) >= 2


@given(rule_sets(known_clauses))
def test_rules_that_do_not_ask_for_gaps_are_about_complete_rows(rules: list[Rule]) -> None:
    counts = matching(rules, gaps=False).sum(axis=0)
    assert is_complete(rules, SMALL) == is_complete(rules, SMALL, missing=True) == counts.all()
    assert are_exclusive(rules, SMALL) == (counts <= 1).all()
    assert (check_partition(rules, SMALL) is None) == (counts == 1).all()


@given(rule_sets(clauses))
def test_with_missing_rows_with_gaps_need_a_rule_where_rules_ask_for_gaps(
    rules: list[Rule],
) -> None:
    asked = {c.feature for r in rules for c in r.conditions if c.is_missing}
    rows = all_rows(gaps=True)
    missing = [np.isnan(rows[0]), np.isnan(rows[1]), rows[2] == MISSING]
    counted = ~np.any([gap for a, gap in enumerate(missing) if a not in asked], axis=0)
    covered = matching(rules, gaps=True).any(axis=0)
    assert is_complete(rules, SMALL, missing=True) == covered[counted | (len(asked) == 3)].all()


# ---------------------------------------------------------------- trees


@given(specs())
def test_the_rules_of_a_tree_are_a_partition(spec: Any) -> None:
    assert check_partition(rules_of(build(XY_SCHEMA, spec))) is None


@given(specs(), st.randoms())
def test_a_partition_less_one_rule_is_none(spec: Any, random: Any) -> None:
    rules = rules_of(build(XY_SCHEMA, spec))
    gone = rules.pop(random.randrange(len(rules)))
    matches_nothing = are_exclusive([gone, gone])
    assert is_complete(rules, XY_SCHEMA) == matches_nothing


def learners() -> list[Any]:
    return [
        pt.ID3Classifier(),
        pt.ID3Classifier(missing="branch"),
        pt.C45Classifier(),
        pt.CARTClassifier(),
        pt.CARTClassifier(categorical="one_vs_rest", missing="branch"),
        pt.DecisionTreeClassifier(criterion="gain_ratio", categorical="multiway"),
        pt.MemorizingTreeClassifier(random_state=0),
    ]


@pytest.mark.parametrize("learner", learners(), ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_the_rules_of_every_learner_are_a_partition(learner: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 200
    size = pd.Categorical(random.choice(["s", "m", "l"], n), ["s", "m", "l"], ordered=True)
    X = pd.DataFrame(
        {
            "x": np.where(random.random(n) < 0.1, np.nan, random.integers(0, 12, n)),
            "size": size,
            "color": random.choice([*"rgbk", None], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 99, n), "D"),
            "member": random.random(n) < 0.5,
        }
    )
    y = (X["color"] == "r").to_numpy() ^ (X["x"] > 4).to_numpy() ^ (random.random(n) < 0.2)
    rules = rules_of(learner.fit(X, y).tree_)
    assert len(rules) > 3
    assert check_partition(rules) is None


def test_missing_is_one_more_category_of_a_tree_that_asks_for_it() -> None:
    branches = {"red": [1, 0], "green": [1, 0], "blue": [0, 1], "grey": [0, 1]}
    tree = build(XY_SCHEMA, ("color", branches, ("y <=", 2, [1, 0], [0, 1], [3, 0])))
    rules = rules_of(tree)
    assert check_partition(rules, missing=True) is None
    del rules[4]
    row = check_partition(rules, missing=True)
    assert row == {"x": 0.0, "y": 2.0, "size": "small", "color": None}
    assert check_partition(rules) is None


def test_large_trees_take_no_recursion() -> None:
    schema = Schema((Feature("x", "numeric"),), ("A", "B"))
    rules = rules_of(build(schema, chain_spec(5_000)))
    assert check_partition(rules) is None
    assert check_partition([*rules[:2500], *rules[2501:]]) == {"x": 2501.0}


def test_many_categories_are_told_apart() -> None:
    attribute = Feature("id", "categorical", "text", tuple(map(str, range(2_000))))
    spec = ("id", {c: [1, 0] for c in attribute.categories})
    rules = rules_of(build(Schema((attribute,), ("A", "B")), spec))
    assert check_partition(rules) is None
    assert check_partition([*rules, rules[7]]) == {"id": "7"}


# ---------------------------------------------------------------- rows that show it


def test_a_gap_is_shown_by_a_row() -> None:
    rules = rules_of(tennis())
    del rules[3]
    assert check_partition(rules) == {"outlook": "Sunny", "humidity": 75, "wind": "Strong"}


def test_an_overlap_is_shown_by_a_row() -> None:
    low, high = Clause(0, high=2.5), Clause(0, low=1.5)
    assert check_partition([rule(low), rule(high)]) == {"x": 2, "size": "small", "color": "red"}
    assert check_partition([rule(low), rule(Clause(0, low=2.5))]) is None


def test_rules_around_a_middle_are_a_partition_without_a_first_test() -> None:
    """A pinwheel: no attribute parts them all, so no tree has these rules."""
    schema = Schema((Feature("x", "numeric"), Feature("y", "numeric")), ("A", "B"))
    wheel = [
        (Clause(0, high=2), Clause(1, high=1)),
        (Clause(0, low=2), Clause(1, high=2)),
        (Clause(0, low=1), Clause(1, low=2)),
        (Clause(0, high=1), Clause(1, low=1)),
        (Clause(0, low=1, high=2), Clause(1, low=1, high=2)),
    ]
    rules = [rule(*clauses, schema=schema) for clauses in wheel]
    assert check_partition(rules) is None
    for n in (3, 4):
        assert all(find_uncovered(some) for some in combinations(rules, n))


def test_an_ordered_attribute_has_no_values_between_its_categories() -> None:
    halves = [rule(Clause(1, high=0.5)), rule(Clause(1, low=0.75))]
    assert check_partition(halves) is None
    assert find_uncovered(halves[:1]) == {"x": 0.0, "size": "middle", "color": "red"}


def test_a_number_between_thresholds_is_a_gap() -> None:
    halves = [rule(Clause(0, high=0.5)), rule(Clause(0, low=0.75))]
    assert find_uncovered(halves) == {"x": 0.75, "size": "small", "color": "red"}


def test_infinite_thresholds_leave_nothing_out() -> None:
    assert check_partition([rule(Clause(0, high=np.inf)), rule(Clause(0, low=np.inf))]) is None
    ends = [rule(Clause(0, high=-np.inf)), rule(Clause(0, low=-np.inf))]
    assert check_partition(ends) is None
    assert find_uncovered(ends[1:])["x"] == -np.inf
    assert find_uncovered([rule(Clause(0, high=1e300))])["x"] == np.inf


def test_dates_are_shown_as_dates() -> None:
    days = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-03"]).date})
    rules = rules_of(pt.CARTClassifier().fit(days, ["a", "b"]).tree_)
    assert find_uncovered(rules[1:]) == {"day": date(2024, 1, 2)}


def test_rules_that_match_nothing_are_in_nobodys_way() -> None:
    never = rule(Clause(0, low=2, high=1))
    assert are_exclusive([never, never, rule()])
    assert not is_complete([never])


def test_without_rules_everything_is_a_gap() -> None:
    assert find_uncovered([], TENNIS_SCHEMA) == {
        "outlook": "Overcast",
        "humidity": 0.0,
        "wind": "Strong",
    }
    assert are_exclusive([], TENNIS_SCHEMA)


def test_without_rules_and_schema_there_is_nothing_to_check() -> None:
    with pytest.raises(ParameterError, match="Hint: pass the schema as well"):
        check_partition([])


def test_a_model_a_tree_and_a_list_stand_for_their_rules() -> None:
    X, y = pt.datasets.load_golf()
    model, listed = pt.C45Classifier().fit(X, y), pt.C45RulesClassifier().fit(X, y)
    assert check_partition(model) is check_partition(model.tree_) is None
    gap = find_uncovered(listed.rules_.rules)
    assert gap == find_uncovered(listed.rules_) == find_uncovered(listed)
    assert listed.rules_.fired([gap]).tolist() == [-1]


@pytest.mark.parametrize("other", ["rules", 3, ["IF x THEN y"], pt.C45Classifier()])
def test_something_without_rules(other: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"no (rules|tree) to .*Got an object of type"):
        check_partition(other)


def test_an_ensemble_has_no_rules_of_its_own() -> None:
    forest = pt.RandomForestClassifier(2, random_state=0).fit(*pt.datasets.load_golf())
    with pytest.raises(ArgumentTypeError, match=r"trees_\[0\]"):
        check_partition(forest)
