"""Named conventions: what they are called, what they say, and the trees that they grow."""

from __future__ import annotations

import doctest
import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree import datasets
from plaintree.data.encode import learn_schema
from plaintree.data.table import table_from
from plaintree.data.target import labels_from
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.growing.one_tree import grow_tree
from plaintree.stats.impurity import MEASURES
from plaintree.teaching.derive.introduction import JUDGED
from plaintree.tree.conventions import (
    C45,
    CART,
    CHOICES,
    ID3,
    OF_TARGETS,
    RATIOS,
    Conventions,
)
from plaintree.tree.profiles import PROFILES, conventions, resolve_conventions
from plaintree.tree.tree import Tree

PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"
EACH = pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)


def grown(name: str, load: Any) -> Tree:
    X, y = load()
    table = table_from(X)
    codes, labels = labels_from(y, table.n_rows)
    schema, columns = learn_schema(table, classes=labels)
    return grow_tree(schema, columns, codes, None, Conventions.named(name))


def tables_of_the_page() -> list[list[dict[str, str]]]:
    """The tables of the documentation page, as rows by column name."""
    tables: list[list[dict[str, str]]] = []
    header: list[str] | None = None
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
            tables.append([])
        elif set(line) != {"|", "-"}:
            tables[-1].append(dict(zip(header, cells, strict=True)))
    return tables


# ---------------------------------------------------------------- names


def test_the_named_profiles() -> None:
    assert [profile.name for profile in conventions()] == [
        "c4.5r8",
        "quinlan86",
        "cart84",
        "rpart",
        "id3",
        "id3_gain_ratio",
        "id3_conditional_ratio",
        "id3_gini",
        "cart_one_vs_rest",
    ]


def test_the_learners_own_conventions_have_names() -> None:
    assert Conventions.named("c4.5r8") == C45
    assert Conventions.named("cart84") == CART
    assert Conventions.named("id3") == ID3


def test_no_two_names_mean_the_same() -> None:
    assert len({profile.conventions for profile in PROFILES}) == len(PROFILES)


@EACH
def test_a_profile_says_in_a_sentence_what_it_is_and_where_it_is_from(profile: Any) -> None:
    text = str(profile)
    assert text.startswith(f"{profile.name}: {profile.about}. From {profile.source}.")
    assert text.endswith(".")
    assert "\n" not in text


def test_what_a_program_does_beyond_growing_is_said() -> None:
    assert str(PROFILES[3]).endswith(
        "Not included: cp, which prunes while growing, and surrogate splits for missing values."
    )


@EACH
def test_names_resolve_in_small_and_capital_letters(profile: Any) -> None:
    assert resolve_conventions(profile.name) is profile.conventions
    assert resolve_conventions(profile.name.upper()) is profile.conventions


def test_an_object_resolves_to_itself() -> None:
    mine = Conventions(max_depth=3)
    assert resolve_conventions(mine) is mine


def test_unknown_names_come_with_a_hint() -> None:
    with pytest.raises(ParameterError, match=r"Got 'c4\.5'\. Hint: did you mean 'c4\.5r8'\? The"):
        Conventions.named("c4.5")
    with pytest.raises(ParameterError, match=r"Hint: the names are 'c4\.5r8', 'quinlan86', 'cart"):
        resolve_conventions("whatever")


def test_other_objects_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"must be a name .* Got an object of type int"):
        resolve_conventions(7)  # type: ignore[arg-type]


# ---------------------------------------------------------------- trees


@EACH
def test_the_tree_remembers_its_conventions(profile: Any) -> None:
    tree = grown(profile.name, datasets.load_tennis)
    assert tree.conventions is profile.conventions
    assert tree.validate() is tree


def test_plain_gain_ratio_cuts_off_one_warm_day_and_release_8_takes_the_outlook() -> None:
    plain = grown("id3_gain_ratio", datasets.load_golf).root
    assert (plain.feature, plain.condition.threshold) == ("temperature", 84)  # type: ignore[union-attr]
    assert grown("c4.5r8", datasets.load_golf).root.feature == "outlook"


@pytest.mark.parametrize(
    "load", [datasets.load_golf, datasets.load_tennis, datasets.load_flu, datasets.load_emails]
)
def test_the_conditional_ratio_grows_the_tree_of_the_gain(load: Any) -> None:
    ratio, gain = grown("id3_conditional_ratio", load), grown("id3", load)
    assert ratio.content_hash() == gain.content_hash()


