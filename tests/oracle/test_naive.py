"""The oracle itself: figures worked by hand, and C4.5's own results, from the naive grower."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log2, nan

import pytest

from plaintree.tree.conventions import C45, CART, ID3, Conventions
from tests.oracle.naive import collapse, grow, make_table, predict, predict_shares
from tests.oracle.naive_above import ROOT
from tests.oracle.naive_choice import candidates_of_column, choose, p_value
from tests.oracle.naive_table import Table, entropy, fill_gaps, impurity
from tests.oracle.naive_tests import midpoint
from tests.support.reference_tables import golden, naive_table, needs_shared

OUTLOOK = [2, 2, 0, 1, 1, 1, 0, 2, 2, 1, 2, 0, 0, 1]
TEMPERATURE = [1, 1, 1, 2, 0, 0, 0, 2, 0, 2, 2, 2, 1, 2]
HUMIDITY = [0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0]
WIND = [1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0]
PLAY = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]


@pytest.fixture
def tennis() -> Table:
    return make_table([OUTLOOK, TEMPERATURE, HUMIDITY, WIND], [3, 3, 2, 2], PLAY, 2)


def gappy(policy: str, **more: object) -> tuple[Table, Conventions]:
    """Six rows of a two-valued column with two gaps: known 3 x 0 (classes 0 0 1), 1 x 1 (1)."""
    table = make_table([[0, 0, 0, 1, -1, -1]], [2], [0, 0, 1, 1, 1, 0], 2)
    return table, replace(ID3, missing=policy, **more)


class TestMeasures:
    def test_impurities_of_nine_against_five(self) -> None:
        assert impurity([9, 5], "information_gain") == pytest.approx(0.9403, abs=5e-5)
        assert impurity([9, 5], "gini") == pytest.approx(1 - (81 + 25) / 196)
        assert impurity([9, 5], "error") == pytest.approx(5 / 14)
        assert impurity([0, 0], "gini") == 0

    def test_gains_and_ratios_of_the_tennis_columns(self, tennis: Table) -> None:
        gains = [0.2467, 0.0292, 0.1518, 0.0481]
        ratios = [0.1564, 0.0188, 0.1518, 0.0488]
        for column in range(4):
            [by_gain] = candidates_of_column(tennis, tennis.rows, column, ID3)
            ratio_rules = replace(ID3, criterion="gain_ratio")
            [by_ratio] = candidates_of_column(tennis, tennis.rows, column, ratio_rules)
            assert by_gain.score == pytest.approx(gains[column], abs=5e-5)
            assert by_ratio.score == pytest.approx(ratios[column], abs=5e-5)

    def test_conditional_ratio_is_infinite_for_a_perfect_test(self) -> None:
        table = make_table([[0, 0, 1, 1]], [2], [0, 0, 1, 1], 2)
        best, _ = choose(table, table.rows, ROOT, replace(ID3, criterion="gain_ratio_conditional"))
        assert best is not None
        assert best.score == inf

    def test_p_value_of_a_perfect_two_by_two_table(self) -> None:
        table = make_table([[0] * 10 + [1] * 10], [2], [0] * 10 + [1] * 10, 2)
        [candidate] = candidates_of_column(table, table.rows, 0, ID3)
        assert p_value(candidate) == pytest.approx(7.744e-6, abs=1e-9)  # chi-square 20, 1 df

    def test_p_value_is_corrected_where_few_rows_are_expected(self) -> None:
        table = make_table([[0] * 5 + [1] * 5], [2], [0] * 5 + [1] * 5, 2)
        [candidate] = candidates_of_column(table, table.rows, 0, ID3)
        assert p_value(candidate) == pytest.approx(0.011412, abs=1e-6)  # 4 x (2.5 - 0.5)^2 / 2.5

    def test_significance_makes_a_leaf_of_a_chance_split(self, tennis: Table) -> None:
        assert (
            grow(tennis, replace(ID3, significance=0.01, significance_test="chi_square")).kind
            == "leaf"
        )
        assert (
            grow(tennis, replace(ID3, significance=0.5, significance_test="chi_square")).kind
            == "multiway"
        )


class TestThresholds:
    @pytest.mark.parametrize(
        ("low", "high", "expected"),
        [
            (1, 2, 1.5),
            (1e308, 1.7e308, 1e308 / 2 + 1.7e308 / 2),
            (1.0, 1.0000000000000002, 1.0),
            (-inf, 3, -inf),
            (3, inf, 3),
            (-inf, inf, -inf),
        ],
    )
    def test_midpoint_never_reaches_the_upper_value(
        self, low: float, high: float, expected: float
    ) -> None:
        assert midpoint(low, high) == expected

    def test_midpoints_of_mitchells_temperatures(self) -> None:
        table = make_table([[40, 48, 60, 72, 80, 90]], [0], [0, 0, 1, 1, 1, 0], 2)
        root = grow(table, ID3)
        assert (root.threshold, root.children[1].threshold) == (54, 85)

    def test_data_value_is_looked_up_in_the_whole_table(self) -> None:
        # At the node of the second test the values are 1 and 9; 4 stands elsewhere in the table.
        table = make_table([[0, 0, 1, 1], [1, 9, 4, 4]], [0, 0], [0, 1, 2, 2], 3)
        root = grow(table, replace(CART, threshold="data_value"))
        assert root.feature == 0
        assert root.children[0].threshold == 4

    def test_penalty_is_the_log_of_the_number_of_cuts_over_the_weight(self) -> None:
        table = make_table([[1, 2, 3, 4]], [0], [0, 0, 1, 1], 2)
        plain = grow(table, ID3).score
        fined = grow(table, replace(ID3, threshold_penalty=True)).score
        assert plain - fined == pytest.approx(log2(3) / 4)


class TestGaps:
    def test_fractional_gain_and_split_information(self) -> None:
        table, rules = gappy("fractional", criterion="gain_ratio")
        [candidate] = candidates_of_column(table, table.rows, 0, rules)
        gain = 4 / 6 * (1 - 3 / 4 * entropy([2, 1]))
        assert candidate.gain == pytest.approx(gain)
        assert candidate.split_info == pytest.approx(entropy([3, 1, 2]))
        assert candidate.score == pytest.approx(gain / entropy([3, 1, 2]))

    def test_fractional_rows_go_to_both_branches(self) -> None:
        table, rules = gappy("fractional")
        root = grow(table, rules)
        assert root.children[0].class_weights == [2.75, 1.75]
        assert root.children[1].class_weights == [0.25, 1.25]
        assert [child.n_rows for child in root.children] == [5, 3]
        assert root.missing_child == -1
        assert predict_shares(table, root, [-1]) == pytest.approx([0.5, 0.5])

    def test_most_common_category_takes_the_gaps(self) -> None:
        table, rules = gappy("most_common")
        root = grow(table, rules)
        assert [child.class_weights for child in root.children] == [[3, 2], [0, 1]]
        assert root.missing_child == 0

    def test_most_common_in_class_breaks_ties_by_the_lowest_code(self) -> None:
        table, rules = gappy("most_common_in_class")
        known, gaps = fill_gaps(table, table.rows, 0, rules.missing)
        assert gaps == []
        assert [value for row, _, value in known if row >= 4] == [0, 0]

    def test_most_common_number_is_the_lower_median(self) -> None:
        table = make_table([[5, 1, 3, 9, nan]], [0], [0, 1, 0, 1, 1], 2)
        known, _ = fill_gaps(table, table.rows, 0, "most_common")
        assert known[-1][2] == 3
        known, _ = fill_gaps(table, table.rows, 0, "most_common_in_class")
        assert known[-1][2] == 1

    def test_gaps_get_a_branch_of_their_own(self) -> None:
        table, rules = gappy("branch")
        root = grow(table, rules)
        assert [child.class_weights for child in root.children] == [[2, 1], [0, 1], [1, 1]]
        assert root.missing_child == 2
        assert root.score == pytest.approx(1 - 3 / 6 * entropy([2, 1]) - 2 / 6)

    def test_gaps_are_refused(self) -> None:
        table, rules = gappy("error")
        with pytest.raises(ValueError, match="missing values are not allowed"):
            grow(table, rules)


class TestGrowing:
    def test_tennis_tree(self, tennis: Table) -> None:
        root = grow(tennis, ID3)
        assert (root.feature, [child.feature for child in root.children]) == (0, [-1, 3, 2])
        assert predict(tennis, root) == PLAY

    def test_rows_of_weight_zero_are_not_there(self) -> None:
        table = make_table([[0, 1, 1]], [2], [0, 1, 0], 2, [1, 2, 0])
        root = grow(table, ID3)
        assert (root.weight, root.n_rows, root.class_weights) == (3, 2, [1, 2])
        assert [child.n_rows for child in root.children] == [1, 1]

    def test_empty_branch_answers_like_its_parent(self) -> None:
        table = make_table([[0, 1, 1]], [3], [0, 1, 1], 2)
        empty = grow(table, ID3).children[2]
        assert (empty.weight, empty.label, empty.kind) == (0, 1, "leaf")

    def test_first_column_wins_a_tie_and_the_tie_is_counted(self) -> None:
        table = make_table([[0, 1], [1, 0], [0, 0]], [2, 2, 2], [0, 1], 2)
        root = grow(table, ID3)
        assert (root.feature, root.n_tied) == (0, 1)

    def test_subset_is_stored_as_the_lighter_side(self) -> None:
        table = make_table([[0, 0, 1, 1, 2]], [3], [0, 0, 0, 0, 1], 2)
        assert grow(table, CART).categories == (2,)
        even = make_table([[0, 1, 2, 3]], [4], [0, 1, 1, 0], 2)
        assert grow(even, CART).categories == (0, 3)

    def test_one_against_the_rest(self) -> None:
        table = make_table([[0, 1, 2, 1]], [3], [0, 1, 0, 1], 2)
        root = grow(table, replace(CART, categorical="one_vs_rest"))
        assert (root.kind, root.categories) == ("equals", (1,))

    def test_two_branches_with_enough_rows_are_enough_for_c45(self) -> None:
        table = make_table([[0, 0, 1, 1, 2]], [3], [0, 0, 1, 1, 1], 2)
        assert grow(table, replace(ID3, min_samples_leaf=2)).kind == "leaf"
        assert grow(table, replace(ID3, min_samples_branch=2)).children

    def test_useless_nodes_are_collapsed(self) -> None:
        table = make_table([[0, 0, 1, 1]], [2], [0, 0, 0, 1], 2)
        root = grow(table, replace(ID3, max_depth=1))
        assert root.kind == "multiway"
        collapse(root)
        assert (root.kind, root.n_nodes) == ("leaf", 1)


SMALLER_TABLES = [
    "autos",
    "breast_cancer",
    "car",
    "contact_lenses",
    "crx",
    "iris",
    "monk1",
    "monk3",
    "tic_tac_toe",
    "vote",
    "weather_nominal",
    "weather_numeric",
    "wine",
]
VARIANTS = {
    "default": C45,
    "gain": replace(C45, criterion="information_gain"),
    "m1": replace(C45, min_samples_branch=1),
    "gain_m1": replace(C45, criterion="information_gain", min_samples_branch=1),
    "subset": replace(C45, categorical="grouped"),
}


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("name", SMALLER_TABLES)
def test_naive_grower_is_c45(name: str) -> None:
    """Sizes and training errors of C4.5 Release 8 in double precision, before pruning."""
    table = naive_table(name)
    for variant, rules in VARIANTS.items():
        root = grow(table, rules)
        errors = sum(a != b for a, b in zip(predict(table, root), table.y, strict=True))
        expected = golden("c45", name)["variants"][variant]["double"]
        found = {"unpruned_size": root.n_nodes, "unpruned_errors": errors}
        assert found == {key: expected[key] for key in found}, variant
