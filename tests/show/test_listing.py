"""A tree as a numbered list of nodes."""

from __future__ import annotations

from plaintree.data.schema import Feature, Schema
from plaintree.show.listing import listing
from tests.support.trees import TENNIS_SCHEMA, TENNIS_SPEC, build, tennis

XY = Schema((Feature("x1", "numeric"), Feature("x2", "numeric")), ("false", "true"))


def test_the_list_of_the_course() -> None:
    six = ("x2 <=", -0.025, [3, 0], [0, 2])
    seven = ("x2 <=", 0.025, [0, 2], [4, 0])
    two, three = ("x1 <=", -0.025, [5, 0], [0, 4]), ("x1 <=", 0.025, six, seven)
    assert listing(build(XY, ("x2 <=", -0.125, two, three))) == (
        "1 if x2 <= -0.125 then node 2 elseif x2 > -0.125 then node 3 else false\n"
        "2 if x1 <= -0.025 then node 4 elseif x1 > -0.025 then node 5 else false\n"
        "3 if x1 <= 0.025 then node 6 elseif x1 > 0.025 then node 7 else false\n"
        "4 class = false\n"
        "5 class = true\n"
        "6 if x2 <= -0.025 then node 8 elseif x2 > -0.025 then node 9 else false\n"
        "7 if x2 <= 0.025 then node 10 elseif x2 > 0.025 then node 11 else false\n"
        "8 class = false\n"
        "9 class = true\n"
        "10 class = true\n"
        "11 class = false"
    )


def test_many_branches_are_one_line() -> None:
    assert listing(tennis()).splitlines()[:2] == [
        "1 if outlook = Overcast then node 2 elseif outlook = Rain then node 3 "
        "elseif outlook = Sunny then node 4 else Yes",
        "2 play = Yes",
    ]


def test_missing_values_go_with_a_branch_or_have_their_own() -> None:
    with_first = build(XY, ("x1 <=", 1, [1, 0], [0, 1], 0))
    assert listing(with_first).splitlines()[0].endswith("then node 3 else node 2")
    own = build(TENNIS_SCHEMA, (*TENNIS_SPEC, [1, 0]))
    assert listing(own).splitlines()[0].endswith("elseif outlook is missing then node 5")


def test_a_single_leaf_is_one_line_and_names_can_be_ascii() -> None:
    schema = Schema((Feature("x", "numeric"),), ("né", "b"), "clé")
    assert listing(build(schema, [2, 1])) == "1 clé = né"
    assert listing(build(schema, [2, 1]), ascii=True) == r"1 cl\xe9 = n\xe9"