def test_gini_with_many_branches_averages_over_all_of_them() -> None:
    root = grown("id3_gini", datasets.load_tennis).root
    children = sum(child.weight * child.impurity for child in root.children) / root.weight
    assert root.score == pytest.approx(root.impurity - children)
    assert len(root.children) == 3


# ---------------------------------------------------------------- the page


def test_the_examples_of_the_page_run() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_the_table_of_the_page_is_right() -> None:
    main, fine_print, _ = tables_of_the_page()
    assert [row["profile"] for row in main] == [profile.name for profile in PROFILES]
    for row in main:
        values = Conventions.named(row.pop("profile"))
        assert row == {field: str(getattr(values, field)) for field in row}
    for row in fine_print:
        values = Conventions.named(row["profile"])
        assert row["value"] == str(getattr(values, row["field"]))


def test_the_tables_of_the_page_leave_no_difference_out() -> None:
    main, fine_print, _ = tables_of_the_page()
    for profile in PROFILES:
        told = {*main[0]} | {r["field"] for r in fine_print if r["profile"] == profile.name}
        default = {f.name: f.default for f in fields(Conventions)}
        given = profile.conventions.to_json()
        assert {name for name in given if given[name] != default[name]} <= told


def test_the_golf_trees_of_the_page_are_right() -> None:
    *_, golf = tables_of_the_page()
    assert [row["profile"] for row in golf] == [profile.name for profile in PROFILES]
    for row in golf:
        tree = grown(row["profile"], datasets.load_golf)
        condition = tree.root.condition
        first = condition.describe(tree.schema, 0) if condition else "none"
        assert (row["first split"], row["splits"]) == (first, str(tree.size))


@pytest.mark.parametrize("value", [float("nan"), -1, "2"])
@pytest.mark.parametrize("learner", [pt.C45Classifier, pt.C45RulesClassifier])
def test_the_parameter_that_is_out_of_range_is_named(learner: Any, value: Any) -> None:
    X, y = pt.datasets.load_tennis()
    with pytest.raises(ParameterError, match=r"^min_samples_branch is out of range\. Got min_samp"):
        learner(min_samples_branch=value).fit(X, y)


def test_a_depth_beyond_all_trees_is_out_of_range() -> None:
    with pytest.raises(ParameterError, match=r"Hint: use a number from 0 to 2147483647\."):
        Conventions(max_depth=2**31)
    with pytest.raises(ParameterError, match="max_depth must be an integer"):
        Conventions(max_depth=2.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Hint: use a number\.$"):
        Conventions(min_score=float("nan"))


def test_every_table_by_criterion_has_every_criterion() -> None:
    criteria = set(CHOICES["criterion"]) - OF_TARGETS
    assert set(MEASURES) == criteria
    assert set(JUDGED) == set(CHOICES["criterion"])
    assert criteria > RATIOS


class TestMinimumNumbersOfRows:
    """As in scikit-learn: an int counts rows, a float is a fraction of them."""

    @pytest.mark.parametrize(
        "value", [0, 1, -3, 0.0, 1.5, 2.0, math.nan, math.inf, True, "2", None]
    )
    def test_refused_to_split(self, value: Any) -> None:
        words = re.escape(
            "min_samples_split must be an int >= 2 or a float in (0, 1]. Got min_samp"
        )
        with pytest.raises(ParameterError, match=words):
            Conventions(min_samples_split=value)

    @pytest.mark.parametrize("value", [0, -3, 0.0, 1.0, 1.5, math.nan, False, "2", None])
    def test_refused_in_a_leaf(self, value: Any) -> None:
        words = re.escape("min_samples_leaf must be an int >= 1 or a float in (0, 1). Got min_samp")
        with pytest.raises(ParameterError, match=words):
            Conventions(min_samples_leaf=value)

    @pytest.mark.parametrize(
        ("split", "leaf", "numbers"),
        [(2, 1, (2, 1)), (np.int64(7), 3, (7, 3)), (1.0, 0.5, (25, 13)), (0.01, 0.01, (2, 1))],
    )
    def test_fractions_are_resolved_for_a_number_of_rows(
        self, split: float, leaf: float, numbers: tuple[int, int]
    ) -> None:
        rules = Conventions(min_samples_split=split, min_samples_leaf=leaf).for_rows(25)
        assert (rules.min_samples_split, rules.min_samples_leaf) == numbers

    @pytest.mark.parametrize("limit", [{"min_samples_leaf": 2}, {"min_weight_fraction_leaf": 0.1}])
    def test_one_rule_for_branches(self, limit: Any) -> None:
        with pytest.raises(ParameterError, match=r"about every branch .* Hint: use one of them"):
            Conventions(min_samples_branch=2, **limit)
