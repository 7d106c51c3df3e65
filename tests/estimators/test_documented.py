"""Every parameter and fitted attribute of an estimator is described in its own docstring."""

from __future__ import annotations

import re
from inspect import signature
from typing import Any, get_args, get_type_hints

import pytest

from plaintree.estimators.documented import ATTRIBUTES, PARAMETERS
from plaintree.estimators.registry import LEARNERS
from tests.support.learner_tables import table_of

EACH = pytest.mark.parametrize("learner", [one.load() for one in LEARNERS.values()])


def section(learner: Any, heading: str) -> str:
    text = learner.__doc__.partition(f"{heading}\n{'-' * len(heading)}\n")[2]
    return str(re.split(r"\n\n", text, maxsplit=1)[0])


@EACH
def test_parameters_stand_with_their_defaults(learner: Any) -> None:
    described = dict(re.findall(r"(?m)^(\w+) : .*, default=(.*)$", section(learner, "Parameters")))
    given = {name: repr(p.default) for name, p in signature(learner).parameters.items()}
    assert described == given


@EACH
def test_choices_are_those_of_the_annotation(learner: Any) -> None:
    described = dict(re.findall(r"(?m)^(\w+) : \{(.*)\}, default", section(learner, "Parameters")))
    hints = get_type_hints(learner.__init__)
    for name in ("criterion", "categorical", "missing", "unseen", "voting", "numeric"):
        if name in described:
            allowed = {word for word in _words(hints[name]) if isinstance(word, str)}
            said = set(re.findall(r'"([^"]*)"', described[name]))
            assert said <= allowed, name
            assert allowed - said <= {"entropy", "log_loss"}, name


def _words(hint: Any) -> list[Any]:
    inside = get_args(hint)
    return [word for part in inside for word in _words(part)] if inside else [hint]


@EACH
def test_fitted_attributes_are_described_and_there(learner: Any) -> None:
    X, y = table_of(LEARNERS[learner.__name__])
    options = {"oob_score": True} if "oob_score" in signature(learner).parameters else {}
    model = learner(**options).fit(X, y)
    described = set(re.findall(r"(?m)^(\w+) : ", section(learner, "Attributes")))
    assert {name for name in described if not hasattr(model, name)} == set()
    assert {name for name in ATTRIBUTES if hasattr(model, name)} - described <= {"max_features_"}


@EACH
def test_first_lines_are_short_sentences(learner: Any) -> None:
    first = learner.__doc__.splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 95


def test_no_description_is_left_over() -> None:
    used = {name for one in LEARNERS.values() for name in signature(one.load()).parameters}
    assert used == set(PARAMETERS)
