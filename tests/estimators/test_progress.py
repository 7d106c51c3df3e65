"""progress= and verbose=: one signature wherever something takes time."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import pytest

import plaintree as pt
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.progress import reporter
from plaintree.pruning.curves import pruning_path
from plaintree.rules.c45rules import simplify_rules

Step = tuple[str, int, int]


def test_verbose_prints_about_ten_lines_a_stage(capsys: Any) -> None:
    report = reporter(None, 1)
    for done in range(1, 1001):
        report("growing trees", done, 1000)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "growing trees: 100 of 1,000"
    assert lines[-1] == "growing trees: 1,000 of 1,000"
    assert len(lines) == 10


def test_more_verbose_prints_every_step_and_calls_the_function_as_well(capsys: Any) -> None:
    seen: list[Step] = []
    report = reporter(lambda *step: seen.append(step), 2)
    for done in range(1, 31):
        report("a", done, 30)
    assert len(capsys.readouterr().err.splitlines()) == len(seen) == 30


def test_nothing_is_printed_by_default(capsys: Any) -> None:
    reporter(None)("a", 1, 1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "function",
    [
        pt.RandomForestClassifier.fit,
        pt.BaggedTreesClassifier.fit,
        pt.BoostedTreesClassifier.fit,
        pt.tune_max_features,
        cross_validate,
        pruning_path,
        simplify_rules,
    ],
    ids=lambda function: function.__qualname__,
)
def test_the_signature_is_the_same_everywhere(function: Any) -> None:
    progress = signature(function).parameters["progress"]
    assert progress.kind is Parameter.KEYWORD_ONLY
    assert progress.annotation == "Progress | None"
    assert progress.default is None
