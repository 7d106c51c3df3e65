"""Models as programs in Python, C, JavaScript and Java: each answers exactly as the model does.

What a single language has to do besides is in a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.interop.verification.runners import runner
from tests.support.export_models import (
    GOLF_LEARNERS,
    NUMERIC_LEARNERS,
    golf_model,
    hostile_tree,
    large_tree_with_surrogates,
    model_of_large_categories,
    models_of_kinds,
    random_voters,
    rows_for,
    verified,
)
from tests.support.trees import XY_SCHEMA, build, chain_spec

EXPORTS: dict[str, Callable[..., str]] = {
    "python": pt.export_python,
    "c": pt.export_c,
    "javascript": pt.export_javascript,
    "java": pt.export_java,
}
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "cart": (pt.CARTClassifier, {}),
    "c45": (pt.C45Classifier, {}),
    "intervals": (pt.ID3Classifier, {"numeric": "intervals", "unseen": "stop"}),
    "rules": (pt.C45RulesClassifier, {}),
    "numbers": (pt.CARTRegressor, {"missing": "fractional", "unseen": "stop"}),
    "forest of numbers": (pt.RandomForestRegressor, {"n_estimators": 4, "max_features": 2}),
}
VOTES: dict[str, tuple[str, str]] = {
    "majority": ("hard", "missing"),
    "majority, stop": ("hard", "stop"),
    "shares": ("soft", "missing"),
    "shares, stop": ("soft", "stop"),
}
NAMED = {"c": {"name": "hostile"}, "java": {"name": "Hostile"}}


def where_it_runs(language: str, *case: str) -> Any:
    """A language with a case of a test; skipped where its programs are not on the machine."""
    lacking = runner(language).absent()
    mark = pytest.mark.skipif(lacking is not None, reason=str(lacking))
    return pytest.param(language, *case, marks=mark, id="-".join([language, *case]))


def each(cases: Iterable[str], **instead: Iterable[str]) -> pytest.MarkDecorator:
    """Every case in every language, or in a language those named for it: Java takes seconds."""
    return pytest.mark.parametrize(
        ("language", "case"),
        [where_it_runs(name, case) for name in EXPORTS for case in instead.get(name, cases)],
    )


@each(
    {**GOLF_LEARNERS, **NUMERIC_LEARNERS},
    java=("c45", "rules", "errors", "numbers, errors", "forest of numbers, divided"),
)
def test_every_learner_and_every_treatment_of_gaps(language: str, case: str) -> None:
    found = verified(EXPORTS[language], *golf_model(case))
    assert (found.n_given, found.left_out) == (14, {})
    assert found.with_probabilities == (case in GOLF_LEARNERS)
    assert found.numbers == (case in NUMERIC_LEARNERS)
    assert (found.n_refused > 0) == ("errors" in case)


@each(KINDS, java=["c45", "numbers"])
def test_columns_of_every_kind(language: str, case: str) -> None:
    learner, options = KINDS[case]
    found = verified(EXPORTS[language], *models_of_kinds(learner, **options))
    assert (found.n_given, found.with_probabilities) == (240, not found.numbers)


@each(VOTES, python=["shares, stop"], java=["shares, stop"])
def test_random_trees_that_vote(language: str, case: str) -> None:
    voters = random_voters(60, *VOTES[case])
    assert verified(EXPORTS[language], voters).n_generated >= rows_for(voters)


@pytest.mark.parametrize("language", EXPORTS)
def test_programs_of_numbers_have_neither_classes_nor_probabilities(language: str) -> None:
    text = EXPORTS[language](golf_model("forest of numbers")[0])
    code = "\n".join(line.partition("//")[0] for line in text.splitlines()).lower()
    assert "predict" in code
    for word in ("proba", "classes", "greatest", "voting"):
        assert word not in code


@each(["classes", "numbers"], java=["numbers"])
def test_surrogate_splits(language: str, case: str) -> None:
    tree = large_tree_with_surrogates(numbers=case == "numbers")
    found = verified(EXPORTS[language], tree)
    assert found.n_generated >= rows_for(tree)
    assert found.numbers == (case == "numbers")


@pytest.mark.parametrize("language", [*map(where_it_runs, EXPORTS)])
def test_hostile_names(language: str) -> None:
    tree = hostile_tree(nul=True)
    assert verified(EXPORTS[language], tree, **NAMED.get(language, {})).n_generated >= rows_for(
        tree
    )


@pytest.mark.parametrize("language", [*map(where_it_runs, EXPORTS)])
def test_large_whole_numbers_are_categories_of_their_own(language: str) -> None:
    found = verified(EXPORTS[language], *model_of_large_categories())
    assert (found.n_given, found.left_out) == (8, {})


@pytest.mark.parametrize("language", [*map(where_it_runs, ["c", "javascript"])])
def test_a_tree_of_any_depth(language: str) -> None:
    """Python and Java have deep trees in their own files."""
    tree = build(XY_SCHEMA, chain_spec(5_000))
    assert verified(EXPORTS[language], tree).n_generated == 1_100


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("c", ["while", "1st", "a b", "", "m\u00e4h", "EOF"]),
        ("java", ["while", "1st", "a b", "", "String", "Integer", "java"]),
    ],
)
def test_a_name_that_is_no_identifier_is_refused(language: str, names: list[str]) -> None:
    model, _ = golf_model("cart")
    for name in names:
        with pytest.raises(ParameterError, match=f"not an identifier in {language.capitalize()}"):
            EXPORTS[language](model, name=name)
