"""The command line that lists profiles of conventions: `plaintree profiles`."""

from __future__ import annotations

import pytest

from plaintree.tree.profiles import PROFILES
from tests.support.command_line import plaintree


def test_every_profile_is_listed_with_its_source() -> None:
    text = " ".join(plaintree("profiles").out.split())
    for profile in PROFILES:
        assert str(profile) in text


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_profile_is_shown_with_its_conventions(profile: object) -> None:
    name, conventions = profile.name, profile.conventions  # type: ignore[attr-defined]
    outcome = plaintree("profiles", name)
    assert outcome.code == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    for convention, value in conventions.to_json().items():
        assert [convention, str(value)] in lines
    (found,) = plaintree("profiles", name, "--json").json["profiles"]
    assert (found["name"], found["conventions"]) == (name, conventions.to_json())


def test_a_misspelt_profile_is_a_usage_error() -> None:
    outcome = plaintree("profiles", "rpat")
    assert (outcome.code, outcome.out) == (2, "")
    assert "Got rpat. Hint: did you mean 'rpart'?" in outcome.err
